//! What a store carries whose task failed: the failure, and where the value from before is.

use crate::engine::Engine;
use crate::executor::Flush;
use crate::runtime::State;
use crate::store::{Store, StoreOwner};
use darray_core::Error;
use darray_fusion::precondition::reaches_all;
use darray_ir::{IndexTask, Privilege, StoreId, TaskArg};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// The failure that a store carries, once it has one. Kept apart from the store so that work in
/// flight can hand a failure on after a temporary store is gone.
///
/// An update that failed before it changed anything leaves the value from before. That is kept until the failure has
/// been handed on, by a read or by `sync`; then variables that hold the store hold that value again.
#[derive(Debug, Default)]
pub(crate) struct Poison {
    error: OnceLock<Error>,
    kept: Mutex<Option<Kept>>,
    restored: OnceLock<StoreOwner>,
}

/// Where the value is that an array had before its update failed.
#[derive(Debug)]
pub(crate) enum Kept {
    /// In the store itself.
    Own,
    /// In the version before.
    Before(StoreOwner),
    /// In the version before, as long as it is kept by others: the store itself has ended.
    Elsewhere(Weak<Store>),
}

/// A store that took another one's place in a variable.
pub(crate) struct Version {
    /// The task that makes it.
    pub(crate) task: u32,
    pub(crate) made: StoreId,
    /// What the variable held before.
    pub(crate) before: Arc<Store>,
    /// Its number in the window, if a task there uses it; known when the window is flushed.
    pub(crate) number: Option<StoreId>,
}

/// Versions that failed updates are to leave.
#[derive(Default)]
pub(crate) struct Versions {
    /// How many of the window were replaced.
    pub(crate) replaced: usize,
    /// Stores that end when the tasks run that replace them, with these.
    deferred: Vec<(u32, StoreId)>,
    /// Stores that carry a failure and whose values from before are kept.
    kept: Vec<Weak<Store>>,
    /// Stores that would have ended, but have owners still: they end when the last failed update lets them go.
    outlived: Vec<Arc<Store>>,
}

impl Poison {
    pub(crate) fn error(&self) -> Option<&Error> {
        self.error.get()
    }

    /// Sets the failure, unless there is one.
    pub(crate) fn set(&self, error: &Error) -> bool {
        self.error.set(error.clone()).is_ok()
    }

    #[inline]
    pub(crate) fn restored(&self) -> Option<&StoreOwner> {
        self.restored.get()
    }

    /// The store ends: it keeps the value from before no longer. Says whether another store did for it.
    pub(crate) fn let_go(&self) -> bool {
        let mut kept = self.kept();
        let elsewhere = match &*kept {
            Some(Kept::Before(owner)) => Some(Kept::Elsewhere(Arc::downgrade(owner))),
            Some(Kept::Elsewhere(_)) => return false,
            Some(Kept::Own) | None => None,
        };
        let was_kept = elsewhere.is_some();
        *kept = elsewhere;
        was_kept
    }

    /// Forgets the value from before.
    pub(crate) fn forget(&self) {
        drop(self.kept().take());
    }

    fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the value of a store is from before a task that failed, or did not run: `unchanged`, where it has written nothing.
/// Nothing for arrays that the task makes, and where the value is gone.
fn value_before(flush: Flush<'_>, task: u32, written: StoreId, unchanged: bool) -> Option<Kept> {
    let (window, store) = (flush.window, flush.store(written));
    if store.error().is_some() {
        return None;
    }
    let index_task = &window.tasks()[task as usize];
    // A later task that writes into the version leaves what is in there.
    let makes_it = |version: &&Version| (version.made, version.task) == (written, task);
    if let Some(version) = flush.versions.iter().find(makes_it) {
        let before = &version.before;
        if before.error().is_some() {
            return kept_by(before).map(Kept::Before);
        }
        let reads = |id| index_task.args.iter().any(|arg| arg.store == id);
        let is_there = version.number.is_none_or(|id| reads(id) || has_value(flush, id));
        let is_kept = is_there && !before.has_ended();
        return is_kept.then(|| Kept::Before(StoreOwner::new(before.clone())));
    }
    let mut uses = window.tasks()[..task as usize].iter().flat_map(|task| &task.args);
    let is_old = window.store(written).initialised || uses.any(|arg| arg.store == written);
    let mut args = index_task.args.iter().filter(|arg| arg.store == written);
    let is_made = !is_old && args.any(|arg| makes(flush, index_task, arg));
    (unchanged && !is_made).then_some(Kept::Own)
}

/// The store with the value from before a failure that this one carries.
fn kept_by(failed: &Arc<Store>) -> Option<StoreOwner> {
    if let Some(restored) = failed.restored() {
        return Some(restored.clone());
    }
    match &*failed.poison_cell().kept() {
        Some(Kept::Own) => Some(StoreOwner::new(failed.clone())),
        Some(Kept::Before(owner)) => Some(owner.clone()),
        Some(Kept::Elsewhere(store)) => {
            let is_there = |store: &Arc<Store>| !store.has_ended();
            store.upgrade().filter(is_there).map(StoreOwner::new)
        }
        None => None,
    }
}

/// Whether a task writes all of a store through this argument.
fn makes(flush: Flush<'_>, task: &IndexTask, arg: &TaskArg) -> bool {
    let shape = flush.store(arg.store).shape();
    arg.privilege.reduces() || reaches_all(flush.window.domain(task.domain), shape)
}

/// Whether a store that nothing reads any more holds what the window has written to it, which was perhaps never written to
/// memory: where there was nothing before, memory says that it was.
fn has_value(flush: Flush<'_>, store: StoreId) -> bool {
    let mut makers = flush.window.tasks().iter().flat_map(|task| {
        let written = |arg: &&TaskArg| arg.store == store && arg.privilege != Privilege::Read;
        task.args.iter().filter(written).map(move |arg| makes(flush, task, arg))
    });
    match (flush.window.store(store).initialised, makers.next()) {
        (true, first) => first.is_none(),
        (false, first) => {
            first == Some(true) && makers.next().is_none() && flush.store(store).has_memory()
        }
    }
}

impl Engine {
    /// Poisons a store that a task would have written, and keeps its value from before.
    pub(crate) fn poison_output(
        &mut self,
        flush: Flush<'_>,
        (store, task): (StoreId, u32),
        error: &Error,
        unchanged: bool,
    ) {
        let kept = value_before(flush, task, store, unchanged);
        let store = flush.store(store);
        self.poison(store, error);
        if kept.is_some() {
            *store.poison_cell().kept() = kept;
            if self.versions.kept.len() == self.versions.kept.capacity() {
                self.versions.kept.retain(|store| store.strong_count() > 0);
            }
            self.versions.kept.push(Arc::downgrade(store));
        }
    }

    /// Gives back the memory of stores that end here, but of those that later tasks replace only with the tasks that do:
    /// these may fail.
    pub(crate) fn end_stores(&mut self, flush: Flush<'_>, stores: &[StoreId], tasks: &[u32]) {
        let last = tasks.last();
        for &store in stores {
            match flush.replaced_by(store) {
                Some(by) if last.is_some_and(|&last| by > last) => {
                    self.versions.deferred.push((by, store))
                }
                _ => self.end_store(flush.store(store)),
            }
        }
    }

    /// Gives back the memory of versions that tasks up to these replace and nothing reads any more.
    pub(crate) fn end_replaced(&mut self, flush: Flush<'_>, tasks: &[u32]) {
        let Some(&last) = tasks.last() else { return };
        while let Some(version) = flush.versions.get(self.versions.replaced)
            && version.task <= last
        {
            if version.number.is_none() {
                self.end_store(&version.before);
            }
            self.versions.replaced += 1;
        }
        self.end_deferred(flush, last);
    }

    /// Gives back what ends with tasks that failed, or did not run; what they write keeps the values from before.
    pub(crate) fn end_failed<'s>(
        &mut self,
        flush: Flush<'_>,
        ends: impl Iterator<Item = &'s [StoreId]>,
        tasks: &[u32],
    ) {
        ends.for_each(|stores| self.end_stores(flush, stores, tasks));
        self.end_replaced(flush, tasks);
    }

    /// A store would end, but has an owner.
    pub(crate) fn outlives(&mut self, store: &Arc<Store>) {
        if self.poisoned {
            self.versions.outlived.push(store.clone());
        }
    }

    /// A store ended: what it alone kept, of that which would have ended before, ends too.
    pub(crate) fn end_value_before(&mut self, store: &Store) {
        if store.let_go_value_before() {
            for outlived in std::mem::take(&mut self.versions.outlived) {
                self.end_store(&outlived);
            }
        }
    }

    /// Ends a window.
    pub(crate) fn end_versions(&mut self, flush: Flush<'_>) {
        self.end_deferred(flush, u32::MAX);
        self.versions.outlived.clear();
    }

    /// Gives back the memory of stores that tasks up to this one replace.
    pub(crate) fn end_deferred(&mut self, flush: Flush<'_>, last: u32) {
        if self.versions.deferred.is_empty() {
            return;
        }
        let mut deferred = std::mem::take(&mut self.versions.deferred);
        deferred.retain(|&(by, store)| {
            if by <= last {
                self.end_store(flush.store(store));
            }
            by > last
        });
        self.versions.deferred = deferred;
    }
}

impl State {
    /// The failure that a store carries was handed on: its variables hold the value from before, where that was kept.
    pub(crate) fn restore(&mut self, store: &Arc<Store>) {
        let Some(kept) = store.poison_cell().kept().take() else { return };
        let owner = match kept {
            Kept::Own => {
                let owner = self.new_owner(store.dtype(), store.shape());
                owner.store().take_data(store);
                self.engine.resides(owner.store());
                owner
            }
            Kept::Before(owner) => {
                self.restore(owner.store());
                owner.store().restored().cloned().unwrap_or(owner)
            }
            // No variable holds what has ended.
            Kept::Elsewhere(_) => return,
        };
        let _ = store.poison_cell().restored.set(owner);
    }

    /// As [`restore`](Self::restore), for every store that carries this failure.
    pub(crate) fn restore_all(&mut self, error: &Error) {
        let text = error.to_string();
        for store in std::mem::take(&mut self.engine.versions.kept) {
            let Some(store) = store.upgrade() else { continue };
            match store.error().is_some_and(|error| error.to_string() == text) {
                true => self.restore(&store),
                false => self.engine.versions.kept.push(Arc::downgrade(&store)),
            }
        }
    }
}

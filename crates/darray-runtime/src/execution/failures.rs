//! What the stores of tasks carry that failed or did not run: the failure, and where the value from before is.

use crate::engine::{Engine, Flush, Version};
use crate::stores::{Kept, Store, StoreOwner};
use darray_core::Error;
use darray_fusion::precondition::reaches_all;
use darray_ir::{IndexTask, Privilege, StoreId, TaskArg, Window};
use std::sync::Arc;

/// The stores that these tasks write, each with the last task that writes it.
pub(crate) fn written(window: &Window, tasks: &[u32]) -> Vec<(StoreId, u32)> {
    let mut written: Vec<(StoreId, u32)> = Vec::new();
    for &number in tasks {
        let task = &window.tasks()[number as usize];
        for arg in &task.args[..task.outputs()] {
            match written.iter_mut().find(|(store, _)| *store == arg.store) {
                Some((_, last)) => *last = number,
                None => written.push((arg.store, number)),
            }
        }
    }
    written
}

/// The first failure among the stores that these tasks use. What failed in this window by tasks behind them in the program is none of theirs: they
/// use what those do not reach, else they had come first.
pub(crate) fn inherited<'s>(
    flush: Flush<'s>,
    failed_by: &[(StoreId, u32)],
    tasks: &[u32],
) -> Option<&'s Error> {
    tasks.iter().find_map(|&task| {
        let number = flush.in_program(task);
        let mut args = flush.window.tasks()[task as usize].args.iter();
        args.find_map(|arg| {
            let error = flush.stores[arg.store.0 as usize].error()?;
            let mut by = failed_by.iter().filter(|(store, _)| *store == arg.store).peekable();
            let is_later = by.peek().is_some() && by.all(|&(_, failed)| failed > number);
            (!is_later).then_some(error)
        })
    })
}

/// Where the value of a store is from before a task that failed, or did not run: `unchanged`, where it has written nothing.
/// Nothing for arrays that the task makes, and where the value is gone.
fn value_before(
    flush: Flush<'_>,
    failed_by: &[(StoreId, u32)],
    (written, task): (StoreId, u32),
    unchanged: bool,
) -> Option<Kept> {
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
        if version.number.is_some_and(|id| is_other(flush, task, id)) {
            return None;
        }
        let reads = |id| index_task.args.iter().any(|arg| arg.store == id);
        let is_there = version.number.is_none_or(|id| reads(id) || has_value(flush, id));
        let is_kept = is_there && !before.has_ended();
        return is_kept.then(|| Kept::Before(StoreOwner::new(before.clone())));
    }
    let uses = || {
        let before = window.tasks()[..task as usize].iter().flat_map(|task| &task.args);
        before.filter(|arg| arg.store == written)
    };
    // What the update before this one wrote is in the second buffer, and nowhere else, unless that update failed, not only what wrote there
    // behind it; and then one behind it may have written here already.
    let twin = flush.twins.iter().find(|(store, _)| *store == written);
    let is_changed = || uses().any(|arg| arg.privilege.writes());
    if twin.is_some_and(|&(_, twin)| is_written(flush, failed_by, twin) || is_changed()) {
        return None;
    }
    if is_other(flush, task, written) {
        return None;
    }
    // Of what is written in parts some may be missing, which nothing has cleared.
    if store.is_in_parts() && !uses().any(|arg| arg.privilege.reads()) {
        return None;
    }
    let is_old = window.store(written).initialised || uses().next().is_some();
    let mut args = index_task.args.iter().filter(|arg| arg.store == written);
    let is_made = !is_old && args.any(|arg| makes(flush, index_task, arg));
    (unchanged && !is_made).then_some(Kept::Own)
}

/// Whether a task of the window's program has written a store, though one behind it may have failed to.
fn is_written(flush: Flush<'_>, failed_by: &[(StoreId, u32)], store: StoreId) -> bool {
    let failed = failed_by.iter().filter(|(failed, _)| *failed == store);
    let Some(first) = failed.map(|&(_, task)| task).min() else { return true };
    (0..flush.window.tasks().len() as u32).any(|task| {
        let args = &flush.window.tasks()[task as usize].args;
        let writes = args.iter().any(|arg| arg.store == store && arg.privilege.writes());
        writes && flush.is_of_program(task) && flush.in_program(task) < first
    })
}

/// Whether a store holds something else than the program's array before a task: one before it was not run, or one behind it has run.
fn is_other(flush: Flush<'_>, task: u32, store: StoreId) -> bool {
    let is_behind = |earlier: u32| {
        let args = &flush.window.tasks()[earlier as usize].args;
        let writes = args.iter().any(|arg| arg.store == store && arg.privilege.writes());
        writes && flush.in_program(earlier) > flush.in_program(task)
    };
    flush.not_written.contains(&store) || flush.order.is_some() && (0..task).any(is_behind)
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
        let kept = value_before(flush, &self.failed_by, (store, task), unchanged);
        let is_known = self.failed_by.iter().any(|(failed, _)| *failed == store);
        let before = flush.store(store).error().is_some() && !is_known;
        self.failed_by.push((store, if before { 0 } else { flush.in_program(task) }));
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
}

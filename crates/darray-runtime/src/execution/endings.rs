//! When stores end: their memory goes back, but not that of what failed updates are to leave.

use crate::devices::History;
use crate::engine::{Engine, Flush};
use crate::stores::{Store, Valid};
use darray_ir::StoreId;
use std::sync::Arc;

impl Engine {
    /// Gives back the memory of a store, unless it is live after all: then a failed update is to leave it.
    pub(crate) fn end_store(&mut self, store: &Arc<Store>) {
        if store.is_live() {
            self.outlives(store);
            return;
        }
        store.set_ended();
        self.end_value_before(store);
        // What is used by the first queue alone goes back there, behind its uses.
        if let Some(block) = store.whole().take_alone()
            && !self.idle.put(&self.devices, block)
        {
            self.devices.release_block(block, &History::in_order());
        }
        if !store.whole().is_nothing() {
            store.staged().clear();
            self.end_replicas(store);
        }
    }

    pub(crate) fn end_replicas(&mut self, store: &Store) {
        for replica in store.replicas().iter_mut() {
            replica.valid = Valid::Nothing;
            if let Some(instance) = &replica.instance {
                self.release(instance);
                replica.instance = None;
            }
        }
        store.whole().set_nothing();
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

    /// Gives back the memory of stores that no task uses, but of those that tasks replace only with the tasks that do.
    pub(crate) fn end_unused(&mut self, flush: Flush<'_>, stores: &[StoreId]) {
        for &store in stores {
            match flush.replaced_by(store) {
                Some(by) => self.versions.deferred.push((by, store)),
                None => self.end_store(flush.store(store)),
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

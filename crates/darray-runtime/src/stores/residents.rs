//! The stores that have data on devices, for those who need space there.

use crate::stores::Store;
use std::sync::{Arc, Weak};

/// Stores with instances. Every store that is here knows its place, so that it leaves without a search.
#[derive(Debug)]
pub(crate) struct Residents {
    stores: Vec<Weak<Store>>,
    /// When to drop those that are gone.
    sweep_at: usize,
}

/// Stores that are kept without a look at whether they are gone.
const FEW: usize = 1024;

impl Residents {
    pub(crate) fn new() -> Residents {
        Residents { stores: Vec::new(), sweep_at: FEW }
    }

    /// Notes that a store has an instance.
    pub(crate) fn add(&mut self, store: &Arc<Store>) {
        if store.place().is_some() {
            return;
        }
        if self.stores.len() >= self.sweep_at {
            self.sweep();
        }
        store.set_place(Some(self.stores.len()));
        self.stores.push(Arc::downgrade(store));
    }

    /// Forgets a store.
    pub(crate) fn remove(&mut self, store: &Store) {
        let Some(place) = store.place() else { return };
        self.stores.swap_remove(place);
        if let Some(moved) = self.stores.get(place).and_then(Weak::upgrade) {
            moved.set_place(Some(place));
        }
        store.set_place(None);
    }

    /// Those that are not gone, the oldest first.
    pub(crate) fn alive(&mut self) -> Vec<Arc<Store>> {
        let mut alive = self.sweep();
        alive.sort_by_key(|store| store.id());
        alive
    }

    /// Drops those that are gone, and gives the others.
    fn sweep(&mut self) -> Vec<Arc<Store>> {
        let alive: Vec<Arc<Store>> = self.stores.iter().filter_map(Weak::upgrade).collect();
        self.stores.clear();
        for (place, store) in alive.iter().enumerate() {
            store.set_place(Some(place));
            self.stores.push(Arc::downgrade(store));
        }
        self.sweep_at = FEW.max(2 * self.stores.len());
        alive
    }
}

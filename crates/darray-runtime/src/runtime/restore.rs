//! What variables hold once the failure of an update was handed on.

use crate::runtime::State;
use crate::stores::{Kept, Store};
use darray_core::Error;
use std::sync::Arc;

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
        store.poison_cell().set_restored(owner);
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

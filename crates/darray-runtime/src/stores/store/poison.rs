//! What a store carries whose task failed: the failure, and where the value from before is.

use crate::stores::{Store, StoreOwner};
use darray_core::Error;
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

    /// Sets the store that has the value from before.
    pub(crate) fn set_restored(&self, owner: StoreOwner) {
        let _ = self.restored.set(owner);
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Option<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! The store version that a variable holds.

use crate::stores::{Slots, Store, StoreOwner};
use darray_ir::StoreId;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The store version that a variable holds now: what an operation that names the variable reads.
///
/// Rules:
/// - which version that is, is found out when the task is recorded, under the runtime's lock; so an
///   emitter need not own the versions that it reads;
/// - where the version's task failed, and the failure was handed on, it holds the value from before again, if that
///   was kept;
/// - its own lock is taken after the runtime's lock, never the other way round.
///
/// ```
/// use darray_core::{RealType, Shape};
/// use darray_runtime::{CurrentStore, Runtime, RuntimeOptions, StoreOwner};
/// let devices = darray_cpu::CpuDevices::new(1, darray_cpu::CpuOptions::default());
/// let rt = Runtime::new(devices, RuntimeOptions::default());
/// let [first, second] = [0, 1].map(|_| StoreOwner::new(rt.new_store(RealType::F64, &Shape::new(&[3]))));
/// let current = CurrentStore::new(first);
/// current.set(second.clone());
/// assert_eq!(current.get().store().id(), second.store().id());
/// ```
#[derive(Debug)]
pub struct CurrentStore {
    owner: Mutex<StoreOwner>,
    /// As the version's own; spares the lock where the window has the version already.
    slot: AtomicU64,
}

impl CurrentStore {
    /// Holds this version.
    #[inline]
    pub fn new(owner: StoreOwner) -> CurrentStore {
        let slot = AtomicU64::new(owner.store().slot());
        CurrentStore { owner: Mutex::new(owner), slot }
    }

    /// The version, kept live as long as the result.
    pub fn get(&self) -> StoreOwner {
        self.lock().clone()
    }

    /// Holds another version from now on.
    pub fn set(&self, owner: StoreOwner) {
        drop(self.replace(owner));
    }

    /// As [`set`](Self::set); gives the version before.
    pub(crate) fn replace(&self, owner: StoreOwner) -> StoreOwner {
        let mut current = self.lock();
        self.slot.store(0, Ordering::Relaxed);
        std::mem::replace(&mut *current, owner)
    }

    /// The number of the version in a window, which `number` finds where it is not known.
    #[inline]
    pub(crate) fn number(
        &self,
        slots: Slots,
        number: impl FnOnce(&Arc<Store>) -> StoreId,
    ) -> StoreId {
        if let Some(number) = slots.number(self.slot.load(Ordering::Relaxed)) {
            return number;
        }
        let current = self.lock();
        let number = number(current.store());
        // Under the lock, so that it is not noted of a version that was replaced meanwhile.
        self.slot.store(slots.of(number), Ordering::Relaxed);
        number
    }

    fn lock(&self) -> MutexGuard<'_, StoreOwner> {
        let mut owner = self.owner.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(restored) = owner.store().restored().cloned() {
            self.slot.store(0, Ordering::Relaxed);
            *owner = restored;
        }
        owner
    }
}

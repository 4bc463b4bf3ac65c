//! Variables: what views share, and which store version each holds.

use crate::Runtime;
use darray_core::{DType, Map, Place, Result, Shape};
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, Store, StoreOwner};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The place of an array's data as the program sees it.
///
/// Rules:
/// - All views of an array share one variable, so a write through one is seen through all.
/// - A clone is a variable of its own that holds the same store: the first partial write through
///   either copies the store.
/// - A write that covers the whole store makes a new store version and redirects the variable, so
///   that earlier reads keep the old version and nothing waits.
///
/// ```text
/// a ----.
///        variable --- store s3 (f64, [4, 6])
/// a.t() '            /
/// a.clone() - variable
/// ```
pub(crate) struct Variable {
    owner: Mutex<StoreOwner>,
    dtype: DType,
    shape: Shape,
    runtime: Runtime,
}

impl Variable {
    /// A variable that holds this store.
    pub fn new(runtime: Runtime, store: Arc<Store>) -> Variable {
        let (dtype, shape) = (store.dtype(), store.shape().clone());
        Variable { owner: Mutex::new(StoreOwner::new(store)), dtype, shape, runtime }
    }

    /// Element type of its store.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Shape of its store.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where it lives.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The store version that it holds now, kept live as long as the result.
    #[inline]
    pub fn current(&self) -> StoreOwner {
        self.lock().clone()
    }

    /// Another variable with the same store version.
    pub fn share(&self) -> Variable {
        Variable {
            owner: Mutex::new(self.current()),
            dtype: self.dtype,
            shape: self.shape.clone(),
            runtime: self.runtime.clone(),
        }
    }

    /// Holds another store version from now on.
    pub fn redirect(&self, store: StoreOwner) {
        let old = std::mem::replace(&mut *self.lock(), store);
        drop(old);
    }

    /// The store for a partial write: after a copy, if other variables hold it too.
    pub fn current_for_update(&self, place: Place) -> Result<StoreOwner> {
        let mut owner = self.lock();
        if owner.store().owners() > 1 {
            let fresh = StoreOwner::new(self.runtime.engine().new_store(self.dtype, &self.shape));
            let map = Map::identity(&self.shape);
            self.runtime.emit(Emission {
                op: TaskOp::Copy,
                name: "copy",
                domain: &self.shape,
                args: &[
                    (fresh.store(), &map, Privilege::Write),
                    (owner.store(), &map, Privilege::Read),
                ],
                scalars: &[],
                place,
            })?;
            *owner = fresh;
        }
        Ok(owner.clone())
    }

    fn lock(&self) -> MutexGuard<'_, StoreOwner> {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

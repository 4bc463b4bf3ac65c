//! Variables: what views share, and which store version each holds.

use crate::Runtime;
use darray_core::{DType, Place, Result, Shape, View};
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{CurrentStore, Emission, StoreOwner, StoreRef};

/// The place of an array's data as the program sees it.
///
/// Rules:
/// - All views of an array share one variable, so a write through one is seen through all.
/// - A clone is a variable of its own that holds the same store: the first partial write through
///   either copies the store.
/// - A write that covers the whole store makes a new store version, which the variable holds from then on, so
///   that earlier reads keep the old version and nothing waits. Where nothing reads the old version any more, the new
///   one takes its memory.
/// - Where the task that makes a version fails, and has changed nothing, the variable holds the old version again, once
///   the failure has been handed on.
///
/// ```text
/// a ----.
///        variable --- store s3 (f64, [4, 6])
/// a.t() '            /
/// a.clone() - variable
/// ```
pub(crate) struct Variable {
    current: CurrentStore,
    dtype: DType,
    /// All of its store.
    whole: View,
    runtime: Runtime,
}

impl Variable {
    /// A variable that holds this store, of which `whole` is all.
    #[inline]
    pub fn new(runtime: Runtime, store: StoreOwner, whole: View) -> Variable {
        debug_assert!(whole.is_whole(store.shape()));
        let dtype = store.dtype();
        Variable { current: CurrentStore::new(store), dtype, whole, runtime }
    }

    /// Element type of its store.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Shape of its store.
    pub fn shape(&self) -> &Shape {
        self.whole.shape()
    }

    /// The view of all of it.
    #[inline]
    pub fn whole(&self) -> &View {
        &self.whole
    }

    /// Where it lives.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The store version that it holds now, kept live as long as the result.
    #[inline]
    pub fn current(&self) -> StoreOwner {
        self.current.get()
    }

    /// The store version that it holds when a task that names it is recorded.
    #[inline]
    pub fn when_recorded(&self) -> StoreRef<'_> {
        StoreRef::Current(&self.current)
    }

    /// Another variable with the same store version.
    pub fn share(&self) -> Variable {
        Variable {
            current: CurrentStore::new(self.current()),
            dtype: self.dtype,
            whole: self.whole.clone(),
            runtime: self.runtime.clone(),
        }
    }

    /// A new store version, all of which a task writes: what this holds once that task is recorded.
    #[inline]
    pub fn next(&self) -> StoreRef<'_> {
        StoreRef::Next(&self.current)
    }

    /// The store for a partial write: after a copy, if other variables hold it too. The caller keeps
    /// other threads from updating ([`Runtime::updating`]).
    pub fn current_for_update(&self, place: Place) -> Result<StoreOwner> {
        let owner = self.current();
        // This variable and `owner`.
        if owner.store().owners() <= 2 {
            return Ok(owner);
        }
        let (shape, map) = (self.whole.shape(), self.whole.map());
        let mut made = self.runtime.emit(Emission {
            op: TaskOp::Copy,
            name: "copy",
            domain: shape,
            args: &[
                (self.next(), map, Privilege::Write),
                (owner.store().into(), map, Privilege::Read),
            ],
            scalars: &[],
            place,
        })?;
        Ok(made.pop().expect("the copy"))
    }
}

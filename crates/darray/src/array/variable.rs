//! Variables: what views share, and which store versions each holds.

use crate::Runtime;
use darray_core::{DType, Place, RealType, Result, Shape, View};
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{CurrentStore, Emission, StoreOwner, StoreRef};

/// The place of an array's data as the program sees it.
///
/// Rules:
/// - All views of an array share one variable, so a write through one is seen through all.
/// - The elements of a real array lie in one store, the parts of complex numbers in two of one shape, so that one view is
///   that of both.
/// - A clone is a variable of its own that holds the same stores: the first partial write through
///   either copies a store.
/// - A write that covers a whole store makes a new store version, which the variable holds from then on, so
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
///
/// z --------.
///            variable --- stores s4 (real parts), s5 (imaginary parts)
/// z.imag() '
/// ```
pub(crate) struct Variable {
    /// The store of a real array, or of real parts.
    store: CurrentStore,
    /// That of imaginary parts.
    imaginary: Option<Box<CurrentStore>>,
    /// Element type of the stores.
    part: RealType,
    /// All of a store.
    whole: View,
    runtime: Runtime,
}

/// A part of complex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Real,
    Imaginary,
}

impl Variable {
    /// A variable that holds this store, of which `whole` is all.
    #[inline]
    pub fn new(runtime: Runtime, store: StoreOwner, whole: View) -> Variable {
        debug_assert!(whole.is_whole(store.shape()));
        let part = store.dtype();
        Variable { store: CurrentStore::new(store), imaginary: None, part, whole, runtime }
    }

    /// A variable of complex numbers with parts in these stores, of one shape and type.
    pub fn complex(runtime: Runtime, [re, im]: [StoreOwner; 2], whole: View) -> Variable {
        debug_assert!((re.dtype(), re.shape()) == (im.dtype(), im.shape()));
        let imaginary = Some(Box::new(CurrentStore::new(im)));
        Variable { imaginary, ..Variable::new(runtime, re, whole) }
    }

    /// Whether its elements are complex numbers.
    #[inline]
    pub fn is_complex(&self) -> bool {
        self.imaginary.is_some()
    }

    /// Element type of its stores.
    #[inline]
    pub fn part(&self) -> RealType {
        self.part
    }

    /// Element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        match self.is_complex() {
            true => DType::complex_of(self.part).expect("parts of complex numbers are floats"),
            false => self.part.into(),
        }
    }

    /// Shape of its stores.
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

    /// The store version that it holds for a part, or for real elements.
    ///
    /// # Panics
    ///
    /// If elements are complex and no part is named: whoever makes tasks has one.
    #[inline]
    fn cell(&self, part: Option<Part>) -> &CurrentStore {
        match (part, &self.imaginary) {
            (Some(Part::Imaginary), Some(imaginary)) => imaginary,
            (None, None) | (Some(Part::Real), Some(_)) => &self.store,
            _ => unreachable!("tasks are of real arrays and of the parts of complex ones"),
        }
    }

    /// The store version that it holds now, kept live as long as the result.
    #[inline]
    pub fn current(&self, part: Option<Part>) -> StoreOwner {
        self.cell(part).get()
    }

    /// The store version that it holds when a task that names it is recorded.
    #[inline]
    pub fn when_recorded(&self, part: Option<Part>) -> StoreRef<'_> {
        StoreRef::Current(self.cell(part))
    }

    /// Another variable with the same store versions: of one part, or of all elements.
    pub fn share(&self, part: Option<Part>) -> Variable {
        let (runtime, whole) = (self.runtime.clone(), self.whole.clone());
        match (part, &self.imaginary) {
            (None, Some(imaginary)) => {
                Variable::complex(runtime, [self.store.get(), imaginary.get()], whole)
            }
            _ => Variable::new(runtime, self.current(part), whole),
        }
    }

    /// A new store version, all of which a task writes: what this holds once that task is recorded.
    #[inline]
    pub fn next(&self, part: Option<Part>) -> StoreRef<'_> {
        StoreRef::Next(self.cell(part))
    }

    /// The store for a partial write: after a copy, if other variables hold it too. The caller keeps
    /// other threads from updating ([`Runtime::updating`]).
    pub fn current_for_update(&self, part: Option<Part>, place: Place) -> Result<StoreOwner> {
        let owner = self.current(part);
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
                (self.next(part), map, Privilege::Write),
                (owner.store().into(), map, Privilege::Read),
            ],
            scalars: &[],
            place,
        })?;
        Ok(made.pop().expect("the copy"))
    }
}

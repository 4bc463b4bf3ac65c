//! Masks whose elements are counted, and what they hold.

use crate::elementwise::steps::Steps;
use crate::{DynArray, Reduction};
use darray_core::{RealType, Result, Scalar, Shape, View};
use darray_ir::builtin::Compact;
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, StoreRef};
use smallvec::{SmallVec, smallvec};

/// A mask of one axis, of which it is known how many elements it holds.
pub(crate) struct Held {
    steps: Steps,
    mask: DynArray,
    count: usize,
}

impl Held {
    /// Counts, flushes, and waits for the count.
    pub fn of(mask: &DynArray, steps: Steps) -> Result<Held> {
        // What other threads write between the count and a task changes neither.
        let mask = mask.snapshot();
        let count = mask.reduce_named(Reduction::CountNonzero, .., steps.name, steps.place)?;
        let count = steps.read_extents(&count)?[0] as usize;
        Ok(Held { steps, mask, count })
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// The elements that the mask holds of a source of as many elements.
    pub fn elements(&self, source: &DynArray) -> Result<DynArray> {
        let Steps { name, place } = self.steps;
        source.by_parts(name, place, |part| self.emit(Some(part)))
    }

    /// Their places (i64).
    pub fn places(&self) -> Result<DynArray> {
        self.emit(None)
    }

    fn emit(&self, source: Option<&DynArray>) -> Result<DynArray> {
        let Held { steps: Steps { name, place }, mask, count } = self;
        let domain = Shape::new(&[*count]);
        let (view, dtype) =
            (View::whole(&domain), source.map_or(RealType::INDEX, DynArray::real_type));
        let whole = view.map().clone();
        let mut args: SmallVec<[_; 3]> = smallvec![
            (StoreRef::New(dtype, &domain), &whole, Privilege::Write),
            (mask.when_recorded(), mask.view().map(), Privilege::Read),
        ];
        if let Some(source) = source {
            args.push((source.when_recorded(), source.view().map(), Privilege::Read));
        }
        let op = TaskOp::Builtin(Compact { places: source.is_none() }.into());
        let (name, place) = (*name, *place);
        let scalars = &[Scalar::from(mask.shape()[0] as i64)];
        let emission = Emission { op, name, domain: &domain, args: &args, scalars, place };
        let made = mask.runtime().emit(emission)?;
        Ok(DynArray::of_made(mask.runtime(), made, view))
    }
}

//! Reading what is chosen, and where it lies.

use super::{Chosen, Picks};
use crate::elementwise::nullary::create_in;
use crate::elementwise::steps::Steps;
use crate::indexing::held::Held;
use crate::{Binary, DynArray};
use darray_core::{RealType, Result, Scalar, Shape, broadcast_shapes};
use darray_ir::TaskOp;
use smallvec::SmallVec;

impl Picks {
    /// What is chosen of a source that has the target's view.
    pub(super) fn read(&self, source: &DynArray, steps: Steps) -> Result<DynArray> {
        match &self.chosen[..] {
            [] => Ok(source.alias()),
            [one] if one.is_mask() && one.axes.len() == source.shape().len() => {
                Held::of(&steps.ravel(&one.array)?, steps)?.elements(&steps.ravel(source)?)
            }
            [one] if !one.is_mask() => source.looked_up(&one.array, (self.first, one.axis), steps),
            _ => self.gathered(source, &self.places(steps)?, steps),
        }
    }

    /// The elements at places of the axes that are looked up, as one.
    pub(super) fn gathered(
        &self,
        source: &DynArray,
        places: &DynArray,
        steps: Steps,
    ) -> Result<DynArray> {
        let bound = self.bounds().iter().product();
        let source = steps.reshape(source, &self.extents(&[bound], steps)?)?;
        source.looked_up(places, (self.first, self.first), steps)
    }

    /// Which places (i64) of the axes that are looked up, as one, are chosen. What is out of range is an error that they carry.
    pub(super) fn places(&self, steps: Steps) -> Result<DynArray> {
        let counted = self.chosen.iter().map(|one| one.counted(steps));
        let counted: SmallVec<[Option<DynArray>; 2]> = counted.collect::<Result<_>>()?;
        let all = self.chosen.iter().zip(&counted);
        let shapes =
            all.clone().map(|(one, places)| places.as_ref().unwrap_or(&one.array).shape_of());
        let shape =
            shapes.into_iter().try_fold(Shape::scalar(), |all, one| broadcast_shapes(&all, one));
        if let Ok(shape) = shape
            && shape.size() == 0
        {
            // An axis without elements is none into which an index goes.
            return Ok(steps.empty(&self.target, RealType::INDEX, &shape));
        }
        let (mut stride, mut bounds) = (1, self.bounds());
        let mut sum: Option<DynArray> = None;
        for (one, counted) in all.rev() {
            let (outer, own) = bounds.split_at(bounds.len() - one.axes.len());
            let extent: usize = own.iter().product();
            let places = match counted {
                Some(places) if stride == 1 => places.alias(),
                Some(places) => steps.binary(Binary::Mul, places, stride)?,
                None => one.looked_up(extent, stride, steps)?,
            };
            sum = Some(match &sum {
                None => places,
                Some(sum) => steps.binary(Binary::Add, &places, sum)?,
            });
            (stride, bounds) = (stride * extent as i64, outer);
        }
        Ok(sum.expect("an array is among the items"))
    }
}

impl Chosen {
    /// Of a mask, which places of its axes it holds: counts them.
    fn counted(&self, steps: Steps) -> Result<Option<DynArray>> {
        match self.is_mask() {
            true => Held::of(&steps.ravel(&self.array)?, steps)?.places().map(Some),
            false => Ok(None),
        }
    }

    /// Of an array of indices, which places of its axis it chooses, times a stride.
    fn looked_up(&self, extent: usize, stride: i64, steps: Steps) -> Result<DynArray> {
        // A lookup counts from the end, and finds what is out of range.
        let (runtime, shape) = (self.array.runtime(), Shape::new(&[extent]));
        let (op, scalars) =
            (TaskOp::Arange { axes: 1 }, &[Scalar::from(0i64), Scalar::from(stride)]);
        let (name, place) = (steps.name, steps.place);
        let table = create_in(runtime, name, op, RealType::INDEX, &shape, scalars, place)?;
        table.looked_up(&self.array, (0, self.axis), steps)
    }
}

//! Writing into what is chosen.

use super::{Chosen, Picks};
use crate::elementwise::steps::Steps;
use crate::elementwise::untyped::update_as;
use crate::indexing::indices::{indices_of, without_leading_axes};
use crate::{Argument, Binary, DynArray};
use darray_core::{DType, ErrorKind, Result};

impl Picks {
    /// Writes a value, or what an operation makes of what is there and the value.
    pub(super) fn write(
        &self,
        operation: Option<Binary>,
        value: Argument<'_>,
        steps: Steps,
    ) -> Result<()> {
        let Steps { name, place } = steps;
        if let [mask] = &self.chosen[..]
            && mask.is_mask()
            && let Some(value) = self.beside_each(value, steps)?
        {
            return self.write_where(mask, operation, value.argument(), steps);
        }
        match operation {
            None if self.chosen.is_empty() => self.target.assign_as(value, name, place),
            Some(operation) if self.chosen.is_empty() => {
                update_as(name, operation, &self.target, value, place)
            }
            None => {
                let value = self.target.values(value, name, place)?;
                self.scatter(&self.places_to_write(steps)?, &value, false, steps)
            }
            Some(operation) => {
                let places = self.places_to_write(steps)?;
                let changed = self.gathered(&self.target, &places, steps)?;
                update_as(name, operation, &changed, value, place)?;
                self.scatter(&places, &changed, false, steps)
            }
        }
    }

    /// Adds a value; what is chosen several times gets all its values.
    pub(crate) fn add(&self, value: Argument<'_>, steps: Steps) -> Result<()> {
        if self.chosen.is_empty() {
            return update_as(steps.name, Binary::Add, &self.target, value, steps.place);
        }
        let value = self.target.values(value, steps.name, steps.place)?;
        self.scatter(&self.places_to_write(steps)?, &value, true, steps)
    }

    /// The one element-wise operation that writes where a mask holds.
    fn write_where(
        &self,
        mask: &Chosen,
        operation: Option<Binary>,
        value: Argument<'_>,
        steps: Steps,
    ) -> Result<()> {
        let Steps { name, place } = steps;
        let target = &self.target;
        let behind = target.shape().len() - self.first - mask.axes.len();
        let extents = [mask.array.shape(), &vec![1; behind]].concat();
        let holds = steps.reshape(&mask.array, &extents)?;
        let Some(operation) = operation else {
            return target.assign_where_as(name, &holds, value, place);
        };
        let changed = target.copy_as(name, target.dtype(), place)?;
        update_as(name, operation, &changed, value, place)?;
        target.assign_where_as(name, &holds, Argument::Array(&changed), place)
    }

    /// The value as one that stands beside the elements of the target, where all elements that the mask holds get the same.
    fn beside_each<'v>(&self, value: Argument<'v>, steps: Steps) -> Result<Option<Beside<'v>>> {
        let Argument::Array(array) = value else { return Ok(Some(Beside::Scalar(value))) };
        let looked_up = self.looked_up();
        let behind = self.target.shape().len() - self.first - looked_up;
        let array = without_leading_axes(array, self.first + 1 + behind, steps.name, steps.place)?;
        let Some(at) = array.shape().len().checked_sub(behind + 1) else {
            return Ok(Some(Beside::Array(array)));
        };
        let (before, rest) = array.shape().split_at(at);
        if rest[0] != 1 {
            return Ok(None);
        }
        let extents = [before, &vec![1; looked_up], &rest[1..]].concat();
        Ok(Some(Beside::Array(steps.reshape(&array, &extents)?)))
    }

    /// As [`places`](Self::places). Of one axis and one list of indices these are the indices, and the scatter finds what is out of range.
    fn places_to_write(&self, steps: Steps) -> Result<DynArray> {
        match &self.chosen[..] {
            [one]
                if !one.is_mask()
                    && one.axis == 0
                    && self.target.shape().len() == 1
                    && one.array.shape().len() == 1 =>
            {
                indices_of(&one.array, steps.name, steps.place)
            }
            _ => self.places(steps),
        }
    }

    /// Writes or adds a value of the target's type, broadcast to what is chosen.
    fn scatter(&self, places: &DynArray, value: &DynArray, add: bool, steps: Steps) -> Result<()> {
        let Steps { name, place } = steps;
        let error = |kind| steps.error(kind);
        let shape = self.extents(places.shape(), steps)?;
        let value = without_leading_axes(value, shape.rank(), name, place)?;
        let spread = value.view().broadcast_to(&shape).map_err(|_| {
            error(ErrorKind::Broadcast { shapes: vec![shape.clone(), value.shape_of().clone()] })
        })?;
        let (count, target) = (places.shape_of().size(), &self.target);
        let lanes = self.extents(&[count], steps)?;
        let value = value.with_view(spread).reshape_to(&lanes, name, place)?;
        let mut column = vec![1; lanes.rank()];
        column[self.first] = count;
        let places = steps.reshape(places, &column)?;
        let places = places.with_view(places.view().broadcast_to(&lanes).map_err(error)?);
        let bound = self.bounds().iter().product();
        let flat = self.extents(&[bound], steps)?;
        let dtype = if add { sums_of(target.dtype()) } else { target.dtype() };
        let view = target.view().reshape(target.whole_shape(), &flat).map_err(error)?;
        match view {
            Some(view) if dtype == target.dtype() => {
                target.with_view(view).scatter((self.first, add), &places, &value, name, place)
            }
            _ => {
                let copy = target.copy_as(name, dtype, place)?;
                let (values, flat) = (steps.cast(&value, dtype)?, steps.reshape(&copy, &flat)?);
                flat.scatter((self.first, add), &places, &values, name, place)?;
                steps.assign(target, &steps.cast(&copy, target.dtype())?)
            }
        }
    }
}

/// A value that stands beside the elements of the target.
enum Beside<'v> {
    Scalar(Argument<'v>),
    Array(DynArray),
}

impl Beside<'_> {
    fn argument(&self) -> Argument<'_> {
        match self {
            Beside::Scalar(value) => *value,
            Beside::Array(array) => Argument::Array(array),
        }
    }
}

/// The type in which elements are added.
fn sums_of(dtype: DType) -> DType {
    dtype.as_real().map_or(dtype, |real| DType::from(real.accumulator().compute()))
}

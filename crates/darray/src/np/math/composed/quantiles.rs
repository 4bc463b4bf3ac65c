//! Quantiles of the elements that are not NaN.

use crate::elementwise::steps::Steps;
use crate::{Along, Binary, DynArray, Reduction, Unary};
use darray_core::{DType, Ix, Place, Result};
use smallvec::SmallVec;

pub fn nanmedian(steps: Steps, x: &DynArray, axis: Along) -> Result<DynArray> {
    quantile(steps, x, 0.5, axis)
}

/// Sorted, NaN comes last; what is left of it says where the quantile lies.
fn quantile(steps: Steps, x: &DynArray, q: f64, axis: Along) -> Result<DynArray> {
    let Steps { name, place } = steps;
    if !(0.0..=1.0).contains(&q) {
        return Err(steps.argument(format!("a quantile is between 0 and 1, not {q}")));
    }
    let dtype = x.dtype().inexact();
    let (x, axis) = steps.along(x, axis)?;
    if x.shape()[axis] == 0 {
        let sum = x.reduce_named(Reduction::Mean, axis as isize, name, place)?;
        return steps.cast(&sum, dtype);
    }
    let sorted = x.sorted(Some(axis as isize), false, name, place)?;
    let numbers = steps.binary(Binary::Eq, &sorted, &sorted)?;
    let keep = crate::axis(axis as isize).keepdims();
    let count = numbers.reduce_named(Reduction::Sum, keep, name, place)?;
    let last = steps.binary(Binary::Maximum, &steps.binary(Binary::Sub, &count, 1)?, 0)?;
    let position = steps.binary(Binary::Mul, &steps.cast(&last, DType::F64)?, q)?;
    let below = steps.unary(Unary::Floor, &position)?;
    let part = steps.binary(Binary::Sub, &position, &below)?;
    let low = steps.cast(&below, DType::I64)?;
    let high = steps.binary(Binary::Minimum, &steps.binary(Binary::Add, &low, 1)?, &last)?;
    let compute = if dtype.is_complex() { dtype } else { dtype.part().compute().into() };
    let at = |numbers: &DynArray| {
        let element = sorted.take_along_axis_as(numbers, Some(axis as isize), name, place)?;
        steps.cast(&element, compute)
    };
    let (a, b) = (at(&low)?, at(&high)?);
    let between = steps.binary(Binary::Sub, &b, &a)?;
    // From the nearer end, as NumPy does.
    let part = steps.cast(&part, compute.part())?;
    let up = steps.binary(Binary::Add, &a, &steps.binary(Binary::Mul, &between, &part)?)?;
    let rest = steps.binary(Binary::Sub, 1.0, &part)?;
    let down = steps.binary(Binary::Sub, &b, &steps.binary(Binary::Mul, &between, &rest)?)?;
    let is_far = steps.binary(Binary::Ge, &part, 0.5)?;
    let value = steps.select(&is_far, &down, &up, compute)?;
    // Infinities have no distance from themselves.
    let value = steps.select(&steps.binary(Binary::Eq, &a, &b)?, &a, &value, compute)?;
    let items: SmallVec<[Ix; 8]> = (0..axis).map(|_| Ix::from(..)).chain([Ix::from(0)]).collect();
    let view = value.view().slice(&items).map_err(|kind| steps.error(kind))?;
    value.with_view(view).copy_as(name, dtype, place)
}

impl DynArray {
    /// NumPy's `nanquantile`: the quantile along an axis, or of all elements, NaN left out; in floats, linearly between elements.
    ///
    /// Errors: `q` is not between 0 and 1; the axis is out of range; the elements are complex.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, f64::NAN, 2.0]));
    /// assert_eq!(DArray::<f64>::try_from(x.nanquantile(0.5, ..).unwrap()).unwrap().item(), 1.5);
    /// ```
    #[track_caller]
    pub fn nanquantile(&self, q: f64, axis: impl Into<Along>) -> Result<DynArray> {
        let steps = Steps { name: "nanquantile", place: Place::caller() };
        steps.real(self.dtype())?;
        quantile(steps, self, q, axis.into())
    }
}

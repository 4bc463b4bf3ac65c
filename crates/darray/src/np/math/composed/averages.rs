//! Sums, means and what is between numbers.

use crate::elementwise::steps::Steps;
use crate::{Along, Axes, Binary, DynArray, Reduction, Spacing, Unary};
use darray_core::{DType, Place, Result, broadcast_shapes, promote};

/// A number for NaN.
fn without_nan(steps: Steps, x: &DynArray, value: f64) -> Result<DynArray> {
    match x.dtype().is_float() || x.is_complex() {
        true => steps.select(&steps.binary(Binary::Ne, x, x)?, value, x, x.dtype()),
        false => Ok(x.alias()),
    }
}

pub fn nancumsum(steps: Steps, x: &DynArray, axis: Along) -> Result<DynArray> {
    let (x, axis) = steps.along(x, axis)?;
    without_nan(steps, &x, 0.0)?.sums(axis, steps.name, steps.place)
}

pub fn nancumprod(steps: Steps, x: &DynArray, axis: Along) -> Result<DynArray> {
    let (x, axis) = steps.along(x, axis)?;
    without_nan(steps, &x, 1.0)?.products(axis, steps.name, steps.place)
}

/// The place of an extremum, with the worst number for NaN. Floats are waited for: where all are NaN there is none.
fn place_of(
    steps: Steps,
    x: &DynArray,
    axis: Along,
    (reduction, worst): (Reduction, f64),
) -> Result<DynArray> {
    steps.real(x.dtype())?;
    let (x, axis) = steps.along(x, axis)?;
    let numbers = without_nan(steps, &x, worst)?;
    let places = numbers.reduce_named(reduction, axis as isize, steps.name, steps.place)?;
    if x.dtype().is_float() && places.shape_of().size() > 0 {
        let is_nan = steps.binary(Binary::Ne, &x, &x)?;
        let all = is_nan.reduce_named(Reduction::All, axis as isize, steps.name, steps.place)?;
        let any = all.reduce_named(Reduction::CountNonzero, .., steps.name, steps.place)?;
        let count = any.read_real::<i64>(steps.name, steps.place)?[0];
        if count > 0 {
            let of = places.shape_of().size();
            let message = format!("all elements are NaN in {count} of {of} along axis {axis}");
            return Err(steps.argument(message));
        }
    }
    Ok(places)
}

pub fn nanargmax(steps: Steps, x: &DynArray, axis: Along) -> Result<DynArray> {
    place_of(steps, x, axis, (Reduction::ArgMax, f64::NEG_INFINITY))
}

pub fn nanargmin(steps: Steps, x: &DynArray, axis: Along) -> Result<DynArray> {
    place_of(steps, x, axis, (Reduction::ArgMin, f64::INFINITY))
}

/// Steps of more than half a turn are made shorter by whole turns, and so is all behind them.
pub fn unwrap(steps: Steps, x: &DynArray, axis: Along) -> Result<DynArray> {
    use std::f64::consts::{PI, TAU};
    let dtype = steps.real(x.dtype())?.inexact();
    let (x, axis) = steps.along(&steps.cast(x, dtype)?, axis)?;
    let n = x.shape()[axis];
    let result = x.copy_as(steps.name, dtype, steps.place)?;
    if n < 2 {
        return Ok(result);
    }
    let after = steps.range(&x, axis, (1, n))?;
    let step = steps.binary(Binary::Sub, &after, &steps.range(&x, axis, (0, n - 1))?)?;
    let turned = steps.binary(Binary::Rem, &steps.binary(Binary::Add, &step, PI)?, TAU)?;
    let short = steps.binary(Binary::Sub, &turned, PI)?;
    // Half a turn forwards stays one.
    let is_back = steps.binary(Binary::Eq, &short, -PI)?;
    let is_forth = steps.binary(Binary::Gt, &step, 0)?;
    let is_half = steps.binary(Binary::And, &is_back, &is_forth)?;
    let short = steps.select(&is_half, PI, &short, dtype)?;
    let correction = steps.binary(Binary::Sub, &short, &step)?;
    let is_short = steps.binary(Binary::Lt, &steps.unary(Unary::Abs, &step)?, PI)?;
    let correction = steps.select(&is_short, 0.0, &correction, dtype)?;
    let all = correction.sums(axis, steps.name, steps.place)?;
    steps
        .assign(&steps.range(&result, axis, (1, n))?, &steps.binary(Binary::Add, &after, &all)?)?;
    Ok(result)
}

impl DynArray {
    /// NumPy's `average`: the mean over axes of the elements times weights, divided by that of the weights, which broadcast to this shape;
    /// in floats.
    ///
    /// Errors: the weights do not broadcast to this shape; an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, 4.0]));
    /// let w = DynArray::from(DArray::from_vec(vec![2.0, 1.0]));
    /// assert_eq!(DArray::<f64>::try_from(x.average(&w, ..).unwrap()).unwrap().item(), 2.0);
    /// ```
    #[track_caller]
    pub fn average(&self, weights: &DynArray, axes: impl Into<Axes>) -> Result<DynArray> {
        let steps @ Steps { name, place } = Steps { name: "average", place: Place::caller() };
        steps.same_runtime(self, weights)?;
        let joined = broadcast_shapes(self.shape_of(), weights.shape_of());
        if !joined.is_ok_and(|shape| shape == *self.shape_of()) {
            return Err(steps.shapes(&[self, weights], "weights that broadcast to the array"));
        }
        let (axes, dtype) = (axes.into(), promote(self.dtype(), weights.dtype()).inexact());
        let (x, weights) = (steps.cast(self, dtype)?, steps.cast(weights, dtype)?);
        let view =
            weights.view().broadcast_to(self.shape_of()).map_err(|kind| steps.error(kind))?;
        let weights = weights.with_view(view);
        let products = steps.binary(Binary::Mul, &x, &weights)?;
        let sum = products.reduce_named(Reduction::Sum, axes.clone(), name, place)?;
        let weight = weights.reduce_named(Reduction::Sum, axes, name, place)?;
        steps.binary(Binary::Div, &sum, &weight)
    }

    /// NumPy's `trapezoid`: the integral along an axis of lines from each element to the next; in floats. The [spacing](Spacing) is a
    /// distance or an array of coordinates.
    ///
    /// Errors: the axis is out of range; coordinates have not one axis of as many elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let y = DynArray::from(DArray::from_vec(vec![1.0, 2.0, 4.0]));
    /// assert_eq!(DArray::<f64>::try_from(y.trapezoid(1.0, 0).unwrap()).unwrap().item(), 4.5);
    /// ```
    #[track_caller]
    pub fn trapezoid(&self, spacing: impl Into<Spacing>, axis: isize) -> Result<DynArray> {
        let steps = Steps { name: "trapezoid", place: Place::caller() };
        let (spacing, axis) = (spacing.into(), steps.axis(self, axis)?);
        let (n, dtype) = (self.shape()[axis], self.dtype().inexact());
        let x = steps.cast(self, dtype)?;
        let before = steps.range(&x, axis, (0, n.saturating_sub(1)))?;
        let both = steps.binary(Binary::Add, &steps.range(&x, axis, (n.min(1), n))?, &before)?;
        let areas = match (spacing.distance(), spacing.widths(steps, self, axis)?) {
            (_, Some(widths)) => steps.binary(Binary::Mul, &widths, &both)?,
            (distance, None) => steps.binary(Binary::Mul, &both, distance.unwrap_or(1.0))?,
        };
        let areas = steps.binary(Binary::Div, &areas, 2.0)?;
        let sum = areas.reduce_named(Reduction::Sum, axis as isize, steps.name, steps.place)?;
        steps.cast(&sum, dtype)
    }

    /// NumPy's `interp`: the values at these places of the lines between the points `(xp, fp)`, of which `xp` ascends; beyond the ends
    /// those of the ends. In f64, or complex128.
    ///
    /// Errors: `xp` and `fp` have not one axis of as many elements, or none; the places or `xp` are complex.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.5, 9.0]));
    /// let xp = DynArray::from(DArray::from_vec(vec![0.0, 1.0]));
    /// let fp = DynArray::from(DArray::from_vec(vec![10.0, 20.0]));
    /// let y = DArray::<f64>::try_from(x.interp(&xp, &fp).unwrap()).unwrap();
    /// assert_eq!(y.to_vec(), [15.0, 20.0]);
    /// ```
    #[track_caller]
    pub fn interp(&self, xp: &DynArray, fp: &DynArray) -> Result<DynArray> {
        let steps = Steps { name: "interp", place: Place::caller() };
        steps.same_runtime(self, xp)?;
        steps.same_runtime(self, fp)?;
        let &[n] = xp.shape() else { return Err(steps.shapes(&[xp, fp], "points along one axis")) };
        if fp.shape() != [n] || n == 0 {
            return Err(steps.shapes(&[xp, fp], "points along one axis"));
        }
        steps.real(promote(self.dtype(), xp.dtype()))?;
        let (x, xp) = (steps.cast(self, DType::F64)?, steps.cast(xp, DType::F64)?);
        let fp = steps.cast(fp, promote(fp.dtype(), DType::F64))?;
        let dtype = fp.dtype();
        let above = steps.searched(&xp, &x, true)?;
        let number = steps.binary(Binary::Sub, &above, 1)?;
        let last = (n as i64 - 2).max(0);
        let left =
            steps.binary(Binary::Maximum, &steps.binary(Binary::Minimum, &number, last)?, 0)?;
        let right =
            steps.binary(Binary::Minimum, &steps.binary(Binary::Add, &left, 1)?, n as i64 - 1)?;
        let at = |points: &DynArray, numbers: &DynArray| points.taken(numbers, Some(0), steps);
        let (x0, y0) = (at(&xp, &left)?, at(&fp, &left)?);
        let rise = steps.binary(Binary::Sub, &at(&fp, &right)?, &y0)?;
        let slope = steps.binary(
            Binary::Div,
            &rise,
            &steps.binary(Binary::Sub, &at(&xp, &right)?, &x0)?,
        )?;
        let y = steps.binary(Binary::Mul, &slope, &steps.binary(Binary::Sub, &x, &x0)?)?;
        let y = steps.binary(Binary::Add, &y, &y0)?;
        let end =
            |points: &DynArray, k: usize| steps.reshape(&steps.range(points, 0, (k, k + 1))?, &[]);
        let is_behind = steps.binary(Binary::Ge, &x, &end(&xp, n - 1)?)?;
        let y = steps.select(&is_behind, &end(&fp, n - 1)?, &y, dtype)?;
        let is_before = steps.binary(Binary::Lt, &x, &end(&xp, 0)?)?;
        let y = steps.select(&is_before, &end(&fp, 0)?, &y, dtype)?;
        let is_nan = steps.unary(Unary::IsNan, &x)?;
        steps.select(&is_nan, f64::NAN, &y, dtype)
    }
}

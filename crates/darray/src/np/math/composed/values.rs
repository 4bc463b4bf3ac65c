//! Element by element.

use crate::elementwise::operand::promoted;
use crate::elementwise::steps::Steps;
use crate::{Argument, Binary, DynArray, Reduction, Unary};
use darray_core::{DType, Place, Result, broadcast_shapes, promote};

pub fn ediff1d(steps: Steps, x: &DynArray) -> Result<DynArray> {
    let x = steps.ravel(x)?;
    let n = x.shape()[0];
    let before = steps.range(&x, 0, (0, n.saturating_sub(1)))?;
    let after = steps.range(&x, 0, (n.min(1), n))?;
    let operation = if x.dtype() == DType::Bool { Binary::Ne } else { Binary::Sub };
    steps.binary(operation, &after, &before)
}

pub fn isposinf(steps: Steps, x: &DynArray) -> Result<DynArray> {
    steps.real(x.dtype())?;
    steps.binary(Binary::Eq, x, f64::INFINITY)
}

pub fn isneginf(steps: Steps, x: &DynArray) -> Result<DynArray> {
    steps.real(x.dtype())?;
    steps.binary(Binary::Eq, x, f64::NEG_INFINITY)
}

pub fn iscomplex(steps: Steps, x: &DynArray) -> Result<DynArray> {
    match x.parts() {
        Some([_, im]) => steps.binary(Binary::Ne, &im, 0),
        None => steps.full(x, DType::Bool, x.shape(), 0.0),
    }
}

pub fn isreal(steps: Steps, x: &DynArray) -> Result<DynArray> {
    match x.parts() {
        Some([_, im]) => steps.binary(Binary::Eq, &im, 0),
        None => steps.full(x, DType::Bool, x.shape(), 1.0),
    }
}

pub fn sinc(steps: Steps, x: &DynArray) -> Result<DynArray> {
    let x = steps.cast(x, x.dtype().inexact())?;
    let angle = steps.binary(Binary::Mul, &x, std::f64::consts::PI)?;
    let quotient = steps.binary(Binary::Div, &steps.unary(Unary::Sin, &angle)?, &angle)?;
    let is_zero = steps.binary(Binary::Eq, &x, 0)?;
    steps.select(&is_zero, 1.0, &quotient, x.dtype())
}

pub fn positive(steps: Steps, x: &DynArray) -> Result<DynArray> {
    match x.dtype() {
        DType::Bool => Err(steps.dtypes(&[x], "numbers")),
        dtype => x.copy_as(steps.name, dtype, steps.place),
    }
}

pub fn fabs(steps: Steps, x: &DynArray) -> Result<DynArray> {
    let dtype = steps.real(x.dtype())?.inexact();
    steps.unary(Unary::Abs, &steps.cast(x, dtype)?)
}

pub fn spacing(steps: Steps, x: &DynArray) -> Result<DynArray> {
    let dtype = steps.real(x.dtype())?.inexact();
    let x = steps.cast(x, dtype)?;
    let away = steps.full(&x, dtype, &[], f64::INFINITY)?;
    // Of zeros of both signs upwards.
    let away = steps.binary(Binary::CopySign, &away, &steps.binary(Binary::Add, &x, 0)?)?;
    let next = steps.binary(Binary::NextAfter, &x, &away)?;
    steps.binary(Binary::Sub, &next, &x)
}

pub fn heaviside(steps: Steps, x: &DynArray, y: Argument<'_>) -> Result<DynArray> {
    let dtype = steps.real(promoted(x.dtype(), y))?.inexact();
    let x = steps.cast(x, dtype)?;
    let above = steps.cast(&steps.binary(Binary::Gt, &x, 0)?, dtype)?;
    let result = steps.select(&steps.binary(Binary::Eq, &x, 0)?, y, &above, dtype)?;
    steps.select(&steps.unary(Unary::IsNan, &x)?, &x, &result, dtype)
}

/// `max(x, y) + log(1 + exp(-|x - y|))`, by these functions; `equal` is the logarithm of 2.
fn log_of_sum(
    steps: Steps,
    x: &DynArray,
    y: Argument<'_>,
    exp: Unary,
    scale: Option<f64>,
    equal: f64,
) -> Result<DynArray> {
    steps.real(x.dtype())?;
    let x = steps.cast(x, x.dtype().inexact())?;
    let distance = steps.unary(Unary::Abs, &steps.binary(Binary::Sub, &x, y)?)?;
    let small = steps.unary(exp, &steps.unary(Unary::Neg, &distance)?)?;
    let mut more = steps.unary(Unary::Log1p, &small)?;
    if let Some(scale) = scale {
        more = steps.binary(Binary::Mul, &more, scale)?;
    }
    let greater = steps.binary(Binary::Maximum, &x, y)?;
    let sum = steps.binary(Binary::Add, &greater, &more)?;
    // Infinities have no distance.
    let is_equal = steps.binary(Binary::Eq, &x, y)?;
    let twice = steps.binary(Binary::Add, &greater, equal)?;
    steps.select(&is_equal, &twice, &sum, sum.dtype())
}

pub fn logaddexp(steps: Steps, x: &DynArray, y: Argument<'_>) -> Result<DynArray> {
    log_of_sum(steps, x, y, Unary::Exp, None, std::f64::consts::LN_2)
}

pub fn logaddexp2(steps: Steps, x: &DynArray, y: Argument<'_>) -> Result<DynArray> {
    log_of_sum(steps, x, y, Unary::Exp2, Some(std::f64::consts::LOG2_E), 1.0)
}

/// One of each pair, the other where it is NaN.
fn without_nan(steps: Steps, operation: Binary, x: &DynArray, y: Argument<'_>) -> Result<DynArray> {
    let chosen = steps.binary(operation, x, y)?;
    let dtype = chosen.dtype();
    // NaN of one is as good as the other, and of both it is NaN. A scalar is beside 0 what it is beside the array.
    let other = steps.binary(Binary::Add, &steps.full(x, dtype, &[], 0.0)?, y)?;
    let is_nan = steps.binary(Binary::Ne, &other, &other)?;
    let chosen = steps.select(&is_nan, x, &chosen, dtype)?;
    steps.select(&steps.binary(Binary::Ne, x, x)?, y, &chosen, dtype)
}

pub fn fmax(steps: Steps, x: &DynArray, y: Argument<'_>) -> Result<DynArray> {
    without_nan(steps, Binary::Maximum, x, y)
}

pub fn fmin(steps: Steps, x: &DynArray, y: Argument<'_>) -> Result<DynArray> {
    without_nan(steps, Binary::Minimum, x, y)
}

pub fn array_equiv(steps: Steps, x: &DynArray, y: &DynArray) -> Result<DynArray> {
    if broadcast_shapes(x.shape_of(), y.shape_of()).is_err() {
        return steps.full(x, DType::Bool, &[], 0.0);
    }
    let equal = steps.binary(Binary::Eq, x, y)?;
    equal.reduce_named(Reduction::All, .., steps.name, steps.place)
}

impl DynArray {
    /// NumPy's `float_power`: to the power `y` in f64, or complex128.
    ///
    /// Errors: as [`power`](crate::Binary::Power).
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2, 4])).float_power(-1).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(x).unwrap().to_vec(), [0.5, 0.25]);
    /// ```
    #[track_caller]
    pub fn float_power<'a>(&self, y: impl Into<Argument<'a>>) -> Result<DynArray> {
        let steps = Steps { name: "float_power", place: Place::caller() };
        let x = steps.cast(self, promote(self.dtype(), DType::F64))?;
        match y.into() {
            Argument::Array(y) => {
                let y = steps.cast(y, promote(y.dtype(), DType::F64))?;
                steps.binary(Binary::Power, &x, &y)
            }
            y => steps.binary(Binary::Power, &x, y),
        }
    }

    /// NumPy's `divmod`: quotients rounded down, and what is left of them.
    ///
    /// Errors: as [`floor_divide`](crate::Binary::FloorDivide).
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let (q, r) = DynArray::from(DArray::from_vec(vec![7, -7])).divmod(2).unwrap();
    /// assert_eq!(DArray::<i32>::try_from(q).unwrap().to_vec(), [3, -4]);
    /// assert_eq!(DArray::<i32>::try_from(r).unwrap().to_vec(), [1, 1]);
    /// ```
    #[track_caller]
    pub fn divmod<'a>(&self, y: impl Into<Argument<'a>>) -> Result<(DynArray, DynArray)> {
        let (steps, y) = (Steps { name: "divmod", place: Place::caller() }, y.into());
        Ok((steps.binary(Binary::FloorDivide, self, y)?, steps.binary(Binary::Rem, self, y)?))
    }

    /// NumPy's `modf`: the parts of real numbers behind the point and before it, both with the sign of the number; in floats.
    ///
    /// Errors: the elements are complex.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let (part, whole) = DynArray::from(DArray::from_vec(vec![-1.5])).modf().unwrap();
    /// assert_eq!(DArray::<f64>::try_from(part).unwrap().to_vec(), [-0.5]);
    /// assert_eq!(DArray::<f64>::try_from(whole).unwrap().to_vec(), [-1.0]);
    /// ```
    #[track_caller]
    pub fn modf(&self) -> Result<(DynArray, DynArray)> {
        let steps = Steps { name: "modf", place: Place::caller() };
        let dtype = steps.real(self.dtype())?.inexact();
        let x = steps.cast(self, dtype)?;
        let whole = steps.unary(Unary::Trunc, &x)?;
        let rest = steps.binary(Binary::Sub, &x, &whole)?;
        let rest = steps.select(&steps.unary(Unary::IsInfinite, &x)?, 0.0, &rest, dtype)?;
        Ok((steps.binary(Binary::CopySign, &rest, &x)?, whole))
    }
}

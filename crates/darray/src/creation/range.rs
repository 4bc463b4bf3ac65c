//! Numbers in equal steps.

use super::create;
use crate::elementwise::untyped::{binary_as, unary_as};
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Float, Number, Real, Unary};
use darray_core::{
    DType, Error, ErrorKind, Ix, Place, RealType, Result, Scalar, Shape, check_shape,
};
use darray_ir::TaskOp;
use darray_kernel::operator::Operator;

impl DynArray {
    /// `0, 1, .. count` as `dtype`; integers wrap.
    ///
    /// Errors: `dtype` is bool.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::arange(3, DType::F32).unwrap();
    /// assert_eq!(DArray::<f32>::try_from(x).unwrap().to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn arange(count: usize, dtype: DType) -> Result<DynArray> {
        let (name, place, part) = ("arange", Place::caller(), dtype.part());
        let numbers = arange(name, count, Scalar::zero(part), Scalar::one(part), place)?;
        if dtype.is_complex() { numbers.copy_as(name, dtype, place) } else { Ok(numbers) }
    }

    /// `count` numbers from `start` to `stop`, which is the last of them where `endpoint` says so;
    /// computed in `f64`, and rounded down where `dtype` is an integer.
    ///
    /// Errors: too many elements.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::linspace(0.0, 1.0, 4, false, DType::F32).unwrap();
    /// assert_eq!(DArray::<f32>::try_from(x).unwrap().to_vec(), [0.0, 0.25, 0.5, 0.75]);
    /// ```
    #[track_caller]
    pub fn linspace(
        start: f64,
        stop: f64,
        count: usize,
        endpoint: bool,
        dtype: DType,
    ) -> Result<DynArray> {
        let (name, place) = ("linspace", Place::caller());
        let numbers = linear(name, start, stop, count, endpoint, place)?;
        match dtype.is_integer() {
            true => unary_as(name, Unary::Floor, &numbers, place)?.copy_as(name, dtype, place),
            false => as_type(name, numbers, dtype, place),
        }
    }

    /// The powers of `base` whose exponents [`linspace`](Self::linspace) gives; computed in `f64`, without the digits after the point where
    /// `dtype` is an integer.
    ///
    /// Errors: too many elements.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::logspace(0.0, 3.0, 3, false, 2.0, DType::F32).unwrap();
    /// assert_eq!(DArray::<f32>::try_from(x).unwrap().to_vec(), [1.0, 2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn logspace(
        start: f64,
        stop: f64,
        count: usize,
        endpoint: bool,
        base: f64,
        dtype: DType,
    ) -> Result<DynArray> {
        let (name, place) = ("logspace", Place::caller());
        let exponents = linear(name, start, stop, count, endpoint, place)?;
        let powers = binary_as(name, Binary::Power, base.into(), (&exponents).into(), place)?;
        as_type(name, powers, dtype, place)
    }
}

/// What is computed in `f64`, as another type.
pub(crate) fn as_type(
    name: &'static str,
    numbers: DynArray,
    dtype: DType,
    place: Place,
) -> Result<DynArray> {
    if dtype == DType::F64 { Ok(numbers) } else { numbers.copy_as(name, dtype, place) }
}

/// `count` numbers from `start` to `stop`, which is the last of them where `endpoint` says so.
pub(crate) fn linear(
    name: &'static str,
    start: f64,
    stop: f64,
    count: usize,
    endpoint: bool,
    place: Place,
) -> Result<DynArray> {
    let parts = if endpoint { count.saturating_sub(1) } else { count } as f64;
    let step = if parts > 0.0 { (stop - start) / parts } else { 0.0 };
    let numbers = match step == 0.0 && stop != start && parts > 0.0 {
        // The step is too small for a number: NumPy divides first, too.
        true => {
            let index = arange(name, count, 0.0.into(), 1.0.into(), place)?;
            let apply = |by, x: &DynArray, y: f64| binary_as(name, by, x.into(), y.into(), place);
            let part = apply(Binary::Div, &index, parts)?;
            apply(Binary::Add, &apply(Binary::Mul, &part, stop - start)?, start)?
        }
        false => arange(name, count, start.into(), step.into(), place)?,
    };
    if endpoint && count > 1 {
        numbers.slice([Ix::At(-1)])?.assign_as(stop.into(), name, place)?;
    }
    Ok(numbers)
}

fn arange(
    name: &'static str,
    count: usize,
    start: Scalar,
    step: Scalar,
    place: Place,
) -> Result<DynArray> {
    let dtype = start.dtype();
    if dtype == RealType::Bool {
        let (found, expected) = (vec![dtype.into()], "numbers".to_string());
        return Err(Error::new(name, ErrorKind::DType { found, expected }, place));
    }
    let (op, shape) = (TaskOp::Arange { axes: 1 }, Shape::from([count]));
    check_shape(&shape).map_err(|kind| Error::new(name, kind, place))?;
    create(name, op, dtype, &shape, &[start, step], place)
}

/// # Ranges
impl<T: Number> DArray<T> {
    /// `0, 1, .. count`; integers wrap.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(3).to_vec(), [0.0, 1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn arange(count: usize) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::arange(count, T::DTYPE)))
    }
}

/// # Ranges
impl<T: Real> DArray<T> {
    /// NumPy's `arange(start, stop, step)`: `start, start + step, ..` up to but without `stop`.
    ///
    /// # Panics
    ///
    /// If the step is zero or not a number, or there are too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::range(1.0, 2.0, 0.25).to_vec(), [1.0, 1.25, 1.5, 1.75]);
    /// assert_eq!(DArray::range(3, 0, -1).to_vec(), [3, 2, 1]);
    /// ```
    #[track_caller]
    pub fn range(start: T, stop: T, step: T) -> DArray<T> {
        expect_at_caller(DArray::range_at(start, stop, step, Place::caller()))
    }

    /// As [`range`](Self::range), from this place, with an error.
    pub(crate) fn range_at(start: T, stop: T, step: T, place: Place) -> Result<DArray<T>> {
        let name = "arange";
        let [first, last, by] = [start, stop, step].map(T::into_scalar);
        let count = match T::DTYPE {
            // An f64 has not all digits of an integer.
            dtype if dtype.is_integer() => steps([first, last, by].map(Scalar::to_i128)),
            _ => {
                let span = rounded(Operator::Sub, last, first);
                rounded(Operator::Div, span, by).to_f64().ceil()
            }
        };
        if !count.is_finite() {
            let message = format!("no finite range from {first} to {last} by {by}");
            return Err(Error::new(name, ErrorKind::Argument { message }, place));
        }
        // NumPy's step of floats is the difference of the first two elements.
        let by = match T::DTYPE.is_float() {
            true => difference(first, by),
            false => by,
        };
        Ok(DArray::wrap(arange(name, count.max(0.0) as usize, first, by, place)?))
    }
}

/// # Ranges
impl<T: Float> DArray<T> {
    /// `count` numbers from `start` to `stop`, both included; computed in `f64`.
    ///
    /// # Panics
    ///
    /// If there are too many.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::linspace(0.0, 1.0, 5).to_vec(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// assert_eq!(DArray::<f32>::linspace(0.0, 1.0, 2).to_vec(), [0.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn linspace(start: T, stop: T, count: usize) -> DArray<T> {
        let [start, stop] = [start, stop].map(|v| v.into_scalar().to_f64());
        DArray::wrap(expect_at_caller(DynArray::linspace(start, stop, count, true, T::DTYPE)))
    }

    /// `count` numbers from `start` on towards `stop`, which is not one of them (NumPy's
    /// `endpoint=False`).
    ///
    /// # Panics
    ///
    /// If there are too many.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::linspace_open(0.0, 1.0, 4).to_vec(), [0.0, 0.25, 0.5, 0.75]);
    /// ```
    #[track_caller]
    pub fn linspace_open(start: T, stop: T, count: usize) -> DArray<T> {
        let [start, stop] = [start, stop].map(|v| v.into_scalar().to_f64());
        DArray::wrap(expect_at_caller(DynArray::linspace(start, stop, count, false, T::DTYPE)))
    }

    /// `count` powers of 10 with exponents in equal steps from `start` to `stop`, both included; for
    /// other bases see [`logspace_of`](Self::logspace_of).
    ///
    /// # Panics
    ///
    /// If there are too many.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::logspace(0.0, 2.0, 3).to_vec(), [1.0, 10.0, 100.0]);
    /// ```
    #[track_caller]
    pub fn logspace(start: T, stop: T, count: usize) -> DArray<T> {
        DArray::logspace_of(start, stop, count, 10.0)
    }

    /// `count` powers of `base` with exponents in equal steps from `start` to `stop`, both included;
    /// computed in `f64`.
    ///
    /// # Panics
    ///
    /// If there are too many.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::logspace_of(0.0, 2.0, 3, 2.0).to_vec(), [1.0, 2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn logspace_of(start: T, stop: T, count: usize, base: f64) -> DArray<T> {
        let [start, stop] = [start, stop].map(|v| v.into_scalar().to_f64());
        DArray::wrap(expect_at_caller(DynArray::logspace(start, stop, count, true, base, T::DTYPE)))
    }
}

/// How many steps lead from `first` to `last` or beyond, if that is the direction; no number for
/// steps of 0.
fn steps([first, last, by]: [i128; 3]) -> f64 {
    let span = last - first;
    match by {
        0 => f64::NAN,
        _ => (span / by + i128::from(span % by != 0 && (span < 0) == (by < 0))) as f64,
    }
}

/// An operator on numbers of one type, rounded to it.
fn rounded(operator: Operator, a: Scalar, b: Scalar) -> Scalar {
    computed(operator, a, b).cast(a.dtype())
}

/// The same, in the type that theirs is computed with in.
fn computed(operator: Operator, a: Scalar, b: Scalar) -> Scalar {
    debug_assert_eq!(a.dtype(), b.dtype());
    operator.apply(&[a, b].map(|s| s.cast(a.dtype().compute())))
}

/// `(first + by) - first`, the sum rounded to the element type, the difference in the type that it is
/// computed with in: NumPy's step.
fn difference(first: Scalar, by: Scalar) -> Scalar {
    computed(Operator::Sub, rounded(Operator::Add, first, by), first)
}

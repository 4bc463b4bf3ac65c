//! Numbers from nothing: windows, and numbers with one ratio.

use crate::creation::create;
use crate::creation::range::{as_type, linear};
use crate::elementwise::steps::Steps;
use crate::{Binary, DynArray, Unary};
use darray_core::{DType, Ix, Place, Result, Scalar, Shape};
use darray_ir::TaskOp;
use std::f64::consts::PI;

/// NumPy's windows.
///
/// ```
/// use darray::{DArray, DynArray, WindowFunction};
/// let window = DynArray::window(WindowFunction::Hann, 3).unwrap();
/// assert_eq!(DArray::<f64>::try_from(window).unwrap().to_vec(), [0.0, 1.0, 0.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFunction {
    /// `bartlett`: a triangle.
    Bartlett,
    /// `blackman`.
    Blackman,
    /// `hamming`.
    Hamming,
    /// `hanning`.
    Hann,
}

impl DynArray {
    /// A window of so many values, f64: NumPy's `bartlett`, `blackman`, `hamming` and `hanning`.
    ///
    /// Errors: too many elements.
    ///
    /// ```
    /// use darray::{DynArray, WindowFunction};
    /// assert_eq!(DynArray::window(WindowFunction::Hamming, 5).unwrap().shape(), [5]);
    /// ```
    #[track_caller]
    pub fn window(function: WindowFunction, count: usize) -> Result<DynArray> {
        let name = match function {
            WindowFunction::Bartlett => "bartlett",
            WindowFunction::Blackman => "blackman",
            WindowFunction::Hamming => "hamming",
            WindowFunction::Hann => "hanning",
        };
        let steps @ Steps { place, .. } = Steps { name, place: Place::caller() };
        let scalars = [Scalar::from(1.0 - count as f64), Scalar::from(2.0)];
        let (op, shape) = (TaskOp::Arange { axes: 1 }, Shape::new(&[count]));
        let n = create(name, op, DType::F64.part(), &shape, &scalars, place)?;
        if count == 1 {
            return steps.full(&n, DType::F64, &[1], 1.0);
        }
        let last = count as f64 - 1.0;
        let cosine = |angle: f64, factor: f64| {
            let part = steps.binary(Binary::Div, &steps.binary(Binary::Mul, &n, angle)?, last)?;
            steps.binary(Binary::Mul, &steps.unary(Unary::Cos, &part)?, factor)
        };
        match function {
            WindowFunction::Bartlett => {
                let part = steps.binary(Binary::Div, &n, last)?;
                let (up, down) = (
                    steps.binary(Binary::Add, &part, 1.0)?,
                    steps.binary(Binary::Sub, 1.0, &part)?,
                );
                steps.select(&steps.binary(Binary::Le, &n, 0)?, &up, &down, DType::F64)
            }
            WindowFunction::Blackman => {
                let first = steps.binary(Binary::Add, &cosine(PI, 0.5)?, 0.42)?;
                steps.binary(Binary::Add, &first, &cosine(2.0 * PI, 0.08)?)
            }
            WindowFunction::Hamming => steps.binary(Binary::Add, &cosine(PI, 0.46)?, 0.54),
            WindowFunction::Hann => steps.binary(Binary::Add, &cosine(PI, 0.5)?, 0.5),
        }
    }

    /// NumPy's `geomspace`: so many numbers of one ratio, from `start` to `stop`, both of one sign; computed in `f64`, without the digits
    /// after the point where `dtype` is an integer.
    ///
    /// Errors: one is 0, or their signs differ; too many elements.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DArray::<f32>::try_from(DynArray::geomspace(1.0, 1000.0, 4, DType::F32).unwrap()).unwrap();
    /// assert_eq!((x.get(0), x.get(3)), (1.0, 1000.0));
    /// ```
    #[track_caller]
    pub fn geomspace(start: f64, stop: f64, count: usize, dtype: DType) -> Result<DynArray> {
        let steps @ Steps { name, place } = Steps { name: "geomspace", place: Place::caller() };
        let is_number = |end: f64| end != 0.0 && end.is_finite();
        if !is_number(start) || !is_number(stop) || start.signum() != stop.signum() {
            return Err(steps.argument(format!("from {start} to {stop} there is no ratio")));
        }
        let (first, last) = (start.abs().log10(), stop.abs().log10());
        let exponents = linear(name, first, last, count, true, place)?;
        let numbers = steps.binary(Binary::Power, 10.0, &exponents)?;
        let numbers = steps.binary(Binary::Mul, &numbers, start.signum())?;
        for (at, value) in [(0, start), (-1, stop)].into_iter().take(count) {
            numbers.slice([Ix::At(at)])?.assign_as(value.into(), name, place)?;
        }
        as_type(name, numbers, dtype, place)
    }
}

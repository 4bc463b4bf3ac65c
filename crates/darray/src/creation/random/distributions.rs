//! Distributions made of the draws of a generator.

use super::Generator;
use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Argument, DArray, DynArray, Float, IntoShape};
use darray_core::{Error, ErrorKind, Place, RealType, Result, Scalar};
use darray_ir::Distribution;
use darray_kernel::operator::Operator;

impl Generator {
    /// Uniform numbers in [low, high): `low + (high - low) * random`, NumPy's numbers bit for bit.
    ///
    /// # Panics
    ///
    /// If `high < low`, if `high - low` is not finite, or as [`random`](Self::random).
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(42).uniform(-1.0, 3.0, 2);
    /// assert_eq!(x.to_vec(), [2.0958241942238534, 0.7555137590082093]);
    /// ```
    #[track_caller]
    pub fn uniform(&mut self, low: f64, high: f64, shape: impl IntoShape) -> DArray<f64> {
        expect_at_caller(self.try_uniform(low, high, shape))
    }

    /// As [`uniform`](Self::uniform); what is wrong is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// let error = default_rng(42).try_uniform(2.0, 1.0, 10).unwrap_err();
    /// assert!(error.to_string().starts_with("uniform: high 1.0 is below low 2.0"));
    /// ```
    #[track_caller]
    pub fn try_uniform(
        &mut self,
        low: f64,
        high: f64,
        shape: impl IntoShape,
    ) -> Result<DArray<f64>> {
        let (name, place) = ("uniform", Place::caller());
        let range = high - low;
        check(range >= 0.0 || range.is_nan(), name, place, || {
            format!("high {high:?} is below low {low:?}")
        })?;
        check(range.is_finite(), name, place, || {
            format!("the range from {low:?} to {high:?} is not finite")
        })?;
        let numbers = self.draw(name, Distribution::Uniform, RealType::F64, shape, place)?;
        linear(name, &numbers, low, range, place)
    }

    /// Integers in low..high, each as likely as the others: `low + floor(draw * (high - low) / 2^64)`.
    ///
    /// One draw for each element, so that element `k` does not depend on those before; none is
    /// rejected, so probabilities differ from `1 / (high - low)` by less than 2^-64. These are not
    /// the numbers of NumPy's `integers`, which rejects some draws.
    ///
    /// # Panics
    ///
    /// If `low >= high`, or as [`random`](Self::random).
    ///
    /// ```
    /// use darray::default_rng;
    /// let dice = default_rng(42).integers(1, 7, 1000);
    /// assert_eq!((dice.min(..).item(), dice.max(..).item()), (1, 6));
    /// ```
    #[track_caller]
    pub fn integers(&mut self, low: i64, high: i64, shape: impl IntoShape) -> DArray<i64> {
        expect_at_caller(self.try_integers(low, high, shape))
    }

    /// As [`integers`](Self::integers); what is wrong is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// let error = default_rng(42).try_integers(3, 3, 10).unwrap_err();
    /// assert!(error.to_string().starts_with("integers: no integer in 3..3"));
    /// ```
    #[track_caller]
    pub fn try_integers(
        &mut self,
        low: i64,
        high: i64,
        shape: impl IntoShape,
    ) -> Result<DArray<i64>> {
        let steps = Steps { name: "integers", place: Place::caller() };
        Ok(DArray::wrap(self.integers_as(steps, low, high, shape)?))
    }

    pub(super) fn integers_as(
        &mut self,
        Steps { name, place }: Steps,
        low: i64,
        high: i64,
        shape: impl IntoShape,
    ) -> Result<DynArray> {
        check(low < high, name, place, || format!("no integer in {low}..{high}"))?;
        let draws = self.draw(name, Distribution::Bits, RealType::I64, shape, place)?;
        let range = high.wrapping_sub(low);
        let below = apply(name, Operator::MulHigh, &draws, range.into(), place)?;
        apply(name, Operator::Add, &below, low.into(), place)
    }

    /// Standard normal numbers: the inverse of the distribution at `(m + 1/2) / 2^64`, where `m` is the
    /// lower 63 bits of the draw, with the sign of its highest bit.
    ///
    /// One draw for each element. Tails reach 9.15 standard deviations, as likely as they should be.
    /// These are not the numbers of NumPy's `standard_normal`, which rejects some draws.
    ///
    /// # Panics
    ///
    /// As [`random`](Self::random).
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(42).standard_normal((100, 100));
    /// assert!(x.mean(..).item().abs() < 0.02);
    /// assert!(((&x * &x).mean(..).item() - 1.0).abs() < 0.02);
    /// ```
    #[track_caller]
    pub fn standard_normal(&mut self, shape: impl IntoShape) -> DArray<f64> {
        expect_at_caller(self.try_standard_normal(shape))
    }

    /// As [`standard_normal`](Self::standard_normal); a wrong shape is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// let error = default_rng(42).try_standard_normal((2, -1)).unwrap_err();
    /// assert!(error.to_string().starts_with("standard_normal: extent -1 is negative"));
    /// ```
    #[track_caller]
    pub fn try_standard_normal(&mut self, shape: impl IntoShape) -> Result<DArray<f64>> {
        self.try_standard_normal_as(shape)
    }

    /// The numbers of [`standard_normal`](Self::standard_normal), rounded to `T`; a wrong shape is an
    /// error.
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// let x: DArray<f32> = default_rng(42).try_standard_normal_as(3).unwrap();
    /// assert_eq!(x.to_vec(), default_rng(42).standard_normal(3).cast::<f32>().to_vec());
    /// ```
    #[track_caller]
    pub fn try_standard_normal_as<T: Float>(&mut self, shape: impl IntoShape) -> Result<DArray<T>> {
        let (name, place) = ("standard_normal", Place::caller());
        Ok(DArray::wrap(self.draw(name, Distribution::Normal, T::DTYPE.part(), shape, place)?))
    }

    /// Normal numbers: `mean + deviation * standard_normal`.
    ///
    /// # Panics
    ///
    /// If the deviation is negative, or as [`random`](Self::random).
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(42).normal(10.0, 0.5, 10_000);
    /// assert!((x.mean(..).item() - 10.0).abs() < 0.02);
    /// ```
    #[track_caller]
    pub fn normal(&mut self, mean: f64, deviation: f64, shape: impl IntoShape) -> DArray<f64> {
        expect_at_caller(self.try_normal(mean, deviation, shape))
    }

    /// As [`normal`](Self::normal); what is wrong is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// let error = default_rng(42).try_normal(0.0, -1.0, 10).unwrap_err();
    /// assert!(error.to_string().starts_with("normal: the deviation -1.0 is negative"));
    /// ```
    #[track_caller]
    pub fn try_normal(
        &mut self,
        mean: f64,
        deviation: f64,
        shape: impl IntoShape,
    ) -> Result<DArray<f64>> {
        let (name, place) = ("normal", Place::caller());
        check(!is_negative(deviation), name, place, || {
            format!("the deviation {deviation:?} is negative")
        })?;
        let numbers = self.draw(name, Distribution::Normal, RealType::F64, shape, place)?;
        linear(name, &numbers, mean, deviation, place)
    }

    /// Exponential numbers of mean 1: `-ln((m + 1/2) / 2^63)`, where `m` is the lower 63 bits of the
    /// draw.
    ///
    /// One draw for each element; the greatest is 44.4. These are not the numbers of NumPy's
    /// `standard_exponential`, which rejects some draws.
    ///
    /// # Panics
    ///
    /// As [`random`](Self::random).
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(42).standard_exponential(10_000);
    /// assert!((x.mean(..).item() - 1.0).abs() < 0.03 && x.min(..).item() >= 0.0);
    /// ```
    #[track_caller]
    pub fn standard_exponential(&mut self, shape: impl IntoShape) -> DArray<f64> {
        expect_at_caller(self.try_standard_exponential(shape))
    }

    /// As [`standard_exponential`](Self::standard_exponential); a wrong shape is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// let error = default_rng(42).try_standard_exponential((2, -1)).unwrap_err();
    /// assert!(error.to_string().starts_with("standard_exponential: extent -1 is negative"));
    /// ```
    #[track_caller]
    pub fn try_standard_exponential(&mut self, shape: impl IntoShape) -> Result<DArray<f64>> {
        self.try_standard_exponential_as(shape)
    }

    /// The numbers of [`standard_exponential`](Self::standard_exponential), rounded to `T`; a wrong
    /// shape is an error.
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// let x: DArray<f32> = default_rng(42).try_standard_exponential_as(3).unwrap();
    /// assert_eq!(x.to_vec(), default_rng(42).standard_exponential(3).cast::<f32>().to_vec());
    /// ```
    #[track_caller]
    pub fn try_standard_exponential_as<T: Float>(
        &mut self,
        shape: impl IntoShape,
    ) -> Result<DArray<T>> {
        let (name, place) = ("standard_exponential", Place::caller());
        Ok(DArray::wrap(self.draw(
            name,
            Distribution::Exponential,
            T::DTYPE.part(),
            shape,
            place,
        )?))
    }

    /// Exponential numbers of this mean: `mean * standard_exponential`.
    ///
    /// # Panics
    ///
    /// If the mean is negative, or as [`random`](Self::random).
    ///
    /// ```
    /// use darray::default_rng;
    /// let x = default_rng(42).exponential(2.5, 10_000);
    /// assert!((x.mean(..).item() - 2.5).abs() < 0.05);
    /// ```
    #[track_caller]
    pub fn exponential(&mut self, mean: f64, shape: impl IntoShape) -> DArray<f64> {
        expect_at_caller(self.try_exponential(mean, shape))
    }

    /// As [`exponential`](Self::exponential); what is wrong is an error.
    ///
    /// ```
    /// use darray::default_rng;
    /// let error = default_rng(42).try_exponential(-1.0, 10).unwrap_err();
    /// assert!(error.to_string().starts_with("exponential: the mean -1.0 is negative"));
    /// ```
    #[track_caller]
    pub fn try_exponential(&mut self, mean: f64, shape: impl IntoShape) -> Result<DArray<f64>> {
        let (name, place) = ("exponential", Place::caller());
        check(!is_negative(mean), name, place, || format!("the mean {mean:?} is negative"))?;
        let numbers = self.draw(name, Distribution::Exponential, RealType::F64, shape, place)?;
        Ok(DArray::wrap(apply(name, Operator::Mul, &numbers, mean.into(), place)?))
    }
}

/// As NumPy sees it: -0.0 is, NaN is not.
fn is_negative(value: f64) -> bool {
    value.is_sign_negative() && !value.is_nan()
}

fn check(
    holds: bool,
    name: &'static str,
    place: Place,
    message: impl Fn() -> String,
) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(Error::new(name, ErrorKind::Argument { message: message() }, place)),
    }
}

/// `start + factor * numbers`.
fn linear(
    name: &'static str,
    numbers: &DynArray,
    start: f64,
    factor: f64,
    place: Place,
) -> Result<DArray<f64>> {
    let scaled = apply(name, Operator::Mul, numbers, factor.into(), place)?;
    Ok(DArray::wrap(apply(name, Operator::Add, &scaled, start.into(), place)?))
}

/// An operator of an array and a scalar, in the array's type.
fn apply(
    name: &'static str,
    operator: Operator,
    array: &DynArray,
    scalar: Scalar,
    place: Place,
) -> Result<DynArray> {
    let compute = array.real_type();
    let op = ElementOp::Apply { operator, compute };
    let operands = &[Argument::Array(array), Argument::Scalar(scalar)];
    Elementwise { op, name, operands, place }.create(compute)
}

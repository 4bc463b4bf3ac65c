//! Covariances.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Axes, Binary, DArray, DynArray, Element, Reduction, SpreadAxes, Unary, axis};
use darray_core::{Place, Result};
use std::ops::RangeFull;

/// Where the observations of [`cov`](DArray::cov) lie, along which axis, and by what sums are divided: by their number less 1, or less a
/// `ddof`. `..` is the last axis.
///
/// ```
/// use darray::{DArray, axis};
/// let x = DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]);
/// assert_eq!(x.cov(-1).to_vec(), [2.0, -4.0, -4.0, 8.0]);
/// assert_eq!(x.cov(axis(-1).ddof(0)).to_vec(), [1.0, -2.0, -2.0, 4.0]);
/// ```
#[derive(Debug)]
pub struct Observations(SpreadAxes);

impl From<SpreadAxes> for Observations {
    fn from(axes: SpreadAxes) -> Observations {
        Observations(axes)
    }
}

/// Of axes without a `ddof`, and of `..`.
macro_rules! observations {
    ($($t:ty)*) => { $(
        impl From<$t> for Observations {
            fn from(along: $t) -> Observations {
                Observations(axis(along).ddof(1))
            }
        }
    )* };
}

observations!(isize i32 Axes RangeFull);

impl DynArray {
    /// NumPy's `cov`: the covariances of variables, which are rows of observations: a matrix, or of one variable without an axis in
    /// front its variance, without axes. Sums of products are divided by the number of observations less `ddof`.
    ///
    /// Errors: there is no axis, or more than two.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]));
    /// let covariances = DArray::<f64>::try_from(x.cov(1).unwrap()).unwrap();
    /// assert_eq!(covariances.to_vec(), [2.0, -4.0, -4.0, 8.0]);
    /// ```
    #[track_caller]
    pub fn cov(&self, ddof: usize) -> Result<DynArray> {
        let steps = Steps { name: "cov", place: Place::caller() };
        steps.covariances(self, ddof)
    }

    /// NumPy's `corrcoef`: the correlation coefficients of variables, which are rows of observations: a matrix, or of one variable without
    /// an axis in front 1, without axes.
    ///
    /// Errors: there is no axis, or more than two.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]));
    /// let coefficients = DArray::<f64>::try_from(x.corrcoef().unwrap()).unwrap();
    /// assert!((coefficients.get([0, 1]) + 1.0).abs() < 1e-15);
    /// ```
    #[track_caller]
    pub fn corrcoef(&self) -> Result<DynArray> {
        Steps { name: "corrcoef", place: Place::caller() }.correlations(self)
    }
}

/// # Covariances
impl<T: Element> DArray<T> {
    /// NumPy's `cov`: the covariances of variables. With the observations along the last axis (`..` or `-1`) rows are variables, along the
    /// first (`0`) columns are: a matrix, or of an array of one axis its variance, a 0-d array. Sums of products are divided by the
    /// number of observations less 1, or, with `axis(-1).ddof(0)`, less that.
    ///
    /// # Panics
    ///
    /// If there is no axis, or more than two, or the observations do not lie along one of them.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]);
    /// assert_eq!(x.cov(..).to_vec(), [2.0, -4.0, -4.0, 8.0]);
    /// assert_eq!(x.cov(0).to_vec(), [8.0, -4.0, -4.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn cov(&self, observations: impl Into<Observations>) -> DArray<T::Inexact> {
        expect_at_caller(self.cov_at(observations, Place::caller()))
    }

    /// As [`cov`](Self::cov), from this place, with an error.
    pub(crate) fn cov_at(
        &self,
        observations: impl Into<Observations>,
        place: Place,
    ) -> Result<DArray<T::Inexact>> {
        let steps = Steps { name: "cov", place };
        let x = steps.variables(self.as_dyn(), observations.into())?;
        Ok(DArray::wrap(steps.covariances(&x.0, x.1)?))
    }
}

impl Steps {
    /// The array with variables as rows, and the `ddof`.
    fn variables(&self, x: &DynArray, observations: Observations) -> Result<(DynArray, usize)> {
        let (options, ddof) = observations.0.take();
        if options.mask.is_some() {
            return Err(self.argument(format!("{} does not take a mask", self.name)));
        }
        let axis = match options.axes.list() {
            None => -1,
            Some(&[axis]) => axis,
            Some(_) => return Err(self.argument("observations lie along one axis")),
        };
        let turned = x.shape().len() == 2 && self.axis(x, axis)? == 0;
        Ok((if turned { x.t() } else { x.alias() }, ddof))
    }

    fn covariances(&self, x: &DynArray, ddof: usize) -> Result<DynArray> {
        let (rows, count) = match *x.shape() {
            [count] => (1, count),
            [rows, count] => (rows, count),
            _ => return Err(self.shapes(&[x], "one axis or two")),
        };
        let dtype = x.dtype().inexact();
        let wide = dtype.as_real().map_or(dtype, |real| real.compute().into());
        let wide = self.cast(x, wide)?;
        let mean =
            wide.reduce_named(Reduction::Mean, axis(-1).keepdims(), self.name, self.place)?;
        let deviations = self.binary(Binary::Sub, &wide, &mean)?;
        let deviations = self.reshape(&deviations, &[rows, count])?;
        let conjugate = deviations.t().conj_as(self.name, self.place)?;
        let products = deviations.matmul(&conjugate)?;
        let less = count.saturating_sub(ddof) as f64;
        let covariances = self.binary(Binary::Div, &products, less)?;
        let shape = if x.shape().len() == 1 { &[][..] } else { &[rows, rows] };
        self.cast(&self.reshape(&covariances, shape)?, dtype)
    }

    /// NumPy's `corrcoef`: covariances over the square roots of the variances of both variables, clipped to -1 to 1.
    fn correlations(&self, x: &DynArray) -> Result<DynArray> {
        let covariances = self.covariances(x, 1)?;
        if covariances.shape().is_empty() {
            return self.binary(Binary::Div, &covariances, &covariances);
        }
        let rows = covariances.shape()[0];
        let variances = covariances.diagonal_as(0, [0, 1], self.name, self.place)?.real();
        let deviations = self.unary(Unary::Sqrt, &variances)?;
        let by_row = self.reshape(&deviations, &[rows, 1])?;
        let quotient = self.binary(Binary::Div, &covariances, &by_row)?;
        let quotient = self.binary(Binary::Div, &quotient, &deviations)?;
        let clipped = |part: &DynArray| {
            let high = self.binary(Binary::Minimum, part, 1.0)?;
            self.binary(Binary::Maximum, &high, -1.0)
        };
        quotient.by_parts(self.name, self.place, clipped)
    }
}

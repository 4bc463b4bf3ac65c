//! Covariances.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element, Reduction, axis};
use darray_core::{Place, Result};

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
        let (rows, count) = match *self.shape() {
            [count] => (1, count),
            [rows, count] => (rows, count),
            _ => return Err(steps.shapes(&[self], "one axis or two")),
        };
        let dtype = self.dtype().inexact();
        let wide = dtype.as_real().map_or(dtype, |real| real.compute().into());
        let x = steps.cast(self, wide)?;
        let mean = x.reduce_named(Reduction::Mean, axis(-1).keepdims(), steps.name, steps.place)?;
        let deviations = steps.binary(Binary::Sub, &x, &mean)?;
        let deviations = steps.reshape(&deviations, &[rows, count])?;
        let conjugate = deviations.t().conj_as(steps.name, steps.place)?;
        let products = deviations.matmul(&conjugate)?;
        let less = count.saturating_sub(ddof) as f64;
        let covariances = steps.binary(Binary::Div, &products, less)?;
        let shape = if self.shape().len() == 1 { &[][..] } else { &[rows, rows] };
        steps.cast(&steps.reshape(&covariances, shape)?, dtype)
    }
}

impl<T: Element> DArray<T> {
    /// NumPy's `cov`: the covariances of variables, which are rows of observations: a matrix, or of an array of one axis its variance, a
    /// 0-d array. Sums of products are divided by the number of observations less 1.
    ///
    /// # Panics
    ///
    /// If there is no axis, or more than two.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 3.0, 5.0, 1.0]);
    /// assert_eq!(x.cov().to_vec(), [2.0, -4.0, -4.0, 8.0]);
    /// ```
    #[track_caller]
    pub fn cov(&self) -> DArray<T::Inexact> {
        expect_at_caller(self.try_cov())
    }

    /// As [`cov`](Self::cov); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones((2, 2, 2)).try_cov().unwrap_err();
    /// assert!(error.to_string().starts_with("cov: shapes [2, 2, 2]: expected one axis or two"));
    /// ```
    #[track_caller]
    pub fn try_cov(&self) -> Result<DArray<T::Inexact>> {
        self.try_cov_ddof(1)
    }

    /// As [`cov`](Self::cov), divided by the number of observations less `ddof`.
    ///
    /// # Panics
    ///
    /// If there is no axis, or more than two.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![1.0, 3.0]).cov_ddof(0).item(), 1.0);
    /// ```
    #[track_caller]
    pub fn cov_ddof(&self, ddof: usize) -> DArray<T::Inexact> {
        expect_at_caller(self.try_cov_ddof(ddof))
    }

    /// As [`cov_ddof`](Self::cov_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones(()).try_cov_ddof(0).is_err());
    /// ```
    #[track_caller]
    pub fn try_cov_ddof(&self, ddof: usize) -> Result<DArray<T::Inexact>> {
        Ok(DArray::wrap(self.as_dyn().cov(ddof)?))
    }
}

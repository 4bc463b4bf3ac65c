//! Spread and counts of typed arrays.

use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::Result;

impl<T: Element> DArray<T> {
    /// The variance of all elements: the mean of the squared deviations from the mean, in two passes, so
    /// that it is accurate where the mean is large. f32 computes in f32, as NumPy does, everything else
    /// in f64. NaN for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![1.0, 2.0, 6.0]).var().item(), 14.0 / 3.0);
    /// ```
    #[track_caller]
    pub fn var(&self) -> DArray<T::Real> {
        expect_at_caller(self.try_var_axis(..))
    }

    /// The variances along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.var_axis(1).to_vec(), [0.25, 2.25]);
    /// ```
    #[track_caller]
    pub fn var_axis(&self, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_var_axis(axes))
    }

    /// As [`var_axis`](Self::var_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_var_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_var_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Var { ddof: 0 }, axes)?))
    }

    /// The variances with this `ddof` along axes: the sum of the squared deviations is divided by the count
    /// less `ddof`.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.var_ddof(1, 1).to_vec(), [0.5, 4.5]);
    /// ```
    #[track_caller]
    pub fn var_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_var_ddof(ddof, axes))
    }

    /// As [`var_ddof`](Self::var_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_var_ddof(1, 2).is_err());
    /// ```
    #[track_caller]
    pub fn try_var_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Var { ddof }, axes)?))
    }

    /// The standard deviation of all elements: the square root of [`var`](Self::var); a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 3.0]);
    /// assert_eq!(((&x - x.mean()) / x.std()).to_vec(), [-1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn std(&self) -> DArray<T::Real> {
        expect_at_caller(self.try_std_axis(..))
    }

    /// The standard deviations along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.std_axis(1).to_vec(), [0.5, 1.5]);
    /// ```
    #[track_caller]
    pub fn std_axis(&self, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_std_axis(axes))
    }

    /// As [`std_axis`](Self::std_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_std_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_std_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Std { ddof: 0 }, axes)?))
    }

    /// The standard deviations with this `ddof` along axes: the sum of the squared deviations is divided by the count
    /// less `ddof`.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![0.0, 0.0, 3.0]);
    /// assert_eq!(x.std_ddof(1, ..).item(), 3.0f64.sqrt());
    /// ```
    #[track_caller]
    pub fn std_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_std_ddof(ddof, axes))
    }

    /// As [`std_ddof`](Self::std_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_std_ddof(1, 2).is_err());
    /// ```
    #[track_caller]
    pub fn try_std_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Std { ddof }, axes)?))
    }

    /// The largest element less the smallest; NaN wins; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements, or the elements are bool.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![5, 2, 3]).ptp().item(), 3);
    /// ```
    #[track_caller]
    pub fn ptp(&self) -> DArray<T> {
        expect_at_caller(self.try_ptp())
    }

    /// As [`ptp`](Self::ptp); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_ptp().unwrap_err();
    /// assert!(error.to_string().starts_with("ptp: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_ptp(&self) -> Result<DArray<T>> {
        self.try_ptp_axis(..)
    }

    /// The ranges along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce, or the elements are bool.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.ptp_axis(0).to_vec(), [2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn ptp_axis(&self, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_ptp_axis(axes))
    }

    /// As [`ptp_axis`](Self::ptp_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<bool>::ones(2).try_ptp_axis(..).unwrap_err();
    /// assert!(error.to_string().starts_with("ptp: element types bool: expected "));
    /// ```
    #[track_caller]
    pub fn try_ptp_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Ptp, axes)?))
    }

    /// How many elements differ from zero; NaN does; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![0.0, 2.0, f64::NAN]).count_nonzero().item(), 2);
    /// ```
    #[track_caller]
    pub fn count_nonzero(&self) -> DArray<i64> {
        expect_at_caller(self.try_count_nonzero_axis(..))
    }

    /// The numbers of elements that differ from zero along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!((x % 2).count_nonzero_axis(0).to_vec(), [2, 0]);
    /// ```
    #[track_caller]
    pub fn count_nonzero_axis(&self, axes: impl Into<Axes>) -> DArray<i64> {
        expect_at_caller(self.try_count_nonzero_axis(axes))
    }

    /// As [`count_nonzero_axis`](Self::count_nonzero_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_count_nonzero_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_count_nonzero_axis(&self, axes: impl Into<Axes>) -> Result<DArray<i64>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::CountNonzero, axes)?))
    }
}

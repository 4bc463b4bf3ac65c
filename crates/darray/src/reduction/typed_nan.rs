//! Reductions of typed arrays that leave NaN out.

use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::Result;

impl<T: Element> DArray<T> {
    /// The sum of the elements that are not NaN; 0 for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nansum().item(), 7.0);
    /// ```
    #[track_caller]
    pub fn nansum(&self) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_nansum_axis(..))
    }

    /// The sums of the elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nansum_axis(1).to_vec(), [1.0, 9.0]);
    /// ```
    #[track_caller]
    pub fn nansum_axis(&self, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_nansum_axis(axes))
    }

    /// As [`nansum_axis`](Self::nansum_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nansum_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nansum_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Accumulator>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanSum, axes)?))
    }

    /// The product of the elements that are not NaN; 1 for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanprod().item(), 6.0);
    /// ```
    #[track_caller]
    pub fn nanprod(&self) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_nanprod_axis(..))
    }

    /// The products of the elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nanprod_axis(1).to_vec(), [1.0, 18.0]);
    /// ```
    #[track_caller]
    pub fn nanprod_axis(&self, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_nanprod_axis(axes))
    }

    /// As [`nanprod_axis`](Self::nanprod_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanprod_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanprod_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Accumulator>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanProd, axes)?))
    }

    /// The smallest element that is not NaN; NaN where all are; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanmin().item(), 1.0);
    /// ```
    #[track_caller]
    pub fn nanmin(&self) -> DArray<T> {
        expect_at_caller(self.try_nanmin())
    }

    /// As [`nanmin`](Self::nanmin); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_nanmin().unwrap_err();
    /// assert!(error.to_string().starts_with("nanmin: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_nanmin(&self) -> Result<DArray<T>> {
        self.try_nanmin_axis(..)
    }

    /// The smallest elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nanmin_axis(1).to_vec(), [1.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn nanmin_axis(&self, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_nanmin_axis(axes))
    }

    /// As [`nanmin_axis`](Self::nanmin_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanmin_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanmin_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanMin, axes)?))
    }

    /// The largest element that is not NaN; NaN where all are; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanmax().item(), 6.0);
    /// ```
    #[track_caller]
    pub fn nanmax(&self) -> DArray<T> {
        expect_at_caller(self.try_nanmax())
    }

    /// As [`nanmax`](Self::nanmax); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_nanmax().unwrap_err();
    /// assert!(error.to_string().starts_with("nanmax: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_nanmax(&self) -> Result<DArray<T>> {
        self.try_nanmax_axis(..)
    }

    /// The largest elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nanmax_axis(1).to_vec(), [1.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn nanmax_axis(&self, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_nanmax_axis(axes))
    }

    /// As [`nanmax_axis`](Self::nanmax_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanmax_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanmax_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanMax, axes)?))
    }

    /// The mean of the elements that are not NaN; NaN for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanmean().item(), 3.5);
    /// ```
    #[track_caller]
    pub fn nanmean(&self) -> DArray<T::Real> {
        expect_at_caller(self.try_nanmean_axis(..))
    }

    /// The means of the elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nanmean_axis(1).to_vec(), [1.0, 4.5]);
    /// ```
    #[track_caller]
    pub fn nanmean_axis(&self, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_nanmean_axis(axes))
    }

    /// As [`nanmean_axis`](Self::nanmean_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanmean_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanmean_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanMean, axes)?))
    }

    /// The variance of the elements that are not NaN; NaN for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanvar().item(), 6.25);
    /// ```
    #[track_caller]
    pub fn nanvar(&self) -> DArray<T::Real> {
        expect_at_caller(self.try_nanvar_axis(..))
    }

    /// The variances of the elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nanvar_axis(1).to_vec(), [0.0, 2.25]);
    /// ```
    #[track_caller]
    pub fn nanvar_axis(&self, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_nanvar_axis(axes))
    }

    /// As [`nanvar_axis`](Self::nanvar_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanvar_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanvar_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanVar { ddof: 0 }, axes)?))
    }

    /// The variances of the elements that are not NaN with this `ddof` along axes: the sum of the squared deviations is divided by the count
    /// less `ddof`. NaN where not more than `ddof` are left.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanvar_ddof(1, ..).item(), 12.5);
    /// ```
    #[track_caller]
    pub fn nanvar_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_nanvar_ddof(ddof, axes))
    }

    /// As [`nanvar_ddof`](Self::nanvar_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanvar_ddof(1, 2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanvar_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanVar { ddof }, axes)?))
    }

    /// The standard deviation of the elements that are not NaN; NaN for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanstd().item(), 2.5);
    /// ```
    #[track_caller]
    pub fn nanstd(&self) -> DArray<T::Real> {
        expect_at_caller(self.try_nanstd_axis(..))
    }

    /// The standard deviations of the elements that are not NaN along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 6.0]);
    /// assert_eq!(x.nanstd_axis(1).to_vec(), [0.0, 1.5]);
    /// ```
    #[track_caller]
    pub fn nanstd_axis(&self, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_nanstd_axis(axes))
    }

    /// As [`nanstd_axis`](Self::nanstd_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanstd_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanstd_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanStd { ddof: 0 }, axes)?))
    }

    /// The standard deviations of the elements that are not NaN with this `ddof` along axes: the sum of the squared deviations is divided by the count
    /// less `ddof`. NaN where not more than `ddof` are left.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, f64::NAN, 6.0]);
    /// assert_eq!(x.nanstd_ddof(1, ..).item(), 12.5f64.sqrt());
    /// ```
    #[track_caller]
    pub fn nanstd_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_nanstd_ddof(ddof, axes))
    }

    /// As [`nanstd_ddof`](Self::nanstd_ddof); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 2)).try_nanstd_ddof(1, 2).is_err());
    /// ```
    #[track_caller]
    pub fn try_nanstd_ddof(&self, ddof: usize, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::NanStd { ddof }, axes)?))
    }
}

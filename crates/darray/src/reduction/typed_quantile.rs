//! Quantiles of typed arrays.

use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::{Place, Result};

impl<T: Element> DArray<T> {
    /// The quantile of all elements: with `n` of them in ascending order what lies at place `q (n - 1)`, between
    /// two elements on the line through both (NumPy's `method="linear"`), in floats. NaN if one of them is; a 0-d
    /// array.
    ///
    /// # Panics
    ///
    /// If `q` is not between 0 and 1, or there is no element.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0, 4.0, 8.0]);
    /// assert_eq!([0.0, 0.5, 0.75].map(|q| x.quantile(q).item()), [1.0, 3.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn quantile(&self, q: f64) -> DArray<T::Inexact> {
        expect_at_caller(self.try_quantile(q))
    }

    /// As [`quantile`](Self::quantile); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones(2).try_quantile(-0.5).is_err());
    /// ```
    #[track_caller]
    pub fn try_quantile(&self, q: f64) -> Result<DArray<T::Inexact>> {
        self.try_quantile_axis(q, ..)
    }

    /// The quantiles along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If `q` is not between 0 and 1, there is no element along the axes, or an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 3), vec![1.0, 9.0, 2.0, 3.0, 6.0, 4.0]);
    /// assert_eq!(x.quantile_axis(0.25, 1).to_vec(), [1.5, 3.5]);
    /// ```
    #[track_caller]
    pub fn quantile_axis(&self, q: f64, axes: impl Into<Axes>) -> DArray<T::Inexact> {
        expect_at_caller(self.try_quantile_axis(q, axes))
    }

    /// As [`quantile_axis`](Self::quantile_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones(2).try_quantile_axis(1.5, 0).unwrap_err();
    /// assert!(error.to_string().starts_with("quantile: a quantile is between 0 and 1, not 1.5"));
    /// ```
    #[track_caller]
    pub fn try_quantile_axis(&self, q: f64, axes: impl Into<Axes>) -> Result<DArray<T::Inexact>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Quantile { q }, axes)?))
    }

    /// Several [quantiles](Self::quantile) of all elements, of one sort: an array of as many.
    ///
    /// # Panics
    ///
    /// If one is not between 0 and 1, or there is no element.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0, 4.0, 8.0]);
    /// assert_eq!(x.quantiles(&[0.0, 0.5, 0.75]).to_vec(), [1.0, 3.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn quantiles(&self, quantiles: &[f64]) -> DArray<T::Inexact> {
        expect_at_caller(self.try_quantiles(quantiles))
    }

    /// As [`quantiles`](Self::quantiles); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones(2).try_quantiles(&[0.5, 2.0]).is_err());
    /// ```
    #[track_caller]
    pub fn try_quantiles(&self, quantiles: &[f64]) -> Result<DArray<T::Inexact>> {
        self.try_quantiles_axis(quantiles, ..)
    }

    /// Several quantiles along axes, of one sort, along an axis in front of those that are left.
    ///
    /// # Panics
    ///
    /// If one is not between 0 and 1, there is no element along the axes, or an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 3), vec![1.0, 9.0, 2.0, 3.0, 6.0, 4.0]);
    /// let found = x.quantiles_axis(&[0.0, 0.25], 1);
    /// assert_eq!((found.shape(), found.to_vec()), (&[2, 2][..], vec![1.0, 3.0, 1.5, 3.5]));
    /// ```
    #[track_caller]
    pub fn quantiles_axis(&self, quantiles: &[f64], axes: impl Into<Axes>) -> DArray<T::Inexact> {
        expect_at_caller(self.try_quantiles_axis(quantiles, axes))
    }

    /// As [`quantiles_axis`](Self::quantiles_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones(2).try_quantiles_axis(&[1.5], 0).unwrap_err();
    /// assert!(error.to_string().starts_with("quantile: a quantile is between 0 and 1, not 1.5"));
    /// ```
    #[track_caller]
    pub fn try_quantiles_axis(
        &self,
        quantiles: &[f64],
        axes: impl Into<Axes>,
    ) -> Result<DArray<T::Inexact>> {
        Ok(DArray::wrap(self.as_dyn().quantiles(quantiles, axes)?))
    }

    /// The [`quantile`](Self::quantile) of all elements for a percentage.
    ///
    /// # Panics
    ///
    /// If `percent` is not between 0 and 100, or there is no element.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![1.0, 2.0, 4.0]).percentile(75.0).item(), 3.0);
    /// ```
    #[track_caller]
    pub fn percentile(&self, percent: f64) -> DArray<T::Inexact> {
        expect_at_caller(self.try_percentile(percent))
    }

    /// As [`percentile`](Self::percentile); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::zeros(0).try_percentile(50.0).is_err());
    /// ```
    #[track_caller]
    pub fn try_percentile(&self, percent: f64) -> Result<DArray<T::Inexact>> {
        self.try_percentile_axis(percent, ..)
    }

    /// The [quantiles](Self::quantile_axis) along axes for a percentage.
    ///
    /// # Panics
    ///
    /// As [`quantile_axis`](Self::quantile_axis).
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.percentile_axis(50.0, 0).to_vec(), [2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn percentile_axis(&self, percent: f64, axes: impl Into<Axes>) -> DArray<T::Inexact> {
        expect_at_caller(self.try_percentile_axis(percent, axes))
    }

    /// As [`percentile_axis`](Self::percentile_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones(2).try_percentile_axis(101.0, 0).is_err());
    /// ```
    #[track_caller]
    pub fn try_percentile_axis(
        &self,
        percent: f64,
        axes: impl Into<Axes>,
    ) -> Result<DArray<T::Inexact>> {
        let (reduction, place) = (Reduction::Quantile { q: percent / 100.0 }, Place::caller());
        Ok(DArray::wrap(self.as_dyn().reduce_named(reduction, axes, "percentile", place)?))
    }
}

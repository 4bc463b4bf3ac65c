//! Quantiles of typed arrays.

use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::Place;

/// # Quantiles
impl<T: Element> DArray<T> {
    /// The quantiles along axes: `0`, `[0, -1]`, `..`, or `axis(0).keepdims()`.
    ///
    /// # Panics
    ///
    /// If `q` is not between 0 and 1, there is no element along the axes, or an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 3), vec![1.0, 9.0, 2.0, 3.0, 6.0, 4.0]);
    /// assert_eq!(x.quantile(0.25, 1).to_vec(), [1.5, 3.5]);
    /// ```
    #[track_caller]
    pub fn quantile(&self, q: f64, all_or_axes: impl Into<Axes>) -> DArray<T::Inexact> {
        DArray::wrap(expect_at_caller(self.as_dyn().reduce(Reduction::Quantile { q }, all_or_axes)))
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
    /// let found = x.quantiles(&[0.0, 0.25], 1);
    /// assert_eq!((found.shape(), found.to_vec()), (&[2, 2][..], vec![1.0, 3.0, 1.5, 3.5]));
    /// ```
    #[track_caller]
    pub fn quantiles(&self, quantiles: &[f64], all_or_axes: impl Into<Axes>) -> DArray<T::Inexact> {
        DArray::wrap(expect_at_caller(self.as_dyn().quantiles(quantiles, all_or_axes)))
    }

    /// The [quantiles](Self::quantile) along axes for a percentage.
    ///
    /// # Panics
    ///
    /// As [`quantile`](Self::quantile).
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
    /// assert_eq!(x.percentile(50.0, 0).to_vec(), [2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn percentile(&self, percent: f64, all_or_axes: impl Into<Axes>) -> DArray<T::Inexact> {
        let (reduction, place) = (Reduction::Quantile { q: percent / 100.0 }, Place::caller());
        DArray::wrap(expect_at_caller(self.as_dyn().reduce_named(
            reduction,
            all_or_axes,
            "percentile",
            place,
        )))
    }
}

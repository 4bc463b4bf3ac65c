//! Reductions: of all elements, and, with names ending in `_axis`, along axes: `0`, `[0, -1]`, `..`, or
//! [`keepdims`](crate::keepdims) of those.

use crate::{Axes, DArray, Element};

/// The sum of all elements; see [`DArray::sum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 5.0]);
/// assert_eq!(darray::np::sum(&x).item(), 6.0);
/// ```
#[track_caller]
pub fn sum<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.sum()
}

/// The sums along axes; see [`DArray::sum_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::sum_axis(&x, 0).to_vec(), [4, 6]);
/// ```
#[track_caller]
pub fn sum_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
    x.sum_axis(axes)
}

/// The product of all elements; see [`DArray::prod`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2i64, 5]);
/// assert_eq!(darray::np::prod(&x).item(), 10);
/// ```
#[track_caller]
pub fn prod<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.prod()
}

/// The products along axes; see [`DArray::prod_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::prod_axis(&x, 0).to_vec(), [3, 8]);
/// ```
#[track_caller]
pub fn prod_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
    x.prod_axis(axes)
}

/// The smallest element; see [`DArray::min`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2, 5]);
/// assert_eq!(darray::np::min(&x).item(), 2);
/// ```
#[track_caller]
pub fn min<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.min()
}

/// The smallest elements along axes; see [`DArray::min_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::min_axis(&x, 0).to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn min_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T> {
    x.min_axis(axes)
}

/// The largest element; see [`DArray::max`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2, 5]);
/// assert_eq!(darray::np::max(&x).item(), 5);
/// ```
#[track_caller]
pub fn max<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.max()
}

/// The largest elements along axes; see [`DArray::max_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::max_axis(&x, 0).to_vec(), [3, 4]);
/// ```
#[track_caller]
pub fn max_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T> {
    x.max_axis(axes)
}

/// The arithmetic mean of all elements; see [`DArray::mean`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2, 5]);
/// assert_eq!(darray::np::mean(&x).item(), 3.5);
/// ```
#[track_caller]
pub fn mean<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.mean()
}

/// The arithmetic means along axes; see [`DArray::mean_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
/// assert_eq!(darray::np::mean_axis(&x, 0).to_vec(), [2.0, 3.0]);
/// ```
#[track_caller]
pub fn mean_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.mean_axis(axes)
}

/// The variance of all elements; see [`DArray::var`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 5.0]);
/// assert_eq!(darray::np::var(&x).item(), 4.0);
/// ```
#[track_caller]
pub fn var<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.var()
}

/// The variances along axes; see [`DArray::var_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 6]);
/// assert_eq!(darray::np::var_axis(&x, 0).to_vec(), [1.0, 4.0]);
/// ```
#[track_caller]
pub fn var_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.var_axis(axes)
}

/// The variances along axes, the sums divided by the count less `ddof`; see [`DArray::var_ddof`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
/// assert_eq!(darray::np::var_ddof(&x, 1, 0).to_vec(), [2.0, 8.0]);
/// ```
#[track_caller]
pub fn var_ddof<T: Element>(x: &DArray<T>, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.var_ddof(ddof, axes)
}

/// The standard deviation of all elements; see [`DArray::std`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 5.0]);
/// assert_eq!(darray::np::std(&x).item(), 2.0);
/// ```
#[track_caller]
pub fn std<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.std()
}

/// The standard deviations along axes; see [`DArray::std_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 6]);
/// assert_eq!(darray::np::std_axis(&x, 0).to_vec(), [1.0, 2.0]);
/// ```
#[track_caller]
pub fn std_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.std_axis(axes)
}

/// The standard deviations along axes, the sums divided by the count less `ddof`; see
/// [`DArray::std_ddof`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 1.0, 2.0]);
/// assert_eq!(darray::np::std_ddof(&x, 1, 0).to_vec(), [0.0, 0.0]);
/// ```
#[track_caller]
pub fn std_ddof<T: Element>(x: &DArray<T>, ddof: usize, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.std_ddof(ddof, axes)
}

/// The largest element less the smallest; see [`DArray::ptp`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2, 5]);
/// assert_eq!(darray::np::ptp(&x).item(), 3);
/// ```
#[track_caller]
pub fn ptp<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.ptp()
}

/// The largest elements less the smallest along axes; see [`DArray::ptp_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 6]);
/// assert_eq!(darray::np::ptp_axis(&x, 0).to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn ptp_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T> {
    x.ptp_axis(axes)
}

/// Whether all elements differ from zero; see [`DArray::all`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2, 0]);
/// assert_eq!(darray::np::all(&x).item(), false);
/// ```
#[track_caller]
pub fn all<T: Element>(x: &DArray<T>) -> DArray<bool> {
    x.all()
}

/// Whether all elements along axes differ from zero; see [`DArray::all_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 0, 3, 4]);
/// assert_eq!(darray::np::all_axis(&x, 0).to_vec(), [true, false]);
/// ```
#[track_caller]
pub fn all_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<bool> {
    x.all_axis(axes)
}

/// Whether any element differs from zero; see [`DArray::any`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2, 0]);
/// assert_eq!(darray::np::any(&x).item(), true);
/// ```
#[track_caller]
pub fn any<T: Element>(x: &DArray<T>) -> DArray<bool> {
    x.any()
}

/// Whether any element along axes differs from zero; see [`DArray::any_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 0, 3, 0]);
/// assert_eq!(darray::np::any_axis(&x, 0).to_vec(), [true, false]);
/// ```
#[track_caller]
pub fn any_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<bool> {
    x.any_axis(axes)
}

/// The row-major index of the first smallest element; see [`DArray::argmin`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5, 2]);
/// assert_eq!(darray::np::argmin(&x).item(), 1);
/// ```
#[track_caller]
pub fn argmin<T: Element>(x: &DArray<T>) -> DArray<i64> {
    x.argmin()
}

/// The row-major indices of the first smallest elements along axes; see [`DArray::argmin_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::argmin_axis(&x, 0).to_vec(), [0, 1]);
/// ```
#[track_caller]
pub fn argmin_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<i64> {
    x.argmin_axis(axes)
}

/// The row-major index of the first largest element; see [`DArray::argmax`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5, 2]);
/// assert_eq!(darray::np::argmax(&x).item(), 0);
/// ```
#[track_caller]
pub fn argmax<T: Element>(x: &DArray<T>) -> DArray<i64> {
    x.argmax()
}

/// The row-major indices of the first largest elements along axes; see [`DArray::argmax_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::argmax_axis(&x, 0).to_vec(), [1, 0]);
/// ```
#[track_caller]
pub fn argmax_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<i64> {
    x.argmax_axis(axes)
}

/// How many elements differ from zero; see [`DArray::count_nonzero`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5, 0, 2]);
/// assert_eq!(darray::np::count_nonzero(&x).item(), 2);
/// ```
#[track_caller]
pub fn count_nonzero<T: Element>(x: &DArray<T>) -> DArray<i64> {
    x.count_nonzero()
}

/// How many elements along axes differ from zero; see [`DArray::count_nonzero_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 0, 3, 4]);
/// assert_eq!(darray::np::count_nonzero_axis(&x, 0).to_vec(), [2, 1]);
/// ```
#[track_caller]
pub fn count_nonzero_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<i64> {
    x.count_nonzero_axis(axes)
}

/// The median of all elements; see [`DArray::median`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5.0, 1.0, 2.0]);
/// assert_eq!(darray::np::median(&x).item(), 2.0);
/// ```
#[track_caller]
pub fn median<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.median()
}

/// The medians along axes; see [`DArray::median_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::median_axis(&x, 0).to_vec(), [2.0, 3.0]);
/// ```
#[track_caller]
pub fn median_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.median_axis(axes)
}

/// A quantile of all elements; see [`DArray::quantile`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5.0, 1.0, 2.0]);
/// assert_eq!(darray::np::quantile(&x, 0.25).item(), 1.5);
/// ```
#[track_caller]
pub fn quantile<T: Element>(x: &DArray<T>, q: f64) -> DArray<T::Real> {
    x.quantile(q)
}

/// Quantiles along axes; see [`DArray::quantile_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::quantile_axis(&x, 0.25, 0).to_vec(), [1.5, 2.5]);
/// ```
#[track_caller]
pub fn quantile_axis<T: Element>(x: &DArray<T>, q: f64, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.quantile_axis(q, axes)
}

/// A quantile of all elements for a percentage; see [`DArray::percentile`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5.0, 1.0, 2.0]);
/// assert_eq!(darray::np::percentile(&x, 25.0).item(), 1.5);
/// ```
#[track_caller]
pub fn percentile<T: Element>(x: &DArray<T>, percent: f64) -> DArray<T::Real> {
    x.percentile(percent)
}

/// Quantiles along axes for a percentage; see [`DArray::percentile_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 4, 3, 2]);
/// assert_eq!(darray::np::percentile_axis(&x, 25.0, 0).to_vec(), [1.5, 2.5]);
/// ```
#[track_caller]
pub fn percentile_axis<T: Element>(
    x: &DArray<T>,
    percent: f64,
    axes: impl Into<Axes>,
) -> DArray<T::Real> {
    x.percentile_axis(percent, axes)
}

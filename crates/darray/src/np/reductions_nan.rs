//! Reductions of what is not NaN: of all elements, and, with names ending in `_axis`, along axes.

use crate::{Axes, DArray, Element};

/// The sum of what is not NaN; see [`DArray::nansum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, f64::NAN]);
/// assert_eq!(darray::np::nansum(&x).item(), 1.0);
/// ```
#[track_caller]
pub fn nansum<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.nansum()
}

/// The sums along axes of what is not NaN; see [`DArray::nansum_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 4.0]);
/// assert_eq!(darray::np::nansum_axis(&x, 0).to_vec(), [4.0, 4.0]);
/// ```
#[track_caller]
pub fn nansum_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
    x.nansum_axis(axes)
}

/// The product of what is not NaN; see [`DArray::nanprod`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![2.0, f64::NAN]);
/// assert_eq!(darray::np::nanprod(&x).item(), 2.0);
/// ```
#[track_caller]
pub fn nanprod<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.nanprod()
}

/// The products along axes of what is not NaN; see [`DArray::nanprod_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 4.0]);
/// assert_eq!(darray::np::nanprod_axis(&x, 0).to_vec(), [3.0, 4.0]);
/// ```
#[track_caller]
pub fn nanprod_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
    x.nanprod_axis(axes)
}

/// The smallest element that is not NaN; see [`DArray::nanmin`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, f64::NAN]);
/// assert_eq!(darray::np::nanmin(&x).item(), 1.0);
/// ```
#[track_caller]
pub fn nanmin<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.nanmin()
}

/// The smallest elements along axes that are not NaN; see [`DArray::nanmin_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 4.0]);
/// assert_eq!(darray::np::nanmin_axis(&x, 0).to_vec(), [1.0, 4.0]);
/// ```
#[track_caller]
pub fn nanmin_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T> {
    x.nanmin_axis(axes)
}

/// The largest element that is not NaN; see [`DArray::nanmax`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, f64::NAN]);
/// assert_eq!(darray::np::nanmax(&x).item(), 1.0);
/// ```
#[track_caller]
pub fn nanmax<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.nanmax()
}

/// The largest elements along axes that are not NaN; see [`DArray::nanmax_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 4.0]);
/// assert_eq!(darray::np::nanmax_axis(&x, 0).to_vec(), [3.0, 4.0]);
/// ```
#[track_caller]
pub fn nanmax_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T> {
    x.nanmax_axis(axes)
}

/// The mean of what is not NaN; see [`DArray::nanmean`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, f64::NAN, 2.0]);
/// assert_eq!(darray::np::nanmean(&x).item(), 1.5);
/// ```
#[track_caller]
pub fn nanmean<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.nanmean()
}

/// The means along axes of what is not NaN; see [`DArray::nanmean_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 3.0, 4.0]);
/// assert_eq!(darray::np::nanmean_axis(&x, 0).to_vec(), [2.0, 4.0]);
/// ```
#[track_caller]
pub fn nanmean_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.nanmean_axis(axes)
}

/// The variance of what is not NaN; see [`DArray::nanvar`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, f64::NAN, 3.0]);
/// assert_eq!(darray::np::nanvar(&x).item(), 1.0);
/// ```
#[track_caller]
pub fn nanvar<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.nanvar()
}

/// The variances along axes of what is not NaN; see [`DArray::nanvar_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 5.0, 4.0]);
/// assert_eq!(darray::np::nanvar_axis(&x, 0).to_vec(), [4.0, 0.0]);
/// ```
#[track_caller]
pub fn nanvar_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.nanvar_axis(axes)
}

/// The variances along axes of what is not NaN, the sums divided by the count less `ddof`; see
/// [`DArray::nanvar_ddof`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 6.0]);
/// assert_eq!(darray::np::nanvar_ddof(&x, 1, 0).to_vec(), [2.0, 8.0]);
/// ```
#[track_caller]
pub fn nanvar_ddof<T: Element>(
    x: &DArray<T>,
    ddof: usize,
    axes: impl Into<Axes>,
) -> DArray<T::Real> {
    x.nanvar_ddof(ddof, axes)
}

/// The standard deviation of what is not NaN; see [`DArray::nanstd`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, f64::NAN, 3.0]);
/// assert_eq!(darray::np::nanstd(&x).item(), 1.0);
/// ```
#[track_caller]
pub fn nanstd<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.nanstd()
}

/// The standard deviations along axes of what is not NaN; see [`DArray::nanstd_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, f64::NAN, 5.0, 4.0]);
/// assert_eq!(darray::np::nanstd_axis(&x, 0).to_vec(), [2.0, 0.0]);
/// ```
#[track_caller]
pub fn nanstd_axis<T: Element>(x: &DArray<T>, axes: impl Into<Axes>) -> DArray<T::Real> {
    x.nanstd_axis(axes)
}

/// The standard deviations along axes of what is not NaN, the sums divided by the count less
/// `ddof`; see [`DArray::nanstd_ddof`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 1.0, 2.0]);
/// assert_eq!(darray::np::nanstd_ddof(&x, 1, 0).to_vec(), [0.0, 0.0]);
/// ```
#[track_caller]
pub fn nanstd_ddof<T: Element>(
    x: &DArray<T>,
    ddof: usize,
    axes: impl Into<Axes>,
) -> DArray<T::Real> {
    x.nanstd_ddof(ddof, axes)
}

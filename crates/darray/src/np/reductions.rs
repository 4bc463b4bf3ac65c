//! Reductions and scans of all elements; the methods ending in `_axis` take axes.

use crate::{DArray, Element};

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

/// The cumulative sum of all elements; see [`DArray::cumsum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1i64, 5, 2]);
/// assert_eq!(darray::np::cumsum(&x).to_vec(), [1, 6, 8]);
/// ```
#[track_caller]
pub fn cumsum<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.cumsum()
}

/// The cumulative product of all elements; see [`DArray::cumprod`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1i64, 5, 2]);
/// assert_eq!(darray::np::cumprod(&x).to_vec(), [1, 5, 10]);
/// ```
#[track_caller]
pub fn cumprod<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.cumprod()
}

//! Counts and places.

use crate::{DArray, Element, Integral, Number, Operand};

/// How often each number occurs; see [`DArray::bincount`].
///
/// ```
/// let keys = darray::DArray::from_vec(vec![2, 0, 2]);
/// assert_eq!(darray::np::bincount(&keys, 0).to_vec(), [1, 0, 2]);
/// ```
#[track_caller]
pub fn bincount<T: Integral + Number>(keys: &DArray<T>, minlength: usize) -> DArray<i64> {
    keys.bincount(minlength)
}

/// The sums of the weights of equal keys; see [`DArray::bincount_weighted`].
///
/// ```
/// let keys = darray::DArray::from_vec(vec![2, 0, 2]);
/// let weights = darray::DArray::from_vec(vec![0.5, 1.0, 2.0]);
/// assert_eq!(darray::np::bincount_weighted(&keys, &weights, 0).to_vec(), [1.0, 0.0, 2.5]);
/// ```
#[track_caller]
pub fn bincount_weighted<T: Integral + Number, W: Element>(
    keys: &DArray<T>,
    weights: &DArray<W>,
    minlength: usize,
) -> DArray<f64> {
    keys.bincount_weighted(weights, minlength)
}

/// Adds values at indices along the first axis: `np.add.at`; see [`DArray::add_at`].
///
/// ```
/// let x = darray::DArray::<i64>::zeros(3);
/// darray::np::add_at(&x, &darray::DArray::from_vec(vec![1, 1]), 5);
/// assert_eq!(x.to_vec(), [0, 10, 0]);
/// ```
#[track_caller]
pub fn add_at<T: Element, I: Integral + Number, R: Operand<T, Output = T>>(
    x: &DArray<T>,
    indices: &DArray<I>,
    values: R,
) {
    x.add_at(indices, values);
}

/// How many elements fall into each of some bins, and the edges; see [`DArray::histogram`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]);
/// assert_eq!(darray::np::histogram(&x, 2).0.to_vec(), [3, 1]);
/// ```
#[track_caller]
pub fn histogram<T: Element>(x: &DArray<T>, bins: usize) -> (DArray<i64>, DArray<T::Inexact>) {
    x.histogram(bins)
}

/// The same of bins that span a range; see [`DArray::histogram_range`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]);
/// assert_eq!(darray::np::histogram_range(&x, 2, (0.0, 1.0)).0.to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn histogram_range<T: Element>(
    x: &DArray<T>,
    bins: usize,
    range: (f64, f64),
) -> (DArray<i64>, DArray<T::Inexact>) {
    x.histogram_range(bins, range)
}

/// The same of bins with these edges; see [`DArray::histogram_edges`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]);
/// let edges = darray::DArray::from_vec(vec![0.0, 0.7, 2.0]);
/// assert_eq!(darray::np::histogram_edges(&x, &edges).to_vec(), [2, 2]);
/// ```
#[track_caller]
pub fn histogram_edges<T: Element, U: Element>(x: &DArray<T>, edges: &DArray<U>) -> DArray<i64> {
    x.histogram_edges(edges)
}

/// The first places of values in an ascending array; see [`DArray::searchsorted`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 2, 2, 5]);
/// let values = darray::DArray::from_vec(vec![2, 9]);
/// assert_eq!(darray::np::searchsorted(&x, &values).to_vec(), [1, 4]);
/// ```
#[track_caller]
pub fn searchsorted<T: Element, U: Element>(x: &DArray<T>, values: &DArray<U>) -> DArray<i64> {
    x.searchsorted(values)
}

/// The last places of values in an ascending array; see [`DArray::searchsorted_right`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 2, 2, 5]);
/// let values = darray::DArray::from_vec(vec![2, 9]);
/// assert_eq!(darray::np::searchsorted_right(&x, &values).to_vec(), [3, 4]);
/// ```
#[track_caller]
pub fn searchsorted_right<T: Element, U: Element>(
    x: &DArray<T>,
    values: &DArray<U>,
) -> DArray<i64> {
    x.searchsorted_right(values)
}

/// The bins that elements fall into; see [`DArray::digitize`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.5, 1.0, 7.0]);
/// let edges = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::digitize(&x, &edges).to_vec(), [0, 1, 2]);
/// ```
#[track_caller]
pub fn digitize<T: Element, U: Element>(x: &DArray<T>, edges: &DArray<U>) -> DArray<i64> {
    x.digitize(edges)
}

/// The same of bins that end with an edge; see [`DArray::digitize_right`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.5, 1.0, 7.0]);
/// let edges = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::digitize_right(&x, &edges).to_vec(), [0, 0, 2]);
/// ```
#[track_caller]
pub fn digitize_right<T: Element, U: Element>(x: &DArray<T>, edges: &DArray<U>) -> DArray<i64> {
    x.digitize_right(edges)
}

//! Counts and places.

use crate::error::expect_at_caller;
use crate::{Bins, DArray, Element, Integral, Number, Operand};

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
pub fn histogram<T: Element>(
    x: &DArray<T>,
    bins: impl Into<Bins>,
) -> (DArray<i64>, DArray<T::Inexact>) {
    x.histogram(bins)
}

/// The edges of the bins of a [`histogram`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0, 2.0]);
/// assert_eq!(darray::np::histogram_bin_edges(&x, 2).to_vec(), [0.0, 1.0, 2.0]);
/// ```
#[track_caller]
pub fn histogram_bin_edges<T: Element>(x: &DArray<T>, bins: impl Into<Bins>) -> DArray<T::Inexact> {
    let edges = expect_at_caller(x.as_dyn().histogram_bin_edges(bins));
    DArray::wrap(expect_at_caller(edges.cast(T::Inexact::DTYPE)))
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

//! Counts and places.

use crate::error::expect_at_caller;
use crate::{AsArray, Assignable, Bins, DArray, Element, Integral, MinLength, Number};

/// How often each number occurs; see [`DArray::bincount`]. With weights: [`bincount_weighted`].
///
/// ```
/// let keys = darray::DArray::from_vec(vec![2, 0, 2]);
/// assert_eq!(darray::np::bincount(&keys, 0).to_vec(), [1, 0, 2]);
/// ```
#[track_caller]
pub fn bincount<T: Integral>(keys: impl AsArray<T>, minlength: impl MinLength) -> DArray<i64> {
    keys.as_array().bincount(minlength)
}

/// The sums of the weights of equal keys; see [`DArray::bincount_weighted`].
///
/// ```
/// let keys = darray::DArray::from_vec(vec![2, 0, 2]);
/// let weights = darray::DArray::from_vec(vec![0.5, 1.0, 2.0]);
/// assert_eq!(darray::np::bincount_weighted(&keys, &weights, 0).to_vec(), [1.0, 0.0, 2.5]);
/// ```
#[track_caller]
pub fn bincount_weighted<T: Integral, W: Element>(
    keys: impl AsArray<T>,
    weights: impl AsArray<W>,
    minlength: impl MinLength,
) -> DArray<f64> {
    keys.as_array().bincount_weighted(weights.as_array(), minlength)
}

/// Adds values at indices along the first axis: `np.add.at`; see [`DArray::add_at`].
///
/// ```
/// let x = darray::DArray::<i64>::zeros(3);
/// darray::np::add_at(&x, &darray::DArray::from_vec(vec![1, 1]), 5);
/// assert_eq!(x.to_vec(), [0, 10, 0]);
/// ```
#[track_caller]
pub fn add_at<T: Element, I: Integral + Number, R: Assignable<T>>(
    x: impl AsArray<T>,
    indices: impl AsArray<I>,
    values: R,
) {
    x.as_array().add_at(indices.as_array(), values);
}

/// How many elements fall into each of some bins, and the edges; see [`DArray::histogram`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0, 0.5, 0.75, 2.0]);
/// assert_eq!(darray::np::histogram(&x, 2).0.to_vec(), [3, 1]);
/// ```
#[track_caller]
pub fn histogram<T: Element>(
    x: impl AsArray<T>,
    bins: impl Into<Bins>,
) -> (DArray<i64>, DArray<T::Inexact>) {
    x.as_array().histogram(bins)
}

/// The edges of the bins of a [`histogram`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0, 2.0]);
/// assert_eq!(darray::np::histogram_bin_edges(&x, 2).to_vec(), [0.0, 1.0, 2.0]);
/// ```
#[track_caller]
pub fn histogram_bin_edges<T: Element>(
    x: impl AsArray<T>,
    bins: impl Into<Bins>,
) -> DArray<T::Inexact> {
    let edges = expect_at_caller(x.as_array().as_dyn().histogram_bin_edges(bins));
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
pub fn searchsorted<T: Element, U: Element>(
    x: impl AsArray<T>,
    values: impl AsArray<U>,
) -> DArray<i64> {
    x.as_array().searchsorted(values.as_array())
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
    x: impl AsArray<T>,
    values: impl AsArray<U>,
) -> DArray<i64> {
    x.as_array().searchsorted_right(values.as_array())
}

/// The bins that elements fall into; see [`DArray::digitize`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.5, 1.0, 7.0]);
/// let edges = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::digitize(&x, &edges).to_vec(), [0, 1, 2]);
/// ```
#[track_caller]
pub fn digitize<T: Element, U: Element>(x: impl AsArray<T>, edges: impl AsArray<U>) -> DArray<i64> {
    x.as_array().digitize(edges.as_array())
}

/// The same of bins that end with an edge; see [`DArray::digitize_right`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.5, 1.0, 7.0]);
/// let edges = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::digitize_right(&x, &edges).to_vec(), [0, 0, 2]);
/// ```
#[track_caller]
pub fn digitize_right<T: Element, U: Element>(
    x: impl AsArray<T>,
    edges: impl AsArray<U>,
) -> DArray<i64> {
    x.as_array().digitize_right(edges.as_array())
}

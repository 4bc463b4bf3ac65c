//! Distinct and greatest elements; and sorting, along an axis or with `..` of all elements.

use crate::error::expect_at_caller;
use crate::{Along, AsArray, DArray, DynArray, Element, Unique};

/// The elements in ascending order along an axis, or all of them; see [`DArray::sort`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![4, 3, 2, 1]);
/// assert_eq!(darray::np::sort(&x, None).to_vec(), [1, 2, 3, 4]);
/// ```
#[track_caller]
pub fn sort<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T> {
    x.as_array().sort(axis)
}

/// The indices that sort along an axis, or all elements; see [`DArray::argsort`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![4, 3, 2, 1]);
/// assert_eq!(darray::np::argsort(&x, 0).to_vec(), [1, 1, 0, 0]);
/// ```
#[track_caller]
pub fn argsort<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<i64> {
    x.as_array().argsort(axis)
}

/// The distinct elements in ascending order; see [`DArray::unique`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 1, 3]);
/// assert_eq!(darray::np::unique(&x).to_vec(), [1, 3]);
/// ```
#[track_caller]
pub fn unique<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().unique()
}

/// The distinct elements, and how many are equal to each; see [`DArray::unique_counts`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 1, 3]);
/// assert_eq!(darray::np::unique_counts(&x).1.to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn unique_counts<T: Element>(x: impl AsArray<T>) -> (DArray<T>, DArray<i64>) {
    x.as_array().unique_counts()
}

/// The distinct elements, and of each element the place of its value; see [`DArray::unique_inverse`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 1, 3]);
/// assert_eq!(darray::np::unique_inverse(&x).1.to_vec(), [1, 0, 1]);
/// ```
#[track_caller]
pub fn unique_inverse<T: Element>(x: impl AsArray<T>) -> (DArray<T>, DArray<i64>) {
    x.as_array().unique_inverse()
}

/// The distinct elements and what there is to know of them; see [`DArray::unique_all`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 1, 3]);
/// assert_eq!(darray::np::unique_all(&x).indices.to_vec(), [1, 0]);
/// ```
#[track_caller]
pub fn unique_all<T: Element>(x: impl AsArray<T>) -> Unique<T> {
    x.as_array().unique_all()
}

/// The greatest elements, and their indices; see [`DArray::topk`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 9, 5]);
/// assert_eq!(darray::np::topk(&x, 2).0.to_vec(), [9, 5]);
/// ```
#[track_caller]
pub fn topk<T: Element>(x: impl AsArray<T>, k: usize) -> (DArray<T>, DArray<i64>) {
    x.as_array().topk(k)
}

/// The elements such that one is where a sort would have it; see [`DArray::partition`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 9, 5]);
/// assert_eq!(darray::np::partition(&x, 1, -1).get(1), 5);
/// ```
#[track_caller]
pub fn partition<T: Element>(x: impl AsArray<T>, kth: isize, axis: impl Into<Along>) -> DArray<T> {
    x.as_array().partition(kth, axis)
}

/// The indices of the elements of [`partition`]; see [`DArray::argpartition`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 9, 5]);
/// assert_eq!(darray::np::argpartition(&x, 1, -1).get(1), 2);
/// ```
#[track_caller]
pub fn argpartition<T: Element>(
    x: impl AsArray<T>,
    kth: isize,
    axis: impl Into<Along>,
) -> DArray<i64> {
    x.as_array().argpartition(kth, axis)
}

/// The indices that sort by several keys, the last of which counts most; see [`DynArray::lexsort`]. Keys of several types: `.as_dyn()`.
///
/// ```
/// use darray::{DArray, np};
/// let (minor, major) = (DArray::from_vec(vec![2, 1, 3]), DArray::from_vec(vec![1.5, 1.5, 0.0]));
/// assert_eq!(np::lexsort(&[minor.as_dyn(), major.as_dyn()]).to_vec(), [2, 1, 0]);
/// ```
#[track_caller]
pub fn lexsort(keys: &[&DynArray]) -> DArray<i64> {
    DArray::wrap(expect_at_caller(DynArray::lexsort(keys)))
}

/// The distinct elements in ascending order: [`unique`] under the array API's name.
///
/// ```
/// let x = darray::DArray::from_vec(vec![3, 1, 3]);
/// assert_eq!(darray::np::unique_values(&x).to_vec(), [1, 3]);
/// ```
#[track_caller]
pub fn unique_values<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().unique_values()))
}

//! Elements by arrays of indices, and by masks.

mod grids;

pub use grids::*;

use crate::{Along, AsArray, Assignable, DArray, Element, Integral, Number};

/// The elements at these indices along an axis; see [`DArray::take`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
/// let indices = darray::DArray::from_vec(vec![1]);
/// assert_eq!(darray::np::take(&x, &indices, 1).to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn take<T: Element, I: Integral + Number>(
    x: impl AsArray<T>,
    indices: impl AsArray<I>,
    axis: impl Into<Along>,
) -> DArray<T> {
    x.as_array().take(indices.as_array(), axis)
}

/// The elements at indices of their own along an axis; see [`DArray::take_along_axis`].
///
/// ```
/// use darray::{DArray, np};
/// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 4, 3]);
/// let order = np::argsort(&x, -1);
/// assert_eq!(np::take_along_axis(&x, &order, 1).to_vec(), [1, 2, 3, 4]);
/// ```
#[track_caller]
pub fn take_along_axis<T: Element, I: Integral + Number>(
    x: impl AsArray<T>,
    indices: impl AsArray<I>,
    axis: isize,
) -> DArray<T> {
    x.as_array().take_along_axis(indices.as_array(), axis)
}

/// Writes values at these indices in row-major order; see [`DArray::put`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5, 6, 7]);
/// darray::np::put(&x, &darray::DArray::from_vec(vec![2, 0]), 1);
/// assert_eq!(x.to_vec(), [1, 6, 1]);
/// ```
#[track_caller]
pub fn put<T: Element, I: Integral + Number, R: Assignable<T>>(
    x: impl AsArray<T>,
    indices: impl AsArray<I>,
    values: R,
) {
    x.as_array().put(indices.as_array(), values);
}

/// Writes values at indices of their own along an axis; see [`DArray::put_along_axis`].
///
/// ```
/// use darray::{DArray, np};
/// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 4, 3]);
/// np::put_along_axis(&x, &DArray::from_shape_vec((2, 1), vec![0, 1]), 9, 1);
/// assert_eq!(x.to_vec(), [9, 2, 4, 9]);
/// ```
#[track_caller]
pub fn put_along_axis<T: Element, I: Integral + Number, R: Assignable<T>>(
    x: impl AsArray<T>,
    indices: impl AsArray<I>,
    values: R,
    axis: isize,
) {
    x.as_array().put_along_axis(indices.as_array(), values, axis);
}

/// The indices of an axis that a mask holds; see [`DArray::compress`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
/// let mask = darray::DArray::from_vec(vec![false, true]);
/// assert_eq!(darray::np::compress(&mask, &x, 1).to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn compress<T: Element>(
    mask: impl AsArray<bool>,
    x: impl AsArray<T>,
    axis: impl Into<Along>,
) -> DArray<T> {
    x.as_array().compress(mask.as_array(), axis)
}

/// The elements that a mask of as many elements holds; see [`DArray::extract`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
/// assert_eq!(darray::np::extract(&x.gt(2), &x).to_vec(), [3, 4]);
/// ```
#[track_caller]
pub fn extract<T: Element>(mask: impl AsArray<bool>, x: impl AsArray<T>) -> DArray<T> {
    x.as_array().extract(mask.as_array())
}

/// The places of what is not 0; see [`DArray::flatnonzero`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0, 6, 7]);
/// assert_eq!(darray::np::flatnonzero(&x).to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn flatnonzero<T: Element>(x: impl AsArray<T>) -> DArray<i64> {
    x.as_array().flatnonzero()
}

/// For each axis the indices of what is not 0; see [`DArray::nonzero`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((1, 3), vec![0, 6, 7]);
/// assert_eq!(darray::np::nonzero(&x)[1].to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn nonzero<T: Element>(x: impl AsArray<T>) -> Vec<DArray<i64>> {
    x.as_array().nonzero()
}

/// The indices of what is not 0, a row for each; see [`DArray::argwhere`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((1, 3), vec![0, 6, 7]);
/// assert_eq!(darray::np::argwhere(&x).to_vec(), [0, 1, 0, 2]);
/// ```
#[track_caller]
pub fn argwhere<T: Element>(x: impl AsArray<T>) -> DArray<i64> {
    x.as_array().argwhere()
}

//! Elements by arrays of indices, and by masks.

mod grids;

pub use grids::*;

use crate::{Along, DArray, Element, Integral, Number, Operand};

/// The elements at these indices along an axis; see [`DArray::take`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
/// let indices = darray::DArray::from_vec(vec![1]);
/// assert_eq!(darray::np::take(&x, &indices, 1).to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn take<T: Element, I: Integral + Number>(
    x: &DArray<T>,
    indices: &DArray<I>,
    axis: impl Into<Along>,
) -> DArray<T> {
    x.take(indices, axis)
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
    x: &DArray<T>,
    indices: &DArray<I>,
    axis: isize,
) -> DArray<T> {
    x.take_along_axis(indices, axis)
}

/// Writes values at these indices in row-major order; see [`DArray::put`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![5, 6, 7]);
/// darray::np::put(&x, &darray::DArray::from_vec(vec![2, 0]), 1);
/// assert_eq!(x.to_vec(), [1, 6, 1]);
/// ```
#[track_caller]
pub fn put<T: Element, I: Integral + Number, R: Operand<T, Output = T>>(
    x: &DArray<T>,
    indices: &DArray<I>,
    values: R,
) {
    x.put(indices, values);
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
pub fn put_along_axis<T: Element, I: Integral + Number, R: Operand<T, Output = T>>(
    x: &DArray<T>,
    indices: &DArray<I>,
    values: R,
    axis: isize,
) {
    x.put_along_axis(indices, values, axis);
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
    mask: &DArray<bool>,
    x: &DArray<T>,
    axis: impl Into<Along>,
) -> DArray<T> {
    x.compress(mask, axis)
}

/// The elements that a mask of as many elements holds; see [`DArray::extract`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
/// assert_eq!(darray::np::extract(&x.gt(2), &x).to_vec(), [3, 4]);
/// ```
#[track_caller]
pub fn extract<T: Element>(mask: &DArray<bool>, x: &DArray<T>) -> DArray<T> {
    x.extract(mask)
}

/// The places of what is not 0; see [`DArray::flatnonzero`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0, 6, 7]);
/// assert_eq!(darray::np::flatnonzero(&x).to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn flatnonzero<T: Element>(x: &DArray<T>) -> DArray<i64> {
    x.flatnonzero()
}

/// For each axis the indices of what is not 0; see [`DArray::nonzero`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((1, 3), vec![0, 6, 7]);
/// assert_eq!(darray::np::nonzero(&x)[1].to_vec(), [1, 2]);
/// ```
#[track_caller]
pub fn nonzero<T: Element>(x: &DArray<T>) -> Vec<DArray<i64>> {
    x.nonzero()
}

/// The indices of what is not 0, a row for each; see [`DArray::argwhere`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((1, 3), vec![0, 6, 7]);
/// assert_eq!(darray::np::argwhere(&x).to_vec(), [0, 1, 0, 2]);
/// ```
#[track_caller]
pub fn argwhere<T: Element>(x: &DArray<T>) -> DArray<i64> {
    x.argwhere()
}

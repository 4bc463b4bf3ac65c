//! Elements added, left out, and parts.

use crate::error::expect_at_caller;
use crate::{Along, AsArray, DArray, DynArray, Element, IntoShape, Operand, Promote, Sections};

/// An axis before another one; see [`DynArray::rollaxis`].
///
/// ```
/// let x: darray::DArray = darray::DArray::ones((2, 3, 4));
/// assert_eq!(darray::np::rollaxis(&x, 2, 0).shape(), [4, 2, 3]);
/// ```
#[track_caller]
pub fn rollaxis<T: Element>(x: impl AsArray<T>, axis: isize, start: isize) -> DArray<T> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().rollaxis(axis, start)))
}

/// Values behind the elements; see [`DynArray::append`].
///
/// ```
/// use darray::{DArray, np};
/// let x = DArray::from(vec![1, 2]);
/// assert_eq!(np::append(&x, &DArray::from(vec![3]), ..).to_vec(), [1, 2, 3]);
/// ```
#[track_caller]
pub fn append<T: Element + Promote<U>, U: Element>(
    x: impl AsArray<T>,
    values: impl AsArray<U>,
    axis: impl Into<Along>,
) -> DArray<<T as Promote<U>>::Output> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().append(values.as_array().as_dyn(), axis)))
}

/// What is left without some elements; see [`DynArray::delete`].
///
/// ```
/// let x = darray::DArray::from(vec![5, 6, 7]);
/// assert_eq!(darray::np::delete(&x, &[1], 0).to_vec(), [5, 7]);
/// ```
#[track_caller]
pub fn delete<T: Element>(
    x: impl AsArray<T>,
    indices: &[isize],
    axis: impl Into<Along>,
) -> DArray<T> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().delete(indices, axis)))
}

/// Values before an element; see [`DynArray::insert`].
///
/// ```
/// let x = darray::DArray::from(vec![5, 7]);
/// assert_eq!(darray::np::insert(&x, 1, 6, ..).to_vec(), [5, 6, 7]);
/// ```
#[track_caller]
pub fn insert<T: Element, R: Operand<T, Output = T>>(
    x: impl AsArray<T>,
    index: isize,
    values: R,
    axis: impl Into<Along>,
) -> DArray<T> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().insert(index, values.argument(), axis)))
}

/// The elements over and over in another shape; see [`DynArray::resize`].
///
/// ```
/// let x = darray::DArray::from(vec![1, 2, 3]);
/// assert_eq!(darray::np::resize(&x, (2, 2)).to_vec(), [1, 2, 3, 1]);
/// ```
#[track_caller]
pub fn resize<T: Element>(x: impl AsArray<T>, shape: impl IntoShape) -> DArray<T> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().resize(shape)))
}

/// Powers of a vector's elements, the highest first; see [`DynArray::vander`].
///
/// ```
/// let x = darray::DArray::from(vec![2i64, 3]);
/// assert_eq!(darray::np::vander(&x, 3).to_vec(), [4, 2, 1, 9, 3, 1]);
/// ```
#[track_caller]
pub fn vander<T: Element + Promote<i64>>(
    x: impl AsArray<T>,
    columns: usize,
) -> DArray<<T as Promote<i64>>::Output> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().vander(columns, false)))
}

/// The parts along an axis, without it; see [`DynArray::unstack`].
///
/// ```
/// let x = darray::DArray::from([[1, 2], [3, 4]]);
/// assert_eq!(darray::np::unstack(&x, 1)[1].to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn unstack<T: Element>(x: impl AsArray<T>, axis: isize) -> Vec<DArray<T>> {
    wrapped(expect_at_caller(x.as_array().as_dyn().unstack(axis)))
}

/// Parts along the second axis; see [`DynArray::hsplit`].
///
/// ```
/// let x = darray::DArray::from([[1, 2], [3, 4]]);
/// assert_eq!(darray::np::hsplit(&x, 2)[1].to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn hsplit<T: Element>(x: impl AsArray<T>, sections: impl Into<Sections>) -> Vec<DArray<T>> {
    wrapped(expect_at_caller(x.as_array().as_dyn().hsplit(sections)))
}

/// Parts along the first axis; see [`DynArray::vsplit`].
///
/// ```
/// let x = darray::DArray::from([[1, 2], [3, 4]]);
/// assert_eq!(darray::np::vsplit(&x, 2)[1].to_vec(), [3, 4]);
/// ```
#[track_caller]
pub fn vsplit<T: Element>(x: impl AsArray<T>, sections: impl Into<Sections>) -> Vec<DArray<T>> {
    wrapped(expect_at_caller(x.as_array().as_dyn().vsplit(sections)))
}

/// Parts along the third axis; see [`DynArray::dsplit`].
///
/// ```
/// let x = darray::DArray::from([[1, 2], [3, 4]]).reshape((1, 2, 2));
/// assert_eq!(darray::np::dsplit(&x, 2)[1].to_vec(), [2, 4]);
/// ```
#[track_caller]
pub fn dsplit<T: Element>(x: impl AsArray<T>, sections: impl Into<Sections>) -> Vec<DArray<T>> {
    wrapped(expect_at_caller(x.as_array().as_dyn().dsplit(sections)))
}

/// Writes a value to the main diagonal of the first two axes: `x.diagonal(0).assign(value)`.
///
/// ```
/// let x = darray::DArray::from([[1, 2], [3, 4]]);
/// darray::np::fill_diagonal(&x, 0);
/// assert_eq!(x.to_vec(), [0, 2, 3, 0]);
/// ```
#[track_caller]
pub fn fill_diagonal<T: Element, R: Operand<T, Output = T>>(x: impl AsArray<T>, value: R) {
    x.as_array().diagonal(0).assign(value);
}

/// Arrays of one element type.
fn wrapped<T: Element>(arrays: Vec<DynArray>) -> Vec<DArray<T>> {
    arrays.into_iter().map(DArray::wrap).collect()
}

//! Other shapes of the same elements.

mod arrangement;

pub use arrangement::*;

use crate::{
    Arrays, AsArray, Axes, DArray, Element, IntoShape, PadWidths, Padding, Sections, Shape, Shifts,
};

/// The extents; see [`DArray::shape`], and [`DArray::dims`] for extents that are taken apart.
///
/// ```
/// use darray::np;
/// assert_eq!(*np::shape(np::zeros((2, 3))), [2, 3]);
/// ```
pub fn shape<T: Element>(x: impl AsArray<T>) -> Shape {
    x.as_array().as_dyn().shape_of().clone()
}

/// The number of axes; see [`DArray::ndim`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::ndim(np::zeros((2, 3))), 2);
/// ```
pub fn ndim<T: Element>(x: impl AsArray<T>) -> usize {
    x.as_array().ndim()
}

/// The number of elements; see [`DArray::size`].
///
/// ```
/// use darray::np;
/// assert_eq!(np::size(np::zeros((2, 3))), 6);
/// ```
pub fn size<T: Element>(x: impl AsArray<T>) -> usize {
    x.as_array().size()
}

/// The same elements in row-major order under another shape; see [`DArray::reshape`].
///
/// ```
/// let x = darray::np::zeros((2, 3));
/// assert_eq!(darray::np::reshape(&x, (3, -1)).shape(), [3, 2]);
/// ```
#[track_caller]
pub fn reshape<T: Element>(x: impl AsArray<T>, shape: impl IntoShape) -> DArray<T> {
    x.as_array().reshape(shape)
}

/// The elements as one axis, where possible as a view; see [`DArray::ravel`].
///
/// ```
/// let x = darray::np::zeros((2, 3));
/// assert_eq!(darray::np::ravel(&x).shape(), [6]);
/// ```
#[track_caller]
pub fn ravel<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().ravel()
}

/// New axes of extent 1; see [`DArray::expand_dims`].
///
/// ```
/// let x = darray::np::zeros(3);
/// assert_eq!(darray::np::expand_dims(&x, 0).shape(), [1, 3]);
/// ```
#[track_caller]
pub fn expand_dims<T: Element>(x: impl AsArray<T>, axis: impl Into<Axes>) -> DArray<T> {
    x.as_array().expand_dims(axis)
}

/// Without axes of extent 1; see [`DArray::squeeze`].
///
/// ```
/// let x = darray::np::zeros((1, 3));
/// assert_eq!(darray::np::squeeze(&x, ..).shape(), [3]);
/// ```
#[track_caller]
pub fn squeeze<T: Element>(x: impl AsArray<T>, axis: impl Into<Axes>) -> DArray<T> {
    x.as_array().squeeze(axis)
}

/// Two axes in each other's place; see [`DArray::swap_axes`].
///
/// ```
/// let x = darray::np::zeros((2, 3, 4));
/// assert_eq!(darray::np::swapaxes(&x, 0, 2).shape(), [4, 3, 2]);
/// ```
#[track_caller]
pub fn swapaxes<T: Element>(x: impl AsArray<T>, axis1: isize, axis2: isize) -> DArray<T> {
    x.as_array().swap_axes(axis1, axis2)
}

/// Axes moved to other places; see [`DArray::moveaxis`].
///
/// ```
/// let x = darray::np::zeros((2, 3, 4));
/// assert_eq!(darray::np::moveaxis(&x, 0, -1).shape(), [3, 4, 2]);
/// ```
#[track_caller]
pub fn moveaxis<T: Element>(
    x: impl AsArray<T>,
    source: impl Into<Axes>,
    destination: impl Into<Axes>,
) -> DArray<T> {
    x.as_array().moveaxis(source, destination)
}

/// The axes in another order, `..` for the reverse; see [`DArray::transpose`].
///
/// ```
/// let x = darray::np::zeros((2, 3, 4));
/// assert_eq!(darray::np::transpose(&x, [2, 0, 1]).shape(), [4, 2, 3]);
/// ```
#[track_caller]
pub fn transpose<T: Element>(x: impl AsArray<T>, axes: impl Into<Axes>) -> DArray<T> {
    x.as_array().transpose(axes)
}

/// The elements in reverse order along axes; see [`DArray::flip`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::flip(&x, ..).to_vec(), [2.0, 1.0]);
/// ```
#[track_caller]
pub fn flip<T: Element>(x: impl AsArray<T>, axis: impl Into<Axes>) -> DArray<T> {
    x.as_array().flip(axis)
}

/// The main diagonal of the first two axes, as a view that can be written; others: see [`DArray::diagonal`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(darray::np::diagonal(&x).to_vec(), [1.0, 4.0]);
/// ```
#[track_caller]
pub fn diagonal<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().diagonal(0)
}

/// Equal parts, or the parts between indices, as views; see [`DArray::split`].
///
/// ```
/// let x = darray::np::arange(6);
/// assert_eq!(darray::np::split(&x, 3, 0)[1].to_vec(), [2, 3]);
/// ```
#[track_caller]
pub fn split<T: Element>(
    x: impl AsArray<T>,
    sections: impl Into<Sections>,
    axis: isize,
) -> Vec<DArray<T>> {
    x.as_array().split(sections, axis)
}

/// As [`split`], with parts of unequal lengths where they must be; see [`DArray::array_split`].
///
/// ```
/// let x = darray::np::arange(5);
/// assert_eq!(darray::np::array_split(&x, 2, 0)[1].to_vec(), [3, 4]);
/// ```
#[track_caller]
pub fn array_split<T: Element>(
    x: impl AsArray<T>,
    sections: impl Into<Sections>,
    axis: isize,
) -> Vec<DArray<T>> {
    x.as_array().array_split(sections, axis)
}

/// Repeated to a larger shape, as a view; see [`DArray::broadcast_to`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::broadcast_to(&x, (2, 2)).to_vec(), [1.0, 2.0, 1.0, 2.0]);
/// ```
#[track_caller]
pub fn broadcast_to<T: Element>(x: impl AsArray<T>, shape: impl IntoShape) -> DArray<T> {
    x.as_array().broadcast_to(shape)
}

/// Arrays repeated to one shape, as views; see [`DArray::broadcast_arrays`].
///
/// ```
/// use darray::np;
/// let (x, y) = (np::zeros((2, 1)), np::zeros(3));
/// assert_eq!(np::broadcast_arrays(&[&x, &y])[1].shape(), [2, 3]);
/// ```
#[track_caller]
pub fn broadcast_arrays<T: Element>(arrays: impl Arrays<T>) -> Vec<DArray<T>> {
    DArray::broadcast_arrays(arrays)
}

/// Arrays one after the other along the first axis; along another [`DArray::concatenate`].
///
/// ```
/// use darray::np;
/// let x = np::zeros(1);
/// assert_eq!(np::concatenate([&x, &np::ones(2)]).to_vec(), [0.0, 1.0, 1.0]);
/// assert_eq!(np::concatenate((&x, np::ones(2))).to_vec(), [0.0, 1.0, 1.0]);
/// ```
#[track_caller]
pub fn concatenate<T: Element>(arrays: impl Arrays<T>) -> DArray<T> {
    DArray::concatenate(arrays, 0)
}

/// Arrays side by side along a new first axis; along another [`DArray::stack`].
///
/// ```
/// use darray::np;
/// let x = np::zeros(3);
/// assert_eq!(np::stack([&x, &x]).shape(), [2, 3]);
/// ```
#[track_caller]
pub fn stack<T: Element>(arrays: impl Arrays<T>) -> DArray<T> {
    DArray::stack(arrays, 0)
}

/// Arrays one below the other; see [`DArray::vstack`].
///
/// ```
/// let x = darray::np::zeros(3);
/// assert_eq!(darray::np::vstack(&[&x, &x]).shape(), [2, 3]);
/// ```
#[track_caller]
pub fn vstack<T: Element>(arrays: impl Arrays<T>) -> DArray<T> {
    DArray::vstack(arrays)
}

/// Arrays beside each other; see [`DArray::hstack`].
///
/// ```
/// let x = darray::np::zeros(3);
/// assert_eq!(darray::np::hstack(&[&x, &x]).shape(), [6]);
/// ```
#[track_caller]
pub fn hstack<T: Element>(arrays: impl Arrays<T>) -> DArray<T> {
    DArray::hstack(arrays)
}

/// Each element several times; see [`DArray::repeat`].
///
/// ```
/// let x = darray::np::arange(2);
/// assert_eq!(darray::np::repeat(&x, 2, 0).to_vec(), [0, 0, 1, 1]);
/// ```
#[track_caller]
pub fn repeat<T: Element>(x: impl AsArray<T>, repeats: usize, axis: impl Into<Axes>) -> DArray<T> {
    x.as_array().repeat(repeats, axis)
}

/// The whole array several times; see [`DArray::tile`].
///
/// ```
/// let x = darray::np::arange(2);
/// assert_eq!(darray::np::tile(&x, 2).to_vec(), [0, 1, 0, 1]);
/// ```
#[track_caller]
pub fn tile<T: Element>(x: impl AsArray<T>, reps: impl IntoShape) -> DArray<T> {
    x.as_array().tile(reps)
}

/// Elements moved along axes and around their ends; see [`DArray::roll`].
///
/// ```
/// let x = darray::np::arange(3);
/// assert_eq!(darray::np::roll(&x, 1, 0).to_vec(), [2, 0, 1]);
/// ```
#[track_caller]
pub fn roll<T: Element>(
    x: impl AsArray<T>,
    shift: impl Into<Shifts>,
    axis: impl Into<Axes>,
) -> DArray<T> {
    x.as_array().roll(shift, axis)
}

/// The array with a border, of a number or by a [`PadMode`](crate::PadMode); see [`DArray::pad`].
///
/// ```
/// use darray::{PadMode, np};
/// let x = np::arange(2);
/// assert_eq!(np::pad(&x, 1, 7).to_vec(), [7, 0, 1, 7]);
/// assert_eq!(np::pad(&x, 1, PadMode::Edge).to_vec(), [0, 0, 1, 1]);
/// ```
#[track_caller]
pub fn pad<T: Element>(
    x: impl AsArray<T>,
    pad_width: impl Into<PadWidths>,
    border: impl Padding<T>,
) -> DArray<T> {
    x.as_array().pad(pad_width, border)
}

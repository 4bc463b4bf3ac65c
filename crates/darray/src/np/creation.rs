//! Making arrays.

use crate::{DArray, Element, Float, Indexing, IntoShape, Number, Operand, Real, WeakScalar};
use std::borrow::Borrow;

/// An array of zeros; see [`DArray::zeros`].
///
/// ```
/// let x: darray::DArray = darray::np::zeros(2);
/// assert_eq!(x.to_vec(), [0.0, 0.0]);
/// ```
#[track_caller]
pub fn zeros<T: Element>(shape: impl IntoShape) -> DArray<T> {
    DArray::zeros(shape)
}

/// An array of ones; see [`DArray::ones`].
///
/// ```
/// let x: darray::DArray = darray::np::ones(2);
/// assert_eq!(x.to_vec(), [1.0, 1.0]);
/// ```
#[track_caller]
pub fn ones<T: Element>(shape: impl IntoShape) -> DArray<T> {
    DArray::ones(shape)
}

/// An array of equal elements; see [`DArray::full`].
///
/// ```
/// let x: darray::DArray = darray::np::full(2, 7);
/// assert_eq!(x.to_vec(), [7.0, 7.0]);
/// ```
#[track_caller]
pub fn full<T, V>(shape: impl IntoShape, value: V) -> DArray<T>
where
    T: Element,
    V: Into<WeakScalar> + Operand<T, Output = T>,
{
    DArray::full(shape, value)
}

/// `0, 1, .. count`, or from a start up to a stop by a step; see [`DArray::arange`] and
/// [`DArray::range`].
///
/// ```
/// let x: darray::DArray = darray::np::arange(3);
/// assert_eq!(x.to_vec(), [0.0, 1.0, 2.0]);
/// assert_eq!(darray::np::arange((1.0, 3.0)).to_vec(), [1.0, 2.0]);
/// assert_eq!(darray::np::arange((1.0, 2.0, 0.5)).to_vec(), [1.0, 1.5]);
/// ```
#[track_caller]
pub fn arange<T: Number>(bounds: impl Bounds<T>) -> DArray<T> {
    bounds.arange()
}

/// What [`arange`] runs over: a count, `(start, stop)`, or `(start, stop, step)`.
///
/// ```
/// use darray::np::{Bounds, arange};
/// fn odd<T: darray::Number>(bounds: impl Bounds<T>) -> darray::DArray<T> {
///     arange(bounds)
/// }
/// assert_eq!(odd((1i64, 6, 2)).to_vec(), [1, 3, 5]);
/// ```
pub trait Bounds<T: Number> {
    /// The numbers.
    fn arange(self) -> DArray<T>;
}

impl<T: Number> Bounds<T> for usize {
    #[track_caller]
    fn arange(self) -> DArray<T> {
        DArray::arange(self)
    }
}

impl<T: Real> Bounds<T> for (T, T) {
    #[track_caller]
    fn arange(self) -> DArray<T> {
        DArray::range(self.0, self.1, T::from_scalar(true.into()))
    }
}

impl<T: Real> Bounds<T> for (T, T, T) {
    #[track_caller]
    fn arange(self) -> DArray<T> {
        DArray::range(self.0, self.1, self.2)
    }
}

/// `count` numbers from `start` to `stop`, both included; see [`DArray::linspace`] and, for
/// `endpoint=False`, [`DArray::linspace_open`].
///
/// ```
/// assert_eq!(darray::np::linspace(0.0, 1.0, 3).to_vec(), [0.0, 0.5, 1.0]);
/// ```
#[track_caller]
pub fn linspace<T: Float>(start: T, stop: T, count: usize) -> DArray<T> {
    DArray::linspace(start, stop, count)
}

/// Powers of 10 with exponents from `start` to `stop`, both included; see [`DArray::logspace`] and,
/// for other bases, [`DArray::logspace_of`].
///
/// ```
/// assert_eq!(darray::np::logspace(0.0, 2.0, 3).to_vec(), [1.0, 10.0, 100.0]);
/// ```
#[track_caller]
pub fn logspace<T: Float>(start: T, stop: T, count: usize) -> DArray<T> {
    DArray::logspace(start, stop, count)
}

/// An array that nothing is written to; see [`DArray::empty`].
///
/// ```
/// let x: darray::DArray = darray::np::empty((2, 3));
/// assert_eq!(x.shape(), [2, 3]);
/// ```
#[track_caller]
pub fn empty<T: Element>(shape: impl IntoShape) -> DArray<T> {
    DArray::empty(shape)
}

/// As [`empty`], of another array's shape and type; see [`DArray::empty_like`].
///
/// ```
/// let x: darray::DArray = darray::np::zeros(2);
/// assert_eq!(darray::np::empty_like(&x).shape(), [2]);
/// ```
pub fn empty_like<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.empty_like()
}

/// Zeros of another array's shape and type; see [`DArray::zeros_like`].
///
/// ```
/// let x: darray::DArray = darray::np::ones(2);
/// assert_eq!(darray::np::zeros_like(&x).to_vec(), [0.0, 0.0]);
/// ```
#[track_caller]
pub fn zeros_like<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.zeros_like()
}

/// Ones of another array's shape and type; see [`DArray::ones_like`].
///
/// ```
/// let x: darray::DArray = darray::np::zeros(2);
/// assert_eq!(darray::np::ones_like(&x).to_vec(), [1.0, 1.0]);
/// ```
#[track_caller]
pub fn ones_like<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.ones_like()
}

/// Equal elements of another array's shape and type; see [`DArray::full_like`].
///
/// ```
/// let x: darray::DArray = darray::np::zeros(2);
/// assert_eq!(darray::np::full_like(&x, 7.0).to_vec(), [7.0, 7.0]);
/// ```
#[track_caller]
pub fn full_like<T, V>(x: &DArray<T>, value: V) -> DArray<T>
where
    T: Element,
    V: Into<WeakScalar> + Operand<T, Output = T>,
{
    x.full_like(value)
}

/// Ones on a diagonal, zeros elsewhere; see [`DArray::eye`].
///
/// ```
/// let x: darray::DArray = darray::np::eye(2, 2, 0);
/// assert_eq!(x.to_vec(), [1.0, 0.0, 0.0, 1.0]);
/// ```
#[track_caller]
pub fn eye<T: Element>(rows: usize, columns: usize, k: isize) -> DArray<T> {
    DArray::eye(rows, columns, k)
}

/// The square matrix with ones on its diagonal; see [`DArray::identity`].
///
/// ```
/// let x: darray::DArray = darray::np::identity(2);
/// assert_eq!(x.to_vec(), [1.0, 0.0, 0.0, 1.0]);
/// ```
#[track_caller]
pub fn identity<T: Element>(count: usize) -> DArray<T> {
    DArray::identity(count)
}

/// Ones up to a diagonal, zeros above it; see [`DArray::tri`].
///
/// ```
/// let x: darray::DArray = darray::np::tri(2, 2, 0);
/// assert_eq!(x.to_vec(), [1.0, 0.0, 1.0, 1.0]);
/// ```
#[track_caller]
pub fn tri<T: Element>(rows: usize, columns: usize, k: isize) -> DArray<T> {
    DArray::tri(rows, columns, k)
}

/// The elements up to a diagonal, zeros above it; see [`DArray::tril`].
///
/// ```
/// let x: darray::DArray = darray::np::ones((2, 2));
/// assert_eq!(darray::np::tril(&x, 0).to_vec(), [1.0, 0.0, 1.0, 1.0]);
/// ```
#[track_caller]
pub fn tril<T: Element>(x: &DArray<T>, k: isize) -> DArray<T> {
    x.tril(k)
}

/// The elements from a diagonal on, zeros below it; see [`DArray::triu`].
///
/// ```
/// let x: darray::DArray = darray::np::ones((2, 2));
/// assert_eq!(darray::np::triu(&x, 0).to_vec(), [1.0, 1.0, 0.0, 1.0]);
/// ```
#[track_caller]
pub fn triu<T: Element>(x: &DArray<T>, k: isize) -> DArray<T> {
    x.triu(k)
}

/// A matrix of a diagonal, or the diagonal of a matrix; see [`DArray::diag`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::diag(&x, 0).to_vec(), [1.0, 0.0, 0.0, 2.0]);
/// ```
#[track_caller]
pub fn diag<T: Element>(x: &DArray<T>, k: isize) -> DArray<T> {
    x.diag(k)
}

/// Coordinates of the points of a grid; see [`DArray::meshgrid`].
///
/// ```
/// use darray::{DArray, Indexing, np};
/// let (x, y) = (DArray::<f64>::arange(2), DArray::<f64>::arange(3));
/// assert_eq!(np::meshgrid(&[&x, &y], Indexing::Xy)[1].shape(), [3, 2]);
/// ```
#[track_caller]
pub fn meshgrid<T: Element, A: Borrow<DArray<T>>>(
    arrays: &[A],
    indexing: Indexing,
) -> Vec<DArray<T>> {
    DArray::meshgrid(arrays, indexing)
}

//! Making arrays.

use crate::{DArray, Element, IntoShape, Number, Operand};
use darray_core::Scalar;

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
    V: Into<Scalar> + Operand<T, Output = T>,
{
    DArray::full(shape, value)
}

/// `0, 1, .. count`; see [`DArray::arange`].
///
/// ```
/// let x: darray::DArray = darray::np::arange(3);
/// assert_eq!(x.to_vec(), [0.0, 1.0, 2.0]);
/// ```
#[track_caller]
pub fn arange<T: Number>(count: usize) -> DArray<T> {
    DArray::arange(count)
}

/// `count` numbers from `start` to `stop`, both included; see [`DArray::linspace`].
///
/// ```
/// assert_eq!(darray::np::linspace(0.0, 1.0, 3).to_vec(), [0.0, 0.5, 1.0]);
/// ```
#[track_caller]
pub fn linspace(start: f64, stop: f64, count: usize) -> DArray<f64> {
    DArray::linspace(start, stop, count)
}

//! Differences of neighbours.

use crate::{DArray, Element};

/// Each element along the last axis from the next; see [`DArray::diff`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 4, 9]);
/// assert_eq!(darray::np::diff(&x).to_vec(), [3, 5]);
/// ```
#[track_caller]
pub fn diff<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.diff()
}

/// The same along an axis, `n` times over; see [`DArray::diff_axis`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 4, 9]);
/// assert_eq!(darray::np::diff_axis(&x, 2, 0).to_vec(), [2]);
/// ```
#[track_caller]
pub fn diff_axis<T: Element>(x: &DArray<T>, n: usize, axis: isize) -> DArray<T> {
    x.diff_axis(n, axis)
}

/// Slopes along the last axis; see [`DArray::gradient`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0, 4.0]);
/// assert_eq!(darray::np::gradient(&x, 1.0).to_vec(), [1.0, 1.5, 2.0]);
/// ```
#[track_caller]
pub fn gradient<T: Element>(x: &DArray<T>, spacing: f64) -> DArray<T::Inexact> {
    x.gradient(spacing)
}

/// Slopes along an axis; see [`DArray::gradient_axis`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0, 4.0]);
/// assert_eq!(darray::np::gradient_axis(&x, 0.5, 0).to_vec(), [2.0, 3.0, 4.0]);
/// ```
#[track_caller]
pub fn gradient_axis<T: Element>(x: &DArray<T>, spacing: f64, axis: isize) -> DArray<T::Inexact> {
    x.gradient_axis(spacing, axis)
}

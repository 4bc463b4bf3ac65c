//! Differences of neighbours.

use crate::{DArray, Element, Spacing};

/// The same along an axis, `n` times over; see [`DArray::diff`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 4, 9]);
/// assert_eq!(darray::np::diff(&x, 2, 0).to_vec(), [2]);
/// ```
#[track_caller]
pub fn diff<T: Element>(x: &DArray<T>, n: usize, axis: isize) -> DArray<T> {
    x.diff(n, axis)
}

/// Slopes along an axis; see [`DArray::gradient`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0, 4.0]);
/// assert_eq!(darray::np::gradient(&x, 0.5, 0).to_vec(), [2.0, 3.0, 4.0]);
/// ```
#[track_caller]
pub fn gradient<T: Element>(
    x: &DArray<T>,
    spacing: impl Into<Spacing>,
    axis: isize,
) -> DArray<T::Inexact> {
    x.gradient(spacing, axis)
}

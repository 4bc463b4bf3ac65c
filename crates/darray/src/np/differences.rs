//! Differences of neighbours.

use crate::{AsArray, DArray, Element, Spacing};

/// The same along an axis, `n` times over; see [`DArray::diff`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 4, 9]);
/// assert_eq!(darray::np::diff(&x, 2, 0).to_vec(), [2]);
/// ```
#[track_caller]
pub fn diff<T: Element>(x: impl AsArray<T>, n: usize, axis: isize) -> DArray<T> {
    x.as_array().diff(n, axis)
}

/// Slopes along an axis; see [`DArray::gradient`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0, 4.0]);
/// assert_eq!(darray::np::gradient(&x, 0.5, 0).to_vec(), [2.0, 3.0, 4.0]);
/// ```
#[track_caller]
pub fn gradient<T: Element>(
    x: impl AsArray<T>,
    spacing: impl Into<Spacing>,
    axis: isize,
) -> DArray<T::Inexact> {
    x.as_array().gradient(spacing, axis)
}

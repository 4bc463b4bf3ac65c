//! Reductions.

use crate::{DArray, Element};

/// The sum of all elements; see [`DArray::sum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 5.0]);
/// assert_eq!(darray::np::sum(&x).item(), 6.0);
/// ```
#[track_caller]
pub fn sum<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.sum()
}

//! Products of vectors and matrices.

use crate::{DArray, Element, Promote};

/// The product of vectors and matrices; see [`DArray::dot`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 5]);
/// assert_eq!(darray::np::dot(&x, &x).item(), 26);
/// ```
#[track_caller]
pub fn dot<T: Element + Promote<V>, V: Element>(
    x: &DArray<T>,
    y: &DArray<V>,
) -> DArray<<T as Promote<V>>::Output> {
    x.dot(y)
}

//! Choosing elements by masks.

use crate::DArray;
use crate::elementwise::Choice;

/// Where the mask holds `then`'s element, else `otherwise`'s; see [`DArray::select`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![-1.0, 2.0]);
/// assert_eq!(darray::np::where_(&x.gt(0.0), &x, 0.0).to_vec(), [0.0, 2.0]);
/// ```
#[track_caller]
pub fn where_<A: Choice<B>, B>(mask: &DArray<bool>, then: A, otherwise: B) -> DArray<A::Output> {
    mask.select(then, otherwise)
}

//! Whether arrays are equal, or nearly.

use crate::{DArray, Element};

/// Whether elements are close; see [`DArray::isclose`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::isclose(&x, &(&x * 1.1)).to_vec(), [false, false]);
/// ```
#[track_caller]
pub fn isclose<T: Element, U: Element>(x: &DArray<T>, y: &DArray<U>) -> DArray<bool> {
    x.isclose(y)
}

/// Whether all elements are close; see [`DArray::allclose`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert!(darray::np::allclose(&x, &(&x + 1e-9)).item());
/// ```
#[track_caller]
pub fn allclose<T: Element, U: Element>(x: &DArray<T>, y: &DArray<U>) -> DArray<bool> {
    x.allclose(y)
}

/// Whether shapes and elements are equal; see [`DArray::array_equal`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 2]);
/// assert!(darray::np::array_equal(&x, &x).item());
/// ```
#[track_caller]
pub fn array_equal<T: Element, U: Element>(x: &DArray<T>, y: &DArray<U>) -> DArray<bool> {
    x.array_equal(y)
}

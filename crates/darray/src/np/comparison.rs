//! Whether arrays are equal, or nearly.

use crate::{AsArray, DArray, Element};

/// Whether elements are close; see [`DArray::isclose`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert_eq!(darray::np::isclose(&x, &(&x * 1.1)).to_vec(), [false, false]);
/// ```
#[track_caller]
pub fn isclose<T: Element, U: Element>(x: impl AsArray<T>, y: impl AsArray<U>) -> DArray<bool> {
    x.as_array().isclose(y.as_array())
}

/// Whether all elements are close; see [`DArray::allclose`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0, 2.0]);
/// assert!(darray::np::allclose(&x, &(&x + 1e-9)).item());
/// ```
#[track_caller]
pub fn allclose<T: Element, U: Element>(x: impl AsArray<T>, y: impl AsArray<U>) -> DArray<bool> {
    x.as_array().allclose(y.as_array())
}

/// Whether shapes and elements are equal; see [`DArray::array_equal`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 2]);
/// assert!(darray::np::array_equal(&x, &x).item());
/// ```
#[track_caller]
pub fn array_equal<T: Element, U: Element>(x: impl AsArray<T>, y: impl AsArray<U>) -> DArray<bool> {
    x.as_array().array_equal(y.as_array())
}

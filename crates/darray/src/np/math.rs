//! Element-wise mathematics.

use crate::{DArray, Element, Operand};

/// Absolute values; see [`DArray::abs`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![-1.0, 2.0]);
/// assert_eq!(darray::np::absolute(&x).to_vec(), [1.0, 2.0]);
/// ```
#[track_caller]
pub fn absolute<T: Element>(x: &DArray<T>) -> DArray<T> {
    x.abs()
}

/// Square roots; see [`DArray::sqrt`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![4.0, 9.0]);
/// assert_eq!(darray::np::sqrt(&x).to_vec(), [2.0, 3.0]);
/// ```
#[track_caller]
pub fn sqrt<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.sqrt()
}

/// `e^x`; see [`DArray::exp`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![0.0]);
/// assert_eq!(darray::np::exp(&x).to_vec(), [1.0]);
/// ```
#[track_caller]
pub fn exp<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.exp()
}

/// Natural logarithms; see [`DArray::ln`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1.0]);
/// assert_eq!(darray::np::log(&x).to_vec(), [0.0]);
/// ```
#[track_caller]
pub fn log<T: Element>(x: &DArray<T>) -> DArray<T::Real> {
    x.ln()
}

/// The smaller of each pair; NaN wins; see [`DArray::minimum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 5]);
/// assert_eq!(darray::np::minimum(&x, 3).to_vec(), [1, 3]);
/// ```
#[track_caller]
pub fn minimum<T: Element, R: Operand<T>>(x: &DArray<T>, y: R) -> DArray<R::Output> {
    x.minimum(y)
}

/// The larger of each pair; NaN wins; see [`DArray::maximum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 5]);
/// assert_eq!(darray::np::maximum(&x, 3).to_vec(), [3, 5]);
/// ```
#[track_caller]
pub fn maximum<T: Element, R: Operand<T>>(x: &DArray<T>, y: R) -> DArray<R::Output> {
    x.maximum(y)
}

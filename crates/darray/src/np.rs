//! Methods as free functions with NumPy's names, for ports and for searching.
//!
//! | NumPy | darray |
//! |---|---|
//! | `np.zeros((2, 3))` | `np::zeros((2, 3))` |
//! | `np.arange(n)` | `np::arange(n)` |
//! | `np.linspace(0, 1, n)` | `np::linspace(0.0, 1.0, n)` |
//! | `np.random.default_rng(42)` | `np::random::default_rng(42)` |
//! | `np.where(m, a, b)` | `np::where_(&m, &a, &b)` |
//! | `np.exp(x)`, `np.log(x)`, `np.sqrt(x)`, `np.absolute(x)` | `np::exp(&x)`, `np::log(&x)`, .. |
//! | `np.maximum(a, b)` | `np::maximum(&a, &b)` |
//! | `np.sum(x, axis=0, keepdims=True)` | `x.sum_axis(keepdims(0))` |
//! | `np.dot(a, b)` | `np::dot(&a, &b)` |
//! | `x.astype(np.float32)` | `x.cast::<f32>()` |
//! | `x[1:-1, ::2]` | `x.slice(s![1..-1, ..;2])` |
//! | `x[1:-1] = y` | `x.slice(s![1..-1]).assign(&y)` |
//! | `x > 0` | `x.gt(0.0)` |

use crate::elementwise::Choice;
use crate::{DArray, Element, IntoShape, Number, Operand, Promote};
use darray_core::Scalar;

/// Random numbers.
pub mod random {
    pub use crate::random::{Generator, default_rng};
}

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

/// The sum of all elements; see [`DArray::sum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 5]);
/// assert_eq!(darray::np::sum(&x).item(), 6);
/// ```
#[track_caller]
pub fn sum<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.sum()
}

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

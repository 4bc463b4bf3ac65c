//! Products of vectors and matrices.

use crate::{AsArray, ContractionAxes, DArray, Element, NormAxes, Promote};

/// The product of vectors and matrices; see [`DArray::dot`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1, 5]);
/// assert_eq!(darray::np::dot(&x, &x).item(), 26);
/// ```
#[track_caller]
pub fn dot<T: Element + Promote<V>, V: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<V>,
) -> DArray<<T as Promote<V>>::Output> {
    x.as_array().dot(y.as_array())
}

/// The product of matrices or stacks of matrices (`@`); see [`DArray::matmul`].
///
/// ```
/// let (x, y) = (darray::DArray::from_vec(vec![1, 5]), darray::DArray::from_vec(vec![2, 3]));
/// assert_eq!(darray::np::matmul(&x, &y).item(), 17);
/// ```
#[track_caller]
pub fn matmul<T: Element + Promote<V>, V: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<V>,
) -> DArray<<T as Promote<V>>::Output> {
    x.as_array().matmul(y.as_array())
}

/// Sums of products over the last axes; see [`DArray::inner`].
///
/// ```
/// let (x, y) = (darray::DArray::from_vec(vec![1, 5]), darray::DArray::from_vec(vec![2, 3]));
/// assert_eq!(darray::np::inner(&x, &y).item(), 17);
/// ```
#[track_caller]
pub fn inner<T: Element + Promote<V>, V: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<V>,
) -> DArray<<T as Promote<V>>::Output> {
    x.as_array().inner(y.as_array())
}

/// The inner product of all elements; see [`DArray::vdot`].
///
/// ```
/// let (x, y) = (darray::DArray::from_vec(vec![1, 5]), darray::DArray::from_vec(vec![2, 3]));
/// assert_eq!(darray::np::vdot(&x, &y).item(), 17);
/// ```
#[track_caller]
pub fn vdot<T: Element + Promote<V>, V: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<V>,
) -> DArray<<T as Promote<V>>::Output> {
    x.as_array().vdot(y.as_array())
}

/// All products of two elements; see [`DArray::outer`].
///
/// ```
/// let (x, y) = (darray::DArray::from_vec(vec![1, 5]), darray::DArray::from_vec(vec![2, 3]));
/// assert_eq!(darray::np::outer(&x, &y).to_vec(), [2, 3, 10, 15]);
/// ```
#[track_caller]
pub fn outer<T: Element + Promote<V>, V: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<V>,
) -> DArray<<T as Promote<V>>::Output> {
    x.as_array().outer(y.as_array())
}

/// Sums of products over pairs of axes; see [`DArray::tensordot`].
///
/// ```
/// let (x, y) = (darray::DArray::from_vec(vec![1, 5]), darray::DArray::from_vec(vec![2, 3]));
/// assert_eq!(darray::np::tensordot(&x, &y, 1).item(), 17);
/// ```
#[doc(alias = "einsum")]
#[track_caller]
pub fn tensordot<T: Element + Promote<V>, V: Element>(
    x: impl AsArray<T>,
    y: impl AsArray<V>,
    over: impl Into<ContractionAxes>,
) -> DArray<<T as Promote<V>>::Output> {
    x.as_array().tensordot(y.as_array(), over)
}

/// The sum of the diagonal; see [`DArray::trace`].
///
/// ```
/// let x = darray::DArray::<i64>::arange(4).reshape((2, 2));
/// assert_eq!(darray::np::trace(&x).item(), 3);
/// ```
#[track_caller]
pub fn trace<T: Element>(x: impl AsArray<T>) -> DArray<T::Accumulator> {
    x.as_array().trace()
}

/// Norms over axes, NumPy's `linalg.vector_norm`; see [`DArray::norm`].
///
/// ```
/// use darray::{DArray, axes, axis, np};
/// let x = DArray::from_shape_vec((2, 2), vec![3.0, -4.0, 0.0, 2.0]);
/// assert_eq!(np::norm(&x, 1).to_vec(), [5.0, 2.0]);
/// assert_eq!(np::norm(&x, axis(0).ord(1)).to_vec(), [3.0, 6.0]);
/// assert_eq!(np::norm(&x, axes(..).ord(f64::INFINITY)).item(), 4.0);
/// ```
#[track_caller]
pub fn norm<T: Element>(x: impl AsArray<T>, all_or_axes: impl Into<NormAxes>) -> DArray<T::Spread> {
    x.as_array().norm(all_or_axes)
}

//! NumPy's `np.linalg`, as far as there is of it: products and norms. Factorisations and what is made of them are not here.
//!
//! ```
//! use darray::{axis, np};
//! let x = np::array([[3.0, 0.0], [4.0, 2.0]]);
//! assert_eq!(np::linalg::norm(&x, axis(0)).to_vec(), [5.0, 2.0]);
//! assert_eq!(np::linalg::trace(&x).item(), 5.0);
//! ```

pub(super) mod products;

use crate::error::expect_at_caller;
use crate::{AsArray, DArray, Diagonal, Element, Norm, axes};

/// The last two axes in each other's place, as a view.
pub use super::math::matrix_transpose;
/// The sums along the last axis of conjugates of `x` times `y`.
pub use super::math::vecdot;
/// The product of matrices or stacks of matrices (`@`).
pub use products::matmul;
/// Norms over axes: of all elements with `..`, of rows with `-1`, of other orders with `axis(0).ord(1)`.
pub use products::norm;
/// [`norm`] by the name that it has in the array API.
pub use products::norm as vector_norm;
/// All products of two elements.
pub use products::outer;
/// Sums of products over pairs of axes.
pub use products::tensordot;

/// The Frobenius norm of the matrices in the last two axes. Those of other orders that are norms of all elements are
/// [`norm`]'s; spectral and nuclear ones are not here.
///
/// ```
/// use darray::np;
/// assert_eq!(np::linalg::matrix_norm(np::array([[2.0, 4.0], [4.0, 8.0]])).item(), 10.0);
/// ```
#[track_caller]
pub fn matrix_norm<T: Element>(x: impl AsArray<T>) -> DArray<T::Spread> {
    x.as_array().norm(axes([-2, -1]).ord(Norm::Frobenius))
}

/// The main diagonal of the last two axes, as a view that can be written; [`np::diagonal`](super::diagonal) is of the first two.
///
/// ```
/// use darray::np;
/// let x = np::arange(8).reshape((2, 2, 2));
/// assert_eq!(np::linalg::diagonal(&x).to_vec(), [0, 3, 4, 7]);
/// ```
#[track_caller]
pub fn diagonal<T: Element>(x: impl AsArray<T>) -> DArray<T> {
    x.as_array().diagonal(Diagonal::new(0).axes(-2, -1))
}

/// The sum of the main diagonal of the last two axes; [`np::trace`](super::trace) is of the first two.
///
/// ```
/// use darray::np;
/// let x = np::arange(8).reshape((2, 2, 2));
/// assert_eq!(np::linalg::trace(&x).to_vec(), [3, 11]);
/// ```
#[track_caller]
pub fn trace<T: Element>(x: impl AsArray<T>) -> DArray<T::Accumulator> {
    DArray::wrap(expect_at_caller(x.as_array().as_dyn().trace(0, (-2, -1))))
}

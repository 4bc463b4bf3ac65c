//! Scans: along an axis, or with `..` of all elements.

use crate::{Along, AsArray, DArray, Element};

/// The cumulative sums along an axis; see [`DArray::cumsum`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::cumsum(&x, 1).to_vec(), [1, 3, 3, 7]);
/// ```
#[track_caller]
pub fn cumsum<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T::Accumulator> {
    x.as_array().cumsum(axis)
}

/// The cumulative products along an axis; see [`DArray::cumprod`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::cumprod(&x, 1).to_vec(), [1, 2, 3, 12]);
/// ```
#[track_caller]
pub fn cumprod<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T::Accumulator> {
    x.as_array().cumprod(axis)
}

/// NumPy's `np.maximum.accumulate`.
///
/// ```
/// use darray::{DArray, np};
/// assert_eq!(np::maximum::accumulate(&DArray::from_vec(vec![3, 1, 7]), ..).to_vec(), [3, 3, 7]);
/// ```
pub mod maximum {
    use crate::{Along, AsArray, DArray, Element};

    /// Running ones along an axis; see [`DArray::cummax`].
    ///
    /// ```
    /// let x = darray::DArray::from_shape_vec((1, 3), vec![3, 1, 7]);
    /// assert_eq!(darray::np::maximum::accumulate(&x, 1).to_vec(), [3, 3, 7]);
    /// ```
    #[track_caller]
    pub fn accumulate<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T> {
        x.as_array().cummax(axis)
    }
}

/// NumPy's `np.minimum.accumulate`.
///
/// ```
/// use darray::{DArray, np};
/// assert_eq!(np::minimum::accumulate(&DArray::from_vec(vec![3, 1, 7]), ..).to_vec(), [3, 1, 1]);
/// ```
pub mod minimum {
    use crate::{Along, AsArray, DArray, Element};

    /// Running ones along an axis; see [`DArray::cummin`].
    ///
    /// ```
    /// let x = darray::DArray::from_shape_vec((1, 3), vec![3, 1, 7]);
    /// assert_eq!(darray::np::minimum::accumulate(&x, 1).to_vec(), [3, 1, 1]);
    /// ```
    #[track_caller]
    pub fn accumulate<T: Element>(x: impl AsArray<T>, axis: impl Into<Along>) -> DArray<T> {
        x.as_array().cummin(axis)
    }
}

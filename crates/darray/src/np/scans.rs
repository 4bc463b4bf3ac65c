//! Scans: of all elements, and, with names ending in `_axis`, along an axis.

use crate::{DArray, Element};

/// The cumulative sum of all elements; see [`DArray::cumsum`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1i64, 5, 2]);
/// assert_eq!(darray::np::cumsum(&x).to_vec(), [1, 6, 8]);
/// ```
#[track_caller]
pub fn cumsum<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.cumsum()
}

/// The cumulative sums along an axis; see [`DArray::cumsum_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::cumsum_axis(&x, 1).to_vec(), [1, 3, 3, 7]);
/// ```
#[track_caller]
pub fn cumsum_axis<T: Element>(x: &DArray<T>, axis: isize) -> DArray<T::Accumulator> {
    x.cumsum_axis(axis)
}

/// The cumulative product of all elements; see [`DArray::cumprod`].
///
/// ```
/// let x = darray::DArray::from_vec(vec![1i64, 5, 2]);
/// assert_eq!(darray::np::cumprod(&x).to_vec(), [1, 5, 10]);
/// ```
#[track_caller]
pub fn cumprod<T: Element>(x: &DArray<T>) -> DArray<T::Accumulator> {
    x.cumprod()
}

/// The cumulative products along an axis; see [`DArray::cumprod_axis`].
///
/// ```
/// let x = darray::DArray::from_shape_vec((2, 2), vec![1i64, 2, 3, 4]);
/// assert_eq!(darray::np::cumprod_axis(&x, 1).to_vec(), [1, 2, 3, 12]);
/// ```
#[track_caller]
pub fn cumprod_axis<T: Element>(x: &DArray<T>, axis: isize) -> DArray<T::Accumulator> {
    x.cumprod_axis(axis)
}

/// NumPy's `np.maximum.accumulate`.
///
/// ```
/// use darray::{DArray, np};
/// assert_eq!(np::maximum::accumulate(&DArray::from_vec(vec![3, 1, 7])).to_vec(), [3, 3, 7]);
/// ```
pub mod maximum {
    use crate::{DArray, Element};

    /// Running ones of all elements; see [`DArray::cummax`].
    ///
    /// ```
    /// let x = darray::DArray::from_vec(vec![3, 1, 7]);
    /// assert_eq!(darray::np::maximum::accumulate(&x).to_vec(), [3, 3, 7]);
    /// ```
    #[track_caller]
    pub fn accumulate<T: Element>(x: &DArray<T>) -> DArray<T> {
        x.cummax()
    }

    /// Running ones along an axis; see [`DArray::cummax_axis`].
    ///
    /// ```
    /// let x = darray::DArray::from_shape_vec((1, 3), vec![3, 1, 7]);
    /// assert_eq!(darray::np::maximum::accumulate_axis(&x, 1).to_vec(), [3, 3, 7]);
    /// ```
    #[track_caller]
    pub fn accumulate_axis<T: Element>(x: &DArray<T>, axis: isize) -> DArray<T> {
        x.cummax_axis(axis)
    }
}

/// NumPy's `np.minimum.accumulate`.
///
/// ```
/// use darray::{DArray, np};
/// assert_eq!(np::minimum::accumulate(&DArray::from_vec(vec![3, 1, 7])).to_vec(), [3, 1, 1]);
/// ```
pub mod minimum {
    use crate::{DArray, Element};

    /// Running ones of all elements; see [`DArray::cummin`].
    ///
    /// ```
    /// let x = darray::DArray::from_vec(vec![3, 1, 7]);
    /// assert_eq!(darray::np::minimum::accumulate(&x).to_vec(), [3, 1, 1]);
    /// ```
    #[track_caller]
    pub fn accumulate<T: Element>(x: &DArray<T>) -> DArray<T> {
        x.cummin()
    }

    /// Running ones along an axis; see [`DArray::cummin_axis`].
    ///
    /// ```
    /// let x = darray::DArray::from_shape_vec((1, 3), vec![3, 1, 7]);
    /// assert_eq!(darray::np::minimum::accumulate_axis(&x, 1).to_vec(), [3, 1, 1]);
    /// ```
    #[track_caller]
    pub fn accumulate_axis<T: Element>(x: &DArray<T>, axis: isize) -> DArray<T> {
        x.cummin_axis(axis)
    }
}

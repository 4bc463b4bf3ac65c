//! Arrays from values of the standard library.

use crate::{DArray, Element};

impl<T: Element> Default for DArray<T> {
    /// An empty 1-d array, so that structs with arrays derive it.
    ///
    /// ```
    /// use darray::DArray;
    /// #[derive(Default)]
    /// struct Layer {
    ///     weights: DArray<f32>,
    /// }
    /// assert_eq!(Layer::default().weights.shape(), [0]);
    /// ```
    #[track_caller]
    fn default() -> DArray<T> {
        DArray::zeros(0)
    }
}

impl<T: Element> From<Vec<T>> for DArray<T> {
    /// As [`DArray::from_vec`].
    #[track_caller]
    fn from(elements: Vec<T>) -> DArray<T> {
        DArray::from_vec(elements)
    }
}

impl<T: Element, const N: usize> From<[T; N]> for DArray<T> {
    /// A 1-d array of these elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from([1.5, 2.5]).shape(), [2]);
    /// ```
    #[track_caller]
    fn from(elements: [T; N]) -> DArray<T> {
        DArray::from_vec(Vec::from(elements))
    }
}

impl<T: Element, const M: usize, const N: usize> From<[[T; N]; M]> for DArray<T> {
    /// A 2-d array of these rows.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from([[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!((x.shape(), x.at(1).to_vec()), (&[2, 3][..], vec![4, 5, 6]));
    /// ```
    #[track_caller]
    fn from(rows: [[T; N]; M]) -> DArray<T> {
        DArray::from_shape_vec((M, N), rows.as_flattened().to_vec())
    }
}

impl<T: Element, const L: usize, const M: usize, const N: usize> From<[[[T; N]; M]; L]>
    for DArray<T>
{
    /// A 3-d array of these matrices.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from([[[1.0, 2.0]], [[3.0, 4.0]]]).shape(), [2, 1, 2]);
    /// ```
    #[track_caller]
    fn from(matrices: [[[T; N]; M]; L]) -> DArray<T> {
        let elements = matrices.as_flattened().as_flattened();
        DArray::from_shape_vec((L, M, N), elements.to_vec())
    }
}

impl<T: Element> FromIterator<T> for DArray<T> {
    /// A 1-d array of what an iterator gives (NumPy's `fromiter`).
    ///
    /// ```
    /// use darray::DArray;
    /// let x: DArray = (0..3).map(|i| f64::from(i).sqrt()).collect();
    /// assert_eq!(x.to_vec(), [0.0, 1.0, 2f64.sqrt()]);
    /// ```
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> DArray<T> {
        DArray::from_vec(elements.into_iter().collect())
    }
}

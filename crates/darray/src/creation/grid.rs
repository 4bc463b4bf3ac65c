//! Coordinates of the points of a grid.

use crate::error::expect_at_caller;
use crate::{Arrays, DArray, DynArray, Element};
use darray_core::{Error, Place, Result, Shape, check_shape};

/// Which axes the first two of [`meshgrid`](DArray::meshgrid)'s arrays run along.
///
/// ```
/// use darray::{DArray, Indexing};
/// let (x, y) = (DArray::<f64>::arange(2), DArray::<f64>::arange(3));
/// assert_eq!(DArray::meshgrid(&[&x, &y], Indexing::Xy)[0].shape(), [3, 2]);
/// assert_eq!(DArray::meshgrid(&[&x, &y], Indexing::Ij)[0].shape(), [2, 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Indexing {
    /// The first along the second axis, the second along the first: NumPy's default.
    #[default]
    Xy,
    /// Each along the axis of its number.
    Ij,
}

impl DynArray {
    /// For each array, its elements repeated over the grid that the arrays span: one copy per array.
    ///
    /// Errors: too many axes or elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Indexing};
    /// let x = DynArray::from(DArray::<f64>::arange(2));
    /// let grid = DynArray::meshgrid(&[&x, &x], Indexing::Ij).unwrap();
    /// assert!(grid.len() == 2 && grid[0].shape() == [2, 2]);
    /// ```
    #[track_caller]
    pub fn meshgrid(arrays: &[&DynArray], indexing: Indexing) -> Result<Vec<DynArray>> {
        let (name, place) = ("meshgrid", Place::caller());
        let error = |kind| Error::new(name, kind, place);
        let axis = |k: usize| match (indexing, arrays.len()) {
            (Indexing::Xy, 2..) if k < 2 => 1 - k,
            _ => k,
        };
        let mut shape: Shape = arrays.iter().map(|_| 1).collect();
        for (k, array) in arrays.iter().enumerate() {
            shape[axis(k)] = array.shape_of().size();
        }
        check_shape(&shape).map_err(error)?;
        let coordinate = |(k, array): (usize, &&DynArray)| {
            let mut line: Shape = arrays.iter().map(|_| 1).collect();
            line[axis(k)] = array.shape_of().size();
            let line = array.reshape_to(&line, name, place)?;
            let view = line.view().broadcast_to(&shape).map_err(error)?;
            line.with_view(view).copy_as(name, array.dtype(), place)
        };
        arrays.iter().enumerate().map(coordinate).collect()
    }
}

/// # Coordinates
impl<T: Element> DArray<T> {
    /// For each array, its elements repeated over the grid that the arrays span: one copy per array,
    /// which disappears in what it is used for.
    ///
    /// # Panics
    ///
    /// If there are too many axes or elements.
    ///
    /// ```
    /// use darray::{DArray, Indexing};
    /// let (x, y) = (DArray::<i64>::arange(2), DArray::<i64>::arange(2) + 5);
    /// let grid = DArray::meshgrid(&[&x, &y], Indexing::Xy);
    /// assert_eq!((grid[0].to_vec(), grid[1].to_vec()), (vec![0, 1, 0, 1], vec![5, 5, 6, 6]));
    /// ```
    #[track_caller]
    pub fn meshgrid(arrays: impl Arrays<T>, indexing: Indexing) -> Vec<DArray<T>> {
        let grid = expect_at_caller(DynArray::meshgrid(&arrays.untyped(), indexing));
        grid.into_iter().map(DArray::wrap).collect()
    }
}

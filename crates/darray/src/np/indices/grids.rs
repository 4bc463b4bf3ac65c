//! Grids of coordinates.

use crate::creation::open_grid::{grid, open_grid};
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Coordinates, DArray, IntoShape};
use darray_core::Place;

/// NumPy's `mgrid`: the coordinates of all points of a grid, those along each axis side by side along a new first axis.
///
/// ```
/// use darray::np;
/// let grid = np::mgrid([0..2, 0..3]);                     // np.mgrid[0:2, 0:3]
/// assert_eq!(grid.at(1).to_vec(), [0, 1, 2, 0, 1, 2]);
/// assert_eq!(np::mgrid([(0.0, 1.0, 0.5); 2]).shape(), [2, 2, 2]);
/// ```
#[track_caller]
pub fn mgrid<C: Coordinates, const N: usize>(axes: [C; N]) -> DArray<C::Element> {
    let steps = Steps { name: "mgrid", place: Place::caller() };
    DArray::wrap(expect_at_caller(grid(&axes, steps)))
}

/// NumPy's `ogrid`: the coordinates along each axis of a grid, with extent 1 along the others.
///
/// ```
/// use darray::np;
/// let [rows, columns] = np::ogrid([0..2, 0..3]);          // np.ogrid[0:2, 0:3]
/// assert_eq!((rows.shape(), columns.shape()), (&[2, 1][..], &[1, 3][..]));
/// assert_eq!((10 * rows + columns).to_vec(), [0, 1, 2, 10, 11, 12]);
/// ```
#[track_caller]
pub fn ogrid<C: Coordinates, const N: usize>(axes: [C; N]) -> [DArray<C::Element>; N] {
    let steps = Steps { name: "ogrid", place: Place::caller() };
    let mut lines = expect_at_caller(open_grid(&axes, steps)).into_iter();
    std::array::from_fn(|_| DArray::wrap(lines.next().expect("a line for each axis")))
}

/// The indices of all places of a shape; see [`DArray::indices`].
///
/// ```
/// assert_eq!(darray::np::indices((2, 2)).at(0).to_vec(), [0, 0, 1, 1]);
/// ```
#[track_caller]
pub fn indices(shape: impl IntoShape) -> DArray<i64> {
    DArray::indices(shape)
}

//! Sums of diagonals.

use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element, Reduction, array::axes};
use darray_core::{Error, ErrorKind, Place, Result};

impl DynArray {
    /// NumPy's `trace`: the sum of a diagonal of two axes, for every index of the others. The diagonal
    /// begins `offset` columns to the right, or, negative, rows further down.
    ///
    /// Errors: fewer than two axes; an axis out of range, or the same axis twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(9).reshape((3, 3)));
    /// let above = DArray::<i64>::try_from(x.trace(1, (0, 1)).unwrap()).unwrap();
    /// assert_eq!(above.item(), 6);
    /// ```
    #[track_caller]
    pub fn trace(&self, offset: isize, (rows, columns): (isize, isize)) -> Result<DynArray> {
        let place = Place::caller();
        let error = |kind| Error::new("trace", kind, place);
        let shape = self.shape_of();
        if shape.rank() < 2 {
            let expected = "at least two axes".to_string();
            return Err(error(ErrorKind::Shapes { shapes: vec![shape.clone()], expected }));
        }
        let axes = axes::resolve(&[rows, columns], shape).map_err(error)?;
        let diagonal = self.with_view(self.view().diagonal(offset, axes[0], axes[1]));
        diagonal.reduce_named(Reduction::Sum, -1, "trace", place)
    }
}

/// # Traces
impl<T: Element> DArray<T> {
    /// The sum of the diagonal of the first two axes, for every index of the others: NumPy's `trace`. That of another diagonal is
    /// `x.diagonal(1).sum(-1)`, see [`diagonal`](Self::diagonal).
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<i64>::arange(9).reshape((3, 3)).trace().item(), 12);
    /// ```
    #[track_caller]
    pub fn trace(&self) -> DArray<T::Accumulator> {
        DArray::wrap(expect_at_caller(self.as_dyn().trace(0, (0, 1))))
    }
}

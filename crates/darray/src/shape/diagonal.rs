//! Diagonals: views.

use crate::array::axes::resolve;
use crate::error::expect_at_caller;
use crate::{DArray, DynArray, Element};
use darray_core::{Error, ErrorKind, Place, Result};

/// Which diagonal is meant: that which begins `offset` columns to the right, or, negative, rows further down; of the first two axes, or
/// of others.
///
/// ```
/// use darray::{DArray, Diagonal};
/// let x = DArray::<i64>::arange(8).reshape((2, 2, 2));
/// assert_eq!(x.diagonal(0).to_vec(), [0, 6, 1, 7]);
/// assert_eq!(x.diagonal(Diagonal::new(0).axes(1, 2)).to_vec(), [0, 3, 4, 7]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagonal {
    offset: isize,
    axes: [isize; 2],
}

impl Diagonal {
    /// A diagonal of the first two axes.
    ///
    /// ```
    /// use darray::Diagonal;
    /// assert_eq!(Diagonal::new(1), Diagonal::from(1).axes(0, 1));
    /// ```
    pub fn new(offset: isize) -> Diagonal {
        Diagonal { offset, axes: [0, 1] }
    }

    /// Of these axes.
    ///
    /// ```
    /// use darray::{DArray, Diagonal};
    /// let x = DArray::<f64>::ones((2, 3, 4));
    /// assert_eq!(x.diagonal(Diagonal::new(1).axes(-2, -1)).shape(), [2, 3]);
    /// ```
    pub fn axes(self, rows: isize, columns: isize) -> Diagonal {
        Diagonal { axes: [rows, columns], ..self }
    }
}

impl From<isize> for Diagonal {
    fn from(offset: isize) -> Diagonal {
        Diagonal::new(offset)
    }
}

impl From<i32> for Diagonal {
    fn from(offset: i32) -> Diagonal {
        Diagonal::new(offset as isize)
    }
}

impl DynArray {
    /// The elements `[.., i, i + offset]` of two axes, as the last axis: a view that writes through.
    ///
    /// Errors: an axis out of range, or one given twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(6).reshape((2, 3)));
    /// let above = DArray::<i64>::try_from(x.diagonal(1, 0, 1).unwrap()).unwrap();
    /// assert_eq!(above.to_vec(), [1, 5]);
    /// ```
    #[track_caller]
    pub fn diagonal(&self, offset: isize, rows: isize, columns: isize) -> Result<DynArray> {
        self.diagonal_as(offset, [rows, columns], "diagonal", Place::caller())
    }

    pub(crate) fn diagonal_as(
        &self,
        offset: isize,
        axes: [isize; 2],
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let shape = self.shape_of();
        if shape.rank() < 2 {
            let expected = "at least two axes".to_string();
            let kind = ErrorKind::Shapes { shapes: vec![shape.clone()], expected };
            return Err(Error::new(name, kind, place));
        }
        let axes = resolve(&axes, shape).map_err(|kind| Error::new(name, kind, place))?;
        Ok(self.with_view(self.view().diagonal(offset, axes[0], axes[1])))
    }
}

/// # Diagonals
impl<T: Element> DArray<T> {
    /// The elements `[.., i, i + offset]` of two axes, the first two or [others](Diagonal), as the last axis: a view that, unlike NumPy's,
    /// can be written. The sum of one is `x.diagonal(1).sum(-1)`.
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes, an axis is out of range, or one is given twice.
    ///
    /// ```
    /// use darray::{DArray, Diagonal};
    /// let x = DArray::<f64>::zeros((3, 3));
    /// x.diagonal(0).assign(1.0);
    /// x.diagonal(-1).assign(2.0);
    /// assert_eq!(x.to_vec(), [1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 2.0, 1.0]);
    /// assert_eq!(x.diagonal(Diagonal::new(1).axes(1, 0)).to_vec(), [2.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn diagonal(&self, diagonal: impl Into<Diagonal>) -> DArray<T> {
        expect_at_caller(self.diagonal_at(diagonal))
    }

    /// As [`diagonal`](Self::diagonal), with an error.
    #[track_caller]
    pub(crate) fn diagonal_at(&self, diagonal: impl Into<Diagonal>) -> Result<DArray<T>> {
        let Diagonal { offset, axes: [rows, columns] } = diagonal.into();
        Ok(DArray::wrap(self.as_dyn().diagonal(offset, rows, columns)?))
    }
}

//! Matrices by their diagonals: masks computed from the indices, fused with what uses them.

use crate::array::into_shape::checked_shape;
use crate::elementwise::nullary::{create_in, filled_in};
use crate::elementwise::untyped::select_as;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element, Runtime};
use darray_core::{DType, Error, ErrorKind, Place, RealType, Result, Shape};
use darray_ir::TaskOp;

impl DynArray {
    /// Ones at `[i, i + offset]`, zeros elsewhere.
    ///
    /// Errors: the shape cannot be.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::eye(2, 3, 1, DType::F64).unwrap();
    /// let x = DArray::<f64>::try_from(x).unwrap();
    /// assert_eq!(x.to_vec(), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn eye(rows: usize, columns: usize, offset: isize, dtype: DType) -> Result<DynArray> {
        compared(rows, columns, Binary::Eq, offset, dtype, "eye", Place::caller())
    }

    /// Ones at `[i, j]` with `j <= i + offset`, zeros elsewhere.
    ///
    /// Errors: the shape cannot be.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// let x = DynArray::tri(2, 3, 0, DType::I64).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [1, 0, 0, 1, 1, 0]);
    /// ```
    #[track_caller]
    pub fn tri(rows: usize, columns: usize, offset: isize, dtype: DType) -> Result<DynArray> {
        compared(rows, columns, Binary::Ge, offset, dtype, "tri", Place::caller())
    }

    /// The elements `[.., i, j]` with `j <= i + offset`, zeros elsewhere. An array of one axis is
    /// the row of a square matrix.
    ///
    /// Errors: the array has no axis.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::ones((2, 2))).tril(0).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [1, 0, 1, 1]);
    /// ```
    #[track_caller]
    pub fn tril(&self, offset: isize) -> Result<DynArray> {
        self.triangle(Binary::Ge, offset, "tril", Place::caller())
    }

    /// The elements `[.., i, j]` with `j >= i + offset`, zeros elsewhere. An array of one axis is
    /// the row of a square matrix.
    ///
    /// Errors: the array has no axis.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::ones((2, 2))).triu(0).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [1, 1, 0, 1]);
    /// ```
    #[track_caller]
    pub fn triu(&self, offset: isize) -> Result<DynArray> {
        self.triangle(Binary::Le, offset, "triu", Place::caller())
    }

    /// Of one axis: the square matrix with these elements at `[i, i + offset]`, zeros elsewhere. Of
    /// two: the elements `[i, i + offset]`, as a view.
    ///
    /// Errors: there are other numbers of axes; too many elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(2)).diag(1).unwrap();
    /// assert_eq!(x.shape(), [3, 3]);
    /// assert_eq!(DArray::<i64>::try_from(x.diag(1).unwrap()).unwrap().to_vec(), [0, 1]);
    /// ```
    #[track_caller]
    pub fn diag(&self, offset: isize) -> Result<DynArray> {
        let (name, place) = ("diag", Place::caller());
        let extent = match *self.shape() {
            [count] => count.saturating_add(offset.unsigned_abs()),
            [_, _] => return self.diagonal_as(offset, [0, 1], name, place),
            _ => {
                let expected = "one or two axes".to_string();
                let shapes = vec![self.shape_of().clone()];
                return Err(Error::new(name, ErrorKind::Shapes { shapes, expected }, place));
            }
        };
        let shape = checked_shape(name, &Shape::from([extent; 2]), place)?;
        let (runtime, dtype) = (self.runtime(), self.dtype());
        let result = filled_in(runtime, name, dtype, &shape, false.into(), place)?;
        let diagonal = result.diagonal_as(offset, [0, 1], name, place)?;
        diagonal.assign_as(self.into(), name, place)?;
        Ok(result)
    }

    fn triangle(
        &self,
        comparison: Binary,
        offset: isize,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let shape = match *self.shape() {
            [] => {
                let expected = "at least one axis".to_string();
                let shapes = vec![self.shape_of().clone()];
                return Err(Error::new(name, ErrorKind::Shapes { shapes, expected }, place));
            }
            [count] => checked_shape(name, &Shape::from([count; 2]), place)?,
            _ => self.shape_of().clone(),
        };
        let below = below_diagonal(self.runtime(), &shape, name, place)?;
        let mask = below.binary(comparison, opposite(offset))?;
        select_as(name, &mask, self.into(), false.into(), place)
    }
}

/// A matrix of ones where row minus column compares so with minus the offset.
fn compared(
    rows: usize,
    columns: usize,
    comparison: Binary,
    offset: isize,
    dtype: DType,
    name: &'static str,
    place: Place,
) -> Result<DynArray> {
    let shape = checked_shape(name, &Shape::from([rows, columns]), place)?;
    let below = below_diagonal(&Runtime::current_at(place)?, &shape, name, place)?;
    let mask = below.binary(comparison, opposite(offset))?;
    if dtype == DType::Bool { Ok(mask) } else { mask.copy_as(name, dtype, place) }
}

/// Minus an offset; of the least one, which has no opposite, a number that is as far beyond every element.
fn opposite(offset: isize) -> i64 {
    (offset as i64).saturating_neg()
}

/// How far each element of the last two axes lies below the main diagonal: row minus column.
fn below_diagonal(
    runtime: &Runtime,
    shape: &Shape,
    name: &'static str,
    place: Place,
) -> Result<DynArray> {
    create_in(runtime, name, TaskOp::BelowDiagonal, RealType::I64, shape, &[], place)
}

/// # Matrices and their triangles
impl<T: Element> DArray<T> {
    /// Ones at `[i, i + offset]`, zeros elsewhere.
    ///
    /// # Panics
    ///
    /// If there are too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<i64>::eye(2, 3, 1).to_vec(), [0, 1, 0, 0, 0, 1]);
    /// ```
    #[track_caller]
    pub fn eye(rows: usize, columns: usize, offset: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::eye(rows, columns, offset, T::DTYPE)))
    }

    /// The square matrix with ones on its diagonal.
    ///
    /// # Panics
    ///
    /// If there are too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::identity(2).to_vec(), [1.0, 0.0, 0.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn identity(count: usize) -> DArray<T> {
        expect_at_caller(DArray::identity_at(count, Place::caller()))
    }

    /// As [`identity`](Self::identity), from this place, with an error.
    pub(crate) fn identity_at(count: usize, place: Place) -> Result<DArray<T>> {
        Ok(DArray::wrap(compared(count, count, Binary::Eq, 0, T::DTYPE, "identity", place)?))
    }

    /// Ones at `[i, j]` with `j <= i + offset`, zeros elsewhere.
    ///
    /// # Panics
    ///
    /// If there are too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<i64>::tri(2, 3, 1).to_vec(), [1, 1, 0, 1, 1, 1]);
    /// ```
    #[track_caller]
    pub fn tri(rows: usize, columns: usize, offset: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::tri(rows, columns, offset, T::DTYPE)))
    }

    /// The elements `[.., i, j]` with `j <= i + offset`, zeros elsewhere. An array of one axis is
    /// the row of a square matrix.
    ///
    /// # Panics
    ///
    /// If the array has no axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.tril(0).to_vec(), [1.0, 0.0, 3.0, 4.0]);
    /// assert_eq!(x.tril(-1).to_vec(), [0.0, 0.0, 3.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn tril(&self, offset: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().tril(offset)))
    }

    /// The elements `[.., i, j]` with `j >= i + offset`, zeros elsewhere. An array of one axis is
    /// the row of a square matrix.
    ///
    /// # Panics
    ///
    /// If the array has no axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.triu(0).to_vec(), [1.0, 2.0, 0.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn triu(&self, offset: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().triu(offset)))
    }

    /// Of one axis: the square matrix with these elements at `[i, i + offset]`, zeros elsewhere. Of
    /// two: the elements `[i, i + offset]`, as a view.
    ///
    /// # Panics
    ///
    /// If there are other numbers of axes, or too many elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0]).diag(0);
    /// assert_eq!(x.to_vec(), [1.0, 0.0, 0.0, 2.0]);
    /// assert_eq!(x.diag(0).to_vec(), [1.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn diag(&self, offset: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().diag(offset)))
    }
}

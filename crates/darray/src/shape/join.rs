//! Arrays put beside each other: one copy per array.

use crate::array::axes::{resolve, resolve_one};
use crate::error::expect_at_caller;
use crate::{Arrays, Axes, DArray, DynArray, Element};
use darray_core::{DType, Error, ErrorKind, Ix, Place, Result, Shape, check_shape, promote};

impl DynArray {
    /// The arrays one after the other along an axis that they have; with `..` each is made one axis
    /// first. One copy per array; element types promote.
    ///
    /// Errors: no arrays; the axis is out of range; other extents differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::ones(2));
    /// let y = DynArray::from(DArray::<f64>::zeros(1));
    /// let both = DArray::<f64>::try_from(DynArray::concatenate(&[&x, &y], 0).unwrap()).unwrap();
    /// assert_eq!(both.to_vec(), [1.0, 1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn concatenate(arrays: &[&DynArray], axis: impl Into<Axes>) -> Result<DynArray> {
        let (name, place, axis) = ("concatenate", Place::caller(), axis.into());
        match axis.list() {
            Some([axis]) => concatenate(arrays, *axis, name, place),
            Some(list) => Err(several_axes(arrays, list, name, place)),
            None => {
                let flat = arrays.iter().map(|array| array.ravel_as(name, place));
                let flat: Vec<DynArray> = flat.collect::<Result<_>>()?;
                concatenate(&flat.iter().collect::<Vec<_>>(), 0, name, place)
            }
        }
    }

    /// The arrays, of one shape, side by side along a new axis, numbered as in the result. One copy
    /// per array; element types promote.
    ///
    /// Errors: no arrays; shapes differ; the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(DynArray::stack(&[&x, &x, &x, &x], 1).unwrap().shape(), [2, 4, 3]);
    /// ```
    #[track_caller]
    pub fn stack(arrays: &[&DynArray], axis: isize) -> Result<DynArray> {
        let (name, place) = ("stack", Place::caller());
        let error = |kind| Error::new(name, kind, place);
        let Some(first) = arrays.first() else { return Err(no_arrays(name, place)) };
        if arrays.iter().any(|array| array.shape() != first.shape()) {
            return Err(error(shapes(arrays, "equal shapes".to_string())));
        }
        let mut shape: Shape = first.shape_of().clone();
        shape.push(1);
        let at =
            resolve(&[axis], &shape).map_err(|kind| error(of_shape(kind, first.shape_of())))?;
        shape[at[0]..].rotate_right(1);
        shape[at[0]] = arrays.len();
        check_shape(&shape).map_err(error)?;
        let result = DynArray::allocate(first.runtime(), common(arrays), &shape);
        for (k, array) in arrays.iter().enumerate() {
            let mut items = vec![Ix::from(..); at[0]];
            items.push(Ix::At(k as isize));
            let part = result.with_view(result.view().slice(&items).map_err(error)?);
            part.assign_as((*array).into(), name, place)?;
        }
        Ok(result)
    }

    /// The arrays one below the other: along the first axis, arrays of one axis being rows.
    ///
    /// Errors: no arrays; other extents differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(3));
    /// assert_eq!(DynArray::vstack(&[&x, &x]).unwrap().shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn vstack(arrays: &[&DynArray]) -> Result<DynArray> {
        joined(arrays, 2, "vstack", Place::caller())
    }

    /// The arrays beside each other: along the second axis, or the only one.
    ///
    /// Errors: no arrays; other extents differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(DynArray::hstack(&[&x, &x]).unwrap().shape(), [2, 6]);
    /// ```
    #[track_caller]
    pub fn hstack(arrays: &[&DynArray]) -> Result<DynArray> {
        joined(arrays, 1, "hstack", Place::caller())
    }
}

impl DynArray {
    /// As [`concatenate`](Self::concatenate), for the operation of this name.
    pub(crate) fn concatenated(
        arrays: &[&DynArray],
        axis: isize,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        concatenate(arrays, axis, name, place)
    }
}

/// `vstack` (at least two axes, joined along the first) and `hstack` (at least one).
fn joined(
    arrays: &[&DynArray],
    least: usize,
    name: &'static str,
    place: Place,
) -> Result<DynArray> {
    let wide = |array: &&DynArray| {
        let missing = least.saturating_sub(array.shape().len());
        let shape = std::iter::repeat_n(1, missing).chain(array.shape().iter().copied());
        array.reshape_to(&shape.collect(), name, place)
    };
    let wide: Vec<DynArray> = arrays.iter().map(wide).collect::<Result<_>>()?;
    let axis = isize::from(least == 1 && wide.first().is_some_and(|x| x.shape().len() > 1));
    concatenate(&wide.iter().collect::<Vec<_>>(), axis, name, place)
}

fn concatenate(
    arrays: &[&DynArray],
    axis: isize,
    name: &'static str,
    place: Place,
) -> Result<DynArray> {
    let error = |kind| Error::new(name, kind, place);
    let Some(first) = arrays.first() else { return Err(no_arrays(name, place)) };
    if first.shape().is_empty() {
        return Err(error(shapes(arrays, "at least one axis".to_string())));
    }
    let axis = resolve_one(axis, first.shape_of()).map_err(error)?;
    let fits = |array: &&DynArray| {
        let rank = array.shape().len();
        let equal = |a| a == axis || array.shape()[a] == first.shape()[a];
        rank == first.shape().len() && (0..rank).all(equal)
    };
    if !arrays.iter().all(fits) {
        return Err(error(shapes(arrays, format!("equal shapes but along axis {axis}"))));
    }
    let mut shape = first.shape_of().clone();
    shape[axis] = arrays.iter().map(|array| array.shape()[axis]).fold(0, usize::saturating_add);
    check_shape(&shape).map_err(error)?;
    let result = DynArray::allocate(first.runtime(), common(arrays), &shape);
    let mut start = 0;
    for array in arrays {
        let mut bounds: Vec<_> = array.shape().iter().map(|&n| 0..n).collect();
        let end = start + array.shape()[axis];
        bounds[axis] = start..end;
        result.block(&bounds)?.assign_as((*array).into(), name, place)?;
        start = end;
    }
    Ok(result)
}

/// The element type to which all promote.
fn common(arrays: &[&DynArray]) -> DType {
    let types = arrays.iter().map(|array| array.dtype());
    types.reduce(promote).expect("there is at least one array")
}

fn shapes(arrays: &[&DynArray], expected: String) -> ErrorKind {
    let shapes = arrays.iter().map(|array| array.shape_of().clone()).collect();
    ErrorKind::Shapes { shapes, expected }
}

fn no_arrays(name: &'static str, place: Place) -> Error {
    Error::new(name, shapes(&[], "at least one array".to_string()), place)
}

fn several_axes(arrays: &[&DynArray], list: &[isize], name: &'static str, place: Place) -> Error {
    let expected = format!("one axis to join, not {}", list.len());
    Error::new(name, shapes(arrays, expected), place)
}

/// An error of axes, told of this shape.
pub(super) fn of_shape(kind: ErrorKind, shape: &Shape) -> ErrorKind {
    match kind {
        ErrorKind::Axis { axis, repeated, .. } => {
            ErrorKind::Axis { axis, shape: shape.clone(), repeated }
        }
        other => other,
    }
}

/// # Joins
impl<T: Element> DArray<T> {
    /// The arrays one after the other along an axis that they have; with `..` each is made one axis
    /// first. One copy per array. Arrays of different element types are cast first.
    ///
    /// # Panics
    ///
    /// If there are no arrays, the axis is out of range, or other extents differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::<f64>::ones((2, 2)), DArray::<f64>::zeros((2, 1)));
    /// let both = DArray::concatenate(&[&x, &y], 1);
    /// assert_eq!(both.to_vec(), [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn concatenate(arrays: impl Arrays<T>, axis: impl Into<Axes>) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::concatenate(&arrays.untyped(), axis)))
    }

    /// The arrays, of one shape, side by side along a new axis, numbered as in the result. One copy
    /// per array.
    ///
    /// # Panics
    ///
    /// If there are no arrays, shapes differ, or the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::<i64>::arange(2), DArray::<i64>::ones(2));
    /// assert_eq!(DArray::stack(&[&x, &y], 0).to_vec(), [0, 1, 1, 1]);
    /// assert_eq!(DArray::stack(&[&x, &y], -1).to_vec(), [0, 1, 1, 1]);
    /// ```
    #[track_caller]
    pub fn stack(arrays: impl Arrays<T>, axis: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::stack(&arrays.untyped(), axis)))
    }

    /// The arrays one below the other: along the first axis, arrays of one axis being rows.
    ///
    /// # Panics
    ///
    /// If there are no arrays, or other extents differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::<f64>::ones(3), DArray::<f64>::zeros((2, 3)));
    /// assert_eq!(DArray::vstack(&[&x, &y]).shape(), [3, 3]);
    /// ```
    #[track_caller]
    pub fn vstack(arrays: impl Arrays<T>) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::vstack(&arrays.untyped())))
    }

    /// The arrays beside each other: along the second axis, or the only one.
    ///
    /// # Panics
    ///
    /// If there are no arrays, or other extents differ.
    ///
    /// ```
    /// use darray::DArray;
    /// let (x, y) = (DArray::<f64>::ones((2, 1)), DArray::<f64>::zeros((2, 3)));
    /// assert_eq!(DArray::hstack(&[&x, &y]).shape(), [2, 4]);
    /// ```
    #[track_caller]
    pub fn hstack(arrays: impl Arrays<T>) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::hstack(&arrays.untyped())))
    }
}

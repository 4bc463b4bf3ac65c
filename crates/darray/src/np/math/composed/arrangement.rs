//! Other orders and shapes of elements.

use crate::array::into_shape::checked_shape;
use crate::elementwise::steps::Steps;
use crate::{Along, Argument, DynArray, IntoShape, Sections};
use darray_core::{DType, ErrorKind, Ix, Place, Result, Shape, check_shape, promote};
use smallvec::SmallVec;

/// An axis in reverse order, if there are so many at least.
fn reversed(steps: Steps, x: &DynArray, axis: usize) -> Result<DynArray> {
    if x.shape().len() <= axis {
        let expected = if axis == 0 { "at least one axis" } else { "at least two axes" };
        return Err(steps.shapes(&[x], expected));
    }
    let backwards = Ix::Range { start: None, end: None, step: -1 };
    let index: SmallVec<[Ix; 8]> = (0..axis).map(|_| Ix::from(..)).chain([backwards]).collect();
    Ok(x.with_view(x.view().slice(&index).map_err(|kind| steps.error(kind))?))
}

pub fn fliplr(steps: Steps, x: &DynArray) -> Result<DynArray> {
    reversed(steps, x, 1)
}

pub fn flipud(steps: Steps, x: &DynArray) -> Result<DynArray> {
    reversed(steps, x, 0)
}

pub fn matrix_transpose(steps: Steps, x: &DynArray) -> Result<DynArray> {
    let rank = x.shape().len();
    if rank < 2 {
        return Err(steps.shapes(&[x], "at least two axes"));
    }
    let mut order: Vec<isize> = (0..rank as isize).collect();
    order.swap(rank - 2, rank - 1);
    x.permute(&order)
}

pub fn atleast_1d(steps: Steps, x: &DynArray) -> Result<DynArray> {
    if x.shape().is_empty() { steps.reshape(x, &[1]) } else { Ok(x.alias()) }
}

pub fn atleast_2d(steps: Steps, x: &DynArray) -> Result<DynArray> {
    match *x.shape() {
        [] => steps.reshape(x, &[1, 1]),
        [n] => steps.reshape(x, &[1, n]),
        _ => Ok(x.alias()),
    }
}

pub fn atleast_3d(steps: Steps, x: &DynArray) -> Result<DynArray> {
    match *x.shape() {
        [] => steps.reshape(x, &[1, 1, 1]),
        [n] => steps.reshape(x, &[1, n, 1]),
        [m, n] => steps.reshape(x, &[m, n, 1]),
        _ => Ok(x.alias()),
    }
}

pub fn column_stack(steps: Steps, arrays: &[&DynArray]) -> Result<DynArray> {
    let column = |x: &&DynArray| match *x.shape() {
        [] => steps.reshape(x, &[1, 1]),
        [n] => steps.reshape(x, &[n, 1]),
        _ => Ok(x.alias()),
    };
    let columns: Vec<DynArray> = arrays.iter().map(column).collect::<Result<_>>()?;
    steps.concatenate(&columns.iter().collect::<Vec<_>>(), 1)
}

pub fn dstack(steps: Steps, arrays: &[&DynArray]) -> Result<DynArray> {
    let deep = arrays.iter().map(|x| atleast_3d(steps, x));
    let deep: Vec<DynArray> = deep.collect::<Result<_>>()?;
    steps.concatenate(&deep.iter().collect::<Vec<_>>(), 2)
}

pub fn rot90(steps: Steps, x: &DynArray, k: isize) -> Result<DynArray> {
    if x.shape().len() < 2 {
        return Err(steps.shapes(&[x], "at least two axes"));
    }
    let swapped = |x: &DynArray| {
        let mut order: Vec<isize> = (0..x.shape().len() as isize).collect();
        order.swap(0, 1);
        x.permute(&order)
    };
    match k.rem_euclid(4) {
        0 => Ok(x.alias()),
        1 => swapped(&reversed(steps, x, 1)?),
        2 => reversed(steps, &reversed(steps, x, 0)?, 1),
        _ => reversed(steps, &swapped(x)?, 1),
    }
}

pub fn diagflat(steps: Steps, x: &DynArray, k: isize) -> Result<DynArray> {
    let x = steps.ravel(x)?;
    let extent = x.shape()[0].saturating_add(k.unsigned_abs());
    let shape = Shape::new(&[extent, extent]);
    check_shape(&shape).map_err(|kind| steps.error(kind))?;
    let matrix = steps.full(&x, x.dtype(), &shape, 0.0)?;
    steps.assign(&matrix.diagonal_as(k, [0, 1], steps.name, steps.place)?, &x)?;
    Ok(matrix)
}

impl Steps {
    /// Arrays one after the other along an axis.
    pub fn concatenate(&self, arrays: &[&DynArray], axis: usize) -> Result<DynArray> {
        DynArray::concatenated(arrays, axis as isize, self.name, self.place)
    }

    /// The array and an axis of it, all elements along one where none is meant.
    pub fn along(&self, x: &DynArray, axis: Along) -> Result<(DynArray, usize)> {
        match axis.0 {
            None => Ok((self.ravel(x)?, 0)),
            Some(axis) => Ok((x.alias(), self.axis(x, axis)?)),
        }
    }
}

impl DynArray {
    /// NumPy's `rollaxis`: an axis put before another one, as a view.
    ///
    /// Errors: an axis is out of range; `start` may be the number of axes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3, 4)));
    /// assert_eq!(x.rollaxis(2, 0).unwrap().shape(), [4, 2, 3]);
    /// ```
    #[track_caller]
    pub fn rollaxis(&self, axis: isize, start: isize) -> Result<DynArray> {
        let steps = Steps { name: "rollaxis", place: Place::caller() };
        let (axis, rank) = (steps.axis(self, axis)?, self.shape().len());
        let start = match start {
            _ if start == rank as isize => rank,
            _ => steps.axis(self, start)?,
        };
        let mut order: Vec<isize> = (0..rank as isize).collect();
        let moved = order.remove(axis);
        order.insert(if axis < start { start - 1 } else { start }, moved);
        self.permute(&order)
    }

    /// NumPy's `append`: the values behind the elements along an axis, or with `..` all of both along one axis.
    ///
    /// Errors: the axis is out of range; other extents differ.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.append(&x, 0).unwrap().shape(), [4, 3]);
    /// ```
    #[track_caller]
    pub fn append(&self, values: &DynArray, axis: impl Into<Along>) -> Result<DynArray> {
        let steps = Steps { name: "append", place: Place::caller() };
        steps.same_runtime(self, values)?;
        let axis = axis.into();
        let (x, at) = steps.along(self, axis)?;
        let values = if axis.0.is_none() { steps.ravel(values)? } else { values.alias() };
        steps.concatenate(&[&x, &values], at)
    }

    /// NumPy's `delete`: the elements along an axis, or of all, without those at these indices; negative ones count from the end.
    ///
    /// Errors: the axis or an index is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![5, 6, 7]));
    /// let left = x.delete(&[0, -1], 0).unwrap();
    /// assert_eq!(DArray::<i32>::try_from(left).unwrap().to_vec(), [6]);
    /// ```
    #[track_caller]
    pub fn delete(&self, indices: &[isize], axis: impl Into<Along>) -> Result<DynArray> {
        let steps = Steps { name: "delete", place: Place::caller() };
        let (x, axis) = steps.along(self, axis.into())?;
        let extent = x.shape()[axis];
        let mut gone: Vec<usize> = Vec::new();
        for &index in indices {
            gone.push(steps.index(index, extent)?);
        }
        gone.sort_unstable();
        gone.dedup();
        let mut parts = Vec::new();
        let mut start = 0;
        for end in gone.into_iter().chain([extent]) {
            if end > start || (end == extent && parts.is_empty()) {
                parts.push(steps.range(&x, axis, (start.min(extent), end))?);
            }
            start = end + 1;
        }
        steps.concatenate(&parts.iter().collect::<Vec<_>>(), axis)
    }

    /// NumPy's `insert` at one place: the values before the element `index` along an axis, or of all. Along an axis they are one slice of
    /// the array, to whose shape they broadcast; else all of them are inserted. They are cast to this element type.
    ///
    /// Errors: the axis or the index is out of range; the index may be the extent; the values do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from([[1, 2], [3, 4]]));
    /// let more = x.insert(1, 9, 1).unwrap();
    /// assert_eq!(DArray::<i32>::try_from(more).unwrap().to_vec(), [1, 9, 2, 3, 9, 4]);
    /// ```
    #[track_caller]
    pub fn insert<'a>(
        &self,
        index: isize,
        values: impl Into<Argument<'a>>,
        axis: impl Into<Along>,
    ) -> Result<DynArray> {
        let steps = Steps { name: "insert", place: Place::caller() };
        let (values, axis) = (values.into(), axis.into());
        let (x, at) = steps.along(self, axis)?;
        let extent = x.shape()[at];
        let index = if index == extent as isize { extent } else { steps.index(index, extent)? };
        let count = match values {
            Argument::Array(values) if axis.0.is_none() => values.shape_of().size(),
            _ => 1,
        };
        let mut shape = x.shape_of().clone();
        shape[at] += count;
        check_shape(&shape).map_err(|kind| steps.error(kind))?;
        let result = steps.empty(&x, x.dtype(), &shape);
        let part = |from: usize, to: usize| steps.range(&result, at, (from, to));
        steps.assign(&part(0, index)?, &steps.range(&x, at, (0, index))?)?;
        let behind = steps.range(&x, at, (index, extent))?;
        steps.assign(&part(index + count, extent + count)?, &behind)?;
        let new = part(index, index + count)?;
        match values {
            Argument::Array(values) if axis.0.is_none() => {
                steps.assign(&new, &steps.ravel(values)?)?;
            }
            values => {
                let mut items: SmallVec<[Ix; 8]> = (0..at).map(|_| Ix::from(..)).collect();
                items.push(Ix::from(0));
                let slice = new.view().slice(&items).map_err(|kind| steps.error(kind))?;
                new.with_view(slice).assign_as(values, steps.name, steps.place)?;
            }
        }
        Ok(result)
    }

    /// NumPy's `resize`: the elements in row-major order, from the first again behind the last, in another shape.
    ///
    /// Errors: a shape that cannot be; there are no elements, and some are wanted.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1, 2, 3]));
    /// let more = DArray::<i32>::try_from(x.resize((2, 2)).unwrap()).unwrap();
    /// assert_eq!(more.to_vec(), [1, 2, 3, 1]);
    /// ```
    #[track_caller]
    pub fn resize(&self, shape: impl IntoShape) -> Result<DynArray> {
        let steps = Steps { name: "resize", place: Place::caller() };
        let shape = checked_shape(steps.name, &shape, steps.place)?;
        let (x, wanted) = (steps.ravel(self)?, shape.size());
        let there = x.shape()[0];
        if there == 0 && wanted > 0 {
            return Err(steps.shapes(&[self], "an element"));
        }
        let result = steps.empty(&x, x.dtype(), &Shape::new(&[wanted]));
        let whole = wanted.checked_div(there).unwrap_or(0);
        let rest = wanted - whole * there;
        if whole > 0 {
            let rows = steps.range(&result, 0, (0, whole * there))?;
            steps.assign(&steps.reshape(&rows, &[whole, there])?, &x)?;
        }
        if rest > 0 {
            let last = steps.range(&result, 0, (whole * there, wanted))?;
            steps.assign(&last, &steps.range(&x, 0, (0, rest))?)?;
        }
        steps.reshape(&result, &shape)
    }

    /// NumPy's `vander`: a matrix of the powers of a vector's elements in `columns` columns, the highest power first, or last where they
    /// are to increase. In the type that these elements and i64 promote to.
    ///
    /// Errors: there is not one axis; too many elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2i64, 3]));
    /// let powers = DArray::<i64>::try_from(x.vander(3, false).unwrap()).unwrap();
    /// assert_eq!(powers.to_vec(), [4, 2, 1, 9, 3, 1]);
    /// ```
    #[track_caller]
    pub fn vander(&self, columns: usize, increasing: bool) -> Result<DynArray> {
        let steps = Steps { name: "vander", place: Place::caller() };
        let &[rows] = self.shape() else { return Err(steps.shapes(&[self], "one axis")) };
        let dtype = promote(self.dtype(), DType::I64);
        let shape = Shape::new(&[rows, columns]);
        check_shape(&shape).map_err(|kind| steps.error(kind))?;
        let factors = steps.full(self, dtype, &shape, 1.0)?;
        let column = steps.reshape(self, &[rows, 1])?;
        if columns > 1 {
            steps.assign(&steps.range(&factors, 1, (1, columns))?, &column)?;
        }
        let powers = factors.products(1, steps.name, steps.place)?;
        if increasing { Ok(powers) } else { reversed(steps, &powers, 1) }
    }

    /// NumPy's `unstack`: the parts of an array along an axis, without it, as views.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 3)));
    /// assert_eq!(x.unstack(1).unwrap().len(), 3);
    /// ```
    #[track_caller]
    pub fn unstack(&self, axis: isize) -> Result<Vec<DynArray>> {
        let steps = Steps { name: "unstack", place: Place::caller() };
        let axis = steps.axis(self, axis)?;
        let part = |k: usize| {
            let index = (0..axis).map(|_| Ix::from(..)).chain([Ix::from(k as isize)]);
            let view = self.view().slice(&index.collect::<SmallVec<[Ix; 8]>>());
            Ok(self.with_view(view.map_err(|kind| steps.error(kind))?))
        };
        (0..self.shape()[axis]).map(part).collect()
    }

    /// NumPy's `hsplit`: parts along the second axis, or the only one, as views.
    ///
    /// Errors: as [`split`](Self::split).
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 4)));
    /// assert_eq!(x.hsplit(2).unwrap()[0].shape(), [2, 2]);
    /// ```
    #[track_caller]
    pub fn hsplit(&self, sections: impl Into<Sections>) -> Result<Vec<DynArray>> {
        self.split(sections, if self.shape().len() > 1 { 1 } else { 0 })
    }

    /// NumPy's `vsplit`: parts along the first of at least two axes, as views.
    ///
    /// Errors: there are fewer axes; as [`split`](Self::split).
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((4, 2)));
    /// assert_eq!(x.vsplit(2).unwrap()[0].shape(), [2, 2]);
    /// ```
    #[track_caller]
    pub fn vsplit(&self, sections: impl Into<Sections>) -> Result<Vec<DynArray>> {
        if self.shape().len() < 2 {
            let steps = Steps { name: "vsplit", place: Place::caller() };
            return Err(steps.shapes(&[self], "at least two axes"));
        }
        self.split(sections, 0)
    }

    /// NumPy's `dsplit`: parts along the third axis, as views.
    ///
    /// Errors: as [`split`](Self::split).
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones((2, 2, 4)));
    /// assert_eq!(x.dsplit(2).unwrap()[0].shape(), [2, 2, 2]);
    /// ```
    #[track_caller]
    pub fn dsplit(&self, sections: impl Into<Sections>) -> Result<Vec<DynArray>> {
        self.split(sections, 2)
    }
}

impl Steps {
    /// An index counted from the front.
    fn index(&self, index: isize, extent: usize) -> Result<usize> {
        let extents = Shape::new(&[extent]);
        let counted = if index < 0 { index + extent as isize } else { index };
        match usize::try_from(counted) {
            Ok(counted) if counted < extent => Ok(counted),
            _ => {
                let message = format!("index {index} is out of bounds for extent {extent}");
                Err(self.error(ErrorKind::Index { message, shape: extents }))
            }
        }
    }
}

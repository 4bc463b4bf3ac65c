//! Choices by index, and indices of several axes as one.

use crate::elementwise::operand::promoted;
use crate::elementwise::steps::Steps;
use crate::{Argument, Binary, DynArray, IntoShape, array::into_shape::checked_shape};
use darray_core::{DType, Ix, Place, Result, Shape, broadcast_shapes, promote};

impl DynArray {
    /// NumPy's `choose`: for each index the element of the array with that number, all broadcast to one shape. An index out of range is
    /// an error when the result is read.
    ///
    /// Errors: these are no integers; there are no arrays; shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let numbers = DynArray::from(DArray::from_vec(vec![1, 0]));
    /// let (a, b) = (DynArray::from(DArray::from_vec(vec![1, 2])), DynArray::from(DArray::from_vec(vec![3, 4])));
    /// let chosen = DArray::<i32>::try_from(numbers.choose(&[&a, &b]).unwrap()).unwrap();
    /// assert_eq!(chosen.to_vec(), [3, 2]);
    /// ```
    #[track_caller]
    pub fn choose(&self, choices: &[&DynArray]) -> Result<DynArray> {
        let steps @ Steps { name, place } = Steps { name: "choose", place: Place::caller() };
        let Some(first) = choices.first() else {
            return Err(steps.argument("nothing to choose from"));
        };
        let mut shape = self.shape_of().clone();
        for choice in choices {
            steps.same_runtime(self, choice)?;
            shape = broadcast_shapes(&shape, choice.shape_of())
                .map_err(|_| steps.shapes(&[self, choice], "shapes that broadcast"))?;
        }
        let dtype = choices.iter().fold(first.dtype(), |dtype, x| promote(dtype, x.dtype()));
        let extents: Shape = std::iter::once(choices.len()).chain(shape.iter().copied()).collect();
        darray_core::check_shape(&extents).map_err(|kind| steps.error(kind))?;
        let all = steps.empty(self, dtype, &extents);
        for (k, choice) in choices.iter().enumerate() {
            let part =
                all.view().slice(&[Ix::from(k as isize)]).map_err(|kind| steps.error(kind))?;
            steps.assign(&all.with_view(part), choice)?;
        }
        let numbers = self.view().broadcast_to(&shape).map_err(|kind| steps.error(kind))?;
        let numbers = self.with_view(numbers);
        let front = numbers.view().slice(&[Ix::NewAxis]).map_err(|kind| steps.error(kind))?;
        let chosen = all.take_along_axis_as(&numbers.with_view(front), Some(0), name, place)?;
        let view = chosen.view().slice(&[Ix::from(0)]).map_err(|kind| steps.error(kind))?;
        Ok(chosen.with_view(view))
    }

    /// NumPy's `select`: at each place the element of the first array whose mask holds there, or a default where none does; all broadcast
    /// to one shape, in a type that all have.
    ///
    /// Errors: there are no masks, or not as many as arrays; masks are not of `bool`; shapes do not broadcast.
    ///
    /// ```
    /// use darray::{Binary, DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![-1, 5, 50]));
    /// let (low, high) = (x.binary(Binary::Lt, 0).unwrap(), x.binary(Binary::Gt, 9).unwrap());
    /// let zero = DynArray::from(DArray::from_vec(vec![0]));
    /// let nine = DynArray::from(DArray::from_vec(vec![9]));
    /// let clipped = DynArray::first_of(&[&low, &high], &[&zero, &nine], &x).unwrap();
    /// assert_eq!(DArray::<i32>::try_from(clipped).unwrap().to_vec(), [0, 5, 9]);
    /// ```
    #[track_caller]
    pub fn first_of<'a>(
        masks: &[&DynArray],
        values: &[&DynArray],
        default: impl Into<Argument<'a>>,
    ) -> Result<DynArray> {
        let (steps, default) = (Steps { name: "select", place: Place::caller() }, default.into());
        let (Some((last, masks)), Some((value, values))) =
            (masks.split_last(), values.split_last())
        else {
            return Err(steps.argument("there are no masks"));
        };
        if masks.len() != values.len() {
            let message = format!("{} masks and {} arrays", masks.len() + 1, values.len() + 1);
            return Err(steps.argument(message));
        }
        if let Some(mask) = masks.iter().chain([last]).find(|mask| mask.dtype() != DType::Bool) {
            return Err(steps.dtypes(&[mask], "masks of bool"));
        }
        let dtype = values.iter().fold(value.dtype(), |dtype, x| promote(dtype, x.dtype()));
        let dtype = promoted(dtype, default);
        let chosen = steps.select(last, *value, default, dtype)?;
        let earlier = masks.iter().zip(values).rev();
        earlier
            .into_iter()
            .try_fold(chosen, |chosen, (mask, value)| steps.select(mask, *value, &chosen, dtype))
    }

    /// NumPy's `ravel_multi_index`: the places in row-major order that indices of several axes mean, one array of indices for each axis of a
    /// shape. None is checked against its extent.
    ///
    /// Errors: there are not as many arrays as axes, or floats; shapes do not broadcast.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let (i, j) = (DynArray::from(DArray::from_vec(vec![0, 1])), DynArray::from(DArray::from_vec(vec![2, 1])));
    /// let places = DynArray::ravel_multi_index(&[&i, &j], (2, 3)).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(places).unwrap().to_vec(), [2, 4]);
    /// ```
    #[track_caller]
    pub fn ravel_multi_index(indices: &[&DynArray], shape: impl IntoShape) -> Result<DynArray> {
        let steps = Steps { name: "ravel_multi_index", place: Place::caller() };
        let shape = checked_shape(steps.name, &shape, steps.place)?;
        let (Some((first, others)), true) = (indices.split_first(), indices.len() == shape.rank())
        else {
            return Err(steps.argument(format!("{} indices of {shape:?}", indices.len())));
        };
        let mut places = steps.indices(first)?;
        for (index, &extent) in others.iter().zip(&shape[1..]) {
            steps.same_runtime(first, index)?;
            places = steps.binary(Binary::Mul, &places, extent as i64)?;
            places = steps.binary(Binary::Add, &places, &steps.indices(index)?)?;
        }
        Ok(places)
    }

    /// NumPy's `unravel_index`: the indices (i64) along each axis of a shape of places in row-major order. None is checked against the
    /// shape.
    ///
    /// Errors: these are floats.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let indices = DynArray::from(DArray::from_vec(vec![2, 4])).unravel_index((2, 3)).unwrap();
    /// assert_eq!(indices.len(), 2);
    /// ```
    #[track_caller]
    pub fn unravel_index(&self, shape: impl IntoShape) -> Result<Vec<DynArray>> {
        let steps = Steps { name: "unravel_index", place: Place::caller() };
        let shape = checked_shape(steps.name, &shape, steps.place)?;
        let mut places = steps.indices(self)?;
        let mut indices = Vec::new();
        for &extent in shape.iter().rev() {
            indices.push(steps.binary(Binary::Rem, &places, extent.max(1) as i64)?);
            places = steps.binary(Binary::FloorDivide, &places, extent.max(1) as i64)?;
        }
        indices.reverse();
        Ok(indices)
    }
}

impl Steps {
    /// Indices as i64; truth values are 0 and 1.
    fn indices(&self, x: &DynArray) -> Result<DynArray> {
        match x.dtype().is_integer() || x.dtype() == DType::Bool {
            true => self.cast(x, DType::I64),
            false => Err(self.dtypes(&[x], "indices of an integer type")),
        }
    }
}

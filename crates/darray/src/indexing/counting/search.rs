//! Where values stand in a sorted array.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element};
use darray_core::{DType, Dim, Ix, Place, RealType, Reindex, Result, Scalar, Shape, View, promote};
use darray_ir::builtin::Search;
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, StoreRef};

impl DynArray {
    /// NumPy's `searchsorted`: for each value the place (i64) in this ascending array of one axis before which it can stand so that
    /// the array stays sorted: the first such place, or on the right the last. In the order of sorting: zeros are equal, NaN comes
    /// last. Where the array does not ascend the places are not specified.
    ///
    /// Errors: this array has not one axis.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, 2.0, 2.0, 5.0]));
    /// let values = DynArray::from(DArray::from_vec(vec![2.0, 9.0]));
    /// let places = |right| DArray::<i64>::try_from(x.searchsorted(&values, right).unwrap()).unwrap();
    /// assert_eq!((places(false).to_vec(), places(true).to_vec()), (vec![1, 4], vec![3, 4]));
    /// ```
    #[track_caller]
    pub fn searchsorted(&self, values: &DynArray, right: bool) -> Result<DynArray> {
        let steps = Steps { name: "searchsorted", place: Place::caller() };
        steps.same_runtime(self, values)?;
        if self.shape().len() != 1 {
            return Err(steps.shapes(&[self, values], "a sorted array of one axis"));
        }
        let dtype = promote(self.dtype(), values.dtype());
        let (sorted, values) = (steps.cast(self, dtype)?, steps.cast(values, dtype)?);
        match dtype.is_complex() {
            true => steps.found_by_sorting(&sorted, &values, right),
            false => steps.searched(&sorted, &values, right),
        }
    }

    /// NumPy's `digitize`: for each element the number (i64) of the bin that it falls into, of bins that begin with an edge and end
    /// before the next, or on the right begin behind an edge and end with the next; 0 is before all. The edges ascend or descend; where
    /// they do neither the numbers are not specified.
    ///
    /// Errors: the edges have not one axis.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![0.5, 1.0, 7.0]));
    /// let edges = DynArray::from(DArray::from_vec(vec![1.0, 2.0]));
    /// let numbers = DArray::<i64>::try_from(x.digitize(&edges, false).unwrap()).unwrap();
    /// assert_eq!(numbers.to_vec(), [0, 1, 2]);
    /// ```
    #[track_caller]
    pub fn digitize(&self, edges: &DynArray, right: bool) -> Result<DynArray> {
        let steps = Steps { name: "digitize", place: Place::caller() };
        steps.same_runtime(self, edges)?;
        let &[count] = edges.shape() else {
            return Err(steps.shapes(&[self, edges], "edges along one axis"));
        };
        let dtype = steps.real(promote(self.dtype(), edges.dtype()))?;
        let (x, edges) = (steps.cast(self, dtype)?, steps.cast(edges, dtype)?);
        if count < 2 {
            return steps.searched(&edges, &x, !right);
        }
        // Which way the edges go only the devices know.
        let end = |at: usize| steps.reshape(&steps.range(&edges, 0, (at, at + 1))?, &[]);
        let ascends = steps.binary(Binary::Le, &end(0)?, &end(count - 1)?)?;
        let turned = edges.view().slice(&[Ix::Range { start: None, end: None, step: -1 }]);
        let turned = edges.with_view(turned.map_err(|kind| steps.error(kind))?);
        let ascending = steps.select(&ascends, &edges, &turned, dtype)?;
        let found = steps.searched(&ascending, &x, !right)?;
        let from_end = steps.binary(Binary::Sub, count as i64, &found)?;
        steps.select(&ascends, &found, &from_end, RealType::INDEX)
    }
}

impl Steps {
    /// As [`searched`](Self::searched), of complex numbers, which no task searches: in the order of both arrays together each value stands
    /// before or behind its equals, for the sort keeps their order, and the running count of sorted elements is its place.
    fn found_by_sorting(
        &self,
        sorted: &DynArray,
        values: &DynArray,
        right: bool,
    ) -> Result<DynArray> {
        let Steps { name, place } = *self;
        let (flat, bound) = (self.ravel(values)?, sorted.shape()[0]);
        let count = flat.shape()[0];
        let all = match right {
            true => self.concatenate(&[sorted, &flat], 0)?,
            false => self.concatenate(&[&flat, sorted], 0)?,
        };
        let order = all.sorted(Some(0), true, name, place)?;
        let is_sorted = match right {
            true => self.binary(Binary::Lt, &order, bound as i64)?,
            false => self.binary(Binary::Ge, &order, count as i64)?,
        };
        let before = is_sorted.sums(0, name, place)?;
        let found = self.empty(&before, DType::I64, before.shape_of());
        found.scatter((0, false), &order, &before, name, place)?;
        let first = if right { bound } else { 0 };
        self.range(&found, 0, (first, first + count))?.reshape_to(values.shape_of(), name, place)
    }

    /// How many elements of an ascending array of one axis stand before each value, which has the same element type.
    pub fn searched(&self, sorted: &DynArray, values: &DynArray, right: bool) -> Result<DynArray> {
        let Steps { name, place } = *self;
        let (domain, bound) = (values.shape_of(), sorted.shape()[0]);
        let wide: Shape = domain.iter().copied().chain([bound]).collect();
        let axes = [Dim::along(domain.rank() as u8, 0, 1)];
        let from =
            sorted.view().reindex(&Reindex { shape: wide, axes: axes.into_iter().collect() });
        let view = View::whole(domain);
        let args = &[
            (StoreRef::New(RealType::INDEX, domain), view.map(), Privilege::Write),
            (values.when_recorded(), values.view().map(), Privilege::Read),
            (sorted.when_recorded(), from.map(), Privilege::Read),
        ];
        let op = TaskOp::Builtin(Search { right }.into());
        let scalars = &[Scalar::from(bound as i64)];
        let runtime = values.runtime();
        let made = runtime.emit(Emission { op, name, domain, args, scalars, place })?;
        Ok(DynArray::of_made(runtime, made, view))
    }
}

/// # Searches in sorted arrays
impl<T: Element> DArray<T> {
    /// NumPy's `searchsorted`: for each value the first place in this ascending array of one axis before which it can stand so that
    /// the array stays sorted. In the order of sorting: zeros are equal, NaN comes last. Where the array does not ascend the places
    /// are not specified.
    ///
    /// # Panics
    ///
    /// If this array has not one axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0, 2.0, 5.0]);
    /// assert_eq!(x.searchsorted(&DArray::from_vec(vec![2.0, 0.0, 9.0])).to_vec(), [1, 0, 4]);
    /// ```
    #[track_caller]
    pub fn searchsorted<U: Element>(&self, values: &DArray<U>) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().searchsorted(values.as_dyn(), false)))
    }

    /// NumPy's `searchsorted` with `side="right"`: as [`searchsorted`](Self::searchsorted), but the last such place, behind equal
    /// elements.
    ///
    /// # Panics
    ///
    /// If this array has not one axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![1.0, 2.0, 2.0, 5.0]);
    /// assert_eq!(x.searchsorted_right(&DArray::from_vec(vec![2.0, 5.0])).to_vec(), [3, 4]);
    /// ```
    #[track_caller]
    pub fn searchsorted_right<U: Element>(&self, values: &DArray<U>) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().searchsorted(values.as_dyn(), true)))
    }

    /// NumPy's `digitize`: for each element the number of the bin that it falls into, of bins that begin with an edge and end before
    /// the next; 0 is before all edges. The edges ascend or descend; where they do neither the numbers are not specified.
    ///
    /// # Panics
    ///
    /// If the edges have not one axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![0.5, 1.0, 7.0]);
    /// assert_eq!(x.digitize(&DArray::from_vec(vec![1.0, 2.0])).to_vec(), [0, 1, 2]);
    /// assert_eq!(x.digitize(&DArray::from_vec(vec![2.0, 1.0])).to_vec(), [2, 1, 0]);
    /// ```
    #[track_caller]
    pub fn digitize<U: Element>(&self, edges: &DArray<U>) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().digitize(edges.as_dyn(), false)))
    }

    /// NumPy's `digitize` with `right=True`: bins begin behind an edge and end with the next.
    ///
    /// # Panics
    ///
    /// If the edges have not one axis.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_vec(vec![0.5, 1.0, 7.0]);
    /// assert_eq!(x.digitize_right(&DArray::from_vec(vec![1.0, 2.0])).to_vec(), [0, 0, 2]);
    /// ```
    #[track_caller]
    pub fn digitize_right<U: Element>(&self, edges: &DArray<U>) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().digitize(edges.as_dyn(), true)))
    }
}

//! Reading by indices.

use super::{check_runtime, indices_of, nothing_there, other_rank};
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Along, DArray, DynArray, Element, Integral, Number, array::axes};
use darray_core::{
    Dim, Error, ErrorKind, Place, Reindex, Result, Scalar, Shape, View, broadcast_shapes,
    check_shape,
};
use darray_ir::builtin::Gather;
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, StoreRef};

impl DynArray {
    /// NumPy's `take`: the elements at these indices along an axis, or of all elements in row-major order
    /// where there is none. The axes of the indices stand in the result where the axis stood. Indices
    /// below 0 count from the end; one out of range is an error when the result is read.
    ///
    /// Errors: the indices are no integers; the axis is out of range or has no elements; too many axes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![5.0, 6.0, 7.0]));
    /// let indices = DynArray::from(DArray::from_vec(vec![-1, 0]));
    /// let taken = DArray::<f64>::try_from(x.take(&indices, 0).unwrap()).unwrap();
    /// assert_eq!(taken.to_vec(), [7.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn take(&self, indices: &DynArray, axis: impl Into<Along>) -> Result<DynArray> {
        self.taken(indices, axis.into().0, Steps { name: "take", place: Place::caller() })
    }

    /// As [`take`](Self::take), under the name of the operation that it is a part of.
    pub(crate) fn taken(
        &self,
        indices: &DynArray,
        axis: Option<isize>,
        Steps { name, place }: Steps,
    ) -> Result<DynArray> {
        let (source, axis) = along(self, axis, name, place)?;
        source.looked_up(indices, (axis, axis), Steps { name, place })
    }

    /// The elements at these indices along an axis, which is another one for messages.
    pub(crate) fn looked_up(
        &self,
        indices: &DynArray,
        (axis, shown): (usize, usize),
        Steps { name, place }: Steps,
    ) -> Result<DynArray> {
        let source = self;
        let indices = indices_of(indices, name, place)?;
        let (rank, new) = (source.shape().len(), indices.shape().len());
        let (before, behind) = (&source.shape()[..axis], &source.shape()[axis + 1..]);
        let domain: Shape = [before, indices.shape(), behind].concat().into_iter().collect();
        check_shape(&domain).map_err(|kind| Error::new(name, kind, place))?;
        let at = |number: usize| Dim::along(number as u8, 0, 1);
        let index_axes = (0..new).map(|a| at(axis + a)).collect();
        let source_axes = (0..rank).map(|a| match a.cmp(&axis) {
            std::cmp::Ordering::Less => at(a),
            std::cmp::Ordering::Equal => at(domain.rank()),
            std::cmp::Ordering::Greater => at(a + new - 1),
        });
        let source_axes = source_axes.collect();
        let axis = (axis, shown);
        let positions = (axis.0, new);
        Lookup { name, place, axis, positions, domain, index_axes, source_axes }
            .emit(source, &indices)
    }

    /// NumPy's `take_along_axis`: element `[.., i, ..]` of the result is the array's at the index that
    /// `indices` has there, along an axis; the other axes broadcast. Without an axis the array is
    /// flattened first.
    ///
    /// Errors: the indices are no integers, or have another number of axes than the array; the shapes do
    /// not broadcast; the axis is out of range or has no elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_shape_vec((2, 2), vec![4, 3, 1, 2]));
    /// let sorted = x.take_along_axis(&x.argsort(1).unwrap(), 1).unwrap();
    /// assert_eq!(DArray::<i32>::try_from(sorted).unwrap().to_vec(), [3, 4, 1, 2]);
    /// ```
    #[track_caller]
    pub fn take_along_axis(&self, indices: &DynArray, axis: impl Into<Along>) -> Result<DynArray> {
        self.take_along_axis_as(indices, axis.into().0, "take_along_axis", Place::caller())
    }

    /// As [`take_along_axis`](Self::take_along_axis), for the operation of this name.
    pub(crate) fn take_along_axis_as(
        &self,
        indices: &DynArray,
        axis: Option<isize>,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let (source, axis) = along(self, axis, name, place)?;
        let indices = indices_of(indices, name, place)?;
        if indices.shape().len() != source.shape().len() {
            return Err(other_rank(&source, &indices, name, place));
        }
        let mut wanted = source.shape_of().clone();
        wanted[axis] = indices.shape()[axis];
        let domain = broadcast_shapes(&wanted, indices.shape_of()).map_err(|_| {
            let shapes = vec![source.shape_of().clone(), indices.shape_of().clone()];
            Error::new(name, ErrorKind::Broadcast { shapes }, place)
        })?;
        let along = |shape: &[usize], a: usize| match shape[a] == domain[a] {
            true => Dim::along(a as u8, 0, 1),
            false => Dim::fixed(0),
        };
        let rank = domain.rank();
        let index_axes = (0..rank).map(|a| along(indices.shape(), a)).collect();
        let mut source_axes: Vec<Dim> = (0..rank).map(|a| along(&wanted, a)).collect();
        source_axes[axis] = Dim::along(rank as u8, 0, 1);
        let (axis, positions) = ((axis, axis), (0, rank));
        Lookup { name, place, axis, positions, domain, index_axes, source_axes }
            .emit(&source, &indices)
    }
}

/// The array and the axis that is meant: of all its elements where none is given.
fn along(
    x: &DynArray,
    axis: Option<isize>,
    name: &'static str,
    place: Place,
) -> Result<(DynArray, usize)> {
    match axis {
        None => Ok((x.ravel_as(name, place)?, 0)),
        Some(axis) => {
            let axis = axes::resolve_one(axis, x.shape_of());
            Ok((x.alias(), axis.map_err(|kind| Error::new(name, kind, place))?))
        }
    }
}

/// A gather before it becomes a task.
struct Lookup {
    name: &'static str,
    place: Place,
    /// The source's axis that is looked up, and its number for messages.
    axis: (usize, usize),
    /// Which axes of the domain are axes of the indices: the first, and how many.
    positions: (usize, usize),
    /// Shape of the result.
    domain: Shape,
    /// The indices' axes as axes of the domain.
    index_axes: Vec<Dim>,
    /// So the source's, of which the one that is looked up is behind the domain's.
    source_axes: Vec<Dim>,
}

impl Lookup {
    fn emit(self, source: &DynArray, indices: &DynArray) -> Result<DynArray> {
        source.by_parts(self.name, self.place, |part| self.emit_part(part, indices))
    }

    /// The same of a real array.
    fn emit_part(&self, source: &DynArray, indices: &DynArray) -> Result<DynArray> {
        let Lookup { name, place, axis: (axis, shown), positions, ref domain, .. } = *self;
        check_runtime(source, indices, name, place)?;
        let bound = source.shape()[axis];
        if bound == 0 && domain.size() > 0 {
            return Err(nothing_there(source, shown, name, place));
        }
        let wide: Shape = domain.iter().copied().chain([bound]).collect();
        let change = |shape: &Shape, axes: &[Dim]| Reindex {
            shape: shape.clone(),
            axes: axes.iter().copied().collect(),
        };
        let index = indices.view().reindex(&change(domain, &self.index_axes));
        let from = source.view().reindex(&change(&wide, &self.source_axes));
        let view = View::whole(domain);
        let args = &[
            (StoreRef::New(source.real_type(), domain), view.map(), Privilege::Write),
            (indices.when_recorded(), index.map(), Privilege::Read),
            (source.when_recorded(), from.map(), Privilege::Read),
        ];
        let (first, count) = (positions.0 as u8, positions.1 as u8);
        let op = TaskOp::Builtin(Gather { axis: shown as u8, first, count }.into());
        let scalars = &[Scalar::from(bound as i64)];
        let runtime = source.runtime();
        let made = runtime.emit(Emission { op, name, domain, args, scalars, place })?;
        Ok(DynArray::of_made(runtime, made, view))
    }
}

/// # Elements by indices
impl<T: Element> DArray<T> {
    /// The elements at these indices along an axis, in whose place the axes of the indices stand. Indices
    /// below 0 count from the end; one out of range is an error when the result is read.
    ///
    /// # Panics
    ///
    /// If the axis is out of range or has no elements, or there are too many axes.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<i64>::arange(6).reshape((3, 2));
    /// assert_eq!(x.take(&DArray::from_vec(vec![2, 0]), 0).to_vec(), [4, 5, 0, 1]);
    /// assert_eq!(x.take(&DArray::from_vec(vec![-1]), 1).shape(), [3, 1]);
    /// ```
    #[track_caller]
    pub fn take<I: Integral + Number>(
        &self,
        indices: &DArray<I>,
        axis: impl Into<Along>,
    ) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().take(indices.as_dyn(), axis)))
    }

    /// Element `[.., i, ..]` of the result is the array's at the index that `indices` has there, along an
    /// axis; the other axes broadcast.
    ///
    /// # Panics
    ///
    /// If the indices have another number of axes than the array, the shapes do not broadcast, or the
    /// axis is out of range or has no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 3), vec![3, 1, 2, 9, 8, 7]);
    /// let sorted = x.take_along_axis(&x.argsort(-1), 1);
    /// assert_eq!(sorted.to_vec(), [1, 2, 3, 7, 8, 9]);
    /// ```
    #[track_caller]
    pub fn take_along_axis<I: Integral + Number>(
        &self,
        indices: &DArray<I>,
        axis: isize,
    ) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().take_along_axis(indices.as_dyn(), axis)))
    }
}

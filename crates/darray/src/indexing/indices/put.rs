//! Writing by indices.

use super::{check_runtime, indices_of, nothing_there, other_rank};
use crate::elementwise::nullary::filled_in;
use crate::error::expect_at_caller;
use crate::{
    Argument, Assignable, DArray, DynArray, Element, Integral, Number, WeakScalar, array::axes,
};
use darray_core::{
    Error, ErrorKind, Ix, Place, Result, Scalar, Shape, broadcast_shapes, check_shape,
};
use darray_fusion::precondition;
use darray_ir::builtin::Scatter;
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, StoreOwner};
use smallvec::SmallVec;
use std::sync::Arc;

impl DynArray {
    /// NumPy's `put`: writes values at these indices in row-major order, as if all were read first. The
    /// values, cast to this element type, are repeated from the front where there are fewer of them than
    /// indices; what has several indices gets the value of the last. Indices below 0 count from the end;
    /// one out of range is an error when the array is read.
    ///
    /// Errors: the indices are no integers; there are indices, but no elements; this is a view that
    /// reaches an element twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::arange(4));
    /// x.put(&DynArray::from(DArray::from_vec(vec![-1, 0])), 9).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [9, 1, 2, 9]);
    /// ```
    #[track_caller]
    pub fn put<'a>(&self, indices: &DynArray, values: impl Into<Argument<'a>>) -> Result<()> {
        let (name, place) = ("put", Place::caller());
        let indices = indices_of(indices, name, place)?.ravel_as(name, place)?;
        let values = self.values(values.into(), name, place)?.ravel_as(name, place)?;
        check_runtime(self, &indices, name, place)?;
        check_runtime(self, &values, name, place)?;
        let error = |kind| Error::new(name, kind, place);
        let (count, given) = (indices.shape()[0], values.shape()[0]);
        if given == 0 {
            return Ok(());
        }
        let values = match given {
            1 => values,
            _ if given < count => values.tile(count.div_ceil(given))?,
            _ => values,
        };
        let values = match values.shape()[0] > count.max(1) {
            true => {
                values.slice([Ix::Range { start: None, end: Some(count as isize), step: 1 }])?
            }
            false => values,
        };
        let values =
            values.with_view(values.view().broadcast_to(indices.shape_of()).map_err(error)?);
        let flat = Shape::new(&[self.shape_of().size()]);
        let view = self.view().reshape(self.whole_shape(), &flat);
        match view.map_err(error)? {
            Some(view) => self.with_view(view).scatter((0, false), &indices, &values, name, place),
            None => {
                let copy = self.copy_at(place)?;
                let flat = copy.reshape_to(&flat, name, place)?;
                flat.scatter((0, false), &indices, &values, name, place)?;
                self.assign_as(Argument::Array(&copy), name, place)
            }
        }
    }

    /// NumPy's `put_along_axis`: writes values, broadcast to the indices and cast to this element type, at
    /// these indices along an axis, as if all were read first; what has several indices gets the value
    /// of the last. The other axes of the indices and of the array broadcast.
    ///
    /// Errors: the indices are no integers, or have another number of axes than the array; the shapes do
    /// not broadcast; the axis is out of range or has no elements; this is a view that reaches an
    /// element twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::zeros((2, 3)));
    /// let indices = DynArray::from(DArray::from_shape_vec((2, 1), vec![2, 0]));
    /// x.put_along_axis(&indices, 1.0, 1).unwrap();
    /// let expected = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0];
    /// assert_eq!(DArray::<f64>::try_from(x).unwrap().to_vec(), expected);
    /// ```
    #[track_caller]
    pub fn put_along_axis<'a>(
        &self,
        indices: &DynArray,
        values: impl Into<Argument<'a>>,
        axis: isize,
    ) -> Result<()> {
        let (name, place) = ("put_along_axis", Place::caller());
        let axis = axes::resolve_one(axis, self.shape_of());
        let axis = axis.map_err(|kind| Error::new(name, kind, place))?;
        let indices = indices_of(indices, name, place)?;
        if indices.shape().len() != self.shape().len() {
            return Err(other_rank(self, &indices, name, place));
        }
        let values = self.values(values.into(), name, place)?;
        check_runtime(self, &indices, name, place)?;
        check_runtime(self, &values, name, place)?;
        let mut span = self.shape_of().clone();
        span[axis] = indices.shape()[axis];
        let broadcast = || {
            let shapes = [self, &indices, &values].map(|x| x.shape_of().clone()).to_vec();
            Error::new(name, ErrorKind::Broadcast { shapes }, place)
        };
        let wide = broadcast_shapes(&span, indices.shape_of()).map_err(|_| broadcast())?;
        check_shape(&wide).map_err(|kind| Error::new(name, kind, place))?;
        let spread = |x: &DynArray| {
            let view = x.view().broadcast_to(&wide);
            Ok(x.with_view(view.map_err(|_| broadcast())?))
        };
        let values = without_leading_axes(&values, wide.rank(), name, place)?;
        let (indices, values) = (spread(&indices)?, spread(&values)?);
        if wide == span {
            return self.scatter((axis, false), &indices, &values, name, place);
        }
        // Axes of extent 1 that the indices repeat belong to the order of the writes.
        let repeated = |a: &usize| *a == axis || wide[*a] != span[*a];
        let joined = |x: &DynArray| join_axes(x, axis, repeated, name, place);
        self.scatter((axis, false), &joined(&indices)?, &joined(&values)?, name, place)
    }

    /// What is written, in this element type.
    pub(crate) fn values(
        &self,
        value: Argument<'_>,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let dtype = self.dtype();
        let weak = match value {
            Argument::Array(array) if array.dtype() == dtype => return Ok(array.alias()),
            Argument::Array(array) => return array.copy_as(name, dtype, place),
            Argument::Scalar(scalar) => WeakScalar::Real(scalar),
            Argument::Complex(value) => WeakScalar::Complex(value),
        };
        filled_in(self.runtime(), name, dtype, &Shape::scalar(), weak, place)
    }

    /// Emits a scatter into this array or view, or one that adds, of indices and values of its shape but along the axis.
    pub(crate) fn scatter(
        &self,
        (axis, add): (usize, bool),
        indices: &DynArray,
        values: &DynArray,
        name: &'static str,
        place: Place,
    ) -> Result<()> {
        let error = |kind| Error::new(name, kind, place);
        let (domain, count) = (self.shape_of(), indices.shape()[axis]);
        if precondition::non_injective(self.view().map(), domain) {
            return Err(error(ErrorKind::Overlap { shape: domain.clone() }));
        }
        if indices.shape_of().size() == 0 {
            return Ok(());
        }
        if domain.size() == 0 {
            return Err(nothing_there(self, axis, name, place));
        }
        if let (Some([re, im]), Some([re_values, im_values])) = (self.parts(), values.parts()) {
            re.scatter((axis, add), indices, &re_values, name, place)?;
            return im.scatter((axis, add), indices, &im_values, name, place);
        }
        let _updating = self.runtime().updating();
        let target = self.current_for_update(place)?;
        let apart = |x: &DynArray| match x.is_in(&target) {
            true => x.copy_at(place),
            false => Ok(x.alias()),
        };
        let (indices, values) = (apart(indices)?, apart(values)?);
        let args = &[
            (target.store().into(), self.view().map(), Privilege::ReadWrite),
            (indices.when_recorded(), indices.view().map(), Privilege::Read),
            (values.when_recorded(), values.view().map(), Privilege::Read),
        ];
        let op = TaskOp::Builtin(Scatter { axis: axis as u8, add }.into());
        let scalars = &[Scalar::from(count as i64)];
        self.runtime().emit(Emission { op, name, domain, args, scalars, place })?;
        Ok(())
    }

    /// Whether it is a view of this store version.
    fn is_in(&self, owner: &StoreOwner) -> bool {
        Arc::ptr_eq(self.current().store(), owner.store())
    }
}

/// Without axes of extent 1 in front of the last `rank`, as in an assignment.
pub(crate) fn without_leading_axes(
    x: &DynArray,
    rank: usize,
    name: &'static str,
    place: Place,
) -> Result<DynArray> {
    let more = x.shape().len().saturating_sub(rank);
    match x.shape()[..more].iter().all(|&extent| extent == 1) {
        true => x.reshape_to(&Shape::new(&x.shape()[more..]), name, place),
        false => Ok(x.alias()),
    }
}

/// The axes of which `joins` holds as one, in row-major order, which is `axis`; the others of them
/// have extent 1.
fn join_axes(
    x: &DynArray,
    axis: usize,
    joins: impl Fn(&usize) -> bool,
    name: &'static str,
    place: Place,
) -> Result<DynArray> {
    let axes = || 0..x.shape().len();
    let (one, kept): (Vec<usize>, Vec<usize>) = axes().partition(&joins);
    let order = [kept, one].concat();
    let moved = x.with_view(x.view().permute(&order));
    let count = axes().filter(&joins).map(|a| x.shape()[a]).product();
    let extent = |&a: &usize| match joins(&a) {
        true if a == axis => count,
        true => 1,
        false => x.shape()[a],
    };
    let joined = moved.reshape_to(&order.iter().map(extent).collect(), name, place)?;
    let mut back: SmallVec<[usize; 8]> = axes().collect();
    order.iter().enumerate().for_each(|(new, &old)| back[old] = new);
    Ok(joined.with_view(joined.view().permute(&back)))
}

/// # Writes by indices
impl<T: Element> DArray<T> {
    /// NumPy's `put`: writes values at these indices in row-major order, as if all were read first. The
    /// values are repeated from the front where there are fewer of them than indices; what has several
    /// indices gets the value of the last. Indices below 0 count from the end; one out of range is an
    /// error when the array is read.
    ///
    /// # Panics
    ///
    /// If there are indices, but no elements, or this view repeats elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros((2, 3));
    /// x.put(&DArray::from_vec(vec![0, -1, 0]), DArray::from_vec(vec![1.0, 2.0, 3.0]));
    /// assert_eq!(x.to_vec(), [3.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn put<I: Integral + Number, R: Assignable<T>>(&self, indices: &DArray<I>, values: R) {
        expect_at_caller(self.as_dyn().put(indices.as_dyn(), values.argument()));
    }

    /// Writes values, broadcast to the indices, at these indices along an axis, as if all were read
    /// first; what has several indices gets the value of the last. The other axes of the indices and of
    /// the array broadcast.
    ///
    /// # Panics
    ///
    /// If the indices have another number of axes than the array, the shapes do not broadcast, the axis
    /// is out of range or has no elements, or this view repeats elements.
    ///
    /// ```
    /// use darray::{DArray, axis};
    /// let x = DArray::from_shape_vec((2, 3), vec![3, 1, 2, 9, 8, 7]);
    /// let largest = x.argmax(axis(1).keepdims());
    /// x.put_along_axis(&largest, 0, 1);
    /// assert_eq!(x.to_vec(), [0, 1, 2, 0, 8, 7]);
    /// ```
    #[track_caller]
    pub fn put_along_axis<I: Integral + Number, R: Assignable<T>>(
        &self,
        indices: &DArray<I>,
        values: R,
        axis: isize,
    ) {
        expect_at_caller(self.as_dyn().put_along_axis(indices.as_dyn(), values.argument(), axis));
    }
}

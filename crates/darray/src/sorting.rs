//! Sorting.
//!
//! A sort is a builtin of the devices: ascending and stable; -0.0 and 0.0 are equal, NaN comes last, as
//! NumPy's `kind="stable"`. Since the order is stable it has one result, whatever the number of devices.
//! An axis stays whole on one device where another axis can be cut; one axis alone is sorted in parts,
//! which are then merged, each device making a part of the result.

mod greatest;
mod partition;
mod sets;

pub use sets::Unique;

use crate::elementwise::untyped::binary_as;
use crate::error::expect_at_caller;
use crate::{Along, Binary, DArray, DynArray, Element, array::axes};
use darray_core::{Error, Place, RealType, Result, View};
use darray_ir::builtin::Sort;
use darray_ir::{Privilege, TaskOp};
use darray_runtime::{Emission, StoreRef};

impl DynArray {
    /// NumPy's `sort`: the elements in ascending order along an axis, or all of them where there is none.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3, 1, 2]));
    /// assert_eq!(DArray::<i32>::try_from(x.sort(-1).unwrap()).unwrap().to_vec(), [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn sort(&self, axis: impl Into<Along>) -> Result<DynArray> {
        self.sorted(axis.into().0, false, "sort", Place::caller())
    }

    /// NumPy's `argsort`: the indices (i64) that sort the array along an axis, or all of it in row-major
    /// order where there is none. Equal elements stay in order.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![3.0, f64::NAN, 2.0, 3.0]));
    /// let order = DArray::<i64>::try_from(x.argsort(0).unwrap()).unwrap();
    /// assert_eq!(order.to_vec(), [2, 0, 3, 1]);
    /// ```
    #[track_caller]
    pub fn argsort(&self, axis: impl Into<Along>) -> Result<DynArray> {
        self.sorted(axis.into().0, true, "argsort", Place::caller())
    }

    /// A sort, or the indices that sort, under the name of the operation that it is a part of.
    pub(crate) fn sorted(
        &self,
        axis: Option<isize>,
        indices: bool,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let (input, axis) = match axis {
            None => (self.ravel_as(name, place)?, 0),
            Some(axis) => {
                let axis = axes::resolve_one(axis, self.shape_of());
                (self.alias(), axis.map_err(|kind| Error::new(name, kind, place))?)
            }
        };
        if input.is_complex() {
            return input.sorted_complex(axis, indices, name, place);
        }
        let dtype = if indices { RealType::INDEX } else { input.real_type() };
        let domain = input.shape_of();
        let view = View::whole(domain);
        let args = &[
            (StoreRef::New(dtype, domain), view.map(), Privilege::Write),
            (input.when_recorded(), input.view().map(), Privilege::Read),
        ];
        let op = TaskOp::Builtin(Sort { axis: axis as u8, indices }.into());
        let emission = Emission { op, name, domain, args, scalars: &[], place };
        let made = self.runtime().emit(emission)?;
        Ok(DynArray::of_made(self.runtime(), made, view))
    }

    /// By real parts, equal ones by imaginary parts; behind them what has NaN as imaginary part, then as real part, then as both, as
    /// NumPy has it. Three stable sorts, the one that counts least first.
    fn sorted_complex(
        &self,
        axis: usize,
        indices: bool,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        let axis = Some(axis as isize);
        let [re, im] = self.parts().expect("the parts of complex elements");
        let is_nan = |x: &DynArray| binary_as(name, Binary::Ne, x.into(), x.into(), place);
        let weight = is_nan(&re)?.copy_as(name, RealType::U8, place)?;
        let weight = binary_as(name, Binary::Mul, (&weight).into(), 2.into(), place)?;
        let class = binary_as(name, Binary::Add, (&weight).into(), (&is_nan(&im)?).into(), place)?;
        let mut order = im.sorted(axis, true, name, place)?;
        for key in [re, class] {
            let key = key.take_along_axis_as(&order, axis, name, place)?;
            let next = key.sorted(axis, true, name, place)?;
            order = order.take_along_axis_as(&next, axis, name, place)?;
        }
        if indices { Ok(order) } else { self.take_along_axis_as(&order, axis, name, place) }
    }
}

/// # Sorting
impl<T: Element> DArray<T> {
    /// The elements in ascending order along an axis, or, for `None`, all of them, 1-d.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![2, 1, -1, -2]);
    /// assert_eq!(x.sort(0).to_vec(), [-1, -2, 2, 1]);
    /// assert_eq!(x.sort(None).to_vec(), [-2, -1, 1, 2]);
    /// ```
    #[track_caller]
    pub fn sort(&self, axis: impl Into<Along>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().sort(axis)))
    }

    /// The indices that sort the array along an axis, or, for `None`, all of it in row-major order.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![2, 1, -1, -2]);
    /// assert_eq!(x.argsort(0).to_vec(), [1, 1, 0, 0]);
    /// assert_eq!(x.argsort(None).to_vec(), [3, 2, 1, 0]);
    /// ```
    #[track_caller]
    pub fn argsort(&self, axis: impl Into<Along>) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().argsort(axis)))
    }
}

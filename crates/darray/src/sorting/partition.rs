//! Elements below and above one.

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Along, DArray, DynArray, Element};
use darray_core::{Place, Result};

impl DynArray {
    /// NumPy's `partition`: the elements along an axis, or all of them, such that the one at `kth` is where a sort would have it, none
    /// before it is greater and none behind it is less. All are sorted, so that what is before and behind is so in this order, which
    /// NumPy leaves open.
    ///
    /// Errors: the axis is out of range; there is no element `kth` along it; negative ones count from the end.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![7, 1, 5]));
    /// assert_eq!(DArray::<i32>::try_from(x.partition(1, -1).unwrap()).unwrap().get(1), 5);
    /// ```
    #[track_caller]
    pub fn partition(&self, kth: isize, axis: impl Into<Along>) -> Result<DynArray> {
        let steps = Steps { name: "partition", place: Place::caller() };
        steps.divided(self, kth, axis.into(), false)
    }

    /// NumPy's `argpartition`: the indices (i64) of the elements of [`partition`](Self::partition).
    ///
    /// Errors: as there.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![7, 1, 5]));
    /// let indices = DArray::<i64>::try_from(x.argpartition(1, -1).unwrap()).unwrap();
    /// assert_eq!(indices.get(1), 2);
    /// ```
    #[track_caller]
    pub fn argpartition(&self, kth: isize, axis: impl Into<Along>) -> Result<DynArray> {
        let steps = Steps { name: "argpartition", place: Place::caller() };
        steps.divided(self, kth, axis.into(), true)
    }

    /// NumPy's `lexsort`: the indices (i64) that sort by several keys of one shape along the last axis, the last key counting most.
    /// Equal elements stay in order.
    ///
    /// Errors: there are no keys; their shapes differ or have no axis.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let minor = DynArray::from(DArray::from_vec(vec![2, 1, 3]));
    /// let major = DynArray::from(DArray::from_vec(vec![1, 1, 0]));
    /// let order = DynArray::lexsort(&[&minor, &major]).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(order).unwrap().to_vec(), [2, 1, 0]);
    /// ```
    #[track_caller]
    pub fn lexsort(keys: &[&DynArray]) -> Result<DynArray> {
        let steps @ Steps { name, place } = Steps { name: "lexsort", place: Place::caller() };
        let Some((first, others)) = keys.split_first() else {
            return Err(steps.argument("no keys to sort by"));
        };
        if others.iter().any(|key| key.shape() != first.shape()) {
            return Err(steps.shapes(keys, "equal shapes"));
        }
        let axis = Some(steps.axis(first, -1)? as isize);
        let mut order = first.sorted(axis, true, name, place)?;
        for key in others {
            let next = key.take_along_axis_as(&order, axis, name, place)?;
            let next = next.sorted(axis, true, name, place)?;
            order = order.take_along_axis_as(&next, axis, name, place)?;
        }
        Ok(order)
    }
}

impl Steps {
    fn divided(&self, x: &DynArray, kth: isize, axis: Along, indices: bool) -> Result<DynArray> {
        let extent = match axis.0 {
            None => x.shape_of().size(),
            Some(axis) => x.shape()[self.axis(x, axis)?],
        };
        if kth >= extent as isize || kth < -(extent as isize) {
            return Err(self.argument(format!("there is no element {kth} among {extent}")));
        }
        x.sorted(axis.0, indices, self.name, self.place)
    }
}

/// # Partitions
impl<T: Element> DArray<T> {
    /// NumPy's `partition`: the elements along an axis, or with `..` all of them, such that the one at `kth` is where a sort would have
    /// it, none before it is greater and none behind it is less. All are sorted, so that what is before and behind is so in this order,
    /// which NumPy leaves open.
    ///
    /// # Panics
    ///
    /// If the axis is out of range or there is no element `kth` along it; negative ones count from the end.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![7.0, 1.0, 5.0]).partition(1, ..).get(1), 5.0);
    /// ```
    #[track_caller]
    pub fn partition(&self, kth: isize, axis: impl Into<Along>) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().partition(kth, axis)))
    }

    /// NumPy's `argpartition`: the indices of the elements of [`partition`](Self::partition).
    ///
    /// # Panics
    ///
    /// As there.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![7.0, 1.0, 5.0]).argpartition(1, ..).get(1), 2);
    /// ```
    #[track_caller]
    pub fn argpartition(&self, kth: isize, axis: impl Into<Along>) -> DArray<i64> {
        DArray::wrap(expect_at_caller(self.as_dyn().argpartition(kth, axis)))
    }
}

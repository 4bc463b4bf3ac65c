//! Adding by indices.

use super::DynPicked;
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::indexing::grammar::Pick;
use crate::{Argument, Assignable, DArray, DynArray, Element, Integral, Number};
use darray_core::{Place, Result};

impl DynArray {
    /// NumPy's `np.add.at(x, indices, values)`: adds values, cast to this element type, at these indices along the first axis, as if
    /// all were read first. What has several indices gets all their values, added one after the other in the order of the indices.
    /// The values broadcast to the shape of the indices and behind it the other axes. Indices below 0 count from the end; one
    /// out of range is an error when the array is read. Small integers are added in i64 and f16 in f32; the sum is rounded once.
    ///
    /// Errors: the indices are no integers; there is no axis; the shapes do not broadcast; there are indices, but no elements; this
    /// is a view that reaches an element twice.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::zeros(3));
    /// x.add_at(&DynArray::from(DArray::from_vec(vec![0, -1, 0])), 5).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [10, 0, 5]);
    /// ```
    #[track_caller]
    pub fn add_at<'a>(&self, indices: &DynArray, values: impl Into<Argument<'a>>) -> Result<()> {
        let steps = Steps { name: "add_at", place: Place::caller() };
        if self.shape().is_empty() {
            return Err(steps.shapes(&[self], "one axis or more"));
        }
        DynPicked::new(self, &[Pick::from(indices)], steps)?.into_picks().add(values.into(), steps)
    }
}

/// # Additions by indices
impl<T: Element> DArray<T> {
    /// NumPy's `np.add.at(x, indices, values)`: adds values at these indices along the first axis, as if all were read first. What
    /// has several indices gets all their values, added one after the other in the order of the indices: the same bits on any
    /// number of devices and threads. The values broadcast to the shape of the indices and behind it the other axes. Indices
    /// below 0 count from the end; one out of range is an error when the array is read. Small integers are added in i64 and f16
    /// in f32; the sum is rounded once.
    ///
    /// # Panics
    ///
    /// If there is no axis, the shapes do not broadcast, there are indices, but no elements, or this view repeats elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::zeros(3);
    /// x.add_at(&DArray::from_vec(vec![0, 2, 0]), DArray::from_vec(vec![1.0, 0.5, 2.0]));
    /// assert_eq!(x.to_vec(), [3.0, 0.0, 0.5]);
    /// let rows = DArray::<i64>::zeros((2, 2));
    /// rows.add_at(&DArray::from_vec(vec![1, 1]), DArray::from_vec(vec![1i64, 10]));
    /// assert_eq!(rows.to_vec(), [0, 0, 2, 20]);
    /// ```
    #[track_caller]
    pub fn add_at<I: Integral + Number, R: Assignable<T>>(&self, indices: &DArray<I>, values: R) {
        expect_at_caller(self.as_dyn().add_at(indices.as_dyn(), values.argument()));
    }
}

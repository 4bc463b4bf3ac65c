//! Differences of neighbours along an axis.

pub(crate) mod gradient;

use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element};
use darray_core::{DType, Place, Result};

impl DynArray {
    /// NumPy's `diff`: each element along an axis from the next, `n` times over, in this element type; of bools whether they differ.
    ///
    /// Errors: the axis is out of range.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1i64, 4, 9]));
    /// let steps = DArray::<i64>::try_from(x.diff(1, -1).unwrap()).unwrap();
    /// assert_eq!(steps.to_vec(), [3, 5]);
    /// ```
    #[track_caller]
    pub fn diff(&self, n: usize, axis: isize) -> Result<DynArray> {
        let steps = Steps { name: "diff", place: Place::caller() };
        let axis = steps.axis(self, axis)?;
        if n == 0 {
            return self.copy_as(steps.name, self.dtype(), steps.place);
        }
        let operation = if self.dtype() == DType::Bool { Binary::Ne } else { Binary::Sub };
        let once = |x: &DynArray| {
            let extent = x.shape()[axis];
            let after = steps.range(x, axis, (extent.min(1), extent))?;
            let before = steps.range(x, axis, (0, extent.saturating_sub(1)))?;
            steps.binary(operation, &after, &before)
        };
        // Beyond as many times as there are elements nothing changes.
        (1..n.min(self.shape()[axis].max(1))).try_fold(once(self)?, |x, _| once(&x))
    }
}

/// # Differences
impl<T: Element> DArray<T> {
    /// NumPy's `diff` along an axis, `n` times over.
    ///
    /// # Panics
    ///
    /// If the axis is out of range.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 3), vec![1, 4, 9, 0, 0, 1]);
    /// assert_eq!(x.diff(2, 1).to_vec(), [2, 1]);
    /// assert_eq!(x.diff(1, 0).to_vec(), [-1, -4, -8]);
    /// ```
    #[track_caller]
    pub fn diff(&self, n: usize, axis: isize) -> DArray<T> {
        DArray::wrap(expect_at_caller(self.as_dyn().diff(n, axis)))
    }
}

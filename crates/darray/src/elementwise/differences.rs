//! Differences of neighbours along an axis.

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

    /// NumPy's `gradient` along an axis: central differences over twice the spacing, and at both ends one-sided ones over the spacing;
    /// in floats.
    ///
    /// Errors: the axis is out of range or has fewer than two elements.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![1.0, 2.0, 4.0, 7.0]));
    /// let slopes = DArray::<f64>::try_from(x.gradient(0.5, 0).unwrap()).unwrap();
    /// assert_eq!(slopes.to_vec(), [2.0, 3.0, 5.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn gradient(&self, spacing: f64, axis: isize) -> Result<DynArray> {
        let steps = Steps { name: "gradient", place: Place::caller() };
        let axis = steps.axis(self, axis)?;
        let extent = self.shape()[axis];
        if extent < 2 {
            return Err(steps.shapes(&[self], "two elements or more along the axis"));
        }
        let x = steps.cast(self, self.dtype().inexact())?;
        let slopes = steps.empty(&x, x.dtype(), x.shape_of());
        let part = |range: (usize, usize)| steps.range(&x, axis, range);
        let slope = |to: (usize, usize), after, before, over: f64| {
            let distance = steps.binary(Binary::Sub, &part(after)?, &part(before)?)?;
            let slope = steps.binary(Binary::Div, &distance, over)?;
            steps.assign(&steps.range(&slopes, axis, to)?, &slope)
        };
        if extent > 2 {
            slope((1, extent - 1), (2, extent), (0, extent - 2), 2.0 * spacing)?;
        }
        slope((0, 1), (1, 2), (0, 1), spacing)?;
        let last = (extent - 1, extent);
        slope(last, last, (extent - 2, extent - 1), spacing)?;
        Ok(slopes)
    }
}

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
        expect_at_caller(self.try_diff(n, axis))
    }

    /// As [`diff`](Self::diff); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::ones(3).try_diff(1, 1).unwrap_err();
    /// assert!(error.to_string().starts_with("diff: axis 1 is out of range for shape [3]"));
    /// ```
    #[track_caller]
    pub fn try_diff(&self, n: usize, axis: isize) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.as_dyn().diff(n, axis)?))
    }

    /// NumPy's `gradient` along an axis.
    ///
    /// # Panics
    ///
    /// If the axis is out of range or has fewer than two elements.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 4.0, 7.0]);
    /// assert_eq!(x.gradient(1.0, 0).to_vec(), [3.0, 5.0, 3.0, 5.0]);
    /// ```
    #[track_caller]
    pub fn gradient(&self, spacing: f64, axis: isize) -> DArray<T::Inexact> {
        expect_at_caller(self.try_gradient(spacing, axis))
    }

    /// As [`gradient`](Self::gradient); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<f64>::ones((2, 1)).try_gradient(1.0, 1).is_err());
    /// ```
    #[track_caller]
    pub fn try_gradient(&self, spacing: f64, axis: isize) -> Result<DArray<T::Inexact>> {
        Ok(DArray::wrap(self.as_dyn().gradient(spacing, axis)?))
    }
}

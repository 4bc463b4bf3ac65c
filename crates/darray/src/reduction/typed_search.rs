//! What is true of the elements of typed arrays, and where their extremes are.

use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::Result;

impl<T: Element> DArray<T> {
    /// The answer to whether all elements differ from zero; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![true, false]).all().item(), false);
    /// ```
    #[track_caller]
    pub fn all(&self) -> DArray<bool> {
        expect_at_caller(self.try_all_axis(..))
    }

    /// The answers to whether all elements differ from zero, along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.gt(1).all_axis(1).to_vec(), [false, true]);
    /// ```
    #[track_caller]
    pub fn all_axis(&self, axes: impl Into<Axes>) -> DArray<bool> {
        expect_at_caller(self.try_all_axis(axes))
    }

    /// As [`all_axis`](Self::all_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_all_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_all_axis(&self, axes: impl Into<Axes>) -> Result<DArray<bool>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::All, axes)?))
    }

    /// The answer to whether any element differs from zero; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![true, false]).any().item(), true);
    /// ```
    #[track_caller]
    pub fn any(&self) -> DArray<bool> {
        expect_at_caller(self.try_any_axis(..))
    }

    /// The answers to whether any element differs from zero, along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.gt(3).any_axis(1).to_vec(), [false, true]);
    /// ```
    #[track_caller]
    pub fn any_axis(&self, axes: impl Into<Axes>) -> DArray<bool> {
        expect_at_caller(self.try_any_axis(axes))
    }

    /// As [`any_axis`](Self::any_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_any_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_any_axis(&self, axes: impl Into<Axes>) -> Result<DArray<bool>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Any, axes)?))
    }

    /// The row-major index of the first smallest element; the first NaN wins; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![2, 1, 1]).argmin().item(), 1);
    /// ```
    #[track_caller]
    pub fn argmin(&self) -> DArray<i64> {
        expect_at_caller(self.try_argmin())
    }

    /// As [`argmin`](Self::argmin); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_argmin().unwrap_err();
    /// assert!(error.to_string().starts_with("argmin: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_argmin(&self) -> Result<DArray<i64>> {
        self.try_argmin_axis(..)
    }

    /// The row-major indices of the first smallest elements along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.argmin_axis(0).to_vec(), [0, 0]);
    /// ```
    #[track_caller]
    pub fn argmin_axis(&self, axes: impl Into<Axes>) -> DArray<i64> {
        expect_at_caller(self.try_argmin_axis(axes))
    }

    /// As [`argmin_axis`](Self::argmin_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_argmin_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_argmin_axis(&self, axes: impl Into<Axes>) -> Result<DArray<i64>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::ArgMin, axes)?))
    }

    /// The row-major index of the first largest element; the first NaN wins; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![2, 3, 3]).argmax().item(), 1);
    /// ```
    #[track_caller]
    pub fn argmax(&self) -> DArray<i64> {
        expect_at_caller(self.try_argmax())
    }

    /// As [`argmax`](Self::argmax); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_argmax().unwrap_err();
    /// assert!(error.to_string().starts_with("argmax: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_argmax(&self) -> Result<DArray<i64>> {
        self.try_argmax_axis(..)
    }

    /// The row-major indices of the first largest elements along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.argmax_axis(0).to_vec(), [1, 1]);
    /// ```
    #[track_caller]
    pub fn argmax_axis(&self, axes: impl Into<Axes>) -> DArray<i64> {
        expect_at_caller(self.try_argmax_axis(axes))
    }

    /// As [`argmax_axis`](Self::argmax_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_argmax_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_argmax_axis(&self, axes: impl Into<Axes>) -> Result<DArray<i64>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::ArgMax, axes)?))
    }
}

//! Sums, means and extremes of typed arrays.

use crate::error::expect_at_caller;
use crate::{Axes, DArray, Element, Reduction};
use darray_core::Result;

impl<T: Element> DArray<T> {
    /// The sum of all elements; 0 for none; a 0-d array. Integers and `bool` are summed in `i64`
    /// (NumPy sums `u8` in `u64`).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f64>::arange(4).sum().item(), 6.0);
    /// ```
    #[track_caller]
    pub fn sum(&self) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_sum_axis(..))
    }

    /// The sums along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.sum_axis(0).to_vec(), [4.0, 6.0]);
    /// ```
    #[track_caller]
    pub fn sum_axis(&self, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_sum_axis(axes))
    }

    /// As [`sum_axis`](Self::sum_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_sum_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_sum_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Accumulator>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Sum, axes)?))
    }

    /// The product of all elements; 1 for none; a 0-d array. Integers and `bool` are multiplied in
    /// `i64` (NumPy multiplies `u8` in `u64`).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![200u8, 3]).prod().item(), 600i64);
    /// ```
    #[track_caller]
    pub fn prod(&self) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_prod_axis(..))
    }

    /// The products along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.prod_axis(0).to_vec(), [3.0, 8.0]);
    /// ```
    #[track_caller]
    pub fn prod_axis(&self, axes: impl Into<Axes>) -> DArray<T::Accumulator> {
        expect_at_caller(self.try_prod_axis(axes))
    }

    /// As [`prod_axis`](Self::prod_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_prod_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_prod_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Accumulator>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Prod, axes)?))
    }

    /// The smallest element; NaN wins, and -0.0 is smaller than 0.0; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![2, 3]).min().item(), 2);
    /// assert!(DArray::<f64>::from_vec(vec![0.0, -0.0, 0.0]).min().item().is_sign_negative());
    /// ```
    #[track_caller]
    pub fn min(&self) -> DArray<T> {
        expect_at_caller(self.try_min())
    }

    /// As [`min`](Self::min); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_min().unwrap_err();
    /// assert!(error.to_string().starts_with("min: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_min(&self) -> Result<DArray<T>> {
        self.try_min_axis(..)
    }

    /// The smallest elements along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.min_axis(1).to_vec(), [1, 3]);
    /// ```
    #[track_caller]
    pub fn min_axis(&self, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_min_axis(axes))
    }

    /// As [`min_axis`](Self::min_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_min_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_min_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Min, axes)?))
    }

    /// The largest element; NaN wins, and 0.0 is larger than -0.0; a 0-d array.
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![2, 3]).max().item(), 3);
    /// assert!(DArray::<f64>::from_vec(vec![-0.0, 0.0, -0.0]).max().item().is_sign_positive());
    /// ```
    #[track_caller]
    pub fn max(&self) -> DArray<T> {
        expect_at_caller(self.try_max())
    }

    /// As [`max`](Self::max); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// let error = DArray::<f64>::zeros(0).try_max().unwrap_err();
    /// assert!(error.to_string().starts_with("max: shapes [0]: expected at least one element"));
    /// ```
    #[track_caller]
    pub fn try_max(&self) -> Result<DArray<T>> {
        self.try_max_axis(..)
    }

    /// The largest elements along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice, or there is nothing to reduce.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.max_axis(1).to_vec(), [2, 4]);
    /// ```
    #[track_caller]
    pub fn max_axis(&self, axes: impl Into<Axes>) -> DArray<T> {
        expect_at_caller(self.try_max_axis(axes))
    }

    /// As [`max_axis`](Self::max_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_max_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_max_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Max, axes)?))
    }

    /// The arithmetic mean of all elements: the sum, in `f32` for `f32` (as NumPy's, in the order of
    /// darray's tree) and in `f64` for everything else, divided by the count; NaN for none; a 0-d array.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![2, 3]).mean().item(), 2.5);
    /// ```
    #[track_caller]
    pub fn mean(&self) -> DArray<T::Real> {
        expect_at_caller(self.try_mean_axis(..))
    }

    /// The arithmetic means along axes: `0`, `[0, -1]`, `..`, or [`keepdims`](crate::keepdims) of those.
    ///
    /// # Panics
    ///
    /// If an axis is out of range or given twice.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::from_shape_vec((2, 2), vec![1, 2, 3, 4]);
    /// assert_eq!(x.mean_axis(0).to_vec(), [2.0, 3.0]);
    /// ```
    #[track_caller]
    pub fn mean_axis(&self, axes: impl Into<Axes>) -> DArray<T::Real> {
        expect_at_caller(self.try_mean_axis(axes))
    }

    /// As [`mean_axis`](Self::mean_axis); what would panic is an error.
    ///
    /// ```
    /// use darray::DArray;
    /// assert!(DArray::<i64>::ones((2, 2)).try_mean_axis(2).is_err());
    /// ```
    #[track_caller]
    pub fn try_mean_axis(&self, axes: impl Into<Axes>) -> Result<DArray<T::Real>> {
        Ok(DArray::wrap(self.as_dyn().reduce(Reduction::Mean, axes)?))
    }
}

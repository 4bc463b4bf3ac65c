//! Rounding to whole numbers.

use crate::error::must;
use crate::{DArray, DynArray, Number, Unary};
use darray_core::Result;

impl<T: Number> DArray<T> {
    /// The whole numbers nearest to the elements, ties to even, in their type (as NumPy's `round`;
    /// [`rint`](DArray::rint) of integers gives floats).
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::from_vec(vec![0.5, 1.5, -0.4]).round().to_vec(), [0.0, 2.0, -0.0]);
    /// assert_eq!(DArray::from_vec(vec![3, -4]).round().to_vec(), [3, -4]);
    /// ```
    #[track_caller]
    pub fn round(&self) -> DArray<T> {
        DArray::wrap(must(self.as_dyn().round()))
    }
}

impl DynArray {
    /// As [`DArray::round`].
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2.5]));
    /// assert_eq!(DArray::<f64>::try_from(x.round().unwrap()).unwrap().to_vec(), [2.0]);
    /// ```
    #[track_caller]
    pub fn round(&self) -> Result<DynArray> {
        // Others are whole, so truncation copies them.
        self.unary(if self.dtype().is_float() { Unary::Rint } else { Unary::Trunc })
    }
}

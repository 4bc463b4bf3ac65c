//! Arrays of the crate `ndarray`.

use crate::creation::{from_elements, with_capacity_for};
use crate::error::expect_at_caller;
use crate::{DArray, Element};
use darray_core::{Place, Result, Shape};
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};

/// # Arrays of the crate ndarray
impl<T: Element> DArray<T> {
    /// The array as an [`ndarray::ArrayD`]. Flushes, and waits for this array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = DArray::<f64>::ones((2, 3)).to_ndarray();
    /// assert_eq!(x[[1, 2]], 1.0);
    /// ```
    #[track_caller]
    pub fn to_ndarray(&self) -> ArrayD<T> {
        expect_at_caller(self.to_ndarray_at(Place::caller()))
    }

    /// As [`to_ndarray`](Self::to_ndarray), from this place, with an error.
    pub(crate) fn to_ndarray_at(&self, place: Place) -> Result<ArrayD<T>> {
        let elements = T::read(self.as_dyn(), "to_ndarray", place)?;
        let array = ArrayD::from_shape_vec(IxDyn(self.shape()), elements);
        Ok(array.expect("a read gives as many elements as the shape has"))
    }

    /// A copy of an ndarray of any layout.
    ///
    /// # Panics
    ///
    /// If it has more than eight axes, or neither the host nor a device has memory for it.
    ///
    /// ```
    /// use darray::DArray;
    /// let x = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
    /// assert_eq!(DArray::from_ndarray(&x.t()).to_vec(), [1.0, 3.0, 2.0, 4.0]);
    /// ```
    #[track_caller]
    pub fn from_ndarray<S, D>(array: &ArrayBase<S, D>) -> DArray<T>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        expect_at_caller(DArray::from_ndarray_at(array, Place::caller()))
    }

    /// As [`from_ndarray`](Self::from_ndarray), from this place, with an error.
    pub(crate) fn from_ndarray_at<S, D>(array: &ArrayBase<S, D>, place: Place) -> Result<DArray<T>>
    where
        S: Data<Elem = T>,
        D: Dimension,
    {
        let (name, shape) = ("from_ndarray", array.shape());
        // A broadcast ndarray has more elements than memory.
        let mut elements = with_capacity_for(&Shape::new(shape), T::DTYPE, name, place)?;
        elements.extend(array.iter().copied());
        from_elements(name, shape, elements, place)
    }
}

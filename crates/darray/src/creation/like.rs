//! New arrays of another's shape and element type, in its runtime.

use crate::array::into_shape::checked_shape;
use crate::elementwise::nullary::filled_in;
use crate::error::expect_at_caller;
use crate::{Assignable, DArray, DynArray, Element, IntoShape, Runtime, ScalarLike, WeakScalar};
use darray_core::{DType, Place, Result};

impl DynArray {
    /// An array that no task writes: elements that are read before they are written are 0.
    ///
    /// Errors: the shape cannot be.
    ///
    /// ```
    /// use darray::{DType, DynArray};
    /// assert_eq!(DynArray::empty((2, 3), DType::F32).unwrap().shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn empty(shape: impl IntoShape, dtype: DType) -> Result<DynArray> {
        let place = Place::caller();
        let shape = checked_shape("empty", &shape, place)?;
        Ok(DynArray::unwritten(&Runtime::current_at(place)?, dtype, &shape))
    }

    /// As [`empty`](Self::empty), of this shape and element type.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::ones(3));
    /// assert_eq!(x.empty_like().shape(), [3]);
    /// ```
    pub fn empty_like(&self) -> DynArray {
        DynArray::unwritten(self.runtime(), self.dtype(), self.shape_of())
    }

    /// Equal elements, cast to this element type, in this shape.
    ///
    /// Errors: an integer that the element type does not hold.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<i64>::ones(2)).full_like(7.9).unwrap();
    /// assert_eq!(DArray::<i64>::try_from(x).unwrap().to_vec(), [7, 7]);
    /// ```
    #[track_caller]
    pub fn full_like(&self, value: impl Into<WeakScalar>) -> Result<DynArray> {
        self.filled_like("full_like", value.into(), Place::caller())
    }

    /// As [`full_like`](Self::full_like), for the operation of this name.
    fn filled_like(&self, name: &'static str, value: WeakScalar, place: Place) -> Result<DynArray> {
        filled_in(self.runtime(), name, self.dtype(), self.shape_of(), value, place)
    }
}

/// # Creation like another
impl<T: Element> DArray<T> {
    /// An array that no task writes: elements that are read before they are written are 0.
    ///
    /// # Panics
    ///
    /// As [`zeros`](Self::zeros).
    ///
    /// ```
    /// use darray::{DArray, s};
    /// let x = DArray::<f64>::empty(2);
    /// x.slice(s![0]).assign(1.0);
    /// assert_eq!(x.to_vec(), [1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn empty(shape: impl IntoShape) -> DArray<T> {
        DArray::wrap(expect_at_caller(DynArray::empty(shape, T::DTYPE)))
    }

    /// As [`empty`](Self::empty), of this shape and element type.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f32>::ones((2, 3)).empty_like().shape(), [2, 3]);
    /// ```
    pub fn empty_like(&self) -> DArray<T> {
        DArray::wrap(self.as_dyn().empty_like())
    }

    /// Zeros of this shape and element type.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f32>::ones(2).zeros_like().to_vec(), [0.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn zeros_like(&self) -> DArray<T> {
        let (zero, place) = (false.into(), Place::caller());
        DArray::wrap(expect_at_caller(self.as_dyn().filled_like("zeros_like", zero, place)))
    }

    /// Ones of this shape and element type.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<i64>::arange(2).ones_like().to_vec(), [1, 1]);
    /// ```
    #[track_caller]
    pub fn ones_like(&self) -> DArray<T> {
        let (one, place) = (true.into(), Place::caller());
        DArray::wrap(expect_at_caller(self.as_dyn().filled_like("ones_like", one, place)))
    }

    /// Equal elements of this shape and element type.
    ///
    /// # Panics
    ///
    /// If the value is an integer that the element type cannot hold.
    ///
    /// ```
    /// use darray::DArray;
    /// assert_eq!(DArray::<f32>::ones(2).full_like(1.5).to_vec(), [1.5, 1.5]);
    /// ```
    #[track_caller]
    pub fn full_like<V>(&self, value: V) -> DArray<T>
    where
        V: ScalarLike + Assignable<T>,
    {
        DArray::wrap(expect_at_caller(self.as_dyn().full_like(value.weak())))
    }
}

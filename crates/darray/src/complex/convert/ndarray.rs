//! Complex arrays of the crate `ndarray`.

use super::super::creation::imported;
use crate::creation::with_capacity_for;
use crate::error::expect_at_caller;
use crate::{ComplexArray, ComplexPart};
use darray_core::{Place, Result, Shape};
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};
use num_complex::Complex;

impl<T: ComplexPart> ComplexArray<T> {
    /// The array as an [`ndarray::ArrayD`]. Flushes, and waits for this array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::<f64>::full((2, 3), Complex::I).to_ndarray();
    /// assert_eq!(z[[1, 2]], Complex::I);
    /// ```
    #[track_caller]
    pub fn to_ndarray(&self) -> ArrayD<Complex<T>> {
        expect_at_caller(self.try_to_ndarray())
    }

    /// As [`to_ndarray`](Self::to_ndarray); a failure is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let z = ComplexArray::<f64>::zeros((2, 3));
    /// assert_eq!(z.try_to_ndarray().unwrap().shape(), [2, 3]);
    /// ```
    #[track_caller]
    pub fn try_to_ndarray(&self) -> Result<ArrayD<Complex<T>>> {
        let array = ArrayD::from_shape_vec(IxDyn(self.shape()), self.try_to_vec()?);
        Ok(array.expect("a read gives as many elements as the shape has"))
    }

    /// A copy of an ndarray of any layout.
    ///
    /// # Panics
    ///
    /// If it has more than eight axes, or no device has memory for it.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ndarray::array![[Complex::new(1.0, 2.0), Complex::I]];
    /// assert_eq!(ComplexArray::from_ndarray(&z).to_string(), "[[1.+2.j 0.+1.j]]");
    /// ```
    #[track_caller]
    pub fn from_ndarray<S, D>(array: &ArrayBase<S, D>) -> ComplexArray<T>
    where
        S: Data<Elem = Complex<T>>,
        D: Dimension,
    {
        expect_at_caller(ComplexArray::try_from_ndarray(array))
    }

    /// As [`from_ndarray`](Self::from_ndarray); what would panic is an error.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ndarray::ArrayD::<Complex<f64>>::zeros(vec![1; 9]);
    /// assert!(ComplexArray::try_from_ndarray(&z).is_err());
    /// ```
    #[track_caller]
    pub fn try_from_ndarray<S, D>(array: &ArrayBase<S, D>) -> Result<ComplexArray<T>>
    where
        S: Data<Elem = Complex<T>>,
        D: Dimension,
    {
        let (name, place, shape) = ("from_ndarray", Place::caller(), array.shape());
        let mut elements = with_capacity_for(&Shape::new(shape), T::DTYPE, name, place)?;
        elements.extend(array.iter().copied());
        imported(name, shape, &elements, place)
    }
}

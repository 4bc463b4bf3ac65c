//! Complex values to and from the host.

#[cfg(feature = "ndarray")]
mod ndarray;

use super::{ComplexArray, ComplexPart};
use crate::error::expect_at_caller;
use darray_core::{Error, ErrorKind, Place, Result};
use num_complex::Complex;

impl<T: ComplexPart> ComplexArray<T> {
    /// The elements in row-major order. Flushes, and waits for this array alone.
    ///
    /// # Panics
    ///
    /// If computing the array failed; the text names the operation and line that caused it.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray, DArray};
    /// let x = DArray::<f64>::arange(2);
    /// let z = ComplexArray::from_parts(x.clone(), -x);
    /// assert_eq!(z.to_vec(), [Complex::new(0.0, 0.0), Complex::new(1.0, -1.0)]);
    /// ```
    #[track_caller]
    pub fn to_vec(&self) -> Vec<Complex<T>> {
        expect_at_caller(self.try_to_vec())
    }

    /// As [`to_vec`](Self::to_vec); a failure is an error.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::<f64>::full(1, Complex::I);
    /// assert_eq!(z.try_to_vec().unwrap(), [Complex::I]);
    /// ```
    #[track_caller]
    pub fn try_to_vec(&self) -> Result<Vec<Complex<T>>> {
        self.read("to_vec", Place::caller())
    }

    pub(super) fn read(&self, name: &'static str, place: Place) -> Result<Vec<Complex<T>>> {
        let re = T::of_plain(self.re.as_dyn().read(name, place)?);
        let im = T::of_plain(self.im.as_dyn().read(name, place)?);
        Ok(re.into_iter().zip(im).map(|(re, im)| Complex::new(re, im)).collect())
    }

    /// The only element. Flushes, and waits for this array alone.
    ///
    /// # Panics
    ///
    /// If there is not exactly one element, or computing it failed.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::<f64>::full((), Complex::new(0.0, 1.0));
    /// assert_eq!((&z * &z).item(), Complex::new(-1.0, 0.0));
    /// ```
    #[track_caller]
    pub fn item(&self) -> Complex<T> {
        expect_at_caller(self.try_item())
    }

    /// As [`item`](Self::item); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let error = ComplexArray::<f64>::zeros(2).try_item().unwrap_err();
    /// assert!(error.to_string().starts_with("item: shapes [2]: expected one element"));
    /// ```
    #[track_caller]
    pub fn try_item(&self) -> Result<Complex<T>> {
        let (name, place) = ("item", Place::caller());
        if self.len() != 1 {
            let (shapes, expected) = (vec![self.shape_of().clone()], "one element".to_string());
            return Err(Error::new(name, ErrorKind::Shapes { shapes, expected }, place));
        }
        Ok(self.read(name, place)?[0])
    }
}

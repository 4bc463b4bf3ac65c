//! `{}` as NumPy prints complex numbers.

use super::{ComplexArray, ComplexPart};
use crate::array::display::{ComplexPrinted, show};
use darray_core::{Place, Result};
use std::fmt;

impl<T: ComplexPart> fmt::Display for ComplexArray<T> {
    /// The elements as `numpy.array2string` gives them. Flushes, and waits for this array alone; of a large
    /// array only what is printed is fetched. A precision is how many digits after the point there are at most.
    ///
    /// # Panics
    ///
    /// As the display of a [`DArray`](crate::DArray).
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(1.0, -2.5), Complex::new(-0.125, 10.0)]);
    /// assert_eq!(z.to_string(), "[ 1.    -2.5j -0.125+10.j ]");
    /// assert_eq!(format!("{:.1}", z), "[ 1.  -2.5j -0.1+10.j ]");
    /// assert_eq!(ComplexArray::<f64>::full((), Complex::new(1.0, 2.0)).to_string(), "(1+2j)");
    /// ```
    #[track_caller]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(ComplexPrinted::read(self.untyped(), Place::caller()), f)
    }
}

impl<T: ComplexPart> ComplexArray<T> {
    /// The text that `{}` prints; a failure is an error.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::<f64>::full(1, Complex::new(1.0, 2.0));
    /// assert_eq!(z.try_to_string().unwrap(), "[1.+2.j]");
    /// ```
    #[track_caller]
    pub fn try_to_string(&self) -> Result<String> {
        Ok(ComplexPrinted::read(self.untyped(), Place::caller())?.to_string())
    }
}

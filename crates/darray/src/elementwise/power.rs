//! Powers with a fixed exponent: products, where the general power would do more and round otherwise.

use crate::elementwise::complex::{self, term::Origin};
use crate::elementwise::emission::{ElementOp, Elementwise};
use crate::elementwise::exponent::check_integer_power;
use crate::{Argument, DynArray};
use darray_core::{DType, Place, RealType, Result, promote_weak};

impl DynArray {
    /// The elements to a fixed integer power, in the array's own type (i64 for bool); a negative
    /// power is the reciprocal of the positive one.
    ///
    /// Errors: a negative power of integers.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::from_vec(vec![2.0, 3.0]));
    /// let cubes = DArray::<f64>::try_from(x.powi(3).unwrap()).unwrap();
    /// assert_eq!(cubes.to_vec(), [8.0, 27.0]);
    /// ```
    #[track_caller]
    pub fn powi(&self, exponent: i32) -> Result<DynArray> {
        let (name, place) = ("power", Place::caller());
        if let Some(parts) = self.parts() {
            return complex::power::powi(Origin { name, place }, &parts, exponent);
        }
        let dtype = promote_weak(self.dtype(), DType::I64).part();
        if !dtype.is_float() {
            check_integer_power(self.into(), i64::from(exponent), place)?;
        }
        self.powi_as(name, exponent, dtype, place)
    }

    /// A fixed power in this element type.
    pub(crate) fn powi_as(
        &self,
        name: &'static str,
        exponent: i32,
        dtype: RealType,
        place: Place,
    ) -> Result<DynArray> {
        let operands = [Argument::Array(self)];
        let op = ElementOp::powi(exponent, dtype);
        Elementwise { op, name, operands: &operands, place }.create(dtype)
    }
}

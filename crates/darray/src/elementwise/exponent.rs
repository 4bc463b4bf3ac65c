//! Exponents that are known when a power is recorded.

use crate::elementwise::operand::dtypes;
use crate::{Argument, Binary};
use darray_core::{Error, ErrorKind, Place, RealType, Result};

/// The exponent, where an operation is a power of floats with one of those scalars of which NumPy takes
/// the square, the element itself or the reciprocal. A negative power of integers is an error.
#[inline]
pub(crate) fn fixed_exponent(
    operation: Binary,
    [base, exponent]: [Argument<'_>; 2],
    compute: RealType,
    place: Place,
) -> Result<Option<i32>> {
    let (Binary::Power, Argument::Scalar(exponent)) = (operation, exponent) else {
        return Ok(None);
    };
    if !compute.is_float() {
        return check_integer_power(base, exponent.to_i64(), place).map(|()| None);
    }
    Ok([2, 1, -1].into_iter().find(|&fixed| f64::from(fixed) == exponent.to_f64()))
}

/// NumPy has no negative powers of integers.
pub(crate) fn check_integer_power(base: Argument<'_>, exponent: i64, place: Place) -> Result<()> {
    if exponent >= 0 {
        return Ok(());
    }
    let expected = "floats for a negative power".to_string();
    Err(Error::new("power", ErrorKind::DType { found: dtypes(&[base]), expected }, place))
}

//! Powers.

use super::operand::Factor;
use super::pair::Pair;
use super::term::{Origin, Term};
use crate::{Argument, DynArray};
use darray_core::{RealType, Result};
use darray_kernel::composite::{Composite, Formula};

/// Powers as whole as these are products, as NumPy's are.
const WHOLE_POWERS: f64 = 100.0;

/// A complex or real number to a complex or real power: `e^(w ln z)`, by distance and angle where `w` is real, and by repeated
/// squaring where it is a whole scalar below 100.
pub(super) fn power(origin: Origin, base: Factor, exponent: Argument<'_>, dtype: RealType) -> Pair {
    let z = base.into_pair(origin, dtype);
    if let Some(exponent) = whole(exponent) {
        return z.formed(Composite { formula: Formula::ComplexWhole, exponent });
    }
    match Factor::of(exponent, origin, dtype) {
        Factor::Real(p) => z.with_real(Formula::ComplexRealPower, &p),
        Factor::Complex(w) => z.with(Formula::ComplexPower, &w),
    }
}

/// The elements of a complex array to a fixed whole power: by repeated squaring, from 100 on, where products overflow on the way,
/// as [`power`].
pub(crate) fn powi(origin: Origin, parts: &[DynArray; 2], exponent: i32) -> Result<DynArray> {
    let z = Pair::array(origin, parts);
    if f64::from(exponent).abs() < WHOLE_POWERS {
        let composite = Composite { formula: Formula::ComplexPowi, exponent };
        return z.formed(composite).into_array(origin);
    }
    let exponent = Term::scalar(origin, f64::from(exponent), parts[0].real_type());
    z.with_real(Formula::ComplexRealPower, &exponent).into_array(origin)
}

/// A scalar exponent that is a small whole number.
fn whole(exponent: Argument<'_>) -> Option<i32> {
    let value = match exponent {
        Argument::Scalar(scalar) => scalar.to_f64(),
        Argument::Complex(w) if w.im == 0.0 => w.re,
        _ => return None,
    };
    (value.fract() == 0.0 && value.abs() < WHOLE_POWERS).then_some(value as i32)
}

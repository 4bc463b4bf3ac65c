//! The next number of a format in a direction; exact.

use super::real::{Bits, Real};

/// The number next to `x` towards `y`; `y` where they are equal, NaN where one is NaN.
#[inline(always)]
pub fn nextafter<R: Real>(x: R, y: R) -> R {
    let zero = R::literal(0.0);
    let away_from_zero = (zero.lt(x) & x.lt(y)) | (x.lt(zero) & y.lt(x));
    let bits = x.to_bits();
    let next = R::from_bits(R::Bits::select(away_from_zero, bits + 1, bits - 1));
    let next = R::select(x.eq(zero), R::from_bits(R::Bits::literal(1)).copysign(y), next);
    let next = R::select(x.eq(y), y, next);
    R::select(x.is_nan() | y.is_nan(), R::literal(f64::NAN), next)
}

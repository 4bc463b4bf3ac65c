//! Signs of numbers; exact.

use crate::function::number::real::Real;

/// -1, 0 or 1 by the sign; NaN gives itself, -0.0 gives 0.0.
#[inline(always)]
pub fn sign<R: Real>(x: R) -> R {
    let (zero, one) = (R::literal(0.0), R::literal(1.0));
    let positive = R::select(zero.lt(x), one, zero);
    let negative = R::select(x.lt(zero), one, zero);
    R::select(x.is_nan(), x, positive - negative)
}

/// The size of `x` with the sign of `y`; NaN has none.
#[inline(always)]
pub fn copysign<R: Real>(x: R, y: R) -> R {
    x.copysign(R::select(y.is_nan(), R::literal(1.0), y))
}

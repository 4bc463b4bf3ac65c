//! Minimum and maximum of floats: NaN wins, `-0.0 < +0.0`, so that the order of the arguments does
//! not show.
//!
//! Where the arguments are equal they have equal bits or are zeros; then `or` of the bits keeps a
//! minus sign (minimum) and `and` loses it (maximum).

use super::real::Real;

/// The smaller.
#[inline(always)]
pub fn minimum<R: Real>(a: R, b: R) -> R {
    let smaller = R::select(a.lt(b), a, b);
    let smaller = R::select(a.eq(b), R::from_bits(a.to_bits() | b.to_bits()), smaller);
    R::select(a.is_nan(), a, smaller)
}

/// The larger.
#[inline(always)]
pub fn maximum<R: Real>(a: R, b: R) -> R {
    let larger = R::select(b.lt(a), a, b);
    let larger = R::select(a.eq(b), R::from_bits(a.to_bits() & b.to_bits()), larger);
    R::select(a.is_nan(), a, larger)
}

//! Minimum and maximum of floats: NaN wins, `-0.0 < +0.0`, and neither the order of the arguments nor that of a fold shows.
//!
//! Each is chosen twice, so that the second argument is taken once and the first one once where neither is less. Numbers that are
//! equal have equal bits or are zeros, of which `or` of the bits keeps a minus sign (minimum) and `and` loses it (maximum).
//! With NaN one choice is that and the other one the other argument, and `or` of the bits is NaN, with the bits of both.

use crate::function::number::real::Real;

/// The smaller.
#[inline(always)]
pub fn minimum<R: Real>(a: R, b: R) -> R {
    let (second, first) = (R::select(a.lt(b), a, b), R::select(b.lt(a), b, a));
    let (second, first) = (second.to_bits(), first.to_bits());
    R::from_bits(second | first)
}

/// The larger.
#[inline(always)]
pub fn maximum<R: Real>(a: R, b: R) -> R {
    let (second, first) = (R::select(b.lt(a), a, b), R::select(a.lt(b), b, a));
    let (second, first) = (second.to_bits(), first.to_bits());
    R::from_bits(second | first).copysign(R::from_bits(second & first))
}

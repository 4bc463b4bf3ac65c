//! The length of a vector of two, branch-free, at most 2 ulp, the same bits on every executor.
//!
//! `sqrt(a^2 + b^2)`, the square of the larger added within a fused multiply-add, after scaling by
//! a power of two where squares could overflow or be lost.
//!
//! Special values: an infinity gives infinity, also beside NaN; else NaN gives NaN.
//!
//! Measured: see `docs/accuracy.md`.

use crate::function::number::real::Real;

/// `sqrt(a^2 + b^2)`, at most 2 ulp.
#[inline(always)]
pub fn hypot_f64<R: Real>(a: R, b: R) -> R {
    hypot(a, b, 510, -450, 600)
}

/// `sqrt(a^2 + b^2)`, at most 2 ulp.
#[inline(always)]
pub fn hypot_f32<R: Real>(a: R, b: R) -> R {
    hypot(a, b, 60, -60, 90)
}

/// Squares of numbers above `2^highest` or below `2^lowest` are taken of their product with
/// `2^-shift` and `2^shift`.
#[inline(always)]
fn hypot<R: Real>(a: R, b: R, highest: i32, lowest: i32, shift: i32) -> R {
    let (a, b) = (a.abs(), b.abs());
    let swap = a.lt(b);
    let (long, short) = (R::select(swap, b, a), R::select(swap, a, b));
    let power = |exponent| R::literal(power_of_2(exponent));
    let (large, small) = (power(highest).lt(long), long.lt(power(lowest)));
    let choose = |down, up| R::select(large, power(down), R::select(small, power(up), power(0)));
    let scale = choose(-shift, shift);
    let (long, short) = (long * scale, short * scale);
    let length = long.mul_add(long, short * short).sqrt() * choose(shift, -shift);
    let infinity = R::literal(f64::INFINITY);
    R::select(a.eq(infinity) | b.eq(infinity), infinity, length)
}

/// `2^exponent`.
const fn power_of_2(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

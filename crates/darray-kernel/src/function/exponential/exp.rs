//! The exponential function, branch-free, at most 2 ulp, the same bits on every executor.
//!
//! Range reduction: `n = round(x / ln 2)`, `r = x - n ln 2` with `ln 2` in two parts, so that
//! `|r| <= ln 2 / 2` and `exp(x) = 2^n exp(r)`.
//!
//! Polynomial: `exp(r) = 1 + r + r^2 P(r)`, `P` near-minimax (Chebyshev interpolation in 40 digits)
//! of relative error 1.1e-16 (f64, degree 9) and 6.5e-8 (f32, degree 4).
//!
//! Scaling: by [`Format::times_two_to`].
//!
//! Special values: `exp(inf) = inf`, `exp(-inf) = 0`, `exp(±0) = 1`, NaN gives NaN.

use crate::function::number::format::{F32, F64, Format};
use crate::function::number::pair::ordered_sum;
use crate::function::number::real::{Bits, Real, polynomial};

/// Arguments above give infinity: more than ln(f64::MAX) = 709.7827…
const HIGHEST_F64: f64 = 709.79;
/// Arguments below give zero: less than ln(2^-1075) = -745.1332…
const LOWEST_F64: f64 = -746.0;
/// ln 2 to 53 bits, and the rest.
const LN2_HIGH_F64: f64 = f64::from_bits(0x3fe62e42fefa39ef);
const LN2_LOW_F64: f64 = f64::from_bits(0x3c7abc9e3b39803f);
/// Coefficients of `P`, of the highest power first.
pub(in crate::function) const POLYNOMIAL_F64: [f64; 10] = [
    2.510038549551032e-08,
    2.7620088445409746e-07,
    2.7557268459997064e-06,
    2.4801521295954376e-05,
    0.00019841269863053618,
    0.0013888888917213717,
    0.008333333333330062,
    0.04166666666662413,
    0.16666666666666669,
    0.5000000000000001,
];

/// `1 + r + r^2 P(r)`, in one go.
const EXP_F64: [f64; 12] = {
    let [a, b, c, d, e, f, g, h, i, j] = POLYNOMIAL_F64;
    [a, b, c, d, e, f, g, h, i, j, 1.0, 1.0]
};

/// `e^x`, at most 2 ulp.
#[inline(always)]
pub fn exp_f64<R: Real>(x: R) -> R {
    let x = R::select(R::literal(HIGHEST_F64).lt(x), R::literal(HIGHEST_F64), x);
    let x = R::select(x.lt(R::literal(LOWEST_F64)), R::literal(LOWEST_F64), x);
    let shifted = x.mul_add(R::literal(std::f64::consts::LOG2_E), R::literal(F64.round));
    let n = shifted - F64.round;
    let r = n.mul_add(R::literal(-LN2_HIGH_F64), x);
    let r = n.mul_add(R::literal(-LN2_LOW_F64), r);
    F64.times_two_to(polynomial(r, &EXP_F64), shifted)
}

/// Arguments above give infinity: more than ln(f32::MAX) = 88.7228…
const HIGHEST_F32: f64 = 89.0;
/// Arguments below give zero: less than ln(2^-150) = -103.9720…
const LOWEST_F32: f64 = -104.5;
/// The leading 15 bits of ln 2, and the rest.
const LN2_HIGH_F32: f32 = f32::from_bits(0x3f317200);
const LN2_LOW_F32: f32 = f32::from_bits(0x35bfbe8e);
/// Coefficients of `P`, of the highest power first.
pub(in crate::function) const POLYNOMIAL_F32: [f64; 5] =
    [0.0013926184, 0.008363179, 0.041666556, 0.16666576, 0.5];

/// `1 + r + r^2 P(r)`, in one go.
const EXP_F32: [f64; 7] = {
    let [a, b, c, d, e] = POLYNOMIAL_F32;
    [a, b, c, d, e, 1.0, 1.0]
};

/// `e^x`, at most 2 ulp.
#[inline(always)]
pub fn exp_f32<R: Real>(x: R) -> R {
    let x = R::select(R::literal(HIGHEST_F32).lt(x), R::literal(HIGHEST_F32), x);
    let (r, shifted) = by_ln2_f32(x, F32.round);
    F32.times_two_to(polynomial(r, &EXP_F32), shifted)
}

/// [`exp_f32`] in fewer steps where `x < 64`: no result overflows, so that one factor, `2^-26`, is enough to
/// reach denormals. Elsewhere it gives anything.
///
/// The bits are the same: both scale the same number by a power of two, and round once where the result is
/// denormal.
#[inline(always)]
pub fn exp_f32_below_64<R: Real>(x: R) -> R {
    let (r, shifted) = by_ln2_f32(x, F32.round + 26.0);
    let p = polynomial(r, &EXP_F32);
    R::from_bits(shifted.to_bits().shl(23) + p.to_bits()) * 2f64.powi(-26)
}

/// `r` and `n + round`, of which the low bits are the integer, with `x = n ln 2 + r`. Low arguments are raised
/// to the lowest that matters.
#[inline(always)]
fn by_ln2_f32<R: Real>(x: R, round: f64) -> (R, R) {
    let x = R::select(x.lt(R::literal(LOWEST_F32)), R::literal(LOWEST_F32), x);
    let shifted = x.mul_add(R::literal(std::f64::consts::LOG2_E), R::literal(round));
    let n = shifted - round;
    let r = n.mul_add(R::literal(-LN2_HIGH_F32 as f64), x);
    (n.mul_add(R::literal(-LN2_LOW_F32 as f64), r), shifted)
}

/// `e^(x + c)` for arguments of normal results, `c` a rounding error of `x`; little more
/// than half an ulp.
#[inline(always)]
pub(in crate::function) fn exp_sum<R: Real>(
    x: R,
    c: R,
    format: &Format,
    coefficients: &[f64],
) -> R {
    let by = format.by_ln2(x);
    let (r, c) = (by.r, by.c + c);
    let q = polynomial(r, coefficients) * r * r;
    let t = q + (r + q).mul_add(c, c);
    let (main, rest) = ordered_sum(R::literal(1.0), r);
    format.times_two_to(main + (rest + t), by.shifted)
}

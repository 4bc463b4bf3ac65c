//! The natural logarithm, branch-free, at most 2 ulp, the same bits on every executor.
//!
//! Range reduction: `x = 2^k m` with `sqrt(1/2) <= m < sqrt(2)`, of f32 `2/3 <= m < 4/3`, by arithmetic
//! on the bits (denormals are scaled up first); `f = m - 1`, `ln(x) = k ln 2 + ln(1 + f)`, of f64 `ln 2`
//! in two parts of which `k` times the first is exact.
//!
//! f64: with `s = f / (2 + f)`, `z = s^2`: `ln(1 + f) = 2 artanh(s) = 2 s + s z P(z)`. As
//! `2 s = f - s f` and `s f = f^2/2 - s f^2/2`, this is `f - (f^2/2 - s (f^2/2 + z P(z)))`, whose
//! leading term is exact. `P` is near-minimax of degree 6, relative error 4.7e-16 before the factor
//! `z <= 0.0295`. `s` needs no division: see [`artanh_argument`].
//!
//! f32: `ln(1 + f) = f + f^2 R(f)`, `R` near-minimax of degree 8, relative error of the sum 9.6e-9. No
//! division.
//!
//! Special values: `ln(±0) = -inf`, `ln(x < 0)` is NaN, `ln(inf) = inf`, NaN gives NaN.

use crate::function::number::real::{Bits, Real, polynomial};

/// 2^54: makes denormals normal.
const SCALE_F64: f64 = 18014398509481984.0;
/// The bits of sqrt(1/2) and of 1.
const SQRT_HALF_F64: i64 = 0x3fe6a09e667f3bcd;
const ONE_F64: i64 = 0x3ff0000000000000;
/// 1.5 * 2^52: turns a small integer in the low bits into a float.
const ROUND_F64: f64 = 6755399441055744.0;
/// The leading 32 bits of ln 2, and the rest.
const LN2_HIGH_F64: f64 = f64::from_bits(0x3fe62e42fee00000);
const LN2_LOW_F64: f64 = f64::from_bits(0x3dea39ef35793c76);
/// Coefficients of `P`, of the highest power first.
pub(in crate::function) const POLYNOMIAL_F64: [f64; 7] = [
    0.14616585424888623,
    0.15331710618210773,
    0.18182889455674947,
    0.22222211130259878,
    0.2857142862600327,
    0.39999999999899444,
    0.666666666666667,
];

/// `ln x`, at most 2 ulp.
#[inline(always)]
pub fn ln_f64<R: Real>(x: R) -> R {
    let denormal = x.lt(R::literal(f64::MIN_POSITIVE));
    let bits = R::select(denormal, x * SCALE_F64, x).to_bits();
    let k = (bits + (ONE_F64 - SQRT_HALF_F64)).shr(52) - 1023;
    let f = R::from_bits(bits - k.shl(52)) - 1.0;
    let exponent = R::from_bits(k + R::literal(ROUND_F64).to_bits()) - ROUND_F64;
    let exponent = exponent + R::select(denormal, R::literal(-54.0), R::literal(0.0));
    let s = artanh_argument(f);
    let z = s * s;
    let p = polynomial(z, &POLYNOMIAL_F64);
    let half_square = f * 0.5 * f;
    let small = s.mul_add(p.mul_add(z, half_square), exponent * LN2_LOW_F64);
    let y = exponent.mul_add(R::literal(LN2_HIGH_F64), f - (half_square - small));
    special(x, y)
}

/// Coefficients of an approximation of `1 / (2 + f)`, of the highest power first: the best of degree 3 for
/// `sqrt(1/2) <= 1 + f <= sqrt(2)`, relative error 1.12e-4.
const RECIPROCAL: [f64; 4] =
    [-0.0571350229772691, 0.12813332718831894, -0.2503862000360889, 0.49995695710714283];

/// `s = f / (2 + f)` of f64 for `sqrt(1/2) <= 1 + f < sqrt(2)`, where `ln(1 + f) = 2 artanh(s)`; relative error
/// below 5e-16.
///
/// With `e = 1 - (2 + f) r`, `r` near the reciprocal, `1 / (2 + f) = r / (1 - e) = r (1 + e + e^2 + e^3 + ..)`.
/// These are nine operations that run beside each other for neighbours; a division would occupy the
/// divider, which often is what bounds a kernel, for as long as sixteen of them and more.
#[inline(always)]
pub(in crate::function) fn artanh_argument<R: Real>(f: R) -> R {
    let r = polynomial(f, &RECIPROCAL);
    let e = (R::literal(-2.0) - f).mul_add(r, R::literal(1.0));
    let square = e.mul_add(e, e);
    let series = e.mul_add(square, e);
    let s = f * r;
    s.mul_add(series, s)
}

/// 2^25.
const SCALE_F32: f64 = 33554432.0;
/// The bits of 2/3.
const TWO_THIRDS_F32: i64 = 0x3f2aaaab;
const ONE_F32: i64 = 0x3f800000;
/// 1.5 * 2^23.
const ROUND_F32: f64 = 12582912.0;
/// Coefficients of `R`, of the highest power first.
const LN_F32: [f64; 9] = [
    -0.124222,
    0.13748309,
    -0.12288722,
    0.14055812,
    -0.16673316,
    0.20007233,
    -0.24999945,
    0.33333272,
    -0.5,
];

/// `ln x`, at most 2 ulp.
#[inline(always)]
pub fn ln_f32<R: Real>(x: R) -> R {
    let denormal = x.lt(R::literal(f32::MIN_POSITIVE as f64));
    let (f, exponent) = by_two_f32(R::select(denormal, x * SCALE_F32, x));
    let exponent = exponent + R::select(denormal, R::literal(-25.0), R::literal(0.0));
    special(x, sum_f32(f, exponent))
}

/// [`ln_f32`] in fewer steps for normal positive numbers: the same bits. Elsewhere it gives anything.
#[inline(always)]
pub fn ln_f32_normal<R: Real>(x: R) -> R {
    let (f, exponent) = by_two_f32(x);
    sum_f32(f, exponent)
}

/// `f` and `k` of `x = 2^k (1 + f)`.
#[inline(always)]
fn by_two_f32<R: Real>(x: R) -> (R, R) {
    let shifted = x.to_bits() + (ONE_F32 - TWO_THIRDS_F32);
    let m = R::from_bits((shifted & 0x7f_ffff) + TWO_THIRDS_F32);
    let k = shifted.shr(23) - 127;
    (m - 1.0, R::from_bits(k + R::literal(ROUND_F32).to_bits()) - ROUND_F32)
}

/// `k ln 2 + ln(1 + f)`.
#[inline(always)]
fn sum_f32<R: Real>(f: R, k: R) -> R {
    let y = (polynomial(f, &LN_F32) * f).mul_add(f, f);
    k.mul_add(R::literal(std::f64::consts::LN_2), y)
}

/// `y`, the logarithm of a positive finite `x`, with the special values.
#[inline(always)]
pub(in crate::function) fn special<R: Real>(x: R, y: R) -> R {
    // The NaN that x86 has for the quotient of zeros.
    let y = R::select(x.lt(R::literal(0.0)), R::literal(-f64::NAN), y);
    let y = R::select(x.eq(R::literal(0.0)), R::literal(f64::NEG_INFINITY), y);
    // Infinity and NaN give themselves.
    R::select(x.lt(R::literal(f64::INFINITY)), y, x)
}

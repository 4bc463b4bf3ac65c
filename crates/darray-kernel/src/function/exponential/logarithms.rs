//! Logarithms of other bases, of `1 + x`, and of sums with a rounding error; branch-free, at most 2
//! ulp.
//!
//! The argument is `u + c`, `u` a float and `c` less than its last place. `u = 2^k m` as in
//! [`ln`](super::ln) of f64, `f = m - 1`, `c` scaled alike: `ln(u + c) = k ln 2 + ln(1 + f) + c / (1 + f)`.
//! The last quotient matters in few bits. `ln(1 + f)` as in [`ln`](super::ln); for `log2` and `log10`
//! it is a pair, multiplied by a pair for `1 / ln 2` or `1 / ln 10`.
//!
//! `log1p(x)`: `u = 1 + x`, `c` its rounding error.
//!
//! Special values: as of `ln`; `log1p(±0) = ±0`, `log1p(-1) = -inf`, `log2` of powers of two is exact.

use super::ln;
use crate::function::number::format::{F32, F64};
use crate::function::number::pair::{ordered_sum, product, sum};
use crate::function::number::real::{Real, polynomial};
use std::f64::consts::{LOG2_E, LOG10_E};

/// `ln(1 + x)`, at most 2 ulp.
#[inline(always)]
pub fn log1p_f64<R: Real>(x: R) -> R {
    let (u, c) = sum(R::literal(1.0), x);
    log1p(x, u, ln_sum_f64(u, c, R::literal(0.0)), 2f64.powi(-54))
}

/// `ln(1 + x)`, at most 2 ulp.
#[inline(always)]
pub fn log1p_f32<R: Real>(x: R) -> R {
    let (u, c) = sum(R::literal(1.0), x);
    log1p(x, u, ln_sum_f32(u, c, R::literal(0.0)), 2f64.powi(-25))
}

/// `y`, the logarithm of `u = 1 + x`, with the special values.
#[inline(always)]
fn log1p<R: Real>(x: R, u: R, y: R, tiny: f64) -> R {
    R::select(x.abs().lt(R::literal(tiny)), x, ln::special(u, y))
}

/// Logarithm of base 2, at most 2 ulp.
#[inline(always)]
pub fn log2_f64<R: Real>(x: R) -> R {
    let (u, shift) = normal(x, f64::MIN_POSITIVE, SCALE_F64, 54.0);
    let by = F64.by_powers_of_two(u, R::literal(0.0));
    let (main, rest) = scaled(ln_pair_f64(by.f), LOG2_E, 2.0355273740931033e-17);
    ln::special(x, with_exponent(by.exponent - shift, main, rest))
}

/// Logarithm of base 2, at most 2 ulp.
#[inline(always)]
pub fn log2_f32<R: Real>(x: R) -> R {
    let (u, shift) = normal(x, f32::MIN_POSITIVE as f64, SCALE_F32, 24.0);
    let by = F32.by_powers_of_two(u, R::literal(0.0));
    let (main, rest) = scaled(ln_pair_f32(by.f), LOG2_E, 1.925963e-8);
    ln::special(x, with_exponent(by.exponent - shift, main, rest))
}

/// Logarithm of base 10, at most 2 ulp.
#[inline(always)]
pub fn log10_f64<R: Real>(x: R) -> R {
    let (u, shift) = normal(x, f64::MIN_POSITIVE, SCALE_F64, 54.0);
    let by = F64.by_powers_of_two(u, R::literal(0.0));
    let (main, rest) = scaled(ln_pair_f64(by.f), LOG10_E, 1.098319650216765e-17);
    let k = by.exponent - shift;
    let rest = k.mul_add(R::literal(LOG10_2_LOW_F64), rest);
    ln::special(x, with_exponent(k * LOG10_2_HIGH_F64, main, rest))
}

/// Logarithm of base 10, at most 2 ulp.
#[inline(always)]
pub fn log10_f32<R: Real>(x: R) -> R {
    let (u, shift) = normal(x, f32::MIN_POSITIVE as f64, SCALE_F32, 24.0);
    let by = F32.by_powers_of_two(u, R::literal(0.0));
    let (main, rest) = scaled(ln_pair_f32(by.f), LOG10_E, -1.010305e-8);
    let k = by.exponent - shift;
    let rest = k.mul_add(R::literal(LOG10_2_LOW_F32), rest);
    ln::special(x, with_exponent(k * LOG10_2_HIGH_F32, main, rest))
}

/// The logarithm of base 10 of 2: leading bits, whose products with exponents are exact, and the
/// rest.
const LOG10_2_HIGH_F64: f64 = f64::from_bits(0x3fd3441350800000);
const LOG10_2_LOW_F64: f64 = 1.1451100898021838e-10;
const LOG10_2_HIGH_F32: f64 = 0.30102539;
const LOG10_2_LOW_F32: f64 = 4.6050390e-6;

/// `2^54` and `2^24`: make denormals normal.
const SCALE_F64: f64 = 18014398509481984.0;
const SCALE_F32: f64 = 16777216.0;

/// `x`, scaled up where it is denormal, and by how many powers of two.
#[inline(always)]
fn normal<R: Real>(x: R, least: f64, scale: f64, shift: f64) -> (R, R) {
    let denormal = x.lt(R::literal(least));
    let u = R::select(denormal, x * scale, x);
    (u, R::select(denormal, R::literal(shift), R::literal(0.0)))
}

/// A pair times the pair `high + low`.
#[inline(always)]
fn scaled<R: Real>(pair: (R, R), high: f64, low: f64) -> (R, R) {
    let (main, error) = product(pair.0, R::literal(high));
    let rest = pair.0.mul_add(R::literal(low), error);
    (main, pair.1.mul_add(R::literal(high), rest))
}

/// `exponent + main + rest`.
#[inline(always)]
fn with_exponent<R: Real>(exponent: R, main: R, rest: R) -> R {
    let (high, low) = sum(exponent, main);
    high + (low + rest)
}

/// `ln(1 + f)` of the range of [`ln`](super::ln) as a pair.
#[inline(always)]
fn ln_pair_f64<R: Real>(f: R) -> (R, R) {
    let s = ln::artanh_argument(f);
    let z = s * s;
    let p = polynomial(z, &ln::POLYNOMIAL_F64);
    let half_square = f * 0.5 * f;
    let error = (f * 0.5).mul_add(f, -half_square);
    let (high, low) = ordered_sum(f, -half_square);
    (high, s.mul_add(p.mul_add(z, half_square), low - error))
}

/// Coefficients of `Q` in `ln(1 + f) = f - f^2/2 + f^3 Q(f)`, error 2.9e-8 before `f^3`, of the highest power
/// first.
const POLYNOMIAL_F32: [f64; 9] = [
    0.06971612,
    -0.11479734,
    0.1168542,
    -0.12425688,
    0.14249058,
    -0.16667803,
    0.20000716,
    -0.24999997,
    0.3333333,
];

/// `ln(1 + f)` of the range of [`ln`](super::ln) as a pair.
#[inline(always)]
fn ln_pair_f32<R: Real>(f: R) -> (R, R) {
    let q = polynomial(f, &POLYNOMIAL_F32);
    let half_square = f * 0.5 * f;
    let error = (f * 0.5).mul_add(f, -half_square);
    let (high, low) = ordered_sum(f, -half_square);
    (high, q.mul_add(f * f * f, low - error))
}

/// `ln(u + c) + doublings ln 2` for positive normal `u`.
#[inline(always)]
pub(in crate::function) fn ln_sum_f64<R: Real>(u: R, c: R, doublings: R) -> R {
    let by = F64.by_powers_of_two(u, c);
    let (f, exponent) = (by.f, by.exponent + doublings);
    let s = ln::artanh_argument(f);
    let z = s * s;
    let p = polynomial(z, &ln::POLYNOMIAL_F64);
    let half_square = f * 0.5 * f;
    // 1 / (1 + f) = (1 - s) / (1 + s) = 1 - 2 s + 2 s^2 - ..
    let quotient = by.c - by.c * 2.0 * (s - z);
    let small = exponent.mul_add(R::literal(F64.ln2_low), quotient);
    let small = s.mul_add(p.mul_add(z, half_square), small);
    exponent.mul_add(R::literal(F64.ln2_high), f - (half_square - small))
}

/// `ln(u + c) + doublings ln 2` for positive normal `u`.
#[inline(always)]
pub(in crate::function) fn ln_sum_f32<R: Real>(u: R, c: R, doublings: R) -> R {
    let by = F32.by_powers_of_two(u, c);
    let (f, exponent) = (by.f, by.exponent + doublings);
    let q = polynomial(f, &POLYNOMIAL_F32);
    let square = f * f;
    // 1 / (1 + f) = 1 - f + f^2 - f^3 + ..
    let quotient = by.c - by.c * (f - square) * (square + 1.0);
    let small = exponent.mul_add(R::literal(F32.ln2_low), quotient);
    let small = square.mul_add(R::literal(-0.5), q.mul_add(square * f, small));
    exponent.mul_add(R::literal(F32.ln2_high), f + small)
}

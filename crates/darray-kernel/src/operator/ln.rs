//! The natural logarithm, branch-free, at most 2 ulp, the same bits on every executor.
//!
//! Range reduction: `x = 2^k m` with `sqrt(1/2) <= m < sqrt(2)`, by arithmetic on the bits (denormals
//! are scaled up first); `f = m - 1`, `ln(x) = k ln 2 + ln(1 + f)`, `ln 2` in two parts of which `k`
//! times the first is exact.
//!
//! f64: with `s = f / (2 + f)`, `z = s^2`: `ln(1 + f) = 2 artanh(s) = 2 s + s z P(z)`. As
//! `2 s = f - s f` and `s f = f^2/2 - s f^2/2`, this is `f - (f^2/2 - s (f^2/2 + z P(z)))`, whose
//! leading term is exact. `P` is near-minimax of degree 6, relative error 4.7e-16 before the factor
//! `z <= 0.0295`.
//!
//! f32: `ln(1 + f) = f - f^2/2 + f^3 Q(f)`, `Q` near-minimax of degree 8, error 2.9e-8 before the
//! factor `f^3`. No division.
//!
//! Special values: `ln(±0) = -inf`, `ln(x < 0)` is NaN, `ln(inf) = inf`, NaN gives NaN.

/// 2^54: makes denormals normal.
const SCALE_F64: f64 = 18014398509481984.0;
/// The bits of sqrt(1/2) and of 1.
const SQRT_HALF_F64: u64 = 0x3fe6a09e667f3bcd;
const ONE_F64: u64 = 0x3ff0000000000000;
/// 1.5 * 2^52: turns a small integer in the low bits into a float.
const ROUND_F64: f64 = 6755399441055744.0;
/// The leading 32 bits of ln 2, and the rest.
const LN2_HIGH_F64: f64 = f64::from_bits(0x3fe62e42fee00000);
const LN2_LOW_F64: f64 = f64::from_bits(0x3dea39ef35793c76);
/// Coefficients of `P`, of the highest power first.
const POLYNOMIAL_F64: [f64; 7] = [
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
pub fn ln_f64(x: f64) -> f64 {
    let denormal = x < f64::MIN_POSITIVE;
    let bits = (if denormal { x * SCALE_F64 } else { x }).to_bits();
    let k = (bits.wrapping_add(ONE_F64 - SQRT_HALF_F64) >> 52).wrapping_sub(1023);
    let f = f64::from_bits(bits.wrapping_sub(k << 52)) - 1.0;
    let exponent = f64::from_bits(k.wrapping_add(ROUND_F64.to_bits())) - ROUND_F64;
    let exponent = exponent + if denormal { -54.0 } else { 0.0 };
    let s = f / (2.0 + f);
    let z = s * s;
    let mut p = POLYNOMIAL_F64[0];
    for c in &POLYNOMIAL_F64[1..] {
        p = p.mul_add(z, *c);
    }
    let half_square = 0.5 * f * f;
    let small = s.mul_add(p.mul_add(z, half_square), exponent * LN2_LOW_F64);
    let y = exponent.mul_add(LN2_HIGH_F64, f - (half_square - small));
    let y = if x < 0.0 { f64::NAN } else { y };
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    // Infinity and NaN give themselves.
    if x < f64::INFINITY { y } else { x }
}

/// 2^25.
const SCALE_F32: f32 = 33554432.0;
/// The bits of sqrt(1/2) and of 1.
const SQRT_HALF_F32: u32 = 0x3f3504f3;
const ONE_F32: u32 = 0x3f800000;
/// The leading 15 bits of ln 2, and the rest.
const LN2_HIGH_F32: f32 = f32::from_bits(0x3f317200);
const LN2_LOW_F32: f32 = f32::from_bits(0x35bfbe8e);
/// Coefficients of `Q`, of the highest power first.
const POLYNOMIAL_F32: [f32; 9] = [
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

/// `ln x`, at most 2 ulp.
#[inline(always)]
pub fn ln_f32(x: f32) -> f32 {
    let denormal = x < f32::MIN_POSITIVE;
    let bits = (if denormal { x * SCALE_F32 } else { x }).to_bits();
    let k = (bits.wrapping_add(ONE_F32 - SQRT_HALF_F32) >> 23).wrapping_sub(127);
    let f = f32::from_bits(bits.wrapping_sub(k << 23)) - 1.0;
    let exponent = k as i32 as f32 + if denormal { -25.0 } else { 0.0 };
    let mut q = POLYNOMIAL_F32[0];
    for c in &POLYNOMIAL_F32[1..] {
        q = q.mul_add(f, *c);
    }
    let square = f * f;
    let y = q.mul_add(square * f, exponent * LN2_LOW_F32);
    let y = square.mul_add(-0.5, y);
    let y = exponent.mul_add(LN2_HIGH_F32, f + y);
    let y = if x < 0.0 { f32::NAN } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    // Infinity and NaN give themselves.
    if x < f32::INFINITY { y } else { x }
}

//! Hyperbolic functions, branch-free, at most 2 ulp.
//!
//! `|x| = k ln 2 + r + c` as in [`expm1`](super::expm1). The addition theorems give
//!
//! ```text
//! sinh |x| = sinh(k ln 2) cosh(r + c) + cosh(k ln 2) sinh(r + c)
//! cosh |x| = cosh(k ln 2) cosh(r + c) + sinh(k ln 2) sinh(r + c)
//! ```
//!
//! where `sinh(k ln 2) = (2^k - 2^-k) / 2` and `cosh(k ln 2)` are exact while they are small.
//! `sinh r = r + r^3 S(r^2)`, `cosh r = 1 + r^2 C(r^2)`, near-minimax (Chebyshev interpolation in 50
//! digits): f64 both of degree 5, absolute errors 1.1e-18 and 2.3e-20; f32 of degree 2, 5.6e-10 and
//! 3.0e-10. Sums of terms of like size are kept with their rounding errors. All of it is halved until the
//! end: `2^k` may be beyond the greatest number.
//!
//! `tanh |x| = 1 - 2 / (e^(2 |x|) + 1)` from 0.7 on, where it is more than a half, so that the quotient is the
//! smaller one and so are its errors; `|x| = k ln 2 / 2 + r`, `e^(2 r) = 1 + r E(r)`, minimax, absolute errors
//! 4.3e-18 (f64, degree 10) and 2.4e-9 (f32, degree 5). Below, `tanh x = x + x^3 T(x^2)`, minimax, relative errors
//! 5.2e-18 (degree 11) and 1.4e-8 (degree 4).
//!
//! Special values: `sinh(±0) = ±0`, `sinh(±inf) = ±inf`, `cosh(±inf) = inf`, `tanh(±0) = ±0`,
//! `tanh(±inf) = ±1`, NaN gives NaN.

use crate::function::number::format::{F32, F64, Format};
use crate::function::number::pair::{ordered_sum, product, sum};
use crate::function::number::real::{Bits, Real, polynomial};
use std::f64::consts::{LN_2, LOG2_E};

/// Coefficients of `S` and `C`, of the highest power first.
const SINH_F64: [f64; 6] = [
    1.608662795678037e-10,
    2.505207109429355e-08,
    2.755731924721873e-06,
    0.00019841269841263298,
    0.008333333333333333,
    0.16666666666666666,
];
const COSH_F64: [f64; 6] = [
    2.0918137737642736e-09,
    2.75572632790885e-07,
    2.4801587336442236e-05,
    0.0013888888888879073,
    0.04166666666666668,
    0.5,
];
const SINH_F32: [f64; 3] = [0.00019890991, 0.0083333105, 0.16666667];
const COSH_F32: [f64; 3] = [0.001393365, 0.041666467, 0.5];

/// Hyperbolic sine, at most 2 ulp.
#[inline(always)]
pub fn sinh_f64<R: Real>(x: R) -> R {
    sinh(x, halves(x.abs(), 710.6, &F64, &SINH_F64, &COSH_F64), TINY_F64)
}

/// Hyperbolic sine, at most 2 ulp.
#[inline(always)]
pub fn sinh_f32<R: Real>(x: R) -> R {
    sinh(x, halves(x.abs(), 89.55, &F32, &SINH_F32, &COSH_F32), TINY_F32)
}

/// Hyperbolic cosine, at most 2 ulp.
#[inline(always)]
pub fn cosh_f64<R: Real>(x: R) -> R {
    cosh(halves(x.abs(), 710.6, &F64, &SINH_F64, &COSH_F64))
}

/// Hyperbolic cosine, at most 2 ulp.
#[inline(always)]
pub fn cosh_f32<R: Real>(x: R) -> R {
    cosh(halves(x.abs(), 89.55, &F32, &SINH_F32, &COSH_F32))
}

/// Coefficients of `E` and `T`, of the highest power first.
const POWER_F64: [f64; 11] = [
    5.1441945247748514e-05,
    0.00028293679011186554,
    0.0014109294054420463,
    0.0063491820137136085,
    0.025396825497514607,
    0.08888888924481304,
    0.2666666666657573,
    0.666666666664424,
    1.3333333333333366,
    2.0000000000000044,
    2.0,
];
const TANH_F64: [f64; 12] = [
    4.8162159349615486e-06,
    -2.711405656936777e-05,
    8.818437302573505e-05,
    -0.00023488196244265602,
    0.0005885991433676643,
    -0.001455500662988489,
    0.0035920743801800925,
    -0.008863229746129454,
    0.0218694881378217,
    -0.05396825395213962,
    0.1333333333330059,
    -0.333333333333331,
];
const POWER_F32: [f64; 6] = [0.089303546, 0.2679691, 0.6666583, 1.3333147, 2.0, 2.0];
const TANH_F32: [f64; 5] = [-0.0051551, 0.020111648, -0.05356699, 0.13329244, -0.33333197];

/// Hyperbolic tangent, at most 2 ulp.
#[inline(always)]
pub fn tanh_f64<R: Real>(x: R) -> R {
    tanh(x, 22.0, &F64, &POWER_F64, &TANH_F64)
}

/// Hyperbolic tangent, at most 2 ulp.
#[inline(always)]
pub fn tanh_f32<R: Real>(x: R) -> R {
    tanh(x, 12.0, &F32, &POWER_F32, &TANH_F32)
}

/// What f64 lacks of ln 2.
const LN_2_REST: f64 = f64::from_bits(0x3c7abc9e3b39803f);

/// Smaller arguments are their own sines.
const TINY_F64: f64 = 3.725290298461914e-9;
const TINY_F32: f64 = 0.0001220703125;

/// Half of `sinh |x|` and half of `cosh |x|`, each as two terms.
struct Halves<R> {
    sinh: (R, R),
    cosh: (R, R),
}

/// Of `x >= 0`, for which `highest` stands where it is greater.
#[inline(always)]
fn halves<R: Real>(x: R, highest: f64, format: &Format, sinh: &[f64], cosh: &[f64]) -> Halves<R> {
    let x = R::select(R::literal(highest).lt(x), R::literal(highest), x);
    let by = format.by_ln2(x);
    let (k, r, c) = (by.k, by.r, by.c);
    let z = r * r;
    // sinh(r + c) = r + s, cosh(r + c) = 1 + t
    let s = (z * r).mul_add(polynomial(z, sinh), z.mul_add(c * 0.5, c));
    let t = z.mul_add(polynomial(z, cosh), c * r);
    // 2^-k is nothing beside 2^k long before it is no normal number.
    let most = R::Bits::literal(60);
    let least = R::Bits::select(k.lt(most), k, most);
    let up: R = format.two_to(k - 2);
    let down: R = format.two_to(R::Bits::literal(-2) - least);
    let (sinh_k, sinh_error) = ordered_sum(up, -down);
    let (cosh_k, cosh_error) = ordered_sum(up, down);
    // a + b r + rest with what is rounded away.
    let together = |a: R, b: R, rest: R| {
        let (high, low) = product(b, r);
        let (main, error) = sum(a, high);
        (main, rest + (error + low))
    };
    Halves {
        sinh: together(sinh_k, cosh_k, cosh_k.mul_add(s, sinh_k.mul_add(t, sinh_error))),
        cosh: together(cosh_k, sinh_k, sinh_k.mul_add(s, cosh_k.mul_add(t, cosh_error))),
    }
}

#[inline(always)]
fn sinh<R: Real>(x: R, halves: Halves<R>, tiny: f64) -> R {
    let y = (halves.sinh.0 + halves.sinh.1) * 2.0;
    R::select(x.abs().lt(R::literal(tiny)), x, y.copysign(x))
}

#[inline(always)]
fn cosh<R: Real>(halves: Halves<R>) -> R {
    (halves.cosh.0 + halves.cosh.1) * 2.0
}

/// With the sign of `x`; 1 from `highest` on.
#[inline(always)]
fn tanh<R: Real>(x: R, highest: f64, format: &Format, power: &[f64], tanh: &[f64]) -> R {
    let size = x.abs();
    let z = size * size;
    let small = (polynomial(z, tanh) * z).mul_add(size, size);
    let within = R::select(R::literal(highest).lt(size), R::literal(highest), size);
    let shifted = within.mul_add(R::literal(2.0 * LOG2_E), R::literal(format.round));
    let k = shifted.to_bits() - R::literal(format.round).to_bits();
    let n = shifted - format.round;
    let r = n.mul_add(R::literal(-0.5 * LN_2), within);
    // What f32 lacks of ln 2 / 2 matters where k is great, and the quotient is small there.
    let r = if format.mantissa < 52 { r } else { n.mul_add(R::literal(-0.5 * LN_2_REST), r) };
    let scale: R = format.two_to(k);
    let divisor = (polynomial(r, power) * r).mul_add(scale, scale + 1.0);
    let large = R::literal(1.0) - R::literal(2.0) / divisor;
    R::select(size.lt(R::literal(0.7)), small, large).copysign(x)
}

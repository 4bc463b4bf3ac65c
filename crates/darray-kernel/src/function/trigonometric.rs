//! Sine, cosine and tangent, branch-free, at most 2 ulp for every argument, the same bits on every
//! executor.
//!
//! Range reduction: see [`reduction`]; the rest `r + e`, `|r| <= pi/4`, comes with its rounding error.
//!
//! f64: with `z = r^2`, `sin(r + e) = r + (r z S(z) + e (1 - z/2))` and
//! `cos(r + e) = 1 - z/2 + (z^2 C(z) - r e)`, where the leading terms are kept as pairs; `S` and `C`
//! are near-minimax of degree 5 (relative errors 1.3e-17 and 8e-19). The tangent is the quotient of the pairs,
//! corrected by its remainder.
//!
//! f32: the same in 64 bits, `S` and `C` of degree 3 (2e-11 and 2e-12), rounded once at the end.
//!
//! Special values: infinities and NaN give NaN, `sin(-0) = tan(-0) = -0`.
//!
//! Measured: see `docs/accuracy.md`.

pub mod angle;
pub mod inverse_trigonometric;
pub mod reduction;

use crate::function::number::pair::ordered_sum;
use crate::function::number::real::{Bits, Real, Single, polynomial};
use reduction::{Reduced, reduce};

/// `sin x`, at most 2 ulp. With `ONLY_NEAR`, `|x|` must be at most [`reduction::NEAR`] or NaN.
#[inline(always)]
pub fn sin_f64<R: Real, const ONLY_NEAR: bool>(x: R) -> R {
    let r = reduce::<R, ONLY_NEAR>(x.abs());
    finish_odd(x, sine(&r, high(pairs(&r))))
}

/// `cos x`, at most 2 ulp. With `ONLY_NEAR`, `|x|` must be at most [`reduction::NEAR`] or NaN.
#[inline(always)]
pub fn cos_f64<R: Real, const ONLY_NEAR: bool>(x: R) -> R {
    let r = reduce::<R, ONLY_NEAR>(x.abs());
    finish(x, cosine(&r, high(pairs(&r))))
}

/// `tan x`, at most 2 ulp. With `ONLY_NEAR`, `|x|` must be at most [`reduction::NEAR`] or NaN.
#[inline(always)]
pub fn tan_f64<R: Real, const ONLY_NEAR: bool>(x: R) -> R {
    let r = reduce::<R, ONLY_NEAR>(x.abs());
    let ((sin, sin_low), (cos, cos_low)) = pairs(&r);
    let even = is_even(&r);
    // In odd quadrants -cos / sin.
    let (above, above_low) = (R::select(even, sin, -cos), R::select(even, sin_low, -cos_low));
    let (below, below_low) = (R::select(even, cos, sin), R::select(even, cos_low, sin_low));
    let inverse = R::literal(1.0) / below;
    let quotient = above * inverse;
    let rest = (-quotient).mul_add(below, above);
    let rest = (-quotient).mul_add(below_low, rest + above_low);
    finish_odd(x, rest.mul_add(inverse, quotient))
}

/// `sin x`, at most 2 ulp. With `ONLY_NEAR`, `|x|` must be at most [`reduction::NEAR`] or NaN.
#[inline(always)]
pub fn sin_f32<R: Single, const ONLY_NEAR: bool>(x: R) -> R {
    let x = x.widen();
    let r = reduce::<R::Double, ONLY_NEAR>(x.abs());
    R::narrow(finish_odd(x, sine(&r, plain(&r))))
}

/// `cos x`, at most 2 ulp. With `ONLY_NEAR`, `|x|` must be at most [`reduction::NEAR`] or NaN.
#[inline(always)]
pub fn cos_f32<R: Single, const ONLY_NEAR: bool>(x: R) -> R {
    let x = x.widen();
    let r = reduce::<R::Double, ONLY_NEAR>(x.abs());
    R::narrow(finish(x, cosine(&r, plain(&r))))
}

/// `tan x`, at most 2 ulp. With `ONLY_NEAR`, `|x|` must be at most [`reduction::NEAR`] or NaN.
#[inline(always)]
pub fn tan_f32<R: Single, const ONLY_NEAR: bool>(x: R) -> R {
    let x = x.widen();
    let r = reduce::<R::Double, ONLY_NEAR>(x.abs());
    let (sin, cos) = plain(&r);
    let even = is_even(&r);
    let above = R::Double::select(even, sin, -cos);
    let below = R::Double::select(even, cos, sin);
    R::narrow(finish_odd(x, above / below))
}

/// Coefficients of `S`, of the highest power first.
const SIN_F64: [f64; 6] = [
    1.5918129067394773e-10,
    -2.5051131841846312e-08,
    2.755731610253729e-06,
    -0.00019841269836758544,
    0.008333333333330948,
    -0.16666666666666666,
];
/// Coefficients of `C`, of the highest power first.
const COS_F64: [f64; 6] = [
    -1.1382632283217326e-11,
    2.0876146266428024e-09,
    -2.7557317271720317e-07,
    2.480158729876567e-05,
    -0.0013888888888887398,
    0.041666666666666664,
];

/// Sine and cosine of the rest, as pairs.
#[inline(always)]
fn pairs<R: Real>(r: &Reduced<R>) -> ((R, R), (R, R)) {
    let z = r.high * r.high;
    let z_error = r.high.mul_add(r.high, -z);
    let half = z * 0.5;
    let correction = (-half).mul_add(r.low, r.low);
    let correction = polynomial(z, &SIN_F64).mul_add(z * r.high, correction);
    let sin = ordered_sum(r.high, correction);
    let (leading, leading_error) = ordered_sum(R::literal(1.0), -half);
    let correction = r.high.mul_add(-r.low, z_error.mul_add(R::literal(-0.5), leading_error));
    let correction = polynomial(z, &COS_F64).mul_add(z * z, correction);
    (sin, ordered_sum(leading, correction))
}

#[inline(always)]
fn high<R>(((sin, _), (cos, _)): ((R, R), (R, R))) -> (R, R) {
    (sin, cos)
}

/// Coefficients of `S`, of the highest power first.
const SIN_F32: [f64; 4] =
    [2.7249925307437665e-06, -0.00019840086731562527, 0.008333331874703134, -0.1666666666385527];
/// Coefficients of `C`, of the highest power first.
const COS_F32: [f64; 4] =
    [-2.730095879024031e-07, 2.4800600373966596e-05, -0.0013888887672010885, 0.041666666664321186];

/// Sine and cosine of the rest, good for 32 bits.
#[inline(always)]
fn plain<R: Real>(r: &Reduced<R>) -> (R, R) {
    let z = r.high * r.high;
    let sin = polynomial(z, &SIN_F32).mul_add(z * r.high, r.high);
    let cos = polynomial(z, &COS_F32).mul_add(z, R::literal(-0.5)).mul_add(z, R::literal(1.0));
    (sin, cos)
}

#[inline(always)]
fn is_even<R: Real>(r: &Reduced<R>) -> <R::Bits as Bits>::Mask {
    (r.quadrant & 1).eq(R::Bits::literal(0))
}

/// The sine from sine and cosine of the rest.
#[inline(always)]
fn sine<R: Real>(r: &Reduced<R>, (sin, cos): (R, R)) -> R {
    let value = R::select(is_even(r), sin, cos);
    R::select((r.quadrant & 2).eq(R::Bits::literal(0)), value, -value)
}

/// The cosine from sine and cosine of the rest.
#[inline(always)]
fn cosine<R: Real>(r: &Reduced<R>, (sin, cos): (R, R)) -> R {
    let value = R::select(is_even(r), cos, sin);
    R::select(((r.quadrant + 1) & 2).eq(R::Bits::literal(0)), value, -value)
}

/// The result for `x` from that for `|x|`, of an odd function.
#[inline(always)]
fn finish_odd<R: Real>(x: R, result: R) -> R {
    let negative = x.to_bits().lt(R::Bits::literal(0));
    finish(x, R::select(negative, -result, result))
}

#[inline(always)]
fn finish<R: Real>(x: R, result: R) -> R {
    R::select(x.abs().lt(R::literal(f64::INFINITY)), result, R::literal(f64::NAN))
}

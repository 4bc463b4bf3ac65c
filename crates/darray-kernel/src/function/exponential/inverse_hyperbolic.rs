//! Inverse hyperbolic functions, branch-free, at most 2 ulp.
//!
//! ```text
//! asinh |x| = ln(sqrt(x^2 + 1) + |x|)
//! acosh x   = ln(sqrt(x^2 - 1) + x)
//! atanh |x| = ln((1 + |x|) / (1 - |x|)) / 2
//! ```
//!
//! The argument of the logarithm is computed as a pair, so that it is exact also where it is next to 1;
//! the logarithm of a pair is that of [`logarithms`](super::logarithms). Where `x^2` could overflow
//! the 1 does not matter: `ln(2 x)`.
//!
//! Special values: `asinh(±0) = ±0`, `asinh(±inf) = ±inf`, `acosh(1) = 0`, `acosh(inf) = inf`,
//! `acosh(x < 1)` is NaN, `atanh(±0) = ±0`, `atanh(±1) = ±inf`, NaN beyond, NaN gives NaN.

use super::logarithms::{ln_sum_f32, ln_sum_f64};
use crate::function::number::pair::{ordered_sum, product, sum};
use crate::function::number::real::Real;

/// Smaller arguments are their own areas.
const TINY_F64: f64 = 3.725290298461914e-9;
const TINY_F32: f64 = 0.0001220703125;
/// Beside the square of greater arguments 1 is nothing.
const LARGE_F64: f64 = 268435456.0;
const LARGE_F32: f64 = 8192.0;

/// Area hyperbolic sine, at most 2 ulp.
#[inline(always)]
pub fn asinh_f64<R: Real>(x: R) -> R {
    asinh(x, TINY_F64, LARGE_F64, ln_sum_f64)
}

/// Area hyperbolic sine, at most 2 ulp.
#[inline(always)]
pub fn asinh_f32<R: Real>(x: R) -> R {
    asinh(x, TINY_F32, LARGE_F32, ln_sum_f32)
}

/// Area hyperbolic cosine, at most 2 ulp.
#[inline(always)]
pub fn acosh_f64<R: Real>(x: R) -> R {
    acosh(x, LARGE_F64, ln_sum_f64)
}

/// Area hyperbolic cosine, at most 2 ulp.
#[inline(always)]
pub fn acosh_f32<R: Real>(x: R) -> R {
    acosh(x, LARGE_F32, ln_sum_f32)
}

/// Area hyperbolic tangent, at most 2 ulp.
#[inline(always)]
pub fn atanh_f64<R: Real>(x: R) -> R {
    atanh(x, TINY_F64, ln_sum_f64)
}

/// Area hyperbolic tangent, at most 2 ulp.
#[inline(always)]
pub fn atanh_f32<R: Real>(x: R) -> R {
    atanh(x, TINY_F32, ln_sum_f32)
}

/// `ln(u + c) + doublings ln 2`.
type LnSum<R> = fn(R, R, R) -> R;

#[inline(always)]
fn asinh<R: Real>(x: R, tiny: f64, large: f64, ln_sum: LnSum<R>) -> R {
    let size = x.abs();
    let y = ln_root(size, R::literal(1.0), large, ln_sum);
    // Infinity and NaN give themselves.
    let y = R::select(size.lt(R::literal(f64::INFINITY)), y, size);
    R::select(size.lt(R::literal(tiny)), x, y.copysign(x))
}

#[inline(always)]
fn acosh<R: Real>(x: R, large: f64, ln_sum: LnSum<R>) -> R {
    let y = ln_root(x, R::literal(-1.0), large, ln_sum);
    let y = R::select(x.lt(R::literal(1.0)), R::literal(f64::NAN), y);
    R::select(x.lt(R::literal(f64::INFINITY)), y, x)
}

/// `ln(sqrt(x^2 + one) + x)`.
#[inline(always)]
fn ln_root<R: Real>(x: R, one: R, large: f64, ln_sum: LnSum<R>) -> R {
    let is_large = R::literal(large).lt(x);
    let t = R::select(is_large, R::literal(1.0), x);
    let (square, square_rest) = product(t, t);
    let (radicand, rest) = sum(square, one);
    let root = radicand.sqrt();
    let (again, again_rest) = product(root, root);
    let rest = ((radicand - again) - again_rest) + (rest + square_rest);
    let none = root.eq(R::literal(0.0));
    let root_rest = rest * 0.5 / R::select(none, R::literal(1.0), root);
    let (u, c) = sum(root, t);
    let u = R::select(is_large, x, u);
    let c = R::select(is_large, R::literal(0.0), c + root_rest);
    ln_sum(u, c, R::select(is_large, R::literal(1.0), R::literal(0.0)))
}

#[inline(always)]
fn atanh<R: Real>(x: R, tiny: f64, ln_sum: LnSum<R>) -> R {
    let one = R::literal(1.0);
    let size = x.abs();
    let (above, above_rest) = ordered_sum(one, size);
    let (below, below_rest) = ordered_sum(one, -size);
    let inverse = one / below;
    let u = above * inverse;
    let rest = (-u).mul_add(below, above) + (-u).mul_add(below_rest, above_rest);
    let y = ln_sum(u, rest * inverse, R::literal(0.0)) * 0.5;
    let y = R::select(size.eq(one), R::literal(f64::INFINITY), y);
    let y = R::select(size.le(one), y, R::literal(f64::NAN));
    R::select(size.lt(R::literal(tiny)), x, y.copysign(x))
}

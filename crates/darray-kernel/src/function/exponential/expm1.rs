//! `e^x - 1`, exact also near zero, branch-free, at most 2 ulp.
//!
//! With `x = k ln 2 + r + c` as in [`exp`](super::exp), `c` the rounding error of `r`:
//! `e^x - 1 = (2^k - 1) + 2^k (r + t)`, `t = r^2 P(r) + c (1 + r)`, `P` as there. The sum of
//! `2^k - 1` and `2^k r` is kept with its rounding error, so that what cancels is exact. All of it is
//! halved until the end: `2^k` may be beyond the greatest number.
//!
//! Special values: `expm1(±0) = ±0`, `expm1(inf) = inf`, `expm1(-inf) = -1`, NaN gives NaN.

use super::exp;
use crate::function::number::format::{F32, F64, Format};
use crate::function::number::pair::sum;
use crate::function::number::real::{Real, polynomial};

/// `e^x - 1`, at most 2 ulp.
#[inline(always)]
pub fn expm1_f64<R: Real>(x: R) -> R {
    // e^-40 - 1 is -1.
    expm1(x, &F64, &exp::POLYNOMIAL_F64, -40.0, 709.79, 2f64.powi(-54))
}

/// `e^x - 1`, at most 2 ulp.
#[inline(always)]
pub fn expm1_f32<R: Real>(x: R) -> R {
    expm1(x, &F32, &exp::POLYNOMIAL_F32, -20.0, 88.8, 2f64.powi(-25))
}

/// Arguments below `lowest` give -1, above `highest` infinity, those of a size below `tiny` give
/// themselves.
#[inline(always)]
fn expm1<R: Real>(
    x: R,
    format: &Format,
    coefficients: &[f64],
    lowest: f64,
    highest: f64,
    tiny: f64,
) -> R {
    let within = R::select(x.lt(R::literal(lowest)), R::literal(lowest), x);
    let within = R::select(R::literal(highest).lt(within), R::literal(highest), within);
    let by = format.by_ln2(within);
    let (r, c) = (by.r, by.c);
    let t = (polynomial(r, coefficients) * r).mul_add(r, r.mul_add(c, c));
    let half: R = format.two_to(by.k - 1);
    let (main, error) = sum(half - 0.5, half * r);
    let y = (main + half.mul_add(t, error)) * 2.0;
    R::select(x.abs().lt(R::literal(tiny)), x, y)
}

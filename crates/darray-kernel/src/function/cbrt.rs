//! The cube root, branch-free, at most 2 ulp.
//!
//! `|x| = 2^(3 q) a` with `a = 2^e m`, `e` in -1, 0, 1 and `sqrt(1/2) <= m < sqrt(2)`; denormals are
//! scaled up first. `z`, about `a^(-1/3)`, begins as a polynomial of degree 5 in `m` (Chebyshev
//! interpolation in 50 digits, relative error 7.7e-6) times `2^(-e/3)`; one step
//! `z (1 + d/3 + 2 d^2/9)`, `d = 1 - a z^3`, brings it to the format. The root is `y = a z^2`, corrected
//! by `(a - y^3) z^2 / 3` with the difference computed as if exactly.
//!
//! Special values: `cbrt(±0) = ±0`, `cbrt(±inf) = ±inf`, NaN gives NaN.

use crate::function::number::format::{F32, F64, Format};
use crate::function::number::pair::product;
use crate::function::number::real::{Real, polynomial};

/// Coefficients of the approximation of `m^(-1/3)`, of the highest power first.
const POLYNOMIAL: [f64; 6] = [
    -0.10484262703707782,
    0.683577431562695,
    -1.8620663942011886,
    2.754857752141042,
    -2.4668647417873153,
    1.995341481913526,
];
/// The cube root of 2 and its inverse.
const CBRT_2: f64 = 1.2599210498948732;
const CBRT_HALF: f64 = 0.7937005259840998;

/// Cube root, at most 2 ulp.
#[inline(always)]
pub fn cbrt_f64<R: Real>(x: R) -> R {
    cbrt(x, &F64, f64::MIN_POSITIVE, 18.0)
}

/// Cube root, at most 2 ulp.
#[inline(always)]
pub fn cbrt_f32<R: Real>(x: R) -> R {
    cbrt(x, &F32, f32::MIN_POSITIVE as f64, 8.0)
}

/// Numbers below `least` are scaled by `2^(3 shift)`.
#[inline(always)]
fn cbrt<R: Real>(x: R, format: &Format, least: f64, shift: f64) -> R {
    let size = x.abs();
    let denormal = size.lt(R::literal(least));
    let scaled = R::select(denormal, size * (3.0 * shift).exp2(), size);
    let by = format.by_powers_of_two(scaled, R::literal(0.0));
    let q = (by.exponent * (1.0 / 3.0)).round();
    let e = by.exponent - q * 3.0;
    let (zero, m) = (R::literal(0.0), by.f + 1.0);
    let (low, high) = (e.lt(zero), zero.lt(e));
    let choose = |below: f64, above: f64| {
        let factor = R::select(high, R::literal(above), R::literal(1.0));
        R::select(low, R::literal(below), factor)
    };
    let a = m * choose(0.5, 2.0);
    let z = polynomial(m, &POLYNOMIAL) * choose(CBRT_2, CBRT_HALF);
    let d = (-(a * z)).mul_add(z * z, R::literal(1.0));
    let step = d.mul_add(R::literal(2.0 / 9.0), R::literal(1.0 / 3.0));
    let z = (z * d).mul_add(step, z);
    let y = a * z * z;
    let (square, error) = product(y, y);
    let missing = (-square).mul_add(y, a) - error * y;
    let y = (missing * (z * z)).mul_add(R::literal(1.0 / 3.0), y);
    let q = q - R::select(denormal, R::literal(shift), zero);
    let y = y * format.two_to::<R>(format.integer(q));
    let y = R::select(size.eq(zero), size, y);
    // Infinity and NaN give themselves.
    R::select(size.lt(R::literal(f64::INFINITY)), y, size).copysign(x)
}

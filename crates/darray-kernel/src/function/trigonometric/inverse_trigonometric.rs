//! Arc sine, arc cosine and arc tangent, branch-free, at most 2 ulp, the same bits on every executor.
//!
//! `atan(a / b)` for `a, b >= 0`: by a third of the quadrant, `u = a / b`, `(a - b) / (a + b)` or
//! `-b / a`, so that `|u| <= tan(pi/8)` but for rounding, and `atan = base + u + u z P(z)` with `z = u^2`
//! and the base 0, pi/4 or pi/2 in two parts. The quotient is corrected by its remainder. `atan x`
//! is that of `|x|` and 1; `atan2` scales its arguments first so that nothing overflows or is lost.
//!
//! `asin(s) = s + s z R(z)`, `z = s^2`, up to 1/2; beyond, `asin x = pi/2 - 2 asin(s)` with
//! `z = (1 - x)/2`, `s = sqrt(z)`. The arc cosine has the same two cases.
//!
//! `P` and `R` are near-minimax, of relative errors 5e-18 and 4e-18 (f64, degrees 10 and 12), 3e-9 and
//! 1e-9 (f32, degrees 4 and 5).
//!
//! Special values: `atan(±inf) = ±pi/2`, beyond ±1 `asin` and `acos` are NaN, `atan2(±0, -0) = ±pi`,
//! `atan2(±inf, -inf) = ±3 pi/4` and so on, NaN gives NaN.
//!
//! Measured: see `docs/accuracy.md`.

use crate::function::number::pair::{ordered_sum, sum};
use crate::function::number::real::{Bits, Real, polynomial};

/// What differs between the formats.
struct Format {
    /// pi in two parts; half and quarter of them are exact.
    pi: [f64; 2],
    /// Coefficients of `P`, of the highest power first.
    atan: &'static [f64],
    /// Coefficients of `R`, of the highest power first.
    asin: &'static [f64],
    /// From here on the arc tangent is pi/2.
    huge: f64,
    /// Arguments of `atan2` are scaled up below this and down above.
    large: f64,
    scale_up: f64,
    scale_down: f64,
}

const F64: Format = Format {
    pi: [f64::from_bits(0x400921fb54442d18), f64::from_bits(0x3ca1a62633145c07)],
    atan: &[
        -0.01917680071440982,
        0.03923158774224821,
        -0.050854472957630806,
        0.05858148446112195,
        -0.06664511393659163,
        0.07692183187012169,
        -0.09090904577959731,
        0.11111111015252322,
        -0.14285714284666493,
        0.1999999999999552,
        -0.3333333333333333,
    ],
    asin: &[
        0.028757851367421566,
        -0.014851887071247204,
        0.01740087944269402,
        0.005457506718640358,
        0.01032281435018578,
        0.011479177415184906,
        0.013971212973552933,
        0.017352392720869973,
        0.02237217294214989,
        0.030381944138531247,
        0.04464285714635543,
        0.07499999999998433,
        0.16666666666666669,
    ],
    huge: 1e300,
    large: power_of_2(500),
    scale_up: power_of_2(400),
    scale_down: power_of_2(-100),
};

const F32: Format = Format {
    pi: [f32::from_bits(0x40490fdb) as f64, f32::from_bits(0xb3bbbd2e) as f64],
    atan: &[-0.06451916, 0.107437275, -0.14263955, 0.1999954, -0.3333333],
    asin: &[0.033690847, 0.017149238, 0.031100662, 0.044599403, 0.07500094, 0.16666666],
    huge: 1e30,
    large: power_of_2(60),
    scale_up: power_of_2(60),
    scale_down: power_of_2(-20),
};

/// `asin x`, at most 2 ulp.
#[inline(always)]
pub fn asin_f64<R: Real>(x: R) -> R {
    asin(x, &F64)
}

/// `asin x`, at most 2 ulp.
#[inline(always)]
pub fn asin_f32<R: Real>(x: R) -> R {
    asin(x, &F32)
}

/// `acos x`, at most 2 ulp.
#[inline(always)]
pub fn acos_f64<R: Real>(x: R) -> R {
    acos(x, &F64)
}

/// `acos x`, at most 2 ulp.
#[inline(always)]
pub fn acos_f32<R: Real>(x: R) -> R {
    acos(x, &F32)
}

/// `atan x`, at most 2 ulp.
#[inline(always)]
pub fn atan_f64<R: Real>(x: R) -> R {
    atan(x, &F64)
}

/// `atan x`, at most 2 ulp.
#[inline(always)]
pub fn atan_f32<R: Real>(x: R) -> R {
    atan(x, &F32)
}

/// The angle of the point `(x, y)`, at most 2 ulp.
#[inline(always)]
pub fn atan2_f64<R: Real>(y: R, x: R) -> R {
    atan2(y, x, &F64)
}

/// The angle of the point `(x, y)`, at most 2 ulp.
#[inline(always)]
pub fn atan2_f32<R: Real>(y: R, x: R) -> R {
    atan2(y, x, &F32)
}

#[inline(always)]
fn asin<R: Real>(x: R, format: &Format) -> R {
    let (s, p, outer) = arc_sine_parts(x, format);
    let inner = s + p;
    let (high, error) = ordered_sum(R::literal(format.pi[0] * 0.5), s * -2.0);
    let rest = p.mul_add(R::literal(-2.0), R::literal(format.pi[1] * 0.5));
    R::select(outer, high + (error + rest), inner).copysign(x)
}

#[inline(always)]
fn acos<R: Real>(x: R, format: &Format) -> R {
    let (s, p, outer) = arc_sine_parts(x, format);
    let zero = R::literal(0.0);
    let positive = zero.le(x);
    // Inside pi/2 -+ asin|x|, outside 2 asin(s) or pi - 2 asin(s).
    let factor = R::select(outer, R::literal(2.0), R::literal(-1.0));
    let factor = R::select(positive, factor, -factor);
    let base = |k: usize| {
        let turned = R::select(positive, zero, R::literal(format.pi[k]));
        R::select(outer, turned, R::literal(format.pi[k] * 0.5))
    };
    let (high, error) = ordered_sum(base(0), s * factor);
    high + (error + p.mul_add(factor, base(1)))
}

/// `s` and `s z R(z)`, and whether `|x|` is above 1/2.
#[inline(always)]
fn arc_sine_parts<R: Real>(x: R, format: &Format) -> (R, R, R::Mask) {
    let size = x.abs();
    let outer = R::literal(0.5).lt(size);
    let z = R::select(outer, (R::literal(1.0) - size) * 0.5, size * size);
    let s = R::select(outer, z.sqrt(), size);
    (s, polynomial(z, format.asin) * z * s, outer)
}

#[inline(always)]
fn atan<R: Real>(x: R, format: &Format) -> R {
    let huge = R::literal(format.huge);
    let size = R::select(huge.lt(x.abs()), huge, x.abs());
    arc_of(size, R::literal(1.0), format).copysign(x)
}

#[inline(always)]
fn atan2<R: Real>(y: R, x: R, format: &Format) -> R {
    let (zero, one) = (R::literal(0.0), R::literal(1.0));
    let (a, b) = (y.abs(), x.abs());
    // Among infinities only these count; beside two zeros the angle is zero.
    let infinity = R::literal(f64::INFINITY);
    let infinite = a.eq(infinity) | b.eq(infinity);
    let finite_or = |v: R| R::select(infinite, R::select(v.eq(infinity), one, zero), v);
    let (a, b) = (finite_or(a), finite_or(b));
    let b = R::select(a.eq(zero) & b.eq(zero), one, b);
    let large = R::literal(format.large).lt(R::select(a.lt(b), b, a));
    let scale = R::select(large, R::literal(format.scale_down), R::literal(format.scale_up));
    let angle = arc_of(a * scale, b * scale, format);
    // On the axis the angle is pi/2 whatever the sign of `x`.
    let left = x.to_bits().lt(R::Bits::literal(0)) & !b.eq(zero);
    let (high, error) = ordered_sum(R::literal(format.pi[0]), -angle);
    let angle = R::select(left, high + (error + format.pi[1]), angle);
    R::select(y.is_nan() | x.is_nan(), R::literal(f64::NAN), angle.copysign(y))
}

/// `atan(a / b)` for `a, b >= 0`, not both zero, whose sum and quotients do not overflow.
#[inline(always)]
fn arc_of<R: Real>(a: R, b: R, format: &Format) -> R {
    let low_third = a.le(b * TAN_PI_8);
    let high_third = b.lt(a * TAN_PI_8);
    let zero = R::literal(0.0);
    let choose = |low, middle, high| R::select(low_third, low, R::select(high_third, high, middle));
    let (difference, difference_error) = sum(a, -b);
    let (total, total_error) = sum(a, b);
    let above = choose(a, difference, -b);
    let above_low = choose(zero, difference_error, zero);
    let below = choose(b, total, a);
    let below_low = choose(zero, total_error, zero);
    let base =
        |k: usize| choose(zero, R::literal(format.pi[k] * 0.25), R::literal(format.pi[k] * 0.5));
    let inverse = R::literal(1.0) / below;
    let u = above * inverse;
    let rest = (-u).mul_add(below_low, (-u).mul_add(below, above) + above_low);
    let z = u * u;
    let correction = polynomial(z, format.atan).mul_add(z * u, rest * inverse);
    let (high, error) = ordered_sum(base(0), u);
    high + (error + (correction + base(1)))
}

const TAN_PI_8: f64 = 0.4142135623730951;

/// `2^exponent`.
const fn power_of_2(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

//! Powers, branch-free, at most 3 ulp (f32: 2).
//!
//! f64: `ln |x|` as a pair of relative error about 2^-65, times `y` as a pair, and `exp` of a pair. With
//! `|x| = 2^k (1 + f)` as in [`ln`](super::ln), `s = f / (2 + f)` as a pair, `z = s^2`:
//!
//! ```text
//! ln |x| = k ln 2 + 2 s (1 + z (1/3 + z B(z)))
//! ```
//!
//! `B` near-minimax (Chebyshev interpolation in 50 digits) of degree 6, error 1.2e-19 in the last
//! factor; everything but `B` is computed in pairs.
//!
//! f32: `2^(y log2 |x|)` in f64, with `log2 (1 + f) = f C(f)` of degree 11, relative error 1.2e-10, and `2^r = 1 + r D(r)` of
//! degree 5, relative error 5.1e-9, both near-minimax. What f32 rounds to a denormal, zero or infinity is a
//! normal number of f64. A power waits for nothing but itself, so both polynomials go by halves.
//!
//! Special values, as C's `pow`: `x^0 = 1` and `1^y = 1` also for NaN; a negative base gives NaN unless
//! the exponent is whole, and the sign of an odd one; zeros and infinities as limits, `(-1)^±inf = 1`.

use super::exp::{self, exp_sum};
use crate::function::number::format::F64;
use crate::function::number::pair::{ordered_sum, product, sum};
use crate::function::number::real::{Bits, Real, Single, polynomial, polynomial_in_halves};

/// Coefficients of `B`, of the highest power first.
const POLYNOMIAL: [f64; 7] = [
    0.06457356091967545,
    0.06642934418772871,
    0.07692788731654072,
    0.09090904105460941,
    0.11111111135663404,
    0.14285714285669004,
    0.20000000000000015,
];
/// 1/3 and what it lacks.
const THIRD: f64 = 0.3333333333333333;
const THIRD_REST: f64 = 1.850371707708594e-17;
/// `2^54`: makes denormals normal.
const SCALE: f64 = 18014398509481984.0;

/// `x^y`, at most 3 ulp.
#[inline(always)]
pub fn power_f64<R: Real>(x: R, y: R) -> R {
    let size = x.abs();
    let denormal = size.lt(R::literal(f64::MIN_POSITIVE));
    let by = F64.by_powers_of_two(R::select(denormal, size * SCALE, size), R::literal(0.0));
    let k = by.exponent - R::select(denormal, R::literal(54.0), R::literal(0.0));
    let (high, low) = ln_pair(k, by.f);
    let high = R::select(size.lt(R::literal(f64::INFINITY)), high, size);
    let high = R::select(size.eq(R::literal(0.0)), R::literal(f64::NEG_INFINITY), high);
    let (e, error) = product(y, high);
    let rest = y.mul_add(low, error);
    // Far beyond overflow and underflow; the rest may be anything there.
    let (least, most) = (R::literal(-800.0), R::literal(800.0));
    let rest = R::select(e.abs().lt(most), rest, R::literal(0.0));
    let e = R::select(e.lt(least), least, e);
    let e = R::select(most.lt(e), most, e);
    special(x, y, exp_sum(e, rest, &F64, &exp::POLYNOMIAL_F64))
}

/// Coefficients of `C`, of the highest power first.
const LOG2: [f64; 12] = [
    -0.08433521045800585,
    0.1534528693745451,
    -0.15722652971153048,
    0.15931300522348446,
    -0.17905123203322462,
    0.20607165109914127,
    -0.24050279825001172,
    0.28854145553597715,
    -0.360672845348936,
    0.4808983110824002,
    -0.7213475248945522,
    1.4426950409582302,
];
/// Coefficients of `D`, of the highest power first, and the 1.
const EXP2: [f64; 7] = [
    0.0001545316294512069,
    0.0013390863364671234,
    0.009618082557277852,
    0.05550357114219078,
    0.24022650760568126,
    0.6931471880262288,
    1.0,
];

/// `x^y`, at most 2 ulp.
#[inline(always)]
pub fn power_f32<R: Single>(x: R, y: R) -> R {
    let exponent = y.widen() * log2_f32(x.abs().widen());
    // Far beyond what f32 has.
    let (least, most) = (R::Double::literal(-200.0), R::Double::literal(200.0));
    let exponent = R::Double::select(exponent.lt(least), least, exponent);
    let exponent = R::Double::select(most.lt(exponent), most, exponent);
    // The low bits are the exponent's of `2^k`; what is above them is shifted out.
    let round = F64.round + F64.bias as f64;
    let shifted = exponent + round;
    let r = exponent - (shifted - round);
    let scale = R::Double::from_bits(shifted.to_bits().shl(F64.mantissa));
    special(x, y, R::narrow(polynomial_in_halves(r, &EXP2) * scale))
}

/// The binary logarithm of a number that f32 has too, and is not negative: as exact as powers of f32 need it.
#[inline(always)]
fn log2_f32<R: Real>(size: R) -> R {
    // `2^(k + bias) (1 + f)`, its mantissa counted from that of sqrt(1/2).
    let bits = size.to_bits() + ((F64.bias << F64.mantissa) - F64.sqrt_half);
    let mantissa = bits & ((1 << F64.mantissa) - 1);
    let f = R::from_bits(mantissa + F64.sqrt_half) - 1.0;
    let k = R::from_bits(bits.shr(F64.mantissa) | R::literal(F64.round).to_bits());
    let whole = k - (F64.round + F64.bias as f64);
    let log2 = polynomial_in_halves(f, &LOG2).mul_add(f, whole);
    let log2 = R::select(size.eq(R::literal(0.0)), R::literal(f64::NEG_INFINITY), log2);
    // Infinity and NaN give themselves.
    R::select(size.lt(R::literal(f64::INFINITY)), log2, size)
}

/// `k ln 2 + ln(1 + f)` as a pair.
#[inline(always)]
fn ln_pair<R: Real>(k: R, f: R) -> (R, R) {
    let (divisor, divisor_rest) = ordered_sum(R::literal(2.0), f);
    let inverse = R::literal(1.0) / divisor;
    let s = f * inverse;
    let s_rest = ((-s).mul_add(divisor, f) - s * divisor_rest) * inverse;
    let (z, z_rest) = product(s, s);
    let z_rest = (s * 2.0).mul_add(s_rest, z_rest);
    let b = polynomial(z, &POLYNOMIAL);
    let (high, low) = product(z, b);
    let low = z_rest.mul_add(b, low) + THIRD_REST;
    let (a, a_rest) = ordered_sum(R::literal(THIRD), high);
    let a_rest = a_rest + low;
    let (high, low) = product(z, a);
    let low = z.mul_add(a_rest, z_rest.mul_add(a, low));
    let s = s * 2.0;
    let s_rest = s_rest * 2.0;
    let (main, main_rest) = product(s, high);
    let main_rest = s.mul_add(low, s_rest.mul_add(high, main_rest));
    let (main, rest) = {
        let (sum, error) = ordered_sum(s, main);
        (sum, error + (main_rest + s_rest))
    };
    let (top, top_rest) = sum(k * F64.ln2_high, main);
    ordered_sum(top, k.mul_add(R::literal(F64.ln2_low), top_rest + rest))
}

/// `size`, the power of `|x|`, with signs and special values; of NaN it is NaN.
#[inline(always)]
fn special<R: Real>(x: R, y: R, size: R) -> R {
    let (zero, one) = (R::literal(0.0), R::literal(1.0));
    let one_always = y.eq(zero) | x.abs().eq(one);
    let size = R::select(one_always, one, size);
    let whole = y.round().eq(y);
    let half = y * 0.5;
    let odd = whole & !half.round().eq(half);
    let z = R::select(odd, size.copysign(x), size);
    let no_root = x.lt(zero) & R::literal(f64::NEG_INFINITY).lt(x) & !whole;
    R::select(no_root, R::literal(f64::NAN), z)
}

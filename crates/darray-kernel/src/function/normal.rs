//! The inverse of the standard normal distribution, branch-free, the same bits on every executor.
//!
//! With `q = p - 1/2`:
//!
//! - centre, `|q| <= 0.4`: `q A(r) / B(r)`, `r = 0.16 - q^2`, both of degree 7;
//! - tails: `t + C(t)` with the sign of `q`, where `t = sqrt(-2 ln min(p, 1 - p))` and `C` is the
//!   quotient of two polynomials of degree 10 without change of sign, good to the least `p > 0`.
//!
//! The quotients interpolate at Chebyshev nodes (of `q^2`, and of the logarithm of the result): near
//! minimax, relative error at most 2e-16. One division serves both. At most 6 ulp from the true
//! result.
//!
//! Special values: 0 gives -inf, 1 gives inf, anything below or above gives NaN, as NaN does.

use crate::function::exponential::ln::ln_f64;
use crate::function::number::real::{Real, polynomial};

/// How far from 1/2 the centre reaches.
const CENTRE: f64 = 0.4;
/// Numerator and denominator in the centre, of the highest power of `r` first.
const CENTRE_ABOVE: [f64; 8] = [
    524.4872343859619,
    8364.210284088476,
    20467.760150106827,
    17228.056542687063,
    6421.624413138513,
    1159.1296283692307,
    99.04452649822471,
    3.2038789138615007,
];
const CENTRE_BELOW: [f64; 8] = [
    1173.8057146837118,
    7701.1696038264545,
    12786.447673038367,
    8488.905608939489,
    2684.497541499613,
    428.9526042073047,
    33.34671653180673,
    1.0,
];
/// Numerator and denominator of `C`, of the highest power of `t` first.
const TAIL_ABOVE: [f64; 11] = [
    -1.2423209379571353e-11,
    -1.1051847058897205e-07,
    -3.658592391243092e-05,
    -0.003148805925764341,
    -0.09800099161583072,
    -1.2723572303427972,
    -7.75185205470739,
    -25.909139464964248,
    -46.92245089690731,
    -29.159032285070193,
    -3.584098714581458,
];
const TAIL_BELOW: [f64; 11] = [
    1.3881722867726581e-08,
    5.921423189842232e-06,
    0.0006255228459590592,
    0.02383065032505337,
    0.3836220130053543,
    2.9183817393539004,
    12.005170710188905,
    28.684546940813764,
    32.508251935897626,
    12.770142722625005,
    1.0,
];

/// The `x` below which a standard normal number lies with probability `p`.
#[inline(always)]
pub fn normal_quantile_f64<R: Real>(p: R) -> R {
    let q = p - 0.5;
    let above = R::literal(0.0).lt(q);
    // 1 - p is exact where it is taken.
    let tail = R::select(above, -p + 1.0, p);
    let t = (ln_f64(tail) * -2.0).sqrt();
    let r = q.mul_add(-q, R::literal(CENTRE * CENTRE));
    let centre = q.abs().le(R::literal(CENTRE));
    let dividend = R::select(centre, q * polynomial(r, &CENTRE_ABOVE), polynomial(t, &TAIL_ABOVE));
    let divisor = R::select(centre, polynomial(r, &CENTRE_BELOW), polynomial(t, &TAIL_BELOW));
    let quotient = dividend / divisor;
    // Infinity and NaN give themselves.
    let far = R::select(t.lt(R::literal(f64::INFINITY)), t + quotient, t);
    R::select(centre, quotient, R::select(above, far, -far))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::function::Native;

    /// Probabilities and quantiles, the latter computed with 40 digits.
    const TABLE: &[(f64, f64)] = &[
        (5e-324, -38.467405617144344),
        (1e-308, -37.54067492154594),
        (1e-200, -30.20559417957964),
        (1e-100, -21.273453560965326),
        (1e-50, -14.933337534788489),
        (2.710505431213761e-20, -9.155293772686072),
        (1e-16, -8.222082216130435),
        (1e-10, -6.361340902404057),
        (1e-05, -4.264890793922825),
        (0.001, -3.0902323061678136),
        (0.01, -2.326347874040841),
        (0.05, -1.6448536269514726),
        (0.0999, -1.2821215797087744),
        (0.1001, -1.2809819674733192),
        (0.2, -0.8416212335729142),
        (0.3, -0.5244005127080408),
        (0.49, -0.025068908258711057),
        (0.4999999, -2.5066282747031063e-07),
        (0.5, 0.0),
        (0.5000000000009095, 2.2797651350911116e-12),
        (0.7, 0.5244005127080407),
        (0.9001, 1.2821215797087746),
        (0.95, 1.6448536269514722),
        (0.999, 3.090232306167813),
        (0.9999999, 5.199337582290661),
        (0.9999999999999999, 8.209536151601387),
    ];

    fn quantile(p: f64) -> f64 {
        normal_quantile_f64(Native(p)).0
    }

    #[test]
    fn quantiles_are_within_six_ulp() {
        let mut worst = (0.0, 0.0);
        for &(p, want) in TABLE {
            let got = quantile(p);
            let ulp = want.abs().next_up() - want.abs();
            let ulps = (got - want).abs() / ulp;
            worst = if ulps > worst.1 { (p, ulps) } else { worst };
            assert!(ulps <= 6.0, "{p:?}: {got:?} is {ulps} ulp from {want:?}");
        }
        println!("normal quantile: {:.2} ulp at {:?}", worst.1, worst.0);
    }

    #[test]
    fn the_quantile_rises_and_is_odd_about_one_half() {
        let mut last = f64::NEG_INFINITY;
        for k in 1..4096 {
            let p = k as f64 / 4096.0;
            let x = quantile(p);
            assert!(x > last, "{p}");
            assert_eq!(x, -quantile(1.0 - p), "{p}");
            last = x;
        }
    }

    #[test]
    fn special_values() {
        assert_eq!([quantile(0.0), quantile(-0.0)], [f64::NEG_INFINITY; 2]);
        assert_eq!(quantile(1.0), f64::INFINITY);
        for p in [-1e-300, 1.0f64.next_up(), f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert!(quantile(p).is_nan(), "{p}");
        }
    }
}

//! Vectors of eight f64; exponential and logarithm by tables of sixteen entries in two registers.
//!
//! exp x = 2^k 2^(i/16) e^r with x = (k + i/16) ln 2 + r, so |r| < 0.022; the logarithm of m in
//! [0.75, 1.5) is that of 1 + r less that of the table's c, with 1 + r = m c, so |r| < 0.0625. What remains
//! are polynomials in r, interpolated at Chebyshev's points.

use super::kernel::{Lanes, polynomial, vector};
use std::arch::x86_64::*;

/// Sixteen numbers, to be chosen from by the lowest four bits of each element.
#[repr(align(64))]
struct Table([f64; 16]);

impl Table {
    #[inline(always)]
    unsafe fn at(&self, index: __m512i) -> __m512d {
        // SAFETY: the machine has the instructions; the table has two vectors.
        unsafe {
            let low = _mm512_load_pd(self.0.as_ptr());
            _mm512_permutex2var_pd(low, index, _mm512_load_pd(self.0.as_ptr().add(8)))
        }
    }
}

vector! {
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,fma")]
    Vector(__m512d), 8 of f64, if ["avx512f" "avx512dq" "avx512bw" "avx512vl" "fma"],
    [_mm512_loadu_pd _mm512_storeu_pd _mm512_set1_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd _mm512_div_pd
        _mm512_sqrt_pd _mm512_fmadd_pd _mm512_fmsub_pd _mm512_fnmadd_pd]

    // 14, 28 and 53 bits.
    const NEWTON_STEPS: usize = 2;

    #[inline(always)]
    unsafe fn estimated_inverse(self) -> Vector {
        // SAFETY: the caller's contract: here and below, the machine has the instructions.
        Vector(unsafe { _mm512_rcp14_pd(self.0) })
    }

    #[inline(always)]
    unsafe fn abs(self) -> Vector {
        // SAFETY: the caller's contract.
        Vector(unsafe { _mm512_abs_pd(self.0) })
    }

    #[inline(always)]
    unsafe fn exp(self) -> Vector {
        // SAFETY: the caller's contract.
        unsafe {
            // NaN goes through the second operand. Beyond the bounds the result is 0 or infinite.
            let x = _mm512_min_pd(_mm512_set1_pd(709.79), self.0);
            let x = Vector(_mm512_max_pd(_mm512_set1_pd(-746.0), x));
            // Adding it leaves sixteenths in the lowest bits.
            let shift = Vector::all(1.5 * (1u64 << 48) as f64);
            let shifted = x.fused(Vector::all(std::f64::consts::LOG2_E), shift);
            let k = shifted.sub(shift);
            let r = _mm512_fnmadd_pd(k.0, _mm512_set1_pd(std::f64::consts::LN_2), x.0);
            let r = Vector(_mm512_fnmadd_pd(k.0, _mm512_set1_pd(LN_2_REST), r));
            let power = Vector(POWERS.at(_mm512_castpd_si512(shifted.0)));
            let p = polynomial(r, &EXP).mul(r).fused(r, r);
            Vector(_mm512_scalef_pd(power.fused(p, power).0, k.0))
        }
    }

    #[inline(always)]
    unsafe fn ln(self) -> Vector {
        // SAFETY: the caller's contract.
        unsafe {
            const NAN_IF_NEGATIVE: i32 = _MM_MANT_SIGN_NAN;
            let m = _mm512_getmant_pd::<_MM_MANT_NORM_P75_1P5, NAN_IF_NEGATIVE>(self.0);
            let k = Vector(_mm512_sub_pd(_mm512_getexp_pd(self.0), _mm512_getexp_pd(m)));
            let index = _mm512_srli_epi64::<48>(_mm512_castpd_si512(m));
            let r = Vector(m).fused_sub(Vector(RECIPROCALS.at(index)), Vector::all(1.0));
            let r2 = r.mul(r);
            let series = even_and_odd(r, r2);
            let low = k.mul(Vector::all(LN_2_LOW));
            let low = series.fused(r2, low);
            let high = k.fused(Vector::all(LN_2_HIGH), Vector(LOGARITHMS.at(index)));
            high.add(r.add(low))
        }
    }

    #[inline(always)]
    unsafe fn select(self, positive: Vector, other: Vector) -> Vector {
        // SAFETY: the caller's contract.
        unsafe {
            let above = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, _mm512_setzero_pd());
            Vector(_mm512_mask_blend_pd(above, other.0, positive.0))
        }
    }
}

/// (ln(1 + r) - r) / r², in pairs of powers so that fewer operations wait for each other.
#[inline(always)]
unsafe fn even_and_odd(r: Vector, r2: Vector) -> Vector {
    // SAFETY: the caller's contract is that of `Lanes`.
    unsafe {
        let pair = |at: usize| Vector::all(LN[at + 1]).fused(r, Vector::all(LN[at]));
        let high = Vector::all(LN[8]).fused(r2, pair(6));
        let high = high.fused(r2, pair(4));
        high.fused(r2, pair(2)).fused(r2, pair(0))
    }
}

/// Less than ln 2 and so short that its product with an exponent is exact, and what is missing.
pub(super) const LN_2_HIGH: f64 = 0.693_147_180_559_890_3;
pub(super) const LN_2_LOW: f64 = 5.497_923_018_708_371e-14;

/// What f64's ln 2 is short of.
pub(super) const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;

/// (e^r - 1 - r) / r², the highest power first.
const EXP: [f64; 5] = [
    0.001_388_903_463_696_002_7,
    0.008_333_449_934_106_845,
    0.041_666_666_664_953_72,
    0.166_666_666_652_962_23,
    0.5,
];

/// (ln(1 + r) - r) / r², the lowest power first.
const LN: [f64; 9] = [
    -0.499_999_999_999_999_9,
    0.333_333_333_333_408_37,
    -0.250_000_000_002_261_25,
    0.199_999_999_525_212_94,
    -0.166_666_654_904_130_16,
    0.142_857_860_109_588_62,
    -0.125_020_803_880_248_72,
    0.110_886_076_205_398_49,
    -0.088_894_677_728_437_86,
];

/// 2^(i/16).
#[rustfmt::skip]
static POWERS: Table = Table([
    1.0, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
    1.189207115002721, 1.241857812073484, 1.2968395546510096, 1.3542555469368927,
    std::f64::consts::SQRT_2, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
    1.681792830507429, 1.7562521603732995, 1.8340080864093424, 1.9152065613971474,
]);

/// Near the inverse of the middle of the interval that four bits of a mantissa name: sixteenths of [1, 1.5),
/// then thirty-seconds of [0.75, 1). Both intervals around 1 have 1 itself.
#[rustfmt::skip]
static RECIPROCALS: Table = Table([
    1.0, 0.9140625, 0.86474609375, 0.8203125, 0.7802734375, 0.744140625, 0.7109375, 0.6806640625,
    1.30615234375, 1.2548828125, 1.20751953125, 1.16357421875, 1.123046875, 1.0849609375,
    1.04931640625, 1.0,
]);

/// The negated logarithms of those.
#[rustfmt::skip]
static LOGARITHMS: Table = Table([
    0.0, 0.08985632912186105, 0.14531934837656488, 0.1980699137620938,
    0.24811085983317843, 0.2955252499128068, 0.34117075740276714, 0.3846863948389292,
    -0.2670856731707085, -0.2270421917298671, -0.1885682813620178, -0.15149649093934373,
    -0.11604541575784265, -0.0815439840401769, -0.04813891048311206, 0.0,
]);

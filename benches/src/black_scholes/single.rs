//! Vectors of sixteen f32; exponential and logarithm by polynomials alone.
//!
//! exp x = 2^k e^r with x = k ln 2 + r, so |r| < 0.347; the logarithm of m in [0.75, 1.5) is a polynomial in
//! m - 1. Coefficients are interpolated at Chebyshev's points.

use super::kernel::{Lanes, polynomial, vector};
use std::arch::x86_64::*;

vector! {
    #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,fma")]
    Vector(__m512), 16 of f32, if ["avx512f" "avx512dq" "avx512bw" "avx512vl" "fma"],
    [_mm512_loadu_ps _mm512_storeu_ps _mm512_set1_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps _mm512_div_ps
        _mm512_sqrt_ps _mm512_fmadd_ps _mm512_fmsub_ps _mm512_fnmadd_ps]

    // 14 bits, then 24 and more.
    const NEWTON_STEPS: usize = 1;

    #[inline(always)]
    unsafe fn estimated_inverse(self) -> Vector {
        // SAFETY: the caller's contract: here and below, the machine has the instructions.
        Vector(unsafe { _mm512_rcp14_ps(self.0) })
    }

    #[inline(always)]
    unsafe fn abs(self) -> Vector {
        // SAFETY: the caller's contract.
        Vector(unsafe { _mm512_abs_ps(self.0) })
    }

    #[inline(always)]
    unsafe fn exp(self) -> Vector {
        // SAFETY: the caller's contract.
        unsafe {
            // NaN goes through the second operand. Beyond the bounds the result is 0 or infinite.
            let x = _mm512_min_ps(_mm512_set1_ps(89.0), self.0);
            let x = Vector(_mm512_max_ps(_mm512_set1_ps(-104.5), x));
            let log2_e = _mm512_mul_ps(x.0, _mm512_set1_ps(std::f32::consts::LOG2_E));
            let k = _mm512_roundscale_ps::<_MM_FROUND_TO_NEAREST_INT>(log2_e);
            let r = _mm512_fnmadd_ps(k, _mm512_set1_ps(LN_2_HIGH), x.0);
            let r = Vector(_mm512_fnmadd_ps(k, _mm512_set1_ps(LN_2_LOW), r));
            let p = polynomial(r, &EXP).mul(r).fused(r, r);
            Vector(_mm512_scalef_ps(p.add(Vector::all(1.0)).0, k))
        }
    }

    #[inline(always)]
    unsafe fn ln(self) -> Vector {
        // SAFETY: the caller's contract.
        unsafe {
            const NAN_IF_NEGATIVE: i32 = _MM_MANT_SIGN_NAN;
            let m = _mm512_getmant_ps::<_MM_MANT_NORM_P75_1P5, NAN_IF_NEGATIVE>(self.0);
            let k = Vector(_mm512_sub_ps(_mm512_getexp_ps(self.0), _mm512_getexp_ps(m)));
            let r = Vector(m).sub(Vector::all(1.0));
            let low = k.fused(Vector(_mm512_set1_ps(LN_2_LOW)), r);
            let low = polynomial(r, &LN).fused(r.mul(r), low);
            k.fused(Vector(_mm512_set1_ps(LN_2_HIGH)), low)
        }
    }

    #[inline(always)]
    unsafe fn select(self, positive: Vector, other: Vector) -> Vector {
        // SAFETY: the caller's contract.
        unsafe {
            let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, _mm512_setzero_ps());
            Vector(_mm512_mask_blend_ps(above, other.0, positive.0))
        }
    }
}

/// The f32 below ln 2, and what is missing: of one sign, so that infinite exponents do not cancel.
pub(super) const LN_2_HIGH: f32 = f32::from_bits(0x3f31_7217);
pub(super) const LN_2_LOW: f32 = 5.77e-8;

/// (e^r - 1 - r) / r², the highest power first.
pub(super) const EXP: [f64; 5] = [
    0.001_392_625_083_154_975,
    0.008_363_232_883_682_618,
    0.041_666_554_212_984_15,
    0.166_665_766_661_199_28,
    0.5,
];

/// (ln(1 + r) - r) / r², the highest power first.
pub(super) const LN: [f64; 9] = [
    -0.047_382_424_844_065_31,
    0.106_256_292_060_350_4,
    -0.131_228_769_062_387_5,
    0.144_384_567_498_661_16,
    -0.166_476_440_922_442_96,
    0.199_935_925_075_425_35,
    -0.250_001_538_822_646_86,
    0.333_333_954_493_849_95,
    -0.499_999_997_962_442_6,
];

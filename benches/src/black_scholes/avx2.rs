//! Vectors of four f64 and of eight f32, for machines without AVX-512: exponential and logarithm by polynomials, whose
//! coefficients are interpolated at Chebyshev's points. Exponents are put in and taken out by integer operations.
//!
//! exp x = 2^k e^r with x = k ln 2 + r, so |r| < 0.347. The logarithm of an f64 m in [0.707, 1.414) is a series in
//! s = (m - 1) / (m + 1), whose division takes no longer than what a polynomial in m - 1 would have more.

use super::kernel::{Lanes, polynomial, vector};
use super::{double, single};
use std::arch::x86_64::*;

vector! {
    #[target_feature(enable = "avx2,fma")]
    Double(__m256d), 4 of f64, if ["avx2" "fma"],
    [_mm256_loadu_pd _mm256_storeu_pd _mm256_set1_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd _mm256_div_pd
        _mm256_sqrt_pd _mm256_fmadd_pd _mm256_fmsub_pd _mm256_fnmadd_pd]

    // 12, 24, 48 and, with the quotient's, 53 bits.
    const NEWTON_STEPS: usize = 2;

    #[inline(always)]
    unsafe fn estimated_inverse(self) -> Double {
        // SAFETY: the caller's contract: here and below, the machine has the instructions.
        Double(unsafe { _mm256_cvtps_pd(_mm_rcp_ps(_mm256_cvtpd_ps(self.0))) })
    }

    #[inline(always)]
    unsafe fn abs(self) -> Double {
        // SAFETY: the caller's contract.
        Double(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
    }

    #[inline(always)]
    unsafe fn exp(self) -> Double {
        // SAFETY: the caller's contract.
        unsafe {
            // NaN goes through the second operand. Beyond the bounds the result is that of the bounds.
            let x = _mm256_min_pd(_mm256_set1_pd(709.78), self.0);
            let x = Double(_mm256_max_pd(_mm256_set1_pd(-707.7), x));
            // Adding it leaves a whole number in the lowest bits.
            let shift = Double::all(1.5 * (1u64 << 52) as f64);
            let shifted = x.fused(Double::all(std::f64::consts::LOG2_E), shift);
            let k = shifted.sub(shift);
            let r = _mm256_fnmadd_pd(k.0, _mm256_set1_pd(std::f64::consts::LN_2), x.0);
            let r = Double(_mm256_fnmadd_pd(k.0, _mm256_set1_pd(double::LN_2_REST), r));
            let p = polynomial(r, &EXP).mul(r).fused(r, r).add(Double::all(1.0));
            let exponent = _mm256_slli_epi64::<52>(_mm256_castpd_si256(shifted.0));
            Double(_mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(p.0), exponent)))
        }
    }

    #[inline(always)]
    unsafe fn ln(self) -> Double {
        // SAFETY: the caller's contract.
        unsafe {
            let constant = |bits: u64| _mm256_set1_epi64x(bits.cast_signed());
            let one = Double::all(1.0);
            // Its exponent is that of a mantissa between the root of one half and that of two.
            let least = std::f64::consts::FRAC_1_SQRT_2.to_bits();
            let bits = _mm256_add_epi64(_mm256_castpd_si256(self.0), constant(1f64.to_bits() - least));
            let m = _mm256_and_si256(bits, constant((1 << 52) - 1));
            let m = Double(_mm256_castsi256_pd(_mm256_add_epi64(m, constant(least))));
            let whole = (1u64 << 52) as f64;
            let k = _mm256_or_si256(_mm256_srli_epi64::<52>(bits), constant(whole.to_bits()));
            let k = Double(_mm256_castsi256_pd(k)).sub(Double::all(whole + 1023.0));
            let (below, above) = (m.sub(one), m.add(one));
            let s = below.div(above);
            let s2 = s.mul(s);
            // ln m = 2 s + s³ p = (m - 1) - s ((m - 1) - s² p)
            let p = s2.mul(polynomial(s2, &LN));
            let low = k.mul(Double::all(double::LN_2_LOW));
            let low = s.fused(p.sub(below), low);
            k.fused(Double::all(double::LN_2_HIGH), below).add(low)
        }
    }

    #[inline(always)]
    unsafe fn select(self, positive: Double, other: Double) -> Double {
        // SAFETY: the caller's contract.
        unsafe {
            let above = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, _mm256_setzero_pd());
            Double(_mm256_blendv_pd(other.0, positive.0, above))
        }
    }
}

vector! {
    #[target_feature(enable = "avx2,fma")]
    Single(__m256), 8 of f32, if ["avx2" "fma"],
    [_mm256_loadu_ps _mm256_storeu_ps _mm256_set1_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps _mm256_div_ps
        _mm256_sqrt_ps _mm256_fmadd_ps _mm256_fmsub_ps _mm256_fnmadd_ps]

    // 12 bits, then 23 and more.
    const NEWTON_STEPS: usize = 1;

    #[inline(always)]
    unsafe fn estimated_inverse(self) -> Single {
        // SAFETY: the caller's contract.
        Single(unsafe { _mm256_rcp_ps(self.0) })
    }

    #[inline(always)]
    unsafe fn abs(self) -> Single {
        // SAFETY: the caller's contract.
        Single(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    #[inline(always)]
    unsafe fn exp(self) -> Single {
        // SAFETY: the caller's contract.
        unsafe {
            // NaN goes through the second operand. Beyond the bounds the result is that of the bounds.
            let x = _mm256_min_ps(_mm256_set1_ps(88.7), self.0);
            let x = Single(_mm256_max_ps(_mm256_set1_ps(-86.9), x));
            let shift = Single::all(1.5 * (1u32 << 23) as f64);
            let shifted = x.fused(Single::all(std::f64::consts::LOG2_E), shift);
            let k = shifted.sub(shift);
            let r = _mm256_fnmadd_ps(k.0, _mm256_set1_ps(single::LN_2_HIGH), x.0);
            let r = Single(_mm256_fnmadd_ps(k.0, _mm256_set1_ps(single::LN_2_LOW), r));
            let p = polynomial(r, &single::EXP).mul(r).fused(r, r).add(Single::all(1.0));
            let exponent = _mm256_slli_epi32::<23>(_mm256_castps_si256(shifted.0));
            Single(_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(p.0), exponent)))
        }
    }

    #[inline(always)]
    unsafe fn ln(self) -> Single {
        // SAFETY: the caller's contract.
        unsafe {
            let constant = |bits: u32| _mm256_set1_epi32(bits.cast_signed());
            let least = 0.75f32.to_bits();
            let bits = _mm256_add_epi32(_mm256_castps_si256(self.0), constant(1f32.to_bits() - least));
            let m = _mm256_and_si256(bits, constant((1 << 23) - 1));
            let m = Single(_mm256_castsi256_ps(_mm256_add_epi32(m, constant(least))));
            let k = _mm256_sub_epi32(_mm256_srli_epi32::<23>(bits), constant(127));
            let k = Single(_mm256_cvtepi32_ps(k));
            let r = m.sub(Single::all(1.0));
            let low = k.fused(Single(_mm256_set1_ps(single::LN_2_LOW)), r);
            let low = polynomial(r, &single::LN).fused(r.mul(r), low);
            k.fused(Single(_mm256_set1_ps(single::LN_2_HIGH)), low)
        }
    }

    #[inline(always)]
    unsafe fn select(self, positive: Single, other: Single) -> Single {
        // SAFETY: the caller's contract.
        unsafe {
            let above = _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, _mm256_setzero_ps());
            Single(_mm256_blendv_ps(other.0, positive.0, above))
        }
    }
}

/// (e^r - 1 - r) / r², the highest power first.
const EXP: [f64; 10] = [
    2.510_042_415_700_506_7e-8,
    2.762_013_871_973_399_4e-7,
    2.755_726_837_868_419_2e-6,
    2.480_152_119_021_773e-5,
    0.000_198_412_698_631_059_68,
    0.001_388_888_891_728_179_4,
    0.008_333_333_333_330_051,
    0.041_666_666_666_623_99,
    0.166_666_666_666_666_69,
    0.500_000_000_000_000_1,
];

/// (ln((1 + s) / (1 - s)) - 2 s) / s³, the highest power of s² first.
const LN: [f64; 7] = [
    0.146_171_284_453_087_89,
    0.153_316_666_722_440_63,
    0.181_828_907_781_862_92,
    0.222_222_111_121_021_2,
    0.285_714_286_261_145_4,
    0.399_999_999_998_992,
    0.666_666_666_666_667,
];

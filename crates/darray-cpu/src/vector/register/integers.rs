//! Vector registers of integers, which wrap around.

use super::Vector;

scalar_vector! { i32: i32::wrapping_add, i32::wrapping_mul; i64: i64::wrapping_add, i64::wrapping_mul; }

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{I32x8, I32x16, I64x4, I64x8};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::vector::register::x86::{FIRST_32, FIRST_64};
    use crate::vector::register::{FirstLanes, Vector};
    use std::arch::x86_64::*;

    macro_rules! integers {
        ($(($vector:ident, $register:ident, $element:ident, $lanes:literal, $load:expr, $store:expr, $splat:ident, $add:ident, $mul:ident,
            $first:ty, |$n:ident| $make:expr, |$from:ident, $of:ident| $masked:expr, $keep:expr, |$a:ident, $b:ident, $by:ident| $blend:expr))+) => {
            $(
                /// So many integers.
                #[derive(Clone, Copy)]
                pub(crate) struct $vector(pub(in crate::vector::register) $register);

                impl Vector for $vector {
                    type Element = $element;
                    const LANES: usize = $lanes;
                    #[inline(always)]
                    unsafe fn load(from: *const $element) -> $vector {
                        // SAFETY: the caller's elements.
                        $vector(unsafe { $load(from.cast()) })
                    }
                    #[inline(always)]
                    unsafe fn splat(from: *const $element) -> $vector {
                        // SAFETY: the caller's element.
                        $vector(unsafe { $splat(*from) })
                    }
                    #[inline(always)]
                    unsafe fn store(self, to: *mut $element) {
                        // SAFETY: the caller's elements.
                        unsafe { $store(to.cast(), self.0) }
                    }
                    #[inline(always)]
                    unsafe fn add(self, other: $vector) -> $vector {
                        // SAFETY: the instruction set is that of the calling loop; so below.
                        $vector(unsafe { $add(self.0, other.0) })
                    }
                    #[inline(always)]
                    unsafe fn mul(self, other: $vector) -> $vector {
                        // SAFETY: see `add`.
                        $vector(unsafe { $mul(self.0, other.0) })
                    }
                }

                impl FirstLanes for $vector {
                    type First = $first;
                    #[inline(always)]
                    unsafe fn first($n: usize) -> $first {
                        debug_assert!((1..=$lanes).contains(&$n));
                        $make
                    }
                    #[inline(always)]
                    unsafe fn load_first($from: *const $element, $of: $first) -> $vector {
                        // SAFETY: see `add`; the caller's elements.
                        $vector(unsafe { $masked })
                    }
                    #[inline(always)]
                    unsafe fn store_first(self, to: *mut $element, first: $first) {
                        // SAFETY: see `add`; the caller's elements.
                        unsafe { $keep(to, first, self.0) }
                    }
                    #[inline(always)]
                    unsafe fn with_first(self, other: $vector, $by: $first) -> $vector {
                        let ($a, $b) = (self.0, other.0);
                        // SAFETY: see `add`.
                        $vector(unsafe { $blend })
                    }
                }
            )+
        };
    }

    integers! {
        (I64x8, __m512i, i64, 8, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi64, _mm512_add_epi64, _mm512_mullo_epi64,
            __mmask8, |n| ((1u32 << n) - 1) as __mmask8, |from, of| _mm512_maskz_loadu_epi64(of, from), _mm512_mask_storeu_epi64,
            |a, b, of| _mm512_mask_mov_epi64(a, of, b))
        (I32x16, __m512i, i32, 16, _mm512_loadu_si512, _mm512_storeu_si512, _mm512_set1_epi32, _mm512_add_epi32, _mm512_mullo_epi32,
            __mmask16, |n| ((1u32 << n) - 1) as __mmask16, |from, of| _mm512_maskz_loadu_epi32(of, from), _mm512_mask_storeu_epi32,
            |a, b, of| _mm512_mask_mov_epi32(a, of, b))
        (I64x4, __m256i, i64, 4, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi64x, _mm256_add_epi64, multiply,
            __m256i, |n| {
                // SAFETY: see `add`; as many elements of the table, from its first half on.
                unsafe { _mm256_loadu_si256(FIRST_64.as_ptr().add(4 - n).cast()) }
            }, |from, of| _mm256_maskload_epi64(from, of), _mm256_maskstore_epi64, |a, b, of| _mm256_blendv_epi8(a, b, of))
        (I32x8, __m256i, i32, 8, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_set1_epi32, _mm256_add_epi32, _mm256_mullo_epi32,
            __m256i, |n| {
                // SAFETY: see `add`; as many elements of the table, from its first half on.
                unsafe { _mm256_loadu_si256(FIRST_32.as_ptr().add(8 - n).cast()) }
            }, |from, of| _mm256_maskload_epi32(from, of), _mm256_maskstore_epi32, |a, b, of| _mm256_blendv_epi8(a, b, of))
    }

    /// Products of 64 bits, of those of 32 bits.
    #[inline(always)]
    unsafe fn multiply(a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see `add`.
        unsafe {
            let crossed = _mm256_mullo_epi32(a, _mm256_shuffle_epi32::<0xb1>(b));
            let high = _mm256_add_epi32(crossed, _mm256_srli_epi64::<32>(crossed));
            _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64::<32>(high))
        }
    }
}

//! Lanes by their numbers.

use super::Vector;

/// A register whose lanes can be put in another order.
pub(crate) trait ByNumber: Vector {
    /// Whether there is an instruction for that.
    const CAN: bool = false;
    /// The lane of each of these numbers, as many as there are lanes; where there is [one](Self::CAN).
    unsafe fn take(self, numbers: *const u8) -> Self {
        let _ = numbers;
        unreachable!("no instruction takes lanes by number")
    }
}

impl ByNumber for f32 {}
impl ByNumber for f64 {}
impl ByNumber for i32 {}
impl ByNumber for i64 {}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::ByNumber;
    use crate::vector::register::{I32x8, I32x16, I64x4, I64x8};
    use std::arch::x86_64::*;

    impl ByNumber for __m256d {}
    impl ByNumber for I64x4 {}

    macro_rules! numbered {
        ($(($vector:ty, |$lanes:ident, $numbers:ident| $take:expr))+) => {
            $(impl ByNumber for $vector {
                const CAN: bool = true;
                #[inline(always)]
                unsafe fn take(self, $numbers: *const u8) -> $vector {
                    let $lanes = self;
                    // SAFETY: the instruction set is that of the calling loop; the caller's numbers.
                    unsafe { $take }
                }
            })+
        };
    }

    numbered! {
        (__m512d, |lanes, numbers| _mm512_permutexvar_pd(eight_of_64(numbers), lanes))
        (__m512, |lanes, numbers| _mm512_permutexvar_ps(sixteen(numbers), lanes))
        (I64x8, |lanes, numbers| I64x8(_mm512_permutexvar_epi64(eight_of_64(numbers), lanes.0)))
        (I32x16, |lanes, numbers| I32x16(_mm512_permutexvar_epi32(sixteen(numbers), lanes.0)))
        (__m256, |lanes, numbers| _mm256_permutevar8x32_ps(lanes, eight(numbers)))
        (I32x8, |lanes, numbers| I32x8(_mm256_permutevar8x32_epi32(lanes.0, eight(numbers))))
    }

    /// Numbers for lanes of 8 bytes; the instruction set is that of the calling loop, so below.
    #[inline(always)]
    unsafe fn eight_of_64(numbers: *const u8) -> __m512i {
        // SAFETY: the caller's eight numbers.
        unsafe { _mm512_cvtepu8_epi64(_mm_loadl_epi64(numbers.cast())) }
    }

    #[inline(always)]
    unsafe fn sixteen(numbers: *const u8) -> __m512i {
        // SAFETY: the caller's sixteen numbers.
        unsafe { _mm512_cvtepu8_epi32(_mm_loadu_si128(numbers.cast())) }
    }

    #[inline(always)]
    unsafe fn eight(numbers: *const u8) -> __m256i {
        // SAFETY: the caller's eight numbers.
        unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(numbers.cast())) }
    }
}

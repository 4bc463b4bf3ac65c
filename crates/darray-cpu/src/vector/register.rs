//! Vector registers of numbers.

/// One element as a vector, for what is left at the end of a block.
macro_rules! scalar_vector {
    ($($element:ident: $add:path;)+) => {
        $(impl Vector for $element {
            type Element = $element;
            const LANES: usize = 1;
            #[inline(always)]
            unsafe fn load(from: *const $element) -> $element {
                // SAFETY: the caller's element.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn splat(from: *const $element) -> $element {
                // SAFETY: the caller's element.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: the caller's element.
                unsafe { to.write(self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: $element) -> $element {
                $add(self, other)
            }
        })+
    };
}

use std::ops::Add;

/// A vector register. Its instructions must be those of the calling loop's instruction set.
pub(crate) trait Vector: Copy {
    type Element: Copy;
    const LANES: usize;
    unsafe fn load(from: *const Self::Element) -> Self;
    unsafe fn splat(from: *const Self::Element) -> Self;
    unsafe fn store(self, to: *mut Self::Element);
    unsafe fn add(self, other: Self) -> Self;
}

/// A vector register of floats.
pub(crate) trait FloatVector: Vector {
    unsafe fn neg(self) -> Self;
}

/// A register with fused multiply-add.
pub(crate) trait MulAdd: FloatVector {
    /// `self * factor + addend`, rounded once.
    unsafe fn mul_add(self, factor: Self, addend: Self) -> Self;
}

scalar_vector! { f32: Add::add; f64: Add::add; }

macro_rules! scalar_floats {
    ($($element:ident)+) => {
        $(impl FloatVector for $element {
            #[inline(always)]
            unsafe fn neg(self) -> $element {
                -self
            }
        })+
    };
}

scalar_floats! { f32 f64 }

macro_rules! scalar_mul_add {
    ($($element:ident)+) => {
        $(impl MulAdd for $element {
            #[inline(always)]
            unsafe fn mul_add(self, factor: $element, addend: $element) -> $element {
                $element::mul_add(self, factor, addend)
            }
        })+
    };
}

scalar_mul_add! { f32 f64 }

/// A register of which some first lanes can be taken alone.
pub(crate) trait FirstLanes: Vector {
    /// Some of the first lanes.
    type First: Copy;
    /// The first `n` lanes: one at least.
    unsafe fn first(n: usize) -> Self::First;
    /// These elements, with zeros in the other lanes: no other element is read.
    unsafe fn load_first(from: *const Self::Element, first: Self::First) -> Self;
    /// Loads a vector, or some of its first lanes.
    #[inline(always)]
    unsafe fn load_some(from: *const Self::Element, first: Option<Self::First>) -> Self {
        // SAFETY: the caller's elements.
        unsafe {
            match first {
                Some(first) => Self::load_first(from, first),
                None => Self::load(from),
            }
        }
    }
    /// Stores these lanes; nothing else is written.
    unsafe fn store_first(self, to: *mut Self::Element, first: Self::First);
}

macro_rules! scalar_firsts {
    ($($element:ident)+) => {
        $(impl FirstLanes for $element {
            type First = ();
            #[inline(always)]
            unsafe fn first(_: usize) {}
            #[inline(always)]
            unsafe fn load_first(from: *const $element, (): ()) -> $element {
                // SAFETY: the caller's element.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store_first(self, to: *mut $element, (): ()) {
                // SAFETY: the caller's element.
                unsafe { to.write(self) }
            }
        })+
    };
}

scalar_firsts! { f32 f64 }

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{FirstLanes, FloatVector, MulAdd, Vector};
    use std::arch::x86_64::*;

    macro_rules! vectors {
        ($(($vector:ident, $element:ident, $lanes:literal, $load:ident, $splat:expr, $store:ident,
            $add:ident, $sub:ident))+
        ) => {
            $(impl Vector for $vector {
                type Element = $element;
                const LANES: usize = $lanes;
                #[inline(always)]
                unsafe fn load(from: *const $element) -> $vector {
                    // SAFETY: the caller's elements.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn splat(from: *const $element) -> $vector {
                    // SAFETY: the caller's element.
                    unsafe { $splat(*from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $element) {
                    // SAFETY: the caller's elements.
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn add(self, other: $vector) -> $vector {
                    // SAFETY: the instruction set is that of the calling loop; so below.
                    unsafe { $add(self, other) }
                }
            }

            impl FloatVector for $vector {
                #[inline(always)]
                unsafe fn neg(self) -> $vector {
                    // SAFETY: see `add`. Exact for every number, zeros included.
                    unsafe { $sub($splat(-0.0), self) }
                }
            })+
        };
    }

    vectors! {
        (__m512d, f64, 8, _mm512_loadu_pd, _mm512_set1_pd, _mm512_storeu_pd, _mm512_add_pd,
            _mm512_sub_pd)
        (__m512, f32, 16, _mm512_loadu_ps, _mm512_set1_ps, _mm512_storeu_ps, _mm512_add_ps,
            _mm512_sub_ps)
        (__m256d, f64, 4, _mm256_loadu_pd, _mm256_set1_pd, _mm256_storeu_pd, _mm256_add_pd,
            _mm256_sub_pd)
        (__m256, f32, 8, _mm256_loadu_ps, _mm256_set1_ps, _mm256_storeu_ps, _mm256_add_ps,
            _mm256_sub_ps)
        (__m128d, f64, 2, _mm_loadu_pd, _mm_set1_pd, _mm_storeu_pd, _mm_add_pd, _mm_sub_pd)
        (__m128, f32, 4, _mm_loadu_ps, _mm_set1_ps, _mm_storeu_ps, _mm_add_ps, _mm_sub_ps)
    }

    macro_rules! mul_adds {
        ($(($vector:ident, $mul_add:ident))+) => {
            $(impl MulAdd for $vector {
                #[inline(always)]
                unsafe fn mul_add(self, factor: $vector, addend: $vector) -> $vector {
                    // SAFETY: see `add`.
                    unsafe { $mul_add(self, factor, addend) }
                }
            })+
        };
    }

    mul_adds! {
        (__m512d, _mm512_fmadd_pd)
        (__m512, _mm512_fmadd_ps)
        (__m256d, _mm256_fmadd_pd)
        (__m256, _mm256_fmadd_ps)
    }

    macro_rules! firsts {
        ($(($vector:ident, $first:ty, |$n:ident| $make:expr, |$from:ident, $of:ident| $load:expr, $store:expr))+) => {
            $(impl FirstLanes for $vector {
                type First = $first;
                #[inline(always)]
                unsafe fn first($n: usize) -> $first {
                    debug_assert!((1..=<$vector>::LANES).contains(&$n));
                    $make
                }
                #[inline(always)]
                unsafe fn load_first($from: *const Self::Element, $of: $first) -> $vector {
                    // SAFETY: see `add`; the caller's elements.
                    unsafe { $load }
                }
                #[inline(always)]
                unsafe fn store_first(self, to: *mut Self::Element, first: $first) {
                    // SAFETY: see `add`; the caller's elements.
                    unsafe { $store(to, first, self) }
                }
            })+
        };
    }

    /// From element 4 - n, or 8 - n, on: the first n of as many are set.
    pub(super) const FIRST_64: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
    pub(super) const FIRST_32: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

    firsts! {
        (__m512d, __mmask8, |n| ((1u32 << n) - 1) as __mmask8, |from, of| _mm512_maskz_loadu_pd(of, from), _mm512_mask_storeu_pd)
        (__m512, __mmask16, |n| ((1u32 << n) - 1) as __mmask16, |from, of| _mm512_maskz_loadu_ps(of, from), _mm512_mask_storeu_ps)
        (__m256d, __m256i, |n| {
            // SAFETY: see `add`; as many elements of the table, from its first half on.
            unsafe { _mm256_loadu_si256(FIRST_64.as_ptr().add(4 - n).cast()) }
        },
            |from, of| _mm256_maskload_pd(from, of), _mm256_maskstore_pd)
        (__m256, __m256i, |n| {
            // SAFETY: see `add`; as many elements of the table, from its first half on.
            unsafe { _mm256_loadu_si256(FIRST_32.as_ptr().add(8 - n).cast()) }
        },
            |from, of| _mm256_maskload_ps(from, of), _mm256_maskstore_ps)
    }
}

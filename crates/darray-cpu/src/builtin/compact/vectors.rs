//! Compressions of vectors of AVX-512: 64 elements of the mask are the bits of a word, and a vector takes the next of them. What a
//! vector does not hold is written over by the next one, or stays behind the last.

use crate::level::Level;
use std::arch::x86_64::*;

/// Elements of the mask in a word.
const WORD: usize = 64;

/// Whether this machine compresses so at a level.
pub(super) fn has(level: Level) -> bool {
    level == Level::Avx512 && is_x86_feature_detected!("popcnt")
}

/// The mask's elements from this one on as bits; those behind its end are zeros.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
fn word(mask: &[u8], at: usize) -> u64 {
    let left = mask.len() - at;
    let inside = if left < WORD { (1 << left) - 1 } else { u64::MAX };
    // SAFETY: elements outside the mask are not read.
    let bytes = unsafe { _mm512_maskz_loadu_epi8(inside, mask.as_ptr().add(at).cast()) };
    _mm512_test_epi8_mask(bytes, bytes)
}

/// The elements of eight bytes that a mask holds; gives how many.
///
/// # Safety
/// There are as many elements, and room for as many and a vector. This machine has the instructions: see [`has`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) unsafe fn u64s(mask: &[u8], from: *const i64, to: *mut i64) -> usize {
    let mut count = 0;
    for at in (0..mask.len()).step_by(WORD) {
        let mut bits = word(mask, at);
        let mut place = at;
        while bits != 0 {
            let some = bits as u8;
            // SAFETY: the caller's contract; elements that the mask does not hold are not read.
            unsafe {
                let held = _mm512_maskz_loadu_epi64(some, from.add(place));
                _mm512_storeu_si512(to.add(count).cast(), _mm512_maskz_compress_epi64(some, held));
            }
            count += some.count_ones() as usize;
            (bits, place) = (bits >> 8, place + 8);
        }
    }
    count
}

/// The elements of four bytes that a mask holds; gives how many.
///
/// # Safety
/// As for [`u64s`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) unsafe fn u32s(mask: &[u8], from: *const i32, to: *mut i32) -> usize {
    let mut count = 0;
    for at in (0..mask.len()).step_by(WORD) {
        let mut bits = word(mask, at);
        let mut place = at;
        while bits != 0 {
            let some = bits as u16;
            // SAFETY: the caller's contract; elements that the mask does not hold are not read.
            unsafe {
                let held = _mm512_maskz_loadu_epi32(some, from.add(place));
                _mm512_storeu_si512(to.add(count).cast(), _mm512_maskz_compress_epi32(some, held));
            }
            count += some.count_ones() as usize;
            (bits, place) = (bits >> 16, place + 16);
        }
    }
    count
}

/// The places, of which the first is `first`, that a mask holds; gives how many.
///
/// # Safety
/// There is room for as many places and a vector. This machine has the instructions: see [`has`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
pub(super) unsafe fn places(mask: &[u8], first: usize, to: *mut i64) -> usize {
    let mut count = 0;
    let steps = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for at in (0..mask.len()).step_by(WORD) {
        let mut bits = word(mask, at);
        let mut place = (first + at) as i64;
        while bits != 0 {
            let some = bits as u8;
            let all = _mm512_add_epi64(_mm512_set1_epi64(place), steps);
            // SAFETY: the caller's contract.
            unsafe {
                _mm512_storeu_si512(to.add(count).cast(), _mm512_maskz_compress_epi64(some, all));
            }
            count += some.count_ones() as usize;
            (bits, place) = (bits >> 8, place + 8);
        }
    }
    count
}

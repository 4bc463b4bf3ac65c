//! A sorting network in registers.
//!
//! ```text
//! vectors are rows:       0 5 3 7      lanes sorted    0 1 2 4     blocks of one lane joined, then of two ..
//!                         6 1 2 4                      6 5 3 7     0 1 2 3 | 4 5 6 7
//! ```
//!
//! Lanes are sorted first, vector against vector, which moves no key to another lane. Two blocks of lanes are joined by a bitonic
//! merge: of the first block in its order and the second one in reverse, keys half of all apart stand in rows that mirror each
//! other, with their lanes mirrored as well, and so they do in both halves of what is left. In the end a row is a bitonic
//! sequence.

use crate::builtin::sort::keys::Key;
use std::arch::x86_64::*;

/// Lanes of any vector, at most.
pub(super) const MOST_LANES: usize = 16;

/// A vector of keys. A mask has a bit for each lane.
///
/// # Safety
/// Functions need AVX-512 F and what can be read or written at an address.
pub(super) trait Lanes: Copy {
    type Key: Key;
    const LANES: usize;

    unsafe fn splat(key: Self::Key) -> Self;
    unsafe fn load(from: *const Self::Key) -> Self;
    /// The greatest key where the mask has no bit.
    unsafe fn load_some(from: *const Self::Key, mask: u32) -> Self;
    unsafe fn store(self, to: *mut Self::Key);
    unsafe fn store_some(self, to: *mut Self::Key, mask: u32);
    /// Where it is below.
    unsafe fn below(self, bound: Self) -> u32;
    /// The lanes of the mask, one after the other.
    unsafe fn compress(self, mask: u32) -> Self;
    unsafe fn min(self, other: Self) -> Self;
    unsafe fn max(self, other: Self) -> Self;
    /// The greater where the mask has a bit, else the less.
    unsafe fn min_max(self, other: Self, mask: u32) -> Self;
    /// Lane `i` is that of the number `i ^ TURN`.
    unsafe fn turn<const TURN: usize>(self) -> Self;
    /// The next key, unless this is the last.
    fn successor(key: Self::Key) -> Option<Self::Key>;
}

macro_rules! impl_lanes {
    ($name:ident, $key:ident, $lanes:literal, $mask:ident, $index:ident,
     [$splat:ident, $load:ident, $load_some:ident, $store:ident, $store_some:ident, $below:ident, $compress:ident,
      $min:ident, $max:ident, $max_some:ident, $permute:ident, $set:ident]) => {
        /// A vector.
        #[derive(Clone, Copy)]
        pub(in crate::builtin::sort) struct $name(__m512i);

        // SAFETY: of the blocks: the trait's contract.
        impl Lanes for $name {
            type Key = $key;
            const LANES: usize = $lanes;

            #[inline(always)]
            unsafe fn splat(key: $key) -> Self {
                // SAFETY: the trait's contract.
                $name(unsafe { $splat(key as $index) })
            }

            #[inline(always)]
            unsafe fn load(from: *const $key) -> Self {
                // SAFETY: the trait's contract.
                $name(unsafe { $load(from.cast()) })
            }

            #[inline(always)]
            unsafe fn load_some(from: *const $key, mask: u32) -> Self {
                // SAFETY: the trait's contract.
                $name(unsafe { $load_some($splat(-1), mask as $mask, from.cast()) })
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $key) {
                // SAFETY: the trait's contract.
                unsafe { $store(to.cast(), self.0) }
            }

            #[inline(always)]
            unsafe fn store_some(self, to: *mut $key, mask: u32) {
                // SAFETY: the trait's contract.
                unsafe { $store_some(to.cast(), mask as $mask, self.0) }
            }

            #[inline(always)]
            unsafe fn below(self, bound: Self) -> u32 {
                // SAFETY: the trait's contract.
                u32::from(unsafe { $below(self.0, bound.0) })
            }

            #[inline(always)]
            unsafe fn compress(self, mask: u32) -> Self {
                // SAFETY: the trait's contract.
                $name(unsafe { $compress(mask as $mask, self.0) })
            }

            #[inline(always)]
            unsafe fn min(self, other: Self) -> Self {
                // SAFETY: the trait's contract.
                $name(unsafe { $min(self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn max(self, other: Self) -> Self {
                // SAFETY: the trait's contract.
                $name(unsafe { $max(self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn min_max(self, other: Self, mask: u32) -> Self {
                // SAFETY: the trait's contract.
                let less = unsafe { $min(self.0, other.0) };
                // SAFETY: the trait's contract.
                $name(unsafe { $max_some(less, mask as $mask, self.0, other.0) })
            }

            #[inline(always)]
            unsafe fn turn<const TURN: usize>(self) -> Self {
                const {
                    assert!(TURN < 16);
                }
                // SAFETY: the trait's contract. The numbers are a constant, so the shuffle is the best one.
                $name(unsafe { $permute($set::<TURN>(), self.0) })
            }

            #[inline(always)]
            fn successor(key: $key) -> Option<$key> {
                key.checked_add(1)
            }
        }
    };
}

impl_lanes!(
    U64s,
    u64,
    8,
    __mmask8,
    i64,
    [
        _mm512_set1_epi64,
        _mm512_loadu_si512,
        _mm512_mask_loadu_epi64,
        _mm512_storeu_si512,
        _mm512_mask_storeu_epi64,
        _mm512_cmplt_epu64_mask,
        _mm512_maskz_compress_epi64,
        _mm512_min_epu64,
        _mm512_max_epu64,
        _mm512_mask_max_epu64,
        _mm512_permutexvar_epi64,
        numbers_64
    ]
);
impl_lanes!(
    U32s,
    u32,
    16,
    __mmask16,
    i32,
    [
        _mm512_set1_epi32,
        _mm512_loadu_si512,
        _mm512_mask_loadu_epi32,
        _mm512_storeu_si512,
        _mm512_mask_storeu_epi32,
        _mm512_cmplt_epu32_mask,
        _mm512_maskz_compress_epi32,
        _mm512_min_epu32,
        _mm512_max_epu32,
        _mm512_mask_max_epu32,
        _mm512_permutexvar_epi32,
        numbers_32
    ]
);

/// # Safety
/// This machine has AVX-512 F.
#[inline(always)]
unsafe fn numbers_64<const TURN: usize>() -> __m512i {
    let n = |lane: usize| (lane ^ TURN) as i64;
    // SAFETY: the caller's contract.
    unsafe { _mm512_setr_epi64(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7)) }
}

/// # Safety
/// This machine has AVX-512 F.
#[inline(always)]
#[rustfmt::skip]
unsafe fn numbers_32<const TURN: usize>() -> __m512i {
    let n = |lane: usize| (lane ^ TURN) as i32;
    // SAFETY: the caller's contract.
    unsafe {
        _mm512_setr_epi32(n(0), n(1), n(2), n(3), n(4), n(5), n(6), n(7),
                          n(8), n(9), n(10), n(11), n(12), n(13), n(14), n(15))
    }
}

/// Sorts up to sixteen vectors of keys.
///
/// # Safety
/// The keys can be read and the result written; the two are the same places or do not overlap. This machine has the
/// instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,popcnt")]
pub(super) unsafe fn sort<V: Lanes>(from: *const V::Key, n: usize, to: *mut V::Key) {
    // SAFETY: the caller's contract.
    unsafe {
        match n.div_ceil(V::LANES) {
            0 => {}
            1 => vectors::<V, 1>(from, n, to),
            2 => vectors::<V, 2>(from, n, to),
            3 | 4 => vectors::<V, 4>(from, n, to),
            5..=8 => vectors::<V, 8>(from, n, to),
            _ => vectors::<V, 16>(from, n, to),
        }
    }
}

/// # Safety
/// As for [`sort`], with at most `N` vectors.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,popcnt")]
unsafe fn vectors<V: Lanes, const N: usize>(from: *const V::Key, n: usize, to: *mut V::Key) {
    // Lanes of vector `k` that hold keys.
    let mask = |k: usize| ((1u64 << n.saturating_sub(k * V::LANES).min(V::LANES)) - 1) as u32;
    // SAFETY: the caller's contract; the masks leave out what is no key.
    unsafe {
        let mut keys = [V::splat(V::Key::MAX); N];
        for (k, keys) in keys.iter_mut().enumerate() {
            *keys = V::load_some(from.wrapping_add(k * V::LANES), mask(k));
        }
        sort_columns(&mut keys);
        join::<V, N, 1>(&mut keys);
        join::<V, N, 3>(&mut keys);
        join::<V, N, 7>(&mut keys);
        if V::LANES == 16 {
            join::<V, N, 15>(&mut keys);
        }
        for (k, keys) in keys.iter().enumerate() {
            keys.store_some(to.wrapping_add(k * V::LANES), mask(k));
        }
    }
}

/// Puts the lesser keys of vectors in the first one of each pair.
macro_rules! compare {
    ($keys:ident: $($a:literal $b:literal),+) => {
        {
            $(($keys[$a], $keys[$b]) = ($keys[$a].min($keys[$b]), $keys[$a].max($keys[$b]));)+
        }
    };
}

/// Sorts the keys of each lane, by the networks with the fewest comparisons that are known (16: Green 1969).
///
/// # Safety
/// This machine has the instructions.
#[inline(always)]
unsafe fn sort_columns<V: Lanes, const N: usize>(keys: &mut [V; N]) {
    // SAFETY: the caller's contract.
    unsafe {
        match N {
            2 => compare!(keys: 0 1),
            4 => compare!(keys: 0 1, 2 3, 0 2, 1 3, 1 2),
            8 => compare!(
                keys: 0 1, 2 3, 4 5, 6 7, 0 2, 1 3, 4 6, 5 7, 1 2, 5 6, 0 4, 3 7, 1 5, 2 6, 1 4, 3 6, 2 4, 3 5, 3 4
            ),
            16 => compare!(
                keys: 0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15, 0 2, 4 6, 8 10, 12 14, 1 3, 5 7, 9 11, 13 15,
                0 4, 8 12, 1 5, 9 13, 2 6, 10 14, 3 7, 11 15, 0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15,
                5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2, 1 4, 7 13, 2 8, 11 14, 2 4, 5 6, 9 10, 11 13, 3 8, 7 12,
                6 8, 10 12, 3 5, 7 9, 3 4, 5 6, 7 8, 9 10, 11 12, 6 7, 8 9
            ),
            _ => {}
        }
    }
}

/// Joins blocks of lanes in pairs, which have `TURN + 1` lanes together; in each block keys ascend row by row, a vector being a
/// row.
///
/// # Safety
/// This machine has the instructions.
#[inline(always)]
unsafe fn join<V: Lanes, const N: usize, const TURN: usize>(keys: &mut [V; N]) {
    // SAFETY: the caller's contract.
    unsafe {
        if N >= 16 {
            exchange::<V, N, 16, TURN>(keys);
        }
        if N >= 8 {
            exchange::<V, N, 8, TURN>(keys);
        }
        if N >= 4 {
            exchange::<V, N, 4, TURN>(keys);
        }
        if N >= 2 {
            exchange::<V, N, 2, TURN>(keys);
        }
        for keys in keys {
            *keys = match TURN {
                1 => step::<V, 1>(*keys),
                3 => step::<V, 1>(step::<V, 3>(*keys)),
                7 => step::<V, 1>(step::<V, 2>(step::<V, 7>(*keys))),
                _ => step::<V, 1>(step::<V, 2>(step::<V, 4>(step::<V, 15>(*keys)))),
            };
        }
    }
}

/// Compares the keys of each group of `ROWS` vectors, the first with the last, with their lanes turned round, the second with the
/// one before the last and so on: of two joined blocks these are the keys half of all apart.
///
/// # Safety
/// This machine has the instructions.
#[inline(always)]
unsafe fn exchange<V: Lanes, const N: usize, const ROWS: usize, const TURN: usize>(
    keys: &mut [V; N],
) {
    for group in 0..N / ROWS {
        for row in 0..ROWS / 2 {
            let (first, last) = (group * ROWS + row, (group + 1) * ROWS - 1 - row);
            // SAFETY: the caller's contract.
            unsafe {
                let (a, b) = (keys[first], keys[last].turn::<TURN>());
                (keys[first], keys[last]) = (a.min(b), a.max(b));
            }
        }
    }
}

/// Compares lanes whose numbers differ in the bits of `TURN`.
///
/// # Safety
/// This machine has the instructions.
#[inline(always)]
unsafe fn step<V: Lanes, const TURN: usize>(keys: V) -> V {
    let top = 1 << TURN.ilog2();
    let upper = match top {
        1 => 0xaaaa,
        2 => 0xcccc,
        4 => 0xf0f0,
        _ => 0xff00,
    };
    // SAFETY: the caller's contract.
    unsafe { keys.min_max(keys.turn::<TURN>(), upper) }
}

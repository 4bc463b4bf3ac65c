//! Quicksort in vectors of AVX-512.
//!
//! A vector is compared with the pivot at once; its keys below go to the front of the result, the others to the front
//! of a spare place, by two compressions. Neither overtakes the reading, so keys lie in one of the two places at any
//! time and none is moved twice in a pass:
//!
//! ```text
//! from (to or spare)   -> to    [below   |            ]
//!                      -> spare [others |             ]   sorted first, into the rest of `to`
//! ```
//!
//! What fits in sixteen vectors is sorted in registers by a bitonic network (Batcher 1968). Keys that are equal to the
//! least possible one go in one pass, so few values cost few passes; when pivots are bad too often, digits go on.

mod network;

use super::keys::Key;
use super::radix;
use crate::level::Level;
use network::{Lanes, U32s, U64s};

/// Vectors that are sorted in registers.
const VECTORS: usize = 16;

/// Keys from which on a pivot is the middle of several vectors, not of one.
const LARGE: usize = 2048;

/// So many.
const SAMPLE: usize = 8;

/// Whether this machine sorts so at a level.
pub(super) fn has(level: Level) -> bool {
    level == Level::Avx512 && is_x86_feature_detected!("popcnt")
}

/// Sorts keys of 32 or 64 bits. `spare` is as long as they are.
///
/// # Safety
/// This machine has the instructions: see [`has`].
pub(super) unsafe fn sort<T: Key>(keys: &mut [T], spare: &mut [T]) {
    let depth = 8 + 3 * keys.len().max(1).ilog2();
    // SAFETY: the caller's contract; a `T` of that many bits is that integer.
    unsafe { sort_to_depth(keys, spare, depth) }
}

/// Puts keys apart by bounds: see [`divide`](super::order::divide). `to` and `spare` are as long as the keys.
///
/// # Safety
/// As for [`sort`].
pub(super) unsafe fn divide<T: Key>(
    from: &[T],
    bounds: &[T],
    to: &mut [T],
    spare: &mut [T],
) -> Vec<usize> {
    assert!(to.len() == from.len() && spare.len() >= from.len());
    let (keys, n, to, spare) = (from.as_ptr(), from.len(), to.as_mut_ptr(), spare.as_mut_ptr());
    // SAFETY: the caller's contract; a `T` of so many bits is that integer; all places have the length.
    unsafe {
        match T::BITS {
            32 => divide_by::<U32s>(keys.cast(), n, slice(bounds), to.cast(), spare.cast()),
            64 => divide_by::<U64s>(keys.cast(), n, slice(bounds), to.cast(), spare.cast()),
            bits => unreachable!("keys of {bits} bits"),
        }
    }
}

/// # Safety
/// A `T` is a `K`.
unsafe fn slice<T, K>(keys: &[T]) -> &[K] {
    // SAFETY: the caller's contract.
    unsafe { std::slice::from_raw_parts(keys.as_ptr().cast(), keys.len()) }
}

/// # Safety
/// The keys can be read; `to` and `spare` have place for them, and none overlap. This machine has the instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,popcnt")]
unsafe fn divide_by<V: Lanes>(
    mut from: *const V::Key,
    n: usize,
    bounds: &[V::Key],
    to: *mut V::Key,
    spare: *mut V::Key,
) -> Vec<usize> {
    let mut begins = vec![0];
    let mut at = 0;
    // SAFETY: the caller's contract; what is left of the keys after the first bound lies in the spare place.
    unsafe {
        for &bound in bounds {
            at += partition::<V>(from, n - at, to.add(at), spare, bound);
            begins.push(at);
            from = spare;
        }
        std::ptr::copy_nonoverlapping(from, to.add(at), n - at);
    }
    begins.push(n);
    begins
}

/// The same with so many passes over a key, then by digits.
///
/// # Safety
/// As for [`sort`].
unsafe fn sort_to_depth<T: Key>(keys: &mut [T], spare: &mut [T], depth: u32) {
    assert!(spare.len() >= keys.len());
    let (n, to, spare) = (keys.len(), keys.as_mut_ptr(), spare.as_mut_ptr());
    // SAFETY: the caller's contract; a `T` of so many bits is that integer; both places have the length.
    unsafe {
        match T::BITS {
            32 => part::<U32s>(to.cast(), n, to.cast(), spare.cast(), None, depth),
            64 => part::<U64s>(to.cast(), n, to.cast(), spare.cast(), None, depth),
            bits => unreachable!("keys of {bits} bits"),
        }
    }
}

/// Sorts `n` keys, none below `floor`, from `from`, which is `to` or `spare`, into `to`.
///
/// # Safety
/// `to` and `spare` do not overlap and have place for the keys. This machine has the instructions.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,popcnt")]
unsafe fn part<V: Lanes>(
    mut from: *mut V::Key,
    mut n: usize,
    mut to: *mut V::Key,
    spare: *mut V::Key,
    floor: Option<V::Key>,
    mut depth: u32,
) {
    // SAFETY: the caller's contract, and what `partition` says of its two sides.
    unsafe {
        while n > VECTORS * V::LANES {
            if depth == 0 {
                return by_digits(from, n, to, spare);
            }
            depth -= 1;
            let pivot = pivot::<V>(from, n);
            if floor == Some(pivot) {
                // None is below: those that are equal have their places.
                let Some(bound) = V::successor(pivot) else {
                    return std::ptr::copy(from, to, n);
                };
                let equal = partition::<V>(from, n, to, spare, bound);
                (from, n, to) = (spare, n - equal, to.add(equal));
                continue;
            }
            let below = partition::<V>(from, n, to, spare, pivot);
            // The spare place holds the others: it is free for those below when they are sorted.
            part::<V>(spare, n - below, to.add(below), spare, Some(pivot), depth);
            (from, n) = (to, below);
        }
        network::sort::<V>(from, n, to);
    }
}

/// # Safety
/// As for [`part`].
#[cold]
unsafe fn by_digits<T: Key>(from: *mut T, n: usize, to: *mut T, spare: *mut T) {
    // SAFETY: the caller's contract.
    unsafe {
        std::ptr::copy(from, to, n);
        let (keys, spare) =
            (std::slice::from_raw_parts_mut(to, n), std::slice::from_raw_parts_mut(spare, n));
        radix::sort(keys, spare, 0);
    }
}

/// The middle of some of the keys.
///
/// # Safety
/// The keys can be read, and there are at least a block of the network. This machine has the instructions.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,popcnt")]
unsafe fn pivot<V: Lanes>(from: *const V::Key, n: usize) -> V::Key {
    let count = if n < LARGE { V::LANES } else { SAMPLE * V::LANES };
    let mut some = [V::Key::default(); SAMPLE * network::MOST_LANES];
    let step = n / count;
    for (k, key) in some[..count].iter_mut().enumerate() {
        // SAFETY: one of the keys.
        *key = unsafe { from.add(k * step + step / 2).read() };
    }
    let some = some.as_mut_ptr();
    // SAFETY: an array of so many keys.
    unsafe {
        network::sort::<V>(some, count, some);
        some.add(count / 2).read()
    }
}

/// Moves keys below the bound to the front of `to` and the others to that of `spare`; gives how many are below.
///
/// # Safety
/// As for [`part`].
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2,popcnt")]
unsafe fn partition<V: Lanes>(
    from: *const V::Key,
    n: usize,
    to: *mut V::Key,
    spare: *mut V::Key,
    bound: V::Key,
) -> usize {
    let whole = n / V::LANES * V::LANES;
    let (mut low, mut high) = (to, spare);
    // SAFETY: a whole vector is written at most as far behind the front as keys were read, so it ends inside the keys
    // that were read; of the last, partial one only the keys are written.
    unsafe {
        let bound = V::splat(bound);
        for at in (0..whole).step_by(V::LANES) {
            let keys = V::load(from.add(at));
            let below = keys.below(bound);
            keys.compress(below).store(low);
            keys.compress(!below).store(high);
            let count = below.count_ones() as usize;
            (low, high) = (low.add(count), high.add(V::LANES - count));
        }
        let rest = (1u32 << (n - whole)) - 1;
        let keys = V::load_some(from.add(whole), rest);
        let below = keys.below(bound) & rest;
        keys.compress(below).store_some(low, (1 << below.count_ones()) - 1);
        let others = !below & rest;
        keys.compress(others).store_some(high, (1 << others.count_ones()) - 1);
        low.add(below.count_ones() as usize).offset_from_unsigned(to)
    }
}

#[cfg(test)]
mod tests {
    use super::{has, sort_to_depth};
    use crate::builtin::sort::keys::Key;
    use crate::builtin::sort::order::tests::{LENGTHS, kinds};
    use crate::level::Level;

    fn sorts<T: Key + std::fmt::Debug>(of: impl Fn(u64) -> T) {
        for n in (0..300).chain(LENGTHS) {
            for (kind, keys) in kinds(n).into_iter().enumerate() {
                let keys: Vec<T> = keys.into_iter().map(&of).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                // Without a pass, after a few, and never by digits.
                for depth in [0, 1, 3, u32::MAX] {
                    let (mut found, mut spare) = (keys.clone(), keys.clone());
                    // SAFETY: asked before.
                    unsafe { sort_to_depth(&mut found, &mut spare, depth) };
                    assert_eq!(found, expected, "{n} of kind {kind}, {depth} passes");
                }
            }
        }
    }

    #[test]
    fn vectors_sort_keys_of_32_and_64_bits() {
        if has(Level::detect()) {
            sorts(|key| key);
            sorts(|key| (key >> 32) as u32);
        }
    }
}

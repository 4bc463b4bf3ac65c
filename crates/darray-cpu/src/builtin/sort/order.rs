//! By which algorithm keys are sorted.

use super::keys::Key;
#[cfg(target_arch = "x86_64")]
use super::quick;
use super::radix;
use crate::level::Level;
use crate::memory::Scratch;

/// An algorithm that sorts keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Algorithm {
    /// Of one byte: by their counts.
    Counts,
    /// In vectors.
    #[cfg(target_arch = "x86_64")]
    Quick,
    /// By the standard library.
    Comparisons,
    /// Digit by digit.
    Radix,
}

impl Algorithm {
    /// That for so many keys.
    pub fn of<T: Key>(n: usize, #[allow(unused_variables)] level: Level) -> Algorithm {
        match T::BITS {
            8 => Algorithm::Counts,
            #[cfg(target_arch = "x86_64")]
            32 | 64 if quick::has(level) => Algorithm::Quick,
            // A pass over as many counters as a digit has is paid for by this many keys a digit.
            bits if n < 48 * bits as usize => Algorithm::Comparisons,
            _ => Algorithm::Radix,
        }
    }
}

/// Sorts keys that are in order already as far as they share the bits from `low` on.
pub(super) fn sort<T: Key>(keys: &mut [T], spare: &mut Scratch<T>, low: u32, level: Level) {
    let n = keys.len();
    match Algorithm::of::<T>(n, level) {
        Algorithm::Counts => radix::count(keys),
        // SAFETY: this machine has the level.
        #[cfg(target_arch = "x86_64")]
        Algorithm::Quick => unsafe { quick::sort(keys, spare.reserve(n)) },
        Algorithm::Comparisons => keys.sort_unstable(),
        Algorithm::Radix => {
            radix::sort(keys, spare.reserve(n), low);
        }
    }
}

/// Puts keys apart by bounds, which ascend: those below the first one, then those below the second one and so on, of each the
/// keys in their order. Gives where each begins and the last one ends.
pub(super) fn divide<T: Key>(
    from: &[T],
    bounds: &[T],
    to: &mut [T],
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))] spare: &mut Scratch<T>,
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))] level: Level,
) -> Vec<usize> {
    #[cfg(target_arch = "x86_64")]
    if T::BITS >= 32 && quick::has(level) {
        // SAFETY: this machine has the level.
        return unsafe { quick::divide(from, bounds, to, spare.reserve(from.len())) };
    }
    let bucket = |key: T| bounds.iter().filter(|&&bound| bound <= key).count();
    let mut begins = vec![0; bounds.len() + 2];
    from.iter().for_each(|&key| begins[bucket(key) + 1] += 1);
    (1..begins.len()).for_each(|k| begins[k] += begins[k - 1]);
    let mut next = begins.clone();
    for &key in from {
        let at = &mut next[bucket(key)];
        to[*at] = key;
        *at += 1;
    }
    begins
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Algorithm, divide, sort};
    use crate::builtin::sort::{keys::Key, radix};
    use crate::level::Level;
    use crate::memory::Scratch;
    use darray_kernel::random::Pcg64;

    /// Lengths around what is sorted in registers, a larger sample, and the first digits.
    pub const LENGTHS: [usize; 9] = [511, 513, 1535, 1537, 2047, 2049, 3071, 3073, 20_000];

    /// Keys of any value, few values, one value, ascending, descending, and the greatest among others.
    pub fn kinds(n: usize) -> Vec<Vec<u64>> {
        let mut stream = Pcg64::from_seed(n as u64);
        let any: Vec<u64> = (0..n).map(|_| stream.next_u64()).collect();
        let few = any.iter().map(|key| (key % 3) << 40).collect();
        let greatest = any.iter().map(|key| if key % 2 == 0 { u64::MAX } else { *key }).collect();
        let mut ascending = any.clone();
        ascending.sort_unstable();
        let descending = ascending.iter().rev().copied().collect();
        vec![any, few, vec![u64::MAX; n], vec![7; n], ascending, descending, greatest]
    }

    fn sorts<T: Key + std::fmt::Debug>(of: impl Fn(u64) -> T) {
        for n in [0, 1, 2, 100].into_iter().chain(LENGTHS) {
            for keys in kinds(n) {
                let keys: Vec<T> = keys.into_iter().map(&of).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                let mut found = keys.clone();
                radix::sort(&mut found, &mut keys.clone(), 0);
                assert_eq!(found, expected, "by digits");
                for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
                    let mut found = keys.clone();
                    sort(&mut found, &mut Scratch::default(), 0, level);
                    assert_eq!(found, expected, "{level}");
                }
            }
        }
    }

    #[test]
    fn keys_of_every_size_are_sorted() {
        sorts(|key| key);
        sorts(|key| (key >> 32) as u32);
        sorts(|key| (key >> 48) as u16);
        sorts(|key| (key >> 56) as u8);
    }

    fn divides<T: Key + std::fmt::Debug>(of: impl Fn(u64) -> T) {
        for n in [0, 1, 2, 100].into_iter().chain(LENGTHS) {
            for keys in kinds(n) {
                let keys: Vec<T> = keys.into_iter().map(&of).collect();
                let mut bounds: Vec<T> = keys.iter().step_by(n / 5 + 1).copied().collect();
                bounds.sort_unstable();
                let mut expected: Vec<Vec<T>> = vec![Vec::new(); bounds.len() + 1];
                let bucket = |key: &T| bounds.partition_point(|bound| bound <= key);
                keys.iter().for_each(|key| expected[bucket(key)].push(*key));
                for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
                    let mut found = vec![T::default(); n];
                    let begins = divide(&keys, &bounds, &mut found, &mut Scratch::default(), level);
                    let found: Vec<_> = begins.windows(2).map(|b| &found[b[0]..b[1]]).collect();
                    assert_eq!(found, expected, "{level}");
                }
            }
        }
    }

    #[test]
    fn keys_are_put_apart_in_their_order() {
        divides(|key| key);
        divides(|key| (key >> 32) as u32);
        divides(|key| (key >> 48) as u16);
    }

    #[test]
    fn length_and_level_decide_the_way() {
        let level = Level::Avx2;
        assert_eq!(
            [1535, 1536].map(|n| Algorithm::of::<u32>(n, level)),
            [Algorithm::Comparisons, Algorithm::Radix]
        );
        assert_eq!(
            [3071, 3072].map(|n| Algorithm::of::<u64>(n, level)),
            [Algorithm::Comparisons, Algorithm::Radix]
        );
        assert_eq!(Algorithm::of::<u8>(1, level), Algorithm::Counts);
        assert_eq!(Algorithm::of::<u16>(768, Level::Avx512), Algorithm::Radix);
        #[cfg(target_arch = "x86_64")]
        if Level::detect() == Level::Avx512 {
            assert_eq!(Algorithm::of::<u32>(1, Level::Avx512), Algorithm::Quick);
            assert_eq!(Algorithm::of::<u64>(1 << 20, Level::Avx512), Algorithm::Quick);
        }
    }

    #[test]
    fn digits_that_keys_share_cost_no_pass() {
        let mut keys: Vec<u64> = (0..5000).map(|k| (k * 37 % 1000) << 8 | 3 << 50).collect();
        let mut spare = keys.clone();
        assert_eq!(radix::sort(&mut keys, &mut spare, 0), 2);
        assert!(keys.is_sorted());
    }

    #[test]
    fn digits_leave_equal_keys_in_order() {
        let mut keys: Vec<u32> = (0..5000).map(|k| (k * 7919 % 251) << 16 | k).collect();
        let mut spare = keys.clone();
        assert_eq!(radix::sort(&mut keys, &mut spare, 16), 1);
        assert!(keys.is_sorted());
    }
}

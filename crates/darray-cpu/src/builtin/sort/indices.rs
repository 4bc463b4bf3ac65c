//! The order of keys, as indices.

use super::keys::Key;
use super::order;
use crate::level::Level;

/// Puts the indices of keys, equal ones in order, into `indices`.
///
/// A word of 64 bits has an index below as many bits of a key as there is room for, of those in which keys differ.
/// Words are sorted as numbers: no two are equal, and of equal keys the first comes first.
///
/// ```text
/// key    shared | bits in the word | bits left over
/// word            bits in the word | index
/// ```
///
/// Where bits of keys are left over, those whose words agree but for the index are sorted again by them.
pub(super) fn sort<T: Key>(
    keys: &[T],
    differ: T,
    indices: &mut [u64],
    spare: &mut Vec<u64>,
    level: Level,
) {
    let bits = 64 - differ.to_u64().leading_zeros();
    for (index, word) in indices.iter_mut().enumerate() {
        *word = index as u64;
    }
    let index_bits = 64 - (keys.len() as u64).leading_zeros();
    Words { keys, index_bits, level }.sort(indices, bits, spare);
    let mask = (1 << index_bits) - 1;
    indices.iter_mut().for_each(|word| *word &= mask);
}

struct Words<'k, T> {
    keys: &'k [T],
    index_bits: u32,
    level: Level,
}

impl<T: Key> Words<'_, T> {
    /// Sorts indices, which ascend, by the lowest bits of their keys. Leaves bits of keys above the indices.
    fn sort(&self, words: &mut [u64], bits: u32, spare: &mut Vec<u64>) {
        let left = bits.saturating_sub(64 - self.index_bits);
        let mut differ = 0;
        let first = self.word(words[0], left);
        for word in words.iter_mut() {
            *word = self.word(*word, left);
            differ |= *word ^ first;
        }
        if differ >> self.index_bits != 0 {
            order::sort(words, spare, self.index_bits, self.level);
        }
        if left > 0 {
            for run in words.chunk_by_mut(|a, b| (a ^ b) >> self.index_bits == 0) {
                if run.len() > 1 {
                    let mask = (1 << self.index_bits) - 1;
                    run.iter_mut().for_each(|word| *word &= mask);
                    self.sort(run, left, spare);
                }
            }
        }
    }

    /// The word of an index, without so many of its key's last bits.
    fn word(&self, index: u64, left: u32) -> u64 {
        let key = self.keys[index as usize].to_u64() >> left;
        key << self.index_bits | index
    }
}

#[cfg(test)]
mod tests {
    use super::sort;
    use crate::builtin::sort::keys::Key;
    use crate::builtin::sort::order::tests::{LENGTHS, kinds};
    use crate::level::Level;

    fn sorts<T: Key>(of: impl Fn(u64) -> T) {
        for n in [1, 2, 3, 64, 100].into_iter().chain(LENGTHS) {
            for (kind, keys) in kinds(n).into_iter().enumerate() {
                let keys: Vec<T> = keys.into_iter().map(&of).collect();
                let differ = keys.iter().fold(T::default(), |all, &key| all | (key ^ keys[0]));
                let mut expected: Vec<u64> = (0..n as u64).collect();
                expected.sort_by_key(|&index| keys[index as usize]);
                for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
                    let mut found = vec![0; n];
                    sort(&keys, differ, &mut found, &mut Vec::new(), level);
                    assert!(found == expected, "{n} of kind {kind}, {level}");
                }
            }
        }
    }

    #[test]
    fn the_order_is_stable() {
        sorts(|key| key);
        // Words agree but for the bits left over, of few values or many.
        sorts(|key| (key % 5) | ((key >> 63) << 63));
        sorts(|key| (key % 1021) | ((key >> 62) << 62));
        sorts(|key| (key >> 32) as u32);
        sorts(|key| (key >> 56) as u8);
    }
}

//! The order of keys, as indices.

use super::keys::Key;
use super::order;
use crate::level::Level;
use crate::memory::Scratch;
use std::ops::Range;

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
    spare: &mut Scratch<u64>,
    level: Level,
) {
    let words = Words::new(keys, differ, level);
    words.put(0..keys.len(), indices);
    words.sort(indices, spare);
}

/// The words of keys.
pub(super) struct Words<'k, T> {
    keys: &'k [T],
    /// Bits of a word that are an index.
    index_bits: u32,
    /// The last bits of keys that are not in their words.
    left: u32,
    level: Level,
}

impl<'k, T: Key> Words<'k, T> {
    /// Those of keys that differ in these bits.
    pub fn new(keys: &'k [T], differ: T, level: Level) -> Words<'k, T> {
        let index_bits = 64 - (keys.len() as u64).leading_zeros();
        let bits = 64 - differ.to_u64().leading_zeros();
        Words { keys, index_bits, left: bits.saturating_sub(64 - index_bits), level }
    }

    /// Puts those of some keys into `to`.
    pub fn put(&self, range: Range<usize>, to: &mut [u64]) {
        for (index, to) in range.zip(to) {
            *to = self.word(index as u64);
        }
    }

    /// The least word that a key may have.
    pub fn least(&self, key: T) -> u64 {
        (key.to_u64() >> self.left) << self.index_bits
    }

    /// Puts words, of which equal ones but for the index are together, in order, and leaves their indices.
    pub fn sort(&self, words: &mut [u64], spare: &mut Scratch<u64>) {
        self.sort_keys(words, spare);
        self.strip(words);
    }

    /// The same without [`strip`](Self::strip).
    fn sort_keys(&self, words: &mut [u64], spare: &mut Scratch<u64>) {
        let first = words.first().copied().unwrap_or_default();
        let differ = words.iter().fold(0, |differ, word| differ | (word ^ first));
        if differ >> self.index_bits != 0 {
            order::sort(words, spare, self.index_bits, self.level);
        }
        if self.left > 0 {
            let rest = Words { left: self.left.saturating_sub(64 - self.index_bits), ..*self };
            for run in words.chunk_by_mut(|a, b| (a ^ b) >> self.index_bits == 0) {
                if run.len() > 1 {
                    self.strip(run);
                    run.iter_mut().for_each(|word| *word = rest.word(*word));
                    rest.sort_keys(run, spare);
                }
            }
        }
    }

    /// Leaves the indices of words.
    fn strip(&self, words: &mut [u64]) {
        let mask = (1 << self.index_bits) - 1;
        words.iter_mut().for_each(|word| *word &= mask);
    }

    /// The word of an index.
    fn word(&self, index: u64) -> u64 {
        self.least(self.keys[index as usize]) | index
    }
}

#[cfg(test)]
mod tests {
    use super::sort;
    use crate::builtin::sort::keys::Key;
    use crate::builtin::sort::order::tests::{LENGTHS, kinds};
    use crate::level::Level;
    use crate::memory::Scratch;

    fn sorts<T: Key>(of: impl Fn(u64) -> T) {
        for n in [1, 2, 3, 64, 100].into_iter().chain(LENGTHS) {
            for (kind, keys) in kinds(n).into_iter().enumerate() {
                let keys: Vec<T> = keys.into_iter().map(&of).collect();
                let differ = keys.iter().fold(T::default(), |all, &key| all | (key ^ keys[0]));
                let mut expected: Vec<u64> = (0..n as u64).collect();
                expected.sort_by_key(|&index| keys[index as usize]);
                for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
                    let mut found = vec![0; n];
                    sort(&keys, differ, &mut found, &mut Scratch::default(), level);
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

//! A hash that is the same in every process.

use std::hash::{Hash, Hasher};

/// Words in four sums, none of which waits for another.
pub(crate) fn hash_of_words(words: &[u64]) -> u64 {
    let (fours, rest) = words.as_chunks::<4>();
    let mut sums = [0, 1, 2, 3];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sum, &word)| *sum = mix(*sum, word));
    }
    sums.iter().chain(rest).fold(words.len() as u64, |hash, &word| mix(hash, word))
}

#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

struct MixHasher(u64);

impl Hasher for MixHasher {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = mix(self.0, b as u64);
        }
    }
    fn write_u8(&mut self, v: u8) {
        self.0 = mix(self.0, v as u64);
    }
    fn write_u16(&mut self, v: u16) {
        self.0 = mix(self.0, v as u64);
    }
    fn write_u32(&mut self, v: u32) {
        self.0 = mix(self.0, v as u64);
    }
    fn write_u64(&mut self, v: u64) {
        self.0 = mix(self.0, v);
    }
    fn write_isize(&mut self, v: isize) {
        self.0 = mix(self.0, v as u64);
    }
    fn write_i64(&mut self, v: i64) {
        self.0 = mix(self.0, v as u64);
    }
    fn write_usize(&mut self, v: usize) {
        self.0 = mix(self.0, v as u64);
    }
}

/// The hash of a value, the same in every process.
#[inline]
pub fn hash_of<T: Hash>(value: &T) -> u64 {
    let mut hasher = MixHasher(0);
    value.hash(&mut hasher);
    hasher.finish()
}

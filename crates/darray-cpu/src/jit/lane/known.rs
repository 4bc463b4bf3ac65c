//! Values by what they are.

use super::{Node, Value};
use std::hash::{Hash, Hasher};

/// Values, found by a hash and a comparison: a table that is searched from the hash on.
#[derive(Default)]
pub(in crate::jit) struct Known {
    /// Hashes and values; at least half of them are [`EMPTY`].
    slots: Vec<(u32, Value)>,
    count: usize,
}

const EMPTY: (u32, Value) = (0, Value::MAX);

impl Known {
    /// Without values; about so many will be added.
    pub fn new(about: usize) -> Known {
        Known { slots: vec![EMPTY; (2 * about).next_power_of_two()], count: 0 }
    }

    /// The value with this hash that is the same, or else `next`, which is added.
    #[inline]
    pub fn find(&mut self, hash: u32, same: impl Fn(Value) -> bool, next: Value) -> Value {
        if 2 * self.count >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                self.slots[at] = (hash, next);
                self.count += 1;
                return next;
            }
            if slot.0 == hash && same(slot.1) {
                return slot.1;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let mut larger = Known::new(self.slots.len().max(16));
        for &(hash, value) in self.slots.iter().filter(|slot| **slot != EMPTY) {
            larger.find(hash, |_| false, value);
        }
        *self = larger;
    }
}

impl Node {
    #[inline]
    pub fn hash(&self) -> u32 {
        let mut mixer = Mixer { sum: 0, factor: FACTOR };
        (self.op, self.lane as u8).hash(&mut mixer);
        let [a, b, c, d] = self.args.values.map(u64::from);
        mixer.write_u64(a << 32 | b);
        mixer.write_u64(c << 32 | d);
        mixer.finish() as u32
    }
}

/// The hash of a number.
#[inline]
pub(in crate::jit) fn hash_of(number: u64) -> u32 {
    let mut mixer = Mixer { sum: 0, factor: FACTOR };
    mixer.write_u64(number);
    mixer.finish() as u32
}

/// Mixes a few numbers: the sum of their products, none of which waits for another.
struct Mixer {
    sum: u64,
    factor: u64,
}

/// An odd number with about as many ones as zeros.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for Mixer {
    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.sum = self.sum.wrapping_add(number.wrapping_mul(self.factor));
        self.factor = self.factor.rotate_left(23);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        // The upper bits are the good ones.
        (self.sum ^ self.sum >> 29).wrapping_mul(FACTOR) >> 32
    }
}

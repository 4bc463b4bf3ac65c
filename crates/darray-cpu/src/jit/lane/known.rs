//! Values by what they are.

use super::Value;

/// Values, found by a hash and a comparison: a table that is searched from the hash on.
#[derive(Default)]
pub(super) struct Known {
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

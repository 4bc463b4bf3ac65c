//! Register numbers, used again after they are freed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Hands out the lowest free register.
#[derive(Debug, Default)]
pub(super) struct Registers {
    free: BinaryHeap<Reverse<u16>>,
    count: u16,
}

impl Registers {
    pub fn take(&mut self) -> u16 {
        self.free.pop().map_or_else(
            || {
                self.count += 1;
                self.count - 1
            },
            |Reverse(register)| register,
        )
    }

    pub fn free(&mut self, register: u16) {
        self.free.push(Reverse(register));
    }

    /// How many were ever in use at once.
    pub fn count(&self) -> u16 {
        self.count
    }
}

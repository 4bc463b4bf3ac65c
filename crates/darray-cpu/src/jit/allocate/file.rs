//! What the registers of a kind hold.

use super::super::lane::Value;

/// Registers as bits.
pub(super) type Registers = u32;

/// What registers of a kind hold, at most 32.
#[derive(Default)]
pub(super) struct File {
    held: [Value; 32],
    /// Those that hold something.
    pub used: Registers,
}

impl File {
    #[inline]
    pub fn hold(&mut self, register: u8, value: Value) {
        self.held[usize::from(register & 31)] = value;
        self.used |= 1 << register;
    }

    #[inline]
    pub fn value(&self, register: u8) -> Value {
        self.held[usize::from(register & 31)]
    }

    #[inline]
    pub fn free(&mut self, register: u8) {
        self.used &= !(1 << register);
    }

    /// Those among some whose values are used last; `next_use` says when one is.
    #[inline]
    pub fn furthest(&self, among: Registers, next_use: impl Fn(Value) -> Value) -> Registers {
        let (mut left, mut last, mut furthest) = (among, 0, 0);
        while left != 0 {
            let register = left.trailing_zeros();
            left &= left - 1;
            let next = next_use(self.held[register as usize]);
            let others = if next > last { 0 } else { furthest };
            furthest = if next >= last { others | 1 << register } else { furthest };
            last = last.max(next);
        }
        furthest
    }
}

/// Registers of a list by number.
pub(super) fn set(registers: &[u8]) -> Registers {
    registers.iter().fold(0, |set, register| set | 1 << register)
}

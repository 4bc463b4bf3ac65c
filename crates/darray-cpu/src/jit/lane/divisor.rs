//! What divisions by an integer that all elements of a row are divided by need.

use super::Lane;

/// Made once for a row of an integer that all its elements are divided by, so that nothing is divided for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::jit) enum Divisor {
    /// 1 by it, larger by less than 2^-49 of it; 0 where it is 0.
    Inverse,
    /// The nearest F32 to 1 by it; 0 where it is 0.
    Single,
    /// Of 64 bits, whose size `d` is greater than `2^s` and at most `2^(s + 1)`: the least `m` with `m d >= 2^(64 + s)`. 0 where `d`
    /// is 0 or 1.
    Multiplier,
    /// That `s`; 0 where `d` is 0 or 1.
    Shift,
}

impl Divisor {
    /// Of the value.
    pub fn lane(self) -> Lane {
        match self {
            Divisor::Inverse => Lane::F64,
            Divisor::Single => Lane::F32,
            Divisor::Multiplier | Divisor::Shift => Lane::I64,
        }
    }
}

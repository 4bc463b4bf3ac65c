//! What divisions by an integer that all elements of a row are divided by need.

use super::Lane;
use darray_core::DType;

/// Made once for a row of an integer that all its elements are divided by, so that nothing is divided for an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::jit) enum Divisor {
    /// 1 by it, larger by less than 2^-49 of it; 0 where it is 0. F64; of integers of 8 bits F32, the nearest one.
    Inverse,
    /// Of 64 bits, whose size `d` is greater than `2^s` and at most `2^(s + 1)`: the least `m` with `m d >= 2^(64 + s)`. 0 where `d`
    /// is 0 or 1.
    Multiplier,
    /// That `s`; 0 where `d` is 0 or 1.
    Shift,
}

impl Divisor {
    /// The floats in which integers of up to 32 bits are divided: so much wider that a quotient lies on the same side of every
    /// whole number as the true one.
    pub fn lane_of_inverse(dtype: DType) -> Lane {
        if dtype.size() == 1 { Lane::F32 } else { Lane::F64 }
    }
}

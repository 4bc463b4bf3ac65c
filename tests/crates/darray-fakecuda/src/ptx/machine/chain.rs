//! Arithmetic on long numbers, a word at a time.

use super::integer::{self, mask};
use super::lanes::{Lanes, each};
use crate::ptx::code::{Chain, Number, Register};
use crate::ptx::types::Width;

/// A step of a long number; `carry` says whether the carry is read and whether it is written.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "the fields of the instruction")]
pub fn chain(
    registers: &mut [Lanes],
    carries: &mut u32,
    lanes: u32,
    step: Chain,
    number: Number,
    carry: [bool; 2],
    to: Register,
    from: [Register; 3],
) {
    let (width, is_signed) = match number {
        Number::Signed(width) => (width, true),
        Number::Unsigned(width) => (width, false),
        Number::Single { .. } | Number::Double => (Width::W64, false),
    };
    let keep = mask(width);
    let mut out = 0;
    let carry_in = if carry[0] { *carries } else { 0 };
    each(lanes, |lane| {
        let carried = u64::from(carry_in >> lane & 1);
        let of = |which: usize| registers[usize::from(from[which])][lane];
        let (x, y) = match step {
            Chain::Add | Chain::Subtract => (of(0), of(1)),
            Chain::MultiplyAddLow => (of(0).wrapping_mul(of(1)) & keep, of(2)),
            Chain::MultiplyAddHigh => {
                (integer::multiply_high(of(0), of(1), width, is_signed), of(2))
            }
        };
        let (result, over) = match step {
            Chain::Subtract => {
                let (first, one) = x.overflowing_sub(y);
                let (second, two) = first.overflowing_sub(carried);
                (second, one | two)
            }
            _ => {
                let (first, one) = x.overflowing_add(y);
                let (second, two) = first.overflowing_add(carried);
                (second, one | two | (second & !keep != 0))
            }
        };
        registers[usize::from(to)][lane] = result & keep;
        out |= u32::from(over) << lane;
    });
    if carry[1] {
        *carries = (*carries & !lanes) | out;
    }
}

//! How many elements of a row are a block.

use super::compiled::Specialised;
use super::machine::{Machine, Points};

/// Elements per block: what the registers and streams of a block take stays in the first-level
/// cache. Without registers nothing comes back, and longer blocks suit the hardware's prefetching.
pub(super) fn block_length(specialised: &Specialised, lanes: usize) -> usize {
    let code = &specialised.code;
    let registers = specialised.machine.registers as usize;
    if registers == 0 {
        let alone = code.sources.is_empty() && specialised.machine.before.len() == 1;
        return if alone { LONGEST_ALONE } else { LONGEST };
    }
    let streams = specialised.layout.classes.len();
    let per_element = (registers + code.sources.len()) * code.element + streams * 8;
    let fit = (CACHE / per_element.max(1)).clamp(128, 1024) / 64 * 64;
    fit.next_multiple_of(lanes)
}

/// Points of a block that a function folds which takes all of their elements.
pub(super) fn points_of_block(machine: &Machine, points: Points) -> usize {
    let is_one = points.elements == 1 || machine.points_across().is_some();
    if points.stores && is_one { MANY_STORED } else { MANY_POINTS }
}

/// Points of a block without accumulators: what is done between blocks costs as much as some hundred of them.
const MANY_POINTS: usize = 2048;

/// The same where results go where they belong at once: nothing has to stay in a cache.
const MANY_STORED: usize = 16384;

/// Longest block.
const LONGEST: usize = 4096;

/// The same of a single instruction: nothing has to stay near for another, and what is done between blocks costs 50 ns.
const LONGEST_ALONE: usize = 1 << 17;

/// Bytes of the first-level cache that a block may fill.
const CACHE: usize = 24 << 10;

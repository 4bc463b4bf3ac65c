//! How many elements of a row are a block.

use super::compiled::Specialised;
use super::machine::Points;
use darray_codegen::FoldMode;

/// Elements per block: what the registers and streams of a block take stays in the first-level
/// cache. Without registers nothing comes back, and longer blocks suit the hardware's prefetching. Of a fold a row along the
/// last reduced axis has `row` indices.
pub(super) fn block_length(
    specialised: &Specialised,
    mode: FoldMode,
    lanes: usize,
    row: Option<usize>,
    has_products: bool,
) -> usize {
    let code = &specialised.code;
    let is_long = row.is_some_and(|row| row >= 8 * lanes);
    let lane_by_lane = specialised.machine.fold_alone.is_some() && is_long;
    if mode == FoldMode::Kept && lanes > 1 && !lane_by_lane {
        // Each point has an accumulator per lane, or all of its elements are in one function.
        let at_once = |points: Points| {
            let is_one = points.elements == 1 || specialised.machine.points_across().is_some();
            if points.stores && is_one { MANY_STORED } else { MANY_POINTS }
        };
        return specialised.machine.points.map_or(MANY_LANES, at_once);
    }
    let registers = specialised.machine.registers as usize;
    if registers == 0 {
        // Of a fold in pieces only what waits on its stack is as long.
        let in_pieces =
            mode == FoldMode::Kept && specialised.machine.fold_alone.is_some() && !has_products;
        return match in_pieces {
            true if lanes > 1 => LONGEST_IN_PIECES / 2,
            true => LONGEST_IN_PIECES,
            false if row.is_none() && specialised.machine.before.len() == 1 => LONGEST_ALONE,
            false => LONGEST,
        };
    }
    let streams = specialised.layout.classes.len();
    let per_element = (registers + code.sources.len()) * code.element + streams * 8;
    let fit = (CACHE / per_element.max(1)).clamp(128, 1024) / 64 * 64;
    fit.next_multiple_of(lanes)
}

/// Points of a block with several lanes each.
const MANY_LANES: usize = 512;

/// Points of a block without accumulators: what is done between blocks costs as much as some hundred of them.
const MANY_POINTS: usize = 2048;

/// The same where results go where they belong at once: nothing has to stay in a cache.
const MANY_STORED: usize = 16384;

/// Longest block.
const LONGEST: usize = 4096;

/// The same of a single instruction: nothing has to stay near for another, and what is done between blocks costs 50 ns.
const LONGEST_ALONE: usize = 1 << 17;

/// The same of a fold in pieces.
const LONGEST_IN_PIECES: usize = 16384;

/// Bytes of the first-level cache that a block may fill.
const CACHE: usize = 24 << 10;

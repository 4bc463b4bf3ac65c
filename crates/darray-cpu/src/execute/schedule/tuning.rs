//! Measured constants of the choices, all of them: what is faster depends on them, results do not.
//!
//! Those that say of which processor are functions of it.

use crate::processor::Processor;
use crate::vector::{LANES, LINE};

// Caches

/// Bytes that are near: a second-level cache keeps as many beside others.
pub const NEAR_BYTES: usize = 1 << 20;
/// Bytes of what several passes go through again: a quarter of a second-level cache stays while others go by.
pub const HELD_BYTES: usize = 256 << 10;
/// Bytes that a block or a strip fills: a first-level cache has 32 KiB or 48 KiB.
pub const FIRST_LEVEL_BYTES: usize = 24 << 10;

// Blocks and strips

/// Elements of a block whose registers are in memory, at least and at most: calls cost as much as some, and prefetching begins anew.
pub const BLOCK_ELEMENTS: (usize, usize) = (128, 1024);
/// Elements of a block without registers: nothing comes back, and longer ones suit the hardware's prefetching.
pub const LONG_BLOCK_ELEMENTS: usize = 4096;
/// Elements of a block of one instruction: nothing has to stay near for another, and what is done between blocks costs 50 ns.
pub const LONE_BLOCK_ELEMENTS: usize = 1 << 17;
/// Columns of a strip, at least: steps from row to row cost as much as some.
pub const STRIP_COLUMNS: usize = 128;
/// Elements of a row that is too short, unless no other loop is so many times as long: beginning a row costs as much.
pub const SHORT_LOOP_ELEMENTS: usize = 16;
/// See [`SHORT_LOOP_ELEMENTS`].
pub const LONGER_TIMES: usize = 8;

// Short rows

/// Rows from which on a function that goes through them pays.
pub const MANY_ROWS: usize = 8;
/// Elements of a short row, at most: those of longer ones take longer than what is done between two.
pub const SHORT_ROW_ELEMENTS: usize = 1 << 12;
/// Elements from which on rows are better than columns, where they are cheap, and where they are not: a vector is masked then.
pub const FEWEST_ELEMENTS: (usize, usize) = (4, 8);
/// Elements of a row that a call is made for, at least: shorter ones go down columns.
pub const CALLED_ELEMENTS: usize = 16;
/// What operators of an element cost that take no time to speak of, in additions.
pub const CHEAP_COST: u32 = 12;
/// Bytes that planes go through which are run together: rows that share a line come soon after each other.
pub const PLANES_BYTES: usize = 16 << 10;
/// Elements of a row that accesses share loads of, at least: a round of machine code.
pub const SHARED_ROW_ELEMENTS: usize = 32;

/// Rows at which threads had better begin: elements of a vector, one for each row, begin with a line there.
pub const ROWS_OF_A_LINE: usize = 16;

// Packing

/// Rows and columns that make a square worth while.
pub const SQUARE_ELEMENTS: usize = 8;
/// Bytes of a packed row: the translations of as many pages as it has columns are at hand.
pub const PACKED_ROW_BYTES: usize = 1 << 10;
/// Bytes of all packed tiles: they are read from the second-level cache soon after they are written.
pub const PACKED_BYTES: usize = 64 << 10;
/// Columns that are packed beyond a tile: those of a line of the smallest elements that are stored non-temporally
/// there, to which cuts may move.
pub const COLUMNS_BEYOND: usize = LINE / 4;

// Non-temporal stores and prefetch

/// What a division of integers costs by what all elements share, in additions: there is a factor in its place.
pub const SHARED_DIVISOR_COST: u32 = 6;
/// Cost of an element above which memory waits for the processor anyway, in additions.
pub const DEAREST_COST: u32 = 16;
/// Bytes of a row below which the parts of lines at its ends cost more than non-temporal stores save.
pub const STREAMED_ROW_BYTES: usize = 1 << 10;
/// Rows of a tile of a stencil.
pub const STENCIL_ROWS: usize = 8;
/// Bytes of a row of a stencil, at most, so that the second-level cache has those of two tiles.
pub const STENCIL_ROW_BYTES: usize = 48 << 10;
/// Bytes after which a row that is read again is gone from the second-level cache.
pub const STENCIL_REACH_BYTES: isize = 512 << 10;
/// Bytes of a row from which on what begins anew with the next one does not count.
pub const LONG_ROW_BYTES: usize = 16 << 10;

/// Columns of a tile of a stencil: ten rows of doubles take 10 KiB of the first-level cache. On AMD's processors fewer are better:
/// lines that are asked for a tile ahead come too late there, and these are two or four tiles ahead.
pub const fn stencil_columns(processor: Processor) -> usize {
    match processor {
        Processor::Other => 128,
        Processor::Amd => 64,
        Processor::Zen5 => 32,
    }
}

// Folds

/// Points from which on a function of all elements of a point pays.
pub const MANY_POINTS: usize = 64;
/// Points from which on it pays where a point has more elements than lanes: it takes long to compile.
pub const MANY_POINTS_OF_MORE: usize = 1024;
/// Elements of such a point, at most: there is an instruction for each.
pub const POINT_ELEMENTS: usize = 255;
/// Elements from which on rows are better folded by themselves: a round.
pub const ROUND_ELEMENTS: usize = LANES;
/// Points of such a block: what is done between blocks costs as much as some hundred of them.
pub const POINT_BLOCK: usize = 2048;
/// The same where results go where they belong at once: nothing has to stay in a cache.
pub const STORED_POINT_BLOCK: usize = 16384;
/// Points whose elements are copied together: 2 KiB of each.
pub const COPIED_POINTS: usize = 256;
/// Points of rows of few leaves that walk through the tree together: a call for each is as long as a leaf.
pub const WALK_POINTS: usize = 16;
/// Leaves of rows of memory that are a step of a walk: a call costs as much as a few leaves.
pub const STEP_LEAVES: usize = 32;
/// The same of leaves of so many elements: a call costs as much as a thousand.
pub fn step_leaves(elements: usize) -> usize {
    STEP_LEAVES << (1024 / elements.max(1)).clamp(1, 8).ilog2()
}
/// Bytes of rows whose columns a call folds. Strips of columns go down all of them, so there are few, at which the hardware's
/// prefetching reads on: with 32 rows of 8 kB columns took twice as long whenever memory was slow.
pub const STEP_BYTES: usize = 128 << 10;
/// Rows of such a step, at least.
pub const STEP_ROWS: usize = 16;
/// Kept points that are folded together, at most: their values are in a second-level cache.
pub const FOLD_POINTS: usize = 16384;
/// Lanes of kept points whose rows a function goes through together, at most: registers have the accumulators of all.
pub const LANES_TOGETHER: usize = 16;
/// Lanes times points, at most: 64 KiB of values.
pub const LANE_POINTS: usize = 8192;
/// Bytes of the computed elements of a leaf, of all points: the second-level cache has them with what they are made of.
pub const LEAF_BUFFER_BYTES: usize = 128 << 10;
/// Elements of a row from which on a loop in any order is worth a call.
pub const ANY_ORDER_ELEMENTS: usize = 64;
/// The same of searches, for which there is no machine code.
pub const SEARCH_ELEMENTS: usize = 16;
/// The same of columns of bools, all elements of them.
pub const BOOL_ELEMENTS: usize = 1 << 10;

// Code

/// Instructions of a function, at most: what it needs of the stack, and how long it takes to compile, is bounded.
pub const RUN_INSTRUCTIONS: usize = 256;
/// What the elementary functions of a function cost, at most, in additions: the code of more is not in the caches of instructions.
pub const RUN_COST: u32 = 220;

// Threads, and kernels by rows

/// Parts that each thread has of points without folds, at most: others take what a thread that had to be woken has not begun.
pub const PARTS_OF_THREAD: usize = 4;
/// Simple operations that such a part has at least: it is taken from a list.
pub const PART_OPERATIONS: usize = 1 << 16;
/// Leaves that parts of a fold have a multiple of, at most: large subtrees are fewer steps.
pub const PART_LEAVES: usize = 32;
/// Points of blocks, at least, that are shortened for threads: calls cost as much as some.
pub const SHARED_BLOCK: usize = 4096;
/// Those of folds, and of how many they have a multiple then, so that vectors are whole.
pub const SHARED_FOLD_BLOCK: usize = 256;
/// See [`SHARED_FOLD_BLOCK`].
pub const SHARED_FOLD_UNIT: usize = 64;
/// Bytes of a block of rows, in the access that has the most: half of a second-level cache.
pub const ROW_BLOCK_BYTES: usize = 1 << 18;
/// Rows of a piece of columns: shorter ones begin too often.
pub const LONG_PIECE_ROWS: usize = 4096;
/// A nest that goes through so many times as much as the others together has nothing to read together with them.
pub const UNRELATED_TIMES: usize = 16;

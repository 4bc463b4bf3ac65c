//! How a nest goes through memory: a value that is chosen from what is known of the nest, and that everything else obeys.
//!
//! ```text
//! Summary --choose--> Schedule     loops, what vectors go along, what code is wanted
//! CodeSummary ------fit-^          blocks and steps, by what code there is
//! ```
//!
//! Nothing here runs, allocates memory of arrays, or asks the machine: the numbers that choices depend on are in [`tuning`].

mod choose;
mod fold;
mod loops;
mod neighbours;
mod non_temporal;
mod packing;
mod prefetch;
pub(super) mod summary;
mod text;
pub(super) mod tuning;

use crate::jit::Traffic;
use darray_codegen::bind::Loop;
use darray_codegen::{FoldMode, Layout};
use smallvec::SmallVec;

pub(super) use choose::choose;
pub(super) use non_temporal::NonTemporal;
pub(super) use packing::Packed;

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// The kept loops around the vectors, outermost first.
    pub rows: SmallVec<[Loop; 4]>,
    /// The kept loop that vectors, or points of a fold, go along; extent 1 where there is none.
    pub vector: Loop,
    /// How each access steps along the vectors of its phase, and along what those of the fold go.
    pub layout: Layout,
    /// Bytes per step along these, per access.
    pub along: SmallVec<[i64; 8]>,
    /// What is wanted of machine code.
    pub traffic: Traffic,
    pub body: Body,
    /// Elements of a block; of a fold over points, these.
    pub block: usize,
    /// Rows and columns that are gone through before others.
    pub tile: (usize, usize),
    /// Planes of few rows whose first rows are run by one call, then the second ones, at most.
    pub planes: Option<usize>,
    /// The accesses that are transposed to buffers, a tile at a time.
    pub packed: SmallVec<[Packed; 1]>,
    pub non_temporal: NonTemporal,
    /// Whether it is as good where blocks lie elsewhere.
    pub is_anywhere: bool,
    /// In a box of its own, as most nests have none.
    pub fold: Option<Box<FoldSchedule>>,
}

/// What runs what comes before a fold, or all of a nest without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Nothing comes before the fold.
    Empty,
    /// One function, for whole rows.
    Rows,
    /// A copy whose elements change places in registers.
    Interleaved(Interleaved),
    /// Functions and loops, for blocks.
    Blocks,
}

/// A copy, the elements of one side of which are side by side in the innermost of the loops around the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interleaved {
    pub copy: summary::Copied,
    /// Whether those that are written are; else those that are read.
    pub is_written: bool,
}

/// How a fold goes through its elements.
#[derive(Clone, Debug)]
pub(super) struct FoldSchedule {
    /// The reduced loops.
    pub loops: SmallVec<[Loop; 4]>,
    pub over: Over,
    /// What its vectors go along.
    pub mode: FoldMode,
    /// Of points that are folded at once, the accesses whose elements of different points do not lie side by side.
    pub across: SmallVec<[u16; 4]>,
    /// Lanes of a kept point, and elements of a leaf, at most.
    pub lanes: usize,
    pub leaf: usize,
    /// Leaves that are one step of a walk, at most, and elements of those, of each point, that are computed to a buffer.
    pub step_leaves: usize,
    pub step_elements: usize,
    /// The loop along which they follow one another, and how many leaves there are for each of its indices.
    pub step_loop: usize,
    pub row_leaves: usize,
    /// Over lanes, points that walk through the tree together, at most: a call of a function is a leaf of each.
    pub walk_points: usize,
    /// Bytes of each access, and of what is kept for the body, from an element of a leaf to the next one, if a function can go so.
    pub function_steps: Option<SmallVec<[isize; 8]>>,
    /// Without a function, bytes from an element to the next one, of each item that takes them from where they lie.
    pub lines: SmallVec<[Option<isize>; 4]>,
}

/// What the vectors of a fold go along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The lanes of a point.
    Lanes,
    /// Kept points.
    Points,
    /// Kept points, all of whose elements are one straight function.
    PointsAtOnce,
    /// Elements, in any order.
    AnyOrder,
    /// Columns of bools, in any order.
    BoolColumns,
}

#[cfg(test)]
mod tests;

//! What a text depends on, beside the kernel.

use super::kernel::BLOCK;
use super::patterns::Patterns;
use super::ranges::Known;
use super::team::WARP;
use crate::layout::{FoldMode, StrideClass};
use smallvec::SmallVec;

/// All that a text depends on, beside the kernel. Equal variants have equal texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// One per nest; none where the nest has no point.
    pub(super) nests: SmallVec<[Option<NestVariant>; 1]>,
}

/// What the text of a nest depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NestVariant {
    /// Whether indices need 64 bits.
    pub wide: bool,
    /// The kept loops, outermost first: the axis whose index is a value, if it is one.
    pub loops: SmallVec<[Option<u8>; 4]>,
    /// How accesses move along the loops and the reduced axes.
    pub patterns: Patterns<StrideClass>,
    /// Elements that a thread handles at once; more than 1 only for element-wise nests whose
    /// accesses are contiguous or still along the last loop. See [`Row`](super::moves::Row).
    pub vector: u8,
    /// Per access: elements from an aligned vector's begin to what is accessed; empty where all are 0.
    pub shifts: SmallVec<[u8; 8]>,
    /// Whether elements of rows may be left beside the vectors.
    pub rest: bool,
    /// What is known of task arguments in a nest with a guard, see [`quick`](super::quick).
    pub known: SmallVec<[(u16, Known); 12]>,
    /// The fold.
    pub fold: Option<FoldVariant>,
}

/// What the text of a fold depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct FoldVariant {
    /// Lanes: neighbouring threads are lanes of a leaf. Kept: they are kept points.
    pub mode: FoldMode,
    /// Neighbouring lanes that are one thread's, so that it loads several elements at once; 1 outside
    /// `Lanes`.
    pub width: u8,
    /// Elements of a lane in a row of a leaf: at most so many, a power of two, are loaded at once.
    pub columns: u8,
    /// 0, or a block of threads shares the work of a few. Lanes: a block has a leaf, and a thread takes so many
    /// elements at once. Kept: a block has so many kept points, and a thread a lane of one. See
    /// [`team`](super::team).
    pub team: u8,
    /// Leaves of the tile.
    pub leaves: LeafCount,
    /// Whether the domain has no elements: accumulators start from the empty fold's value.
    pub empty: bool,
    /// The first reduced axis whose leaves are combined.
    pub split: u8,
    /// Whether rows are short and many: lanes go through them without a pause at their ends.
    pub short: bool,
    /// Who combines the leaves of a kept point.
    pub combiner: Combiner,
    /// Whether the leaf values of a block's points fit its shared memory.
    pub shared: bool,
}

/// Threads that combine the leaves of a kept point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Combiner {
    Thread,
    Warp,
    Block,
}

impl Combiner {
    pub fn threads(self) -> u32 {
        match self {
            Combiner::Thread => 1,
            Combiner::Warp => WARP,
            Combiner::Block => BLOCK,
        }
    }

    /// Kept points of a block of threads.
    pub fn points(self) -> u32 {
        BLOCK / self.threads()
    }
}

/// How many leaves of the tree the tile has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum LeafCount {
    /// None: nothing is folded and nothing yielded.
    None,
    /// One, whose value is the result: nothing needs combining.
    One,
    /// More.
    Many,
}

impl Variant {
    /// The variant of any arguments: nothing is known of their numbers.
    pub fn for_any_numbers(&self) -> Variant {
        let mut any = self.clone();
        any.forget_numbers();
        any
    }

    /// Becomes [that](Self::for_any_numbers).
    pub(super) fn forget_numbers(&mut self) {
        self.nests.iter_mut().flatten().for_each(|nest| nest.known.clear());
    }
}

impl NestVariant {
    /// Whether an access of the nest stays where it is along a loop or reduced axis.
    pub fn class(&self, access: usize, dim: usize) -> StrideClass {
        self.patterns.of(access)[dim]
    }

    /// The type of indices.
    pub fn index(&self) -> &'static str {
        if self.wide { "long long" } else { "int" }
    }
}

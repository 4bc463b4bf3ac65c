//! What a text depends on, beside the kernel.

use super::patterns::Patterns;
use super::ranges::Known;
use crate::layout::{FoldMode, StrideClass};
use smallvec::SmallVec;

/// All that a text depends on, beside the kernel. Equal variants have equal texts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// One per nest; none where the nest has no point.
    pub(crate) nests: SmallVec<[Option<NestVariant>; 1]>,
    /// Whether nests are so small that one block runs them one behind the other, in one launch.
    pub(crate) in_turn: bool,
}

/// What the text of a nest depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NestVariant {
    /// Whether indices need 64 bits.
    pub wide: bool,
    /// The parallel loops, outermost first: the axis whose index is a value, if it is one.
    pub loops: SmallVec<[Option<u8>; 4]>,
    /// How accesses move along the loops and the reduced axes.
    pub patterns: Patterns<StrideClass>,
    /// Elements that a thread handles at once; more than 1 only for element-wise nests whose
    /// accesses are contiguous or still along the last loop. See [`Row`](crate::cuda::binding::moves::Row).
    pub vector: u8,
    /// Per access: elements from an aligned vector's begin to what is accessed; empty where all are 0.
    pub shifts: SmallVec<[u8; 8]>,
    /// Whether elements of rows may be left beside the vectors.
    pub rest: bool,
    /// What is known of task arguments in a nest with a guard, see [`quick`](crate::cuda::emit::quick).
    pub known: SmallVec<[(u16, Known); 12]>,
    /// The fold.
    pub fold: Option<FoldVariant>,
}

/// What the text of a fold depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FoldVariant {
    /// Lanes: the threads of a leaf are neighbours in a warp. Kept: those of parallel points are, and lanes meet in memory that a block shares.
    pub mode: FoldMode,
    /// Lanes of a leaf: fewer than the tree's where no leaf has as many elements.
    pub lanes: u16,
    /// Parts of a leaf, with a thread for each lane.
    pub parts: u16,
    /// Rounds that a thread loads at once, a power of two.
    pub rounds: u8,
    /// The binary logarithm of how often it does so for a part, at most.
    pub levels: u8,
    /// The first reduced axis along which a leaf has more than one index.
    pub boxed: u8,
    /// A bit for each reduced axis along which a piece has several leaves, see [`folds`](crate::cuda::binding::folds).
    pub several: u32,
    /// Pieces of the tile.
    pub pieces: PieceCount,
    /// Whether the domain has no elements: accumulators start from the empty fold's value.
    pub empty: bool,
    /// The first reduced axis whose pieces are combined.
    pub split: u8,
    /// Who combines the pieces of a parallel point.
    pub combiner: Combiner,
    /// Whether the values of a block's points fit its shared memory.
    pub shared: bool,
}

/// Threads of a block, at most: the launch bound of every entry.
pub(crate) const BLOCK: u32 = 256;

/// Points of the largest nests that one block runs one behind the other, about as long as a launch takes.
pub const SMALL: usize = 2048;

/// Threads of a warp.
pub(crate) const WARP: u32 = 32;

/// Threads that combine the pieces of a parallel point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Combiner {
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

    /// Parallel points of a block of threads.
    pub fn points(self) -> u32 {
        BLOCK / self.threads()
    }
}

/// How many pieces of the tree the tile has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PieceCount {
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
    pub(crate) fn forget_numbers(&mut self) {
        self.nests.iter_mut().flatten().for_each(|nest| nest.known.clear());
    }
}

impl FoldVariant {
    /// Threads of a leaf.
    pub fn threads(&self) -> u32 {
        u32::from(self.lanes) * u32::from(self.parts)
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

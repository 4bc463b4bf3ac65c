//! Instruction sets that code is made for.

use super::lane::{Lane, MOST_GROUPS, Node, Op};
use crate::level::Level;
use crate::processor;
use std::ops::Range;

/// The instruction set of a function.
///
/// What differs is here, in [`legalise`](super::passes::legalise), in the tables of
/// [`instruction`](super::instruction) and in the loads, stores and tails of [`emit`](super::emit).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// AVX2, FMA and F16C, VEX-encoded: 16 registers of 32 bytes. Masks are integers, all ones or zeros, as wide
    /// as the lanes that they are of. Constants and uniform elements are in memory as whole vectors.
    Avx2,
    /// AVX-512 F, BW, DQ and VL, EVEX-encoded: 32 registers of 64 bytes and registers of masks. Constants
    /// and uniform elements are in memory once, broadcast by the instruction that reads them.
    Avx512,
}

impl Target {
    /// Every target, the least capable first.
    #[cfg(test)]
    pub const ALL: [Target; 2] = [Target::Avx2, Target::Avx512];

    /// The target for a machine of this level.
    pub fn of(level: Level) -> Option<Target> {
        match level {
            Level::Baseline => None,
            Level::Avx2 => Some(Target::Avx2),
            Level::Avx512 => Some(Target::Avx512),
        }
    }

    /// The level whose machines have its instructions.
    pub fn level(self) -> Level {
        match self {
            Target::Avx2 => Level::Avx2,
            Target::Avx512 => Level::Avx512,
        }
    }

    /// Bytes of a vector register.
    pub fn bytes(self) -> usize {
        match self {
            Target::Avx2 => 32,
            Target::Avx512 => 64,
        }
    }

    /// Vector registers for values. The one behind them is for what needs one in passing.
    pub const fn vectors(self) -> Range<u8> {
        match self {
            Target::Avx2 => 0..15,
            Target::Avx512 => 0..31,
        }
    }

    /// The vector register that holds no value.
    pub const fn scratch(self) -> u8 {
        self.vectors().end
    }

    /// Whether long code is put in [another order](super::passes::schedule). With 15 registers, what operations that do not
    /// wait for each other hold goes to the stack and back, which costs as much as waiting does.
    pub(super) fn schedules(self) -> bool {
        self == Target::Avx512
    }

    /// Whether [neighbours](super::Neighbours) share what they load: an instruction brings lanes of two registers together.
    pub fn shares_loads(self) -> bool {
        self == Target::Avx512
    }

    /// How many groups to work on side by side. Short code is loops of few instructions; long code has chains
    /// of operations that wait for each other, which costs more than the stack traffic of too many values
    /// (Black-Scholes in f64 with AVX2, 1 to 5 groups: 11.9, 9.5, 8.1, 7.2, 7.0 ns per element).
    pub(super) fn groups(self, nodes: &[Node]) -> u8 {
        let computed = || nodes.iter().filter(|node| !node.op.is_remade());
        let count = computed().count();
        let few_masks = || computed().filter(|node| node.lane == Lane::Mask).count() * 5 < count;
        match (count, self) {
            (0..=12, _) | (_, Target::Avx2) => MOST_GROUPS,
            // The masks of four groups do not fit into their registers.
            (_, Target::Avx512) if processor::is_zen_5() && few_masks() => 4,
            (_, Target::Avx512) => 3,
        }
    }

    /// Groups of a round that reads one stream of memory, and how many of them to work on side by side, where `usual` is
    /// the number for other code: of lines that several loads read, as those of a stencil, one after the other is better than
    /// all groups of one load and then of the next. So it is of one load where accumulators of kept points are read and
    /// written in between.
    pub(super) fn groups_of_lines(self, nodes: &[Node], usual: u8) -> (u8, u8) {
        let loads = nodes.iter().filter(|node| matches!(node.op, Op::Load(..))).count();
        let count = nodes.iter().filter(|node| !node.op.is_remade()).count();
        match (loads, count) {
            (0..=1, _) | (_, 30..) => (usual, usual),
            (_, 0..=12) => (MOST_GROUPS, 1),
            _ => (MOST_GROUPS, 2),
        }
    }

    /// The same of long code whose rounds [overlap](super::passes::schedule::overlap): two parts of a round go side by side
    /// then. With one or three, Black-Scholes gained nothing.
    pub(super) fn groups_of_overlapping(self) -> u8 {
        2
    }
}

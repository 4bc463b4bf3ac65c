//! The order in which reductions combine: a formula of global extents, so that results do not
//! depend on tiles, threads, devices or window sizes.
//!
//! Every reduced axis is cut into aligned leaf blocks of so many indices as [`TreeRule::blocks`] says. A
//! *leaf* is one block of each reduced axis; its
//! elements are folded in row-major order of the reduced axes (in their logical order) into `lanes`
//! accumulators, lane = (global index along the innermost axis) mod lanes, starting from the
//! reducer's identity; then lane `l` combines with lane `l + w` for `w = lanes/2, .., 2, 1`.
//! Leaves combine, innermost reduced axis first, by an aligned binary tree per axis:
//!
//! ```text
//! leaves  0   1   2   3   4        node (level k, index i) = leaves [i*2^k, (i+1)*2^k) below n
//!          \ /     \ /    |        a node whose right child is empty is its left child
//!           +       +     |
//!            \     /      |
//!               +         |
//!                \       /
//!                    +
//! ```
//!
//! A tile that covers a part of an axis, at block boundaries, owns the maximal aligned nodes inside
//! its leaf range: these are its *subtrees*. A finish step pushes the subtrees of all tiles in
//! order and gets the same root.
//!
//! Which slots a tile has, in which order: let `q` be the last reduced axis (in logical order) that
//! the tile does not cover. Axes after `q` are complete; every leaf of the axes before `q` has its
//! own slots, row-major, one per subtree of axis `q`. A tile that covers every axis has one slot,
//! the result itself.
//!
//! A domain with an axis of extent 0 has one leaf without elements, whose value is the reducer's
//! empty value ([`Reducer::start`](crate::reducer::Reducer::start)), and one slot.
//!
//! [`TileTree::walk`] and [`GridTree::walk`] are the one implementation of all this: they say in
//! which order leaves are folded, values combined and slots filled; values stay with the caller, in
//! a small stack of its own type (one scalar, or a vector with one accumulator per kept element).

mod grid;
mod node;
mod stack;
#[cfg(test)]
mod tests;
mod tile;

pub use grid::{GridStep, GridTree};
pub use node::{Node, subtree_count, subtrees};
pub use tile::{JoinStep, ReducedAxis, TileStep, TileTree, TileWalk};

use smallvec::SmallVec;

/// Sizes that fix the leaves. Part of the semantics: other sizes give other roundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TreeRule {
    /// Accumulators along the innermost logical axis; a power of two.
    pub lanes: u32,
    /// Least block of the innermost logical axis; a power of two, a multiple of `lanes`.
    pub inner: u32,
    /// Least block of any other axis; a power of two.
    pub outer: u32,
    /// Blocks double until an axis has at most this many leaves.
    pub max_leaves: u32,
}

impl TreeRule {
    /// The rule outside tests.
    pub const STANDARD: TreeRule = TreeRule { lanes: 32, inner: 1024, outer: 8, max_leaves: 1024 };
    /// For tests: small arrays cross block and tile boundaries.
    pub const TINY: TreeRule = TreeRule { lanes: 2, inner: 4, outer: 2, max_leaves: 1024 };

    /// Indices per leaf block of one axis of this global extent by itself; a power of two. No leaf has more of an axis than it
    /// has of that axis as the innermost one.
    pub fn block(self, extent: usize, innermost: bool) -> usize {
        let least = if innermost { self.inner } else { self.outer } as usize;
        let even = extent.div_ceil(self.max_leaves as usize).next_power_of_two();
        least.max(even)
    }

    /// Accumulators of a leaf whose last `innermost` reduced axes are the innermost logical ones.
    pub fn accumulators(self, innermost: usize) -> usize {
        if innermost > 0 { self.lanes as usize } else { 1 }
    }

    /// Indices per leaf block of each of some reduced axes with these global extents, in logical order; powers of two. The
    /// last `innermost` of them are the innermost logical axes of the domain, without another one between them: there, leaves of
    /// short rows have more rows, so that a leaf has about as many elements as `inner` at least.
    ///
    /// ```
    /// use darray_kernel::tree::TreeRule;
    /// let rule = TreeRule::STANDARD;
    /// assert_eq!(rule.blocks(&[5000, 5000], 2)[..], [8, 1024]);
    /// assert_eq!(rule.blocks(&[5000, 3], 2)[..], [256, 1024]);
    /// assert_eq!(rule.blocks(&[5000, 3, 3], 3)[..], [64, 256, 1024]);
    /// // Another axis is between them.
    /// assert_eq!(rule.blocks(&[5000, 3], 1)[..], [8, 1024]);
    /// ```
    pub fn blocks(self, extents: &[usize], innermost: usize) -> SmallVec<[usize; 4]> {
        let mut blocks = SmallVec::from_elem(0, extents.len());
        // Elements of a leaf along the innermost axes so far, at most.
        let mut elements = 1usize;
        for (behind, (block, &extent)) in blocks.iter_mut().zip(extents).rev().enumerate() {
            *block = match behind {
                _ if behind >= innermost => self.block(extent, false),
                0 => self.block(extent, true),
                _ => self.block(extent, false).max(self.inner as usize / elements),
            };
            elements = elements.saturating_mul(extent.min(*block).next_power_of_two());
        }
        blocks
    }
}

/// Combines lane `l` with lane `l + w` for `w = lanes/2, .., 2, 1`; the result is lane 0.
///
/// ```
/// let mut lanes = ["a", "b", "c", "d"].map(String::from);
/// darray_kernel::tree::combine_lanes(&mut lanes, |a, b| *a = format!("({a}{b})"));
/// assert_eq!(lanes[0], "((ac)(bd))");
/// ```
pub fn combine_lanes<V>(lanes: &mut [V], mut combine: impl FnMut(&mut V, &V)) {
    let mut width = lanes.len() / 2;
    while width > 0 {
        let (left, right) = lanes[..2 * width].split_at_mut(width);
        for (l, r) in left.iter_mut().zip(right) {
            combine(l, r);
        }
        width /= 2;
    }
}

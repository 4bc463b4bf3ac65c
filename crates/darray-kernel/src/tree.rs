//! The order in which reductions combine: a formula of global extents, so that results do not
//! depend on tiles, threads, devices or window sizes.
//!
//! Reduced axes without a parallel one between them are a *group*. The innermost group has [`TreeRule::lanes`] lanes, by the number
//! of parallel points behind it: 32 where there is none, one where there are 64 or more. Its axes are cut into aligned blocks
//! ([`TreeRule::blocks`]); axes of other groups into blocks of one index. A *leaf* is one block of each reduced axis. Its elements,
//! numbered row-major, are dealt to the lanes in *rounds*: element i is lane i mod lanes of round i / lanes. Each lane adds its rounds
//! in pairs, then lanes combine:
//!
//! ```text
//! rounds  0   1   2   3   4        a missing right operand is no combination; the identity stands for elements that the last
//!          \ /     \ /    |        round lacks
//!           +       +     |
//!            \     /      |
//!               +         |
//!                \       /
//!                    +             then lane l with lane l + w, for w = lanes/2, .., 2, 1
//! ```
//!
//! Leaves combine, innermost reduced axis first, by an aligned binary tree per axis:
//!
//! the same for leaves: node (level k, index i) = leaves [i*2^k, (i+1)*2^k) below n, and a node whose right child is empty is its left
//! child.
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
//! a small stack of its own type (one scalar, or a vector with one accumulator per parallel point).

mod grid;
mod node;
pub mod product;
pub mod scan;
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
    /// Lanes, at most; a power of two.
    pub lanes: u32,
    /// Elements of a round that lanes and the parallel points behind make together, at least; a power of two.
    pub width: u32,
    /// Rounds of a leaf; a power of two.
    pub rounds: u32,
    /// Rounds of a leaf with one lane; a power of two. All its elements combine in pairs, so this fixes no order: it says where tiles
    /// may be cut.
    pub alone: u32,
}

/// The innermost reduced axes of a domain, which have no other axis between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    /// How many there are.
    pub axes: usize,
    /// Elements of the parallel axes behind them, in the whole domain.
    pub behind: usize,
}

impl Group {
    /// The innermost group of a domain: for each axis its logical number, its global extent, and whether it is reduced. A parallel axis
    /// of extent 1 does not count.
    ///
    /// ```
    /// use darray_kernel::tree::Group;
    /// let group = |axes: &[(u8, usize, bool)]| Group::of(axes.iter().copied());
    /// assert_eq!(group(&[(0, 5, true), (1, 6, true)]), Group { axes: 2, behind: 1 });
    /// let axes = [(1, 6, false), (3, 8, false), (0, 5, true), (2, 7, true)];
    /// assert_eq!(group(&axes), Group { axes: 1, behind: 8 });
    /// assert_eq!(group(&[(0, 5, true), (1, 1, false), (2, 7, true)]), Group { axes: 2, behind: 1 });
    /// ```
    pub fn of(axes: impl IntoIterator<Item = (u8, usize, bool)>) -> Group {
        let mut axes: SmallVec<[(u8, usize, bool); 8]> = axes.into_iter().collect();
        axes.sort_unstable_by_key(|&(logical, ..)| std::cmp::Reverse(logical));
        let mut group = Group { axes: 0, behind: 1 };
        for (_, extent, is_reduced) in axes {
            match (is_reduced, group.axes) {
                (true, _) => group.axes += 1,
                (false, 0) => group.behind = group.behind.saturating_mul(extent),
                (false, _) if extent == 1 => (),
                (false, _) => break,
            }
        }
        group
    }
}

impl TreeRule {
    /// The rule outside tests.
    pub const STANDARD: TreeRule = TreeRule { lanes: 32, width: 64, rounds: 32, alone: 8 };
    /// For tests: small arrays cross block and tile boundaries.
    pub const TINY: TreeRule = TreeRule { lanes: 2, width: 4, rounds: 2, alone: 2 };

    /// Lanes in front of so many parallel points; a power of two.
    ///
    /// ```
    /// use darray_kernel::tree::TreeRule;
    /// let lanes = [1, 2, 3, 4, 8, 33, 64].map(|behind| TreeRule::STANDARD.lanes(behind));
    /// assert_eq!(lanes, [32, 32, 32, 16, 8, 2, 1]);
    /// ```
    pub fn lanes(self, behind: usize) -> usize {
        let filling = (self.width as usize).div_ceil(behind.max(1)).next_power_of_two();
        filling.min(self.lanes as usize)
    }

    /// Elements of a leaf in front of so many parallel points, at most; a power of two.
    pub fn leaf(self, behind: usize) -> usize {
        match self.lanes(behind) {
            1 => self.alone as usize,
            lanes => lanes * self.rounds as usize,
        }
    }

    /// Elements of a row in front of so many parallel points from which on it is not collapsed with others in a leaf: two
    /// rounds, or what a leaf with one lane has.
    pub fn row(self, behind: usize) -> usize {
        (2 * self.lanes(behind)).max(self.alone as usize)
    }

    /// Indices per leaf block of each of some reduced axes with these global extents, in logical order; powers of two. The last ones
    /// are the innermost `group`: [short](Self::row) rows of it are wholly in a leaf, so many that it has no more elements than
    /// [`leaf`](Self::leaf) says.
    ///
    /// ```
    /// use darray_kernel::tree::{Group, TreeRule};
    /// let blocks = |extents: &[usize], axes, behind| {
    ///     TreeRule::STANDARD.blocks(extents, Group { axes, behind }).to_vec()
    /// };
    /// assert_eq!(blocks(&[5000, 5000], 2, 1), [1, 1024]);
    /// assert_eq!(blocks(&[5000, 3], 2, 1), [256, 1024]);
    /// assert_eq!(blocks(&[5000, 3, 3], 3, 1), [64, 256, 1024]);
    /// // Rows of two rounds are leaves of their own.
    /// assert_eq!(blocks(&[5000, 63], 2, 1), [16, 1024]);
    /// assert_eq!(blocks(&[5000, 64], 2, 1), [1, 1024]);
    /// // Columns: few, many.
    /// assert_eq!(blocks(&[5000], 1, 8), [256]);
    /// assert_eq!(blocks(&[5000], 1, 64), [8]);
    /// // Another axis is between them.
    /// assert_eq!(blocks(&[5000, 3], 1, 1), [1, 1024]);
    /// ```
    pub fn blocks(self, extents: &[usize], group: Group) -> SmallVec<[usize; 4]> {
        let (leaf, row) = (self.leaf(group.behind), self.row(group.behind));
        let mut blocks = SmallVec::from_elem(1, extents.len());
        // Elements of a leaf along the axes so far.
        let mut inside = 1;
        for (block, &extent) in blocks.iter_mut().zip(extents).rev().take(group.axes) {
            // The largest power of two of rows that a leaf has space for.
            *block = 1 << (leaf / inside).ilog2();
            inside *= extent.max(1);
            if inside >= row || extent > *block {
                inside = leaf;
            }
        }
        blocks
    }

    /// Indices per block of a scan along an axis of this global extent, see [`scan`](crate::scan); a power of two. There are 1,024
    /// blocks at most.
    pub fn scan_block(self, extent: usize, innermost: bool) -> usize {
        let least = if innermost { self.lanes * self.rounds } else { self.alone };
        let even = extent.div_ceil(1024).next_power_of_two();
        even.max(least as usize)
    }

    /// Indices along each axis of a domain with these extents at whose multiples tiles may be cut: those are cut at blocks of
    /// whatever is reduced.
    ///
    /// ```
    /// use darray_kernel::tree::TreeRule;
    /// assert_eq!(TreeRule::STANDARD.cuts(&[5000, 5000])[..], [8, 1024]);
    /// assert_eq!(TreeRule::STANDARD.cuts(&[5000, 3])[..], [1024, 1024]);
    /// ```
    pub fn cuts(self, extents: &[usize]) -> SmallVec<[usize; 4]> {
        let of_axis = |first: usize| {
            let with = |last: usize| {
                let behind =
                    extents[last + 1..].iter().fold(1, |all: usize, e| all.saturating_mul(*e));
                self.blocks(&extents[first..=last], Group { axes: last + 1 - first, behind })[0]
            };
            (first..extents.len()).map(with).max().unwrap_or(1)
        };
        (0..extents.len()).map(of_axis).collect()
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

//! The finish step: the slots of all tiles of a grid, pushed in order, give the root.

use super::node::subtrees;
use super::stack::{Stack, depth};
use super::{Group, TreeRule};
use smallvec::SmallVec;

/// The tree of a fold as the finish step sees it.
///
/// Tiles are numbered row-major over the parts of the reduced axes, empty parts included.
///
/// ```
/// use darray_kernel::tree::{GridTree, Group, TreeRule};
/// // 13 indices in blocks of 4, cut at 4: tile 0 has leaf 0, tile 1 has leaf 1 and leaves [2, 4).
/// let tree = GridTree::new(TreeRule::TINY, Group { axes: 1, behind: 1 }, &[13], &[vec![0, 4, 13]]);
/// let root = tree.fold(|tile, slot| format!("{tile}.{slot}"), |a, b| format!("({a} {b})"));
/// assert_eq!(root.unwrap(), "((0.0 1.0) 1.1)");
/// ```
#[derive(Clone, Debug)]
pub struct GridTree {
    axes: SmallVec<[GridAxis; 4]>,
    /// The last axis that is cut.
    split: Option<usize>,
    empty: bool,
}

#[derive(Clone, Debug)]
struct GridAxis {
    /// Leaves of the axis.
    leaves: usize,
    /// The first leaf of each part, and `leaves`.
    parts: SmallVec<[usize; 8]>,
}

/// One step of [`GridTree::walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridStep {
    /// Put the value of `slot` of `tile` at `position`.
    Take {
        /// Where the value goes.
        position: usize,
        /// Which tile.
        tile: usize,
        /// Which of its slots.
        slot: usize,
    },
    /// The value at `position` becomes itself combined with the one at `position + 1`.
    Combine {
        /// The left operand and the result.
        position: usize,
    },
}

impl GridTree {
    /// Per reduced axis, in logical order: its global extent, and where its parts begin, followed by
    /// the extent. The last of the axes are the innermost `group`.
    ///
    /// # Panics
    ///
    /// If there is no axis, a cut is not at a block boundary, or the cuts do not ascend from 0 to
    /// the extent.
    pub fn new(rule: TreeRule, group: Group, global: &[usize], cuts: &[Vec<usize>]) -> GridTree {
        assert!(!global.is_empty() && global.len() == cuts.len(), "cuts for each reduced axis");
        let grid_axis = |((&extent, cuts), block): ((&usize, &Vec<usize>), usize)| {
            let whole = cuts.first() == Some(&0) && cuts.last() == Some(&extent);
            let aligned = cuts.iter().all(|c| c.is_multiple_of(block) || *c == extent);
            assert!(
                whole && aligned && cuts.is_sorted() && cuts.len() > 1,
                "cuts {cuts:?} of {extent} are not at blocks of {block}"
            );
            let parts = cuts.iter().map(|c| c.div_ceil(block)).collect();
            GridAxis { leaves: extent.div_ceil(block), parts }
        };
        let axes: SmallVec<[GridAxis; 4]> =
            global.iter().zip(cuts).zip(rule.blocks(global, group)).map(grid_axis).collect();
        let split = axes.iter().rposition(|a| a.filled_parts().count() > 1);
        GridTree { axes, split, empty: global.contains(&0) }
    }

    /// Whether some tile covers the whole domain: there is one value to take, the result.
    pub fn is_whole(&self) -> bool {
        self.empty || self.split.is_none()
    }

    /// Number of tiles, empty ones included.
    pub fn tiles(&self) -> usize {
        self.axes.iter().map(|a| a.parts.len() - 1).product()
    }

    /// An upper bound of positions used by [`walk`](Self::walk).
    pub fn depth(&self) -> usize {
        depth(self.axes.iter().map(|a| (a.leaves, 0)))
    }

    /// Goes through all slots in order; at the end the root lies at position 0.
    pub fn walk(&self, mut step: impl FnMut(GridStep)) {
        if self.empty {
            step(GridStep::Take { position: 0, tile: 0, slot: 0 });
            return;
        }
        let split = self.split.unwrap_or(0);
        let mut stack = self.stack();
        // Per axis before the cut one: its current leaf, and the part which that leaf is in.
        let mut leaf: SmallVec<[usize; 4]> = SmallVec::from_elem(0, split);
        loop {
            let (mut tile, mut row) = (0, 0);
            for (axis, &leaf) in self.axes.iter().zip(&leaf) {
                let part = axis.part_of(leaf);
                tile = tile * (axis.parts.len() - 1) + part;
                row = row * (axis.parts[part + 1] - axis.parts[part]) + leaf - axis.parts[part];
            }
            let axis = &self.axes[split];
            for part in axis.filled_parts() {
                let tile = tile * (axis.parts.len() - 1) + part;
                let tile = self.axes[split + 1..].iter().fold(tile, |tile, inner| {
                    tile * (inner.parts.len() - 1) + inner.filled_parts().next().unwrap_or(0)
                });
                let nodes = || subtrees(axis.parts[part], axis.parts[part + 1], axis.leaves);
                let count = nodes().count();
                for (number, node) in nodes().enumerate() {
                    let slot = row * count + number;
                    step(GridStep::Take { position: stack.len(), tile, slot });
                    stack.push(split, node, &leaf, |position| step(GridStep::Combine { position }));
                }
            }
            // The next row of the axes before.
            let mut axis = split;
            loop {
                if axis == 0 {
                    return;
                }
                axis -= 1;
                leaf[axis] += 1;
                if leaf[axis] < self.axes[axis].leaves {
                    break;
                }
                leaf[axis] = 0;
            }
        }
    }

    /// [`walk`](Self::walk) over owned values: `take(tile, slot)` gives a slot's value. None only if
    /// there is no slot.
    pub fn fold<V>(
        &self,
        mut take: impl FnMut(usize, usize) -> V,
        mut combine: impl FnMut(V, V) -> V,
    ) -> Option<V> {
        let mut values = Vec::with_capacity(self.depth());
        self.walk(|step| match step {
            GridStep::Take { tile, slot, .. } => values.push(take(tile, slot)),
            GridStep::Combine { .. } => {
                let right = values.pop().expect("a right sibling");
                let left = values.pop().expect("a left sibling");
                values.push(combine(left, right));
            }
        });
        debug_assert!(values.len() <= 1);
        values.pop()
    }

    fn stack(&self) -> Stack {
        Stack::new(self.axes.iter().map(|a| a.leaves))
    }
}

impl GridAxis {
    /// Parts that have leaves.
    fn filled_parts(&self) -> impl Iterator<Item = usize> {
        (0..self.parts.len() - 1).filter(|&p| self.parts[p] < self.parts[p + 1])
    }

    fn part_of(&self, leaf: usize) -> usize {
        self.parts.partition_point(|&first| first <= leaf) - 1
    }
}

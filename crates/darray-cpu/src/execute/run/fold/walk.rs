//! The walk through the tree of a fold: leaf by leaf, or by subtrees of leaves where loops take these at once.

use super::FoldRun;
#[cfg(test)]
use crate::jit::PathCounter;
use darray_kernel::tree::{TileStep, TileTree, TileWalk};
use smallvec::SmallVec;
use std::ops::Range;

impl FoldRun<'_> {
    /// Goes on with the folds of `n` kept points, one where the fold goes by lanes: through the leaves of a
    /// part of the tile, whose tree this is, that begin below `end` along the first axis.
    ///
    /// # Safety
    /// As for [`run`](Self::run); the memory is what the walk left.
    pub unsafe fn go_on(&mut self, tree: &TileTree, walk: &mut TileWalk, end: usize, n: usize) {
        self.at_block();
        // SAFETY: the caller's contract.
        unsafe { self.resume(tree, walk, end, 0, n) };
    }

    /// Walks the tree for `n` points, the first of which is `point` of the block.
    ///
    /// # Safety
    /// The frame is at a block of the bound nest that has these points.
    pub(super) unsafe fn walk(&mut self, point: usize, n: usize) {
        let fold = self.fold;
        self.decided = false;
        // SAFETY: the caller's contract; every stack has a position, and a leaf that is all there is one slot.
        unsafe {
            if n == 1 && self.tile_in_any_order(point) {
                return;
            }
            if fold.is_one_leaf() {
                #[cfg(test)]
                PathCounter::OneLeaf.add(n);
                let ranges: SmallVec<[Range<usize>; 4]> =
                    fold.extents.iter().map(|&n| 0..n).collect();
                self.leaf(0, &ranges, point, n);
                return self.fill_slot(0, 0, point, n);
            }
            let mut walk = fold.tree.begin();
            if !self.walk_until_decided(&mut walk, point, n) {
                self.resume(&fold.tree, &mut walk, usize::MAX, point, n);
            }
        }
    }

    /// Goes on with a walk through a tree as far as the leaves below `end` along the first axis.
    ///
    /// # Safety
    /// As for [`walk`](Self::walk); the memory is what the walk left.
    pub(super) unsafe fn resume(
        &mut self,
        tree: &TileTree,
        walk: &mut TileWalk,
        end: usize,
        point: usize,
        n: usize,
    ) {
        let may_decide = self.may_decide(n);
        let steps = (self.fold.along, self.schedule.step_leaves);
        tree.resume_by_subtrees(walk, end, steps, |step| match step {
            // SAFETY: the ranges lie inside the reduced extents, and are those of a subtree of so many leaves at most.
            TileStep::Leaf { position, ranges } => unsafe {
                match self.decided {
                    true => self.put_decided(position),
                    false => self.leaf(position, ranges, point, n),
                }
                if may_decide && !self.decided {
                    self.note_decided(position);
                }
            },
            // SAFETY: positions of the stack that hold `n` values each.
            TileStep::Combine { position } => unsafe { self.combine(position, n) },
            // SAFETY: as above; the slot's results have room for the whole block.
            TileStep::Slot { position, slot } => unsafe {
                self.fill_slot(position, slot, point, n);
                // What comes next is another value.
                self.decided = false;
            },
        });
    }
}

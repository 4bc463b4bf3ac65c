//! The walk through the tree of a fold: leaf by leaf, or by whole subtrees of leaves where functions take these at once.

use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::machine::Machine;
use super::waiting::Way;
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
        let tree = &self.fold.tree;
        // SAFETY: the caller's contract.
        if n == 1 && unsafe { self.tile_in_any_order(point) } {
            return;
        }
        (self.decided, self.few) = (false, 1);
        // SAFETY: the caller's contract.
        if unsafe { self.fold_one_leaf(point, n) } {
            return;
        }
        let mut walk = tree.begin();
        // SAFETY: the caller's contract.
        unsafe {
            if !self.walk_until_decided(&mut walk, point, n) {
                self.resume(tree, &mut walk, usize::MAX, point, n);
            }
        }
    }

    /// Folds the leaf that is all there is, if it does not wait.
    ///
    /// # Safety
    /// As for [`walk`](Self::walk).
    unsafe fn fold_one_leaf(&mut self, point: usize, n: usize) -> bool {
        let fold = self.fold;
        let waits = || !self.held && fold.leaves_wait(self.bound, n);
        if !fold.one_leaf || self.ready.is_some() || waits() {
            return false;
        }
        #[cfg(test)]
        PathCounter::OneLeaf.add(n);
        self.end = usize::MAX;
        let ranges: SmallVec<[Range<usize>; 4]> = fold.extents.iter().map(|&n| 0..n).collect();
        // SAFETY: the caller's contract; every stack has a position, and the tile one slot.
        unsafe {
            self.leaf(0, &ranges, point, n);
            self.fill_slot(0, 0, point, n);
        }
        true
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
        self.end = end;
        let items = self.fold.items.len();
        let mut ready = self.ready.map(|values| values.chunks(items));
        // What is held is folded already.
        let wait = !self.held && self.fold.leaves_wait(self.bound, n);
        let way = wait.then(|| self.way(1, n));
        let may_decide = self.may_decide(n);
        let leaves = self.leaves_of_step(way.as_ref(), n);
        tree.resume_by_subtrees(walk, end, leaves, |step| match step {
            TileStep::Leaf { position, ranges } => match ready.as_mut().and_then(|r| r.next()) {
                // SAFETY: vectors of the stack have 8 bytes for every element.
                Some(values) => unsafe { self.take(position, values) },
                // SAFETY: the ranges lie inside the reduced extents, and are those of a subtree of so many leaves at most.
                None => unsafe {
                    match &way {
                        Some(way) => {
                            let folded =
                                leaves > 1 && self.fold_column_leaves(way, position, ranges, n);
                            if !folded {
                                self.wait(way, position, ranges, n);
                            }
                        }
                        None if self.decided => self.put_decided(position),
                        None if leaves > 1 && self.fold.any_order.is_none() => {
                            match &self.fold.products {
                                Some(products) if ranges[0].len() > self.fold.blocks[0] => {
                                    self.sum_leaves(products, position, ranges, n);
                                }
                                Some(_) => self.leaf(position, ranges, point, n),
                                None => self.fold_whole_leaves(ranges, position, point),
                            }
                        }
                        None => self.leaf(position, ranges, point, n),
                    }
                    if may_decide && !self.decided {
                        self.note_decided(position);
                    }
                },
            },
            TileStep::Combine { position }
                if self.combines_waiting(position) || self.combined_beside() => {}
            // SAFETY: positions of the stack that hold `n` values each.
            TileStep::Combine { position } => unsafe { self.combine(position, n) },
            // SAFETY: as above; the slot's results have room for the whole block.
            TileStep::Slot { position, slot } => unsafe {
                if let Some(way) = &way {
                    self.fold_waiting(way, n);
                }
                self.fill_slot(position, slot, point, n);
                // What comes next is another value.
                self.decided = false;
            },
        });
        if let Some(way) = &way {
            // SAFETY: the caller's contract.
            unsafe { self.fold_waiting(way, n) };
        }
    }

    /// Leaves of a subtree, at most, that are one step of a walk.
    fn leaves_of_step(&self, way: Option<&Way<'_>>, n: usize) -> usize {
        match way {
            _ if self.ready.is_some() || self.held => 1,
            Some(way) => self.column_leaves(way, n),
            None => self.fold.leaves_of_step,
        }
    }
}

impl BoundFold {
    /// Whether it sums products of several leaves of so many points by one call.
    fn sums_leaves(&self, points: usize) -> bool {
        let takes = |leaf| self.products.is_some_and(|sums| sums.takes_leaves(leaf, points));
        matches!(self.blocks[..], [leaf] if takes(leaf)) && self.band == 0
    }

    /// Finds how many [leaves are a step](Self::leaves_of_step), once it is said which way the fold goes and how many points a
    /// row has.
    pub(super) fn find_leaves_of_step(&mut self, machine: &Machine, points: usize) {
        let several = self.any_order.is_some() || self.sums_leaves(points);
        self.leaves_of_step = match several && !self.tree.is_empty() {
            true => usize::MAX,
            false => self.whole_leaves(machine),
        };
    }
}

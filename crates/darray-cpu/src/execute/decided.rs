//! Folds that a leaf decides: where a nest does nothing but `any` or `all` of something, what is behind the first leaf whose
//! value [nothing changes](super::bound_fold::BoundFold::decides) is not looked at.

use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::fold_values::LeafValue;
#[cfg(test)]
use crate::jit::PathCounter;
use darray_codegen::FoldMode;
use darray_kernel::tree::TileWalk;
use std::ops::Range;

/// Leaves of a point from which on it is worth looking whether it is decided.
const MANY_LEAVES: usize = 8;

impl BoundFold {
    /// Whether a leaf of one point may decide the fold.
    pub fn decides_by_leaf(&self) -> bool {
        let plain = !self.by_leaf && self.beside.is_none();
        self.decides.is_some() && self.mode == FoldMode::Lanes && plain
    }
}

impl FoldRun<'_> {
    /// Whether leaves of `n` points at once may decide a fold: those of one point that are folded one by one, or follow one
    /// another.
    pub(super) fn may_decide(&self, n: usize) -> bool {
        self.fold.decides_by_leaf() && !self.held && n == 1
    }

    /// Whether points are folded one by one as far as they are decided, rather than by the function for all of them: where
    /// each has many leaves.
    pub(super) fn ends_early(&self) -> bool {
        let many = self.fold.decides.is_some() && self.fold.leaves() >= MANY_LEAVES;
        many || self.fold.any_order.is_some()
    }

    /// Walks through the tree as far as a leaf decides its only value, which is the result then; tells whether one does. Looks
    /// are twice as far apart each time, so that few are in vain, and some leaves behind the one that decides are walked over.
    ///
    /// # Safety
    /// As for [`run`](Self::run); the walk is at its beginning.
    pub(super) unsafe fn walk_until_decided(
        &mut self,
        walk: &mut TileWalk,
        point: usize,
        n: usize,
    ) -> bool {
        let fold = self.fold;
        if !self.may_decide(n) || fold.tree.slots() != 1 {
            return false;
        }
        if let Some(leaves) = self.ready {
            self.decided = leaves.iter().any(|leaf| Some(leaf.value as u8) == fold.decides);
        }
        let mut end = fold.blocks[0].max(1);
        // SAFETY: the caller's contract; position 0 of the stack is there for every tree.
        unsafe {
            while !self.decided && self.ready.is_none() && end < fold.extents[0] {
                self.resume(&fold.tree, walk, end, point, n);
                end *= 2;
            }
            if self.decided {
                self.put_decided(0);
                self.fill_slot(0, 0, point, n);
                self.decided = false;
                #[cfg(test)]
                PathCounter::WalksEnded.add(1);
                return true;
            }
        }
        false
    }

    /// Notes whether the value at a position of the stack, that of a leaf of one point, decides its fold.
    ///
    /// # Safety
    /// The position holds a value.
    pub(super) unsafe fn note_decided(&mut self, position: usize) {
        let Some(value) = self.fold.decides else { return };
        // SAFETY: the caller's contract; it is a bool.
        self.decided = unsafe { self.memory.stack(0, position).values.read() } == value;
        #[cfg(test)]
        PathCounter::Decided.add(usize::from(self.decided));
    }

    /// Puts the value that decides the fold at a position of the stack.
    ///
    /// # Safety
    /// As for [`note_decided`](Self::note_decided).
    pub(super) unsafe fn put_decided(&self, position: usize) {
        let Some(value) = self.fold.decides else { return };
        // SAFETY: the caller's contract.
        unsafe { self.memory.stack(0, position).values.write(value) };
    }

    /// Gives the leaves at some [`places`](super::bound_fold::BoundFold::places) the value that decides the fold.
    ///
    /// # Safety
    /// As for [`leaves`](Self::leaves).
    pub(super) unsafe fn decide_leaves(&self, places: Range<usize>, out: *mut LeafValue) {
        let Some(value) = self.fold.decides else { return };
        for leaf in places.filter_map(|place| self.fold.leaf_at(place)) {
            // SAFETY: the caller's contract; such folds have one item.
            unsafe { out.add(leaf).write(LeafValue { value: value.into(), index: 0 }) };
        }
    }
}

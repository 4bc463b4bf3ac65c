//! Folds that a leaf decides: where a nest does nothing but `any` or `all` of something, what is behind the first leaf whose
//! value [nothing changes](crate::execute::bind::fold::BoundFold::decides) is not looked at.

use super::FoldRun;
#[cfg(test)]
use crate::jit::PathCounter;
use darray_codegen::FoldMode;
use darray_kernel::tree::TileWalk;

impl FoldRun<'_> {
    /// Whether leaves of `n` points at once may decide a fold: those of one point.
    pub(super) fn may_decide(&self, n: usize) -> bool {
        self.fold.decides.is_some() && self.schedule.mode == FoldMode::Lanes && n == 1
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
        let mut end = fold.blocks[0].max(1);
        // SAFETY: the caller's contract; position 0 of the stack is there for every tree.
        unsafe {
            while !self.decided && end < fold.extents[0] {
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
}

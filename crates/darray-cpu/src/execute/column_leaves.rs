//! Leaves of eight rows of kept points that follow one another and are a whole subtree: one call of a
//! [function](crate::jit::Native::run_column_leaves) that combines them as well.
//!
//! ```text
//! rows 0..8 | 8..16 | 16..24 | 24..32 | 32..40 | 40..45      one call | one call | waits for what comes behind it
//! ```
//!
//! What is done between two leaves took as long as a leaf of rows of some hundred elements, and meanwhile nothing was asked of memory.

use super::fold::FoldRun;
use super::waiting::{TOGETHER, Way};
use crate::jit::{LEAST_POINTS, Target};
use darray_codegen::Nest;
use darray_codegen::bind::Axes;
use std::ops::Range;

/// Bytes of the points, at most: with longer rows vectors that wait took longer than what is done between two leaves.
pub(super) const LONGEST: usize = 8 << 10;

/// Leaves that are folded, with all combinations between them.
pub(super) struct SubtreeOfColumns {
    /// The indices of those whose turn has not come.
    rest: Range<usize>,
    /// Combinations whose turn has not come.
    combinations: usize,
}

/// Whether a fold has several leaves of eight rows and machine code a function for them.
pub(super) fn may_be(nest: &Nest, axes: &Axes, target: Option<Target>) -> bool {
    nest.fold.as_ref().is_some_and(|fold| {
        let rows = fold.order.first().map_or(0, |&axis| axes.extents[axis as usize]);
        let several = axes.blocks(fold)[..] == [TOGETHER] && rows >= 2 * TOGETHER;
        several && target == Some(Target::Avx512)
    })
}

impl FoldRun<'_> {
    /// Whether the turn of a leaf has come that is folded.
    pub(super) fn is_folded(&mut self, ranges: &[Range<usize>]) -> bool {
        let Some(SubtreeOfColumns { rest, .. }) = &mut self.last.subtree else { return false };
        let is_next = rest.start < rest.end && rest.start == ranges[0].start;
        if is_next {
            rest.start = ranges[0].end;
        }
        is_next
    }

    /// Folds the largest whole subtree that begins with a leaf to a position of the stack, if it has several leaves and there is
    /// a function for them.
    ///
    /// # Safety
    /// As for [`wait`](Self::wait).
    pub(super) unsafe fn fold_subtree(
        &mut self,
        way: &Way<'_>,
        position: usize,
        ranges: &[Range<usize>],
        n: usize,
    ) -> bool {
        let (fold, native) = (self.fold, way.native);
        let Some(origins) = &way.origins else { return false };
        let (start, block) = (ranges[0].start, fold.blocks[0]);
        let short = (LEAST_POINTS..=LONGEST / fold.element()).contains(&n) && n <= way.piece;
        if !native.has_column_leaves() || !short {
            return false;
        }
        debug_assert_eq!(block, TOGETHER);
        let leaves = self.together(ranges, 0, usize::MAX);
        let number = (fold.position as usize + start) / block;
        let level = leaves.checked_ilog2().unwrap_or(0).min(number.trailing_zeros());
        if level == 0 {
            return false;
        }
        let leaves = 1 << level;
        let first = self.bound.specialised.machine.table.accesses;
        // SAFETY: the caller's contract; so many leaves lie in the tile, points are enough, and the stack has positions for all that
        // waits in a subtree.
        unsafe {
            self.fold_waiting(way, n);
            for ((&access, origin), down) in fold.accesses.iter().zip(origins).zip(&way.down) {
                let begin = origin.wrapping_offset(start as isize * down);
                self.frame.pointers[first + access as usize] = begin;
            }
            let memory = self.memory;
            self.point_values(|item| memory.stack(item, position).values);
            native.run_column_leaves(&mut self.frame.pointers, n, leaves, &way.steps[0]);
        }
        let rest = ranges[0].end..start + leaves * block;
        self.last.subtree = Some(SubtreeOfColumns { rest, combinations: leaves - 1 });
        true
    }

    /// Whether a combination is done, or will be with the leaf before it.
    pub(super) fn is_combined(&mut self, position: usize) -> bool {
        self.combined_in_subtree() || self.combines_waiting(position) || self.combined_beside()
    }

    /// Whether a combination is done: those of a subtree come before all others.
    fn combined_in_subtree(&mut self) -> bool {
        let Some(subtree) = &mut self.last.subtree else { return false };
        let is_done = subtree.combinations > 0;
        subtree.combinations -= usize::from(is_done);
        is_done
    }
}

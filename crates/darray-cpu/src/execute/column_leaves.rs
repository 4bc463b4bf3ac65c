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

/// Whether a fold has several leaves of eight rows and machine code a function for them.
pub(super) fn may_be(nest: &Nest, axes: &Axes, target: Option<Target>) -> bool {
    nest.fold.as_ref().is_some_and(|fold| {
        let rows = fold.order.first().map_or(0, |&axis| axes.extents[axis as usize]);
        let several = axes.blocks(fold)[..] == [TOGETHER] && rows >= 2 * TOGETHER;
        several && target == Some(Target::Avx512)
    })
}

impl FoldRun<'_> {
    /// Leaves of a subtree, at most, that are folded by one call of a function for `n` points: 1 if there is none.
    pub(super) fn column_leaves(&self, way: &Way<'_>, n: usize) -> usize {
        let short = (LEAST_POINTS..=LONGEST / self.fold.element()).contains(&n) && n <= way.piece;
        let fits = way.native.has_column_leaves() && way.origins.is_some() && short;
        if fits { usize::MAX } else { 1 }
    }

    /// Folds a subtree to a position of the stack, if it has several leaves.
    ///
    /// # Safety
    /// As for [`wait`](Self::wait); the ranges are those of a subtree of [as many leaves](Self::column_leaves) at most.
    pub(super) unsafe fn fold_column_leaves(
        &mut self,
        way: &Way<'_>,
        position: usize,
        ranges: &[Range<usize>],
        n: usize,
    ) -> bool {
        let (fold, native) = (self.fold, way.native);
        let (start, block) = (ranges[0].start, fold.blocks[0]);
        debug_assert_eq!(block, TOGETHER);
        let (Some(origins), true) = (&way.origins, ranges[0].len() > block) else { return false };
        let leaves = ranges[0].len() / block;
        let first = self.bound.specialised.machine.table.accesses;
        // SAFETY: the caller's contract; points are enough, and the stack has positions for all that waits in a subtree.
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
        true
    }
}

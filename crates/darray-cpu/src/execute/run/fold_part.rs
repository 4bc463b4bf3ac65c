//! Folds over rows of which a thread goes through a part, piece by piece, and those without kept axes, all of it at once.
//!
//! ```text
//! thread 0   leaves 0..3   ->  subtrees 0..2, 2
//! thread 1   leaves 3..6   ->  subtrees 3, 4..6     then: joined to what the whole tile's fold gives
//! ```

use super::super::bind::Bound;
use super::fold::FoldRun;
use super::fold_memory::FoldMemory;
use super::worker::Worker;
use crate::memory::Storage;
use darray_codegen::FoldMode;
use darray_kernel::tree::{TileTree, TileWalk};
use smallvec::SmallVec;
use std::ops::Range;

/// A part of a fold over rows that waits for more of its rows.
pub(in super::super) struct FoldPart {
    tree: TileTree,
    walk: TileWalk,
    /// What waits, of one block of kept points after the other.
    memory: Storage,
}

impl FoldPart {
    /// The fold of a nest over some of its rows, which are cut at leaves.
    pub fn new(bound: &Bound<'_>, rows: Range<usize>) -> FoldPart {
        let fold = bound.fold.as_ref().expect("a fold over rows");
        let tree = fold.tree.part(rows);
        let mut memory = Storage::default();
        memory.reserve(bytes(bound, &tree));
        FoldPart { walk: tree.begin(), tree, memory }
    }

    /// Bytes that such a part takes.
    pub fn bytes(bound: &Bound<'_>, rows: Range<usize>) -> usize {
        bound.fold.as_ref().map_or(0, |fold| bytes(bound, &fold.tree.part(rows)))
    }

    /// Values of a kept point.
    pub fn slots(&self) -> usize {
        self.tree.slots()
    }
}

/// Bytes of what waits, for a part with this tree.
fn bytes(bound: &Bound<'_>, tree: &TileTree) -> usize {
    let memory = FoldMemory::new(bound).of_part(tree, std::ptr::null_mut(), 0);
    memory.deferred_bytes() * blocks(bound)
}

/// Blocks of kept points of a fold over rows.
pub(in super::super) fn blocks(bound: &Bound<'_>) -> usize {
    bound.rows() * bound.schedule.vector.extent.div_ceil(points(bound))
}

/// Kept points of a block, in one row of the kept loops.
fn points(bound: &Bound<'_>) -> usize {
    let kept = bound.schedule.fold.as_ref().is_some_and(|fold| fold.mode == FoldMode::Kept);
    if kept { bound.schedule.block } else { 1 }
}

impl Worker<'_> {
    /// Goes on with a part of a fold over rows, for all kept points, through the leaves that begin before row
    /// `end` of the tile.
    ///
    /// # Safety
    /// As for [`run`](Self::run) of the whole nest, of which other threads may run other parts.
    pub unsafe fn fold_rows(&mut self, part: &mut FoldPart, end: usize) {
        let bound = self.bound;
        let Some(fold) = &bound.fold else { return };
        let base = part.memory.reserve(0);
        let blocks = blocks(bound);
        // SAFETY: the caller's contract; the memory has room for every block.
        unsafe {
            self.each_block(0..blocks, &mut |worker, block, n| {
                let memory = worker.memory.of_part(&part.tree, base, block);
                let frame = &mut *worker.frame;
                let mut run = FoldRun::new(bound, fold, frame, &memory);
                // The last block takes the part further.
                match block + 1 == blocks {
                    true => run.go_on(&part.tree, &mut part.walk, end, n),
                    false => run.go_on(&part.tree, &mut part.walk.clone(), end, n),
                }
            });
        }
    }

    /// Joins the parts of a fold over rows, which have gone through all of theirs, for some blocks of kept
    /// points, and does what comes after the fold.
    ///
    /// # Safety
    /// As for [`run`](Self::run) of those points; the parts are all rows, in order.
    pub unsafe fn join_rows(&mut self, parts: &[&FoldPart], blocks: Range<usize>) {
        let bound = self.bound;
        let (Some(fold), machine) = (&bound.fold, &bound.specialised.machine) else { return };
        // SAFETY: the caller's contract.
        unsafe {
            self.each_block(blocks, &mut |worker, block, n| {
                let place =
                    |part: &FoldPart| worker.memory.of_part(&part.tree, part.memory.start(), block);
                let parts: SmallVec<[_; 4]> = parts.iter().map(|p| (&p.tree, place(p))).collect();
                let (frame, memory) = (&mut *worker.frame, &worker.memory);
                FoldRun::new(bound, fold, frame, memory).join(&parts, n);
                worker.keep_results();
                worker.list(&machine.after_row, 1);
                worker.list(&machine.after, n);
            });
        }
    }

    /// Calls `work` for some blocks of kept points, with the block's number and its points, what stands before
    /// the fold having run.
    unsafe fn each_block(
        &mut self,
        blocks: Range<usize>,
        work: &mut dyn FnMut(&mut Self, usize, usize),
    ) {
        let bound = self.bound;
        let (machine, points) = (&bound.specialised.machine, points(bound));
        let columns = bound.schedule.vector.extent;
        let per_row = columns.div_ceil(points);
        let mut block = blocks.start;
        while block < blocks.end {
            let (row, first) = (block / per_row, block % per_row * points);
            self.odometer_at(row);
            self.start_row(first);
            // SAFETY: the caller's contract; blocks stay inside the columns.
            unsafe {
                self.list(&machine.before_row, 1);
                for column in (first..columns).step_by(points) {
                    if block == blocks.end {
                        return;
                    }
                    let n = points.min(columns - column);
                    self.list(&machine.before, n);
                    work(self, block, n);
                    block += 1;
                    self.advance(n);
                }
            }
        }
    }
}

//! Leaves of which a thread folds some rows at a time: their lanes are held meanwhile.

use super::bind::Bound;
use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::fold_values::keep;
use super::row_blocks::Held;
use darray_codegen::FoldMode;
use std::ops::Range;

impl BoundFold {
    /// The leaves whose lanes can be held, if all that the fold does is to go from row to row along kept points.
    pub fn held(&self, bound: &Bound<'_>) -> Option<Held> {
        let &[leaf] = &self.blocks[..] else { return None };
        let lanes = self.band.max(1);
        let by_rows = self.mode == FoldMode::Kept
            && lanes == self.tree.lanes()
            && self.packing.is_empty()
            && (self.joined, self.abreast) == (0, 1)
            && self.across.is_none()
            && bound.point_rows.is_none();
        by_rows.then_some(Held { leaf, lanes })
    }
}

impl FoldRun<'_> {
    /// Folds rows of a leaf, for `n` kept points, into the lanes that the band holds. They are rows of lanes that follow one
    /// another, or begin with the first lane.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest, whose fold [can be held](BoundFold::held); the rows lie in
    /// the tile, and the band is where it was for the leaf's rows before.
    pub unsafe fn hold_lanes(&mut self, rows: Range<usize>, n: usize) {
        let (fold, memory) = (self.fold, self.memory);
        let lanes = fold.band.max(1);
        // Leaves are powers of two.
        let within = rows.start & (fold.last_block() - 1);
        let first = within & (lanes - 1);
        self.at_block();
        // SAFETY: the caller's contract: a row of the range is of a lane from the first on.
        unsafe {
            if within < lanes {
                let place = self.place(&[rows.start]);
                self.start_lanes(first..lanes.min(first + rows.len()), n, place);
            }
            // Behind the last lane there is no row, though it may be asked how far the next lane is.
            let acc =
                |number: usize, lane: usize| memory.band(number, (first + lane) & (lanes - 1));
            self.kept_rows(&[rows], n, lanes, acc);
        }
    }

    /// Combines the lanes of a leaf with so many rows, which the band holds, to values at a position of the stack.
    ///
    /// # Safety
    /// Lanes that have rows hold `n` values each.
    pub unsafe fn keep_lanes(&mut self, position: usize, rows: usize, n: usize) {
        let (fold, memory) = (self.fold, self.memory);
        // SAFETY: the caller's contract; of lanes that no index falls into nothing is used.
        unsafe {
            self.combine_kept(fold.band.min(rows).max(1), n);
            for (number, item) in fold.items.iter().enumerate() {
                keep(memory.band(number, 0), memory.stack(number, position), n, item);
            }
        }
    }

    /// Sets some lanes of the band, with `n` kept points each, to what the folds of every item start from.
    pub(super) unsafe fn start_lanes(&self, lanes: Range<usize>, n: usize, first: i64) {
        let memory = self.memory;
        for (number, item) in self.fold.items.iter().enumerate() {
            let (vectors, n) = match memory.side_by_side(n, item) {
                Some(step) => (lanes.start..lanes.start + 1, lanes.len() * step),
                None => (lanes.clone(), n),
            };
            for lane in vectors {
                // SAFETY: one of the lanes, or all of them with what is between them, which belongs to the band.
                unsafe { self.start_item(item, memory.band(number, lane), n, first) };
            }
        }
    }

    /// Combines the first `used` lanes of every item into the first, for `n` kept points.
    pub(super) unsafe fn combine_kept(&self, used: usize, n: usize) {
        for (number, item) in self.fold.items.iter().enumerate() {
            let step = self.memory.side_by_side(n, item);
            let mut width = self.fold.band / 2;
            while width > 0 {
                let lanes = width.min(used.saturating_sub(width));
                let (vectors, n) = match step {
                    Some(step) if lanes > 1 => (1, lanes * step),
                    _ => (lanes, n),
                };
                for lane in 0..vectors {
                    let acc = self.memory.band(number, lane);
                    let later = self.memory.band(number, lane + width);
                    // SAFETY: vectors that hold `n` values each, or those of several lanes with what is between them, as they
                    // were started.
                    unsafe { (item.folding.combine)(acc, later, n) };
                }
                width /= 2;
            }
        }
    }
}

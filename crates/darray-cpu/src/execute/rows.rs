//! Kernels by rows: their nests one after the other on a block of rows, then on the next one.
//!
//! ```text
//! rows 0..R    nest 0: s = x . w     nest 1: e = f(s)     nest 2: leaves of x^T . e
//! rows R..2R   ..                    ..                   ..            then its results
//! ```
//!
//! What the nests read together is read from memory once: a block is as long as the second-level cache
//! likes. A fold over the rows keeps its place in the reduction tree between two blocks; blocks are whole
//! leaves of it.

use super::bind::Bound;
use super::compiled::Compiled;
use super::fold_memory::FoldMemory;
use super::frame::{Frame, Storage};
use super::worker::Worker;
use darray_codegen::FoldMode;
use darray_kernel::tree::TileWalk;
use std::ops::Range;

/// Bytes of a block of rows, in the access that has the most: half of a second-level cache.
const BLOCK: usize = 1 << 18;

/// A nest of a kernel by rows.
pub(super) enum RowNest<'r> {
    /// It keeps the rows: the loops around its rows, its rows, what each has, or its rows are the
    /// columns of the nest.
    Kept { bound: &'r Bound<'r>, place: Place },
    /// It folds over the rows.
    Folded { bound: &'r Bound<'r>, state: Box<FoldState> },
}

/// Where a nest has its rows.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// The vector axis.
    Columns,
    /// One of the outer loops: iterations of the loops around it, rows, iterations of those inside.
    Loop { around: usize, rows: usize, inside: usize },
    /// There is one row.
    One,
}

/// Folds over rows that wait for more rows, one for each block of kept points.
pub(super) struct FoldState {
    walk: TileWalk,
    memory: Storage,
    /// Kept points of a block, in one row of the kept loops.
    points: usize,
}

/// Goes through all rows.
///
/// # Safety
/// The nests were bound to live blocks, and nobody else runs them; cells are in place.
pub(super) unsafe fn run_by_rows(
    compiled: &Compiled,
    nests: &mut [RowNest<'_>],
    frame: &mut Frame,
) {
    let rows = nests.iter().map(RowNest::rows).max().unwrap_or(0);
    let block = block_of(nests);
    for first in (0..rows).step_by(block) {
        let range = first..(first + block).min(rows);
        for nest in &mut *nests {
            // SAFETY: the caller's contract.
            unsafe { nest.run(compiled, frame, range.clone()) };
        }
    }
    for nest in nests {
        // SAFETY: the caller's contract; all rows have been gone through.
        unsafe { nest.finish(compiled, frame) };
    }
}

/// Rows of a block: whole leaves of every fold over rows.
fn block_of(nests: &[RowNest<'_>]) -> usize {
    let bytes = |nest: &RowNest<'_>| {
        let bound = nest.bound();
        let reduced = bound.fold.as_ref().map_or(1, |fold| fold.points);
        bound.rows() * bound.vector.extent * reduced / nest.rows().max(1) * 8
    };
    let leaf = |nest: &RowNest<'_>| match nest {
        RowNest::Kept { .. } => 1,
        RowNest::Folded { bound, .. } => bound.fold.as_ref().map_or(1, |fold| fold.blocks[0]),
    };
    let widest = nests.iter().map(bytes).max().unwrap_or(1).max(1);
    let leaf = nests.iter().map(leaf).max().unwrap_or(1);
    // Blocks of leaves are powers of two.
    (BLOCK / widest).max(1).next_multiple_of(leaf)
}

impl<'r> RowNest<'r> {
    /// A bound nest of a kernel by rows.
    pub fn new(bound: &'r Bound<'r>) -> RowNest<'r> {
        let axis = bound.nest.rows();
        let kept = axis.is_some_and(|axis| (axis as usize) < bound.nest.kept);
        if let (false, Some(fold)) = (kept, &bound.fold) {
            let points = if fold.mode == FoldMode::Kept { bound.block } else { 1 };
            let memory = FoldMemory::new(bound).bytes();
            let blocks = bound.rows() * bound.vector.extent.div_ceil(points);
            let mut state =
                FoldState { walk: fold.tree.begin(), memory: Storage::default(), points };
            state.memory.reserve(memory * blocks);
            return RowNest::Folded { bound, state: Box::new(state) };
        }
        let is_rows = |l: &darray_codegen::bind::Loop| Some(l.axis) == axis;
        let place = match bound.outer.iter().position(is_rows) {
            Some(at) => {
                let product = |loops: &[darray_codegen::bind::Loop]| -> usize {
                    loops.iter().map(|l| l.extent).product()
                };
                let (around, inside) =
                    (product(&bound.outer[..at]), product(&bound.outer[at + 1..]));
                Place::Loop { around, rows: bound.outer[at].extent, inside }
            }
            None if is_rows(&bound.vector) => Place::Columns,
            None => Place::One,
        };
        RowNest::Kept { bound, place }
    }

    fn bound(&self) -> &'r Bound<'r> {
        match self {
            RowNest::Kept { bound, .. } | RowNest::Folded { bound, .. } => bound,
        }
    }

    /// Rows of the tile.
    fn rows(&self) -> usize {
        match self {
            RowNest::Folded { bound, .. } => bound.fold.as_ref().map_or(0, |f| f.extents[0]),
            RowNest::Kept { bound, place: Place::Columns } => bound.vector.extent,
            RowNest::Kept { place: Place::Loop { rows, .. }, .. } => *rows,
            RowNest::Kept { place: Place::One, .. } => 1,
        }
    }

    /// Runs some rows.
    unsafe fn run(&mut self, compiled: &Compiled, frame: &mut Frame, range: Range<usize>) {
        // SAFETY: the rows are inside the nest; the caller's contract.
        unsafe {
            match self {
                RowNest::Kept { bound, place } => {
                    let mut worker = Worker::new(compiled, bound, frame);
                    let columns = 0..bound.vector.extent;
                    match *place {
                        Place::Columns => worker.run(0..bound.rows(), range),
                        Place::One => worker.run(0..bound.rows(), columns),
                        Place::Loop { around, rows, inside } => {
                            for outer in 0..around {
                                let at = |row: usize| (outer * rows + row) * inside;
                                worker.run(at(range.start)..at(range.end), columns.clone());
                            }
                        }
                    }
                }
                RowNest::Folded { bound, state } => {
                    let mut worker = Worker::new(compiled, bound, frame);
                    let base = state.memory.reserve(0);
                    worker.fold_rows(&state.walk, range.end, state.points, base);
                    let fold = bound.fold.as_ref().expect("a fold over rows");
                    fold.tree.resume(&mut state.walk, range.end, |_| {});
                }
            }
        }
    }

    /// Runs what comes after a fold over all rows.
    unsafe fn finish(&mut self, compiled: &Compiled, frame: &mut Frame) {
        if let RowNest::Folded { bound, state } = self {
            let mut worker = Worker::new(compiled, bound, frame);
            // SAFETY: the caller's contract.
            unsafe { worker.finish_fold(state.points, state.memory.reserve(0)) };
        }
    }
}

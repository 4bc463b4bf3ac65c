//! Kernels by rows: their nests one after the other on a block of rows, then on the next one.
//!
//! ```text
//!                        nest 0: s = x . w     nest 1: e = f(s)     nest 2: leaves of x^T . e
//! thread 0   rows 0..R          ..                    ..                   ..
//!            rows R..2R         ..                    ..                   ..
//! thread 1   rows 2R..3R        ..                    ..                   ..
//!            rows 3R..          ..                    ..                   ..          then its results
//! ```
//!
//! What the nests read together is read from memory once: a block is as long as the second-level cache
//! likes, and a thread has rows of its own. A fold over the rows keeps its place in the reduction tree between
//! two blocks; blocks are whole leaves of it. The rows of a thread are whole leaves, whose subtrees are joined in the end.

use super::super::bind::arguments::Arguments;
use super::super::bind::{Bound, Streaming};
use super::super::run::fold_part::{FoldPart, blocks};
use super::super::run::frame::{Frame, LaunchCells, with_frame};
use super::super::run::worker::Worker;
use super::super::schedule::summary::LARGEST;
use super::super::schedule::tuning::{
    NEAR_BYTES, ROW_BLOCK_BYTES, ROWS_OF_A_LINE, UNRELATED_TIMES,
};
use super::nest::{part_of, run_nest};
use super::row_nest::RowNest;
use crate::workers::Workers;
use darray_codegen::bind::Axes;
use darray_codegen::{Nest, Program};
use darray_device::RowStats;
use std::ops::Range;
use std::sync::OnceLock;

/// How the nests of a launch of a kernel by rows ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RanByRows {
    /// Together, on one thread.
    Alone,
    /// Together, on several threads.
    Shared,
    /// One after the other: they cannot be shared by the threads.
    Apart,
    /// One after the other: there is nothing to read together.
    Unrelated,
}

impl RanByRows {
    /// Counts the launch.
    pub fn count(self, stats: &mut RowStats) {
        match self {
            RanByRows::Alone => stats.alone += 1,
            RanByRows::Shared => stats.shared += 1,
            RanByRows::Apart => stats.apart += 1,
            RanByRows::Unrelated => stats.unrelated += 1,
        }
    }
}

/// Runs the nests of a kernel by rows; gives how, if there are several.
///
/// # Safety
/// As for [`run_nest`], of every nest; rows touch no element that another row writes.
pub(in super::super) unsafe fn run_kernel_by_rows(
    program: &Program,
    nests: &[Bound<'_>],
    frame: &mut Frame,
    workers: &Workers,
) -> Option<RanByRows> {
    // Operations outside of loops come first.
    let first = nests.iter().take_while(|bound| bound.nest.axes.is_empty()).count();
    let (scalars, loops) = nests.split_at(first);
    let work = loops.iter().map(|bound| bound.work).fold(0, usize::saturating_add);
    let nests: Vec<RowNest<'_>> = loops.iter().map(RowNest::new).collect();
    let parts = parts(&nests, workers.threads_for(work));
    // SAFETY: the caller's contract.
    unsafe {
        scalars.iter().for_each(|bound| run_nest(program, bound, frame, workers));
        let Some(parts) = parts else {
            loops.iter().for_each(|bound| run_nest(program, bound, frame, workers));
            return (rows_of(&nests) > 0).then_some(RanByRows::Apart);
        };
        let cells = LaunchCells::new(frame, program.cells.count as usize);
        let together = Together { program, block: rows_of_block(&nests), nests, cells };
        together.run(&parts, frame, workers);
        Some(match parts.len() {
            1 => RanByRows::Alone,
            _ => RanByRows::Shared,
        })
    }
}

/// Whether the nests of a kernel by rows are better run one after the other, where each may go along memory as it likes: the
/// caches keep what all touch, or one goes through so much more than the others that there is nothing to read together.
pub(in super::super) fn are_unrelated(
    program: &Program,
    arguments: &Arguments<'_>,
    streaming: Streaming,
) -> bool {
    let points = |nest: &Nest| -> usize {
        Axes::new(nest, arguments).map_or(0, |axes| axes.extents.iter().product())
    };
    let (mut most, mut all) = (0, 0usize);
    for points in program.nests.iter().map(points) {
        most = points.max(most);
        all = all.saturating_add(points);
    }
    let bytes = most * LARGEST;
    bytes < streaming.together || bytes >= NEAR_BYTES && (all - most) * UNRELATED_TIMES <= most
}

/// Rows of the nests; 0 where there is only one nest.
fn rows_of(nests: &[RowNest<'_>]) -> usize {
    if nests.len() < 2 { 0 } else { nests.iter().map(RowNest::rows).max().unwrap_or(0) }
}

/// The rows of each thread, whole leaves of every fold over rows; none where the nests are better run one
/// after the other.
fn parts(nests: &[RowNest<'_>], threads: usize) -> Option<Vec<Range<usize>>> {
    let rows = rows_of(nests);
    if rows == 0 || nests.iter().any(|nest| nest.rows() != rows) {
        return None;
    }
    // A domain without elements is one leaf.
    if threads == 1 || nests.iter().any(RowNest::is_empty) {
        return Some(std::iter::once(0..rows).collect());
    }
    let leaf = leaf_of(nests);
    // The longest part is an equal share and a half at most.
    let fits = |&unit: &usize| {
        let units = rows.div_ceil(unit);
        units.div_ceil(threads.min(units)) * unit * threads * 2 <= rows * 3
    };
    let unit = [leaf.max(ROWS_OF_A_LINE), leaf].into_iter().find(fits)?;
    let count = threads.min(rows.div_ceil(unit));
    let parts: Vec<_> = (0..count).map(|part| part_of(rows, unit, part, count)).collect();
    // What every thread holds of folds over a few rows may be as much as the rows.
    let folded = nests.iter().filter(|nest| nest.is_folded());
    let bytes = |nest: &RowNest<'_>| -> usize {
        parts.iter().map(|rows| FoldPart::bytes(nest.bound, rows.clone())).sum()
    };
    let held: usize = folded.map(bytes).sum();
    (held <= ROW_BLOCK_BYTES.max(rows * widest(nests) / 4)).then_some(parts)
}

/// Rows of a block: whole leaves of every fold over them, as many as the second-level cache likes.
fn rows_of_block(nests: &[RowNest<'_>]) -> usize {
    let least = nests.iter().map(RowNest::least).max().unwrap_or(1);
    let fit = (ROW_BLOCK_BYTES / widest(nests).max(1)).max(least);
    fit.next_multiple_of(leaf_of(nests))
}

/// Bytes of a row in the access that has the most.
fn widest(nests: &[RowNest<'_>]) -> usize {
    nests.iter().map(RowNest::row_bytes).max().unwrap_or(1)
}

/// Rows of the longest leaf of a fold over rows.
fn leaf_of(nests: &[RowNest<'_>]) -> usize {
    nests.iter().map(RowNest::leaf).max().unwrap_or(1)
}

/// The nests of a kernel by rows, to be run together.
struct Together<'r> {
    program: &'r Program,
    nests: Vec<RowNest<'r>>,
    /// Rows of a block.
    block: usize,
    cells: LaunchCells,
}

impl Together<'_> {
    /// Goes through all rows, each thread through a part of them.
    ///
    /// # Safety
    /// The nests were bound to live blocks, and nobody else runs them; rows touch no element that another
    /// row writes, and parts are disjoint.
    unsafe fn run(&self, parts: &[Range<usize>], frame: &mut Frame, workers: &Workers) {
        let done: Vec<OnceLock<Vec<FoldPart>>> = parts.iter().map(|_| OnceLock::new()).collect();
        let part = |part: usize, frame: &mut Frame| {
            // SAFETY: the caller's contract.
            let folds = unsafe { self.part(parts[part].clone(), frame) };
            // Nobody else has this part.
            let _ = done[part].set(folds);
        };
        let other = |k: usize, frame: &mut Frame| {
            self.cells.lay(frame);
            part(k, frame);
        };
        workers.split_own(parts.len(), |k| with_frame(|frame| other(k, frame)), |k| part(k, frame));
        let folded = self.nests.iter().filter(|nest| nest.is_folded());
        for (number, nest) in folded.enumerate() {
            let parts: Vec<&FoldPart> =
                done.iter().filter_map(|folds| folds.get()?.get(number)).collect();
            // SAFETY: the caller's contract; all rows have been gone through.
            unsafe { self.finish(nest.bound, &parts, frame, workers) };
        }
    }

    /// Goes through some rows; gives what the folds over rows hold of them, nest by nest.
    ///
    /// # Safety
    /// As for [`run`](Self::run); no other thread has these rows, and the launch's cells are in place.
    unsafe fn part(&self, rows: Range<usize>, frame: &mut Frame) -> Vec<FoldPart> {
        let folded = self.nests.iter().filter(|nest| nest.is_folded());
        let mut folds: Vec<FoldPart> =
            folded.map(|nest| FoldPart::new(nest.bound, rows.clone())).collect();
        for first in rows.clone().step_by(self.block) {
            let block = first..(first + self.block).min(rows.end);
            let mut own = folds.iter_mut();
            for nest in &self.nests {
                let fold = if nest.is_folded() { own.next() } else { None };
                let mut worker = Worker::new(self.program, nest.bound, frame);
                // SAFETY: the caller's contract.
                unsafe {
                    match fold {
                        None => nest.run(&mut worker, block.clone()),
                        Some(fold) => worker.fold_rows(fold, block.end),
                    }
                }
            }
        }
        folds
    }

    /// Joins the parts of a fold over rows, and does what comes after it.
    ///
    /// # Safety
    /// As for [`run`](Self::run); the parts are all rows.
    unsafe fn finish(
        &self,
        bound: &Bound<'_>,
        parts: &[&FoldPart],
        frame: &mut Frame,
        workers: &Workers,
    ) {
        let blocks = blocks(bound);
        let slots: usize = parts.iter().map(|part| part.slots()).sum();
        let operations = slots + bound.specialised.code.after.len();
        let points = bound.rows().saturating_mul(bound.schedule.vector.extent);
        let threads = workers.threads_for(points.saturating_mul(operations)).min(blocks);
        // SAFETY: blocks of kept points are disjoint, the rest is the caller's contract.
        let join = |part: usize, frame: &mut Frame| unsafe {
            let blocks = part_of(blocks, 1, part, threads);
            Worker::new(self.program, bound, frame).join_rows(parts, blocks);
        };
        let other = |part: usize, frame: &mut Frame| {
            self.cells.lay(frame);
            join(part, frame);
        };
        workers.split_own(threads, |k| with_frame(|frame| other(k, frame)), |k| join(k, frame));
    }
}

#[cfg(test)]
mod tests {
    use super::{RanByRows, are_unrelated};
    use crate::execute::bind::Streaming;
    use crate::execute::launch::launch;
    use crate::execute::testing::{Array, with_arguments};
    use crate::jit::Target;
    use crate::level::Level;
    use crate::workers::Workers;

    #[test]
    fn what_only_one_nest_reads_is_not_read_together() {
        let text = |columns: &str| {
            format!(
                "kernel params=3 scalars=[] by rows b0: f64 rank 2 read noalias b1: f64 rank 1 readwrite noalias
                 b2: f64 rank 2 readwrite noalias
                 {{ for (i0: extent=p0 origin=p2 global=p0 logical=0) {{
                    fold (i1: extent=p1 origin=p2 global=p1 logical=1)
                    lanes=32 width=64 rounds=32 alone=8 {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] }}
                    %1 = sum %0 store b1[p2 + 1*i0] %1 }}
                 for (i0: extent=p0 origin=p2 global=p0 logical=0{columns}) {{ %2 = load b1[p2 + 1*i0]
                    %3 = div.f64 %2 %2 store b2[p2 + 1*i0, p2{}] %3 }} }}",
                if columns.is_empty() { "" } else { " + 1*i1" }
            )
        };
        let both = ", i1: extent=p1 origin=p2 global=p1 logical=1";
        for jit in [None, Target::of(Level::detect())] {
            for (columns, extents, expected) in [
                ("", [256, 512], RanByRows::Unrelated),
                (both, [256, 512], RanByRows::Alone),
                // All of it is in the cache.
                (both, [256, 256], RanByRows::Unrelated),
                // Results are not so much less than what they are of.
                ("", [16_384, 8], RanByRows::Alone),
            ] {
                let [rows, columns_of] = extents;
                let strides = [columns_of as i64, 1];
                let arrays = [
                    Array { block: 0, offset: 0, strides: &strides },
                    Array { block: 1, offset: 0, strides: &[1] },
                    Array { block: 2, offset: 0, strides: &strides },
                ];
                let (text, params) = (text(columns), [rows, columns_of, 0]);
                with_arguments(&text, &arrays, &params, jit, |compiled, arguments, blocks| {
                    // SAFETY: the blocks hold so many elements, and nobody else knows them.
                    unsafe { (0..rows * columns_of).for_each(|k| blocks[0].add(k).write(1.0)) };
                    let streaming = Streaming::from(usize::MAX);
                    let unrelated = are_unrelated(compiled.program(), arguments, streaming);
                    assert_eq!(unrelated, expected == RanByRows::Unrelated, "{extents:?}");
                    let ran = launch(compiled, arguments, &Workers::new(1, 0), streaming).unwrap();
                    assert_eq!(ran, Some(expected), "{extents:?}");
                    // SAFETY: as above.
                    let results = unsafe { [blocks[1].add(rows - 1).read(), blocks[2].read()] };
                    assert_eq!(results, [columns_of as f64, 1.0]);
                });
            }
        }
    }
}

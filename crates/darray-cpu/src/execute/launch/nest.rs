//! A nest, which threads share.

use super::super::bind::Bound;
use super::super::bind::fold::BoundFold;
use super::super::run::fold_part::{FoldPart, blocks};
use super::super::run::frame::{Frame, LaunchCells, with_frame};
use super::super::run::worker::Worker;
use super::super::schedule::tuning::{
    PART_LEAVES, PART_OPERATIONS, PARTS_OF_THREAD, ROWS_OF_A_LINE, SHARED_BLOCK, SHARED_FOLD_BLOCK,
    SHARED_FOLD_UNIT,
};
use crate::workers::Workers;
use darray_codegen::{FoldMode, Node, Program};
use std::ops::Range;
use std::sync::OnceLock;

/// Runs a nest, which threads share if it is worth it.
///
/// # Safety
/// The nest was bound to live blocks, and its points write disjoint elements; the launch's cells are in place.
pub(in super::super) unsafe fn run_nest(
    program: &Program,
    bound: &Bound<'_>,
    frame: &mut Frame,
    workers: &Workers,
) {
    let cells = LaunchCells::new(frame, program.cells.count as usize);
    let threads = workers.threads_for(bound.work);
    let job = Job { program, bound, cells };
    if bound.nest.kept > 0 {
        if let Some(parts) = parts_of_fold(bound, threads) {
            // SAFETY: the caller's contract.
            return unsafe { job.fold(&parts, frame, workers) };
        }
        let pieces = match bound.fold {
            None if threads > 1 => {
                (bound.work / threads / PART_OPERATIONS).clamp(1, PARTS_OF_THREAD)
            }
            _ => 1,
        };
        let parts = threads * pieces;
        // SAFETY: parts are disjoint, the rest is the caller's contract.
        let part = |part: usize, frame: &mut Frame| unsafe { job.points(part, parts, frame) };
        workers.split_own(parts, |k| with_frame(|frame| part(k, frame)), |k| part(k, frame));
        return;
    }
    if let Some(parts) = parts_of_fold(bound, threads) {
        // SAFETY: the caller's contract.
        return unsafe { job.fold(&parts, frame, workers) };
    }
    // SAFETY: the caller's contract.
    unsafe { Worker::new(program, bound, frame).run(0..1, 0..1) };
}

/// A nest that several threads share.
struct Job<'j> {
    program: &'j Program,
    bound: &'j Bound<'j>,
    /// Cells of the launch.
    cells: LaunchCells,
}

impl Job<'_> {
    /// Runs one of so many parts of the kept points.
    ///
    /// # Safety
    /// No other thread runs the same part.
    unsafe fn points(&self, part: usize, parts: usize, frame: &mut Frame) {
        let (rows, columns) = (self.bound.rows(), self.bound.schedule.vector.extent);
        let (rows, columns) = if rows >= 2 * parts {
            (part_of(rows, 1, part, parts), 0..columns)
        } else {
            (0..rows, part_of(columns, unit(self.bound, parts), part, parts))
        };
        // SAFETY: parts are disjoint, the rest is the caller's contract.
        unsafe { self.worker(frame).run(rows, columns) };
    }

    /// Folds parts of a nest of few kept points, and joins them.
    ///
    /// # Safety
    /// As for [`run_nest`]; the parts are all of the nest, in order.
    unsafe fn fold(&self, parts: &[Range<usize>], frame: &mut Frame, workers: &Workers) {
        let done: Vec<OnceLock<FoldPart>> = parts.iter().map(|_| OnceLock::new()).collect();
        let part = |number: usize, frame: &mut Frame| {
            let mut part = FoldPart::new(self.bound, parts[number].clone());
            // SAFETY: the caller's contract; nobody else has this part.
            unsafe { self.worker(frame).fold_rows(&mut part, parts[number].end) };
            let _ = done[number].set(part);
        };
        workers.split_own(parts.len(), |k| with_frame(|frame| part(k, frame)), |k| part(k, frame));
        let parts: Vec<&FoldPart> = done.iter().filter_map(OnceLock::get).collect();
        // SAFETY: the caller's contract; all parts have been gone through.
        unsafe {
            Worker::new(self.program, self.bound, frame).join_rows(&parts, 0..blocks(self.bound))
        };
    }

    /// A worker on a thread's frame, with the cells of the launch.
    fn worker<'w>(&'w self, frame: &'w mut Frame) -> Worker<'w> {
        self.cells.lay(frame);
        Worker::new(self.program, self.bound, frame)
    }
}

/// The parts of the first reduced axis that threads fold, where several leaves are one step of each or there are fewer points
/// than threads could share.
fn parts_of_fold(bound: &Bound<'_>, threads: usize) -> Option<Vec<Range<usize>>> {
    let fold = bound.fold.as_ref().filter(|_| threads > 1)?;
    let kept = bound.nest.kept > 0;
    let fits = if kept { may_be_parts(bound, fold) } else { fold.decides.is_none() };
    if !fits {
        return None;
    }
    let (extent, block) = (fold.extents[0], fold.blocks[0]);
    let leaves = extent.div_ceil(block);
    if leaves < 2 * threads {
        return None;
    }
    // Large subtrees are fewer steps, but parts of a few have more or less to do.
    let together = (leaves / threads / 8).next_power_of_two().min(PART_LEAVES);
    let unit = block * together;
    let parts = (0..threads).map(|part| part_of(extent, unit, part, threads));
    let parts: Vec<Range<usize>> = parts.collect();
    parts.iter().all(|part| fold.tree.is_cut(part.start)).then_some(parts)
}

/// Whether a fold for few kept points can be done by parts of the first reduced axis: points are one row, all are begun
/// together, and what comes before the fold, which every part does, stores nothing.
fn may_be_parts(bound: &Bound<'_>, fold: &BoundFold) -> bool {
    let few = bound.rows() == 1 && bound.schedule.vector.extent < 2 * SHARED_FOLD_BLOCK;
    let stores = |node: &Node| matches!(node, Node::Store { .. });
    let plain = fold.bool_columns.is_none() && fold.decides.is_none();
    few && plain && !bound.nest.before.iter().any(stores)
}

/// Points at which threads begin: blocks. A few long rows that are folded one by one make no several; blocks of other folds
/// may be longer than what each thread has to do.
pub(in super::super) fn unit(bound: &Bound<'_>, threads: usize) -> usize {
    let points = bound.schedule.vector.extent;
    let one_by_one = bound.schedule.fold.as_ref().is_some_and(|fold| fold.mode == FoldMode::Lanes);
    if one_by_one {
        // What threads write to one line is nothing beside rows that are so few and worth several threads.
        let few = points < 2 * ROWS_OF_A_LINE * threads;
        return if few { 1 } else { bound.schedule.block.min(ROWS_OF_A_LINE) };
    }
    let share = match bound.fold {
        // Blocks are long, and nothing is lost where they are cut.
        None => SHARED_BLOCK,
        Some(_) => {
            points.div_ceil(threads).next_multiple_of(SHARED_FOLD_UNIT).max(SHARED_FOLD_BLOCK)
        }
    };
    bound.schedule.block.min(share)
}

/// Part `part` of `parts` of `0..extent`, cut at multiples of `unit`.
pub(in super::super) fn part_of(
    extent: usize,
    unit: usize,
    part: usize,
    parts: usize,
) -> Range<usize> {
    let units = extent.div_ceil(unit);
    let cut = |part: usize| (units * part / parts * unit).min(extent);
    cut(part)..cut(part + 1)
}

#[cfg(test)]
mod tests {
    use super::{part_of, parts_of_fold, unit};
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;

    #[test]
    fn threads_share_a_few_rows_that_are_folded_one_by_one() {
        let text =
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
             { for (i0: extent=p0 origin=p2 global=p0 logical=0) {
                fold (i1: extent=p1 origin=p2 global=p1 logical=1)
                lanes=32 width=64 rounds=32 alone=8 {
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = mul.f64 %0 %0 }
                %2 = sum %1 store b1[p2 + 1*i0] %2 } }";
        let arrays = [
            Array { block: 0, offset: 0, strides: &[100, 1] },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        let jits = Target::ALL.into_iter().filter(|target| target.level() <= Level::detect());
        for jit in jits.map(Some).chain([None]) {
            with_bound(text, &arrays, &[100, 4096, 0], jit, usize::MAX, |bound| {
                let parts = [0, 1, 2].map(|part| part_of(100, unit(bound, 3), part, 3).len());
                assert_eq!(parts, [32, 32, 36], "{jit:?}");
            });
            let sum = text.replace("%1 = mul.f64 %0 %0", "%1 = abs.f64 %0");
            with_bound(&sum, &arrays, &[8, 40000, 0], jit, usize::MAX, |bound| {
                let parts = [0, 1, 2].map(|part| part_of(8, unit(bound, 3), part, 3).len());
                assert_eq!(parts, [2, 3, 3], "{jit:?}");
            });
        }
    }

    #[test]
    fn threads_share_whole_subtrees_of_a_fold() {
        let text = |fold: &str| {
            format!(
                "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 0 write noalias
                 {{ fold (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1)
                    lanes=32 width=64 rounds=32 alone=8 {{
                    %0 = load b0[p2 + 1*i0, p2 + 1*i1] }} {fold} store b1[] %1 }}"
            )
        };
        let parts = |fold: &str, [rows, columns]: [usize; 2], jit| {
            let strides = [columns as i64, 1];
            let arrays = [
                Array { block: 0, offset: 0, strides: &strides },
                Array { block: 1, offset: 0, strides: &[] },
            ];
            let params = [rows, columns, 0];
            with_bound(&text(fold), &arrays, &params, jit, usize::MAX, |bound| {
                assert_eq!(parts_of_fold(bound, 1), None);
                parts_of_fold(bound, 2)
            })
        };
        let first = "%2 %3 = argmax %0 %1 = to_f64.i64 %3";
        let jits = Target::ALL.into_iter().filter(|target| target.level() <= Level::detect());
        for jit in jits.map(Some).chain([None]) {
            for fold in ["%1 = sum %0", first] {
                // Leaves of eight rows, and of a part of one.
                assert_eq!(parts(fold, [1000, 128], jit), Some(vec![0..512, 512..1000]));
                assert_eq!(parts(fold, [3, 4096], jit), None, "few leaves along the first axis");
            }
        }
    }

    #[test]
    fn threads_share_long_blocks() {
        let text =
            "kernel params=2 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 write noalias
             { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %0 = load b0[p1 + 1*i0] %1 = sqrt.f64 %0 store b1[p1 + 1*i0] %1 } }";
        let arrays = [0, 1].map(|block| Array { block, offset: 0, strides: &[1] });
        let jits = Target::ALL.into_iter().filter(|target| target.level() <= Level::detect());
        for jit in jits.map(Some).chain([None]) {
            with_bound(text, &arrays, &[131_072, 0], jit, usize::MAX, |bound| {
                assert!(bound.schedule.block >= 1 << 17, "{jit:?}: {}", bound.schedule.block);
                let parts = [0, 1, 2].map(|part| part_of(131_072, unit(bound, 3), part, 3).len());
                assert_eq!(parts, [40_960, 45_056, 45_056], "{jit:?}");
            });
        }
    }
}

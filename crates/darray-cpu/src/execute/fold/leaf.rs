//! The elements of a leaf to its value.

use super::super::compiled::FoldLoops;
use super::FoldRun;
use super::bound::{is_taken, step_of_function};
use crate::jit::Native;
use crate::vector::{Accumulators, FoldRows, LANES, Rounds, fill};
use darray_codegen::{FoldMode, StrideClass};
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of a leaf in memory: the one of index 0, and the bytes from one to the next.
#[derive(Clone, Copy)]
struct Line {
    from: *const u8,
    step: isize,
}

impl FoldRun<'_> {
    /// Folds the elements of a leaf, or of several that are a step, for `n` points from one on, to a position of the stack.
    ///
    /// # Safety
    /// The ranges are those of a step of the walk; the frame is at a block that has the points.
    pub(super) unsafe fn leaf(
        &mut self,
        position: usize,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
    ) {
        let fold = self.fold;
        // SAFETY: the caller's contract; vectors of the stack have a value for each point.
        unsafe {
            if self.leaf_in_any_order(ranges, position, point) {
                return;
            }
            if ranges.iter().any(Range::is_empty) {
                return self.start(|item| self.memory.stack(item, position), n, i64::MAX);
            }
            let start: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
            debug_assert!(n <= fold.points_of_walk || fold.mode == FoldMode::Kept);
            if let Some(function) = &self.bound.specialised.machine.fold_function
                && let Some(steps) = self.steps(ranges)
            {
                self.point_at(&start, point);
                return self.leaf_by_function(function, &steps, ranges, n, position);
            }
            let lines: SmallVec<[Option<isize>; 4]> = (fold.elements.iter().zip(fold.items.iter()))
                .map(|(&access, item)| self.line_of(access?, item, ranges))
                .collect();
            let machine = &self.bound.specialised.machine;
            if !machine.fold.is_empty() || lines.iter().any(Option::is_none) {
                self.evaluate(ranges, point, n, &lines, position);
            }
            self.point_at(&start, point);
            for (number, (item, line)) in fold.items.iter().zip(lines).enumerate() {
                if item.indexed {
                    continue;
                }
                let line = match (line, fold.elements[number]) {
                    (Some(step), Some(access)) => Line { from: self.access(access), step },
                    _ => {
                        let elements = if fold.mode == FoldMode::Kept { n } else { 1 };
                        let from = self.memory.buffer(number).cast_const();
                        Line { from, step: (elements * item.size) as isize }
                    }
                };
                self.line(number, line, ranges, n, position);
            }
        }
    }

    /// Bytes from an element to the next one of each access of the nest, if the function can go that way: by lanes, elements of an
    /// access lie side by side, or are one and the same.
    fn steps(&self, ranges: &[Range<usize>]) -> Option<SmallVec<[isize; 8]>> {
        let (bound, fold) = (self.bound, self.fold);
        if fold.mode == FoldMode::Lanes && fold.tree.lanes() != LANES {
            return None;
        }
        let mut steps: SmallVec<[isize; 8]> = SmallVec::from_elem(0, bound.bases.len());
        for &access in &fold.accesses {
            let at = usize::from(access);
            let moves = (bound.specialised.layout.classes[at], bound.along[at] as isize);
            steps[at] =
                step_of_function(fold.mode, moves, fold.line(bound, access, ranges), ranges)?;
        }
        Some(steps)
    }

    /// Folds the elements of a leaf, or of several that are a step, by their function, which finds its accesses there.
    ///
    /// # Safety
    /// As for [`leaf`](Self::leaf); the accesses are at the first element.
    unsafe fn leaf_by_function(
        &mut self,
        function: &Native,
        steps: &[isize],
        ranges: &[Range<usize>],
        n: usize,
        position: usize,
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let (lanes, count) = (fold.tree.lanes(), ranges.iter().map(Range::len).product::<usize>());
        let table = self.bound.specialised.machine.table;
        let kept = self.bound.specialised.code.kept.len();
        let with_kept = |steps: &mut dyn Iterator<Item = isize>| -> SmallVec<[isize; 8]> {
            steps.chain(std::iter::repeat_n(0, kept)).collect()
        };
        // SAFETY: the caller's elements; there is room for the lanes of all points, and for the values of the leaves of a step.
        unsafe {
            if fold.mode == FoldMode::Lanes && n > 1 {
                for number in 0..fold.items.len() {
                    self.frame.pointers[table.folded + number] =
                        memory.stack(number, position).values;
                }
                let steps = self.steps_of_points();
                return function.run_fold(&mut self.frame.pointers, count, n, &steps);
            }
            if fold.mode == FoldMode::Lanes {
                let of_leaf = fold.of_leaf();
                let leaves = if count > of_leaf { count / of_leaf } else { 1 };
                for number in 0..fold.items.len() {
                    let to = match leaves {
                        1 => memory.stack(number, position).values,
                        _ => memory.values(number),
                    };
                    self.frame.pointers[table.folded + number] = to;
                }
                let each = count.min(of_leaf);
                let steps = with_kept(&mut steps.iter().map(|step| step * each as isize));
                function.run_fold(&mut self.frame.pointers, each, leaves, &steps);
                if leaves > 1 {
                    for (number, item) in fold.items.iter().enumerate() {
                        let from = memory.values(number).cast_const();
                        let step = item.size as isize;
                        let pairs = Rounds { from, step, width: 1, whole: leaves, rest: 0 };
                        (item.folding.rounds)(pairs, memory.stack(number, position).values);
                    }
                }
                return;
            }
            let one = lanes == 1;
            let places: SmallVec<[*mut u8; 8]> =
                self.frame.pointers[table.accesses..][..steps.len()].into();
            let of_lane = with_kept(&mut steps.iter().map(|step| step * lanes as isize));
            // Where the points of all lanes lie side by side, those with as many rounds are one row.
            let flat = !one && self.is_flat(steps, n);
            let mut lane = 0;
            while lane < lanes {
                let side = match flat {
                    true if lane < count % lanes => count % lanes - lane,
                    true => lanes - lane,
                    false => 1,
                };
                for (number, item) in fold.items.iter().enumerate() {
                    let to = match one {
                        true => memory.stack(number, position).values,
                        false => memory.lanes(number).values.wrapping_add(lane * n * item.size),
                    };
                    if lane >= count {
                        fill((&raw const item.start).cast(), to, side * n, item.size);
                    }
                    self.frame.pointers[table.folded + number] = to;
                }
                if lane < count {
                    for ((pointer, place), step) in
                        self.frame.pointers[table.accesses..].iter_mut().zip(&places).zip(steps)
                    {
                        *pointer = place.wrapping_offset(lane as isize * step);
                    }
                    let rows = (count - lane).div_ceil(lanes);
                    function.run_fold(&mut self.frame.pointers, side * n, rows, &of_lane);
                }
                lane += side;
            }
            if !one {
                for (number, item) in fold.items.iter().enumerate() {
                    let (all, out) = (memory.lanes(number), memory.stack(number, position));
                    (item.folding.halves)(all, lanes, n);
                    all.values.copy_to_nonoverlapping(out.values, n * item.size);
                }
            }
        }
    }

    /// Whether each access of the body goes on to the next lane as it does to the next of `n` points.
    fn is_flat(&self, steps: &[isize], n: usize) -> bool {
        let bound = self.bound;
        self.fold.accesses.iter().all(|&access| {
            let at = usize::from(access);
            match bound.specialised.layout.classes[at] {
                StrideClass::Still => steps[at] == 0,
                _ => steps[at] == bound.along[at] as isize * n as isize,
            }
        })
    }

    /// Bytes from an element of an access to the next one, if an item takes them from there.
    fn line_of(&self, access: u16, item: &FoldLoops, ranges: &[Range<usize>]) -> Option<isize> {
        is_taken(self.fold.mode, self.fold.line(self.bound, access, ranges), item, ranges)
    }

    /// Folds the line of an item.
    unsafe fn line(
        &self,
        number: usize,
        line: Line,
        ranges: &[Range<usize>],
        n: usize,
        position: usize,
    ) {
        let fold = self.fold;
        let item = &fold.items[number];
        let (lanes, count) = (fold.tree.lanes(), ranges.iter().map(Range::len).product::<usize>());
        let out = self.memory.stack(number, position);
        let all = self.memory.lanes(number);
        // SAFETY: the caller's elements; there is room for the lanes of all points.
        unsafe {
            if fold.mode == FoldMode::Kept {
                return self.columns(item, line, count, n, out, all);
            }
            let rounds = rounds_of(line, lanes, count);
            if lanes != LANES {
                (item.folding.rounds)(rounds, all.values);
                (item.folding.halves)(all, lanes, 1);
                return all.values.copy_to_nonoverlapping(out.values, item.size);
            }
            let of_leaf = fold.of_leaf();
            if count <= of_leaf {
                return (item.folding.rows)(rounds, 1, 0, out.values);
            }
            // Several leaves, all of them whole: their values, then these in pairs.
            let leaves = count / of_leaf;
            let values = self.memory.values(number);
            let step = line.step * of_leaf as isize;
            (item.folding.rows)(rounds_of(line, lanes, of_leaf), leaves, step, values);
            let step = item.size as isize;
            let pairs = Rounds { from: values, step, width: 1, whole: leaves, rest: 0 };
            (item.folding.rounds)(pairs, out.values);
        }
    }

    /// Folds the line of an item for `n` points, whose elements lie side by side.
    #[allow(clippy::too_many_arguments)]
    unsafe fn columns(
        &self,
        item: &FoldLoops,
        line: Line,
        count: usize,
        n: usize,
        out: Accumulators,
        all: Accumulators,
    ) {
        let lanes = self.fold.tree.lanes();
        // SAFETY: the caller's elements; there is room for the lanes of all points.
        unsafe {
            if lanes == 1 {
                let rounds =
                    Rounds { from: line.from, step: line.step, width: n, whole: count, rest: 0 };
                return (item.folding.rounds)(rounds, out.values);
            }
            let step = line.step * lanes as isize;
            if line.step == (n * item.size) as isize {
                let rounds = Rounds {
                    from: line.from,
                    step,
                    width: lanes * n,
                    whole: count / lanes,
                    rest: count % lanes * n,
                };
                (item.folding.rounds)(rounds, all.values);
            } else {
                for lane in 0..lanes {
                    let to = all.values.wrapping_add(lane * n * item.size);
                    if lane >= count {
                        fill((&raw const item.start).cast(), to, n, item.size);
                        continue;
                    }
                    let from = line.from.wrapping_offset(lane as isize * line.step);
                    let whole = (count - lane).div_ceil(lanes);
                    (item.folding.rounds)(Rounds { from, step, width: n, whole, rest: 0 }, to);
                }
            }
            (item.folding.halves)(all, lanes, n);
            all.values.copy_to_nonoverlapping(out.values, n * item.size);
        }
    }

    /// Folds `n` points that are a leaf each, of elements that lie side by side, to their results; whether they are that.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub(super) unsafe fn fold_rows_of_points(&mut self, n: usize) -> bool {
        let (fold, bound) = (self.fold, self.bound);
        let machine = &bound.specialised.machine;
        let function = machine.fold_function.as_ref();
        let loads = function.is_some() || fold.are_loads(machine);
        if !loads || !fold.is_one_leaf() || fold.tree.lanes() != LANES || fold.points == 0 {
            return false;
        }
        let ranges: SmallVec<[Range<usize>; 4]> = fold.extents.iter().map(|&n| 0..n).collect();
        let start: SmallVec<[usize; 4]> = SmallVec::from_elem(0, ranges.len());
        let mut all: SmallVec<[(Line, isize, FoldRows); 4]> = SmallVec::new();
        if let Some(function) = function {
            if self.steps(&ranges).is_none() {
                return false;
            }
            self.at_block();
            self.point_at(&start, 0);
            let steps = self.steps_of_points();
            let table = machine.table;
            for number in 0..fold.items.len() {
                self.frame.pointers[table.folded + number] = self.memory.result(number, 0).values;
            }
            // SAFETY: the caller's contract: elements of every point, and its results.
            unsafe { function.run_fold(&mut self.frame.pointers, fold.points, n, &steps) };
            return true;
        }
        self.at_block();
        self.point_at(&start, 0);
        for (&access, item) in fold.elements.iter().zip(fold.items.iter()) {
            let Some(access) = access else { return false };
            let Some(step) = self.line_of(access, item, &ranges) else { return false };
            let line = Line { from: self.access(access), step };
            let to_point = match bound.nest.kept {
                0 => 0,
                _ => bound.stride(bound.vector.axis, access.into()) as isize,
            };
            all.push((line, to_point, item.folding.rows));
        }
        for (number, (line, step, rows)) in all.into_iter().enumerate() {
            let out = self.memory.result(number, 0).values;
            // SAFETY: the caller's contract: a row of elements of every point, and its result.
            unsafe { rows(rounds_of(line, LANES, fold.points), n, step, out) };
        }
        true
    }

    /// Bytes from a kept point to the next one of each access, and of what the kept level shares with the body.
    fn steps_of_points(&self) -> SmallVec<[isize; 8]> {
        let bound = self.bound;
        let to_point = |access: usize| match bound.nest.kept {
            0 => 0,
            _ => bound.stride(bound.vector.axis, access) as isize,
        };
        let kept = bound.specialised.code.kept.iter().map(|&(_, size)| size as isize);
        (0..bound.bases.len()).map(to_point).chain(kept).collect()
    }

    /// Where the body finds an access.
    pub(super) fn access(&self, access: u16) -> *const u8 {
        let first = self.bound.specialised.machine.table.accesses;
        self.frame.pointers[first + usize::from(access)]
    }
}

/// So many elements of a line in rounds.
fn rounds_of(line: Line, width: usize, count: usize) -> Rounds {
    Rounds {
        from: line.from,
        step: line.step * width as isize,
        width,
        whole: count / width,
        rest: count % width,
    }
}

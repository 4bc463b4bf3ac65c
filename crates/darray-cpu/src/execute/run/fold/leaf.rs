//! The elements of a leaf to its value.

use super::FoldRun;
use crate::execute::bind::fold::LeafSteps;
use crate::execute::code::FoldLoops;
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
            debug_assert!(n <= self.schedule.walk_points || self.schedule.mode == FoldMode::Kept);
            let machine = &self.bound.specialised.machine;
            let (count, leaves) = self.elements_and_leaves(ranges);
            let is_whole = !machine.lanes_together || count % fold.tree.lanes() == 0;
            if let (Some(function), Some(steps), true) =
                (&machine.fold_function, &fold.steps, is_whole)
            {
                if fold.row_leaves > 1 {
                    return self.rows_by_function(function, steps, ranges, point, position);
                }
                self.at_first(ranges, point);
                return self.leaf_by_function(function, steps, (count, leaves), n, position);
            }
            if !machine.fold.is_empty() || self.schedule.lines.iter().any(Option::is_none) {
                // Where there is a function, it would have been that which had no need of a buffer.
                let has_room = is_whole || count * leaves <= self.schedule.step_elements;
                debug_assert!(has_room, "no room for the elements of a leaf");
                self.evaluate(ranges, point, n, position);
            }
            if fold.are_searches() {
                return;
            }
            self.at_first(ranges, point);
            for (number, (item, &line)) in fold.items.iter().zip(&self.schedule.lines).enumerate() {
                if item.indexed() {
                    continue;
                }
                let (line, to_leaf) = match (line, fold.elements[number]) {
                    (Some(step), Some(access)) => {
                        let to_next = fold.step(self.bound, fold.along, access.into()) as isize;
                        let to_leaf = fold.to_leaf(Some(to_next));
                        (Line { from: self.access(access), step }, to_leaf)
                    }
                    _ => {
                        let elements = if self.schedule.mode == FoldMode::Kept { n } else { 1 };
                        let from = self.memory.buffer(number).cast_const();
                        let step = (elements * item.size) as isize;
                        (Line { from, step }, step * count as isize)
                    }
                };
                self.line(number, line, (count, leaves, to_leaf), n, position);
            }
        }
    }

    /// The elements of the first leaf of a step, and how many leaves there are. Of pairs all the way down a step is one leaf.
    fn elements_and_leaves(&self, ranges: &[Range<usize>]) -> (usize, usize) {
        let fold = self.fold;
        let all = ranges.iter().map(Range::len).product::<usize>();
        let pairs = self.schedule.mode == FoldMode::Kept && fold.tree.lanes() == 1;
        match (ranges.get(fold.along), fold.blocks.get(fold.along)) {
            (Some(range), Some(&block)) if range.len() > block && !pairs => {
                let leaves = range.len() / block;
                (all / leaves, leaves)
            }
            _ => (all, 1),
        }
    }

    /// Folds the elements of a leaf, or of so many that are a step, by their function, which finds its accesses there.
    ///
    /// # Safety
    /// As for [`leaf`](Self::leaf); the accesses are at the first element.
    unsafe fn leaf_by_function(
        &mut self,
        function: &Native,
        steps: &LeafSteps,
        (count, leaves): (usize, usize),
        n: usize,
        position: usize,
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let lanes = fold.tree.lanes();
        let table = self.bound.specialised.machine.table;
        // SAFETY: the caller's elements; there is room for the lanes of all points, and for the values of the leaves of a step.
        unsafe {
            if self.schedule.mode == FoldMode::Lanes && n > 1 {
                for number in 0..fold.items.len() {
                    self.frame.pointers[table.folded + number] =
                        memory.stack(number, position).values;
                }
                let steps = self.steps_of_points();
                return function.run_fold(&mut self.frame.pointers, count, n, &steps);
            }
            for number in 0..fold.items.len() {
                self.frame.pointers[table.folded + number] = match leaves {
                    1 => memory.stack(number, position).values,
                    _ => memory.values(number),
                };
            }
            if self.schedule.mode == FoldMode::Lanes {
                function.run_fold(&mut self.frame.pointers, count, leaves, &steps.of_leaf);
            } else if lanes == 1 {
                function.run_fold(&mut self.frame.pointers, n, count, &steps.of_lanes);
            } else {
                self.leaves_with_lanes(function, steps, (count, leaves), n);
            }
            if leaves > 1 {
                for (number, item) in fold.items.iter().enumerate() {
                    let from = memory.values(number).cast_const();
                    let step = (n * item.size) as isize;
                    let pairs = Rounds { from, step, width: n, whole: leaves, rest: 0 };
                    (item.folding.rounds)(pairs, memory.stack(number, position).values);
                }
            }
        }
    }

    /// Folds rows of several leaves each: the first leaves of all rows by one call, then the second ones, and so on.
    ///
    /// # Safety
    /// As for [`leaf`](Self::leaf): of rows that are a step.
    unsafe fn rows_by_function(
        &mut self,
        function: &Native,
        steps: &LeafSteps,
        ranges: &[Range<usize>],
        point: usize,
        position: usize,
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let table = self.bound.specialised.machine.table;
        let (rows, inner) = (ranges[fold.along].len(), fold.tree.axis_of_subtrees());
        let (block, others) = (fold.blocks[inner], &ranges[fold.along + 1..]);
        let behind = others.iter().map(Range::len).product::<usize>() / ranges[inner].len();
        let mut at: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
        // SAFETY: the caller's rows; there is room for the values of all leaves, and behind them for those of rows.
        unsafe {
            for leaf in 0..fold.row_leaves {
                at[inner] = leaf * block;
                let elements = block.min(ranges[inner].len() - at[inner]) * behind;
                self.point_at(&at, point);
                for (number, item) in fold.items.iter().enumerate() {
                    self.frame.pointers[table.folded + number] =
                        memory.values(number).wrapping_add(leaf * rows * item.size);
                }
                function.run_fold(&mut self.frame.pointers, elements, rows, &steps.of_leaf);
            }
            for (number, item) in fold.items.iter().enumerate() {
                let (from, whole) = (memory.values(number).cast_const(), fold.row_leaves);
                let step = (rows * item.size) as isize;
                let of_rows = memory.values(number).wrapping_offset(step * whole as isize);
                let leaves = Rounds { from, step, width: rows, whole, rest: 0 };
                (item.folding.rounds)(leaves, of_rows);
                let step = item.size as isize;
                let values = Rounds { from: of_rows, step, width: 1, whole: rows, rest: 0 };
                (item.folding.rounds)(values, memory.stack(number, position).values);
            }
        }
    }

    /// Folds leaves with several lanes of kept points to where values are said to be, one leaf behind the other.
    ///
    /// # Safety
    /// As for [`leaf_by_function`](Self::leaf_by_function).
    unsafe fn leaves_with_lanes(
        &mut self,
        function: &Native,
        steps: &LeafSteps,
        (count, leaves): (usize, usize),
        n: usize,
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let lanes = fold.tree.lanes();
        let table = self.bound.specialised.machine.table;
        let places: SmallVec<[*mut u8; 8]> =
            self.frame.pointers[table.accesses..][..self.bound.bases.len()].into();
        let outs: SmallVec<[*mut u8; 4]> =
            self.frame.pointers[table.folded..][..fold.items.len()].into();
        // Where the points of all lanes lie side by side, those with as many rounds are one row.
        let flat = self.is_flat(&steps.one, n);
        let together = self.bound.specialised.machine.lanes_together;
        // SAFETY: the caller's elements; there is room for the lanes of all points, and for the values of the leaves.
        unsafe {
            for leaf in 0..leaves {
                if together {
                    for (at, place) in places.iter().enumerate() {
                        let to_leaf = leaf as isize * steps.of_leaf[at];
                        self.frame.pointers[table.accesses + at] = place.wrapping_offset(to_leaf);
                    }
                    for (number, item) in fold.items.iter().enumerate() {
                        self.frame.pointers[table.folded + number] =
                            outs[number].wrapping_add(leaf * n * item.size);
                    }
                    function.run_fold(&mut self.frame.pointers, n, count / lanes, &steps.one);
                    continue;
                }
                let mut lane = 0;
                while lane < lanes {
                    let side = match flat {
                        true if lane < count % lanes => count % lanes - lane,
                        true => lanes - lane,
                        false => 1,
                    };
                    for (number, item) in fold.items.iter().enumerate() {
                        let to = memory.lanes(number).values.wrapping_add(lane * n * item.size);
                        if lane >= count {
                            fill((&raw const item.start).cast(), to, side * n, item.size);
                        }
                        self.frame.pointers[table.folded + number] = to;
                    }
                    if lane < count {
                        for (at, place) in places.iter().enumerate() {
                            let offset =
                                lane as isize * steps.one[at] + leaf as isize * steps.of_leaf[at];
                            self.frame.pointers[table.accesses + at] =
                                place.wrapping_offset(offset);
                        }
                        let rows = (count - lane).div_ceil(lanes);
                        function.run_fold(
                            &mut self.frame.pointers,
                            side * n,
                            rows,
                            &steps.of_lanes,
                        );
                    }
                    lane += side;
                }
                for (number, item) in fold.items.iter().enumerate() {
                    let all = memory.lanes(number);
                    (item.folding.halves)(all, lanes, n);
                    let to = outs[number].wrapping_add(leaf * n * item.size);
                    all.values.copy_to_nonoverlapping(to, n * item.size);
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
                _ => steps[at] == bound.schedule.along[at] as isize * n as isize,
            }
        })
    }

    /// Folds the line of an item: the elements of a leaf, how many leaves there are, and how far apart.
    unsafe fn line(
        &self,
        number: usize,
        line: Line,
        (count, leaves, to_leaf): (usize, usize, isize),
        n: usize,
        position: usize,
    ) {
        let fold = self.fold;
        let item = &fold.items[number];
        let lanes = fold.tree.lanes();
        let out = self.memory.stack(number, position);
        let all = self.memory.lanes(number);
        // SAFETY: the caller's elements; there is room for the lanes of all points.
        unsafe {
            if self.schedule.mode == FoldMode::Kept {
                return self.columns(item, line, count, n, out, all);
            }
            let rounds = rounds_of(line, lanes, count);
            if lanes != LANES {
                (item.folding.rounds)(rounds, all.values);
                (item.folding.halves)(all, lanes, 1);
                return all.values.copy_to_nonoverlapping(out.values, item.size);
            }
            if leaves == 1 {
                return (item.folding.rows)(rounds, 1, 0, out.values);
            }
            // Several leaves, all of them whole: their values, then these in pairs.
            let values = self.memory.values(number);
            (item.folding.rows)(rounds, leaves, to_leaf, values);
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
        let mut all: SmallVec<[(Line, isize, FoldRows); 4]> = SmallVec::new();
        if let Some(function) = function {
            if fold.steps.is_none() {
                return false;
            }
            self.at_block();
            self.at_first(&ranges, 0);
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
        self.at_first(&ranges, 0);
        for ((&access, item), &line) in
            fold.elements.iter().zip(fold.items.iter()).zip(&self.schedule.lines)
        {
            let (Some(access), Some(step)) = (access, line) else { return false };
            let line = Line { from: self.access(access), step };
            let to_point = match bound.nest.kept {
                0 => 0,
                _ => bound.stride(bound.schedule.vector.axis, access.into()) as isize,
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
            _ => bound.stride(bound.schedule.vector.axis, access) as isize,
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

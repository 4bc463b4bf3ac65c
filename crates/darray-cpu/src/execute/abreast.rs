//! Leaves that follow one another, folded together: short rows several leaves side by side, as the sums of one wait
//! for each other and those of several do not, or in one call one after the other, where a leaf has few rows; rows of kept
//! points, all of such leaves at a time.

use super::bind::LARGEST;
use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::machine::Machine;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::jit::{Folded, Native};
use crate::vector::{LINE, fetch, fetch_later};
use darray_codegen::FoldMode;
use smallvec::SmallVec;
use std::ops::Range;

/// Leaves whose values are in the band.
pub(super) struct Group {
    /// The ranges of the first of them.
    pub first: SmallVec<[Range<usize>; 4]>,
    pub leaves: usize,
    /// The kept point.
    pub point: usize,
}

impl Group {
    /// The number of the leaf with these ranges, if it is one of them.
    fn leaf(&self, ranges: &[Range<usize>], axis: usize, point: usize) -> Option<usize> {
        let mut others = self.first.iter().zip(ranges).enumerate();
        let beside = others.all(|(k, (first, range))| k == axis || first == range);
        let block = self.first[axis].len();
        let leaf = ranges[axis].start.checked_sub(self.first[axis].start)? / block;
        (beside && leaf < self.leaves && self.point == point).then_some(leaf)
    }
}

impl BoundFold {
    /// Whether leaves that follow one another may be folded together.
    pub(super) fn is_abreast(&self) -> bool {
        self.abreast > 1 && self.around().is_some()
    }

    /// The function that folds leaves with rows of so many elements together, if it is worth it.
    pub(super) fn abreast_by(&self, machine: &Machine, row: usize) -> Option<u32> {
        let plain = machine.fold_alone.filter(|_| self.mode == FoldMode::Kept);
        self.is_across(machine, row).or_else(|| machine.short(row)).or(plain)
    }

    /// Bytes, and behind them those of positions: from row to row and, behind that, from leaf to leaf, along an axis.
    fn steps(&self, run: &FoldRun<'_>, axis: usize) -> SmallVec<[isize; 16]> {
        let bound = run.bound;
        let step = |access: usize| self.step(bound, axis, access) as isize;
        let mut steps: SmallVec<[isize; 16]> = (0..bound.bases.len()).map(step).collect();
        steps.push(self.position_steps[axis] as isize);
        let block = self.blocks[axis] as isize;
        let to_leaves: SmallVec<[isize; 16]> = steps.iter().map(|step| step * block).collect();
        steps.extend(to_leaves);
        steps.push((run.memory.width * 8) as isize);
        steps
    }
}

impl FoldRun<'_> {
    /// The number in the band of the leaf with these ranges, where it is folded together with others: the first of them
    /// folds all.
    ///
    /// # Safety
    /// The frame is at a block of `n` kept points of the bound nest; the ranges are those of a leaf.
    pub(super) unsafe fn abreast(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
    ) -> Option<usize> {
        if !self.fold.is_abreast() {
            return None;
        }
        let axis = self.fold.around()?;
        let known = self.last.group.as_ref().and_then(|group| group.leaf(ranges, axis, point));
        if known.is_some() {
            return known;
        }
        let row = match self.fold.mode {
            FoldMode::Kept => self.bound.row_of(n),
            FoldMode::Lanes => ranges[ranges.len() - 1].len(),
        };
        let machine = &self.bound.specialised.machine;
        let across = self.fold.is_across(machine, row);
        let number = self.fold.abreast_by(machine, row)?;
        let most = match self.ends_early() && across.is_none() {
            true => {
                let most = self.few.max(machine.leaves()).min(self.fold.abreast);
                self.few = 2 * most;
                most
            }
            false => self.fold.abreast,
        };
        let leaves = self.together(ranges, axis, most);
        if leaves < 2 {
            return None;
        }
        let group = Group { first: ranges.into(), leaves, point };
        // SAFETY: the caller's contract; all leaves lie in the tile.
        unsafe {
            match self.fold.across.as_ref().filter(|_| across.is_some()) {
                Some(across) => self.fold_across(number, &group, across),
                None => self.fold_abreast(number, &group, n, row),
            }
        }
        self.last.group = Some(group);
        Some(0)
    }

    /// How many leaves from one on can be folded together, at most so many: others may not be whole, not be there yet, or
    /// be another thread's.
    pub(super) fn together(&self, ranges: &[Range<usize>], axis: usize, most: usize) -> usize {
        let fold = self.fold;
        let (start, block) = (ranges[axis].start, fold.blocks[axis]);
        let limit = if axis == 0 { self.end } else { usize::MAX };
        let whole = fold.extents[axis].min(limit).saturating_sub(start) / block;
        let own = self.shared.map_or(usize::MAX, |(at, end)| {
            end.saturating_sub(at).div_ceil(fold.leaves_behind(axis))
        });
        most.min(whole).min(own)
    }

    /// Folds leaves into the band, for `n` points in rows of so many elements.
    unsafe fn fold_abreast(&mut self, number: u32, group: &Group, n: usize, row: usize) {
        let (bound, fold, memory) = (self.bound, self.fold, self.memory);
        let native = &bound.specialised.machine.natives[number as usize];
        // Its function for several leaves is for rows of one length.
        let together = if native.short() == row { native.leaves() } else { 1 };
        let axis = fold.around().expect("`abreast` has it");
        let (ranges, count) = (&group.first, group.first[axis].len());
        // In order, memory is read as fast as it can be. A processor that looks ahead finds other leaves to go on with, if they
        // are short.
        let in_turn = native.short() == row && count <= FEW_ROWS && count * row * LARGEST <= PAGE;
        let by_lanes = fold.mode == FoldMode::Lanes;
        let (used, points) = if by_lanes { (memory.width, 1) } else { (n, n) };
        // Rows that go backwards begin in memory with the last element.
        let (behind, unused) = match fold.backward {
            true => (row - 1, Folded::LANES - row),
            false => (0, 0),
        };
        let steps = fold.steps(self, axis);
        // Leaves of several axes, or of points in several rows, are pieces of memory here and there.
        let asks = axis > 0 || bound.point_rows.is_some();
        let accesses = bound.specialised.machine.table.accesses;
        // Short leaves that follow one another in memory, some of which are folded at once: what is behind them is asked for
        // meanwhile, a slice at a time.
        let far = by_lanes && !asks && !in_turn && bound.specialised.traffic.ahead != 0;
        let apart = fold.accesses.iter().map(|&access| steps[usize::from(access)].unsigned_abs());
        let apart = apart.max().unwrap_or(0).max(1);
        let slice = match far && count * apart <= SHORT_PIECE {
            true => (SLICE / apart).clamp(FEW_ROWS / 2, FEW_ROWS),
            false => usize::MAX,
        };
        let position = fold.position_steps[axis].wrapping_mul(count as i64);
        // SAFETY: the frame is laid out for the machine; leaves lie inside the tile, the band has a vector for each.
        unsafe {
            let first = self.first_place(ranges);
            for leaf in 0..group.leaves {
                let first = first.wrapping_add(position.wrapping_mul(leaf as i64));
                self.start(|item| memory.band(item, leaf), used, first);
            }
            self.rows(&ranges[..=axis], |this, at| {
                let mut start: SmallVec<[usize; 4]> = SmallVec::from_slice(at);
                start.extend(ranges[axis + 1..].iter().map(|range| range.start + behind));
                for first in (0..points).step_by(row) {
                    this.point_at(&start, group.point + first);
                    let firsts = this.body_pointers();
                    let index = this.frame.index[fold.order[axis] as usize];
                    let mut place = this.place(&start).wrapping_sub(behind as i64);
                    let mut leaf = 0;
                    while leaf < group.leaves {
                        let acc = |item: usize| {
                            memory.band(item, leaf).from(first + unused, fold.items[item].size)
                        };
                        this.point_accumulators(acc, place);
                        for (&access, &first) in fold.accesses.iter().zip(&firsts) {
                            let step = steps[bound.bases.len() + 1 + usize::from(access)];
                            this.frame.pointers[accesses + usize::from(access)] =
                                first.wrapping_offset(step * leaf as isize);
                        }
                        this.frame.index[fold.order[axis] as usize] = index + (leaf * count) as i64;
                        if asks && !in_turn {
                            this.ask_behind(axis, together * count, row);
                        }
                        let folded = if in_turn {
                            let pointers = &mut this.frame.pointers;
                            native.run_in_turn(pointers, count, group.leaves, &steps);
                            group.leaves
                        } else if leaf + together <= group.leaves && together > 1 {
                            this.run_leaves(native, (together, count, row), slice, &steps);
                            together
                        } else {
                            native.run_rows(&mut this.frame.pointers, row, count, &steps);
                            1
                        };
                        leaf += folded;
                        place = place.wrapping_add(position.wrapping_mul(folded as i64));
                    }
                }
            });
            if by_lanes {
                for leaf in 0..group.leaves {
                    self.combine_lanes(|item| memory.band(item, leaf));
                }
            }
        }
    }

    /// Folds some leaves side by side, of so many rows each, the frame being at the first. After each slice of the rows it asks for
    /// the same part of the leaves behind these.
    ///
    /// # Safety
    /// As for [`Native::run_leaves`].
    unsafe fn run_leaves(
        &mut self,
        native: &Native,
        (leaves, count, row): (usize, usize, usize),
        slice: usize,
        steps: &[isize],
    ) {
        let (fold, firsts) = (self.fold, self.body_pointers());
        let accesses = self.bound.specialised.machine.table.accesses;
        for from in (0..count).step_by(slice) {
            let rows = slice.min(count - from);
            if slice < count {
                #[cfg(test)]
                PathCounter::SlicesOfLeaves.add(1);
                for (&access, &first) in fold.accesses.iter().zip(&firsts) {
                    let (access, step) = (usize::from(access), steps[usize::from(access)]);
                    let at = |row: usize| first.wrapping_offset(step * row as isize);
                    self.frame.pointers[accesses + access] = at(from);
                    let behind = at(leaves * (count + from));
                    let bytes = step.unsigned_abs() * leaves * rows;
                    if (1..=(row * LARGEST) as isize).contains(&step) {
                        (0..bytes).step_by(LINE).for_each(|k| fetch_later(behind.wrapping_add(k)));
                    }
                }
            }
            // SAFETY: the caller's contract, of a part of the rows; the first index moves with them.
            unsafe { native.run_leaves(&mut self.frame.pointers, rows, steps) };
        }
    }

    /// Asks for the lines of as many as the next `indices` along a reduced axis, some way behind these, where rows of so many
    /// elements lie side by side.
    fn ask_behind(&self, axis: usize, indices: usize, row: usize) {
        let (bound, fold) = (self.bound, self.fold);
        let first = bound.specialised.machine.table.accesses;
        for &access in &fold.accesses {
            let step = fold.step(bound, axis, access.into()) as isize;
            let bytes = step.unsigned_abs() * indices;
            if step.unsigned_abs() > row * LARGEST || bytes > SHORT_PIECE {
                continue;
            }
            let further = (AHEAD / bytes.max(1)).max(1);
            let place = self.frame.pointers[first + usize::from(access)];
            let next = place.wrapping_offset(step * (indices * further) as isize);
            (0..bytes).step_by(LINE).for_each(|at| fetch(next.wrapping_add(at)));
        }
    }
}

/// How far behind the elements at hand lines are asked for, in bytes, where less is asked for at once: nearer ones came too late for
/// rows of two to four elements, ones further away gained nothing there and cost more with longer rows.
const AHEAD: usize = 3 << 10;

/// Bytes of each of some leaves side by side after which more of those behind them is asked for, about.
const SLICE: usize = 512;

/// Rows of leaves, at most, several of which a processor has at hand at once.
const FEW_ROWS: usize = 16;

/// Bytes that hardware fetches ahead in. Read here and there, leaves that lie in one took three times as long on Zen 4.
const PAGE: usize = 4 << 10;

/// Bytes of leaves that the hardware does not fetch ahead by itself, at most.
const SHORT_PIECE: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, Cube, FOLDS, run, with_bound};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;

    /// What is seen of a fold of a matrix with these extents and strides, over its rows (`kept` 1), its columns (2),
    /// or both (0), in machine code for AVX2.
    fn seen<R>(
        kept: usize,
        extents: [usize; 2],
        strides: [i64; 2],
        fold: &str,
        look: impl FnOnce(&Bound<'_>) -> R,
    ) -> R {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
        let (points, rank, lanes) = match kept {
            0 => (format!("fold ({}, {}) innermost=1", axis(0), axis(1)), 0, ""),
            1 => (format!("for ({}) {{ fold ({}) innermost", axis(0), axis(1)), 1, "p2 + 1*i0"),
            _ => (format!("for ({}) {{ fold ({})", axis(0), axis(1)), 1, "p2 + 1*i0"),
        };
        let at = if kept == 2 { "p2 + 1*i1, p2 + 1*i0" } else { "p2 + 1*i0, p2 + 1*i1" };
        let (result, end) =
            (if fold == "argmax" { "%1 %2" } else { "%1" }, if rank == 1 { "}" } else { "" });
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {rank} write noalias {{
             {points} lanes=32 width=64 rounds=32 alone=8 {{ %0 = load b0[{at}] }}
             {result} = {fold} %0 store b1[{lanes}] %1 {end} }}"
        );
        let arrays = [
            Array { block: 0, offset: 8, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1][..rank] },
        ];
        let extents = if kept == 2 { [extents[1], extents[0]] } else { extents };
        let params = [extents[0], extents[1], 0];
        with_bound(&text, &arrays, &params, Some(Target::Avx2), usize::MAX, look)
    }

    #[test]
    fn short_rows_have_functions_of_their_own() {
        if Level::detect() < Level::Avx2 {
            return;
        }
        let short = |row: usize| {
            move |bound: &Bound<'_>| {
                let alone = bound.specialised.machine.short(row).is_some();
                (alone, bound.fold.as_ref().unwrap().abreast)
            }
        };
        assert_eq!(seen(0, [200, 4], [4, 1], "sum", short(4)), (true, 25), "leaves side by side");
        assert_eq!(seen(0, [400, 4], [4, 1], "sum", short(4)), (true, 32), "of many some");
        assert_eq!(seen(0, [100, 4], [4, 1], "argmax", short(4)), (true, 13), "with indices");
        assert_eq!(seen(2, [200, 4], [4, 1], "sum", short(4)), (true, 4), "columns");
        let leaves = |bound: &Bound<'_>| bound.specialised.machine.leaves();
        assert_eq!(seen(0, [200, 4], [4, 1], "sum", leaves), 4);
        assert_eq!(seen(0, [200, 16], [16, 1], "sum", leaves), 2, "few registers");
        assert_eq!(seen(0, [200, 4], [8, 2], "sum", short(4)), (true, 1), "copied first");
        assert_eq!(seen(0, [200, 4], [4, -1], "sum", short(4)), (true, 25), "backwards");
        let copied = |bound: &Bound<'_>| !bound.fold.as_ref().unwrap().packing.is_empty();
        assert!(seen(2, [9000, 4], [8, 2], "sum", copied), "columns, in pieces");
        assert_eq!(seen(0, [4, 40], [40, 1], "sum", short(40)), (false, 1), "long rows");
        assert_eq!(seen(0, [20, 4], [4, 1], "sum", short(4)), (false, 1), "few rows");
    }

    #[test]
    fn what_is_behind_leaves_side_by_side_is_asked_for_slice_by_slice() {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            // Four leaves of 256, 128 and 64 rows, and one of two; in slices of 16, 8 and 8, of all or two leaves.
            for (columns, rows, slices) in [(3, 1026, 16), (8, 514, 16), (9, 258, 8)] {
                for (fold, value) in [("%9 = sum", "%9"), ("%8 %7 = argmax", "%7")] {
                    // Elements as they are would be folded in any order.
                    let text = format!(
                        "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: {} rank 0 write noalias {{
                         fold ({}, {}) lanes=32 width=64 rounds=32 alone=8 {{
                         %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = neg.f64 %0 }}
                         {fold} %1 store b1[] {value} }}",
                        if value == "%9" { "f64" } else { "i64" },
                        axis(0),
                        axis(1),
                    );
                    let arrays = [
                        Array { block: 0, offset: 0, strides: &[columns as i64, 1] },
                        Array { block: 1, offset: 0, strides: &[] },
                    ];
                    let sum = |jit: Option<Target>, from: usize| {
                        let before = PathCounter::SlicesOfLeaves.count();
                        let params = [rows, columns, 0];
                        let sizes = (rows * columns, 1);
                        let leaves = |bound: &Bound<'_>| bound.specialised.machine.leaves();
                        let (bits, seen) = run(&text, &arrays, &params, jit, from, sizes, leaves);
                        (bits, PathCounter::SlicesOfLeaves.count() - before, seen[0])
                    };
                    let name = format!("{target:?} {columns} {fold}");
                    let (expected, none, _) = sum(None, 0);
                    assert_eq!(none, 0, "the interpreter has none");
                    let (near, none, _) = sum(Some(target), usize::MAX);
                    assert!(near == expected && none == 0, "{name}");
                    let (bits, sliced, leaves) = sum(Some(target), 0);
                    assert!(bits == expected, "{name}");
                    let slices = if leaves > 1 { 4 / leaves * slices } else { 0 };
                    assert_eq!(sliced, slices, "{name}");
                    assert!(leaves > 1 || columns > 8 || fold != "%9 = sum", "{name}");
                }
            }
        }
    }

    #[test]
    fn points_of_a_few_elements_are_one_function() {
        if Level::detect() < Level::Avx2 {
            return;
        }
        let points = |bound: &Bound<'_>| {
            let fold = bound.fold.as_ref().unwrap();
            (
                bound.specialised.machine.points.map(|points| points.elements),
                fold.packing.is_empty(),
            )
        };
        assert_eq!(seen(1, [200, 4], [4, 1], "sum", points), (Some(4), false), "rows, copied");
        assert_eq!(seen(1, [200, 4], [1, 200], "max", points), (Some(4), true), "side by side");
        assert_eq!(seen(1, [200, 4], [8, 2], "sum", points), (Some(4), false), "with gaps");
        assert_eq!(seen(1, [200, 4], [4, 1], "argmax", points), (Some(4), false), "indices");
        for reducer in ["sum", "max", "argmax"] {
            assert_eq!(seen(1, [200, 1], [1, 1], reducer, points), (Some(1), true), "one element");
        }
        // Points side by side, which share elements.
        let sides = |points: usize, elements| ([points, elements], [1, 400]);
        for ((extents, strides), reducer, expected) in [
            (sides(200, 32), "argmax", Some(32)),
            (sides(2000, 40), "sum", Some(40)),
            (sides(2000, 255), "max", Some(255)),
            // Few points of more elements than there are lanes, lanes with two indices, too many elements.
            (sides(1000, 40), "sum", None),
            (sides(2000, 33), "argmax", None),
            (sides(2000, 256), "sum", None),
            (([2000, 40], [40, 1]), "sum", None),
        ] {
            let name = format!("{reducer} of {extents:?}");
            assert_eq!(seen(1, extents, strides, reducer, points).0, expected, "{name}");
        }
        assert_eq!(seen(2, [200, 4], [4, 1], "sum", points).0, None, "one lane");
    }

    #[test]
    fn leaves_of_several_axes_are_folded_together() {
        // 19 whole leaves and one of 6 rows, three times; each has 8 planes.
        let cube = |columns: usize| Cube {
            extents: [17, 158, columns],
            strides: [(158 * columns) as i64, columns as i64, 1],
            reduced: &[0, 1, 2],
            to: &[],
        };
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (columns, fold) in
                [1, 2, 3, 8, 31].into_iter().flat_map(|n| FOLDS.map(|fold| (n, fold)))
            {
                let look = |bound: &Bound<'_>| bound.fold.as_ref().map(|fold| fold.abreast);
                let cube = cube(columns);
                let (expected, _) = cube.fold(fold, None, look);
                let (bits, together) = cube.fold(fold, Some(target), look);
                // Of one element all leaves are the row of the body; AVX2 has few registers for long rows.
                if (2..31).contains(&columns) && fold.0 == "f64" && fold.1 != "argmax" {
                    assert_eq!(together, Some(20), "{target:?} {fold:?} {columns}");
                }
                assert!(bits == expected, "{target:?} {fold:?} {columns}");
            }
        }
    }

    #[test]
    fn leaves_of_short_rows_of_points_are_folded_together() {
        let cube = |extents: [usize; 3], reduced: &'static [usize]| {
            let [_, rows, columns] = extents;
            let strides = [(rows * columns) as i64, columns as i64, 1];
            Cube { extents, strides, reduced, to: if reduced.len() == 2 { &[1] } else { &[40, 1] } }
        };
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for fold in FOLDS {
                for (cube, together) in [
                    // 18 whole leaves and one of 6 rows, three times.
                    (cube([17, 150, 40], &[0, 1]), true),
                    (cube([9, 16, 600], &[0, 1]), false),
                    (cube([17, 150, 40], &[1]), false),
                ] {
                    let look = |bound: &Bound<'_>| bound.fold.as_ref().unwrap().abreast > 1;
                    let (expected, none) = cube.fold(fold, None, look);
                    let (bits, seen) = cube.fold(fold, Some(target), look);
                    let plain = !fold.1.starts_with("arg");
                    assert_eq!((none, seen), (false, together && plain), "{target:?} {fold:?}");
                    assert!(bits == expected, "{target:?} {fold:?} {:?}", cube.extents);
                }
            }
        }
    }
}

//! A leaf of many kept points, or the lanes of one, with the combinations behind it in the tree: all of them for a piece of
//! the points, then the next piece; of many rows, a few for all points, then the next few.
//!
//! A vector of all points goes through the second-level cache for each step of the tree, and meanwhile nothing is asked of
//! memory. A piece of them stays in the first-level cache from the identity to what waits on the stack. Where streams that go on
//! matter more (`long_streams`), all points are one piece.

use super::bind::Bound;
use super::bound_fold::BoundFold;
use super::compiled_rows::LONG;
use super::fold::FoldRun;
use super::fold_places::NO_PLACE;
use crate::jit::Native;
use crate::processor;
use crate::vector::Accumulators;
use darray_codegen::FoldMode;
use smallvec::SmallVec;
use std::ops::Range;

/// A leaf that is not folded yet.
pub(super) struct WaitingLeaf {
    position: usize,
    ranges: SmallVec<[Range<usize>; 4]>,
    /// How many values on the stack before it are to be combined with it, one after the other.
    combinations: usize,
}

impl BoundFold {
    /// Whether leaves of `n` points of a block wait for what comes behind them.
    pub(super) fn leaves_wait(&self, bound: &Bound<'_>, n: usize) -> bool {
        let machine = &bound.specialised.machine;
        let native = |number: u32| &machine.natives[number as usize];
        let together = machine.fold_alone.is_some_and(|number| native(number).has_column_leaves());
        self.band == 0 && n * self.element() >= least(together) && self.may_wait(bound)
    }

    /// Whether lanes of `n` points of a block wait for each other.
    pub(super) fn lanes_wait(&self, bound: &Bound<'_>, n: usize) -> bool {
        let long = n * self.element() > LONG;
        self.band > 1 && self.joined == 0 && long && self.may_wait(bound)
    }

    /// Bytes of the largest elements that are folded.
    pub(super) fn element(&self) -> usize {
        self.items.iter().map(|item| item.size).max().unwrap_or(1)
    }

    fn may_wait(&self, bound: &Bound<'_>) -> bool {
        let machine = &bound.specialised.machine;
        let plain = !self.accesses.is_empty()
            && self.abreast == 1
            && !self.tree.is_empty()
            && self.products.is_none()
            && self.packing.is_empty()
            && bound.point_rows.is_none();
        self.mode == FoldMode::Kept && plain && machine.fold_alone.is_some()
    }
}

/// What all leaves that wait have in common.
pub(super) struct Way<'w> {
    pub(super) native: &'w Native,
    /// Bytes from row to row of each access, and the step of positions; behind these whether rows are the first ones, and the bytes
    /// from a vector that waits to the next. Those of the first rows, then of others.
    pub(super) steps: [SmallVec<[isize; 8]>; 2],
    /// Of the accesses of the body, where a leaf would be that begins at 0, if one axis is folded by a function of columns,
    /// which needs no indices.
    pub(super) origins: Option<SmallVec<[*mut u8; 8]>>,
    /// Bytes from index to index of the last axis, and from point to point, of the accesses of the body.
    pub(super) down: SmallVec<[isize; 8]>,
    along: SmallVec<[isize; 8]>,
    /// Points of a piece.
    pub(super) piece: usize,
}

impl<'w> FoldRun<'w> {
    /// How leaves of `n` points go through memory that [wait](BoundFold::leaves_wait), or lanes if there are several.
    pub(super) fn way(&self, lanes: usize, n: usize) -> Way<'w> {
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        let number = machine.fold_alone.expect("`leaves_wait` and `lanes_wait` asked for it");
        let last = fold.order.len() - 1;
        let down = |access: usize| fold.step(bound, last, access) as isize;
        let of_position = fold.position_steps.get(last).copied().unwrap_or(0) as isize;
        let steps = [1, 0].map(|is_first| {
            let steps = (0..bound.bases.len()).map(down).chain([of_position]);
            let apart = 8 * self.memory.width as isize;
            steps.map(|step| lanes as isize * step).chain([is_first, apart]).collect()
        });
        let along = |&access: &u16| match bound.nest.kept {
            0 => 0,
            _ => bound.stride(bound.vector.axis, access.into()) as isize,
        };
        let along = fold.accesses.iter().map(along).collect();
        let native = &machine.natives[number as usize];
        let element = fold.element();
        // Lanes are combined late: where accumulators are in registers for all rows that are read at once, a piece would
        // only interrupt the streams. AMD's processors take longer with each interruption than for the combinations.
        let long_streams = native.has_columns() && (lanes > 1 || processor::is_amd());
        let piece = if n * element <= LONG || long_streams { n } else { PIECE / element };
        let accesses = || fold.accesses.iter().map(|&access| usize::from(access));
        let by_columns = native.has_columns() && last == 0;
        let origin = |access: usize| self.frame.kept[access];
        let origins = by_columns.then(|| accesses().map(origin).collect());
        Way { native, steps, origins, down: accesses().map(down).collect(), along, piece }
    }
}

impl FoldRun<'_> {
    /// Has a leaf wait, after the one before was folded.
    ///
    /// # Safety
    /// As for [`fold_waiting`](Self::fold_waiting); the ranges are those of a leaf, the stack has the position.
    pub(super) unsafe fn wait(
        &mut self,
        way: &Way<'_>,
        position: usize,
        ranges: &[Range<usize>],
        n: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe { self.fold_waiting(way, n) };
        let ranges = ranges.iter().cloned().collect();
        self.last.waiting = Some(WaitingLeaf { position, ranges, combinations: 0 });
    }

    /// Has the value of the leaf that waits be combined with the one at a position, if this is the next step behind it.
    pub(super) fn combines_waiting(&mut self, position: usize) -> bool {
        let Some(leaf) = &mut self.last.waiting else { return false };
        let next = position + leaf.combinations + 1 == leaf.position;
        leaf.combinations += usize::from(next);
        next
    }

    /// Folds the leaf that waits, if there is one, and combines it with what it is to be combined with.
    ///
    /// # Safety
    /// The frame is at a block of `n` points, whose [leaves wait](BoundFold::leaves_wait).
    pub(super) unsafe fn fold_waiting(&mut self, way: &Way<'_>, n: usize) {
        let Some(leaf) = self.last.waiting.take() else { return };
        let memory = self.memory;
        let position = leaf.position;
        let lane = LaneOf { first: 0, of: 1, combinations: leaf.combinations };
        let acc = |item: usize, before: usize| memory.stack(item, position - before);
        // SAFETY: the caller's contract; positions of the stack hold `n` values each.
        unsafe { self.fold_pieces(way, &leaf.ranges, n, lane, acc) };
    }

    /// Folds the lanes of the leaf with these ranges to `n` values in the first vector of the band. A lane is combined as soon
    /// as the one is there that it is to be combined with, so that a few vectors wait, and not all lanes.
    ///
    /// # Safety
    /// The frame is at a block of `n` points, whose [lanes wait](BoundFold::lanes_wait); the ranges are those of a leaf.
    pub(super) unsafe fn fold_waiting_lanes(&mut self, ranges: &[Range<usize>], n: usize) {
        let (lanes, memory) = (self.fold.band, self.memory);
        let (way, mut order) = (self.way(lanes, n), SmallVec::new());
        lanes_in_order((0, 1), (lanes, ranges[ranges.len() - 1].len()), &mut order);
        let mut waiting = 0;
        for (first, combinations) in order {
            let lane = LaneOf { first, of: lanes, combinations };
            let acc = |item: usize, before: usize| memory.band(item, waiting - before);
            // SAFETY: the caller's contract; vectors of the band hold `n` values each.
            unsafe { self.fold_pieces(&way, ranges, n, lane, acc) };
            waiting = waiting + 1 - combinations;
        }
    }

    /// Folds a lane of the leaf with these ranges and combines it with what waits for it, for a piece of the `n` points after
    /// the other: `acc(item, k)` are the accumulators of the k-th that waits before it.
    unsafe fn fold_pieces(
        &mut self,
        way: &Way<'_>,
        ranges: &[Range<usize>],
        n: usize,
        lane: LaneOf,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        let (fold, table) = (self.fold, self.bound.specialised.machine.table);
        let Way { native, steps, along, piece, .. } = way;
        let by_columns = native.has_columns();
        // SAFETY: the caller's contract.
        let rows = unsafe { self.begins_of_rows(way, ranges, lane.first) };
        let count = (ranges[ranges.len() - 1].len() - lane.first).div_ceil(lane.of);
        let last_row = rows.len() - along.len();
        let mut steps_at_hand = &steps[0];
        for row in (0..rows.len()).step_by(along.len()) {
            for first in (0..count).step_by(TOGETHER) {
                let is_first = row + first == 0;
                let is_last = row == last_row && first + TOGETHER >= count;
                let (row, count) = (&rows[row..][..along.len()], TOGETHER.min(count - first));
                for point in (0..n).step_by(*piece) {
                    let some = (*piece).min(n - point);
                    let acc = |item: usize, before: usize| {
                        acc(item, before).from(point, fold.items[item].size)
                    };
                    for ((&access, &begin), &along) in fold.accesses.iter().zip(row).zip(along) {
                        let step = steps_at_hand[access as usize];
                        let behind = point as isize * along + first as isize * step;
                        let pointer = &mut self.frame.pointers[table.accesses + access as usize];
                        *pointer = begin.wrapping_offset(behind);
                    }
                    // SAFETY: the frame is laid out for the machine; rows lie inside the ranges, and accumulators are `n`
                    // each.
                    unsafe {
                        if is_first && !by_columns {
                            self.start(|item| acc(item, 0), some, NO_PLACE);
                        }
                        self.point_values(|item| acc(item, 0).values);
                        let pointers = &mut self.frame.pointers;
                        match by_columns {
                            true => native.run_columns(pointers, some, count, steps_at_hand),
                            false => native.run_rows(pointers, some, count, steps_at_hand),
                        }
                        if is_last {
                            self.combine_waiting(lane.combinations, some, acc);
                        }
                    }
                }
                steps_at_hand = &steps[1];
            }
        }
    }

    /// Where every row of a leaf begins in each access, at an index along the last of the ranges.
    ///
    /// # Safety
    /// The ranges are those of a leaf.
    unsafe fn begins_of_rows(
        &mut self,
        way: &Way<'_>,
        ranges: &[Range<usize>],
        first: usize,
    ) -> SmallVec<[*mut u8; 8]> {
        let last = ranges.len() - 1;
        if let Some(origins) = &way.origins {
            let index = (ranges[last].start + first) as isize;
            let begin = |(origin, down): (&*mut u8, isize)| origin.wrapping_offset(index * down);
            return origins.iter().zip(way.down.iter().copied()).map(begin).collect();
        }
        let places = self.bound.specialised.machine.table.accesses;
        let accesses = &self.fold.accesses;
        let mut begins: SmallVec<[*mut u8; 8]> = SmallVec::new();
        let add_row = |this: &mut Self, at: &mut [usize]| {
            at[last] = ranges[last].start + first;
            this.point_at(at, 0);
            begins.extend(accesses.iter().map(|&k| this.frame.pointers[places + k as usize]));
        };
        // SAFETY: indices lie inside the ranges.
        unsafe { self.rows(ranges, add_row) };
        begins
    }

    /// Combines `n` points of the last one that waits with those of so many before it.
    unsafe fn combine_waiting(
        &self,
        combinations: usize,
        n: usize,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        for before in 0..combinations {
            for (number, item) in self.fold.items.iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe {
                    (item.folding.combine)(acc(number, before + 1), acc(number, before), n);
                }
            }
        }
    }
}

/// Rows that are read at once, at most: memory is read faster in a few streams that go on, and fewer would take accumulators
/// from memory more often.
pub(super) const TOGETHER: usize = 8;

/// Every `of`-th index of a leaf's rows from the first on, and how many of those that wait it is to be combined with.
struct LaneOf {
    first: usize,
    of: usize,
    combinations: usize,
}

/// The lanes of a leaf, of which so many indices fall into some, each with the combinations behind it: lanes from the first one
/// on, so many apart, the odd ones of which are combined with the even ones in the end.
fn lanes_in_order(
    (first, apart): (usize, usize),
    (lanes, indices): (usize, usize),
    order: &mut SmallVec<[(usize, usize); 32]>,
) {
    if apart == lanes {
        return order.push((first, 0));
    }
    lanes_in_order((first, 2 * apart), (lanes, indices), order);
    if first + apart < indices {
        lanes_in_order((first + apart, 2 * apart), (lanes, indices), order);
        if let Some((_, combinations)) = order.last_mut() {
            *combinations += 1;
        }
    }
}

/// Bytes of a piece: long enough that what is done for each is little of it. Points that are [few](LONG) are one piece.
const PIECE: usize = 1 << 10;

/// Bytes of the points of a leaf that waits, at least, where leaves are folded `together` or are not.
pub(super) fn least(together: bool) -> usize {
    if together { 512 } else { 1 << 10 }
}

#[cfg(test)]
mod tests {
    use super::lanes_in_order;
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, Cube, FOLDS, run};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;
    use crate::processor;
    use smallvec::SmallVec;

    /// The bits of a fold over the first `reduced` of three axes, and whether its leaves wait.
    fn fold(
        extents: [usize; 3],
        reduced: usize,
        reducer: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, bool) {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p3 global=p{k} logical={k}");
        let [kept, folded] =
            [reduced..3, 0..reduced].map(|axes| axes.map(axis).collect::<Vec<_>>());
        // Kept axes come first.
        let number = |logical: usize| (logical + 3 - reduced) % 3;
        let axis = |logical: usize, text: &str| {
            text.replace(&format!("i{logical}:"), &format!("i{}:", number(logical)))
        };
        let list = |from: usize, texts: &[String]| {
            let texts = texts.iter().enumerate().map(|(k, text)| axis(from + k, text));
            texts.collect::<Vec<_>>().join(", ")
        };
        let at = |axes: std::ops::Range<usize>| {
            axes.map(|k| format!("p3 + 1*i{}", number(k))).collect::<Vec<_>>().join(", ")
        };
        let text = format!(
            "kernel params=4 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank {} write noalias
             {{ for ({}) {{ fold ({}) lanes=32 width=64 rounds=32 alone=8 {{
                %0 = load b0[{}] %1 = mul.f64 %0 %0 }}
                %8 = {reducer} %1 store b1[{}] %8 }} }}",
            3 - reduced,
            list(reduced, &kept),
            list(0, &folded),
            at(0..3),
            at(reduced..3),
        );
        let [_, rows, columns] = extents;
        let strides = [(rows * columns) as i64, columns as i64, 1];
        let arrays = [
            Array { block: 0, offset: 0, strides: &strides },
            Array { block: 1, offset: 0, strides: &strides[reduced..] },
        ];
        let params = [extents[0], rows, columns, 0];
        let points = extents[reduced..].iter().product();
        let elements = (extents.iter().product(), points);
        let (bits, seen) = run(&text, &arrays, &params, jit, usize::MAX, elements, |bound| {
            bound.fold.as_ref().unwrap().leaves_wait(bound, points)
        });
        (bits, seen[0])
    }

    #[test]
    fn leaves_of_many_points_wait_for_what_comes_behind_them() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (extents, reduced, waits) in [
                // Eight leaves and a part of one; nine pieces and a part of one.
                ([70, 3, 400], 1, true),
                // Rows short enough for leaves to be taken together.
                ([70, 3, 300], 1, true),
                // Subtrees of 16 and of 8, then a leaf and a part of one.
                ([205, 1, 300], 1, true),
                // Leaves of several rows, 3 times 2.
                ([19, 11, 600], 2, true),
                ([8, 1, 1000], 1, true),
                // A single piece, and points that are too few.
                ([70, 1, 400], 1, true),
                ([70, 1, 127], 1, target == Target::Avx512),
                ([70, 1, 63], 1, false),
            ] {
                for reducer in ["sum", "max"] {
                    let (expected, none) = fold(extents, reduced, reducer, None);
                    assert!(!none, "the interpreter goes leaf by leaf");
                    let counts = || {
                        [PathCounter::RowsOfColumns, PathCounter::SubtreesOfColumns]
                            .map(PathCounter::count)
                    };
                    let before = counts();
                    let (bits, seen) = fold(extents, reduced, reducer, Some(target));
                    let ran = counts();
                    assert_eq!(seen, waits, "{target:?} {extents:?}");
                    // Every row of each piece of 128 points; few points are one, and all where streams go on.
                    let points: usize = extents[reduced..].iter().product();
                    let one = points <= 512 || processor::is_amd();
                    let pieces = if one { 1 } else { points.div_ceil(128) };
                    let rows = extents[..reduced].iter().product::<usize>() * pieces;
                    let rows = if waits { rows } else { 0 };
                    // Of eight whole leaves and a part of one, if all of a row is one piece.
                    let whole = extents[0] >= 16 && reduced == 1 && one && points <= 1024;
                    // As many as the number of whole leaves has ones, but for the lowest one.
                    let several = ((extents[0] / 8) & !1).count_ones() as usize;
                    let is_one = waits && whole && target == Target::Avx512;
                    let subtrees = if is_one { several } else { 0 };
                    let ran = [ran[0] - before[0], ran[1] - before[1]];
                    assert_eq!(ran, [rows, subtrees], "{target:?} {extents:?}");
                    assert!(bits == expected, "{target:?} {extents:?} {reducer}");
                }
            }
        }
    }

    #[test]
    fn lanes_wait_for_the_ones_they_are_combined_with() {
        let orders = [1, 2, 3, 4].map(|indices| {
            let mut order = SmallVec::new();
            lanes_in_order((0, 1), (4, indices), &mut order);
            order.to_vec()
        });
        assert_eq!(orders[0], [(0, 0)]);
        assert_eq!(orders[1], [(0, 0), (1, 1)]);
        assert_eq!(orders[2], [(0, 0), (2, 1), (1, 1)]);
        assert_eq!(orders[3], [(0, 0), (2, 1), (1, 0), (3, 2)]);
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            // Lanes of nine and of eight indices, of points in two pieces and in more; in shorter blocks lanes are taken one
            // by one. Rows overlap.
            for (points, indices, waits) in
                [(700, 270, true), (1200, 257, true), (500, 270, false), (700, 100, false)]
            {
                let cube = Cube {
                    extents: [points, 1, indices],
                    strides: [1, 1, 400],
                    reduced: &[2],
                    to: &[1, 1],
                };
                for fold in FOLDS {
                    let look = |bound: &Bound<'_>| {
                        let fold = bound.fold.as_ref().unwrap();
                        fold.lanes_wait(bound, bound.block.min(bound.vector.extent))
                    };
                    let (expected, none) = cube.fold(fold, None, look);
                    let before = PathCounter::RowsOfColumns.count();
                    let (bits, seen) = cube.fold(fold, Some(target), look);
                    let rows = PathCounter::RowsOfColumns.count() - before;
                    let name = format!("{target:?} {points} {indices} {fold:?}");
                    assert!(!none, "{name}: the interpreter has no functions");
                    let plain = fold.0.ends_with("64") && !fold.1.starts_with("arg");
                    assert!(!plain || seen == waits, "{name}");
                    // All points of a row at once; results are stored and yielded.
                    let columns = if waits && processor::is_amd() { 2 * indices } else { 0 };
                    assert!(!plain || rows == columns, "{name}: {rows}");
                    assert!(bits == expected, "{name}");
                }
            }
        }
    }
}

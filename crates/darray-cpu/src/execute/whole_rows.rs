//! Folds of leaves by [functions of whole leaves](crate::jit::Traffic::whole): from the identity to the value, nothing of a
//! leaf is in memory but its elements.

use super::bind::Bound;
use super::bound_fold::{BoundFold, Stream};
use super::fold::FoldRun;
use super::machine::Machine;
use crate::jit::{Folded, Native, Target};
use darray_codegen::bind::Axes;
use darray_codegen::{FoldMode, Nest, Node, Phase, Program};
use smallvec::SmallVec;
use std::ops::Range;

/// Elements from which on such a function pays.
const MANY: usize = 1 << 12;

/// What the operators of a body cost, at most, so that it is surely short enough for such a function; see
/// [`cost`](darray_kernel::operator::Operator::cost).
const CHEAP: u32 = 6;

/// Whether leaves of a fold that goes this way are worth such a function.
pub(super) fn is_worth(axes: &Axes, mode: FoldMode) -> bool {
    mode == FoldMode::Lanes && are_many(axes)
}

/// Whether there are so many elements that one more function for them pays.
pub(super) fn are_many(axes: &Axes) -> bool {
    axes.extents.iter().product::<usize>() >= MANY
}

/// Whether there surely is such a function for a fold by lanes, of rows that lie side by side: `strides` are the bytes of
/// all accesses per step of the last reduced axis.
pub(super) fn is_sure(
    program: &Program,
    nest: &Nest,
    target: Option<Target>,
    strides: &[i64],
) -> bool {
    let (Some(fold), Some(target)) = (&nest.fold, target) else { return false };
    let [item] = &fold.items[..] else { return false };
    let lanes = fold.tree.lanes() == Folded::LANES;
    if !lanes || item.reducer.has_index() {
        return false;
    }
    let cost = |node: &Node| match node {
        Node::Apply { operator, .. } => operator.cost(),
        Node::Load { .. } => 0,
        _ => CHEAP + 1,
    };
    let size = |number: u16| {
        let buffer = program.accesses[number as usize].buffer;
        program.buffers[buffer as usize].dtype.size() as i64
    };
    let body = || nest.accesses.iter().zip(strides).filter(|((_, phase), _)| *phase == Phase::Fold);
    let go = |sign: i64| {
        body().all(|(&(number, _), &stride)| stride == 0 || stride == sign * size(number))
    };
    let side_by_side = go(1) || (go(-1) && target == Target::Avx512);
    side_by_side && fold.nodes.iter().map(cost).sum::<u32>() <= CHEAP
}

impl Machine {
    /// The function of whole leaves that is all there is to do for a row.
    pub(super) fn whole(&self) -> Option<&Native> {
        let native = &self.natives[self.fold_alone? as usize];
        native.has_whole().then_some(native)
    }
}

/// The steps of leaves of so many rows, as [`Native::run_whole`] takes them: `step` gives the bytes of an access of the fold
/// from row to row, and from the last row of a leaf to the next leaf.
pub(super) fn whole_steps(
    bound: &Bound<'_>,
    fold: &BoundFold,
    rows: usize,
    step: impl Fn(usize) -> (isize, isize),
) -> SmallVec<[isize; 16]> {
    // Behind those of the accesses is room for that of a first index.
    let count = bound.bases.len() + 1;
    let mut steps: SmallVec<[isize; 16]> = SmallVec::from_elem(0, 2 * count + 1);
    for &access in &fold.accesses {
        let access = usize::from(access);
        (steps[access], steps[count + access]) = step(access);
    }
    steps[2 * count] = rows as isize;
    steps
}

/// Leaves that were folded one after the other, and their values.
#[derive(Default)]
pub(super) struct WholeLeaves {
    /// The first indices of the first of them.
    first: SmallVec<[usize; 4]>,
    /// The axis along which they follow one another, by its place in logical order, and a leaf's indices along it.
    axis: usize,
    block: usize,
    leaves: usize,
    /// The kept point.
    point: usize,
    values: [u64; TOGETHER],
}

/// Leaves that are folded one after the other, at most.
const TOGETHER: usize = 32;

impl WholeLeaves {
    /// The number of the leaf with these ranges, if it is one of them.
    fn number(&self, ranges: &[Range<usize>], point: usize) -> Option<usize> {
        if self.point != point {
            return None;
        }
        let mut others = self.first.iter().zip(ranges).enumerate();
        let beside = others.all(|(k, (&first, range))| k == self.axis || first == range.start);
        let behind = ranges[self.axis].start.checked_sub(self.first[self.axis])?;
        // Blocks are powers of two.
        let number = behind >> self.block.trailing_zeros();
        (beside && number < self.leaves).then_some(number)
    }
}

impl BoundFold {
    /// Has a leaf of all points folded before the next one, if the points that lie in one row along an axis with these
    /// `strides`, per access, are nearer than rows of a leaf, which then are a few streams each: a point after the other would
    /// read all of its rows from as many streams.
    pub fn fold_by_leaf(&mut self, machine: &Machine, strides: &[i64]) {
        let rows_are_leaf = self.extents[self.extents.len() - 1] <= self.last_block();
        let fits = self.mode == FoldMode::Lanes && self.order.len() == 2 && rows_are_leaf;
        let plain = self.band == 0 && self.packing.is_empty() && self.points > 0;
        let is_nearer = |stream: &Stream| {
            strides[stream.access].unsigned_abs() < stream.around.unsigned_abs() as u64
        };
        self.by_leaf = fits
            && plain
            && self.leaves() > 1
            && machine.whole().is_some()
            && self.streams.iter().all(is_nearer);
    }

    /// The axis along which leaves follow one another, by its place in logical order: the last one, or if that is all one
    /// leaf, the one before.
    fn axis_of_leaves(&self) -> usize {
        let last = self.extents.len() - 1;
        let is_leaf = self.extents[last] <= self.blocks[last];
        if is_leaf { last.saturating_sub(1) } else { last }
    }
}

impl FoldRun<'_> {
    /// Whether a function of whole leaves folds the leaf with these ranges: its rows follow one another.
    pub(super) fn folds_whole(&self, ranges: &[Range<usize>]) -> bool {
        let in_rows = ranges.iter().rev().skip(2).all(|range| range.len() == 1);
        let plain = self.fold.band == 0 && self.fold.packing.is_empty();
        plain
            && self.bound.specialised.machine.whole().is_some()
            && in_rows
            && !ranges.iter().any(Range::is_empty)
    }

    /// Leaves that are folded one after the other now: where one may decide, at first a few.
    fn most_leaves(&mut self) -> usize {
        if self.fold.decides.is_none() {
            return TOGETHER;
        }
        let most = self.few.clamp(1, TOGETHER);
        self.few = 2 * most;
        most
    }

    /// Takes the value of the leaf with these ranges to a position of the stack, if it was folded with others.
    ///
    /// # Safety
    /// The ranges are those of a leaf; the stack has the position.
    #[inline]
    pub(super) unsafe fn whole_value(
        &self,
        ranges: &[Range<usize>],
        position: usize,
        point: usize,
    ) -> bool {
        let Some(whole) = &self.last.whole else { return false };
        let Some(number) = whole.number(ranges, point) else { return false };
        let to = self.memory.stack(0, position).values.cast::<u64>();
        let values = whole.values.as_ptr().cast::<u8>();
        // With what lies behind the value: of the largest elements nothing, else there are more bytes than values.
        // SAFETY: the value of one of 32 leaves; vectors of the stack have 8 bytes for each.
        unsafe {
            let value = values.add(number * self.fold.items[0].size).cast::<u64>();
            to.write_unaligned(value.read_unaligned());
        }
        true
    }

    /// Folds the leaf with these ranges to a value at a position of the stack, and those that follow it along.
    ///
    /// # Safety
    /// The ranges are those of a leaf that [is folded so](Self::folds_whole), of a kept point of the block.
    pub(super) unsafe fn whole_leaf(
        &mut self,
        ranges: &[Range<usize>],
        position: usize,
        point: usize,
    ) {
        let axis = self.fold.axis_of_leaves();
        let most = self.most_leaves();
        let leaves = self.together(ranges, axis, most);
        let (bound, fold, block) = (self.bound, self.fold, ranges[axis].len() as isize);
        let next = |access: usize| fold.step(bound, axis, access) as isize * block;
        // SAFETY: the caller's contract; so many leaves from this one on lie in the tile, and there is room for their
        // values.
        unsafe {
            if leaves < 2 {
                let to = self.memory.stack(0, position).values;
                return self.run_whole(ranges, next, 1, point, to);
            }
            let mut whole = self.last.whole.take().unwrap_or_default();
            self.run_whole(ranges, next, leaves, point, whole.values.as_mut_ptr().cast());
            whole.first = ranges.iter().map(|range| range.start).collect();
            (whole.axis, whole.block) = (axis, self.fold.blocks[axis]);
            (whole.leaves, whole.point) = (leaves, point);
            self.last.whole = Some(whole);
            self.whole_value(ranges, position, point);
        }
    }

    /// Folds the leaf with these ranges, of `n` kept points, to values at a position of the stack.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest, whose points are folded [so](BoundFold::by_leaf); the ranges
    /// are those of a leaf, the stack has the position.
    pub(super) unsafe fn leaf_of_points(
        &mut self,
        ranges: &[Range<usize>],
        position: usize,
        n: usize,
    ) {
        let (bound, to) = (self.bound, self.memory.stack(0, position).values);
        let next = |access: usize| bound.stride(bound.vector.axis, access) as isize;
        // SAFETY: the caller's contract; a position holds `n` values.
        unsafe { self.run_whole(ranges, next, n, 0, to) };
    }

    /// Folds the leaf with these ranges and others of the same extents, so many in all, each `next(access)` bytes behind the
    /// one before; their values go to `to`.
    ///
    /// # Safety
    /// The leaves lie in the tile, and [are folded so](Self::folds_whole); there is room for the values.
    unsafe fn run_whole(
        &mut self,
        ranges: &[Range<usize>],
        next: impl Fn(usize) -> isize,
        leaves: usize,
        point: usize,
        to: *mut u8,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let Some(native) = bound.specialised.machine.whole() else { return };
        let last = ranges.len() - 1;
        let around = last.checked_sub(1);
        let rows = around.map_or(1, |around| ranges[around].len());
        let steps = whole_steps(bound, fold, rows, |access| {
            let to_row = around.map_or(0, |axis| fold.step(bound, axis, access) as isize);
            // Rows of a leaf lie behind its first one.
            (to_row, next(access) - to_row * (rows as isize - 1))
        });
        let starts: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
        self.point_at(&starts, point);
        self.begin_whole();
        self.point_values(|_| to);
        // SAFETY: the frame is at the first element; the rest is the caller's contract.
        unsafe {
            native.run_whole(&mut self.frame.pointers, ranges[last].len(), leaves, &steps);
        }
    }

    /// Moves the accesses from the first element of a row to where functions of whole leaves begin: backwards, at the last
    /// of the elements that all lanes begin with.
    pub(super) fn begin_whole(&mut self) {
        let (bound, fold) = (self.bound, self.fold);
        if !fold.backward {
            return;
        }
        let last = fold.order.len() - 1;
        let first = bound.specialised.machine.table.accesses;
        for &access in &fold.accesses {
            let access = usize::from(access);
            let behind = fold.step(bound, last, access) as isize * (Folded::LANES as isize - 1);
            let pointer = &mut self.frame.pointers[first + access];
            *pointer = pointer.wrapping_offset(behind);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{self, Array, Cube, FOLDS};
    use crate::jit::{Ran, Target};
    use crate::level::Level;

    /// The bits of a fold of a matrix with these extents and strides over its rows (`kept` 1) or all of it (0), and how many
    /// leaves functions of whole leaves folded.
    fn run(
        kept: usize,
        extents: [usize; 2],
        strides: [i64; 2],
        (body, fold): (&str, &str),
        jit: Option<Target>,
    ) -> (Vec<u64>, usize) {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
        let tree = "innermost lanes=32 inner=1024 outer=8 max_leaves=1024";
        let (begin, to, end) = match kept {
            0 => (format!("fold ({}, {})", axis(0), axis(1)), "", ""),
            _ => (format!("for ({}) {{ fold ({})", axis(0), axis(1)), "p2 + 1*i0", "}"),
        };
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {kept} write noalias
             {{ {begin} {tree} {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }} {fold} store b1[{to}] %9 {end} }}"
        );
        let back = extents.iter().zip(strides).filter(|&(_, step)| step < 0);
        let offset = back.map(|(&extent, step)| (extent - 1) * step.unsigned_abs() as usize).sum();
        let reach = extents
            .iter()
            .zip(strides)
            .map(|(&extent, step)| (extent - 1) * step.unsigned_abs() as usize);
        let elements = reach.sum::<usize>() + 1;
        let arrays = [
            Array { block: 0, offset, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1][..kept] },
        ];
        let params = [extents[0], extents[1], 0];
        let points = if kept == 0 { 1 } else { extents[0] };
        let before = Ran::WholeLeaves.count();
        let (bits, _) =
            testing::run(&text, &arrays, &params, jit, usize::MAX, (elements, points), |_| ());
        (bits, Ran::WholeLeaves.count() - before)
    }

    const SUM: (&str, &str) = ("%1 = sub.f64 %0 %0 %2 = sub.f64 %0 %1", "%9 = sum %2");
    const MAX: (&str, &str) = ("", "%9 = max %0");
    const SQUARES: (&str, &str) = ("%1 = mul.f64 %0 %0", "%9 = sum %1");
    const EXPONENTIALS: (&str, &str) = ("%1 = exp.f64 %0", "%9 = sum %1");
    const TWO: (&str, &str) = ("", "%9 = sum %0, %8 = max %0");
    const PLACES: (&str, &str) = ("", "%8 %7 = argmax %0 %9 = to_f64.i64 %7");

    /// Kept axes, extents, strides, what is folded, and how many whole leaves that is for each target.
    type Case = (usize, [usize; 2], [i64; 2], (&'static str, &'static str), [usize; 2]);

    #[test]
    fn leaves_of_rows_are_folded_whole() {
        let cases: [Case; 24] = [
            // Rows of one leaf, with and without a rest, and of several.
            (1, [200, 128], [128, 1], SUM, [200; 2]),
            (1, [200, 100], [103, 1], SUM, [200; 2]),
            (1, [200, 33], [33, 1], MAX, [200; 2]),
            (1, [200, 64], [64, 1], SUM, [200; 2]),
            (1, [20, 5000], [5003, 1], MAX, [100; 2]),
            (1, [3, 5000], [5000, 1], SUM, [15; 2]),
            // All: leaves of 8 rows, and of one.
            (0, [103, 340], [340, 1], SUM, [13; 2]),
            (0, [3, 40_000], [40_000, 1], MAX, [0; 2]),
            (0, [1, 70_000], [70_000, 1], SUM, [69; 2]),
            (0, [70, 1000], [1001, 1], MAX, [9; 2]),
            // Backwards.
            (1, [200, 100], [103, -1], SUM, [0, 200]),
            (1, [200, 33], [33, -1], MAX, [0, 200]),
            (1, [20, 5000], [5003, -1], SUM, [0, 100]),
            (0, [103, 340], [340, -1], SUM, [0, 13]),
            (0, [200, 128], [-128, 1], SUM, [25; 2]),
            // Products that are not in the cache.
            (1, [1100, 128], [110, 1], SQUARES, [1100; 2]),
            // What has other ways: gaps, products without a rest, short rows, few elements.
            (1, [200, 100], [200, 2], SUM, [0; 2]),
            (1, [200, 128], [128, 1], SQUARES, [0; 2]),
            (1, [1000, 128], [120, 1], SQUARES, [0; 2]),
            (1, [200, 100], [128, 1], SQUARES, [200; 2]),
            (1, [400, 31], [31, 1], SUM, [0; 2]),
            (1, [20, 100], [100, 1], SUM, [0; 2]),
            // What the functions do not take.
            (1, [200, 100], [100, 1], TWO, [0; 2]),
            (1, [200, 100], [100, 1], PLACES, [0; 2]),
        ];
        for (kept, extents, strides, fold, expected) in cases {
            let (bits, none) = run(kept, extents, strides, fold, None);
            assert_eq!(none, 0, "the interpreter has none");
            for (target, leaves) in Target::ALL.into_iter().zip(expected) {
                if target.level() <= Level::detect() {
                    let (found, whole) = run(kept, extents, strides, fold, Some(target));
                    let name = format!("{target:?} {kept} {extents:?} {strides:?} {fold:?}");
                    assert_eq!(whole, leaves, "{name}");
                    assert!(found == bits, "{name}");
                }
            }
        }
    }

    #[test]
    fn long_bodies_are_folded_as_before() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            let (bits, whole) = run(1, [200, 100], [100, 1], EXPONENTIALS, Some(target));
            assert_eq!(whole, 0);
            assert!(bits == run(1, [200, 100], [100, 1], EXPONENTIALS, None).0);
        }
    }

    #[test]
    fn a_leaf_of_all_points_comes_before_the_next_one() {
        let cube = |extents: [usize; 3], strides: [i64; 3]| Cube {
            extents,
            strides,
            reduced: &[0, 2],
            to: &[1],
        };
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for fold in FOLDS {
                for (cube, by_leaf) in [
                    // Two leaves of 8 rows and one of 3, of 70 elements each.
                    (cube([19, 30, 70], [2100, 70, 1]), true),
                    (cube([19, 30, 64], [30 * 65, 65, 1]), true),
                    (cube([8, 30, 70], [2100, 70, 1]), false),
                    // Rows of a leaf beside one another.
                    (cube([19, 30, 70], [70, 19 * 70, 1]), false),
                    // Bands of leaves.
                    (cube([19, 3, 1100], [3300, 1100, 1]), false),
                ] {
                    let look = |bound: &Bound<'_>| {
                        let whole = bound.specialised.machine.whole().is_some();
                        (bound.fold.as_ref().unwrap().by_leaf, whole)
                    };
                    let (expected, (none, _)) = cube.fold(fold, None, look);
                    let (bits, (seen, whole)) = cube.fold(fold, Some(target), look);
                    let name = format!("{target:?} {fold:?} {:?}", cube.extents);
                    assert_eq!((none, seen), (false, by_leaf && whole), "{name}");
                    assert!(whole || fold.0 != "f64" || fold.1 == "argmax", "{name}");
                    assert!(bits == expected, "{name}");
                }
            }
        }
    }
}

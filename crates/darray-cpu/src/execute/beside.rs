//! Kept points that are a row of memory each, of many leaves, without lanes, as the columns of a transposed matrix: all leaves
//! of a few points, then those of the next ones.
//!
//! One leaf of all points would read a piece of a line or a few from each of hundreds of rows. So memory is read in eight
//! streams, and the values of leaves wait for the tree, which goes through all points together:
//!
//! ```text
//! memory   point 0: leaf 0: 0..8 | leaf 1: 0..8 | ..     buffer   index 0: leaf 0: points 0..8 | leaf 1: points 0..8 | ..
//!          point 1: ..                                            index 1: leaf 0: points 0..8 | ..
//! values   leaf 0: points 0..8 | leaf 1: points 0..8 | ..         leaf 0: points 8..16 | leaf 1: points 8..16 | ..
//! ```
//!
//! Leaves that are fewer, or not whole, are [packed](super::packed) as others are.

use super::alike::{CopiedAlike, copied_alike};
use super::compiled::FoldLoops;
use super::fold::FoldRun;
use super::fold_places::NO_PLACE;
use super::machine::Machine;
use super::packed::Packing;
use crate::jit::Target;
use crate::level::Level;
use crate::vector::{Accumulators, Alike, LINE, Transposed, fetch};
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Program};
use smallvec::SmallVec;
use std::ops::Range;

/// How leaves are folded so.
pub(super) struct Beside {
    /// What is copied.
    copied: SmallVec<[CopiedAlike; 1]>,
    /// Leaves that are copied and folded at once: the body has their accumulators in registers.
    strip: usize,
    /// Where the buffers begin, behind which are the values.
    offset: usize,
    bytes: usize,
    items: usize,
}

/// Leaves whose values are there: the first index of the first of them, and how many they are.
#[derive(Clone, Copy)]
pub(super) struct LeavesBeside {
    first: usize,
    leaves: usize,
}

impl Beside {
    /// For a fold along kept points whose operands are packed so; `strides(axis)` are the bytes per step of all accesses.
    pub fn find<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        packing: &Packing,
        (mode, vector): (FoldMode, Loop),
        (items, target, level): (&[FoldLoops], Target, Level),
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Option<Box<Beside>> {
        let fold = nest.fold.as_ref()?;
        let [axis] = fold.order[..] else { return None };
        let lanes = fold.tree.innermost && fold.tree.rule.lanes > 1;
        let indexed =
            fold.items.iter().any(|item| item.index.is_some()) || nest.indexed.contains(&axis);
        let block = axes.block(fold, 0);
        let many = axes.extents[axis as usize] / block >= FEWEST && vector.extent >= TOGETHER;
        if mode != FoldMode::Kept || program.by_rows || lanes || indexed || !many {
            return None;
        }
        if !nest.before.is_empty() || nest.kept == 0 {
            return None;
        }
        let offset = packing.bytes.next_multiple_of(LINE);
        let lie = (strides(axis), strides(vector.axis));
        // The values of all items stay in registers.
        let fit = target.held() * target.bytes() / (8 * TOGETHER * items.len().max(1));
        let strip = fit.min(STRIP);
        if strip == 0 {
            return None;
        }
        let buffer = |size: usize| block * apart(strip, size);
        let (copied, bytes) = copied_alike((program, nest), packing, lie, level, buffer)?;
        Some(Box::new(Beside { copied, strip, items: items.len(), offset, bytes }))
    }

    /// Elements of a row of the body.
    pub fn row(&self) -> usize {
        self.strip * TOGETHER
    }

    /// Where the values of an item are, in the buffers at an address: those of some points, the first of which is one of the
    /// block, leaf after leaf.
    fn values(&self, base: *mut u8, item: usize, point: usize) -> Accumulators {
        let few = item * (POINTS / TOGETHER) + point / TOGETHER;
        let before = self.offset + self.bytes + few * apart(MOST + self.strip, 8);
        let values = base.wrapping_add(before);
        Accumulators { values, indices: values }
    }

    /// Bytes of all that.
    fn all(&self) -> usize {
        let few = self.items * (POINTS / TOGETHER);
        self.offset + self.bytes + few * apart(MOST + self.strip, 8)
    }
}

/// Bytes of so many leaves of a few points each, and some more, so that lines of the same place do not compete.
fn apart(leaves: usize, size: usize) -> usize {
    leaves * TOGETHER * size + LINE
}

impl FoldRun<'_> {
    /// Takes the values of the leaf with these ranges, of `n` points, to a position of the stack, if leaves are folded so.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest; the ranges are those of a leaf, the stack has the position.
    pub(super) unsafe fn leaf_beside(
        &mut self,
        ranges: &[Range<usize>],
        position: usize,
        n: usize,
    ) -> bool {
        let (fold, memory) = (self.fold, self.memory);
        let Some(beside) = &fold.beside else { return false };
        let (start, block) = (ranges[0].start, fold.blocks[0]);
        let number = |known: LeavesBeside| {
            let number = start.checked_sub(known.first)? / block;
            (number < known.leaves).then_some(number)
        };
        let base = self.frame.packed.reserve(beside.all());
        let leaf = match self.last.beside.and_then(number) {
            Some(leaf) => leaf,
            None => {
                let leaves = self.together(ranges, 0, MOST);
                if leaves < LEAST {
                    return false;
                }
                // SAFETY: the caller's contract; so many leaves lie in the tile.
                unsafe { self.fold_beside(beside, base, (start, leaves), n) };
                self.last.beside = Some(LeavesBeside { first: start, leaves });
                0
            }
        };
        for (number, item) in fold.items.iter().enumerate() {
            let to = memory.stack(number, position);
            for point in (0..n).step_by(TOGETHER) {
                let from = beside.values(base, number, point).from(leaf * TOGETHER, item.size);
                let to = to.from(point, item.size);
                // No line is near the one before.
                fetch(from.values.wrapping_add(SOON * LINE));
                // SAFETY: all of these points have values, and the position holds `n` of them.
                unsafe {
                    match n - point >= TOGETHER && item.size == 8 {
                        true => from.values.copy_to_nonoverlapping(to.values, LINE),
                        false => {
                            let bytes = TOGETHER.min(n - point) * item.size;
                            from.values.copy_to_nonoverlapping(to.values, bytes);
                        }
                    }
                }
            }
        }
        true
    }

    /// Folds so many leaves from an index on, of `n` points, to where their values wait behind `base`.
    unsafe fn fold_beside(
        &mut self,
        beside: &Beside,
        base: *mut u8,
        (start, leaves): (usize, usize),
        n: usize,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        let number = machine.short(beside.row()).expect("`folds_beside` asked for it");
        let native = &machine.natives[number as usize];
        let accesses = machine.table.accesses;
        let mut steps: SmallVec<[isize; 8]> = SmallVec::from_elem(0, bound.bases.len() + 1);
        for one in &beside.copied {
            steps[one.access] = apart(beside.strip, one.size) as isize;
        }
        for point in (0..n).step_by(TOGETHER) {
            let points = TOGETHER.min(n - point);
            for first in (0..leaves).step_by(beside.strip) {
                let some = beside.strip.min(leaves - first);
                let begin = start + first * fold.blocks[0];
                // SAFETY: points and leaves lie inside the nest, whose accesses were checked; there is room for the rows of
                // so many leaves, and for as many values; the frame is laid out for the machine. What is in the rows behind
                // the last leaf is folded, too, and nobody reads what becomes of it.
                unsafe {
                    for one in &beside.copied {
                        let next = bound.stride(bound.vector.axis, one.access) as isize;
                        let from = self.frame.kept[one.access]
                            .wrapping_offset(point as isize * next)
                            .wrapping_add(begin * one.size);
                        let to = base.wrapping_add(beside.offset + one.offset);
                        let leaves = (some, fold.blocks[0]);
                        one.fill_points((from, next), points, leaves, (to, beside.strip));
                        self.frame.pointers[accesses + one.access] = to;
                    }
                    let acc = |item: usize| {
                        let of_points = beside.values(base, item, point);
                        of_points.from(first * TOGETHER, fold.items[item].size)
                    };
                    self.start(acc, beside.row(), NO_PLACE);
                    self.point_values(|item| acc(item).values);
                    let pointers = &mut self.frame.pointers;
                    native.run_rows(pointers, beside.row(), fold.blocks[0], &steps);
                }
            }
        }
    }
}

impl CopiedAlike {
    /// Copies so many leaves of a few `points`, of `block` elements each; the first point begins at an address, the others so
    /// many bytes behind the one before.
    ///
    /// # Safety
    /// They can be read, and the buffer has room for them.
    unsafe fn fill_points(
        &self,
        (from, next): (*const u8, isize),
        points: usize,
        (leaves, block): (usize, usize),
        (to, strip): (*mut u8, usize),
    ) {
        let matrix = Transposed {
            from,
            from_step: next,
            along: self.size as isize,
            to,
            to_step: apart(strip, self.size) as isize,
            rows: points,
            columns: block,
        };
        let from = (block * self.size) as isize;
        let alike = Alike { count: leaves, from, to: (TOGETHER * self.size) as isize };
        // SAFETY: the caller's contract.
        unsafe { (self.transpose)(matrix, alike, AHEAD) };
    }
}

impl Machine {
    /// Whether there is code for leaves that are folded so.
    pub(super) fn folds_beside(&self, beside: &Beside) -> bool {
        self.short(beside.row()).is_some() && self.folds
    }
}

/// Leaves of a row, at least, and those that are folded together, at least and at most.
const FEWEST: usize = 64;
const LEAST: usize = 32;
const MOST: usize = 1024;

/// Leaves that are copied at once, at most: with more, it is longer that nothing is asked of memory.
const STRIP: usize = 8;

/// Points that are folded at once, and those of a block, at most: what waits of them stays in the second-level cache.
const TOGETHER: usize = 8;
pub(super) const POINTS: usize = 128;

/// Lines from the values of a leaf that are taken to those that are fetched meanwhile.
const SOON: usize = 4;

/// Bytes from what is copied to what is fetched: an odd number of lines.
const AHEAD: isize = 17 * LINE as isize;

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, Cube, FOLDS, run};
    use crate::jit::Target;
    use crate::level::Level;

    /// The bits of a fold of the rows of a matrix without lanes, and whether it goes along leaves.
    fn fold(
        [points, indices]: [usize; 2],
        (body, reducer): (&str, &str),
        jit: Option<Target>,
    ) -> (Vec<u64>, bool) {
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=1) {{
                fold (i1: extent=p1 origin=p2 global=p1 logical=0) lanes=32 inner=1024 outer=8 max_leaves=1024 {{
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }}
                %8 = {reducer} store b1[p2 + 1*i0] %8 }} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[indices as i64 + 3, 1] },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        let elements = (points * (indices + 3), points);
        let params = [points, indices, 0];
        let (bits, seen) = run(&text, &arrays, &params, jit, usize::MAX, elements, |bound| {
            bound.fold.as_ref().unwrap().beside.is_some()
        });
        (bits, seen[0])
    }

    #[test]
    fn points_that_are_rows_of_many_leaves_are_folded_some_at_a_time() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (extents, beside) in [
                // 75 whole leaves and a part of one; one block of points, and one of 22.
                ([150, 75 * 8 + 5], true),
                ([8, 64 * 8], true),
                // More leaves than are folded together.
                ([9, 1060 * 8], true),
                ([7, 75 * 8], false),
                ([150, 63 * 8], false),
            ] {
                let square = ("%1 = sqrt.f64 %0", "sum %1");
                for fold_of in [("", "sum %0"), square, ("", "max %0")] {
                    let (expected, none) = fold(extents, fold_of, None);
                    assert!(!none, "the interpreter packs leaves");
                    let (bits, seen) = fold(extents, fold_of, Some(target));
                    assert_eq!(seen, beside, "{target:?} {extents:?} {fold_of:?}");
                    assert!(bits == expected, "{target:?} {extents:?} {fold_of:?}");
                }
            }
        }
    }

    #[test]
    fn elements_of_every_kind_are_folded_so() {
        // 75 whole leaves and a part of one, of 150 points.
        let (extents, strides) = ([75 * 8 + 5, 150, 1], [1, 75 * 8 + 5, 1]);
        let cube = Cube { extents, strides, reduced: &[0], to: &[1, 1] };
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for fold in FOLDS {
                let look = |bound: &Bound<'_>| bound.fold.as_ref().unwrap().beside.is_some();
                let (expected, none) = cube.fold(fold, None, look);
                let (bits, seen) = cube.fold(fold, Some(target), look);
                assert_eq!(
                    (none, seen),
                    (false, !fold.1.starts_with("arg")),
                    "{target:?} {fold:?}"
                );
                assert!(bits == expected, "{target:?} {fold:?}");
            }
        }
    }
}

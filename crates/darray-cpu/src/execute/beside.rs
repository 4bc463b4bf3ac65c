//! Kept points that are a row of memory each, of many leaves, without lanes, as the columns of a transposed matrix: all leaves
//! of a few points, then those of the next ones.
//!
//! One leaf of all points would read a piece of a line or a few from each of hundreds of rows. So memory is read in eight
//! or sixteen streams, by a [function](crate::jit::Traffic::tiles) that transposes in registers. It goes through all leaves
//! that follow one another, and combines those that are whole subtrees:
//!
//! ```text
//! memory   point 0: leaf 0 | leaf 1 | .. | leaf 12     values   leaves 0..8: points 0..8   | leaves 8..12: .. | leaf 12: ..
//!          point 1: ..                                          leaves 0..8: points 8..16  | ..
//! ```
//!
//! Leaves that are fewer, or not whole, are [packed](super::packed) as others are, and so are points that are fewer.

use super::fold::FoldRun;
use super::machine::Machine;
use super::packed::Packing;
use crate::jit::{COLUMNS, Native, Target, least_points};
use crate::vector::{Accumulators, LINE};
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase, Program};
use darray_kernel::tree::subtrees;
use smallvec::SmallVec;
use std::ops::Range;

/// How leaves are folded so.
pub(super) struct Beside {
    /// Where the values are in the buffers of packed operands.
    offset: usize,
    items: usize,
}

/// Subtrees whose values are there.
pub(super) struct LeavesBeside {
    /// The indices of their leaves, from the first one on whose value has not been taken.
    rest: Range<usize>,
    /// Where the first of all begins.
    first: usize,
    /// How many leaves of each there are.
    together: SmallVec<[usize; 16]>,
    /// Values that have been taken.
    taken: usize,
    /// Combinations behind the last one taken that are done.
    done: usize,
}

impl Beside {
    /// For a fold along kept points whose operands are packed; `strides(axis)` are the bytes per step of all accesses.
    pub fn find<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        (packing, target): (&Packing, Target),
        (mode, vector): (FoldMode, Loop),
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Option<Box<Beside>> {
        let fold = nest.fold.as_ref()?;
        let [axis] = fold.order[..] else { return None };
        let lanes = fold.tree.lanes() > 1;
        let indexed =
            fold.items.iter().any(|item| item.index.is_some()) || !nest.indexed.is_empty();
        let block = axes.blocks(fold)[0];
        let values = fold.items.iter().map(|item| program.dtypes[item.value.0 as usize].size());
        let elements = accesses_of_body(program, nest).map(|(_, size)| size);
        let set = least_points(target, values.chain(elements).max().unwrap_or(8));
        let many = axes.extents[axis as usize] / block >= FEWEST && vector.extent >= set;
        if mode != FoldMode::Kept || program.by_rows || lanes || indexed || !many {
            return None;
        }
        if !nest.before.is_empty() || nest.kept == 0 || !block.is_multiple_of(COLUMNS) {
            return None;
        }
        let (side, apart) = (strides(axis), strides(vector.axis));
        let lies_so = |(access, size): (usize, usize)| {
            side[access] == size as i64
                && apart[access].unsigned_abs() > FAR
                && packing.of(access).is_some()
        };
        let mut accesses = accesses_of_body(program, nest).peekable();
        if accesses.peek().is_none() || !accesses.all(lies_so) {
            return None;
        }
        Some(Box::new(Beside {
            offset: packing.bytes.next_multiple_of(LINE),
            items: fold.items.len(),
        }))
    }

    /// Where the values of an item are, in the buffers at an address: those of some points, by the number of the first, value
    /// after value.
    fn values(&self, base: *mut u8, item: usize, number: usize) -> Accumulators {
        let values = base.wrapping_add(self.offset + (item * SETS + number) * VALUES);
        Accumulators { values, indices: values }
    }

    /// Bytes of the buffers and of all that.
    fn bytes(&self) -> usize {
        self.offset + self.items * SETS * VALUES
    }
}

impl FoldRun<'_> {
    /// Takes the value of the leaf with these ranges, of `n` points, to a position of the stack, if leaves are folded so: that
    /// of the subtree that begins with it, if it is part of one.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest; the ranges are those of a leaf, the stack has the position.
    pub(super) unsafe fn leaf_beside(
        &mut self,
        ranges: &[Range<usize>],
        position: usize,
        n: usize,
    ) -> bool {
        let fold = self.fold;
        let Some(beside) = &fold.beside else { return false };
        let start = ranges[0].start;
        let is_known = |known: &LeavesBeside| (known.first..known.rest.end).contains(&start);
        let native = self.bound.specialised.machine.tiles().expect("`lead` asked for it");
        let points = native.points_of_tiles().unwrap_or(usize::MAX);
        if !self.last.beside.as_ref().is_some_and(is_known) {
            let leaves = self.together(ranges, 0, usize::MAX);
            if leaves < LEAST || n < points {
                return false;
            }
            let block = fold.blocks[0];
            let together = whole_subtrees((fold.position as usize + start) / block, leaves);
            if together.len() >= MOST / 2 {
                return false;
            }
            // SAFETY: the caller's contract; so many leaves lie in the tile.
            unsafe { self.fold_beside(native, beside, (start, &together), n) };
            let rest = start..start + leaves * block;
            self.last.beside =
                Some(LeavesBeside { rest, first: start, together, taken: 0, done: 0 });
        }
        let Some(known) = &mut self.last.beside else { return false };
        if start < known.rest.start {
            return true;
        }
        let (value, leaves) = (known.taken, known.together[known.taken]);
        known.taken += 1;
        known.rest.start += leaves * fold.blocks[0];
        known.done = leaves - 1;
        // SAFETY: the caller's contract; all values are there.
        unsafe { self.take_beside(beside, value, position, (n, points)) };
        true
    }

    /// Whether a combination is done: those of a subtree come behind one another.
    pub(super) fn combined_beside(&mut self) -> bool {
        let Some(known) = self.last.beside.as_mut().filter(|known| known.done > 0) else {
            return false;
        };
        known.done -= 1;
        true
    }

    /// Takes a value of `n` points, which were folded so many at once, to a position of the stack.
    unsafe fn take_beside(
        &mut self,
        beside: &Beside,
        value: usize,
        position: usize,
        (n, points): (usize, usize),
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let base = self.frame.packed.reserve(beside.bytes());
        for (item, loops) in fold.items.iter().enumerate() {
            let to = memory.stack(item, position);
            for (number, point) in sets(n, points) {
                let from = beside.values(base, item, number).from(value * points, loops.size);
                let to = to.from(point, loops.size).values;
                // SAFETY: all points of the set have values, and the position holds `n` of them.
                unsafe { from.values.copy_to_nonoverlapping(to, points * loops.size) };
            }
        }
    }

    /// Folds the leaves of some subtrees from an index on, of `n` points, to where their values wait.
    unsafe fn fold_beside(
        &mut self,
        native: &Native,
        beside: &Beside,
        (start, together): (usize, &[usize]),
        n: usize,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let accesses = bound.specialised.machine.table.accesses;
        let points = native.points_of_tiles().unwrap_or(1);
        let base = self.frame.packed.reserve(beside.bytes());
        let next = |access: usize| bound.stride(bound.vector.axis, access) as isize;
        let mut steps: SmallVec<[isize; 8]> = (0..bound.bases.len()).map(next).collect();
        steps.extend([0, (fold.blocks[0] / COLUMNS) as isize, 0]);
        let last = steps.len() - 1;
        for (number, point) in sets(n, points) {
            let (mut begin, mut value) = (start, 0);
            while value < together.len() {
                // Subtrees that become smaller are those that are left when all that are there are combined.
                let rest = &together[value..];
                let (values, counted) = match rest.is_sorted_by(|a, b| a > b) {
                    true => (rest.len(), -1),
                    false => (1, rest[0] as isize - 1),
                };
                let leaves = rest[..values].iter().sum::<usize>();
                steps[last] = counted;
                for &access in &fold.accesses {
                    let access = access as usize;
                    let along = bound.stride(fold.order[0], access) as isize;
                    let offset = point as isize * steps[access] + begin as isize * along;
                    self.frame.pointers[accesses + access] =
                        self.frame.kept[access].wrapping_offset(offset);
                }
                self.point_values(|item| {
                    beside
                        .values(base, item, number)
                        .from(value * points, fold.items[item].size)
                        .values
                });
                // SAFETY: points and leaves lie inside the nest, whose accesses were checked; there is room for the values; the
                // frame is laid out for the machine.
                unsafe { native.run_tiles(&mut self.frame.pointers, leaves, &steps) };
                (begin, value) = (begin + leaves * fold.blocks[0], value + values);
            }
        }
    }
}

/// The first of so many points of each of the sets that `n` points are, and its number. The last set has points of the one
/// before, if it would not be whole.
fn sets(n: usize, points: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).step_by(points).map(move |point| point.min(n - points)).enumerate()
}

/// The leaves of each of the largest subtrees that so many leaves from one on are, of those that have all their leaves.
fn whole_subtrees(first: usize, leaves: usize) -> SmallVec<[usize; 16]> {
    // Where the tree ends makes no difference to these.
    subtrees(first, first + leaves, usize::MAX).map(|node| 1 << node.level).collect()
}

impl Machine {
    /// The function of leaves that are folded so, if there is one.
    pub(super) fn tiles(&self) -> Option<&Native> {
        let native = &self.natives[self.fold_alone? as usize];
        native.points_of_tiles().is_some().then_some(native)
    }
}

/// Leaves of a row, at least, and those that are folded together, at least.
const FEWEST: usize = 64;
const LEAST: usize = 32;

/// Points at least, and those of a block, at most.
const POINTS_AT_LEAST: usize = 8;
pub(super) const POINTS: usize = 256;

/// Sets of points of a block, at most.
const SETS: usize = POINTS / POINTS_AT_LEAST;

/// Values of a point, at most: those of all subtrees, and what waits meanwhile.
const MOST: usize = 64;

/// Bytes of the values of an item and a set, of sixteen points at most, and some more, so that lines of the same place do not
/// compete.
const VALUES: usize = MOST * 16 * 8 + LINE;

/// The accesses of the body of a fold, and bytes of their elements.
fn accesses_of_body(program: &Program, nest: &Nest) -> impl Iterator<Item = (usize, usize)> {
    let body = nest.accesses.iter().enumerate().filter(|(_, (_, phase))| *phase == Phase::Fold);
    body.map(|(access, &(number, _))| {
        let buffer = program.accesses[number as usize].buffer;
        (access, program.buffers[buffer as usize].dtype.size())
    })
}

/// Bytes from element to element from which on these are of streams of their own.
const FAR: u64 = 512;

#[cfg(test)]
mod tests {
    use super::whole_subtrees;
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, Cube, FOLDS, run};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;

    /// The bits of a fold of the rows of a matrix without lanes, whether it goes along leaves, and how many leaves were folded
    /// so, once for each set of points.
    fn fold(
        [points, indices]: [usize; 2],
        (body, reducer): (&str, &str),
        jit: Option<Target>,
    ) -> (Vec<u64>, bool, usize) {
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=1) {{
                fold (i1: extent=p1 origin=p2 global=p1 logical=0) lanes=32 width=64 rounds=32 alone=8 {{
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }}
                %8 = {reducer} store b1[p2 + 1*i0] %8 }} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[indices as i64 + 3, 1] },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        let elements = (points * (indices + 3), points);
        let params = [points, indices, 0];
        let before = PathCounter::TiledLeaves.count();
        let (bits, seen) = run(&text, &arrays, &params, jit, usize::MAX, elements, |bound| {
            bound.fold.as_ref().unwrap().beside.is_some()
        });
        (bits, seen[0], PathCounter::TiledLeaves.count() - before)
    }

    #[test]
    fn points_that_are_rows_of_many_leaves_are_folded_some_at_a_time() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (extents, sets) in [
                // 75 whole leaves and a part of one; the last set has points of the one before.
                ([150, 75 * 8 + 5], Some(19)),
                ([8, 64 * 8], Some(1)),
                // Leaves of two tiles, and the last point alone.
                ([9, 530 * 16], Some(2)),
                ([7, 75 * 8], None),
                ([150, 63 * 8], None),
            ] {
                let square = ("%1 = sqrt.f64 %0", "sum %1");
                for fold_of in [("", "sum %0"), square, ("", "max %0")] {
                    let (expected, none, _) = fold(extents, fold_of, None);
                    assert!(!none, "the interpreter packs leaves");
                    let (bits, seen, leaves) = fold(extents, fold_of, Some(target));
                    let whole = match extents[1] {
                        8480 => 530,
                        indices => indices / 8,
                    };
                    assert_eq!(seen, sets.is_some(), "{target:?} {extents:?} {fold_of:?}");
                    let expected_leaves = sets.unwrap_or(0) * whole;
                    assert_eq!(leaves, expected_leaves, "{target:?} {extents:?} {fold_of:?}");
                    assert!(bits == expected, "{target:?} {extents:?} {fold_of:?}");
                }
            }
        }
    }

    #[test]
    fn leaves_are_whole_subtrees() {
        assert_eq!(whole_subtrees(0, 13)[..], [8, 4, 1]);
        assert_eq!(whole_subtrees(3, 13)[..], [1, 4, 8]);
        assert_eq!(whole_subtrees(6, 9)[..], [2, 4, 2, 1]);
    }

    #[test]
    fn operands_of_several_sizes_are_transposed_together() {
        let body = "%0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = load b2[p2 + 1*i0, p2 + 1*i1]
             %2 = to_f64.i32 %1 %3 = add.f64 %0 %2 %4 = mul.f64 %3 %0";
        let tree = "lanes=32 width=64 rounds=32 alone=8";
        let axis = |k: usize, logical: usize| {
            format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={logical}")
        };
        let kept = format!(
            "{{ for ({}) {{ fold ({}) {tree} {{ {body} }} %8 = sum %4 store b1[p2 + 1*i0] %8 }} }}",
            axis(0, 1),
            axis(1, 0),
        );
        // Of points that are rows of memory, 65 leaves.
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
             b2: i32 rank 2 read noalias {kept}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[530, 1] },
            Array { block: 1, offset: 0, strides: &[1] },
            Array { block: 0, offset: 0, strides: &[900, 1] },
        ];
        let fold = |jit: Option<Target>| {
            run(&text, &arrays, &[20, 520, 0], jit, usize::MAX, (530 * 40, 20), |_| ()).0
        };
        let expected = fold(None);
        for target in Target::ALL.into_iter().filter(|t| t.level() <= Level::detect()) {
            let before = PathCounter::TiledLeaves.count();
            assert!(fold(Some(target)) == expected, "{target:?} {kept}");
            assert!(PathCounter::TiledLeaves.count() > before, "{target:?} {kept}");
        }
    }

    #[test]
    fn a_tile_in_the_middle_has_its_own_subtrees() {
        // Leaves 3 to 72 of 100: 1, 4, 8, 16, 32, 8 and 1 of them are subtrees.
        let text = "kernel params=5 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 partial noalias
             { for (i0: extent=p0 origin=p2 global=p0 logical=1) {
                fold (i1: extent=p1 origin=p3 global=p4 logical=0) lanes=32 width=64 rounds=32 alone=8 {
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] }
                %8 = sum %0 yield b1[p2, p2 + 1*i0] %8 } }";
        let arrays = [
            Array { block: 0, offset: 0, strides: &[587, 1] },
            Array { block: 1, offset: 0, strides: &[20, 1] },
        ];
        let params = [20, 70 * 8, 0, 3 * 8, 100 * 8];
        let fold = |jit: Option<Target>| {
            run(text, &arrays, &params, jit, usize::MAX, (587 * 20, 8 * 20), |_| ()).0
        };
        let expected = fold(None);
        let yielded = expected.iter().take_while(|&&bits| bits != 0).count();
        assert_eq!(yielded, 7 * 20, "seven subtrees of each point");
        for target in Target::ALL.into_iter().filter(|t| t.level() <= Level::detect()) {
            let before = PathCounter::TiledLeaves.count();
            assert!(fold(Some(target)) == expected, "{target:?}");
            assert_eq!(PathCounter::TiledLeaves.count() - before, 3 * 70, "{target:?}");
        }
    }

    #[test]
    fn points_of_less_than_a_set_are_packed() {
        let cube = Cube { extents: [600, 12, 1], strides: [1, 600, 1], reduced: &[0], to: &[1, 1] };
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            let (expected, ()) = cube.fold(("i32", "min"), None, |_| ());
            let before = PathCounter::TiledLeaves.count();
            let (bits, ()) = cube.fold(("i32", "min"), Some(target), |_| ());
            assert!(bits == expected, "{target:?}");
            // Stored and yielded: two sets of eight points each, none of sixteen.
            let sets = if target == Target::Avx2 { 4 } else { 0 };
            assert_eq!(PathCounter::TiledLeaves.count() - before, sets * 75, "{target:?}");
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

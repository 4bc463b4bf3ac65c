//! Views that go backwards through memory.
//!
//! Kept points can be gone through in any order, so they are taken forwards. Reduced indices cannot: each lane takes its
//! elements in the order of the indices. But lanes do not wait for each other. So the elements of all lanes are one row for
//! the body, forwards, rows follow one another backwards, and the accumulators are those of the lanes in reverse.
//!
//! ```text
//! memory        .. | index 63, 62 .. 32 | index 31, 30 .. 0
//! accumulators       lane 31, 30 .. 0     lane 31, 30 .. 0
//! ```

use super::fold::FoldRun;
use crate::jit::{Folded, Native};
use crate::vector::Accumulators;
use darray_codegen::bind::{Addresses, Axes};
use darray_codegen::{FoldMode, Nest, Phase, Program};
use smallvec::SmallVec;
use std::ops::Range;

/// Turns the kept axes around along which what a nest accesses goes backwards, or what its fold does.
pub(super) fn turn_around(program: &Program, nest: &Nest, axes: &Axes, addresses: &mut Addresses) {
    if program.by_rows || addresses.strides.iter().all(|&stride| stride >= 0) {
        return;
    }
    let count = nest.accesses.len();
    for axis in (0..nest.kept).filter(|&axis| !nest.indexed.contains(&(axis as u8))) {
        let strides = &mut addresses.strides[axis * count..][..count];
        let in_fold = |access: usize| nest.accesses[access].1 == Phase::Fold;
        let all = || strides.iter().copied().enumerate().filter(|&(_, stride)| stride != 0);
        let folded = all().any(|(access, _)| in_fold(access));
        // Of a fold, only what lies side by side: else the order of points makes no difference but to the results.
        let backward = |(access, stride): (usize, i64)| {
            let buffer = program.accesses[nest.accesses[access].0 as usize].buffer;
            let size = program.buffers[buffer as usize].dtype.size() as i64;
            stride < 0 && (!folded || stride == -size)
        };
        if !all().filter(|&(access, _)| !folded || in_fold(access)).all(backward) {
            continue;
        }
        let last = axes.extents[axis].saturating_sub(1) as i64;
        for (stride, offset) in strides.iter_mut().zip(&mut addresses.offsets) {
            *offset += last * *stride;
            *stride = -*stride;
        }
    }
}

/// Whether all that the body of a fold by lanes accesses goes backwards, element by element; `strides(axis)` are the bytes
/// per step of all accesses.
pub(super) fn is_backward<'s>(
    program: &Program,
    nest: &Nest,
    mode: FoldMode,
    strides: impl Fn(u8) -> &'s [i64],
) -> bool {
    let Some((fold, &last)) = nest.fold.as_ref().and_then(|f| Some((f, f.order.last()?))) else {
        return false;
    };
    let lanes = fold.tree.lanes() == Folded::LANES;
    if mode != FoldMode::Lanes || !lanes || nest.indexed.contains(&last) {
        return false;
    }
    let size = |number: u16| {
        let buffer = program.accesses[number as usize].buffer;
        program.buffers[buffer as usize].dtype.size() as i64
    };
    let body = nest.accesses.iter().zip(strides(last)).filter(|((_, p), _)| *p == Phase::Fold);
    let mut any = false;
    let all = body.map(|(&(number, _), &stride)| {
        any |= stride != 0;
        stride == 0 || stride == -size(number)
    });
    all.fold(true, |all, one| all & one) && any
}

impl FoldRun<'_> {
    /// Folds rows, which go along the last of the ranges, backwards into lanes in reverse: those of the leaf that an
    /// element lies in. A leaf has `leaf` indices along a row; rows begin with a leaf.
    ///
    /// # Safety
    /// The ranges lie inside the reduced extents; there are lanes for every leaf.
    pub(super) unsafe fn backward_rows(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        leaf: usize,
        lanes: impl Fn(usize, usize) -> Accumulators,
    ) {
        let last = ranges.len() - 1;
        let range = &ranges[last];
        // SAFETY: the caller's contract; pieces lie inside a leaf of the row.
        unsafe {
            if last > 0 && (1..=leaf.min(Folded::LANES)).contains(&range.len()) {
                // All rows go to the same lanes.
                let steps = (last - 1, 1, ranges[last - 1].len());
                return self.rows(&ranges[..last], |this, at| {
                    let mut start: SmallVec<[usize; 4]> = SmallVec::from_slice(at);
                    start.push(range.start);
                    this.backward_piece(&mut start, point, range.len(), steps, |item| {
                        lanes(item, 0)
                    });
                });
            }
            let indexed = self.fold.items.iter().any(|item| item.indexed);
            let short = self.bound.specialised.machine.short(Folded::LANES);
            let in_groups = leaf.is_multiple_of(Folded::LANES) || range.len() <= leaf;
            if let Some(number) = short.filter(|_| in_groups && !indexed) {
                return self.backward_leaves(number, ranges, point, leaf, lanes);
            }
            self.rows(ranges, |this, at| {
                for first in (range.start..range.end).step_by(leaf.min(range.len())) {
                    let length = leaf.min(range.end - first);
                    let number = (first - range.start) / leaf;
                    let acc = |item: usize| lanes(item, number);
                    let whole = length / Folded::LANES;
                    for (from, n, count) in [
                        (0, Folded::LANES, whole),
                        (whole * Folded::LANES, length % Folded::LANES, 1),
                    ] {
                        at[last] = first + from;
                        this.backward_piece(at, point, n, (last, n, count), acc);
                    }
                }
                at[last] = range.start;
            });
        }
    }

    /// The same by the function of this number, which is for rows of all lanes: leaf by leaf of each row, with nothing to do
    /// between two of them but to move on.
    unsafe fn backward_leaves(
        &mut self,
        number: u32,
        ranges: &[Range<usize>],
        point: usize,
        leaf: usize,
        lanes: impl Fn(usize, usize) -> Accumulators,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        let native = &machine.natives[number as usize];
        let (last, accesses) = (ranges.len() - 1, machine.table.accesses);
        let range = &ranges[last];
        let step = |access| Folded::LANES as isize * fold.step(bound, last, access) as isize;
        let mut steps: SmallVec<[isize; 8]> = (0..bound.bases.len()).map(step).collect();
        steps.push(0);
        // SAFETY: the caller's contract; groups and what remains lie inside the row.
        unsafe {
            self.rows(ranges, |this, at| {
                at[last] = range.start + Folded::LANES - 1;
                this.point_at(at, point);
                for first in (range.start..range.end).step_by(leaf.min(range.len())) {
                    let length = leaf.min(range.end - first);
                    let (groups, rest) = (length / Folded::LANES, length % Folded::LANES);
                    let acc = |item: usize| lanes(item, (first - range.start) / leaf);
                    this.point_values(|item| acc(item).values);
                    if groups > 0 {
                        native.run_rows(&mut this.frame.pointers, Folded::LANES, groups, &steps);
                    }
                    for stream in &fold.streams {
                        let pointer = &mut this.frame.pointers[accesses + stream.access];
                        *pointer = pointer.wrapping_offset(length as isize * stream.along);
                    }
                    if rest > 0 {
                        // The row ends.
                        at[last] = first + length - rest;
                        this.backward_piece(at, point, rest, (last, rest, 1), acc);
                    }
                }
                at[last] = range.start;
            });
        }
    }

    /// Folds the `n` elements behind these indices into as many lanes, and those of others that follow: so many, each a
    /// number of indices of an axis behind the one before.
    unsafe fn backward_piece(
        &mut self,
        at: &mut [usize],
        point: usize,
        n: usize,
        (axis, every, count): (usize, usize, usize),
        acc: impl Fn(usize) -> Accumulators,
    ) {
        if count == 0 || n == 0 {
            return;
        }
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        let mut place = self.place(at);
        at[at.len() - 1] += n - 1;
        self.point_at(at, point);
        let position_step = fold.position_steps.get(axis).copied().unwrap_or(0) * every as i64;
        let acc = |item: usize| acc(item).from(Folded::LANES - n, fold.items[item].size);
        // SAFETY: the frame is at the last of `n` indices, which is the first in memory; the rest is the caller's contract.
        unsafe {
            self.point_accumulators(acc, place);
            if let Some(number) = machine.fold_alone.or(machine.fold_short) {
                let step = |access| (every as i64 * fold.step(bound, axis, access)) as isize;
                let mut steps: SmallVec<[isize; 8]> = (0..bound.bases.len()).map(step).collect();
                steps.push(position_step as isize);
                let native = &machine.natives[number as usize];
                return self.run_forwards(native, n, count, &steps);
            }
            for _ in 0..count {
                self.list(&machine.fold_row, 1);
                self.point_accumulators(acc, place);
                self.list(&machine.fold, n);
                for (number, item) in self.left_to_fold() {
                    let values = self.frame.pointers[machine.sources[number] as usize];
                    let last = place.wrapping_add(n as i64 - 1);
                    (item.folding.lanes)(acc(number), values, n, Folded::LANES, last, -1);
                }
                self.advance(axis, every as i64);
                place = place.wrapping_add(position_step);
            }
        }
    }

    /// Runs a function on rows. One that keeps indices moves the first of them only where rows are short.
    unsafe fn run_forwards(&mut self, native: &Native, n: usize, count: usize, steps: &[isize]) {
        let table = self.bound.specialised.machine.table;
        // SAFETY: the caller's contract; the first index is a cell of the frame.
        unsafe {
            let indexed = self.fold.items.iter().any(|item| item.indexed);
            if !indexed || native.short() == n {
                return native.run_rows(&mut self.frame.pointers, n, count, steps);
            }
            for _ in 0..count {
                native.run(self.frame.pointers.as_ptr(), n);
                for &access in &self.fold.accesses {
                    let pointer = &mut self.frame.pointers[table.accesses + access as usize];
                    *pointer = pointer.wrapping_offset(steps[access as usize]);
                }
                *self.frame.pointers[table.position].cast::<i64>() += steps[steps.len() - 1] as i64;
            }
        }
    }

    /// Puts the lanes of an item in their order.
    ///
    /// # Safety
    /// The accumulators are those of as many lanes as the tree has.
    pub(super) unsafe fn reverse_lanes(&self, number: usize, acc: Accumulators) {
        let item = &self.fold.items[number];
        // SAFETY: elements of the accumulators.
        unsafe {
            reverse(acc.values, item.size);
            if item.indexed {
                reverse(acc.indices, 8);
            }
        }
    }
}

/// Reverses the order of the lanes at an address.
///
/// # Safety
/// There are [`Folded::LANES`] elements of so many bytes.
unsafe fn reverse(values: *mut u8, size: usize) {
    for lane in 0..Folded::LANES / 2 {
        let other = values.wrapping_add((Folded::LANES - 1 - lane) * size);
        // SAFETY: two of the elements.
        unsafe { std::ptr::swap_nonoverlapping(values.wrapping_add(lane * size), other, size) };
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::testing::{self, Array};
    use crate::jit::Target;
    use crate::level::Level;

    /// The bits of a fold of a matrix with these extents that lies backwards along its columns, and if it is flipped along its
    /// rows: over both axes (0), the second (1), the first (2); whether lanes go backwards, nothing is copied, bytes from point to point in memory, and
    /// leaves of a band.
    fn run(
        (kept, flipped): (usize, bool),
        [rows, columns]: [usize; 2],
        fold: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, (bool, bool, i64, usize)) {
        let axis =
            |k: usize, of: usize| format!("i{k}: extent=p{of} origin=p2 global=p{of} logical={of}");
        let tree = "lanes=32 width=64 rounds=32 alone=8";
        let (begin, at) = match kept {
            0 => (format!("fold ({}, {}) innermost", axis(0, 0), axis(1, 1)), [0, 1]),
            1 => (format!("for ({}) {{ fold ({}) innermost", axis(0, 0), axis(1, 1)), [0, 1]),
            _ => (format!("for ({}) {{ fold ({})", axis(0, 1), axis(1, 0)), [1, 0]),
        };
        let indexed = fold.starts_with("arg");
        let (result, index) = if indexed { ("%1 %2", "%3 = to_f64.i64 %2") } else { ("%1", "") };
        let value = if indexed { "%3" } else { "%1" };
        let (rank, to) = if kept == 0 { (0, "") } else { (1, "p2 + 1*i0") };
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {rank} write noalias
             {{ {begin} {tree} {{ %0 = load b0[p2 + 1*i{}, p2 + 1*i{}] }} {result} = {fold} %0 {index}
             store b1[{to}] {value} {} }}",
            at[0],
            at[1],
            if rank == 1 { "}" } else { "" }
        );
        let arrays = [
            match flipped {
                true => {
                    let offset = rows * columns - 1;
                    Array { block: 0, offset, strides: &[-(columns as i64), -1] }
                }
                false => Array { block: 0, offset: columns - 1, strides: &[columns as i64, -1] },
            },
            Array { block: 1, offset: 0, strides: &[1][..rank] },
        ];
        let points = [1, rows, columns][kept];
        let params = [rows, columns, 0];
        let (bits, seen) = testing::run(
            &text,
            &arrays,
            &params,
            jit,
            usize::MAX,
            (rows * columns, points),
            |bound| {
                let fold = bound.fold.as_ref()?;
                let step = bound.stride(bound.vector.axis, fold.accesses[0] as usize);
                Some((fold.backward, fold.packing.is_empty(), step, fold.band))
            },
        );
        (bits, seen.into_iter().flatten().next().unwrap())
    }

    #[test]
    fn lanes_go_backwards_and_points_forwards() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            // A band of leaves, a leaf of whole rows, rows of less than all lanes.
            for columns in [3000, 70, 32, 20, 3] {
                let extents = [131_000 / columns, columns];
                for fold in ["sum", "argmin", "argmax"] {
                    for (kept, flipped) in [(0, false), (0, true), (1, false)] {
                        let way = (kept, flipped);
                        let (expected, (backward, ..)) = run(way, extents, fold, None);
                        assert!(!backward, "the interpreter gathers");
                        let (bits, (backward, plain, _, band)) =
                            run(way, extents, fold, Some(target));
                        let whole = fold == "sum";
                        // With AVX-512 rows of whole leaves are worth it from 32 elements on.
                        let short = columns >= 32 && whole && target == Target::Avx512;
                        let rows = kept == 0 || columns > 64 || short;
                        let name = format!("{target:?} {way:?} {columns} {fold}");
                        assert_eq!(backward && plain, rows, "{name}");
                        // Three leaves of a row, in the order of memory; else a function of whole leaves is better.
                        if kept == 0 && columns == 3000 {
                            assert_eq!(band, if whole && !flipped { 0 } else { 3 }, "{name}");
                        }
                        assert!(bits == expected, "{name}");
                    }
                }
            }
            for jit in [None, Some(target)] {
                let (_, (_, _, step, _)) = run((2, false), [50, 70], "sum", jit);
                assert_eq!(step, 8, "kept points are gone through forwards");
            }
        }
    }
}

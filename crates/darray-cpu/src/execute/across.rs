//! Leaves with very short rows, many at a time: transposed, so that the body goes along leaves. A row of one element, or
//! one of a few whose indices are kept, leaves nothing to do meanwhile to a sum that waits for the one before.
//!
//! ```text
//! memory   leaf 0: rows 0, 1, 2 ..      buffer   row 0: leaves 0..n
//!          leaf 1: rows 0, 1, 2 ..               row 1: leaves 0..n
//! ```

use super::abreast::Group;
use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::machine::Machine;
use crate::jit::{Folded, Target};
use crate::level::Level;
use crate::vector::{Accumulators, Transpose, Transposed, find_transpose};
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase, Program};
use darray_kernel::ir::Role;
use smallvec::SmallVec;

/// How leaves are transposed.
pub(super) struct Across {
    /// Leaves that the body goes along.
    pub leaves: usize,
    /// Elements of a row.
    row: usize,
    /// What is copied.
    copied: SmallVec<[Copied; 2]>,
    /// Rows of each leaf that are copied at once.
    piece: usize,
}

/// An access of the body.
struct Copied {
    access: usize,
    size: usize,
    transpose: Transpose,
    /// Where its buffer begins.
    offset: usize,
}

impl Across {
    /// For a fold that goes along kept points or by lanes, if it has enough leaves with short rows; `strides(axis)` are
    /// the bytes per step of all accesses.
    pub fn find<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        mode: FoldMode,
        vector: Loop,
        (target, level): (Target, Level),
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Option<Box<Across>> {
        let fold = nest.fold.as_ref()?;
        let extent = |number: usize| axes.extents[fold.order[number] as usize];
        let lanes = fold.tree.lanes();
        let (around, row, along) = match mode {
            FoldMode::Kept => (fold.order.len().checked_sub(1)?, vector.extent, vector.axis),
            FoldMode::Lanes => {
                let last = fold.order.len().checked_sub(1)?;
                (last.checked_sub(1)?, extent(last), fold.order[last])
            }
        };
        let wanted = if mode == FoldMode::Kept { 1 } else { Folded::LANES };
        let indexed = fold.items.iter().any(|item| item.index.is_some());
        let longest = if indexed { LONGEST_INDEXED } else { LONGEST };
        if lanes != wanted || !(1..=longest).contains(&row) {
            return None;
        }
        let block = axes.blocks(fold)[around];
        let many = extent(around) / block >= FEWEST;
        // The values of a leaf's points are put side by side one by one.
        let many = many && (mode == FoldMode::Lanes || block >= KEPT * row);
        let plain = nest.before.is_empty() && !program.by_rows && nest.sum_of_products().is_none();
        let kept = mode == FoldMode::Lanes || nest.kept > 0;
        let free = ![along, fold.order[around]].iter().any(|axis| nest.indexed.contains(axis));
        if !many || !plain || !kept || !free {
            return None;
        }
        // Values and indices of all items stay in registers.
        let one = fold.items.iter().map(|item| 8 + 8 * usize::from(item.index.is_some()));
        let fit = target.held() * target.bytes() / one.sum::<usize>().max(1);
        let leaves = Folded::LANES.min(1 << fit.max(1).ilog2());
        if leaves <= row || leaves < FEW {
            return None;
        }
        let mut across = Across { leaves, row, copied: SmallVec::new(), piece: 0 };
        let body = nest.accesses.iter().enumerate().filter(|(_, (_, phase))| *phase == Phase::Fold);
        let mut bytes = 0;
        for (access, &(number, _)) in body {
            let buffer = &program.buffers[program.accesses[number as usize].buffer as usize];
            let size = buffer.dtype.size();
            let unit = row == 1 || strides(along)[access] == size as i64;
            if buffer.role != Role::Read || !unit {
                return None;
            }
            let transpose = find_transpose(size, level)?;
            across.copied.push(Copied { access, size, transpose, offset: bytes });
            bytes += leaves * row * size;
        }
        across.piece = (BUFFERS / bytes.max(1)).min(block);
        across.copied.iter_mut().for_each(|one| one.offset *= across.piece);
        (across.piece > 0 && !across.copied.is_empty()).then(|| Box::new(across))
    }

    /// Vectors of so many accumulators that those of all leaves take.
    pub fn vectors(&self, width: usize) -> usize {
        (self.row * self.leaves).div_ceil(width)
    }

    /// Bytes of the buffers.
    fn bytes(&self) -> usize {
        let ends = self.copied.iter();
        let end = |one: &Copied| one.offset + self.piece * self.row * self.leaves * one.size;
        ends.map(end).max().unwrap_or(0)
    }
}

impl BoundFold {
    /// The function that folds so many leaves across, if the fold of rows of so many elements is such.
    pub(super) fn is_across(&self, machine: &Machine, row: usize) -> Option<u32> {
        let across = self.across.as_ref().filter(|across| across.row == row)?;
        machine.short(across.leaves)
    }
}

impl FoldRun<'_> {
    /// Folds leaves into the band by the function of this number.
    ///
    /// # Safety
    /// The frame is at a block of the bound nest; the leaves lie in the tile.
    pub(super) unsafe fn fold_across(&mut self, number: u32, group: &Group, across: &Across) {
        let (fold, memory) = (self.fold, self.memory);
        let axis = fold.around().expect("leaves follow one another along it");
        let by_lanes = fold.mode == FoldMode::Lanes;
        let leaves = across.leaves;
        // Behind the values of all leaves, those of an element of the row for all leaves.
        let acc = |item: usize, element: usize| {
            memory.band(item, fold.abreast).from(element * leaves, fold.items[item].size)
        };
        let ranges = &group.first;
        let rows = ranges[axis].clone();
        // SAFETY: the frame is laid out for the machine; rows lie inside the leaves, and the band has room for all.
        unsafe {
            let start: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
            for element in 0..across.row {
                let first = self.place_of(&start, element);
                self.start(|item| acc(item, element), leaves, first);
            }
            self.rows(&ranges[..=axis], |this, at| {
                let mut start: SmallVec<[usize; 4]> = SmallVec::from_slice(at);
                start.extend(ranges[axis + 1..].iter().map(|range| range.start));
                for first in rows.clone().step_by(across.piece) {
                    let count = across.piece.min(rows.end - first);
                    start[axis] = first;
                    this.piece_across(number, group, (&start, count), across, acc);
                }
            });
            if by_lanes {
                self.combine_across(across, acc);
            }
            for leaf in 0..group.leaves {
                let values = if by_lanes { 1 } else { across.row };
                for element in 0..values {
                    self.keep_of_leaf(leaf, element, axis, acc);
                }
            }
        }
    }

    /// The place of an element of the row at these indices.
    fn place_of(&self, start: &[usize], element: usize) -> i64 {
        let along = match self.fold.mode {
            FoldMode::Kept => 0,
            FoldMode::Lanes => self.fold.position_steps.last().copied().unwrap_or(0),
        };
        self.place(start).wrapping_add(along.wrapping_mul(element as i64))
    }

    /// Copies `count` rows of each leaf, those of the first of which begin at these indices, and folds them.
    unsafe fn piece_across(
        &mut self,
        number: u32,
        group: &Group,
        (start, count): (&[usize], usize),
        across: &Across,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let axis = fold.around().expect("as above");
        let buffers = self.frame.packed.reserve(across.bytes());
        self.point_at(start, group.point);
        let accesses = bound.specialised.machine.table.accesses;
        let mut steps: SmallVec<[isize; 8]> = SmallVec::from_elem(0, bound.bases.len());
        for one in &across.copied {
            let from = self.frame.pointers[accesses + one.access];
            let step = fold.step(bound, axis, one.access) as isize;
            let to = buffers.wrapping_add(one.offset);
            // SAFETY: so many rows of so many leaves lie in the tile, and their transposes in the buffer.
            unsafe { one.fill(across, (from, step), (group.leaves, fold.blocks[axis], count), to) };
            steps[one.access] = (across.row * across.leaves * one.size) as isize;
        }
        steps.push(fold.position_steps[axis] as isize);
        for element in 0..across.row {
            for one in &across.copied {
                let place = one.offset + element * across.leaves * one.size;
                self.frame.pointers[accesses + one.access] = buffers.wrapping_add(place);
            }
            let place = self.place_of(start, element);
            // SAFETY: the frame is laid out for the machine, whose accesses are in the buffers.
            unsafe {
                // All leaves count from the first one's place, which is mended in the end.
                self.point_accumulators(|item| acc(item, element), place);
                let native = &bound.specialised.machine.natives[number as usize];
                native.run_rows(&mut self.frame.pointers, across.leaves, count, &steps);
            }
        }
    }

    /// Combines the lanes of all leaves.
    unsafe fn combine_across(&self, across: &Across, acc: impl Fn(usize, usize) -> Accumulators) {
        for (number, item) in self.fold.items.iter().enumerate() {
            let mut width = Folded::LANES / 2;
            while width > 0 {
                for lane in 0..width.min(across.row.saturating_sub(width)) {
                    let (one, later) = (acc(number, lane), acc(number, lane + width));
                    // SAFETY: accumulators of as many leaves.
                    unsafe { (item.folding.combine)(one, later, across.leaves) };
                }
                width /= 2;
            }
        }
    }

    /// Keeps the value of an element of a row of a leaf in the band.
    unsafe fn keep_of_leaf(
        &self,
        leaf: usize,
        element: usize,
        axis: usize,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let places = (leaf * fold.blocks[axis]) as i64 * fold.position_steps[axis];
        for (number, item) in fold.items.iter().enumerate() {
            let from = acc(number, element).from(leaf, item.size);
            let to = memory.band(number, leaf).from(element, item.size);
            // SAFETY: places of the band.
            unsafe {
                from.values.copy_to_nonoverlapping(to.values, item.size);
                if item.indexed {
                    let index = from.indices.cast::<i64>().read_unaligned();
                    to.indices.cast::<i64>().write_unaligned(index.wrapping_add(places));
                }
            }
        }
    }
}

impl Copied {
    /// Copies so many rows, the first of which is at an address, of so many leaves with blocks of so many rows.
    ///
    /// # Safety
    /// They can be read, and the buffer has room for them.
    unsafe fn fill(
        &self,
        across: &Across,
        (from, step): (*const u8, isize),
        (leaves, block, count): (usize, usize, usize),
        to: *mut u8,
    ) {
        let (row, size) = (across.row, self.size);
        let to_step = (across.leaves * size) as isize;
        let ahead = count as isize * step;
        let matrix = Transposed {
            from,
            from_step: block as isize * step,
            along: size as isize,
            to,
            to_step,
            rows: leaves,
            columns: count * row,
        };
        // SAFETY: the caller's contract.
        unsafe {
            if step == (row * size) as isize {
                return (self.transpose)(matrix, ahead);
            }
            for element in 0..row {
                let part = Transposed {
                    from: from.wrapping_add(element * size),
                    along: step,
                    to: to.wrapping_offset(element as isize * to_step),
                    to_step: row as isize * to_step,
                    columns: count,
                    ..matrix
                };
                (self.transpose)(part, ahead);
            }
        }
    }
}

impl BoundFold {
    /// Vectors of the band: of leaves that are folded together, and of accumulators for them.
    pub fn vectors_of_band(&self, width: usize) -> usize {
        let together = if self.abreast > 1 { self.abreast } else { 0 };
        let across = self.across.as_ref().map_or(0, |across| across.vectors(width));
        self.band.max(together + across)
    }
}

/// Elements of a row, at most: the sums of longer ones, of several leaves abreast, hide what each waits for.
const LONGEST: usize = 1;
const LONGEST_INDEXED: usize = 16;

/// Rows of a leaf for each of its points, at least.
const KEPT: usize = 4;

/// Leaves that the body goes along, and those of a fold, at least.
const FEW: usize = 8;
const FEWEST: usize = 16;

/// Bytes of the buffers.
const BUFFERS: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use crate::execute::testing::{self, Array};
    use crate::jit::Target;
    use crate::level::Level;

    /// The bits of a fold of a matrix over its rows, kept columns or all, and how many leaves it goes along.
    fn run(
        kept: bool,
        [rows, columns]: [usize; 2],
        fold: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, Option<usize>) {
        let [i0, i1] = [(0, usize::from(kept)), (1, usize::from(!kept))]
            .map(|(k, of)| format!("i{k}: extent=p{of} origin=p2 global=p{of} logical={of}"));
        let indexed = fold.starts_with("arg");
        let (result, index) = if indexed { ("%1 %2", "%3 = to_f64.i64 %2") } else { ("%1", "") };
        let (value, to) = (if indexed { "%3" } else { "%1" }, if kept { "p2 + 1*i0" } else { "" });
        let tree = "lanes=32 width=64 rounds=32 alone=8";
        let at = if kept { "p2 + 1*i1, p2 + 1*i0" } else { "p2 + 1*i0, p2 + 1*i1" };
        let (begin, end) = match kept {
            true => (format!("for ({i0}) {{ fold ({i1}) {tree}"), "}"),
            false => (format!("fold ({i0}, {i1}) innermost=1 {tree}"), ""),
        };
        let rank = usize::from(kept);
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {rank} write noalias
             {{ {begin} {{ %0 = load b0[{at}] }} {result} = {fold} %0 {index} store b1[{to}] {value} {end} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[columns as i64, 1] },
            Array { block: 1, offset: 0, strides: &[1][..rank] },
        ];
        let size = (rows * columns, if kept { columns } else { 1 });
        let params = [rows, columns, 0];
        let (bits, seen) = testing::run(&text, &arrays, &params, jit, usize::MAX, size, |bound| {
            Some(bound.fold.as_ref()?.across.as_ref()?.leaves)
        });
        (bits, seen.into_iter().flatten().next())
    }

    #[test]
    fn sums_that_wait_for_each_other_go_along_leaves() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            let half = if target == Target::Avx2 { 16 } else { 32 };
            // 45 whole leaves and a part of one.
            for (kept, columns, fold, leaves) in [
                (true, 1, "sum", Some(32)),
                (false, 1, "sum", Some(32)),
                (true, 1, "max", Some(32)),
                // Side by side, it does not follow the tree.
                (true, 1, "argmax", None),
                (true, 2, "argmin", Some(half)),
                (true, 3, "argmin", None),
                (false, 5, "argmin", Some(half)),
                (false, 3, "argmax", Some(half)),
                (true, 2, "sum", None),
                (true, 20, "argmax", None),
            ] {
                let extents = [45 * 8 + 3, columns];
                let (expected, none) = run(kept, extents, fold, None);
                assert_eq!(none, None, "the interpreter goes along rows");
                let (bits, seen) = run(kept, extents, fold, Some(target));
                assert_eq!(seen, leaves, "{target:?} {kept} {columns} {fold}");
                assert!(bits == expected, "{target:?} {kept} {columns} {fold}");
            }
            assert_eq!(run(true, [120, 1], "sum", Some(target)).1, None, "few leaves");
        }
    }
}

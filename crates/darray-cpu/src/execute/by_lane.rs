//! Leaves that lie side by side in memory, whose rows go across it, as those of a transposed matrix: along leaves, lane by
//! lane.
//!
//! Lanes do not wait for each other. So one lane of many leaves is folded before the next one, and memory is read in a few
//! streams, each of which goes on for as long as there are leaves; a leaf after the other would read as many pieces as a
//! row has elements, each of a line.
//!
//! ```text
//! memory   index 0 of lane 0: leaf 0, rows 0..8 | leaf 1, rows 0..8 | ..      buffer   row 0: index 0 of leaves 0..8
//!          index 1:           leaf 0, rows 0..8 | leaf 1, rows 0..8 | ..               row 0: index 1 of leaves 0..8
//!          ..                                                                          ..
//! ```
//!
//! Where a row of memory is an element of a lane for all leaves, a [function](crate::jit::Traffic::lane_tiles) transposes and
//! folds; elsewhere leaves are copied to a buffer first.
//!
//! Leaves that are fewer, or not whole, are [packed](super::packed) as others are.

use super::alike::{CopiedAlike, accesses_of_body, copied_alike};
use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::fold_places::NO_PLACE;
use super::fold_values::LeafValue;
use super::machine::Machine;
use super::packed::Packing;
use crate::jit::{COLUMNS, Folded, Native, Target};
use crate::level::Level;
use crate::vector::{Accumulators, Alike, LINE, Transposed};
use darray_codegen::bind::Axes;
use darray_codegen::{Nest, Program};
use smallvec::SmallVec;
use std::ops::Range;

/// How leaves are folded so.
pub(super) struct ByLane {
    /// Leaves that the body goes along where they are not transposed in registers.
    pub leaves: usize,
    /// The reduced axis, by its place in logical order, along which leaves lie side by side.
    side: usize,
    /// What is copied.
    copied: SmallVec<[CopiedAlike; 1]>,
    /// Bytes of the buffers, behind which the accumulators are.
    bytes: usize,
    /// Whether a leaf has a row of memory for each element of a lane, whole tiles of it.
    pub tiles: bool,
}

impl ByLane {
    /// For a fold by lanes whose operands are packed so, if there is one result; `strides(axis)` are the bytes per step of
    /// all accesses.
    pub fn find<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        packing: &Packing,
        (target, level): (Target, Level),
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Option<Box<ByLane>> {
        let fold = nest.fold.as_ref()?;
        let (side, _) = packing.group.filter(|_| nest.kept == 0)?;
        let last = fold.order.len() - 1;
        let extent = |number: usize| axes.extents[fold.order[number] as usize];
        let blocks = axes.blocks(fold);
        let block = |number: usize| blocks[number].min(extent(number));
        let lanes = fold.tree.lanes();
        let indexed = fold.items.iter().any(|item| item.index.is_some())
            || fold.order.iter().any(|axis| nest.indexed.contains(axis));
        let many = extent(last) >= Folded::LANES && extent(side) / block(side) >= FEWEST;
        if side == last || lanes != Folded::LANES || indexed || !many || !nest.before.is_empty() {
            return None;
        }
        let largest = accesses_of_body(program, nest).map(|(_, size)| size).max()?;
        // The values of all items stay in registers.
        let fit = target.held() * target.bytes() / (8 * fold.items.len().max(1));
        let leaves = (ROW / largest).min(Folded::LANES).min(1 << fit.max(1).ilog2());
        let rows: usize = (0..last).map(block).product();
        let elements = rows * block(last).div_ceil(lanes) * leaves;
        let lie = (strides(fold.order[side]), strides(fold.order[last]));
        // Transposed in registers, elements take a line for some leaves.
        let buffer = |size: usize| (elements * size).max(elements / leaves * LINE) + LINE;
        let tiles = last == 1 && side == 0 && block(side).is_multiple_of(COLUMNS);
        let (copied, bytes) = copied_alike((program, nest), packing, lie, level, buffer)?;
        (leaves >= FEW).then(|| Box::new(ByLane { leaves, side, copied, bytes, tiles }))
    }
}

impl FoldRun<'_> {
    /// Folds the leaves from one on at some [`places`](BoundFold::places) that follow one another, as far as they are folded
    /// by lane: gives how many they are.
    ///
    /// # Safety
    /// As for [`leaves`](Self::leaves).
    pub(super) unsafe fn leaves_by_lane(
        &mut self,
        places: Range<usize>,
        out: *mut LeafValue,
    ) -> usize {
        let fold = self.fold;
        let Some(by) = &fold.by_lane else { return 0 };
        let Some(first) = fold.leaf_at(places.start) else { return 0 };
        let ranges = fold.leaf_ranges(first);
        let whole = (fold.extents[by.side] - ranges[by.side].start) / fold.blocks[by.side];
        let leaves = whole.min(places.len()).min(MOST);
        if leaves < FEWEST || ranges.iter().any(Range::is_empty) {
            return 0;
        }
        let base =
            self.frame.packed.reserve(by.bytes + fold.items.len() * Folded::LANES * MOST * 8);
        // The buffers of packed operands are there as well.
        self.filled.clear();
        let acc = |item: usize, lane: usize| {
            let place = by.bytes + (item * Folded::LANES + lane) * MOST * 8;
            let values = base.wrapping_add(place);
            Accumulators { values, indices: values }
        };
        // SAFETY: there is room for the accumulators of all lanes of so many leaves; leaves lie in the tile, and one
        // behind the other along their side, where places follow one another.
        unsafe {
            for lane in 0..Folded::LANES {
                self.start(|item| acc(item, lane), leaves, NO_PLACE);
            }
            for lane in 0..Folded::LANES.min(ranges[ranges.len() - 1].len()) {
                self.lane_of_leaves(by, &ranges, lane, leaves, base, |item| acc(item, lane));
            }
            self.combine_lanes_of_leaves(leaves, acc);
            for leaf in 0..leaves {
                let Some(number) = fold.leaf_at(places.start + leaf) else { continue };
                for (item, loops) in fold.items.iter().enumerate() {
                    let mut value = 0u64;
                    let from = acc(item, 0).from(leaf, loops.size).values;
                    from.copy_to_nonoverlapping((&raw mut value).cast(), loops.size);
                    let to = out.add(number * fold.items.len() + item);
                    to.write(LeafValue { value, index: 0 });
                }
            }
        }
        leaves
    }

    /// Folds the elements of a lane of so many leaves, the first of which has these ranges.
    unsafe fn lane_of_leaves(
        &mut self,
        by: &ByLane,
        ranges: &[Range<usize>],
        lane: usize,
        leaves: usize,
        buffers: *mut u8,
        acc: impl Fn(usize) -> Accumulators,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        if let Some(native) = machine.tiles() {
            // SAFETY: the caller's contract.
            return unsafe { self.lane_by_tiles(native, by, ranges, (lane, leaves), buffers, acc) };
        }
        let number = machine.short(by.leaves).expect("`fold_by_lane` asked for it");
        let native = &machine.natives[number as usize];
        let accesses = machine.table.accesses;
        let last = ranges.len() - 1;
        let count = (ranges[last].len() - lane).div_ceil(Folded::LANES);
        let rows: usize = ranges[..last].iter().map(Range::len).product();
        let mut steps: SmallVec<[isize; 8]> = SmallVec::from_elem(0, bound.bases.len() + 1);
        let mut starts: SmallVec<[i64; 4]> =
            ranges.iter().map(|range| range.start as i64).collect();
        starts[last] += lane as i64;
        for one in &by.copied {
            steps[one.access] = (by.leaves * one.size) as isize;
        }
        for first in (0..leaves).step_by(by.leaves) {
            let some = by.leaves.min(leaves - first);
            starts[by.side] = (ranges[by.side].start + first * fold.blocks[by.side]) as i64;
            // SAFETY: the caller's contract; the frame is laid out for the machine, buffers hold the rows of so many leaves.
            // What is in them behind the last leaf is folded, too, and nobody reads what becomes of it.
            unsafe {
                for one in &by.copied {
                    let steps = fold.order.iter().map(|&axis| bound.stride(axis, one.access));
                    let offset: i64 = steps.zip(&starts).map(|(step, start)| step * start).sum();
                    let from = self.frame.kept[one.access].wrapping_offset(offset as isize);
                    let to = buffers.wrapping_add(one.offset);
                    one.fill_lane(self, by, ranges, (from, some, count), to);
                    self.frame.pointers[accesses + one.access] = to;
                }
                self.point_values(|item| acc(item).from(first, fold.items[item].size).values);
                native.run_rows(&mut self.frame.pointers, by.leaves, rows * count, &steps);
            }
        }
    }

    /// The same by a [function](crate::jit::Traffic::lane_tiles) that transposes by itself.
    unsafe fn lane_by_tiles(
        &mut self,
        native: &Native,
        by: &ByLane,
        ranges: &[Range<usize>],
        (lane, leaves): (usize, usize),
        buffers: *mut u8,
        acc: impl Fn(usize) -> Accumulators,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let accesses = bound.specialised.machine.table.accesses;
        let set = native.points_of_tiles().unwrap_or(1);
        let (block, tiles) = (fold.blocks[0], fold.blocks[0] / COLUMNS);
        let count = (ranges[1].len() - lane).div_ceil(Folded::LANES);
        let groups = bound.bases.len() + 1;
        let mut steps: SmallVec<[isize; 32]> = SmallVec::from_elem(0, 8 * groups);
        for one in &by.copied {
            let row = bound.stride(fold.order[1], one.access) as isize;
            // Elements of one or two bytes are wider in the buffer.
            let vector = set * one.size.max(4);
            let in_buffer = tiles * COLUMNS * vector;
            let all = [
                (block * one.size) as isize,
                Folded::LANES as isize * row - (block * one.size) as isize,
                (set * block * one.size) as isize,
                in_buffer as isize,
                vector as isize - (count * in_buffer) as isize,
                buffers.wrapping_add(one.offset) as isize,
                Folded::LANES as isize * row,
                (set * one.size * (block / 2 - 1)) as isize,
            ];
            for (k, step) in all.into_iter().enumerate() {
                steps[k * groups + one.access] = step;
            }
        }
        steps.extend([tiles as isize, count as isize, block as isize / 2]);
        // The last set has leaves of the one before, if it would not be whole.
        for (first, sets) in [(0, leaves / set), (leaves - set, usize::from(leaves % set > 0))] {
            if sets == 0 {
                continue;
            }
            for one in &by.copied {
                let row = bound.stride(fold.order[1], one.access) as isize;
                let begin = (ranges[0].start + first * block) * one.size;
                let offset = begin as isize + (ranges[1].start + lane) as isize * row;
                let from = self.frame.kept[one.access].wrapping_offset(offset);
                self.frame.pointers[accesses + one.access] = from;
            }
            // SAFETY: the caller's contract: leaves lie in the tile, and there is room for their values and for all elements
            // of a lane of a set.
            unsafe {
                self.point_values(|item| acc(item).from(first, fold.items[item].size).values);
                native.run_lane_tiles(&mut self.frame.pointers, sets, &steps);
            }
        }
    }

    /// Combines the lanes of so many leaves into the first.
    unsafe fn combine_lanes_of_leaves(
        &self,
        leaves: usize,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        for (number, item) in self.fold.items.iter().enumerate() {
            let mut width = Folded::LANES / 2;
            while width > 0 {
                for lane in 0..width {
                    // SAFETY: accumulators of so many leaves.
                    unsafe {
                        (item.folding.combine)(
                            acc(number, lane),
                            acc(number, lane + width),
                            leaves,
                        );
                    }
                }
                width /= 2;
            }
        }
    }
}

impl CopiedAlike {
    /// Copies what a lane has of `leaves` leaves: `count` elements of every row, 32 apart, the first of which is at an address.
    ///
    /// # Safety
    /// They can be read, and the buffer has room for them.
    unsafe fn fill_lane(
        &self,
        run: &FoldRun<'_>,
        by: &ByLane,
        ranges: &[Range<usize>],
        (from, leaves, count): (*const u8, usize, usize),
        to: *mut u8,
    ) {
        let (bound, fold) = (run.bound, run.fold);
        let step = |dim: usize| bound.stride(fold.order[dim], self.access) as isize;
        let (last, side) = (ranges.len() - 1, by.side);
        let row = by.leaves * self.size;
        // Rows of a leaf beside one another along the axes before and behind the side.
        let outer: usize = ranges[..side].iter().map(Range::len).product();
        let inner: usize = ranges[side + 1..last].iter().map(Range::len).product();
        let columns = ranges[side].len();
        let place = |mut at: usize, dims: Range<usize>| {
            let mut offset = 0;
            for dim in dims.rev() {
                offset += (at % ranges[dim].len()) as isize * step(dim);
                at /= ranges[dim].len();
            }
            offset
        };
        for (before, behind) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
            let from = from.wrapping_offset(place(before, 0..side) + place(behind, side + 1..last));
            let to = to.wrapping_add((before * columns * inner + behind) * count * row);
            let matrix = Transposed {
                from,
                from_step: (columns * self.size) as isize,
                along: self.size as isize,
                to,
                to_step: (inner * count * row) as isize,
                rows: leaves,
                columns,
            };
            let from = Folded::LANES as isize * step(last);
            // SAFETY: the caller's contract.
            unsafe { (self.transpose)(matrix, Alike { count, from, to: row as isize }, AHEAD) };
        }
    }
}

impl BoundFold {
    /// Has leaves folded by lane, if there is code for it.
    pub fn fold_by_lane(&mut self, by: Option<Box<ByLane>>, machine: &Machine) {
        let has_code =
            |by: &ByLane| machine.short(by.leaves).is_some() || machine.tiles().is_some();
        self.by_lane = by.filter(|by| has_code(by));
    }
}

/// Leaves that the body goes along, at least.
const FEW: usize = 8;

/// Bytes of a row of a buffer, at most: some vectors, whose sums do not wait for each other; with more, the buffer is not in the
/// first-level cache.
const ROW: usize = 2 * LINE;

/// Leaves that are folded at once: with fewer, memory is read in pieces that are not long, and packing is as good.
const FEWEST: usize = 64;
const MOST: usize = 1024;

/// Bytes from what is copied to what is fetched: an odd number of lines.
const AHEAD: isize = 25 * LINE as isize;

#[cfg(test)]
mod tests {
    use crate::execute::testing::{Array, run};
    use crate::jit::{Ran, Target};
    use crate::level::Level;

    /// The bits of a fold of all of a matrix or of a cube whose last axis lies across memory, and how many leaves its body
    /// goes along, and those that were transposed in registers, once for each lane: the reduced axes have these extents, the first lies side by side.
    fn fold(
        extents: &[usize],
        (dtype, body, reducer): (&str, &str, &str),
        tree: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, Option<usize>, usize) {
        let axis = |k: usize| {
            format!("i{k}: extent=p{k} origin=p{p} global=p{k} logical={k}", p = extents.len())
        };
        let axes: Vec<String> = (0..extents.len()).map(axis).collect();
        let at: Vec<String> =
            (0..extents.len()).map(|k| format!("p{p} + 1*i{k}", p = extents.len())).collect();
        // Floats come from doubles, integers are their bits.
        let from = if dtype == "f32" { "f64" } else { dtype };
        let text = format!(
            "kernel params={} scalars=[] b0: {from} rank {} read noalias b1: {dtype} rank 0 write noalias
             {{ fold ({}) innermost=1 {tree} {{ %0 = load b0[{}] {body} }} %8 = {reducer} store b1[] %8 }}",
            extents.len() + 1,
            extents.len(),
            axes.join(", "),
            at.join(", "),
        );
        let mut step = 1;
        let strides: Vec<i64> = extents
            .iter()
            .map(|&extent| {
                let own = step as i64;
                step *= extent;
                own
            })
            .collect();
        let arrays = [
            Array { block: 0, offset: 0, strides: &strides },
            Array { block: 1, offset: 0, strides: &[] },
        ];
        let params: Vec<usize> = extents.iter().copied().chain([0]).collect();
        let elements = (extents.iter().product(), 1);
        let before = Ran::TiledLeaves.count();
        let (bits, seen) = run(&text, &arrays, &params, jit, usize::MAX, elements, |bound| {
            Some(bound.fold.as_ref()?.by_lane.as_ref()?.leaves)
        });
        (bits, seen.into_iter().flatten().next(), Ran::TiledLeaves.count() - before)
    }

    #[test]
    fn leaves_across_memory_are_folded_lane_by_lane() {
        let small = "lanes=32 inner=32 outer=2 max_leaves=1024";
        let usual = "lanes=32 inner=1024 outer=8 max_leaves=1024";
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (extents, tree, leaves, tiled) in [
                // 75 whole leaves, which 16 does not divide, and a part of one; lanes with three and with two elements.
                (&[75 * 8 + 5, 70][..], usual, Some(16), 80),
                (&[64 * 8, 32], usual, Some(16), 64),
                // Two leaves of 32 and one of 6 along the last axis.
                (&[64 * 2 + 1, 70], small, Some(16), 0),
                // Rows of a leaf along three axes.
                (&[65 * 2, 3, 50], small, Some(16), 0),
                (&[63 * 8, 70], usual, None, 0),
                (&[64 * 8, 31], usual, None, 0),
            ] {
                for (dtype, body, reducer) in [
                    ("f64", "", "sum %0"),
                    ("f64", "%1 = mul.f64 %0 %0", "max %1"),
                    ("f64", "", "prod %0"),
                    ("f32", "%1 = to_f32.f64 %0", "sum %1"),
                    ("f32", "%1 = to_f16.f64 %0 %2 = to_f32.f16 %1", "max %2"),
                    ("i64", "", "sum %0"),
                    ("i32", "", "min %0"),
                ] {
                    let what = (dtype, body, reducer);
                    let (expected, none, _) = fold(extents, what, tree, None);
                    assert_eq!(none, None, "the interpreter packs leaves");
                    let (bits, seen, lanes) = fold(extents, what, tree, Some(target));
                    // Of elements of half the size a row has twice as many.
                    let leaves = leaves.map(|leaves| leaves << u32::from(dtype == "i32"));
                    assert_eq!(seen, leaves, "{target:?} {extents:?} {reducer}");
                    assert_eq!(lanes, 32 * tiled, "{target:?} {extents:?} {reducer}");
                    assert!(bits == expected, "{target:?} {extents:?} {reducer}");
                }
            }
        }
    }
}

//! Folds of leaves by [functions of whole leaves](crate::jit::Traffic::whole): from the identity to the value, nothing of a
//! leaf is in memory but its elements.

#[cfg(test)]
mod tests;

use super::bind::Bound;
use super::bound_fold::{BoundFold, Stream};
use super::compiled::FoldLoops;
use super::fold::FoldRun;
use super::fold_values::keep;
use super::machine::Machine;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::jit::{Folded, Native, Target};
use crate::vector::Accumulators;
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

/// Whether there surely is such a function for a fold by lanes, of rows that lie side by side, and not of several folds, whose body
/// may be too dear: `strides` are the bytes of all accesses per step of the last reduced axis.
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
    /// Of each item.
    values: Values,
}

/// Values of the leaves that are folded one after the other, side by side for each item.
type Values = SmallVec<[[u64; TOGETHER]; 2]>;

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

    /// Leaves of a subtree, at most, that are folded by one call of a function, as they follow one another: 1 if they go
    /// another way.
    pub(super) fn whole_leaves(&self, machine: &Machine) -> usize {
        let last = self.extents.len() - 1;
        let row = self.extents[last].min(self.blocks[last]);
        let together = || self.is_abreast() && self.abreast_by(machine, row).is_some();
        let other_way = self.by_leaf || self.any_order.is_some() || together();
        let stays = self.mode == FoldMode::Lanes && self.beside.is_none() && self.decides.is_none();
        let rows = self.extents.iter().zip(&self.blocks).rev().skip(2);
        let in_rows = rows.map(|(&extent, &block)| extent.min(block)).all(|rows| rows == 1);
        let fits = !other_way && stays && in_rows && self.has_whole(machine);
        if fits && !self.tree.is_empty() { TOGETHER } else { 1 }
    }

    /// Whether there is a function of whole leaves and nothing in its way.
    fn has_whole(&self, machine: &Machine) -> bool {
        let plain = self.band == 0 && self.packing.is_empty();
        plain && machine.whole().is_some()
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
    /// Folds a subtree to a value at a position of the stack.
    ///
    /// # Safety
    /// There are functions for [several leaves](BoundFold::whole_leaves); the ranges are those of a subtree of as many at most, of a
    /// kept point of the block; the stack has the position.
    pub(super) unsafe fn fold_whole_leaves(
        &mut self,
        ranges: &[Range<usize>],
        position: usize,
        point: usize,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        debug_assert_eq!(fold.leaves_of_step, TOGETHER);
        let axis = fold.tree.axis_of_subtrees();
        let mut first: SmallVec<[Range<usize>; 4]> = ranges.into();
        let (start, block) = (ranges[axis].start, fold.blocks[axis]);
        first[axis].end = ranges[axis].end.min(start + block);
        let next = |access: usize| fold.step(bound, axis, access) as isize * block as isize;
        let memory = self.memory;
        let to = |item: usize| memory.stack(item, position);
        let leaves = ranges[axis].len().div_ceil(block);
        // SAFETY: the caller's contract; so many leaves lie in the tile, and there is room for their values.
        unsafe {
            if leaves == 1 {
                return self.run_whole(&first, next, (1, true), point, |item| to(item).values);
            }
            #[cfg(test)]
            PathCounter::WholeSubtrees.add(1);
            let mut values: Values = SmallVec::from_elem([0; TOGETHER], fold.items.len());
            let place = values.as_mut_ptr();
            let to_value = |item: usize| place.wrapping_add(item).cast();
            self.run_whole(&first, next, (leaves, true), point, to_value);
            for (number, (values, item)) in values.iter().zip(fold.items.iter()).enumerate() {
                combine_leaves(values, leaves, item, to(number));
            }
        }
    }

    /// Whether a function of whole leaves folds the leaf with these ranges: its rows follow one another.
    pub(super) fn folds_whole(&self, ranges: &[Range<usize>]) -> bool {
        let in_rows = ranges.iter().rev().skip(2).all(|range| range.len() == 1);
        self.fold.has_whole(&self.bound.specialised.machine)
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
        for (k, (values, item)) in whole.values.iter().zip(self.fold.items.iter()).enumerate() {
            let to = self.memory.stack(k, position).values.cast::<u64>();
            // With what lies behind the value: of the largest elements nothing, else there are more bytes than values.
            // SAFETY: the value of one of 32 leaves; vectors of the stack have 8 bytes for each.
            unsafe {
                let value = values.as_ptr().cast::<u8>().add(number * item.size).cast::<u64>();
                to.write_unaligned(value.read_unaligned());
            }
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
                let memory = self.memory;
                let to = |item: usize| memory.stack(item, position).values;
                return self.run_whole(ranges, next, (1, true), point, to);
            }
            let mut whole = self.last.whole.take().unwrap_or_default();
            whole.values.resize(fold.items.len(), [0; TOGETHER]);
            let place = whole.values.as_mut_ptr();
            let to_value = |item: usize| place.wrapping_add(item).cast();
            self.run_whole(ranges, next, (leaves, true), point, to_value);
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
        let (bound, memory) = (self.bound, self.memory);
        let to = |item: usize| memory.stack(item, position).values;
        let next = |access: usize| bound.stride(bound.vector.axis, access) as isize;
        // SAFETY: the caller's contract; a position holds `n` values.
        unsafe { self.run_whole(ranges, next, (n, false), 0, to) };
    }

    /// Folds the leaf with these ranges and others of the same extents, so many in all, each `next(access)` bytes behind the
    /// one before; the values of each item go to where `to` says. Whether they are of one point.
    ///
    /// # Safety
    /// The leaves lie in the tile, and [are folded so](Self::folds_whole); there is room for the values.
    unsafe fn run_whole(
        &mut self,
        ranges: &[Range<usize>],
        next: impl Fn(usize) -> isize,
        (leaves, one): (usize, bool),
        point: usize,
        to: impl Fn(usize) -> *mut u8,
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
        self.point_values(to);
        // SAFETY: the frame is at the first element; the rest is the caller's contract.
        unsafe {
            let accesses = bound.specialised.machine.table.accesses;
            let sizes = (ranges[last].len(), leaves, one);
            native.run_whole(&mut self.frame.pointers, accesses, sizes, &steps);
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

/// Combines the values of a subtree's leaves, a power of two, to one.
///
/// # Safety
/// There are two leaves at least and not more than values, which were written; there is room for one, and the item has no
/// indices.
unsafe fn combine_leaves(
    values: &[u64; TOGETHER],
    leaves: usize,
    item: &FoldLoops,
    to: Accumulators,
) {
    // Where numbers of leaves are read from the lowest bit on, those that are combined first are half of all apart.
    let mut turned = [0u64; TOGETHER];
    let from = values.as_ptr().cast::<u8>();
    let into = turned.as_mut_ptr().cast::<u8>();
    for leaf in 0..leaves {
        let place = leaf.reverse_bits() >> (usize::BITS - leaves.trailing_zeros());
        let (from, into) =
            (from.wrapping_add(leaf * item.size), into.wrapping_add(place * item.size));
        // SAFETY: elements have 8 bytes at most, so both are within the values.
        unsafe { from.copy_to_nonoverlapping(into, item.size) };
    }
    let turned = Accumulators { values: into, indices: to.indices };
    // SAFETY: so many values; there are no indices.
    unsafe {
        (item.folding.halves)(turned, leaves);
        keep(turned, to, 1, item);
    }
}

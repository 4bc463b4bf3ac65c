//! The fold of a block of kept points.

use super::abreast::Group;
use super::beside::LeavesBeside;
use super::bind::Bound;
use super::block::run;
use super::bound_fold::BoundFold;
use super::compiled::FoldLoops;
use super::fold_memory::FoldMemory;
use super::fold_values::{LeafValue, keep};
use super::frame::Frame;
use super::packed::Filled;
use super::waiting::WaitingLeaf;
use super::whole_rows::WholeLeaves;
use crate::vector::Accumulators;
use darray_codegen::FoldMode;
use smallvec::SmallVec;
use std::ops::Range;

/// A thread at work on a nest with a fold.
pub(super) struct FoldRun<'w> {
    pub bound: &'w Bound<'w>,
    pub fold: &'w BoundFold,
    pub frame: &'w mut Frame,
    pub memory: &'w FoldMemory,
    /// Values of the leaves, item by item, where other threads have folded them.
    pub ready: Option<&'w [LeafValue]>,
    /// What the buffers of operands hold.
    pub(super) filled: Filled,
    pub(super) last: Last,
    /// Where the leaves end along the first axis that may be folded now.
    pub(super) end: usize,
    /// Of leaves that threads share: the number of the one at hand, and where this thread's end.
    pub(super) shared: Option<(usize, usize)>,
    /// Whether the band holds the lanes of the next leaf.
    pub held: bool,
    /// Whether nothing changes the value of the point's fold any more, see [`decides`](super::bound_fold::BoundFold::decides).
    pub(super) decided: bool,
    /// Leaves that are folded together next, where one may decide.
    pub(super) few: usize,
    /// Whether what comes after the fold was done with it.
    pub stored: bool,
}

/// What was folded together last, of the ways that take several leaves, points or combinations at once.
#[derive(Default)]
pub(super) struct Last {
    /// Leaves side by side.
    pub group: Option<Group>,
    /// The whole leaves of one function.
    pub whole: Option<Box<WholeLeaves>>,
    /// Subtrees of some points after the other.
    pub beside: Option<LeavesBeside>,
    /// The leaf that is folded with what comes behind it.
    pub waiting: Option<WaitingLeaf>,
}

impl<'w> FoldRun<'w> {
    /// A thread whose frame is at a bound nest with this fold.
    pub fn new(
        bound: &'w Bound<'w>,
        fold: &'w BoundFold,
        frame: &'w mut Frame,
        memory: &'w FoldMemory,
    ) -> FoldRun<'w> {
        let (filled, last, end) = (Filled::default(), Last::default(), usize::MAX);
        let (ready, shared, held, decided) = (None, None, false, false);
        FoldRun {
            bound,
            fold,
            frame,
            memory,
            ready,
            filled,
            last,
            end,
            shared,
            held,
            decided,
            few: 1,
            stored: false,
        }
    }
}

impl FoldRun<'_> {
    /// Folds for `n` kept points: the results lie in the memory afterwards.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub unsafe fn run(&mut self, n: usize) {
        // SAFETY: the caller's contract; accesses were checked for every point of the nest.
        unsafe {
            match self.fold.mode {
                FoldMode::Kept if self.fold.bool_columns.is_some() => {
                    if !self.bool_columns(n) {
                        self.walk(0, n);
                    }
                }
                FoldMode::Kept => match self.fold.all_points(&self.bound.specialised.machine) {
                    Some(points) => self.compiled_all_points(points, n),
                    None => self.walk(0, n),
                },
                FoldMode::Lanes if self.fold.by_leaf => self.walk(0, n),
                FoldMode::Lanes => {
                    if self.points_in_any_order(n) {
                        return;
                    }
                    let alone = self.fold.alone_in_rows(self.bound, n);
                    if let Some(number) =
                        alone.filter(|_| self.ready.is_none() && !self.ends_early())
                    {
                        return self.compiled_points(number, n);
                    }
                    let axis = self.bound.vector.axis as usize;
                    let first = self.frame.index.get(axis).copied();
                    for point in 0..n {
                        self.at_point(point, first);
                        self.walk(point, 1);
                    }
                    if let Some(first) = first {
                        self.frame.index[axis] = first;
                    }
                }
            }
        }
    }

    /// Folds the elements of a leaf into the accumulators at `position`.
    pub(super) unsafe fn leaf(
        &mut self,
        position: usize,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
    ) {
        let (fold, memory) = (self.fold, self.memory);
        let last = ranges.len() - 1;
        // SAFETY: the ranges lie inside the reduced extents; vectors hold their width.
        unsafe {
            if self.leaf_in_any_order(ranges, position, point) {
                return;
            }
            if self.held {
                return self.keep_lanes(position, ranges[last].len(), n);
            }
            if fold.by_leaf {
                return self.leaf_of_points(ranges, position, n);
            }
            if self.leaf_beside(ranges, position, n) || self.whole_value(ranges, position, point) {
                return;
            }
            if let Some(leaf) = self.abreast(ranges, point, n) {
                for (number, item) in fold.items.iter().enumerate() {
                    keep(memory.band(number, leaf), memory.stack(number, position), n, item);
                }
                return;
            }
            match fold.mode {
                FoldMode::Kept if fold.band == 0 => {
                    let acc = |number: usize, _: usize| memory.stack(number, position);
                    self.start(|number| acc(number, 0), n, self.first_place(ranges));
                    self.kept_rows(ranges, n, 1, acc);
                }
                FoldMode::Kept if fold.joins(n) => self.joined_leaf(position, ranges, n),
                FoldMode::Kept if fold.lanes_wait(self.bound, n) => {
                    self.fold_waiting_lanes(ranges, n);
                    for (number, item) in fold.items.iter().enumerate() {
                        keep(memory.band(number, 0), memory.stack(number, position), n, item);
                    }
                }
                FoldMode::Kept => {
                    // Of lanes that no index falls into nothing is used.
                    let used = fold.band.min(ranges[last].len()).max(1);
                    self.start_lanes(0..used, n, self.first_place(ranges));
                    let acc = |number: usize, lane: usize| memory.band(number, lane);
                    self.kept_rows(ranges, n, fold.band, acc);
                    self.keep_lanes(position, ranges[last].len(), n);
                }
                FoldMode::Lanes if self.folds_whole(ranges) => {
                    self.whole_leaf(ranges, position, point);
                }
                FoldMode::Lanes if fold.band == 0 => {
                    let lanes = |number: usize, _: usize| memory.stack(number, position);
                    let first = self.first_place(ranges);
                    self.start(|number| lanes(number, 0), memory.width, first);
                    self.lanes_rows(ranges, point, usize::MAX, lanes);
                    self.combine_lanes(|number| lanes(number, 0));
                }
                FoldMode::Lanes => {
                    let leaf = ranges[last].start / fold.last_block();
                    if leaf == 0 {
                        self.band(ranges, point);
                    }
                    for (number, item) in fold.items.iter().enumerate() {
                        let to = memory.stack(number, position);
                        keep(memory.band(number, leaf), to, 1, item);
                    }
                }
            }
        }
    }

    /// Folds all leaves of the tile along the last axis that share the other ranges.
    unsafe fn band(&mut self, ranges: &[Range<usize>], point: usize) {
        let (fold, memory) = (self.fold, self.memory);
        let last = ranges.len() - 1;
        // SAFETY: the ranges lie inside the reduced extents; vectors hold their width.
        unsafe {
            let mut ranges: SmallVec<[Range<usize>; 4]> = ranges.iter().cloned().collect();
            for leaf in 0..fold.band {
                ranges[last] = leaf * fold.last_block()..fold.extents[last];
                let first = self.first_place(&ranges);
                self.start(|number| memory.band(number, leaf), memory.width, first);
            }
            ranges[last] = 0..fold.extents[last];
            let lanes = |number: usize, leaf: usize| memory.band(number, leaf);
            self.lanes_rows(&ranges, point, fold.last_block(), lanes);
            for leaf in 0..fold.band {
                self.combine_lanes(|number| memory.band(number, leaf));
            }
        }
    }

    /// Folds rows, which go along the last of the ranges, into lanes: those of the leaf that an element lies
    /// in. A leaf has `leaf` indices along a row; rows begin with a leaf.
    unsafe fn lanes_rows(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        leaf: usize,
        lanes: impl Fn(usize, usize) -> Accumulators,
    ) {
        // SAFETY: the ranges lie inside the reduced extents.
        unsafe {
            self.pieces(ranges, point, 1, |this, piece| {
                this.lanes_piece(piece, point, leaf, &lanes);
            });
        }
    }

    /// Does something with each [piece](super::packed::Packing::pieces) of the ranges, packed for `n` points from one on:
    /// with all of them where nothing is packed.
    ///
    /// # Safety
    /// The ranges lie inside the reduced extents, the points inside the block.
    unsafe fn pieces(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
        run: impl Fn(&mut Self, &[Range<usize>]),
    ) {
        let packing = &self.fold.packing;
        if packing.is_empty() {
            return run(self, ranges);
        }
        for piece in packing.pieces(ranges) {
            // SAFETY: the caller's contract; pieces lie inside the ranges.
            unsafe { self.pack(&piece, point, n) };
            run(self, &piece);
        }
    }

    /// Folds the rows of a [piece](super::packed::Packing::pieces).
    unsafe fn lanes_piece(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        leaf: usize,
        lanes: impl Fn(usize, usize) -> Accumulators,
    ) {
        // SAFETY: the ranges lie inside the reduced extents.
        unsafe {
            if self.fold.backward {
                return self.backward_rows(ranges, point, leaf, lanes);
            }
            let machine = &self.bound.specialised.machine;
            let length = ranges[ranges.len() - 1].len();
            if let Some(number) = machine.short(length).or(machine.fold_alone) {
                return self.compiled_rows(number, ranges, point, leaf, lanes);
            }
            self.rows(ranges, |this, at| {
                this.lanes_row(at, &ranges[ranges.len() - 1], point, leaf, &lanes);
            });
        }
    }

    /// Folds a row in blocks, see [`lanes_rows`](Self::lanes_rows).
    unsafe fn lanes_row(
        &mut self,
        at: &[usize],
        range: &Range<usize>,
        point: usize,
        leaf: usize,
        lanes: impl Fn(usize, usize) -> Accumulators,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        self.point_at(at, point);
        let step = fold.position_steps.last().copied().unwrap_or(0);
        let mut place = self.place(at);
        // SAFETY: the frame is at the row's first element; blocks stay inside the range.
        unsafe {
            self.list(&machine.fold_row, 1);
            let mut done = 0;
            let length = range.end - range.start;
            while done < length {
                let rest = (leaf - done % leaf).min(length - done);
                let n = bound.block.min(rest);
                if machine.folds {
                    self.point_accumulators(|number| lanes(number, done / leaf), place);
                }
                self.list(&machine.fold, n);
                for (number, item) in self.left_to_fold() {
                    let acc = lanes(number, done / leaf);
                    let values = self.frame.pointers[machine.sources[number] as usize];
                    (item.folding.lanes)(acc, values, n, self.memory.width, place, step);
                }
                place = place.wrapping_add(step.wrapping_mul(n as i64));
                done += n;
                self.advance(at.len() - 1, n as i64);
            }
        }
    }

    /// Folds the rows of a leaf, which go along the last of the ranges, into accumulators for `n` kept points:
    /// `acc(item, lane)`, the i-th index of a row being of lane i modulo `lanes`, a power of two.
    pub(super) unsafe fn kept_rows(
        &mut self,
        ranges: &[Range<usize>],
        n: usize,
        lanes: usize,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        // SAFETY: the ranges lie inside the reduced extents; there are accumulators for every lane.
        unsafe {
            self.pieces(ranges, 0, n, |this, piece| this.kept_piece(piece, n, lanes, &acc));
        }
    }

    /// Folds the rows of a [piece](super::packed::Packing::pieces).
    unsafe fn kept_piece(
        &mut self,
        ranges: &[Range<usize>],
        n: usize,
        lanes: usize,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        // SAFETY: the ranges lie inside the reduced extents; there are accumulators for every lane.
        unsafe {
            let machine = &self.bound.specialised.machine;
            let number = machine.short(self.bound.row_of(n)).or(machine.fold_alone);
            if let (Some(number), None) = (number, &self.fold.products) {
                return self.compiled_lanes(number, ranges, n, lanes, acc);
            }
            let acc = |number: usize, i: usize| acc(number, i & (lanes - 1));
            self.rows(ranges, |this, at| this.kept_row(at, &ranges[ranges.len() - 1], n, acc));
        }
    }

    /// Folds one row of a leaf, an index at a time, into one accumulator per kept point:
    /// `acc(item, i)` for the i-th index of the row.
    unsafe fn kept_row(
        &mut self,
        at: &mut [usize],
        range: &Range<usize>,
        n: usize,
        acc: impl Fn(usize, usize) -> Accumulators,
    ) {
        let fold = self.fold;
        let machine = &self.bound.specialised.machine;
        let last = at.len() - 1;
        at[last] = range.start;
        self.point_at(at, 0);
        if let Some(products) = &fold.products {
            let lane = |i: usize| acc(0, i).values as usize;
            let (lanes, step) = (fold.band.max(1), lane(1).wrapping_sub(lane(0)));
            // SAFETY: the frame is at the start of the range, which is a leaf's.
            unsafe {
                let range = (range.len(), n);
                products.add(self.bound, self.frame, range, acc(0, 0), (lanes, step));
            }
            return;
        }
        let step = fold.position_steps.last().copied().unwrap_or(0);
        let mut place = self.place(at);
        for i in 0..range.len() {
            // SAFETY: the frame is at an index inside the range.
            unsafe {
                self.list(&machine.fold_row, 1);
                if machine.folds {
                    self.point_accumulators(|number| acc(number, i), place);
                }
                self.list(&machine.fold, n);
                for (number, item) in self.left_to_fold() {
                    let values = self.frame.pointers[machine.sources[number] as usize];
                    (item.folding.kept)(acc(number, i), values, n, place);
                }
            }
            place = place.wrapping_add(step);
            self.advance(last, 1);
        }
    }

    /// The folds that the body does not do itself.
    pub(super) fn left_to_fold(&self) -> impl Iterator<Item = (usize, &FoldLoops)> {
        let folds = self.bound.specialised.machine.folds;
        let items = if folds { &[] } else { &self.fold.items[..] };
        items.iter().enumerate()
    }

    pub(super) unsafe fn list(&self, list: &[super::machine::MachineOp], n: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            let results = (self.memory, 0);
            run(list, &self.frame.pointers, &self.frame.index, self.bound, results, n);
        }
    }
}

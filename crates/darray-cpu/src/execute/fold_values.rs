//! Values of a fold: what they start from, those that wait to be combined, and those that become results.

use super::compiled::FoldLoops;
use super::fold::FoldRun;
use super::fold_memory::FoldMemory;
use crate::jit::Folded;
use crate::vector::{Accumulators, fill};
use darray_kernel::tree::{JoinStep, TileTree};
use std::ops::Range;

/// The folded value of a leaf: bits of the value, index.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeafValue {
    pub value: u64,
    pub index: i64,
}

impl FoldRun<'_> {
    /// Folds the leaves at some [`places`](BoundFold::places) of the tile; their values go to `out`, by their row-major
    /// number. Whether one of them decides the fold: then none behind it is folded, and all of those have its value.
    ///
    /// # Safety
    /// The frame is at the start of a nest without kept axes; `out` has room for every item of
    /// every leaf.
    pub unsafe fn leaves(&mut self, places: Range<usize>, out: *mut LeafValue) -> bool {
        let (fold, memory) = (self.fold, self.memory);
        let (mut next, end) = (places.start, places.end);
        let may_decide = self.may_decide(1);
        while next < end {
            let place = next;
            next += 1;
            let Some(leaf) = fold.leaf_at(place) else { continue };
            self.shared = Some((place, end));
            let ranges = fold.leaf_ranges(leaf);
            // SAFETY: the ranges are those of a leaf; the caller's contract.
            unsafe {
                self.leaf(0, &ranges, 0, 1);
                if may_decide {
                    self.note_decided(0);
                }
                if self.decided {
                    self.decide_leaves(place..end, out);
                    return true;
                }
                for number in 0..fold.items.len() {
                    let from = memory.stack(number, 0);
                    let value = from.values.cast::<u64>().read_unaligned();
                    let index = from.indices.cast::<i64>().read();
                    out.add(leaf * fold.items.len() + number).write(LeafValue { value, index });
                }
            }
        }
        false
    }

    /// Puts folded values at a position of the stack.
    ///
    /// # Safety
    /// The memory is in place, and laid out for one kept point at least.
    pub unsafe fn take(&self, position: usize, values: &[LeafValue]) {
        for (number, (value, item)) in values.iter().zip(self.fold.items.iter()).enumerate() {
            let to = self.memory.stack(number, position);
            // SAFETY: vectors of the stack have 8 bytes for every element.
            unsafe {
                to.values.cast::<u64>().write_unaligned(value.value);
                if item.indexed {
                    to.indices.cast::<i64>().write(value.index);
                }
            }
        }
    }

    /// Sets `n` accumulators of every item to what folds start from, and indices to the [first](Self::first_place): an
    /// element that is no better than that then is the first one, so what follows is told from it by value alone.
    pub(super) unsafe fn start(&self, acc: impl Fn(usize) -> Accumulators, n: usize, first: i64) {
        for (number, item) in self.fold.items.iter().enumerate() {
            // SAFETY: the caller's vectors hold `n` elements.
            unsafe { self.start_item(item, acc(number), n, first) };
        }
    }

    /// [Starts](Self::start) `n` accumulators of one item.
    pub(super) unsafe fn start_item(
        &self,
        item: &FoldLoops,
        acc: Accumulators,
        n: usize,
        first: i64,
    ) {
        let value = if self.fold.tree.is_empty() { item.empty } else { item.start };
        // SAFETY: the caller's vectors hold `n` elements.
        unsafe {
            fill((&raw const value).cast(), acc.values, n, item.size);
            if item.indexed {
                fill((&raw const first).cast(), acc.indices, n, 8);
            }
        }
    }

    /// Combines the lanes of every item into the first.
    pub(super) unsafe fn combine_lanes(&self, acc: impl Fn(usize) -> Accumulators) {
        for (number, item) in self.fold.items.iter().enumerate() {
            // SAFETY: the caller's vectors hold so many lanes, a power of two.
            unsafe {
                if self.fold.backward {
                    self.reverse_lanes(number, acc(number));
                }
                if item.indexed && self.bound.specialised.machine.folds && self.fold.points > 0 {
                    to_lanes(acc(number).indices);
                }
                (item.folding.halves)(acc(number), self.memory.width);
            }
        }
    }

    /// Combines the `n` values at the position of the stack behind this one into those at this one.
    ///
    /// # Safety
    /// Both positions hold so many.
    pub unsafe fn combine(&self, position: usize, n: usize) {
        for (number, item) in self.fold.items.iter().enumerate() {
            let acc = self.memory.stack(number, position);
            let later = self.memory.stack(number, position + 1);
            // SAFETY: the caller's contract; they are two vectors of the stack.
            unsafe { (item.folding.combine)(acc, later, n) };
        }
    }

    /// Makes the `n` values at a position of the stack the results of a slot, from a point of the block on.
    ///
    /// # Safety
    /// The position holds so many, and the block has so many points.
    pub unsafe fn fill_slot(&self, position: usize, slot: usize, point: usize, n: usize) {
        for (number, item) in self.fold.items.iter().enumerate() {
            let to = self.memory.result(number, slot);
            let to = Accumulators {
                values: to.values.wrapping_add(point * item.size),
                indices: to.indices.wrapping_add(point * 8),
            };
            // SAFETY: the caller's contract; results have room for the whole block.
            unsafe { keep(self.memory.stack(number, position), to, n, item) };
        }
    }

    /// Makes the results of `n` kept points from those of parts of the tile: their trees, and where their
    /// results are.
    ///
    /// # Safety
    /// The parts follow one another and are the whole tile; every slot of theirs holds so many values.
    pub unsafe fn join(&self, parts: &[(&TileTree, FoldMemory)], n: usize) {
        let trees = parts.iter().map(|&(tree, _)| tree);
        self.fold.tree.join(trees, |step| match step {
            JoinStep::Take { position, part, slot } => {
                let (_, from) = &parts[part];
                for (number, item) in self.fold.items.iter().enumerate() {
                    let to = self.memory.stack(number, position);
                    // SAFETY: the part's results and a vector of the stack, both of `n` values.
                    unsafe { keep(from.result(number, slot), to, n, item) };
                }
            }
            // SAFETY: positions of the stack that hold `n` values each.
            JoinStep::Combine { position } => unsafe { self.combine(position, n) },
            // SAFETY: as above.
            JoinStep::Slot { position, slot } => unsafe { self.fill_slot(position, slot, 0, n) },
        });
    }
}

/// Copies `n` accumulators.
///
/// # Safety
/// Both have room for them, and they are not the same.
pub(super) unsafe fn keep(from: Accumulators, to: Accumulators, n: usize, item: &FoldLoops) {
    // SAFETY: the caller's contract.
    unsafe {
        from.values.copy_to_nonoverlapping(to.values, n * item.size);
        if item.indexed {
            from.indices.copy_to_nonoverlapping(to.indices, n * 8);
        }
    }
}

/// Machine code keeps the index of the first lane in each, see [`Place::Position`](crate::jit::Place::Position): makes it
/// the lane's own.
///
/// # Safety
/// There are as many indices as lanes.
unsafe fn to_lanes(indices: *mut u8) {
    for lane in 0..Folded::LANES {
        let index = indices.cast::<i64>().wrapping_add(lane);
        // SAFETY: one of the indices.
        unsafe { index.write(index.read().wrapping_add(lane as i64)) };
    }
}

//! Where folds keep their values.

use super::super::bind::Bound;
use super::super::schedule::Over;
use crate::vector::Accumulators;
use darray_codegen::FoldMode;
use darray_kernel::tree::TileTree;

/// Deferred subtrees and results of every fold item, for a block of kept points, and what a leaf needs.
///
/// ```text
/// deferred  per item, values then indices:   stack    depth vectors of `width` elements
///                                           results  slots vectors of `points` elements
/// scratch  per item, values then indices:   lanes    lanes of `width` elements
///          per item:                        buffer   what the body computes for a leaf
///                                           values   of leaves that are one step
/// ```
///
/// There are indices where some item has them; else they are said to be where the values are, and what is read there
/// as an index is of no use to anybody.
/// Vectors are packed by the size of their elements; their distance allows for 8 bytes each. Nothing is in the scratch between leaves.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct FoldMemory {
    deferred: *mut u8,
    scratch: *mut u8,
    /// Kept points that are folded together.
    width: usize,
    points: usize,
    /// Kept points of a block of a part: by lanes each is one of its own.
    part_points: usize,
    depth: usize,
    slots: usize,
    lanes: usize,
    /// Bytes of a buffer.
    buffer: usize,
    /// Values of the leaves of a step.
    values: usize,
    items: usize,
    /// Values, or values and indices.
    halves: usize,
}

impl FoldMemory {
    /// The memory for a bound nest, at no address yet.
    pub fn new(bound: &Bound<'_>) -> FoldMemory {
        let (deferred, scratch) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut memory = FoldMemory {
            deferred,
            scratch,
            width: 0,
            points: 0,
            part_points: 0,
            depth: 0,
            slots: 0,
            lanes: 0,
            buffer: 0,
            values: 0,
            items: 0,
            halves: 0,
        };
        let (Some(fold), Some(schedule)) = (&bound.fold, &bound.schedule.fold) else {
            return memory;
        };
        memory.points = bound.schedule.block.min(bound.schedule.vector.extent.next_multiple_of(8));
        (memory.width, memory.part_points) = match schedule.mode {
            FoldMode::Lanes => (schedule.walk_points, 1),
            // Not so far apart that elements of the same point wait for each other, which look equal in the low bits of
            // their addresses.
            FoldMode::Kept => (memory.points + APART, memory.points),
        };
        (memory.depth, memory.slots) = (fold.tree.depth() + 1, fold.tree.slots().max(1));
        let points = if schedule.over == Over::PointsAtOnce { 0 } else { memory.width };
        let indexed = fold.items.iter().any(|item| item.indexed());
        memory.lanes = match fold.tree.lanes() {
            1 => 0,
            // Searches go on with the same accumulators.
            _ if fold.are_searches() => 0,
            lanes => lanes * usize::from(points > 0),
        };
        // Behind the elements of a step, what registers hold of a block.
        let block =
            if schedule.step_elements > 0 { bound.schedule.block.max(memory.points) } else { 0 };
        memory.buffer =
            (schedule.step_elements * memory.part_points.min(points.max(1)) + block) * 8;
        memory.values = match schedule.step_leaves {
            usize::MAX | 1 => 0,
            // And behind those of all leaves the values of rows.
            rows if schedule.row_leaves > 1 => (schedule.row_leaves + 1) * rows,
            leaves if schedule.mode == FoldMode::Lanes => leaves,
            leaves if memory.lanes > 0 => leaves * memory.width,
            _ => 0,
        };
        (memory.items, memory.halves) = (fold.items.len(), 1 + usize::from(indexed));
        memory
    }

    /// That for a part of the fold, whose tree this is. Number `block` of such memories, one for each block of
    /// kept points, lies behind the others at an address; the scratch is where that of the whole fold is.
    pub fn of_part(self, tree: &TileTree, base: *mut u8, block: usize) -> FoldMemory {
        let (depth, slots) = (tree.depth() + 1, tree.slots().max(1));
        let part = FoldMemory { points: self.part_points, depth, slots, ..self };
        FoldMemory { deferred: base.wrapping_add(block * part.deferred_bytes()), ..part }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.deferred_bytes() + self.lanes_bytes() + self.items * (self.buffer + self.values * 8)
    }

    /// Those that outlast a leaf.
    pub fn deferred_bytes(&self) -> usize {
        self.items * self.halves * self.one() * 8
    }

    fn lanes_bytes(&self) -> usize {
        self.items * self.halves * self.lanes * self.width * 8
    }

    /// Lays it at an address.
    pub fn place(&mut self, base: *mut u8) {
        self.deferred = base;
        self.scratch = base.wrapping_add(self.deferred_bytes());
    }

    /// The accumulators at a position of the stack.
    pub fn stack(&self, item: usize, position: usize) -> Accumulators {
        assert!(position < self.depth);
        self.vectors(self.deferred, item, self.one(), position * self.width)
    }

    /// The results of a slot.
    pub fn result(&self, item: usize, slot: usize) -> Accumulators {
        assert!(slot < self.slots);
        let at = self.depth * self.width + slot * self.points;
        self.vectors(self.deferred, item, self.one(), at)
    }

    /// The lanes of a leaf.
    pub fn lanes(&self, item: usize) -> Accumulators {
        self.vectors(self.scratch, item, self.lanes * self.width, 0)
    }

    /// What the body computes for a leaf.
    pub fn buffer(&self, item: usize) -> *mut u8 {
        self.scratch.wrapping_add(self.lanes_bytes() + item * self.buffer)
    }

    /// The values of an item of leaves that are one step.
    pub fn values(&self, item: usize) -> *mut u8 {
        self.scratch
            .wrapping_add(self.lanes_bytes() + self.items * self.buffer + item * self.values * 8)
    }

    /// Deferred elements per item and half.
    fn one(&self) -> usize {
        self.depth * self.width + self.slots * self.points
    }

    fn vectors(&self, base: *mut u8, item: usize, one: usize, at: usize) -> Accumulators {
        let halves = self.halves;
        let address = |half: usize| base.wrapping_add(((item * halves + half) * one + at) * 8);
        Accumulators { values: address(0), indices: address(halves.saturating_sub(1)) }
    }
}

/// Elements of a line of the cache.
const APART: usize = 8;

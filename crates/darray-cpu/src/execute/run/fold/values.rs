//! Values of a fold: what they start from, those that wait to be combined, and those that become results.

use super::super::fold_memory::FoldMemory;
use super::FoldRun;
use crate::execute::code::FoldLoops;
use crate::vector::{Accumulators, fill};
use darray_kernel::tree::{JoinStep, TileTree};

impl FoldRun<'_> {
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
            if item.indexed() {
                fill((&raw const first).cast(), acc.indices, n, 8);
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
        if item.indexed() {
            from.indices.copy_to_nonoverlapping(to.indices, n * 8);
        }
    }
}

//! What functions have folded on this thread, for tests that look at what ran.

use std::cell::Cell;

/// A count.
#[derive(Clone, Copy)]
pub(crate) enum PathCounter {
    /// Points whose only leaf was folded without a tree.
    OneLeaf,
    /// Rows of folds in any order.
    RowsInAnyOrder,
    /// Those that were points one behind the other, without a walk for each.
    PointsInAnyOrder,
    /// Folds that a leaf decided.
    Decided,
    /// Points that were transposed in registers, each a row of memory.
    PointsAcross,
    /// Walks through a tree that ended at a leaf that decided.
    WalksEnded,
    /// Panels of symmetric products.
    SymmetricPanels,
    /// Rows of planes that were run with those of other planes.
    RowsOfPlanes,
    /// Blocks that were gathered where they are stored.
    GatheredInPlace,
    /// Columns of bools that did not follow the tree.
    BoolColumns,
}

std::thread_local! {
    static COUNTS: [Cell<usize>; 10] = const { [const { Cell::new(0) }; 10] };
}

impl PathCounter {
    /// How many there have been.
    pub(crate) fn count(self) -> usize {
        COUNTS.with(|counts| counts[self as usize].get())
    }

    /// How many of each there are in `work`.
    pub(crate) fn during(work: impl FnOnce()) -> [usize; 10] {
        let before = COUNTS.with(|counts| counts.each_ref().map(Cell::get));
        work();
        COUNTS.with(|counts| std::array::from_fn(|k| counts[k].get() - before[k]))
    }

    /// Counts so many more of each.
    pub(crate) fn add_all(more: [usize; 10]) {
        COUNTS
            .with(|counts| (0..more.len()).for_each(|k| counts[k].set(counts[k].get() + more[k])));
    }

    /// Counts more of them.
    pub(crate) fn add(self, more: usize) {
        COUNTS.with(|counts| counts[self as usize].set(counts[self as usize].get() + more));
    }
}

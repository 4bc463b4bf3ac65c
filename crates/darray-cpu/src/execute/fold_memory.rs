//! Where folds keep their values.

use super::bind::Bound;
use crate::vector::Accumulators;
use darray_codegen::FoldMode;

/// Accumulators, waiting subtrees and results of every fold item, for a block of kept points.
///
/// ```text
/// per item, values then indices:   stack    depth vectors of `width` elements
///                                  results  slots vectors of `points` elements
///                                  band     vectors of `width` elements, one per leaf
/// ```
///
/// Vectors are packed by the size of their elements; their distance allows for 8 bytes each. A leaf
/// accumulates in place, at its position of the stack.
#[derive(Debug)]
pub(super) struct FoldMemory {
    base: *mut u8,
    /// Accumulators of a leaf: lanes, or kept points.
    pub width: usize,
    points: usize,
    depth: usize,
    slots: usize,
    band: usize,
    items: usize,
}

impl FoldMemory {
    /// The memory for a bound nest, at no address yet.
    pub fn new(bound: &Bound<'_>) -> FoldMemory {
        let base = std::ptr::null_mut();
        let Some(fold) = &bound.fold else {
            return FoldMemory { base, width: 0, points: 0, depth: 0, slots: 0, band: 0, items: 0 };
        };
        let points = bound.block.min(bound.vector.extent.next_multiple_of(8));
        let width = match fold.mode {
            FoldMode::Lanes => fold.tree.lanes(),
            FoldMode::Kept => points,
        };
        let (depth, slots) = (fold.tree.depth() + 1, fold.tree.slots().max(1));
        let (band, items) = (fold.band, fold.items.len());
        FoldMemory { base, width, points, depth, slots, band, items }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.items * 2 * self.one() * 8
    }

    /// Lays it at an address.
    pub fn place(&mut self, base: *mut u8) {
        self.base = base;
    }

    /// The accumulators at a position of the stack.
    pub fn stack(&self, item: usize, position: usize) -> Accumulators {
        assert!(position < self.depth);
        self.vectors(item, position * self.width)
    }

    /// The results of a slot.
    pub fn result(&self, item: usize, slot: usize) -> Accumulators {
        assert!(slot < self.slots);
        self.vectors(item, self.depth * self.width + slot * self.points)
    }

    /// The lanes of a leaf of the band.
    pub fn band(&self, item: usize, leaf: usize) -> Accumulators {
        assert!(leaf < self.band);
        let before = self.depth * self.width + self.slots * self.points;
        self.vectors(item, before + leaf * self.width)
    }

    /// Elements per item and half.
    fn one(&self) -> usize {
        (self.depth + self.band) * self.width + self.slots * self.points
    }

    fn vectors(&self, item: usize, at: usize) -> Accumulators {
        let address =
            |half: usize| self.base.wrapping_add(((item * 2 + half) * self.one() + at) * 8);
        Accumulators { values: address(0), indices: address(1) }
    }
}

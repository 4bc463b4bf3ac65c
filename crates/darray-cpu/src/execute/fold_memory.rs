//! Where folds keep their values.

use super::bind::Bound;
use super::compiled::FoldLoops;
use crate::vector::Accumulators;
use darray_codegen::FoldMode;
use darray_kernel::tree::TileTree;

/// Accumulators, waiting subtrees and results of every fold item, for a block of kept points.
///
/// ```text
/// waiting  per item, values then indices:   stack    depth vectors of `width` elements
///                                           results  slots vectors of `points` elements
/// bands    per item, values then indices:   band     vectors of `width` elements, one per leaf
/// ```
///
/// There are indices where some item has them; else they are said to be where the values are, and what is read there
/// as an index is of no use to anybody.
/// Vectors are packed by the size of their elements; their distance allows for 8 bytes each. Where points are kept, there is room for
/// a vector register behind those of a vector, which loops of products write to. A leaf
/// accumulates in place, at its position of the stack, or in the band, which nothing is in between leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldMemory {
    waiting: *mut u8,
    bands: *mut u8,
    /// Accumulators of a leaf: lanes, or kept points.
    pub width: usize,
    points: usize,
    /// Kept points of a block of a part: by lanes each is one of its own.
    part_points: usize,
    depth: usize,
    slots: usize,
    band: usize,
    items: usize,
    /// Values, or values and indices.
    halves: usize,
}

impl FoldMemory {
    /// The memory for a bound nest, at no address yet.
    pub fn new(bound: &Bound<'_>) -> FoldMemory {
        let (waiting, bands) = (std::ptr::null_mut(), std::ptr::null_mut());
        let Some(fold) = &bound.fold else {
            let [width, points, part_points, depth, slots, band, items, halves] = [0; 8];
            return FoldMemory {
                waiting,
                bands,
                width,
                points,
                part_points,
                depth,
                slots,
                band,
                items,
                halves,
            };
        };
        let points = bound.block.min(bound.vector.extent.next_multiple_of(8));
        let (width, part_points) = match fold.mode {
            FoldMode::Lanes if fold.by_leaf => (points + APART, points),
            FoldMode::Lanes => (fold.tree.lanes(), 1),
            // Not so far apart that elements of the same point wait for each other, which look alike in the low bits of
            // their addresses.
            FoldMode::Kept => (points + APART, points),
        };
        let (depth, slots) = (fold.tree.depth() + 1, fold.tree.slots().max(1));
        let band = match fold.all_points(&bound.specialised.machine) {
            // Lanes are in registers.
            Some(points) if points.stores => 0,
            _ => fold.vectors_of_band(width),
        };
        let items = fold.items.len();
        let halves = 1 + usize::from(fold.items.iter().any(|item| item.indexed));
        FoldMemory { waiting, bands, width, points, part_points, depth, slots, band, items, halves }
    }

    /// That for a part of the fold, whose tree this is. Number `block` of such memories, one for each block of
    /// kept points, lies behind the others at an address; the band is where that of the whole fold is.
    pub fn of_part(self, tree: &TileTree, base: *mut u8, block: usize) -> FoldMemory {
        let (depth, slots) = (tree.depth() + 1, tree.slots().max(1));
        let part = FoldMemory { points: self.part_points, depth, slots, ..self };
        FoldMemory { waiting: base.wrapping_add(block * part.waiting_bytes()), ..part }
    }

    /// That for a part of the fold which holds the lanes of its leaf: number `block` of such bands lies behind the others
    /// at an address.
    pub fn with_lanes(self, lanes: usize, base: *mut u8, block: usize) -> FoldMemory {
        let part = FoldMemory { band: lanes, ..self };
        FoldMemory { bands: base.wrapping_add(block * part.band_bytes()), ..part }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.waiting_bytes() + self.band_bytes()
    }

    /// Those that nothing is in between leaves.
    pub fn band_bytes(&self) -> usize {
        self.items * self.halves * self.band * self.width * 8
    }

    /// Those that outlast a leaf.
    pub fn waiting_bytes(&self) -> usize {
        self.items * self.halves * self.one() * 8
    }

    /// Lays it at an address.
    pub fn place(&mut self, base: *mut u8) {
        self.waiting = base;
        self.bands = base.wrapping_add(self.waiting_bytes());
    }

    /// The accumulators at a position of the stack.
    pub fn stack(&self, item: usize, position: usize) -> Accumulators {
        assert!(position < self.depth);
        self.vectors(item, position * self.width)
    }

    /// Bytes from a position of the stack to the next one.
    pub fn step(&self) -> usize {
        self.width * 8
    }

    /// The results of a slot.
    pub fn result(&self, item: usize, slot: usize) -> Accumulators {
        assert!(slot < self.slots);
        self.vectors(item, self.depth * self.width + slot * self.points)
    }

    /// The lanes of a leaf of the band.
    pub fn band(&self, item: usize, leaf: usize) -> Accumulators {
        assert!(leaf < self.band);
        let one = self.band * self.width;
        self.vectors_at(self.bands, item, one, leaf * self.width)
    }

    /// Elements from lane to lane of the band, if `n` in each leave so few between them that all lanes are best taken as one
    /// vector: they cost less than calls.
    pub fn side_by_side(&self, n: usize, item: &FoldLoops) -> Option<usize> {
        let step = self.width * 8 / item.size;
        // Indices have 8 bytes.
        let alike = item.size == 8 || !item.indexed;
        (alike && step <= n + BETWEEN).then_some(step)
    }

    /// Waiting elements per item and half.
    fn one(&self) -> usize {
        self.depth * self.width + self.slots * self.points
    }

    fn vectors(&self, item: usize, at: usize) -> Accumulators {
        self.vectors_at(self.waiting, item, self.one(), at)
    }

    fn vectors_at(&self, base: *mut u8, item: usize, one: usize, at: usize) -> Accumulators {
        let halves = self.halves;
        let address = |half: usize| base.wrapping_add(((item * halves + half) * one + at) * 8);
        Accumulators { values: address(0), indices: address(halves.saturating_sub(1)) }
    }
}

/// Elements between two lanes that cost less than calls.
const BETWEEN: usize = 128;

/// Elements of a line of the cache, and of the longest vector register.
const APART: usize = 8;

const _: () =
    assert!(APART * 8 >= 64, "what loops write behind the points of a vector belongs to it");

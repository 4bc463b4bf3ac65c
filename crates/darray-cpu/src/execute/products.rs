//! Folds that are sums of products, in loops of their own.

use super::bind::{Bound, LARGEST};
use super::fold::FoldRun;
use super::frame::Frame;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::vector::{
    ABREAST, Accumulators, Factor, LANES, LEAF, LaneSums, SumsOfProducts, SumsOfRows,
};
use darray_codegen::Nest;
use darray_codegen::bind::Loop;
use std::ops::Range;

/// The loop for the sums of products of a bound nest, over one reduced axis.
#[derive(Clone, Copy)]
pub(super) struct Products {
    sums: SumsOfProducts,
    along: Along,
    /// Accesses of the nest.
    factors: [u16; 2],
    /// The reduced axis.
    axis: u8,
    /// Whether its elements are in a cache, where a nest before has read them.
    near: bool,
}

/// What is contiguous.
#[derive(Clone, Copy)]
enum Along {
    /// Both factors along the reduced axis; their loop.
    Rows(SumsOfRows),
    /// The first factor along the kept vector axis, where the second does not move.
    Columns,
}

impl Products {
    /// The loop for a nest, if there is one: `strides(axis)` are the bytes per step of all accesses.
    pub fn find<'s>(
        nest: &Nest,
        (sums, size): (SumsOfProducts, i64),
        lanes: usize,
        vector: Loop,
        near: bool,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Option<Products> {
        let [left, right] = nest.sum_of_products().filter(|_| nest.kept > 0)?;
        let axis = *nest.fold.as_ref()?.order.first()?;
        let (reduced, kept) = (strides(axis), strides(vector.axis));
        let columns = |a: usize, b: usize| kept[a] == size && kept[b] == 0;
        let found = |along, a: usize, b: usize| {
            Some(Products { sums, along, factors: [a as u16, b as u16], axis, near })
        };
        let is_row = lanes == LANES && reduced[left] == size && reduced[right] == size;
        if let (Some(rows), true) = (sums.rows, is_row) {
            found(Along::Rows(rows), left, right)
        } else if columns(left, right) {
            found(Along::Columns, left, right)
        } else if columns(right, left) {
            found(Along::Columns, right, left)
        } else {
            None
        }
    }

    /// Whether points are summed one by one, without an accumulator per lane and point.
    pub fn by_rows(&self) -> bool {
        matches!(self.along, Along::Rows(_))
    }

    /// Whether several leaves, of as many indices, are summed by one call for so many points.
    pub fn takes_leaves(&self, leaf: usize, points: usize) -> bool {
        let near = leaf.saturating_mul(points * LARGEST) <= NEAR_LEAF;
        matches!(self.along, Along::Columns) && (leaf == LEAF || points <= self.sums.few || near)
    }

    fn factors(&self, bound: &Bound<'_>, frame: &Frame) -> [Factor; 2] {
        let accesses = bound.specialised.machine.table.accesses;
        self.factors.map(|access| Factor {
            at: frame.pointers[accesses + access as usize],
            reduced: bound.stride(self.axis, access as usize),
            point: bound.stride(bound.vector.axis, access as usize),
        })
    }

    /// Points of a block by rows of so many bytes: memory is read in long pieces.
    pub fn rows_per_block(row: usize) -> usize {
        (BLOCK / row.max(1)).clamp(ABREAST, MOST_ROWS) / ABREAST * ABREAST
    }

    /// Adds `count` products of each of `n` points, the frame being at the first of them; `sums` are the
    /// accumulators of the first lane, lanes are `step` bytes apart.
    ///
    /// # Safety
    /// The frame is at a leaf of the nest with so many reduced indices; there are accumulators for every
    /// lane and point, and room for a vector behind those of each lane.
    pub unsafe fn add(
        &self,
        bound: &Bound<'_>,
        frame: &Frame,
        (count, n): (usize, usize),
        sums: Accumulators,
        (lanes, step): (usize, usize),
    ) {
        let factors = self.factors(bound, frame);
        // SAFETY: the caller's contract; the strides are those that the loop asks for.
        unsafe {
            match self.along {
                Along::Rows(rows) => rows(factors, count, n, sums.values),
                Along::Columns => {
                    let sums = LaneSums { first: sums.values, lanes, step };
                    (self.sums.columns)(factors, count, n, sums, self.near);
                }
            }
        }
    }
}

impl FoldRun<'_> {
    /// Sums a subtree of whole leaves, for `n` points, to a position of the stack.
    ///
    /// # Safety
    /// The fold [takes](Products::takes_leaves) several leaves; the ranges are those of a subtree of whole ones, and the stack has
    /// positions for all that waits in it.
    pub(super) unsafe fn sum_leaves(
        &mut self,
        products: &Products,
        position: usize,
        ranges: &[Range<usize>],
        n: usize,
    ) {
        #[cfg(test)]
        PathCounter::LeavesOfProducts.add(1);
        let leaf = self.fold.blocks[0];
        let leaves = ranges[0].len() / leaf;
        self.point_at(&[ranges[0].start], 0);
        let factors = products.factors(self.bound, self.frame);
        let (start, memory) = (self.fold.items[0].start, self.memory);
        let waiting = LaneSums {
            first: memory.stack(0, position).values,
            lanes: leaves.ilog2() as usize + 1,
            step: memory.step(),
        };
        // SAFETY: the caller's contract; the strides are those that the loop asks for, and behind the points of each position
        // is room for a vector.
        unsafe {
            let start = (&raw const start).cast();
            (products.sums.leaves)(factors, (leaf, leaves), n, start, waiting);
        }
    }
}

/// Bytes of a leaf whose rows are gone through strip by strip, as a second-level cache has them from the first one on.
const NEAR_LEAF: usize = 1 << 19;

/// Bytes of rows that a block goes through.
const BLOCK: usize = 1 << 17;

/// Most rows of a block.
const MOST_ROWS: usize = 512;

#[cfg(test)]
mod tests {
    use crate::execute::testing::{self, Array};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;
    use darray_kernel::tree::{ReducedAxis, TileStep, TileTree, TreeRule};

    /// Elements of the matrix, from the first one of the block on; the vector is behind it.
    fn element(k: usize) -> f64 {
        1.0 / (k + 3) as f64
    }

    /// The sum of some products by the tree, in so many lanes.
    fn by_tree(count: usize, lanes: usize, product: impl Fn(usize) -> f64) -> u64 {
        let axis = ReducedAxis { origin: 0, extent: count, global: count };
        let tree = TileTree::new(TreeRule::STANDARD, usize::from(lanes > 1), &[axis]);
        let (mut stack, mut result) = (vec![0.0; 64], 0.0);
        tree.resume(&mut tree.begin(), usize::MAX, |step| match step {
            TileStep::Leaf { position, ranges } => {
                let mut sums = vec![-0.0; lanes];
                let leaf = ranges[0].clone();
                leaf.enumerate().for_each(|(k, index)| sums[k % lanes] += product(index));
                let mut width = lanes / 2;
                while width > 0 {
                    (0..width).for_each(|lane| sums[lane] += sums[lane + width]);
                    width /= 2;
                }
                stack[position] = sums[0];
            }
            TileStep::Combine { position } => stack[position] += stack[position + 1],
            TileStep::Slot { position, .. } => result = stack[position],
        });
        result.to_bits()
    }

    #[test]
    fn products_with_vectors_are_those_of_the_tree() {
        // Of 2,005 rows in leaves of 8: 128, 64, 32, 16, 8 and 2 leaves that are subtrees, and one of 5 rows; of 20,000 in leaves of
        // 32: 512, 64, 32, 16 and 1. By lanes, or of points whose elements are few, there are none.
        for (points, count, [point, index], lanes, subtrees) in [
            (3, 2005, [1, 3], 1, 6),
            (40, 2005, [1, 40], 1, 6),
            (9, 2000, [1, 11], 1, 6),
            (5, 20_000, [1, 5], 1, 4),
            (70, 1009, [1, 75], 1, 6),
            (3, 2005, [1, 3], 32, 0),
            (33, 2005, [1, 33], 32, 0),
            (500, 200, [1, 500], 32, 0),
            (2005, 3, [3, 1], 32, 0),
            (2000, 31, [31, 1], 32, 0),
            (1500, 37, [41, 1], 32, 0),
            (90, 1000, [1000, 1], 32, 0),
            (1500, 2, [1, 1500], 32, 0),
            (1500, 32, [1, 1501], 32, 0),
            (1500, 60, [1, 1500], 32, 0),
            (300, 60, [1, 300], 32, 0),
        ] {
            let innermost = if lanes > 1 { "innermost" } else { "" };
            let text = format!(
                "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 read noalias b2: f64 rank 1 write noalias
                 {{ for (i0: extent=p0 origin=p2 global=p0 logical=0) {{
                    fold (i1: extent=p1 origin=p2 global=p1 logical=1) {innermost} lanes=32 width=64 rounds=32 alone=8 {{
                    %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = load b1[p2 + 1*i1] %2 = mul.f64 %0 %1 }} %3 = sum %2
                    store b2[p2 + 1*i0] %3 }} }}"
            );
            let strides = [point, index];
            let behind = (points - 1) * point as usize + (count - 1) * index as usize + 1;
            let arrays = [
                Array { block: 0, offset: 0, strides: &strides },
                Array { block: 0, offset: behind, strides: &[1] },
                Array { block: 1, offset: 0, strides: &[1] },
            ];
            let expected: Vec<u64> = (0..points)
                .map(|i| {
                    by_tree(count, lanes, |k| {
                        element(i * point as usize + k * index as usize) * element(behind + k)
                    })
                })
                .collect();
            let targets = Target::ALL.into_iter().filter(|t| t.level() <= Level::detect());
            for jit in std::iter::once(None).chain(targets.map(Some)) {
                let before = PathCounter::LeavesOfProducts.count();
                let size = (behind + count, points);
                let params = [points, count, 0];
                let (bits, _) =
                    testing::run(&text, &arrays, &params, jit, usize::MAX, size, |_| ());
                let name = format!("{jit:?} {points} x {count} {strides:?} {lanes}");
                assert!(bits == expected, "{name}");
                assert_eq!(PathCounter::LeavesOfProducts.count() - before, subtrees, "{name}");
            }
        }
    }
}

//! Folds that are sums of products, in loops of their own.

use super::bind::{Bound, LARGEST};
use super::fold::FoldRun;
use super::frame::Frame;
#[cfg(test)]
use crate::jit::Ran;
use crate::vector::{ABREAST, Accumulators, Factor, LANES, LEAF, LaneSums, SumsOfProducts};
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
#[derive(Clone, Copy, PartialEq)]
enum Along {
    /// Both factors along the reduced axis.
    Rows,
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
        if lanes == LANES && reduced[left] == size && reduced[right] == size {
            found(Along::Rows, left, right)
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
        self.along == Along::Rows
    }

    /// Whether several leaves, of as many indices, are summed by one call for so many points.
    pub fn takes_leaves(&self, leaf: usize, points: usize) -> bool {
        let near = leaf.saturating_mul(points * LARGEST) <= NEAR_LEAF;
        self.along == Along::Columns && (leaf == LEAF || points <= self.sums.few || near)
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
    /// lane and point.
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
                Along::Rows => (self.sums.rows)(factors, count, n, sums.values),
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
        Ran::LeavesOfProducts.add(1);
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
        // SAFETY: the caller's contract; the strides are those that the loop asks for.
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

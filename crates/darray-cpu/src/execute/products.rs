//! Folds that are sums of products, in loops of their own.

use super::bind::Bound;
use super::frame::Frame;
use crate::vector::{ABREAST, Accumulators, Factor, LANES, LaneSums, SumsOfProducts};
use darray_codegen::Nest;
use darray_codegen::bind::Loop;

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
        let accesses = bound.specialised.machine.table.accesses;
        let factors = self.factors.map(|access| Factor {
            at: frame.pointers[accesses + access as usize],
            reduced: bound.stride(self.axis, access as usize),
            point: bound.stride(bound.vector.axis, access as usize),
        });
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

/// Bytes of rows that a block goes through.
const BLOCK: usize = 1 << 17;

/// Most rows of a block.
const MOST_ROWS: usize = 512;

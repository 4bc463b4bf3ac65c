//! What code for a way through memory knows of rows.

use super::super::bind::LARGEST;
use super::super::column_leaves::LONGEST;
use super::super::packed::Packed;
use super::super::points::{MOST_ELEMENTS, few_elements};
use super::super::waiting::least;
use super::super::whole_rows::{are_many, is_worth};
use super::{FoldWay, IN_PIECES, MANY, SHORT};
use crate::jit::{Folded, RowsOf, Traffic};
use crate::processor;
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase};

impl FoldWay {
    /// What code for this way knows of rows; `strides(axis)` are the bytes per step of all accesses.
    pub fn traffic<'s>(
        &self,
        nest: &Nest,
        axes: &Axes,
        vector: Loop,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Traffic {
        if self.products.is_some() || self.any_order.is_some() || self.bool_columns.is_some() {
            // It has a loop of its own.
            return Traffic::default();
        }
        let short = match &self.across {
            Some(across) => across.leaves as u8,
            None if self.joined => 0,
            None => match short_row(nest, axes, self.mode, vector, self.rows) {
                0 if self.backward => Folded::LANES as u8,
                short => short,
            },
        };
        let most = match self.packing.is_empty() && self.across.is_none() {
            true => MOST_ELEMENTS,
            false => Folded::LANES,
        };
        let points = few_elements(nest, axes, self.mode, (vector, self.rows), most);
        let in_one_row = points > 0 && self.rows == 1;
        let leaves = short > 0 && self.packing.is_empty() && self.across.is_none();
        Traffic {
            short,
            leaves: if leaves { LEAVES } else { 0 },
            back: self.backward,
            long: self.backward && is_long(nest, axes),
            in_order: self.is_in_order(nest, vector, &strides),
            whole: self.packing.is_empty() && self.across.is_none() && is_worth(axes, self.mode),
            tiles: self.beside.is_some(),
            columns: self.columns(nest, vector.extent * LARGEST).filter(|_| are_many(axes)),
            points,
            across: if in_one_row { self.across_memory(nest, &strides) } else { 0 },
            stores: in_one_row && self.result_rows.is_none() && !self.by_rows,
            ..Traffic::default()
        }
    }

    /// Whether the body takes all points of a block before the next indices, has an accumulator for each, and finds these
    /// indices behind the points.
    fn is_in_order<'s>(
        &self,
        nest: &Nest,
        vector: Loop,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> bool {
        let last = nest.fold.as_ref().and_then(|fold| fold.order.last());
        let lanes = nest.fold.as_ref().is_some_and(|fold| fold.tree.innermost > 0);
        let Some(&last) = last.filter(|_| self.is_in_rows() && !lanes) else { return false };
        let rows = strides(vector.axis).iter().zip(strides(last)).zip(&nest.accesses);
        let mut rows = rows.filter(|(_, (_, phase))| *phase == Phase::Fold);
        vector.extent * LARGEST <= IN_PIECES
            && rows.all(|((&along, &next), _)| next == along * vector.extent as i64)
    }

    /// The accesses that are copied, as bits, if each of them has a bit and the elements of a point side by side; of bytes copies
    /// are better, as only 4 of a point are loaded at once.
    fn across_memory<'s>(&self, nest: &Nest, strides: impl Fn(u8) -> &'s [i64]) -> u64 {
        let Some(&[last]) = nest.fold.as_ref().map(|fold| &fold.order[..]) else { return 0 };
        let is_row = |packed: &Packed| {
            strides(last)[packed.access()] == packed.size() as i64 && packed.size() > 1
        };
        let (all, bits) = (self.packing.all(), self.packing.accesses());
        let is_whole = bits.count_ones() as usize == all.len();
        if is_whole && all.iter().all(is_row) { bits } else { 0 }
    }

    /// Of what rows of so many bytes a function of columns is best: of points with lanes on AMD's processors alone.
    fn columns(&self, nest: &Nest, bytes: usize) -> Option<RowsOf> {
        let lanes = nest.fold.as_ref().is_some_and(|fold| fold.tree.innermost > 0);
        // Elements may be half as long as the longest.
        let together = self.leaves_together && bytes <= 2 * LONGEST;
        let (rows, long) = match (lanes, together) {
            (true, _) => (RowsOf::Lane, processor::is_amd() && bytes > IN_PIECES),
            (_, true) => (RowsOf::ShortLeaf, bytes >= least(true)),
            (_, false) => (RowsOf::Leaf, bytes >= least(false)),
        };
        (self.is_in_rows() && !self.joined && long).then_some(rows)
    }

    /// Whether the body goes along rows of kept points.
    fn is_in_rows(&self) -> bool {
        self.mode == FoldMode::Kept
            && self.rows == 1
            && self.packing.is_empty()
            && self.across.is_none()
    }
}

/// Whether a row along the last reduced axis is longer than what is asked for ahead of it by far.
fn is_long(nest: &Nest, axes: &Axes) -> bool {
    let last = nest.fold.as_ref().and_then(|fold| fold.order.last());
    last.is_some_and(|&axis| axes.extents[axis as usize] >= LONG)
}

/// Elements of a row that is long.
const LONG: usize = 512;

/// Leaves with short rows that are folded side by side.
const LEAVES: u8 = 4;

/// Elements of the rows that the body of a fold goes through, if they are few and rows are many; else 0. Points lie in
/// so many rows.
fn short_row(nest: &Nest, axes: &Axes, mode: FoldMode, vector: Loop, point_rows: usize) -> u8 {
    let Some(fold) = &nest.fold else { return 0 };
    let reduced: usize = fold.order.iter().map(|&axis| axes.extents[axis as usize]).product();
    let last = fold.order.last().map_or(1, |&axis| axes.extents[axis as usize]);
    let (row, rows) = match mode {
        FoldMode::Lanes => (last, reduced / last.max(1)),
        FoldMode::Kept => (vector.extent, reduced * point_rows),
    };
    if row < SHORT && rows >= MANY { row as u8 } else { 0 }
}

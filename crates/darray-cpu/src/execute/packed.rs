//! Operands of folds that lie across memory: transposed, leaf by leaf.
//!
//! The body of a fold goes along kept points, or along the last reduced axis. Where the elements of an access lie side
//! by side along another reduced axis, each comes from a line of its own, which is gone again when the next index of
//! that axis has its turn. So a leaf of the reduction tree is copied before it is folded:
//!
//! ```text
//! memory   point 0: indices 0..8 ..        buffer   index 0: points 0..n
//!          point 1: indices 0..8 ..                 index 1: points 0..n
//! ```

use crate::level::Level;
use crate::vector::{LINE, Transpose, Transposed, find_transpose};
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase, Program};
use darray_kernel::ir::Role;
use smallvec::SmallVec;
use std::ops::Range;

/// The accesses of a fold that are copied before each leaf.
#[derive(Default)]
pub(super) struct Packing {
    packed: SmallVec<[Packed; 1]>,
    /// Bytes of the buffers.
    pub bytes: usize,
    /// Most kept points of a block, where the fold goes along those.
    pub points: usize,
}

/// An access that is copied.
pub(super) struct Packed {
    access: usize,
    transpose: Transpose,
    /// The dimension along which elements lie side by side in memory; in the buffer they do so along the last one.
    side: usize,
    /// Bytes per step of every dimension, in memory and in the buffer: of the reduced axes in logical order and, where
    /// the fold goes along kept points, of those.
    from: SmallVec<[i64; 4]>,
    to: SmallVec<[i64; 4]>,
    /// Indices of a leaf along the reduced axes.
    blocks: SmallVec<[usize; 4]>,
    /// Bytes from what is copied to what is fetched meanwhile.
    ahead: isize,
    /// Where the buffer begins.
    offset: usize,
}

impl Packing {
    /// What is copied of a nest, the steps along whose axes are `strides`.
    pub fn new<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        mode: FoldMode,
        vector: Loop,
        level: Level,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Packing {
        let mut packing = Packing::default();
        let Some(fold) = &nest.fold else { return packing };
        let block = |(number, &axis): (usize, &u8)| {
            axes.block(fold, number).min(axes.extents[axis as usize])
        };
        let blocks: SmallVec<[usize; 4]> = fold.order.iter().enumerate().map(block).collect();
        let leaf = blocks.iter().product::<usize>().saturating_mul(8).max(1);
        let mut extents = blocks.clone();
        let mut dims = fold.order.clone();
        if mode == FoldMode::Kept {
            packing.points = (MOST / leaf).min(MOST_POINTS);
            extents.push(packing.points.min(vector.extent));
            dims.push(vector.axis);
        } else if leaf > MOST {
            return packing;
        }
        for (access, &(number, phase)) in nest.accesses.iter().enumerate() {
            let buffer = &program.buffers[program.accesses[number as usize].buffer as usize];
            let size = buffer.dtype.size();
            let from = dims.iter().map(|&axis| strides(axis)[access]).collect();
            let transpose = find_transpose(size, level);
            if let (Phase::Fold, Role::Read, Some(transpose)) = (phase, buffer.role, transpose)
                && let Some(side) = across(&from, &extents, size)
            {
                let mut to: SmallVec<[i64; 4]> = SmallVec::from_elem(size as i64, from.len());
                let mut row = extents[from.len() - 1] * size + LINE;
                for dim in (0..from.len() - 1).rev() {
                    to[dim] = row as i64;
                    row *= extents[dim];
                }
                let lines = if mode == FoldMode::Kept { LINES } else { 1 };
                let ahead = from[side].signum() as isize * (lines * LINE) as isize;
                let (offset, blocks) = (packing.bytes, blocks.clone());
                packing.bytes += row;
                let one = Packed { access, transpose, side, from, to, blocks, ahead, offset };
                packing.packed.push(one);
            }
        }
        packing
    }

    /// Whether nothing is copied.
    pub fn is_empty(&self) -> bool {
        self.packed.is_empty()
    }

    /// What is copied of an access, if anything is.
    pub fn of(&self, access: usize) -> Option<&Packed> {
        self.packed.iter().find(|packed| packed.access == access)
    }

    /// All that is copied.
    pub fn all(&self) -> &[Packed] {
        &self.packed
    }
}

/// The dimension along which elements lie side by side, where they are far from one another along the last one, along
/// which the body goes.
fn across(from: &SmallVec<[i64; 4]>, extents: &[usize], size: usize) -> Option<usize> {
    let last = from.len().checked_sub(1)?;
    let is_far = extents[last] >= FEW && from[last].unsigned_abs() >= LINE as u64;
    let is_side = |&dim: &usize| from[dim].unsigned_abs() == size as u64 && extents[dim] >= FEW;
    (0..last).find(is_side).filter(|_| is_far)
}

impl Packed {
    /// The access.
    pub fn access(&self) -> usize {
        self.access
    }

    /// Bytes per step of a dimension in the buffer.
    pub fn step(&self, dim: usize) -> i64 {
        self.to[dim]
    }

    /// Where the body finds reduced indices and a point of the block, the buffers being at `base`.
    pub fn place(&self, base: *mut u8, at: &[usize], point: usize) -> *mut u8 {
        let in_leaf = at.iter().zip(&self.blocks).map(|(&i, &block)| i % block);
        let offset: usize =
            in_leaf.chain([point]).zip(&self.to).map(|(i, &step)| i * step as usize).sum();
        base.wrapping_add(self.offset + offset)
    }

    /// Copies a leaf to the buffers at `base`: these ranges of the reduced indices, of which those of number 0 lie at
    /// `from`, and `n` kept points.
    ///
    /// # Safety
    /// The elements can be read; the buffers hold a leaf and so many points.
    pub unsafe fn fill(&self, from: *const u8, ranges: &[Range<usize>], n: usize, base: *mut u8) {
        let starts = ranges.iter().zip(&self.from).map(|(range, &step)| range.start as i64 * step);
        let mut from = from.wrapping_offset(starts.sum::<i64>() as isize);
        let mut to = base.wrapping_add(self.offset);
        let extents: SmallVec<[usize; 4]> =
            ranges.iter().map(Range::len).chain([n]).take(self.from.len()).collect();
        let (side, last) = (self.side, extents.len() - 1);
        let mut to_step = self.to[side] as isize;
        if self.from[side] < 0 {
            // Backwards: from the other end.
            let steps = extents[side].saturating_sub(1) as isize;
            from = from.wrapping_offset(steps * self.from[side] as isize);
            to = to.wrapping_offset(steps * to_step);
            to_step = -to_step;
        }
        let others: SmallVec<[usize; 4]> = (0..last).filter(|&dim| dim != side).collect();
        let count: usize = others.iter().map(|&dim| extents[dim]).product();
        for number in 0..count {
            let (mut rest, mut read, mut write) = (number, from, to);
            for &dim in others.iter().rev() {
                let at = (rest % extents[dim]) as isize;
                rest /= extents[dim];
                read = read.wrapping_offset(at * self.from[dim] as isize);
                write = write.wrapping_offset(at * self.to[dim] as isize);
            }
            let (rows, columns) = (extents[last], extents[side]);
            let from_step = self.from[last] as isize;
            let matrix = Transposed { from: read, from_step, to: write, to_step, rows, columns };
            // SAFETY: the caller's contract.
            unsafe { (self.transpose)(matrix, self.ahead) };
        }
    }
}

/// Elements side by side, and along the body, from which on copies pay.
const FEW: usize = 8;

/// Bytes of a leaf at most: a part of the second-level cache.
const MOST: usize = 256 << 10;

/// Points of a block at most.
const MOST_POINTS: usize = 256;

/// Lines from what is copied to what is fetched, where leaves that follow one another are side by side.
const LINES: usize = 4;

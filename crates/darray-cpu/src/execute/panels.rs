//! Loads that go down the columns of an array while the nest goes along rows, as of a transposed matrix: copied to
//! where they lie side by side, a tile of the nest at a time.
//!
//! Element by element, each of a row comes from a line of its own, which the next rows find again one by one. Of a tile,
//! squares are transposed in registers, whole lines at once, and the rows of the nest are the same code as if the array
//! lay along them:
//!
//! ```text
//! memory   column 0: rows 0..R ..        buffer   row 0: columns 0..C
//!          column 1: rows 0..R ..                 row 1: columns 0..C
//! ```

use super::frame::Frame;
use crate::level::Level;
use crate::vector::{LINE, Transpose, Transposed, find_transpose};
use darray_codegen::bind::Loop;
use darray_codegen::{Nest, Phase, Program};
use darray_kernel::ir::Role;
use smallvec::SmallVec;
use std::ops::Range;

/// The loads of a nest that are copied.
#[derive(Default)]
pub(super) struct Panels {
    panels: SmallVec<[Panel; 1]>,
    /// Bytes of the buffers.
    pub bytes: usize,
    /// Rows and columns of a tile. Rows are of the innermost of the outer loops.
    pub tile: (usize, usize),
    /// Columns beyond those of a tile that are copied, too, as machine code may move the cuts between tiles so far.
    pub beyond: usize,
}

/// A load that is copied.
struct Panel {
    access: usize,
    size: usize,
    transpose: Transpose,
    /// Where local index 0 lies.
    base: *mut u8,
    /// Bytes in memory per step of the outer loops, and along the row.
    outer: SmallVec<[i64; 4]>,
    along: i64,
    /// Where the buffer begins, and bytes from row to row of it.
    offset: usize,
    row: usize,
    /// Bytes from what is copied to what is fetched meanwhile.
    ahead: isize,
}

/// Where a tile begins: the index of the innermost of the outer loops, and the column.
pub(super) type Corner = (usize, usize);

impl Panels {
    /// Those of a nest without a fold, where there are any; the loop along which they lie side by side in memory becomes the
    /// innermost of the `outer` ones. `bases` are where accesses lie at local index 0, `blocks` the blocks that they lie
    /// in, and `strides(axis)` their bytes per step.
    pub fn find<'s>(
        program: &Program,
        nest: &Nest,
        (bases, blocks): (&[*mut u8], &[*mut u8]),
        outer: &mut SmallVec<[Loop; 4]>,
        vector: Loop,
        level: Level,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Panels {
        let mut panels = Panels::default();
        // Rows of a kernel by rows come in parts.
        if nest.fold.is_some() || program.by_rows || outer.is_empty() || vector.extent < FEW {
            return panels;
        }
        let strides = &strides;
        let buffer =
            |number: u16| &program.buffers[program.accesses[number as usize].buffer as usize];
        let all = || nest.accesses.iter().zip(blocks);
        let is_written = |block: *mut u8| {
            all().any(|(&(number, _), &other)| other == block && buffer(number).role != Role::Read)
        };
        let read = |(access, &(number, phase)): (usize, &(u16, Phase))| {
            let buffer = buffer(number);
            let (size, along) = (buffer.dtype.size(), strides(vector.axis)[access]);
            let crosses = along != 0 && along.unsigned_abs() != size as u64;
            let is_read = phase == Phase::Before && buffer.role == Role::Read;
            // There are no squares of two bytes.
            let may = is_read && crosses && size != 2 && !is_written(blocks[access]);
            may.then_some((access, size))
        };
        let reads = || nest.accesses.iter().enumerate().filter_map(read);
        let lies_along = |outer: &Loop, (access, size): (usize, usize)| {
            strides(outer.axis)[access].unsigned_abs() == size as u64 && outer.extent >= FEW
        };
        let is_inner = |outer: &Loop| reads().any(|read| lies_along(outer, read));
        let Some(inner) = outer.iter().rposition(is_inner) else { return panels };
        let inner = outer.remove(inner);
        outer.push(inner);
        let found: SmallVec<[(usize, usize); 4]> =
            reads().filter(|&read| lies_along(&inner, read)).collect();
        let sizes: usize = found.iter().map(|&(_, size)| size).sum();
        let least = found.iter().map(|&(_, size)| size).min().unwrap_or(1);
        let columns = (ROW / least).min(vector.extent);
        let rows = (TILE / (sizes * columns)).clamp(FEW, inner.extent.max(FEW)) / FEW * FEW;
        panels.tile = (rows, columns);
        for (access, size) in found {
            let Some(transpose) = find_transpose(size, level) else { continue };
            // An odd number of lines, so that rows do not compete for the same lines of the cache.
            let row = (((columns + MOST_BEYOND) * size).div_ceil(LINE) | 1) * LINE;
            let along = strides(vector.axis)[access];
            let points = vector.extent * outer.iter().map(|outer| outer.extent).product::<usize>();
            let panel = Panel {
                access,
                size,
                transpose,
                base: bases[access],
                outer: outer.iter().map(|outer| strides(outer.axis)[access]).collect(),
                along,
                offset: panels.bytes,
                row,
                // The tile to the right is the next one.
                ahead: if points * size > NEAR { along as isize * columns as isize } else { 0 },
            };
            panels.bytes += rows * row;
            panels.panels.push(panel);
        }
        panels
    }

    pub fn is_empty(&self) -> bool {
        self.panels.is_empty()
    }

    /// Whether an access is copied.
    pub fn contains(&self, access: usize) -> bool {
        self.panels.iter().any(|panel| panel.access == access)
    }

    /// The accesses that are copied, as bits.
    pub fn accesses(&self) -> u64 {
        let bit = |panel: &Panel| 1u64.checked_shl(panel.access as u32).unwrap_or(0);
        self.panels.iter().map(bit).fold(0, |all, bit| all | bit)
    }

    /// Puts the steps through the buffers in the place of those through memory: along the row, and from row to row.
    pub fn step_in_buffers(&self, strides: &mut [i64], accesses: usize, vector: u8, inner: u8) {
        for panel in &self.panels {
            strides[vector as usize * accesses + panel.access] = panel.size as i64;
            strides[inner as usize * accesses + panel.access] = panel.row as i64;
        }
    }

    /// Copies what `columns` of some rows read, that are `inner` indices of the innermost outer loop; the others are where
    /// the odometer says. Of a row there are `extent` columns.
    ///
    /// # Safety
    /// These can be read; they are at most a tile.
    pub unsafe fn fill(
        &self,
        frame: &mut Frame,
        inner: Range<usize>,
        columns: Range<usize>,
        extent: usize,
    ) {
        let buffers = frame.packed.reserve(self.bytes);
        let columns = columns.start..(columns.end + self.beyond).min(extent);
        for panel in &self.panels {
            let (&down, around) = panel.outer.split_last().expect("a loop around the row");
            let steps = around.iter().zip(&frame.odometer).map(|(step, &at)| step * at as i64);
            let start = down * inner.start as i64 + panel.along * columns.start as i64;
            let mut from = panel.base.wrapping_offset((steps.sum::<i64>() + start) as isize);
            let mut to = buffers.wrapping_add(panel.offset);
            let mut to_step = panel.row as isize;
            if down < 0 {
                // Backwards: from the other end.
                let steps = inner.len() as isize - 1;
                from = from.wrapping_offset(steps * down as isize);
                to = to.wrapping_offset(steps * to_step);
                to_step = -to_step;
            }
            let matrix = Transposed {
                from,
                from_step: panel.along as isize,
                along: down.unsigned_abs() as isize,
                to,
                to_step,
                rows: columns.len(),
                columns: inner.len(),
            };
            // SAFETY: the caller's contract; a buffer has room for a tile and what is beyond it.
            unsafe { (panel.transpose)(matrix, panel.ahead) };
        }
    }

    /// Points accesses at an element of the buffers, which hold the tile at that corner.
    #[inline]
    pub fn place(&self, places: &mut [*mut u8], frame_start: *mut u8, corner: Corner, at: Corner) {
        for panel in &self.panels {
            let bytes = (at.0 - corner.0) * panel.row + (at.1 - corner.1) * panel.size;
            places[panel.access] = frame_start.wrapping_add(panel.offset + bytes);
        }
    }
}

/// Rows and columns that make a square worth while.
const FEW: usize = 8;

/// Bytes of a row of a tile, and of all of it.
const ROW: usize = 1 << 10;
const TILE: usize = 64 << 10;

/// Bytes of an array that the second-level cache keeps beside others: nothing is fetched ahead.
const NEAR: usize = 1 << 20;

/// Columns beyond a tile, at most: those of a line of the smallest elements that machine code writes past the caches.
pub(super) const MOST_BEYOND: usize = LINE / 4;

#[cfg(test)]
mod tests {
    use super::{FEW, LINE, ROW};
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;
    use darray_codegen::StrideClass;

    /// What is seen of the sum of an array along memory and one with these strides; it is written to this block.
    fn seen<R>(
        [rows, columns]: [usize; 2],
        strides: [i64; 2],
        block: usize,
        look: impl FnOnce(&Bound<'_>) -> R,
    ) -> R {
        let text = "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 read
             b2: f64 rank 2 write {
             for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {
             %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = load b1[p2 + 1*i0, p2 + 1*i1] %2 = add.f64 %0 %1
             store b2[p2 + 1*i0, p2 + 1*i1] %2 } }";
        let along = [columns as i64, 1];
        let arrays = [
            Array { block: 0, offset: 0, strides: &along },
            Array { block: 1, offset: if strides[0] < 0 { rows } else { 0 }, strides: &strides },
            Array { block, offset: 0, strides: if block == 1 { &strides } else { &along } },
        ];
        let target = Target::of(Level::detect());
        with_bound(text, &arrays, &[rows, columns, 0], target, usize::MAX, look)
    }

    #[test]
    fn what_lies_across_the_rows_is_copied() {
        let copied = |bound: &Bound<'_>| bound.panels.contains(1);
        assert!(seen([300, 200], [1, 301], 2, copied));
        assert!(seen([300, 200], [-1, 301], 3, copied));
        assert!(!seen([300, 200], [203, 1], 2, copied), "along the rows");
        assert!(!seen([300, 200], [2, 602], 2, copied), "nothing side by side");
        assert!(!seen([FEW - 1, 200], [1, 301], 2, copied), "few rows");
        assert!(!seen([300, 200], [1, 301], 1, copied), "written in the same nest");
    }

    #[test]
    fn rows_of_a_tile_are_one_function_and_read_buffers() {
        seen([300, 200], [1, 301], 2, |bound| {
            let columns = ROW / 8;
            assert_eq!(bound.tile, (super::TILE / ROW, columns));
            assert!(bound.specialised.layout.classes.iter().all(|&c| c == StrideClass::Unit));
            let row = bound.stride(bound.outer[0].axis, 1);
            assert!(row >= 8 * columns as i64 && row / LINE as i64 % 2 == 1);
            assert_eq!(bound.stride(bound.vector.axis, 1), 8);
            let alone = bound.specialised.machine.before_alone.is_some();
            assert_eq!(alone, Target::of(Level::detect()).is_some(), "an addition alone");
        });
    }
}

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

use super::super::schedule::summary::Summary;
use super::super::schedule::tuning::COLUMNS_BEYOND;
use super::super::schedule::{Packed, Schedule};
use crate::level::Level;
use crate::vector::{Transpose, Transposed, find_transpose};
use smallvec::SmallVec;
use std::ops::Range;

/// The buffers of what a nest packs.
#[derive(Default)]
pub(in super::super) struct Panels {
    panels: SmallVec<[Panel; 1]>,
    /// Bytes of the buffers.
    pub bytes: usize,
    /// Columns beyond those of a tile that are copied, too, as machine code may move the cuts between tiles so far.
    beyond: usize,
}

/// A load that is packed.
struct Panel {
    packed: Packed,
    transpose: Transpose,
    /// Where local index 0 lies.
    base: *mut u8,
    /// Bytes in memory per step of the outer loops, and along the row.
    outer: SmallVec<[i64; 4]>,
    along: i64,
    /// Where the buffer begins.
    offset: usize,
    /// Bytes from what is copied to what is prefetched meanwhile.
    ahead: isize,
}

/// Where a tile begins: the index of the innermost of the outer loops, and the column.
pub(in super::super) type Corner = (usize, usize);

impl Panels {
    /// Those of a schedule, of accesses that lie there at local index 0.
    pub fn new(
        schedule: &Schedule,
        summary: &Summary<'_>,
        bases: &[*mut u8],
        level: Level,
    ) -> Panels {
        let mut panels = Panels::default();
        let (high, wide) = schedule.tile;
        for &packed in &schedule.packed {
            let Packed { access, size, row, prefetches } = packed;
            let along = summary.stride(schedule.vector.axis, access);
            panels.panels.push(Panel {
                packed,
                transpose: find_transpose(size, level).expect("a summary says of what it is"),
                base: bases[access],
                outer: schedule.rows.iter().map(|it| summary.stride(it.axis, access)).collect(),
                along,
                offset: panels.bytes,
                ahead: if prefetches { along as isize * wide as isize } else { 0 },
            });
            panels.bytes += high * row;
        }
        panels.beyond = if schedule.non_temporal.is_by_code() { COLUMNS_BEYOND } else { 0 };
        panels
    }

    pub fn is_empty(&self) -> bool {
        self.panels.is_empty()
    }

    /// Puts the steps through the buffers in the place of those through memory: along the row, and from row to row.
    pub fn step_in_buffers(&self, strides: &mut [i64], accesses: usize, vector: u8, inner: u8) {
        for &Panel { packed: Packed { access, size, row, .. }, .. } in &self.panels {
            strides[vector as usize * accesses + access] = size as i64;
            strides[inner as usize * accesses + access] = row as i64;
        }
    }

    /// Copies to the buffers what `columns` of some rows read, that are `inner` indices of the innermost outer loop; the others are where
    /// the odometer says. Of a row there are `extent` columns.
    ///
    /// # Safety
    /// These can be read; they are at most a tile.
    pub unsafe fn fill(
        &self,
        (buffers, odometer): (*mut u8, &[usize]),
        inner: Range<usize>,
        columns: Range<usize>,
        extent: usize,
    ) {
        let columns = columns.start..(columns.end + self.beyond).min(extent);
        for panel in &self.panels {
            let (&down, around) = panel.outer.split_last().expect("a loop around the row");
            let steps = around.iter().zip(odometer).map(|(step, &at)| step * at as i64);
            let start = down * inner.start as i64 + panel.along * columns.start as i64;
            let mut from = panel.base.wrapping_offset((steps.sum::<i64>() + start) as isize);
            let mut to = buffers.wrapping_add(panel.offset);
            let mut to_step = panel.packed.row as isize;
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
            let bytes =
                (at.0 - corner.0) * panel.packed.row + (at.1 - corner.1) * panel.packed.size;
            places[panel.packed.access] = frame_start.wrapping_add(panel.offset + bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::schedule::tuning::{PACKED_BYTES, PACKED_ROW_BYTES, SQUARE_ELEMENTS};
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;
    use crate::vector::LINE;
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
        let copied = |bound: &Bound<'_>| bound.schedule.packed.iter().any(|one| one.access == 1);
        assert!(seen([300, 200], [1, 301], 2, copied));
        assert!(seen([300, 200], [-1, 301], 3, copied));
        assert!(!seen([300, 200], [203, 1], 2, copied), "along the rows");
        assert!(!seen([300, 200], [2, 602], 2, copied), "nothing side by side");
        assert!(!seen([SQUARE_ELEMENTS - 1, 200], [1, 301], 2, copied), "few rows");
        assert!(!seen([300, 200], [1, 301], 1, copied), "written in the same nest");
    }

    #[test]
    fn rows_of_a_tile_are_one_function_and_read_buffers() {
        seen([300, 200], [1, 301], 2, |bound| {
            let columns = PACKED_ROW_BYTES / 8;
            assert_eq!(bound.schedule.tile, (PACKED_BYTES / PACKED_ROW_BYTES, columns));
            assert!(bound.specialised.layout.classes.iter().all(|&c| c == StrideClass::Unit));
            let row = bound.stride(bound.schedule.rows[0].axis, 1);
            assert!(row >= 8 * columns as i64 && row / LINE as i64 % 2 == 1);
            assert_eq!(bound.stride(bound.schedule.vector.axis, 1), 8);
            let alone = bound.specialised.machine.before_alone.is_some();
            assert_eq!(alone, Target::of(Level::detect()).is_some(), "an addition alone");
        });
    }
}

//! Nests that are one compiled function: row after row without the block loop in between.
//!
//! While a row's last stores wait for their lines, what is done between two rows waits behind them, and the
//! loads of the next row wait for that. So it had better be little.

use super::fold::FoldRun;
use super::worker::Worker;
use crate::vector::Accumulators;
use smallvec::SmallVec;
use std::ops::Range;

impl Worker<'_> {
    /// Runs some rows and some columns of each by the function of this number, which is
    /// [`before_alone`](super::machine::Machine::before_alone).
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    pub(super) unsafe fn compiled_rows(
        &mut self,
        number: u32,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let bound = self.bound;
        let machine = &bound.specialised.machine;
        let native = &machine.natives[number as usize];
        let inner = bound.outer.last();
        let extent = inner.map_or(1, |inner| inner.extent);
        let step = |access: usize| inner.map_or(0, |l| bound.stride(l.axis, access) as isize);
        let steps: SmallVec<[isize; 8]> = (0..bound.bases.len()).map(step).collect();
        let mut row = rows.start;
        while row < rows.end {
            self.odometer_at(row);
            self.start_row(columns.start);
            let count = (extent - row % extent).min(rows.end - row);
            let pointers = &mut self.frame.pointers;
            for _ in 0..count {
                // SAFETY: the frame is laid out for the machine; rows lie inside the nest.
                unsafe { native.run(pointers.as_ptr(), columns.len()) };
                for (pointer, step) in pointers[machine.table.accesses..].iter_mut().zip(&steps) {
                    *pointer = pointer.wrapping_offset(*step);
                }
            }
            row += count;
        }
    }
}

impl FoldRun<'_> {
    /// Folds rows by the function of this number, which is
    /// [`fold_alone`](super::machine::Machine::fold_alone): elements go to the lanes of the leaf that they
    /// lie in. A leaf has `leaf` indices along the last of the ranges; rows begin with a leaf.
    ///
    /// # Safety
    /// The ranges lie inside the reduced extents; there are lanes for every leaf.
    pub(super) unsafe fn compiled_rows(
        &mut self,
        number: u32,
        ranges: &[Range<usize>],
        point: usize,
        leaf: usize,
        lanes: impl Fn(usize, usize) -> Accumulators,
    ) {
        let (machine, fold) = (&self.bound.specialised.machine, self.fold);
        let native = &machine.natives[number as usize];
        let (accesses, accumulators) = (machine.table.accesses, machine.table.accumulators);
        let last = ranges.len() - 1;
        let length = ranges[last].len();
        // Rows that follow one another along the axis around them; one where there is no other axis.
        let around = last.checked_sub(1);
        let count = around.map_or(1, |axis| ranges[axis].len());
        // SAFETY: the frame is laid out for the machine; rows lie inside the ranges.
        unsafe {
            self.rows(&ranges[..last.max(1)], |this, at| {
                let mut start: SmallVec<[usize; 4]> = SmallVec::from_slice(at);
                start.extend(around.map(|_| ranges[last].start));
                this.point_at(&start, point);
                let pointers = &mut this.frame.pointers;
                for _ in 0..count {
                    let mut done = 0;
                    while done < length {
                        let n = leaf.min(length - done);
                        for item in 0..fold.items.len() {
                            let values = lanes(item, done / leaf).values;
                            pointers[accumulators + 2 * item] = values;
                        }
                        native.run(pointers.as_ptr(), n);
                        done += n;
                        // To the next leaf, or to the next row.
                        for stream in &fold.streams {
                            let back = (length - n) as isize;
                            let step = match done < length {
                                true => n as isize * stream.along,
                                false => stream.around - back * stream.along,
                            };
                            let pointer = &mut pointers[accesses + stream.access];
                            *pointer = pointer.wrapping_offset(step);
                        }
                    }
                }
            });
        }
    }
}

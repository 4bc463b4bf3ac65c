//! What the body of a fold computes, into buffers.

use super::FoldRun;
use super::any_order::write_found;
use crate::vector::{Accumulators, Columns, Found};
use darray_codegen::FoldMode;
use smallvec::SmallVec;
use std::ops::Range;

impl FoldRun<'_> {
    /// Runs the body for the elements of a leaf. What items take goes to their buffers, one element for each of `n` points after the
    /// other, but for those that lie in lines; items with indices take theirs to a position of the stack.
    ///
    /// # Safety
    /// As for [`leaf`](Self::leaf).
    pub(super) unsafe fn evaluate(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
        position: usize,
    ) {
        let (bound, fold) = (self.bound, self.fold);
        let machine = &bound.specialised.machine;
        let registers: SmallVec<[*mut u8; 4]> =
            machine.sources.iter().map(|&source| self.frame.pointers[source as usize]).collect();
        let first = self.first_place(ranges);
        let memory = self.memory;
        let mode = self.schedule.mode;
        let accumulators = |item: usize| memory.stack(item, position);
        let last = ranges.len() - 1;
        let mut done = 0;
        // Elements that are searched where they lie are not looked at one row after the other.
        let searches =
            fold.are_loads(machine) && machine.fold_row.is_empty() && fold.are_searches();
        // SAFETY: the ranges lie inside the reduced extents; buffers have room for what a leaf has.
        unsafe {
            for (number, item) in fold.items.iter().enumerate().filter(|(_, item)| item.indexed()) {
                self.start_item(item, memory.stack(number, position), n, first);
            }
            self.rows(ranges, |this, at| {
                at[last] = ranges[last].start;
                this.point_at(at, point);
                let (mut place, length) = (this.place(at), ranges[last].len());
                match mode {
                    FoldMode::Lanes => {
                        this.list(&machine.fold_row, 1);
                        let mut row = 0;
                        while row < length {
                            let count = bound.schedule.block.min(length - row);
                            this.write_to_buffers(&registers, done);
                            this.list(&machine.fold, count);
                            this.take(done, count, &accumulators, place);
                            (row, done) = (row + count, done + count);
                            place = place.wrapping_add(count as i64);
                            this.advance(last, count as i64);
                        }
                    }
                    FoldMode::Kept if searches => {
                        for (number, item) in fold.items.iter().enumerate() {
                            let (Some((_, search)), Some(access)) =
                                (item.search, fold.elements[number])
                            else {
                                continue;
                            };
                            let from = this.access(access);
                            let step = fold.step(bound, last, access.into()) as isize;
                            let rows = Columns { from, step, count: length };
                            search(accumulators(number), rows, n, place);
                        }
                    }
                    FoldMode::Kept => {
                        for _ in 0..length {
                            this.list(&machine.fold_row, 1);
                            this.write_to_buffers(&registers, done);
                            this.list(&machine.fold, n);
                            this.take(done, n, &accumulators, place);
                            done += n;
                            place = place.wrapping_add(1);
                            this.advance(last, 1);
                        }
                    }
                }
            });
        }
        for (&source, register) in machine.sources.iter().zip(registers) {
            self.frame.pointers[source as usize] = register;
        }
    }

    /// Has the registers that items take written to their buffers, from an element on: where larger ones that they hold on the way
    /// would be aligned, too.
    fn write_to_buffers(&mut self, registers: &[*mut u8], done: usize) {
        if self.schedule.step_elements == 0 {
            return;
        }
        let machine = &self.bound.specialised.machine;
        for (number, &source) in machine.sources.iter().enumerate() {
            if self.fold.in_registers[number] {
                let bytes = done * self.fold.items[number].size;
                self.frame.pointers[source as usize] = match bytes.is_multiple_of(8) {
                    true => self.memory.buffer(number).wrapping_add(bytes),
                    false => registers[number],
                };
            }
        }
    }

    /// Items take `count` elements, the first of which is so far in the buffers, and from a place in the domain on, along the last reduced axis.
    unsafe fn take(
        &self,
        done: usize,
        count: usize,
        accumulators: &impl Fn(usize) -> Accumulators,
        place: i64,
    ) {
        let machine = &self.bound.specialised.machine;
        for (number, item) in self.fold.items.iter().enumerate() {
            let values = self.frame.pointers[machine.sources[number] as usize];
            let buffer = self.memory.buffer(number).wrapping_add(done * item.size);
            // SAFETY: the caller's elements and buffers.
            unsafe {
                match (self.schedule.mode, item.search) {
                    (FoldMode::Lanes, Some((search, _))) => {
                        let held = accumulators(number);
                        let mut value = 0u64;
                        held.values.copy_to_nonoverlapping((&raw mut value).cast(), item.size);
                        let index = held.indices.cast::<i64>().read();
                        let found = Found { value, index, decided: false };
                        write_found(search(found, values, count, place), item, held);
                    }
                    (FoldMode::Kept, Some((_, search))) => {
                        let row = Columns { from: values, step: 0, count: 1 };
                        search(accumulators(number), row, count, place);
                    }
                    _ if self.schedule.lines[number].is_none() && values != buffer => {
                        values.copy_to_nonoverlapping(buffer, count * item.size);
                    }
                    _ => {}
                }
            }
        }
    }
}

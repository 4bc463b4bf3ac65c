//! A thread at work on the rows of a nest.

use super::super::bind::Bound;
use super::super::bind::panels::Corner;
use super::super::code::operations::MachineOp;
use super::super::schedule::Body;
use super::super::schedule::summary::LARGEST;
use super::super::schedule::tuning::COPIED_POINTS;
use super::block::run;
use super::fold::FoldRun;
use super::fold_memory::FoldMemory;
use super::frame::Frame;
use crate::stack::on_page;
use crate::vector;
use darray_codegen::Program;
use std::ops::Range;

/// A thread at work on a nest.
pub(in super::super) struct Worker<'w> {
    program: &'w Program,
    pub(in super::super) bound: &'w Bound<'w>,
    pub(in super::super) frame: &'w mut Frame,
    pub(in super::super) memory: FoldMemory,
    /// Where the tile begins that is in the buffers of the [panels](Bound::panels).
    corner: Corner,
}

impl<'w> Worker<'w> {
    /// Lays out the frame for the nest. The cells are in place and filled.
    pub fn new(program: &'w Program, bound: &'w Bound<'w>, frame: &'w mut Frame) -> Worker<'w> {
        let code = &bound.specialised.code;
        let table = bound.specialised.machine.table;
        let mut memory = FoldMemory::new(bound);
        // Registers a cache line apart from a power of two, so that they do not compete for the
        // same lines of the cache.
        let register = (bound.schedule.block * code.element).next_multiple_of(64) + 64;
        let registers = register * bound.specialised.machine.registers as usize;
        let cells = frame.cells.reserve(code.cells as usize * 8);
        let blocks = frame.blocks.reserve(registers + memory.bytes());
        memory.place(blocks.wrapping_add(registers));
        frame.pointers.clear();
        let length = bound.specialised.machine.pointers(bound.bases.len());
        frame.pointers.resize(length, std::ptr::null_mut());
        for (k, pointer) in frame.pointers[..table.registers].iter_mut().enumerate() {
            *pointer = cells.wrapping_add(k * 8);
        }
        let pointers = &mut frame.pointers[table.registers..table.accesses];
        for (k, pointer) in pointers.iter_mut().enumerate() {
            *pointer = blocks.wrapping_add(k * register);
        }
        for item in 0..code.sources.len() {
            let results = memory.result(item, 0);
            frame.pointers[table.results + item] = results.values;
            frame.pointers[table.indices + item] = results.indices;
        }
        frame.kept.clear();
        frame.kept.extend_from_slice(&bound.bases);
        frame.index.clear();
        frame.index.extend_from_slice(&bound.origins);
        let index = frame.index.as_mut_ptr();
        for axis in 0..bound.origins.len() {
            frame.pointers[table.axes + axis] = index.wrapping_add(axis).cast();
        }
        let elements = bound.specialised.machine.points.map_or(0, |points| points.elements);
        let across = bound.schedule.fold.as_ref().map_or(0, |fold| fold.across.len());
        let packed = across * elements * COPIED_POINTS * LARGEST;
        frame.packed.reserve(packed.max(bound.panels.bytes));
        Worker { program, bound, frame, memory, corner: (0, 0) }
    }

    /// Runs some rows and some columns of each, tile by tile.
    ///
    /// # Safety
    /// They lie inside the nest; no other thread runs them.
    pub unsafe fn run(&mut self, rows: Range<usize>, columns: Range<usize>) {
        let bound = self.bound;
        let is_alone = bound.schedule.body == Body::Rows;
        let alone = bound.specialised.machine.before_alone.filter(|_| is_alone);
        match alone {
            // SAFETY: the caller's contract.
            Some(number) if bound.panels.is_empty() => unsafe {
                self.compiled_rows(number, rows, columns);
            },
            // SAFETY: the caller's contract.
            _ => unsafe { self.tiles(alone, rows, columns) },
        }
        if !bound.schedule.non_temporal.is_empty() {
            // Ordered before what the thread does next.
            vector::streamed();
        }
    }

    /// Runs tiles one by one, by the function of this number if there is one.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn tiles(&mut self, alone: Option<u32>, rows: Range<usize>, columns: Range<usize>) {
        if let Body::Interleaved(copy) = self.bound.schedule.body {
            // SAFETY: the caller's contract.
            return unsafe { self.interleave(copy, rows, columns) };
        }
        let (high, wide) = self.bound.schedule.tile;
        let mut row = rows.start;
        while row < rows.end {
            let tile = row..row.saturating_add(high.min(self.rows_of_tile(row))).min(rows.end);
            for column in columns.clone().step_by(wide) {
                let part = column..column.saturating_add(wide).min(columns.end);
                // SAFETY: tiles are disjoint, the rest is the caller's contract.
                unsafe {
                    self.copy_panels(tile.clone(), part.clone());
                    match alone {
                        Some(number) => self.compiled_rows(number, tile.clone(), part),
                        None => on_page(|| self.rows(tile.clone(), part)),
                    }
                }
            }
            row = tile.end;
        }
    }

    /// Rows from this one on that may be one tile: with panels, those that only the innermost of the outer loops goes
    /// through.
    fn rows_of_tile(&self, row: usize) -> usize {
        match self.bound.schedule.rows.last() {
            Some(inner) if !self.bound.panels.is_empty() => inner.extent - row % inner.extent,
            _ => usize::MAX,
        }
    }

    /// Copies what a tile reads across its rows.
    ///
    /// # Safety
    /// As for [`run`](Self::run); the rows are [`rows_of_tile`](Self::rows_of_tile).
    unsafe fn copy_panels(&mut self, rows: Range<usize>, columns: Range<usize>) {
        let bound = self.bound;
        if bound.panels.is_empty() || rows.is_empty() || columns.is_empty() {
            return;
        }
        self.odometer_at(rows.start);
        let first = self.frame.odometer.last().copied().unwrap_or(0);
        self.corner = (first, columns.start);
        let inner = first..first + rows.len();
        // SAFETY: the caller's contract; binding checked the accesses of all rows and columns.
        unsafe {
            let buffers = self.frame.packed.reserve(bound.panels.bytes);
            let place = (buffers, &self.frame.odometer[..]);
            bound.panels.fill(place, inner, columns, bound.schedule.vector.extent);
        }
    }

    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn rows(&mut self, rows: Range<usize>, columns: Range<usize>) {
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        self.odometer_at(rows.start);
        self.find_row(columns.start);
        for row in rows.clone() {
            self.begin_row(columns.start);
            let whole = self.whole_lines(columns.clone());
            // SAFETY: the caller's contract; a row is cut at the same places for all.
            unsafe { self.row(whole) };
            if row + 1 < rows.end {
                self.next_row(columns.start);
            }
        }
    }

    /// Moves the cuts between columns to where the lines begin that machine code writes with non-temporal stores, and the
    /// accesses, which are at the first column, to the new first one.
    fn whole_lines(&mut self, columns: Range<usize>) -> Range<usize> {
        let bound = self.bound;
        if !bound.schedule.non_temporal.is_by_code() {
            return columns;
        }
        let all = bound.schedule.vector.extent;
        let cut = |column: usize, places: &[*mut u8]| match column == 0 || column == all {
            true => column,
            false => (column
                + bound.schedule.non_temporal.before_line(places, column - columns.start))
            .min(all),
        };
        let [start, end] = [columns.start, columns.end].map(|column| cut(column, &self.frame.kept));
        if start > columns.start {
            self.advance(start - columns.start);
        }
        start..end
    }

    /// Sets the odometer of the outer loops to a row.
    pub(in super::super) fn odometer_at(&mut self, row: usize) {
        self.frame.odometer.clear();
        self.frame.odometer.resize(self.bound.schedule.rows.len(), 0);
        let mut rest = row;
        for (at, outer) in self.bound.schedule.rows.iter().enumerate().rev() {
            self.frame.odometer[at] = rest % outer.extent;
            rest /= outer.extent;
        }
    }

    /// Points accesses and indices at a column of the row that the odometer says.
    pub(in super::super) fn start_row(&mut self, column: usize) {
        self.find_row(column);
        self.begin_row(column);
    }

    /// Finds where a column of the row is that the odometer says.
    fn find_row(&mut self, column: usize) {
        let bound = self.bound;
        let row = &mut self.frame.row;
        row.clear();
        row.extend_from_slice(&bound.bases);
        for (outer, &at) in bound.schedule.rows.iter().zip(&self.frame.odometer) {
            step(row, at, bound.strides_of(outer.axis));
        }
        if bound.nest.kept > 0 {
            bound.step_points(row, column);
        }
        if let (Some(&inner), false) = (self.frame.odometer.last(), bound.panels.is_empty()) {
            let buffers = self.frame.packed.start();
            bound.panels.place(&mut self.frame.row, buffers, self.corner, (inner, column));
        }
    }

    /// Goes on to a column of the next row.
    fn next_row(&mut self, column: usize) {
        let bound = self.bound;
        for (at, outer) in bound.schedule.rows.iter().enumerate().rev() {
            self.frame.odometer[at] += 1;
            if self.frame.odometer[at] < outer.extent {
                if at + 1 == bound.schedule.rows.len() {
                    step(&mut self.frame.row, 1, bound.strides_of(outer.axis));
                    return;
                }
                break;
            }
            self.frame.odometer[at] = 0;
        }
        self.find_row(column);
    }

    /// Points accesses and indices at the place that was found, at this column.
    fn begin_row(&mut self, column: usize) {
        let bound = self.bound;
        self.frame.kept.copy_from_slice(&self.frame.row);
        for (outer, &at) in bound.schedule.rows.iter().zip(&self.frame.odometer) {
            let axis = outer.axis as usize;
            self.frame.index[axis] = bound.origins[axis] + at as i64;
        }
        if bound.nest.kept > 0 {
            let axis = bound.schedule.vector.axis as usize;
            self.frame.index[axis] = bound.origins[axis] + column as i64;
        }
        self.point();
    }

    /// Points operands at the accesses.
    fn point(&mut self) {
        let first = self.bound.specialised.machine.table.accesses;
        let pointers = &mut self.frame.pointers[first..first + self.frame.kept.len()];
        pointers.copy_from_slice(&self.frame.kept);
    }

    unsafe fn row(&mut self, columns: Range<usize>) {
        let machine = &self.bound.specialised.machine;
        // SAFETY: the caller's contract; blocks stay inside the columns.
        unsafe {
            self.list(&machine.before_row, 1);
            let mut column = columns.start;
            while column < columns.end {
                let before_line = self.bound.schedule.non_temporal.before_line(&self.frame.kept, 0);
                let block = if before_line > 0 { before_line } else { self.bound.schedule.block };
                let n = block.min(columns.end - column);
                self.list(&machine.before, n);
                if let Some(fold) = &self.bound.fold {
                    let (bound, memory) = (self.bound, &self.memory);
                    let mut run = FoldRun::new(bound, fold, self.frame, memory);
                    run.run(n);
                    if !run.stored {
                        self.keep_results();
                        self.list(&machine.after_row, 1);
                        self.list(&machine.after, n);
                    }
                }
                column += n;
                // The next row begins anew.
                if column < columns.end {
                    self.advance(n);
                }
            }
        }
    }

    /// Moves to the next block of the row.
    pub(in super::super) fn advance(&mut self, n: usize) {
        let bound = self.bound;
        if bound.nest.kept == 0 {
            return;
        }
        bound.step_points(&mut self.frame.kept, n);
        self.frame.index[bound.schedule.vector.axis as usize] += n as i64;
        self.point();
    }

    /// The results of a fold without kept axes are cells of the launch.
    pub(in super::super) unsafe fn keep_results(&mut self) {
        let (nest, cells) = (self.bound.nest, &self.program.cells);
        let Some(fold) = nest.fold.as_ref().filter(|_| nest.kept == 0) else { return };
        for (number, item) in fold.items.iter().enumerate() {
            let results = self.memory.result(number, 0);
            for (value, from) in
                [(Some(item.result), results.values), (item.index, results.indices)]
            {
                let cell = value.and_then(|value| cells.of_value[value.0 as usize]);
                let Some(cell) = cell else { continue };
                let to = self.frame.pointers[cell as usize];
                // SAFETY: a cell and a result vector have 8 bytes for an element.
                unsafe { from.copy_to_nonoverlapping(to, 8) };
            }
        }
    }

    #[inline]
    pub(in super::super) unsafe fn list(&mut self, list: &[MachineOp], n: usize) {
        if list.is_empty() {
            return;
        }
        let frame = &*self.frame;
        let results = (&self.memory, 0);
        // SAFETY: the caller's contract; the frame was laid out for the machine.
        unsafe { run(list, &frame.pointers, &frame.index, self.bound, results, n) }
    }
}

/// Moves addresses by so many steps.
fn step(addresses: &mut [*mut u8], steps: usize, strides: &[i64]) {
    for (address, &stride) in addresses.iter_mut().zip(strides) {
        *address = address.wrapping_offset((steps as i64 * stride) as isize);
    }
}

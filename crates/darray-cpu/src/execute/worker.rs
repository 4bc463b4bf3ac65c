//! A thread at work on the rows of a nest.

use super::bind::Bound;
use super::block::run;
use super::compiled::Compiled;
use super::fold::FoldRun;
use super::fold_memory::FoldMemory;
use super::fold_values::LeafValue;
use super::frame::Frame;
use super::machine::MachineOp;
use super::panels::Corner;
use super::prefetch::Prefetch;
use crate::stack::on_page;
use crate::vector;
use smallvec::SmallVec;
use std::ops::Range;

/// A thread at work on a nest.
pub(super) struct Worker<'w> {
    compiled: &'w Compiled,
    pub(super) bound: &'w Bound<'w>,
    pub(super) frame: &'w mut Frame,
    pub(super) memory: FoldMemory,
    /// The point of the block whose results what comes after a fold begins with.
    pub(super) results_from: usize,
    ahead: Prefetch,
    /// Where blocks are kept that are written past the caches, and bytes from one to the next.
    staging: (*mut u8, usize),
    /// Where the tile begins that is in the buffers of the [panels](Bound::panels).
    corner: Corner,
    /// Values of the leaves, where other threads have folded them.
    ready: Option<&'w [LeafValue]>,
}

impl<'w> Worker<'w> {
    /// Lays out the frame for the nest. The cells are in place and filled.
    pub fn new(compiled: &'w Compiled, bound: &'w Bound<'w>, frame: &'w mut Frame) -> Worker<'w> {
        let code = &bound.specialised.code;
        let table = bound.specialised.machine.table;
        let mut memory = FoldMemory::new(bound);
        // Registers a cache line apart from a power of two, so that they do not compete for the
        // same lines of the cache.
        let register = (bound.block * code.element).next_multiple_of(64) + 64;
        let registers = register * bound.specialised.machine.registers as usize;
        // Behind the cells, the position.
        let cells = frame.cells.reserve((code.cells as usize + 1) * 8);
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
        frame.pointers[table.position] = cells.wrapping_add(code.cells as usize * 8);
        let packed = bound.fold.as_ref().map_or(0, |fold| fold.packing.bytes);
        frame.packed.reserve(packed.max(bound.panels.bytes));
        let stage = (bound.block * 8).next_multiple_of(64) + 64;
        let staging = (frame.staging.reserve(stage * bound.streamed.staged().len()), stage);
        let ahead = Prefetch::none();
        Worker {
            compiled,
            bound,
            frame,
            memory,
            results_from: 0,
            ahead,
            staging,
            corner: (0, 0),
            ready: None,
        }
    }

    /// Runs some rows and some columns of each, tile by tile.
    ///
    /// # Safety
    /// They lie inside the nest; no other thread runs them.
    pub unsafe fn run(&mut self, rows: Range<usize>, columns: Range<usize>) {
        let bound = self.bound;
        let is_alone = bound.streamed.is_all_by_code() && bound.columns.is_empty();
        // By indices rows are not cut where lines begin.
        let may_be_cut = bound.streamed.is_by_code() && bound.specialised.machine.indexed;
        let alone = bound.specialised.machine.before_alone.filter(|_| is_alone && !may_be_cut);
        match alone {
            // SAFETY: the caller's contract.
            Some(number) if bound.panels.is_empty() => unsafe {
                self.compiled_rows(number, rows, columns);
            },
            // SAFETY: the caller's contract.
            _ => unsafe { self.tiles(alone, rows, columns) },
        }
        if !bound.streamed.is_empty() {
            // Ordered before what the thread does next.
            vector::streamed();
        }
    }

    /// Runs tiles one by one, by the function of this number if there is one.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn tiles(&mut self, alone: Option<u32>, rows: Range<usize>, columns: Range<usize>) {
        if let Some(copy) = self.bound.interleaved {
            // SAFETY: the caller's contract.
            return unsafe { self.interleave(copy, rows, columns) };
        }
        let (high, wide) = self.bound.tile;
        let mut row = rows.start;
        while row < rows.end {
            let tile = row..row.saturating_add(high.min(self.alike(row))).min(rows.end);
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
    fn alike(&self, row: usize) -> usize {
        match self.bound.outer.last() {
            Some(inner) if !self.bound.panels.is_empty() => inner.extent - row % inner.extent,
            _ => usize::MAX,
        }
    }

    /// Copies what a tile reads across its rows.
    ///
    /// # Safety
    /// As for [`run`](Self::run); the rows are [`alike`](Self::alike).
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
        unsafe { bound.panels.fill(self.frame, inner, columns, bound.vector.extent) };
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

    /// Moves the cuts between columns to where the lines begin that machine code writes past the caches, and the
    /// accesses, which are at the first column, to the new first one.
    fn whole_lines(&mut self, columns: Range<usize>) -> Range<usize> {
        let bound = self.bound;
        if !bound.streamed.is_by_code() {
            return columns;
        }
        let all = bound.vector.extent;
        let cut = |column: usize, places: &[*mut u8]| match column == 0 || column == all {
            true => column,
            false => (column + bound.streamed.before_line(places, column - columns.start)).min(all),
        };
        let [start, end] = [columns.start, columns.end].map(|column| cut(column, &self.frame.kept));
        if start > columns.start {
            self.advance(start - columns.start);
        }
        start..end
    }

    /// Takes the values of the leaves instead of folding them.
    pub fn with_leaves(mut self, values: &'w [LeafValue]) -> Worker<'w> {
        self.ready = Some(values);
        self
    }

    /// Folds the leaves at some [`places`](super::bound_fold::BoundFold::places) of a nest without kept axes; their
    /// values go to `out`, item by item. Whether one of them decides the fold.
    ///
    /// # Safety
    /// As for [`run`](Self::run); `out` has room for every item of every leaf.
    pub unsafe fn leaves(&mut self, places: Range<usize>, out: *mut LeafValue) -> bool {
        let Some(fold) = &self.bound.fold else { return false };
        self.start_row(0);
        let (bound, memory) = (self.bound, &self.memory);
        let mut run = FoldRun::new(bound, fold, self.frame, memory);
        // SAFETY: the caller's contract.
        unsafe { run.leaves(places, out) }
    }

    /// Sets the odometer of the outer loops to a row.
    pub(super) fn odometer_at(&mut self, row: usize) {
        self.frame.odometer.clear();
        self.frame.odometer.resize(self.bound.outer.len(), 0);
        let mut rest = row;
        for (at, outer) in self.bound.outer.iter().enumerate().rev() {
            self.frame.odometer[at] = rest % outer.extent;
            rest /= outer.extent;
        }
    }

    /// Points accesses and indices at a column of the row that the odometer says.
    pub(super) fn start_row(&mut self, column: usize) {
        self.find_row(column);
        self.begin_row(column);
    }

    /// Finds where a column of the row is that the odometer says.
    fn find_row(&mut self, column: usize) {
        let bound = self.bound;
        let row = &mut self.frame.row;
        row.clear();
        row.extend_from_slice(&bound.bases);
        for (outer, &at) in bound.outer.iter().zip(&self.frame.odometer) {
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
        for (at, outer) in bound.outer.iter().enumerate().rev() {
            self.frame.odometer[at] += 1;
            if self.frame.odometer[at] < outer.extent {
                if at + 1 == bound.outer.len() {
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
        for (outer, &at) in bound.outer.iter().zip(&self.frame.odometer) {
            let axis = outer.axis as usize;
            self.frame.index[axis] = bound.origins[axis] + at as i64;
        }
        if bound.nest.kept > 0 {
            let axis = bound.vector.axis as usize;
            self.frame.index[axis] = bound.origins[axis] + column as i64;
        }
        self.point();
    }

    /// Points operands at the accesses, or at the buffers of what is written past the caches.
    fn point(&mut self) {
        let first = self.bound.specialised.machine.table.accesses;
        let pointers = &mut self.frame.pointers[first..first + self.frame.kept.len()];
        pointers.copy_from_slice(&self.frame.kept);
        for (number, &(access, _)) in self.bound.streamed.staged().iter().enumerate() {
            pointers[access as usize] = self.staging.0.wrapping_add(number * self.staging.1);
        }
    }

    /// Sends the buffers on their way; meanwhile what the next block reads is fetched.
    ///
    /// # Safety
    /// They hold `n` elements, so many of which belong to the current block of the accesses.
    unsafe fn send(&self, n: usize, more: bool) {
        for (number, &(access, size)) in self.bound.streamed.staged().iter().enumerate() {
            let from = self.staging.0.wrapping_add(number * self.staging.1);
            let to = self.frame.kept[access as usize];
            let mut ahead: SmallVec<[*const u8; 8]> = SmallVec::new();
            if number == 0 && more {
                ahead.extend(self.bound.streams.iter().map(|&access| {
                    let offset = n as i64 * self.bound.along[access as usize];
                    self.frame.kept[access as usize].wrapping_offset(offset as isize).cast_const()
                }));
            }
            // SAFETY: the caller's contract.
            unsafe { vector::stream_ahead(from, to, n * size, &ahead) };
        }
    }

    unsafe fn row(&mut self, columns: Range<usize>) {
        let machine = &self.bound.specialised.machine;
        // SAFETY: the caller's contract; blocks stay inside the columns.
        unsafe {
            self.list(&machine.before_row, 1);
            let mut column = columns.start;
            while column < columns.end {
                let before_line = self.bound.streamed.before_line(&self.frame.kept, 0);
                let block = if before_line > 0 { before_line } else { self.bound.block };
                let n = block.min(columns.end - column);
                self.look_ahead(n, machine.before.len());
                let row = self.frame.odometer.last().copied().unwrap_or(0);
                self.bound.columns.fetch(row, n, &self.frame.kept, &self.bound.along);
                self.list(&machine.before, n);
                self.send(n, column + n < columns.end);
                if let Some(fold) = &self.bound.fold {
                    self.fetch_results(n);
                    let (bound, memory) = (self.bound, &self.memory);
                    let mut run = FoldRun::new(bound, fold, self.frame, memory);
                    run.ready = self.ready;
                    run.run(n);
                    if !run.stored {
                        self.keep_results();
                        self.list(&machine.after_row, 1);
                        self.after(n);
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

    /// Asks for the lines that the results of `n` points go to, which come while these are folded.
    fn fetch_results(&self, n: usize) {
        for &access in &self.bound.results {
            let (place, along) =
                (self.frame.kept[access as usize], self.bound.along[access as usize]);
            let bytes = n * along.unsigned_abs() as usize;
            (0..bytes).step_by(vector::LINE).for_each(|at| vector::fetch(place.wrapping_add(at)));
        }
    }

    /// Fetches the next block while this one is worked on.
    fn look_ahead(&mut self, n: usize, instructions: usize) {
        let bound = self.bound;
        if bound.streams.is_empty() {
            return;
        }
        let first = bound.specialised.machine.table.accesses;
        let next = |&access: &u16| {
            let offset = n as i64 * bound.along[access as usize];
            self.frame.pointers[first + access as usize].wrapping_offset(offset as isize)
        };
        let streams = bound.streams.iter().map(|access| next(access).cast_const());
        self.ahead.begin(streams, n * bound.specialised.code.element, instructions);
    }

    /// Moves to the next block of the row.
    pub(super) fn advance(&mut self, n: usize) {
        let bound = self.bound;
        if bound.nest.kept == 0 {
            return;
        }
        bound.step_points(&mut self.frame.kept, n);
        self.frame.index[bound.vector.axis as usize] += n as i64;
        self.point();
    }

    /// The results of a fold without kept axes are cells of the launch.
    pub(super) unsafe fn keep_results(&mut self) {
        let (nest, cells) = (self.bound.nest, &self.compiled.program.cells);
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
    pub(super) unsafe fn list(&mut self, list: &[MachineOp], n: usize) {
        if list.is_empty() {
            return;
        }
        let (frame, ahead) = (&*self.frame, &mut self.ahead);
        let results = (&self.memory, self.results_from);
        // SAFETY: the caller's contract; the frame was laid out for the machine.
        unsafe { run(list, &frame.pointers, &frame.index, self.bound, results, ahead, n) }
    }
}

/// Moves addresses by so many steps.
fn step(addresses: &mut [*mut u8], steps: usize, strides: &[i64]) {
    for (address, &stride) in addresses.iter_mut().zip(strides) {
        *address = address.wrapping_offset((steps as i64 * stride) as isize);
    }
}

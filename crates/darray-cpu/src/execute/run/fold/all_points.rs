//! Runs the [functions](crate::execute::code::points) of points of a few elements on blocks of them.
//!
//! Points that are rows of memory are transposed by a function of its own, in whole rounds; what is left of a block, and what lies
//! otherwise, is copied before so that points are side by side.

use super::FoldRun;
use crate::execute::code::operations::Points;
use crate::execute::schedule::tuning::COPIED_POINTS;
use crate::jit::Across;
use crate::vector::{LANES, copy};
use darray_codegen::Phase;
use smallvec::SmallVec;

impl FoldRun<'_> {
    /// Folds `n` kept points by their function.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub(super) unsafe fn compiled_all_points(&mut self, n: usize) {
        let machine = &self.bound.specialised.machine;
        let points = machine.points.expect("what is folded over points at once has the function");
        let Points { number, elements, stores } = points;
        debug_assert_eq!(self.fold.extents[..], [elements]);
        let table = machine.table;
        let count = self.bound.bases.len();
        let mut places: SmallVec<[i64; LANES]> =
            (0..elements).map(|element| self.place(&[element])).collect();
        let behind = &mut self.frame.pointers[table.length + elements * count..];
        let (of_places, of_starts) = behind.split_at_mut(elements);
        let pointers = of_places.iter_mut().zip(&mut places);
        pointers.for_each(|(pointer, place)| *pointer = (&raw mut *place).cast());
        for (pointer, item) in of_starts.iter_mut().zip(self.fold.items.iter()) {
            // Only read.
            *pointer = (&raw const item.start).cast_mut().cast();
        }
        let native = &machine.natives[number as usize];
        let mut done = 0;
        if let Some(reads) = native.across() {
            done = self.rounds_across(reads, elements, n);
            if done > 0 {
                self.at_elements(elements, 0, false);
                let steps = self.bound.strides_of(self.bound.schedule.vector.axis);
                let steps: SmallVec<[isize; 8]> = steps.iter().map(|&step| step as isize).collect();
                // SAFETY: the caller's contract; `rounds_across` found that as many bytes can be read behind each point.
                unsafe { native.run_across(&mut self.frame.pointers, done, &steps) };
            }
        }
        let most = if self.schedule.across.is_empty() { n } else { COPIED_POINTS };
        while done < n {
            let some = most.min(n - done);
            // SAFETY: the range is the leaf; the function's accesses are at elements of the nest, and results have room for
            // the block.
            unsafe {
                self.at_elements(elements, done, true);
                self.copy_across(elements, done, some);
                native.run(self.frame.pointers.as_ptr(), some);
            }
            done += some;
        }
        self.stored = stores;
        // For what comes after the fold otherwise.
        self.at_elements(0, 0, false);
    }

    /// How many of `n` points functions can take that are rows of memory: whole rounds. Elements are read beyond the end of short
    /// rows, but not beyond the page where the highest row ends: the last one of a block, or its first one where rows go backwards.
    fn rounds_across(&self, reads: Across, elements: usize, n: usize) -> usize {
        let (bound, fold) = (self.bound, self.fold);
        let whole = n / reads.points * reads.points;
        // Before the first line that is written by non-temporal stores.
        if whole < PAST || reads.beyond == 0 {
            return if whole < PAST { 0 } else { whole };
        }
        // All other points lie between the two.
        let are_inside = |points: usize| {
            let mut ends = [0, points - 1].into_iter().flat_map(|point| {
                self.schedule.across.iter().map(move |&access| {
                    let access = usize::from(access);
                    let row = bound.stride(fold.order[0], access) * elements as i64;
                    let end = bound.to_point(access, point) + row;
                    self.frame.kept[access].wrapping_offset(end as isize) as usize
                })
            });
            // The last byte of the row, and the last one that is read.
            ends.all(|end| (end - 1) / PAGE == (end + reads.beyond - 1) / PAGE)
        };
        let fewer = [whole, whole - reads.points].into_iter().filter(|&points| points > 0);
        fewer.into_iter().find(|&points| are_inside(points)).unwrap_or(0)
    }

    /// Puts the accesses of all elements, what comes after the fold, and the results at a point of the block. What is copied for it
    /// lies in the buffers, if it `is_copied`.
    fn at_elements(&mut self, elements: usize, point: usize, is_copied: bool) {
        let (bound, fold) = (self.bound, self.fold);
        let table = bound.specialised.machine.table;
        let count = bound.bases.len();
        let buffers = self.frame.packed.start();
        let kept = &self.frame.kept;
        let pointers = &mut self.frame.pointers;
        let is_moved = |&access: &usize| bound.nest.accesses[access].1 != Phase::Before;
        for access in (0..count).filter(is_moved) {
            let at = kept[access].wrapping_offset(bound.to_point(access, point) as isize);
            pointers[table.accesses + access] = at;
        }
        for &access in &fold.accesses {
            let number =
                self.schedule.across.iter().position(|&other| other == access && is_copied);
            let access = usize::from(access);
            for element in 0..elements {
                let along = element as i64 * bound.stride(fold.order[0], access);
                let at = pointers[table.accesses + access].wrapping_offset(along as isize);
                let buffer = |number| {
                    buffers.wrapping_add((number * elements + element) * COPIED_POINTS * 8)
                };
                pointers[table.length + element * count + access] = number.map_or(at, buffer);
            }
        }
        self.results_at(point);
    }

    /// Copies what does not lie side by side for `n` points from one on.
    ///
    /// # Safety
    /// The frame is at a block that has the points; accesses are said to be in the buffers.
    unsafe fn copy_across(&mut self, elements: usize, point: usize, n: usize) {
        let (bound, fold) = (self.bound, self.fold);
        let table = bound.specialised.machine.table;
        for &access in &self.schedule.across {
            let access = usize::from(access);
            let (size, step) =
                (bound.schedule.along[access], bound.stride(bound.schedule.vector.axis, access));
            let first =
                self.frame.kept[access].wrapping_offset(bound.to_point(access, point) as isize);
            for element in 0..elements {
                let along = element as i64 * bound.stride(fold.order[0], access);
                let from = first.wrapping_offset(along as isize);
                let to = self.frame.pointers[table.length + element * bound.bases.len() + access];
                // SAFETY: the caller's elements; buffers have room for so many of each.
                unsafe { copy((from, step), (to, size), n, size as usize) };
            }
        }
    }

    /// Puts the results at a point of the block.
    fn results_at(&mut self, point: usize) {
        let table = self.bound.specialised.machine.table;
        for (number, item) in self.fold.items.iter().enumerate() {
            let results = self.memory.result(number, 0).from(point, item.size);
            self.frame.pointers[table.results + number] = results.values;
            self.frame.pointers[table.indices + number] = results.indices;
        }
    }
}

/// Points from which on results that are written by non-temporal stores begin a line.
const PAST: usize = 16;

/// Bytes of a page, at least: it can be read as a whole, or not at all.
const PAGE: usize = 4096;

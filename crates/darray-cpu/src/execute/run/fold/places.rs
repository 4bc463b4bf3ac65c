//! Where the body of a fold finds its elements and its accumulators.

use super::FoldRun;
use smallvec::SmallVec;
use std::ops::Range;

impl FoldRun<'_> {
    /// Calls `row` for every combination of the ranges but the last, in row-major order; its
    /// argument is the start of the row.
    pub(super) unsafe fn rows(
        &mut self,
        ranges: &[Range<usize>],
        mut row: impl FnMut(&mut Self, &mut [usize]),
    ) {
        if ranges.iter().any(Range::is_empty) {
            return;
        }
        let mut at: SmallVec<[usize; 4]> = ranges.iter().map(|r| r.start).collect();
        'rows: loop {
            row(self, &mut at);
            for axis in (0..ranges.len() - 1).rev() {
                at[axis] += 1;
                if at[axis] < ranges[axis].end {
                    continue 'rows;
                }
                at[axis] = ranges[axis].start;
            }
            return;
        }
    }

    /// Points everything that the kept level shares with the body at the first kept point of the block.
    pub(super) fn at_block(&mut self) {
        let axis = self.bound.schedule.vector.axis as usize;
        let first = self.frame.index.get(axis).copied();
        self.at_point(0, first);
    }

    /// Points everything that the kept level shares with the body at one kept point.
    pub(super) fn at_point(&mut self, point: usize, first: Option<i64>) {
        let bound = self.bound;
        let code = &bound.specialised.code;
        let table = bound.specialised.machine.table;
        for (k, &(register, size)) in code.kept.iter().enumerate() {
            let register = self.frame.pointers[table.registers + register as usize];
            self.frame.pointers[table.kept + k] = register.wrapping_add(point * size);
        }
        if bound.nest.kept > 0
            && let Some(first) = first
        {
            self.frame.index[bound.schedule.vector.axis as usize] = first + point as i64;
        }
    }

    /// Puts the body's accesses and indices at reduced indices and a point of the block.
    pub(super) fn point_at(&mut self, at: &[usize], point: usize) {
        let (bound, fold) = (self.bound, self.fold);
        let accesses = bound.specialised.machine.table.accesses;
        for &access in &fold.accesses {
            let access = access as usize;
            let mut offset = 0;
            if bound.nest.kept > 0 {
                offset += point as i64 * bound.stride(bound.schedule.vector.axis, access);
            }
            for (&axis, &i) in fold.order.iter().zip(at) {
                offset += i as i64 * bound.stride(axis, access);
            }
            self.frame.pointers[accesses + access] =
                self.frame.kept[access].wrapping_offset(offset as isize);
        }
        for (&axis, &i) in fold.order.iter().zip(at) {
            self.frame.index[axis as usize] = bound.origins[axis as usize] + i as i64;
        }
    }

    /// Points the body's accesses at the first element of some ranges.
    pub(super) fn at_first(&mut self, ranges: &[Range<usize>], point: usize) {
        let start: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
        self.point_at(&start, point);
    }

    /// Moves the body's accesses along a reduced axis, by its place in logical order.
    pub(super) fn advance(&mut self, number: usize, count: i64) {
        let (bound, fold) = (self.bound, self.fold);
        let Some(&axis) = fold.order.get(number) else { return };
        let accesses = bound.specialised.machine.table.accesses;
        for &access in &fold.accesses {
            let offset = count * fold.step(bound, number, access as usize);
            let pointer = &mut self.frame.pointers[accesses + access as usize];
            *pointer = pointer.wrapping_offset(offset as isize);
        }
        self.frame.index[axis as usize] += count;
    }

    /// What the indices of accumulators start from that take elements of these ranges: the place of the first, or none.
    pub(super) fn first_place(&self, ranges: &[Range<usize>]) -> i64 {
        if ranges.iter().any(Range::is_empty) {
            return i64::MAX;
        }
        let start: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
        self.place(&start)
    }

    /// Row-major position of reduced indices in the whole domain.
    pub(super) fn place(&self, at: &[usize]) -> i64 {
        let steps = at.iter().zip(&self.fold.position_steps);
        steps.fold(self.fold.position, |sum, (&i, &step)| {
            sum.wrapping_add(step.wrapping_mul(i as i64))
        })
    }
}

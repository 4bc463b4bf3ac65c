//! Elements by indices.
//!
//! ```text
//! indices of a row each     row by row, element by element
//! of all rows the same      the places that a row's indices say, found once; then all rows, column by column where columns are few
//! ```

use super::side;
use super::walk::{Walk, first_out_of_range, index_at};
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::vector;
use crate::workers::Workers;
use darray_core::RealType;
use darray_device::builtin::{Gather, resolve_index};
use darray_device::{Block, Fault};
use std::sync::atomic::{AtomicBool, Ordering};

/// A checked gather.
pub(crate) struct Lookup {
    call: Gather,
    out: Side,
    index: Side,
    source: Side,
}

// SAFETY: threads write disjoint elements of the output, and nothing else.
unsafe impl Sync for Lookup {}

/// Simple operations that an element takes, about.
const LOOKUP: usize = 8;

impl Lookup {
    /// Checks sizes and views.
    pub fn new(
        call: Gather,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Lookup, Fault> {
        let out = side(&call.out, &call.extents, call.dtype, locate)?;
        let index = side(&call.index, &call.extents, RealType::INDEX, locate)?;
        let source = side(&call.source, &call.source_extents(), call.dtype, locate)?;
        Ok(Lookup { call, out, index, source })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, _: Level) -> Result<(), Fault> {
        let elements: usize = self.call.extents.iter().product();
        let wrong = AtomicBool::new(false);
        let columns = self.columns();
        let units = elements.checked_div(columns).unwrap_or(elements);
        let threads = workers.threads_for(elements.saturating_mul(LOOKUP)).min(units.max(1));
        let work = |thread: usize| {
            let (first, end) = (units * thread / threads, units * (thread + 1) / threads);
            // SAFETY: the range lies inside the extents, for which the sides were checked, and the
            // ranges of threads are disjoint.
            unsafe {
                match columns {
                    0 => self.part(first, end, &wrong),
                    _ => self.rows(first, end, &wrong),
                }
            };
        };
        workers.split(threads, work);
        if !wrong.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the side was checked for the extents.
        let first = unsafe { first_out_of_range(&self.index, &self.call.extents, self.call.bound) };
        first.map_or(Ok(()), |(number, index)| Err(self.call.out_of_range(number, index)))
    }

    /// Elements of a row, if the indices of all rows are the same and there are many rows; else 0.
    fn columns(&self) -> usize {
        let extents = &self.call.extents;
        let Some((&columns, rows)) = extents.split_last() else { return 0 };
        let is_alike = self.index.strides[..rows.len()].iter().all(|&stride| stride == 0)
            && self.index.strides[rows.len()] != 0;
        let many = rows.iter().product::<usize>() >= MANY;
        if is_alike && many && columns <= LONGEST { columns } else { 0 }
    }

    /// Rows of these numbers, whose indices are the [same](Self::columns).
    unsafe fn rows(&self, first: usize, end: usize, wrong: &AtomicBool) {
        let Lookup { call, out, index, source } = self;
        let Some((&columns, outer)) = call.extents.split_last() else { return };
        let (last, size) = (outer.len(), call.dtype.size());
        let looked_up = *source.strides.last().unwrap_or(&0);
        let mut places: Vec<isize> = Vec::with_capacity(columns);
        for column in 0..columns as i64 {
            // SAFETY: an element of the first row; the side was checked.
            let found = unsafe { index_at(index, column * index.strides[last]) };
            let Some(found) = resolve_index(found, call.bound) else {
                return wrong.store(true, Ordering::Relaxed);
            };
            places.push((column * source.strides[last] + found as i64 * looked_up) as isize);
        }
        let inner = |side: &Side| last.checked_sub(1).map_or(0, |axis| side.strides[axis] as isize);
        let steps = [inner(source), inner(out), out.strides[last] as isize];
        let mut walk = Walk::new(outer, first);
        let mut row = first;
        while row < end {
            let [to, from] = [out, source].map(|side| walk.offset(&side.strides[..last]) as isize);
            let n = walk.row((end - row).min(TOGETHER));
            let [from, to] =
                [source.pointer.wrapping_offset(from), out.pointer.wrapping_offset(to)];
            // SAFETY: rows of the checked sides; resolved indices are below the bound.
            unsafe {
                match size {
                    1 => rows_alike::<u8>(&places, n, (from, to), steps),
                    2 => rows_alike::<u16>(&places, n, (from, to), steps),
                    4 => rows_alike::<u32>(&places, n, (from, to), steps),
                    _ => rows_alike::<u64>(&places, n, (from, to), steps),
                }
            }
            row += n;
        }
    }

    /// The elements of these row-major numbers, row by row.
    unsafe fn part(&self, first: usize, end: usize, wrong: &AtomicBool) {
        let Lookup { call, out, index, source } = self;
        let size = call.dtype.size();
        let (axis, looked_up) = (call.extents.len(), *source.strides.last().unwrap_or(&0));
        let inner = |side: &Side| axis.checked_sub(1).map_or(0, |last| side.strides[last]);
        let (out_step, index_step, step) = (inner(out), inner(index), inner(source));
        let mut walk = Walk::new(&call.extents, first);
        let mut number = first;
        while number < end {
            let [to, at, from] = [out, index, source].map(|side| walk.offset(&side.strides));
            let n = walk.row(end - number);
            // SAFETY: the row lies inside the checked sides; a resolved index is below the bound.
            unsafe {
                if index_step == 0 {
                    match resolve_index(index_at(index, at), call.bound) {
                        Some(found) => {
                            let from = from + found as i64 * looked_up;
                            let from = source.pointer.wrapping_offset(from as isize).cast_const();
                            let to = out.pointer.wrapping_offset(to as isize);
                            vector::copy((from, step), (to, out_step), n, size);
                        }
                        None => return wrong.store(true, Ordering::Relaxed),
                    }
                } else {
                    let row = Row { n, to, at, from, out_step, index_step, step, looked_up };
                    let in_range = match size {
                        1 => self.row::<u8>(&row),
                        2 => self.row::<u16>(&row),
                        4 => self.row::<u32>(&row),
                        _ => self.row::<u64>(&row),
                    };
                    if !in_range {
                        return wrong.store(true, Ordering::Relaxed);
                    }
                }
            }
            number += n;
        }
    }

    /// One row with an index per element; whether all are in range.
    unsafe fn row<E: Copy>(&self, row: &Row) -> bool {
        let Row { n, to, at, from, out_step, index_step, step, looked_up } = *row;
        let size = size_of::<E>() as i64;
        if (out_step, index_step, step) == (size, size_of::<i64>() as i64, 0) && self.call.bound > 0
        {
            let index = self.index.pointer.wrapping_offset(at as isize).cast::<i64>();
            let source = self.source.pointer.wrapping_offset(from as isize);
            let out = self.out.pointer.wrapping_offset(to as isize).cast::<E>();
            let bound = self.call.bound as i64;
            // SAFETY: the caller's contract; there is an element to look up.
            return unsafe { one_lane((index, bound), (source, looked_up), out, n) };
        }
        for k in 0..n as i64 {
            // SAFETY: the caller's contract.
            unsafe {
                let index = index_at(&self.index, at + k * index_step);
                let Some(found) = resolve_index(index, self.call.bound) else { return false };
                let from = from + k * step + found as i64 * looked_up;
                let value = self.source.pointer.wrapping_offset(from as isize).cast::<E>().read();
                let to = self.out.pointer.wrapping_offset((to + k * out_step) as isize);
                to.cast::<E>().write(value);
            }
        }
        true
    }
}

/// The elements of one lane at `n` indices that lie next to each other, as do the results; whether all are in range. There is no branch
/// on an element, so that the processor looks ahead over many.
///
/// # Safety
/// There are such indices, room for as many results, and as many elements in the lane as the bound says, at least one.
unsafe fn one_lane<E: Copy>(
    (index, bound): (*const i64, i64),
    (source, looked_up): (*const u8, i64),
    out: *mut E,
    n: usize,
) -> bool {
    let mut outside = false;
    for k in 0..n {
        // SAFETY: the caller's contract; a place is below the bound.
        unsafe {
            let found = index.add(k).read();
            let from_front = found.wrapping_add((found >> 63) & bound);
            let is_outside = from_front as u64 >= bound as u64;
            outside |= is_outside;
            let place = if is_outside { 0 } else { from_front };
            let from = source.wrapping_offset((place * looked_up) as isize).cast::<E>();
            out.add(k).write(from.read());
        }
    }
    !outside
}

/// Copies the elements at some places of `n` rows; `steps` are the bytes from row to row, there and here, and from element to element
/// here.
///
/// # Safety
/// There are such elements and room for them.
unsafe fn rows_alike<E: Copy>(
    places: &[isize],
    n: usize,
    (from, to): (*mut u8, *mut u8),
    [from_step, to_step, step]: [isize; 3],
) {
    let copy = |row: usize, column: usize, place: isize| {
        let from = from.wrapping_offset(row as isize * from_step + place).cast::<E>();
        let to = to.wrapping_offset(row as isize * to_step + column as isize * step).cast::<E>();
        // SAFETY: the caller's contract.
        unsafe { to.write(from.read()) };
    };
    if places.len() < FEW {
        for (column, &place) in places.iter().enumerate() {
            (0..n).for_each(|row| copy(row, column, place));
        }
        return;
    }
    for row in 0..n {
        places.iter().enumerate().for_each(|(column, &place)| copy(row, column, place));
    }
}

/// Rows with the same indices, from which on these are looked at once; elements of such a row, at most.
const MANY: usize = 16;
const LONGEST: usize = 1 << 12;

/// Rows that are gone through column by column, if columns are fewer: the first-level cache has them.
const TOGETHER: usize = 128;
const FEW: usize = 16;

/// A row of elements: offsets of the first one, and bytes from one to the next.
struct Row {
    n: usize,
    to: i64,
    at: i64,
    from: i64,
    out_step: i64,
    index_step: i64,
    step: i64,
    looked_up: i64,
}

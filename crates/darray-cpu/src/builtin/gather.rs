//! Elements by indices.

use super::side;
use super::walk::{Walk, first_out_of_range, index_at};
use crate::memory::Located;
use crate::rectangle::Side;
use crate::vector;
use crate::workers::Workers;
use darray_core::DType;
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

impl Lookup {
    /// Checks sizes and views.
    pub fn new(
        call: Gather,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Lookup, Fault> {
        let out = side(&call.out, &call.extents, call.dtype, locate)?;
        let index = side(&call.index, &call.extents, DType::I64, locate)?;
        let source = side(&call.source, &call.source_extents(), call.dtype, locate)?;
        Ok(Lookup { call, out, index, source })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers) -> Result<(), Fault> {
        let elements: usize = self.call.extents.iter().product();
        let threads = workers.threads_for(elements).min(elements.max(1));
        let wrong = AtomicBool::new(false);
        let work = |thread: usize| {
            let (first, end) = (elements * thread / threads, elements * (thread + 1) / threads);
            // SAFETY: the range lies inside the extents, for which the sides were checked, and the
            // ranges of threads are disjoint.
            unsafe { self.part(first, end, &wrong) };
        };
        workers.split(threads, work, || work(0));
        if !wrong.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the side was checked for the extents.
        let first = unsafe { first_out_of_range(&self.index, &self.call.extents, self.call.bound) };
        first.map_or(Ok(()), |(number, index)| Err(self.call.out_of_range(number, index)))
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

//! Writes by indices.

use super::side;
use super::walk::{Walk, first_out_of_range, index_at};
use crate::memory::Located;
use crate::rectangle::Side;
use crate::vector;
use crate::workers::Workers;
use darray_core::DType;
use darray_device::builtin::{Scatter, resolve_index};
use darray_device::{Block, Fault};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// A checked scatter.
///
/// The array is cut into *lanes*, one per index of the other axes; within a lane indices are worked off
/// in ascending order. Lanes that lie next to each other go together, an index at a time. Threads share
/// out groups of lanes, and where there are fewer of them than threads, the elements of a lane: then
/// each thread looks at all indices and writes what is its own.
pub(crate) struct Writes {
    call: Scatter,
    /// Of the indices.
    extents: SmallVec<[usize; 4]>,
    out: Side,
    index: Side,
    value: Side,
    /// The axis whose lanes go together; its extent, or 1 where there is none.
    across: Option<usize>,
    width: usize,
    /// Extents of the axes that are neither scattered nor `across`, with 1 in their places.
    outer: SmallVec<[usize; 4]>,
}

// SAFETY: threads write disjoint elements of the output, and nothing else.
unsafe impl Sync for Writes {}

/// What a thread does: some lanes of a group, and the elements that it writes.
struct Unit {
    /// Of `outer`.
    group: usize,
    lanes: Range<usize>,
    own: Range<usize>,
}

impl Writes {
    /// Checks sizes and views.
    pub fn new(
        call: Scatter,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Writes, Fault> {
        let extents = call.index_extents();
        let out = side(&call.out, &call.extents, call.dtype, locate)?;
        let index = side(&call.index, &extents, DType::I64, locate)?;
        let value = side(&call.value, &extents, call.dtype, locate)?;
        let others = (0..extents.len()).filter(|&a| a != call.axis && extents[a] > 1);
        let across = others.min_by_key(|&axis| out.strides[axis].unsigned_abs());
        let width = across.map_or(1, |axis| extents[axis]);
        let mut outer = extents.clone();
        for axis in across.into_iter().chain([call.axis]) {
            outer[axis] = 1;
        }
        Ok(Writes { call, extents, out, index, value, across, width, outer })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers) -> Result<(), Fault> {
        let elements: usize = self.extents.iter().product();
        if elements == 0 {
            return Ok(());
        }
        let groups: usize = self.outer.iter().product();
        let threads = workers.threads_for(elements);
        let along = self.call.extents[self.call.axis];
        // Of each group of lanes, and of each lane.
        let chunks = threads.div_ceil(groups).min(self.width);
        let parts = threads.div_ceil(groups * chunks).min(along.max(1));
        let units = groups * chunks * parts;
        let threads = threads.min(units);
        let wrong = AtomicBool::new(false);
        let cut = |n: usize, k: usize, parts: usize| n * k / parts..n * (k + 1) / parts;
        let work = |thread: usize| {
            for unit in cut(units, thread, threads) {
                let (part, rest) = (unit % parts, unit / parts);
                let unit = Unit {
                    group: rest / chunks,
                    lanes: cut(self.width, rest % chunks, chunks),
                    own: cut(along, part, parts),
                };
                // SAFETY: lanes inside the checked extents; each element is in one unit.
                unsafe { self.unit(&unit, &wrong) };
            }
        };
        workers.split(threads, work, || work(0));
        if !wrong.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the side was checked for the extents.
        let first = unsafe { first_out_of_range(&self.index, &self.extents, self.call.bound) };
        first.map_or(Ok(()), |(number, index)| Err(self.call.out_of_range(number, index)))
    }

    unsafe fn unit(&self, unit: &Unit, wrong: &AtomicBool) {
        let Writes { call, out, index, value, across, .. } = self;
        let (axis, size, n) = (call.axis, call.dtype.size(), unit.lanes.len());
        let lane = Walk::new(&self.outer, unit.group);
        let step = |side: &Side| across.map_or(0, |a| side.strides[a]);
        let first = |side: &Side| lane.offset(&side.strides) + unit.lanes.start as i64 * step(side);
        let [to_first, at_first, from_first] = [out, index, value].map(first);
        let own = unit.own.start + call.origin[axis]..unit.own.end + call.origin[axis];
        for i in 0..call.count as i64 {
            let at = at_first + i * index.strides[axis];
            let from = from_first + i * value.strides[axis];
            let to =
                |found: usize| to_first + (found - call.origin[axis]) as i64 * out.strides[axis];
            // SAFETY: lanes inside the checked extents; what is written lies in the unit's own part.
            unsafe {
                // One index for all lanes, or one for each.
                let together = if step(index) == 0 { n } else { 1 };
                for k in (0..n).step_by(together) {
                    let k = k as i64;
                    let found = resolve_index(index_at(index, at + k * step(index)), call.bound);
                    let Some(found) = found else {
                        return wrong.store(true, Ordering::Relaxed);
                    };
                    if !own.contains(&found) {
                        continue;
                    }
                    let from = value.pointer.wrapping_offset((from + k * step(value)) as isize);
                    let to = out.pointer.wrapping_offset((to(found) + k * step(out)) as isize);
                    if together > 1 {
                        let from = (from.cast_const(), step(value));
                        vector::copy(from, (to, step(out)), n, size);
                        continue;
                    }
                    match size {
                        1 => to.write(from.read()),
                        2 => to.cast::<u16>().write(from.cast::<u16>().read()),
                        4 => to.cast::<u32>().write(from.cast::<u32>().read()),
                        _ => to.cast::<u64>().write(from.cast::<u64>().read()),
                    }
                }
            }
        }
    }
}

//! Writes by indices, and additions by indices.
//!
//! ```text
//! values of one lane, in order     element by element
//! sums of integers, few places     each thread adds its part of the values in a table of its own; then the tables are added
//! ```

mod store;

use super::side;
use super::walk::{Walk, first_out_of_range, index_at};
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_core::RealType;
use darray_device::builtin::{Scatter, resolve_index};
use darray_device::{Block, Fault};
use smallvec::SmallVec;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use store::{Add, Loops, Store};

/// A checked scatter.
///
/// The array is cut into *lanes*, one per index of the other axes; within a lane indices are worked off
/// in ascending order. Lanes that lie next to each other go together, an index at a time. Threads share
/// out groups of lanes, and where there are far fewer of them than threads, the elements of a lane: then
/// each thread looks at all indices and writes what is its own.
pub(crate) struct Writes {
    call: Scatter,
    /// Of the indices.
    extents: SmallVec<[usize; 4]>,
    out: Side,
    index: Side,
    value: Side,
    loops: Loops,
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
        let index = side(&call.index, &extents, RealType::INDEX, locate)?;
        let value = side(&call.value, &extents, call.dtype, locate)?;
        let others = (0..extents.len()).filter(|&a| a != call.axis && extents[a] > 1);
        let across = others.min_by_key(|&axis| out.strides[axis].unsigned_abs());
        let width = across.map_or(1, |axis| extents[axis]);
        let mut outer = extents.clone();
        for axis in across.into_iter().chain([call.axis]) {
            outer[axis] = 1;
        }
        let loops = Loops::find(call.dtype, call.add);
        let loops = loops.ok_or_else(|| Fault::Execution(format!("no sums of {}", call.dtype)))?;
        Ok(Writes { call, extents, out, index, value, loops, across, width, outer })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, _: Level) -> Result<(), Fault> {
        let elements: usize = self.extents.iter().product();
        if elements == 0 {
            return Ok(());
        }
        let groups: usize = self.outer.iter().product();
        let threads = workers.threads_for(elements.saturating_mul(WRITE));
        let wrong = AtomicBool::new(false);
        if let (Some(add), true) = (self.loops.in_tables, self.has_tables(threads)) {
            add(&self, workers, threads, &wrong);
            return self.verdict(&wrong);
        }
        let along = self.call.extents[self.call.axis];
        // Of each group of lanes, and of each lane.
        let chunks = threads.div_ceil(groups).min(self.width);
        let parts = threads.div_ceil(groups * chunks).min(along.max(1));
        let parts = if parts < FEWEST { 1 } else { parts };
        let units = groups * chunks * parts;
        let threads = threads.min(units);
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
        workers.split(threads, work);
        self.verdict(&wrong)
    }

    /// Whether threads add in tables of their own, where the order does not matter: one lane, and no more places than each has values.
    fn has_tables(&self, threads: usize) -> bool {
        let (along, count) = (self.call.extents[self.call.axis], self.call.count);
        threads > 1 && self.across.is_none() && along <= count / threads
    }

    /// The fault of the first index that is out of range, if there is one.
    fn verdict(&self, wrong: &AtomicBool) -> Result<(), Fault> {
        if !wrong.load(Ordering::Relaxed) {
            return Ok(());
        }
        // SAFETY: the side was checked for the extents.
        let first = unsafe { first_out_of_range(&self.index, &self.extents, self.call.bound) };
        first.map_or(Ok(()), |(number, index)| Err(self.call.out_of_range(number, index)))
    }

    unsafe fn unit(&self, unit: &Unit, wrong: &AtomicBool) {
        let Writes { call, out, index, value, across, .. } = self;
        let (axis, n) = (call.axis, unit.lanes.len());
        let lane = Walk::new(&self.outer, unit.group);
        let step = |side: &Side| across.map_or(0, |a| side.strides[a]);
        let first = |side: &Side| lane.offset(&side.strides) + unit.lanes.start as i64 * step(side);
        let along = |side: &Side| side.strides[axis];
        let line = Line {
            n,
            at: (first(index), step(index)),
            from: (first(value), step(value)),
            out: out.pointer,
            to: (first(out), step(out)),
            along: along(out),
            origin: call.origin[axis],
            own: unit.own.start + call.origin[axis]..unit.own.end + call.origin[axis],
        };
        // SAFETY: lanes inside the checked extents; what is written lies in the unit's own part.
        let in_range = unsafe {
            if across.is_none() {
                let (at, from) = ((line.at.0, along(index)), (line.from.0, along(value)));
                (self.loops.line)(self, &Line { n: call.count, at, from, ..line })
            } else {
                (0..call.count as i64).all(|i| {
                    let at = (line.at.0 + i * along(index), line.at.1);
                    let from = (line.from.0 + i * along(value), line.from.1);
                    let line = Line { at, from, own: line.own.clone(), ..line };
                    if at.1 == 0 {
                        (self.loops.together)(self, &line)
                    } else {
                        (self.loops.line)(self, &line)
                    }
                })
            }
        };
        if !in_range {
            wrong.store(true, Ordering::Relaxed);
        }
    }

    /// Few instructions an element: stores all over the memory wait for each other as far as the processor looks ahead. Where
    /// some are others' there is no branch on it, which would be as good as random: the own ones of a block are gathered first.
    unsafe fn line<S: Store>(&self, line: &Line) -> bool {
        const BLOCK: usize = 256;
        let (value, out, bound) = (self.value.pointer, line.out, self.call.bound);
        let Line { n, at, from, to, along, origin, .. } = *line;
        let own = line.own.clone();
        let all = own == (0..bound);
        let place = |k: i64, found: usize| {
            out.wrapping_offset((to.0 + k * to.1 + (found as i64 - origin as i64) * along) as isize)
        };
        let mut block = [const { MaybeUninit::<(*mut u8, S::E)>::uninit() }; BLOCK];
        for start in (0..n).step_by(BLOCK) {
            let mut count = 0;
            for k in start as i64..n.min(start + BLOCK) as i64 {
                // SAFETY: the caller's contract; there are at most as many own ones as elements of a block.
                unsafe {
                    let found = resolve_index(index_at(&self.index, at.0 + k * at.1), bound);
                    let Some(found) = found else { return false };
                    let from = value.wrapping_offset((from.0 + k * from.1) as isize).cast::<S::E>();
                    let to = place(k, found);
                    if all {
                        S::store(to.cast(), from.read());
                    } else {
                        block.get_unchecked_mut(count).write((to, from.read()));
                        count += usize::from(own.contains(&found));
                    }
                }
            }
            for gathered in &block[..count] {
                // SAFETY: so many were gathered; the caller's contract: they are places of own elements.
                unsafe {
                    let (to, value) = gathered.assume_init();
                    S::store(to.cast(), value);
                }
            }
        }
        true
    }

    /// Writes elements by one index; whether it is in range.
    unsafe fn together<S: Store>(&self, line: &Line) -> bool {
        // SAFETY: the caller's contract.
        let index = unsafe { index_at(&self.index, line.at.0) };
        let Some(found) = resolve_index(index, self.call.bound) else { return false };
        if line.own.contains(&found) {
            let to = line.to.0 + (found - line.origin) as i64 * line.along;
            let from = self.value.pointer.wrapping_offset(line.from.0 as isize).cast_const();
            let to = line.out.wrapping_offset(to as isize);
            // SAFETY: the caller's contract.
            unsafe { S::store_row((from, line.from.1), (to, line.to.1), line.n) };
        }
        true
    }

    /// Adds the values of one lane, each thread its part of them in a table of its own.
    fn in_tables<S: Add>(&self, workers: &Workers, threads: usize, wrong: &AtomicBool) {
        let (axis, count) = (self.call.axis, self.call.count);
        let along = self.call.extents[axis];
        let tables: Vec<Mutex<Vec<S::E>>> = (0..threads).map(|_| Mutex::new(Vec::new())).collect();
        workers.split(threads, |thread| {
            let [start, end] = [thread, thread + 1].map(|k| count * k / threads);
            let mut table = vec![S::NOTHING; along];
            let first = |side: &Side| (start as i64 * side.strides[axis], side.strides[axis]);
            let line = Line {
                n: end - start,
                at: first(&self.index),
                from: first(&self.value),
                out: table.as_mut_ptr().cast(),
                to: (0, 0),
                along: size_of::<S::E>() as i64,
                origin: self.call.origin[axis],
                own: self.call.origin[axis]..self.call.origin[axis] + along,
            };
            // SAFETY: indices of the checked sides; what is written lies in the table.
            if !unsafe { self.line::<S>(&line) } {
                wrong.store(true, Ordering::Relaxed);
            }
            *tables[thread].lock().unwrap_or_else(PoisonError::into_inner) = table;
        });
        for table in tables {
            let table = table.into_inner().unwrap_or_else(PoisonError::into_inner);
            for (k, value) in table.into_iter().enumerate() {
                let to =
                    self.out.pointer.wrapping_offset((k as i64 * self.out.strides[axis]) as isize);
                // SAFETY: an element of the checked side; no other thread writes now.
                unsafe { S::store(to.cast(), value) };
            }
        }
    }
}

/// Threads that share the elements of a lane, at least: two are no faster than one, as looking at an index takes about as long as
/// writing an element.
const FEWEST: usize = 4;

/// Simple operations that a write takes, about.
const WRITE: usize = 8;

/// Elements that are written one after the other: offsets of the first of each side, and bytes from one to the next.
struct Line {
    n: usize,
    at: (i64, i64),
    from: (i64, i64),
    /// What is written.
    out: *mut u8,
    /// Of the element with index `origin`.
    to: (i64, i64),
    /// Bytes per index.
    along: i64,
    origin: usize,
    /// Indices that are written.
    own: Range<usize>,
}

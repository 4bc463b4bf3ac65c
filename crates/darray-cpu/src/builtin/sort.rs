//! Sorting along an axis, merging sorted runs, and searching in them.

mod indices;
mod keys;
mod merge;
mod merging;
mod order;
mod packed;
mod parts;
#[cfg(target_arch = "x86_64")]
mod quick;
mod radix;
mod search;
mod short;

pub(super) use merging::Merging;
pub(super) use search::Searching;

use super::side;
use super::walk::Walk;
use crate::level::Level;
use crate::memory::{Located, Scratch};
use crate::rectangle::Side;
use crate::vector::{LINE, Transposed, find_transpose};
use crate::workers::Workers;
use darray_core::RealType;
use darray_device::builtin::Sort;
use darray_device::{Block, Fault};
use keys::{Key, Seen, Specials};
use smallvec::SmallVec;
use std::ops::Range;

/// A checked sort.
///
/// Lanes are independent and are shared out to threads. Values are sorted as keys without indices: equal keys have
/// equal bits but for zeros and NaN, which are written once more in the order of the input. Indices are sorted
/// in words with their keys (see [`indices`]). Lanes that lie side by side are read several at once, as many as share
/// a line of memory. Lanes of few elements are sorted side by side, see [`short`]. Where there are fewer lanes than threads, see
/// [`parts`].
pub(crate) struct Sorting {
    call: Sort,
    input: Side,
    values: Option<Side>,
    indices: Option<Side>,
    /// Extents with 1 along the axis: one index per lane.
    others: SmallVec<[usize; 4]>,
}

// SAFETY: threads write disjoint elements of the outputs, and nothing else.
unsafe impl Sync for Sorting {}

/// What a thread sorts in, for all its lanes.
#[derive(Default)]
struct Space<T> {
    /// Lanes, one after the other.
    lanes: Scratch<T>,
    spare: Scratch<T>,
    /// The same of indices.
    words: Scratch<u64>,
    spare_words: Scratch<u64>,
}

/// Lanes that follow each other along the last axis.
#[derive(Clone, Copy)]
struct Batch {
    count: usize,
    /// Offsets of the first one in input, values and indices.
    offsets: [i64; 3],
}

/// Where lanes are sorted, each contiguous: in the result or in scratch.
struct Place<T> {
    first: *mut T,
    /// Elements from lane to lane.
    pitch: usize,
}

impl Sorting {
    /// Checks sizes and views.
    pub fn new(
        call: Sort,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Sorting, Fault> {
        let input = side(&call.input, &call.extents, call.dtype, locate)?;
        let output = |view: &Option<_>, dtype| {
            view.as_ref().map(|view| side(view, &call.extents, dtype, locate)).transpose()
        };
        let (values, indices) =
            (output(&call.values, call.dtype)?, output(&call.indices, RealType::INDEX)?);
        let mut others = call.extents.clone();
        others[call.axis] = 1;
        Ok(Sorting { call, input, values, indices, others })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, level: Level) -> Result<(), Fault> {
        if self.call.extents.contains(&0) {
            return Ok(());
        }
        match self.call.dtype.size() {
            1 => self.lanes::<u8>(workers, level),
            2 => self.lanes::<u16>(workers, level),
            4 => self.lanes::<u32>(workers, level),
            _ => self.lanes::<u64>(workers, level),
        }
        Ok(())
    }

    fn lanes<T: Key>(&self, workers: &Workers, level: Level) {
        let n = self.call.extents[self.call.axis];
        let lanes: usize = self.others.iter().product();
        // A comparison sort: about as many steps per element as its length has bits.
        let steps = (n * lanes).saturating_mul(1 + n.ilog2() as usize);
        let threads = workers.threads_for(steps);
        if lanes < threads && n > 1 {
            (0..lanes).for_each(|lane| self.lane_by_parts::<T>(lane, threads, workers, level));
            return;
        }
        let threads = threads.min(lanes);
        let work = |thread: usize| {
            let lanes_of_it = lanes * thread / threads..lanes * (thread + 1) / threads;
            if short::are_short::<T>(n, lanes_of_it.len(), level) {
                // SAFETY: lanes inside the checked extents; each lane once.
                return unsafe { short::sort::<T>(self, lanes_of_it, level) };
            }
            let mut space = Space::<T>::default();
            for batch in self.batches(lanes_of_it) {
                // SAFETY: lanes inside the checked extents; each lane once.
                unsafe {
                    self.sort_values(batch, &mut space, level);
                    self.sort_indices(batch, &mut space, level);
                }
            }
        };
        workers.split(threads, work);
    }

    /// Lanes that are read together.
    fn batches(&self, lanes: Range<usize>) -> impl Iterator<Item = Batch> {
        // Those that share lines, unless a lane has its lines to itself.
        let (axis, last) = (self.call.axis, self.others.len() - 1);
        let beside =
            |side: &Side| side.strides[last].unsigned_abs() < side.strides[axis].unsigned_abs();
        let sides = [Some(&self.input), self.values.as_ref(), self.indices.as_ref()];
        let most = match sides.iter().copied().flatten().any(beside) {
            true => LINE / self.call.dtype.size(),
            false => 1,
        };
        let mut walk = Walk::new(&self.others, lanes.start);
        let mut first = lanes.start;
        std::iter::from_fn(move || {
            let rest = lanes.end.checked_sub(first).filter(|&rest| rest > 0)?;
            let offsets = sides.map(|side| side.map_or(0, |side| walk.offset(&side.strides)));
            let count = walk.row(most.min(rest));
            first += count;
            Some(Batch { count, offsets })
        })
    }

    /// Sorts the values of lanes, if they are wanted.
    unsafe fn sort_values<T: Key>(&self, batch: Batch, space: &mut Space<T>, level: Level) {
        let Some(values) = &self.values else { return };
        let (dtype, n) = (self.call.dtype, self.call.extents[self.call.axis]);
        let to = values.pointer.wrapping_offset(batch.offsets[1] as isize);
        let place = self.place(values, to, batch, &mut space.lanes);
        // SAFETY: the caller's contract; the place has the lanes.
        unsafe {
            for (lane, seen) in self.read(batch, &place, level).enumerate() {
                let keys = place.lane(lane, n);
                sort_keys(keys, seen, &mut space.spare, level);
                let specials = seen.special.then(|| Specials::find(keys));
                keys::restore(dtype, keys, level);
                if let Some(specials) = specials {
                    let from = self.input.pointer.wrapping_offset(batch.offsets[0] as isize);
                    let from = from.wrapping_offset(lane as isize * self.beside(&self.input));
                    let step = self.step(&self.input);
                    let to = keys.as_mut_ptr().cast();
                    specials.write::<T>(dtype, from, step, to, size_of::<T>() as isize, n);
                }
            }
            self.write(values, to, batch, &place, level);
        }
    }

    /// Sorts the indices of lanes, if they are wanted.
    unsafe fn sort_indices<T: Key>(&self, batch: Batch, space: &mut Space<T>, level: Level) {
        let Some(indices) = &self.indices else { return };
        let n = self.call.extents[self.call.axis];
        let keys = Place::new(&mut space.lanes, n, batch.count);
        let to = indices.pointer.wrapping_offset(batch.offsets[2] as isize);
        let place = self.place(indices, to, batch, &mut space.words);
        // SAFETY: the caller's contract; the places have the lanes.
        unsafe {
            for (lane, seen) in self.read(batch, &keys, level).enumerate() {
                let words = place.lane(lane, n);
                sort_indices(keys.lane(lane, n), seen, words, &mut space.spare_words, level);
                words.iter_mut().for_each(|index| *index += self.call.origin as u64);
            }
            self.write(indices, to, batch, &place, level);
        }
    }

    /// The address of a lane, and the bytes from element to element.
    fn lane(&self, side: &Side, lane: usize) -> (*mut u8, isize) {
        let offset = Walk::new(&self.others, lane).offset(&side.strides);
        (side.pointer.wrapping_offset(offset as isize), self.step(side))
    }

    /// Bytes along the axis.
    fn step(&self, side: &Side) -> isize {
        side.strides[self.call.axis] as isize
    }

    /// A lane's own place in the result if it is contiguous, else scratch.
    fn place<T: Key>(
        &self,
        side: &Side,
        to: *mut u8,
        batch: Batch,
        scratch: &mut Scratch<T>,
    ) -> Place<T> {
        let n = self.call.extents[self.call.axis];
        match batch.count == 1 && self.step(side) == size_of::<T>() as isize {
            true => Place { first: to.cast(), pitch: 0 },
            false => Place::new(scratch, n, batch.count),
        }
    }

    /// Reads the keys of lanes into a place, lane by lane.
    ///
    /// # Safety
    /// Lanes inside the checked extents, for which the place is.
    unsafe fn read<T: Key>(
        &self,
        batch: Batch,
        place: &Place<T>,
        level: Level,
    ) -> impl Iterator<Item = Seen<T>> {
        let (n, dtype, size) =
            (self.call.extents[self.call.axis], self.call.dtype, size_of::<T>() as isize);
        let from = self.input.pointer.wrapping_offset(batch.offsets[0] as isize);
        let step = self.step(&self.input);
        let together = batch.count > 1;
        if together {
            let matrix = Transposed {
                from,
                from_step: step,
                along: self.beside(&self.input),
                to: place.first.cast(),
                to_step: place.pitch as isize * size,
                rows: n,
                columns: batch.count,
            };
            // SAFETY: the caller's contract.
            unsafe { transpose::<T>(matrix, level) };
        }
        let first = place.first;
        let pitch = place.pitch;
        (0..batch.count).map(move |lane| {
            let to = first.wrapping_add(lane * pitch);
            let (from, step) = if together { (to.cast(), size) } else { (from, step) };
            // SAFETY: the caller's contract; the lane's keys take the place of its elements.
            unsafe { keys::read(dtype, from, step, to, n, level) }
        })
    }

    /// Writes lanes to a side, unless that was their place.
    ///
    /// # Safety
    /// As for `read`.
    unsafe fn write<T: Key>(
        &self,
        side: &Side,
        to: *mut u8,
        batch: Batch,
        place: &Place<T>,
        level: Level,
    ) {
        let step = self.step(side);
        if to == place.first.cast() {
            return;
        }
        let (n, size) = (self.call.extents[self.call.axis], size_of::<T>() as isize);
        let beside = self.beside(side);
        if batch.count > 1 && beside == size {
            let matrix = Transposed {
                from: place.first.cast(),
                from_step: place.pitch as isize * size,
                along: size,
                to,
                to_step: step,
                rows: batch.count,
                columns: n,
            };
            // SAFETY: the caller's contract.
            return unsafe { transpose::<T>(matrix, level) };
        }
        for lane in 0..batch.count {
            let to = to.wrapping_offset(lane as isize * beside);
            // SAFETY: the caller's contract.
            unsafe { write_lane(place.lane(lane, n), to, step) };
        }
    }

    /// Bytes from lane to lane of a batch.
    fn beside(&self, side: &Side) -> isize {
        side.strides[self.others.len() - 1] as isize
    }
}

impl<T: Key> Place<T> {
    fn new(scratch: &mut Scratch<T>, n: usize, lanes: usize) -> Place<T> {
        // A line more, so that lanes of a power of two do not share their sets of a cache.
        let line = LINE / size_of::<T>();
        let pitch = if lanes > 1 { n.next_multiple_of(line) + line } else { n };
        Place { first: scratch.reserve(lanes * pitch).as_mut_ptr(), pitch }
    }

    /// # Safety
    /// The place has such a lane, and there is no other reference to it.
    unsafe fn lane<'p>(&self, lane: usize, n: usize) -> &'p mut [T] {
        // SAFETY: the caller's contract.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(lane * self.pitch), n) }
    }
}

/// Sorts keys of which something is known.
fn sort_keys<T: Key>(keys: &mut [T], seen: Seen<T>, spare: &mut Scratch<T>, level: Level) {
    if seen.ascending {
    } else if seen.descending {
        keys.reverse();
    } else {
        order::sort(keys, spare, 0, level);
    }
}

/// Puts the indices of keys into words.
fn sort_indices<T: Key>(
    keys: &[T],
    seen: Seen<T>,
    words: &mut [u64],
    spare: &mut Scratch<u64>,
    level: Level,
) {
    if seen.ascending {
        words.iter_mut().enumerate().for_each(|(index, word)| *word = index as u64);
    } else {
        indices::sort(keys, seen.differ, words, spare, level);
    }
}

/// # Safety
/// As for [`Transpose`](crate::vector::Transpose); this machine has the level.
unsafe fn transpose<T: Key>(matrix: Transposed, level: Level) {
    let transpose = find_transpose(size_of::<T>(), level);
    let transpose = transpose.unwrap_or_else(|| unreachable!("elements of {} bits", T::BITS));
    // SAFETY: the caller's contract.
    unsafe { transpose(matrix, 0) }
}

/// # Safety
/// The elements can be written, `step` bytes from one to the next.
unsafe fn write_lane<T: Key>(lane: &[T], to: *mut u8, step: isize) {
    for (i, &element) in lane.iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { to.wrapping_offset(i as isize * step).cast::<T>().write(element) };
    }
}

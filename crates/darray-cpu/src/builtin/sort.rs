//! Sorting along an axis, and merging sorted runs.

mod merge;
mod packed;

use super::side;
use super::walk::Walk;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_core::DType;
use darray_device::builtin::{Merge, Sort, sort_key};
use darray_device::{Block, Fault};
use packed::Packed;
use smallvec::SmallVec;
use std::ops::Range;

/// A checked sort.
///
/// Lanes are independent and are shared out to threads. A lane is read as packed words, each a key and the
/// element's index, which no two share, so that any order of comparisons gives the same result. Where
/// there are fewer lanes than threads, each thread sorts a part of a lane, and then makes a part of the
/// result out of all of them.
pub(crate) struct Sorting {
    call: Sort,
    input: Side,
    values: Option<Side>,
    indices: Option<Side>,
    /// Extents with 1 along the axis: one index per lane.
    others: SmallVec<[usize; 4]>,
}

/// A checked merge.
pub(crate) struct Merging {
    call: Merge,
    values: Vec<Side>,
    indices: Vec<Side>,
    out: Side,
    /// Numbers of the first elements of the runs in the runs one after the other.
    firsts: Vec<usize>,
}

// SAFETY: threads write disjoint elements of the outputs, and nothing else.
unsafe impl Sync for Sorting {}
// SAFETY: as for `Sorting`.
unsafe impl Sync for Merging {}

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
            (output(&call.values, call.dtype)?, output(&call.indices, DType::I64)?);
        let mut others = call.extents.clone();
        others[call.axis] = 1;
        Ok(Sorting { call, input, values, indices, others })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers) -> Result<(), Fault> {
        let n = self.call.extents[self.call.axis];
        if self.call.extents.contains(&0) {
            return Ok(());
        }
        // A key of up to 32 bits and an index share a word of 64.
        match self.call.dtype.size() < 8 && n <= 1 << 32 {
            true => self.lanes::<u64>(workers),
            false => self.lanes::<u128>(workers),
        }
        Ok(())
    }

    fn lanes<P: Packed>(&self, workers: &Workers) {
        let n = self.call.extents[self.call.axis];
        let lanes: usize = self.others.iter().product();
        // A comparison sort: about as many steps per element as its length has bits.
        let steps = (n * lanes).saturating_mul(1 + n.ilog2() as usize);
        let threads = workers.threads_for(steps);
        if lanes < threads && n > 1 {
            (0..lanes).for_each(|lane| self.lane_by_parts::<P>(lane, threads, workers));
            return;
        }
        let threads = threads.min(lanes);
        let work = |thread: usize| {
            let mut words: Vec<P> = Vec::with_capacity(n);
            for lane in lanes * thread / threads..lanes * (thread + 1) / threads {
                words.clear();
                // SAFETY: lanes inside the checked extents; each lane once.
                unsafe {
                    words.extend((0..n).map(|i| self.word::<P>(lane, i)));
                    words.sort_unstable();
                    self.write(lane, 0, &words);
                }
            }
        };
        workers.split(threads, work, || work(0));
    }

    /// One lane on several threads.
    fn lane_by_parts<P: Packed>(&self, lane: usize, threads: usize, workers: &Workers) {
        let n = self.call.extents[self.call.axis];
        let part = |k: usize| n * k / threads..n * (k + 1) / threads;
        let mut runs: Vec<std::sync::Mutex<Vec<P>>> =
            (0..threads).map(|_| Default::default()).collect();
        let work = |thread: usize| {
            // SAFETY: elements inside the checked extents.
            let mut run: Vec<P> = part(thread).map(|i| unsafe { self.word(lane, i) }).collect();
            run.sort_unstable();
            *runs[thread].lock().unwrap_or_else(|e| e.into_inner()) = run;
        };
        workers.split(threads, work, || work(0));
        let runs: Vec<Vec<P>> =
            runs.drain(..).map(|run| run.into_inner().unwrap_or_else(|e| e.into_inner())).collect();
        let lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
        let work = |thread: usize| {
            let words = merge::range(&lengths, |run, i| runs[run][i], part(thread));
            // SAFETY: elements inside the checked extents; each part once.
            unsafe { self.write(lane, part(thread).start, &words) };
        };
        workers.split(threads, work, || work(0));
    }

    /// Element `i` of a lane.
    unsafe fn word<P: Packed>(&self, lane: usize, i: usize) -> P {
        // SAFETY: the caller's contract.
        let bits = unsafe { read(&self.input, self.offset(&self.input, lane, i), self.call.dtype) };
        P::new(sort_key(self.call.dtype, bits), i)
    }

    /// Writes a lane's results from element `first` on.
    unsafe fn write<P: Packed>(&self, lane: usize, first: usize, words: &[P]) {
        let Sort { dtype, axis, origin, .. } = self.call;
        if let Some(values) = &self.values {
            let (from, to) = (self.offset(&self.input, lane, 0), self.offset(values, lane, first));
            for (i, word) in words.iter().enumerate() {
                let from = from + word.index() as i64 * self.input.strides[axis];
                // SAFETY: the caller's contract.
                unsafe {
                    let bits = read(&self.input, from, dtype);
                    write(values, to + i as i64 * values.strides[axis], dtype, bits);
                }
            }
        }
        if let Some(indices) = &self.indices {
            let to = self.offset(indices, lane, first);
            for (i, word) in words.iter().enumerate() {
                let to = to + i as i64 * indices.strides[axis];
                // SAFETY: the caller's contract.
                unsafe { write(indices, to, DType::I64, (origin + word.index()) as u64) };
            }
        }
    }

    /// Where element `i` of a lane lies in a side.
    fn offset(&self, side: &Side, lane: usize, i: usize) -> i64 {
        Walk::new(&self.others, lane).offset(&side.strides)
            + i as i64 * side.strides[self.call.axis]
    }
}

impl Merging {
    /// Checks sizes and views.
    pub fn new(
        call: Merge,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Merging, Fault> {
        let sides = |views: &[darray_device::builtin::View], dtype| {
            let runs = views.iter().zip(&call.lengths);
            runs.map(|(view, &n)| side(view, &[n], dtype, locate)).collect::<Result<Vec<_>, _>>()
        };
        let (values, indices) =
            (sides(&call.values, call.dtype)?, sides(&call.indices, DType::I64)?);
        let out = side(&call.out, &[call.count], call.result(), locate)?;
        let firsts =
            call.lengths.iter().scan(0, |sum, n| Some(std::mem::replace(sum, *sum + n))).collect();
        Ok(Merging { call, values, indices, out, firsts })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers) -> Result<(), Fault> {
        let all: usize = self.call.lengths.iter().sum();
        match self.call.dtype.size() < 8 && all <= 1 << 32 {
            true => self.parts::<u64>(workers),
            false => self.parts::<u128>(workers),
        }
        Ok(())
    }

    fn parts<P: Packed>(&self, workers: &Workers) {
        let count = self.call.count;
        let threads = workers.threads_for(count.saturating_mul(8)).min(count.max(1));
        let work = |thread: usize| {
            let part = count * thread / threads..count * (thread + 1) / threads;
            self.part::<P>(part);
        };
        workers.split(threads, work, || work(0));
    }

    /// Some elements of the result.
    fn part<P: Packed>(&self, part: Range<usize>) {
        let Merge { dtype, start, ref lengths, .. } = self.call;
        let result = self.call.result();
        let get = |run: usize, i: usize| {
            let side = &self.values[run];
            // SAFETY: an element of the run, for whose length the side was checked.
            let bits = unsafe { read(side, i as i64 * side.strides[0], dtype) };
            P::new(sort_key(dtype, bits), self.firsts[run] + i)
        };
        let words = merge::range(lengths, get, start + part.start..start + part.end);
        for (at, word) in part.zip(words) {
            let number = word.index();
            let run = self.firsts.partition_point(|&first| first <= number) - 1;
            let sides = if self.indices.is_empty() { &self.values } else { &self.indices };
            let from = (number - self.firsts[run]) as i64 * sides[run].strides[0];
            // SAFETY: an element of the run; an element of the result, each once.
            unsafe {
                let bits = read(&sides[run], from, result);
                write(&self.out, at as i64 * self.out.strides[0], result, bits);
            }
        }
    }
}

/// The bits of an element.
unsafe fn read(side: &Side, offset: i64, dtype: DType) -> u64 {
    let at = side.pointer.wrapping_offset(offset as isize);
    // SAFETY: the caller's contract.
    unsafe {
        match dtype.size() {
            1 => u64::from(at.read()),
            2 => u64::from(at.cast::<u16>().read()),
            4 => u64::from(at.cast::<u32>().read()),
            _ => at.cast::<u64>().read(),
        }
    }
}

unsafe fn write(side: &Side, offset: i64, dtype: DType, bits: u64) {
    let at = side.pointer.wrapping_offset(offset as isize);
    // SAFETY: the caller's contract.
    unsafe {
        match dtype.size() {
            1 => at.write(bits as u8),
            2 => at.cast::<u16>().write(bits as u16),
            4 => at.cast::<u32>().write(bits as u32),
            _ => at.cast::<u64>().write(bits),
        }
    }
}

//! Merging sorted runs.

use super::merge;
use super::packed::Packed;
use crate::builtin::side;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_core::RealType;
use darray_device::builtin::{Merge, View, sort_key};
use darray_device::{Block, Fault};
use std::ops::Range;

/// A checked merge.
pub(crate) struct Merging {
    call: Merge,
    values: Vec<Side>,
    indices: Vec<Side>,
    out: Side,
    /// Numbers of the first elements of the runs in the runs one after the other.
    firsts: Vec<usize>,
}

// SAFETY: threads write disjoint elements of the output, and nothing else.
unsafe impl Sync for Merging {}

impl Merging {
    /// Checks sizes and views.
    pub fn new(
        call: Merge,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Merging, Fault> {
        let sides = |views: &[View], dtype| {
            let runs = views.iter().zip(&call.lengths);
            runs.map(|(view, &n)| side(view, &[n], dtype, locate)).collect::<Result<Vec<_>, _>>()
        };
        let (values, indices) =
            (sides(&call.values, call.dtype)?, sides(&call.indices, RealType::INDEX)?);
        let out = side(&call.out, &[call.count], call.result(), locate)?;
        let firsts =
            call.lengths.iter().scan(0, |sum, n| Some(std::mem::replace(sum, *sum + n))).collect();
        Ok(Merging { call, values, indices, out, firsts })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, _: Level) -> Result<(), Fault> {
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
        workers.split(threads, work);
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
unsafe fn read(side: &Side, offset: i64, dtype: RealType) -> u64 {
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

unsafe fn write(side: &Side, offset: i64, dtype: RealType, bits: u64) {
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

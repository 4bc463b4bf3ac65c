//! One lane on several threads: each sorts a part of it, then makes a part of the result out of all of them.

use super::keys::{self, Key, Specials};
use super::packed::Packed;
use super::{Sorting, merge, sort_indices, sort_keys, write_lane};
use crate::level::Level;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::Mutex;

impl Sorting {
    pub(super) fn lane_by_parts<T: Key>(
        &self,
        lane: usize,
        threads: usize,
        workers: &Workers,
        level: Level,
    ) {
        let n = self.call.extents[self.call.axis];
        self.values_by_parts::<T>(lane, threads, workers, level);
        // A key of up to 32 bits and an index share a word of 64.
        match T::BITS < 64 && n <= 1 << 32 {
            true => self.indices_by_parts::<T, u64>(lane, threads, workers, level),
            false => self.indices_by_parts::<T, u128>(lane, threads, workers, level),
        }
    }

    fn values_by_parts<T: Key>(
        &self,
        lane: usize,
        threads: usize,
        workers: &Workers,
        level: Level,
    ) {
        let Some(values) = &self.values else { return };
        let (dtype, n) = (self.call.dtype, self.call.extents[self.call.axis]);
        let runs = self.runs(threads, workers, |part| {
            let (mut keys, seen) = self.part_keys::<T>(lane, part, level);
            sort_keys(&mut keys, seen, &mut Vec::new(), level);
            (keys, seen.special)
        });
        let lengths: Vec<usize> = runs.iter().map(|(keys, _)| keys.len()).collect();
        let ((to, step), (from, from_step)) =
            (self.lane(values, lane), self.lane(&self.input, lane));
        let to = Shared(to);
        let work = |thread: usize| {
            let part = self.part(thread, threads);
            // Equal keys are told apart by where they are.
            let get = |run: usize, i: usize| (runs[run].0[i], run, i);
            let mut merged = Vec::with_capacity(part.len());
            for (run, range) in merge::parts(&lengths, get, part.clone()).enumerate() {
                merged.extend_from_slice(&runs[run].0[range]);
            }
            // The stable sort finds the runs and merges them.
            merged.sort();
            keys::restore(dtype, &mut merged, level);
            let to = to.get().wrapping_offset(part.start as isize * step);
            // SAFETY: elements inside the checked extents; each part once.
            unsafe { write_lane(&merged, to, step) };
        };
        workers.split(threads, work, || work(0));
        if runs.iter().any(|&(_, special)| special) {
            let specials = Specials::find(runs.iter().map(|(keys, _)| &keys[..]));
            // SAFETY: elements inside the checked extents; only floats are special.
            unsafe { specials.write::<T>(from, from_step, to.get(), step, n) };
        }
    }

    fn indices_by_parts<T: Key, P: Packed>(
        &self,
        lane: usize,
        threads: usize,
        workers: &Workers,
        level: Level,
    ) {
        let Some(indices) = &self.indices else { return };
        let runs: Vec<Vec<P>> = self.runs(threads, workers, |part| {
            let (keys, seen) = self.part_keys::<T>(lane, part.clone(), level);
            let mut words = vec![0; keys.len()];
            sort_indices(&keys, seen, &mut words, &mut Vec::new(), level);
            let word = |i: u64| P::new(keys[i as usize].to_u64(), part.start + i as usize);
            words.into_iter().map(word).collect()
        });
        let lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
        let (to, step) = self.lane(indices, lane);
        let to = Shared(to);
        let work = |thread: usize| {
            let part = self.part(thread, threads);
            let words = merge::range(&lengths, |run, i| runs[run][i], part.clone());
            let index = |word: &P| (self.call.origin + word.index()) as u64;
            let found: Vec<u64> = words.iter().map(index).collect();
            let to = to.get().wrapping_offset(part.start as isize * step);
            // SAFETY: elements inside the checked extents; each part once.
            unsafe { write_lane(&found, to, step) };
        };
        workers.split(threads, work, || work(0));
    }

    /// What each thread makes of its part.
    fn runs<R: Send>(
        &self,
        threads: usize,
        workers: &Workers,
        run: impl Fn(Range<usize>) -> R + Sync,
    ) -> Vec<R> {
        let runs: Vec<Mutex<Option<R>>> = (0..threads).map(|_| Mutex::new(None)).collect();
        let work = |thread: usize| {
            let run = run(self.part(thread, threads));
            *runs[thread].lock().unwrap_or_else(|e| e.into_inner()) = Some(run);
        };
        workers.split(threads, work, || work(0));
        runs.into_iter()
            .filter_map(|run| run.into_inner().unwrap_or_else(|e| e.into_inner()))
            .collect()
    }

    /// A thread's elements of a lane.
    fn part(&self, thread: usize, threads: usize) -> Range<usize> {
        let n = self.call.extents[self.call.axis];
        n * thread / threads..n * (thread + 1) / threads
    }

    /// The keys of a part of a lane.
    fn part_keys<T: Key>(
        &self,
        lane: usize,
        part: Range<usize>,
        level: Level,
    ) -> (Vec<T>, keys::Seen<T>) {
        let (from, step) = self.lane(&self.input, lane);
        let from = from.wrapping_offset(part.start as isize * step);
        let mut keys = vec![T::default(); part.len()];
        let (dtype, to, n) = (self.call.dtype, keys.as_mut_ptr(), keys.len());
        // SAFETY: elements inside the checked extents, and keys for them.
        let seen = unsafe { keys::read(dtype, from, step, to, n, level) };
        (keys, seen)
    }
}

/// The address of a result, of which threads write parts that do not overlap.
struct Shared(*mut u8);

// SAFETY: an address; see above.
unsafe impl Sync for Shared {}

impl Shared {
    fn get(&self) -> *mut u8 {
        self.0
    }
}

//! One lane on several threads: its keys are shared out by their size, and each thread sorts those that come to it.
//!
//! ```text
//! keys       part 0            | part 1              read by a thread each
//! buckets    small  | large    | small    | large    put apart by a thread each, in their order
//! result     small  sorted     | large    sorted     gathered and sorted by a thread each
//! ```
//!
//! What parts buckets are the middle ones of a sample. Equal keys come to the same bucket, in their order.

use super::indices::Words;
use super::keys::{self, Key, Seen, Specials};
use super::order::Algorithm;
use super::{Sorting, order, write_lane};
use crate::level::Level;
use crate::memory::Scratch;
use crate::workers::Workers;
use std::ops::Range;
use std::sync::Mutex;

/// What all steps of a lane take.
struct Lane<'l, T> {
    keys: &'l [T],
    seen: Seen<T>,
    threads: usize,
    workers: &'l Workers,
    level: Level,
}

impl Sorting {
    pub(super) fn lane_by_parts<T: Key>(
        &self,
        lane: usize,
        threads: usize,
        workers: &Workers,
        level: Level,
    ) {
        let mut scratch = Scratch::<T>::default();
        let keys = scratch.reserve(self.call.extents[self.call.axis]);
        let seen = self.read_parts(lane, keys, threads, workers, level);
        let job = Lane { keys, seen, threads, workers, level };
        self.values_by_parts(lane, &job);
        self.indices_by_parts(lane, &job);
    }

    /// Reads the keys of a lane.
    fn read_parts<T: Key>(
        &self,
        lane: usize,
        keys: &mut [T],
        threads: usize,
        workers: &Workers,
        level: Level,
    ) -> Seen<T> {
        let (from, step) = self.lane(&self.input, lane);
        let (from, to, n) = (Shared(from), Shared(keys.as_mut_ptr()), keys.len());
        let parts = each(workers, threads, |thread| {
            let part = part(n, thread, threads);
            let from = from.get().wrapping_offset(part.start as isize * step);
            // SAFETY: elements inside the checked extents, and keys for them; each part once.
            unsafe {
                let to = to.get().add(part.start);
                keys::read(self.call.dtype, from, step, to, part.len(), level)
            }
        });
        let begins = (0..threads).map(|thread| part(n, thread, threads).start);
        Seen::together(parts.into_iter().zip(begins), keys)
    }

    fn values_by_parts<T: Key>(&self, lane: usize, job: &Lane<'_, T>) {
        let Some(values) = &self.values else { return };
        let (dtype, n, seen) = (self.call.dtype, job.keys.len(), job.seen);
        let (to, step) = self.lane(values, lane);
        let to = Shared(to);
        // What a thread finds at a place of the result.
        let put = |range: Range<usize>, find: &dyn Fn(&mut [T])| {
            let place = to.get().wrapping_offset(range.start as isize * step);
            let finish = |sorted: &mut [T]| {
                find(sorted);
                let specials = Specials::find(sorted);
                keys::restore(dtype, sorted, job.level);
                specials
            };
            // SAFETY: elements inside the checked extents; each place once.
            unsafe {
                if step == size_of::<T>() as isize {
                    return finish(std::slice::from_raw_parts_mut(place.cast(), range.len()));
                }
                let mut scratch = Scratch::default();
                let sorted = scratch.reserve(range.len());
                let specials = finish(sorted);
                write_lane(sorted, place, step);
                specials
            }
        };
        let specials = if seen.ascending || seen.descending {
            job.each(|thread| {
                let range = part(n, thread, job.threads);
                put(range.clone(), &|to| match seen.ascending {
                    true => to.copy_from_slice(&job.keys[range.clone()]),
                    false => {
                        let from = job.keys[n - range.end..n - range.start].iter().rev();
                        to.iter_mut().zip(from).for_each(|(to, &from)| *to = from);
                    }
                })
            })
        } else if Algorithm::of::<T>(n, job.level) == Algorithm::Counts {
            let counts = job.each(|thread| {
                let mut counts = [0usize; 256];
                let own = &job.keys[part(n, thread, job.threads)];
                own.iter().for_each(|key| counts[key.digit(0)] += 1);
                counts
            });
            let counts = counts.iter().fold([0; 256], |all: [usize; 256], part| {
                std::array::from_fn(|digit| all[digit] + part[digit])
            });
            job.each(|thread| {
                let range = part(n, thread, job.threads);
                put(range.clone(), &|to| counted(&counts, range.start, to))
            })
        } else {
            let bounds = job.bounds();
            let divide = |part: Range<usize>, to: &mut [T], spare: &mut Scratch<T>| {
                order::divide(&job.keys[part], &bounds, to, spare, job.level)
            };
            let buckets = Buckets::new(job, divide);
            job.each(|thread| {
                put(buckets.places(thread), &|to| {
                    buckets.gather(thread, to);
                    order::sort(to, &mut Scratch::default(), 0, job.level);
                })
            })
        };
        if seen.special {
            let (from, from_step) = self.lane(&self.input, lane);
            let specials: Specials = specials.into_iter().sum();
            // SAFETY: elements inside the checked extents; only floats are special.
            unsafe { specials.write::<T>(dtype, from, from_step, to.get(), step, n) };
        }
    }

    fn indices_by_parts<T: Key>(&self, lane: usize, job: &Lane<'_, T>) {
        let Some(indices) = &self.indices else { return };
        let n = job.keys.len();
        let (to, step) = self.lane(indices, lane);
        let (to, origin) = (Shared(to), self.call.origin as u64);
        // What a thread finds at a place of the result.
        let put = |range: Range<usize>, find: &dyn Fn(&mut [u64])| {
            let mut scratch = Scratch::default();
            let found = scratch.reserve(range.len());
            find(found);
            found.iter_mut().for_each(|index| *index += origin);
            let place = to.get().wrapping_offset(range.start as isize * step);
            // SAFETY: elements inside the checked extents; each place once.
            unsafe { write_lane(found, place, step) };
        };
        if job.seen.ascending {
            job.each(|thread| {
                let range = part(n, thread, job.threads);
                put(range.clone(), &|to| {
                    to.iter_mut().zip(range.clone()).for_each(|(to, index)| *to = index as u64);
                });
            });
            return;
        }
        let words = Words::new(job.keys, job.seen.differ, job.level);
        let bounds: Vec<u64> = job.bounds().into_iter().map(|key| words.least(key)).collect();
        let divide = |part: Range<usize>, to: &mut [u64], spare: &mut Scratch<u64>| {
            let mut scratch = Scratch::default();
            let from = scratch.reserve(part.len());
            words.put(part, from);
            order::divide(from, &bounds, to, spare, job.level)
        };
        let buckets = Buckets::new(job, divide);
        job.each(|thread| {
            put(buckets.places(thread), &|to| {
                buckets.gather(thread, to);
                words.sort(to, &mut Scratch::default());
            });
        });
    }
}

impl<T: Key> Lane<'_, T> {
    /// What each thread makes.
    fn each<R: Send>(&self, make: impl Fn(usize) -> R + Sync) -> Vec<R> {
        each(self.workers, self.threads, make)
    }

    /// Keys between those that come to one thread and to the next.
    fn bounds(&self) -> Vec<T> {
        /// Of each thread.
        const SAMPLE: usize = 64;
        let (n, count) = (self.keys.len(), SAMPLE * self.threads);
        let mut sample: Vec<T> =
            (0..count).map(|k| self.keys[((2 * k + 1) * n / (2 * count)).min(n - 1)]).collect();
        sample.sort_unstable();
        (1..self.threads).map(|thread| sample[thread * SAMPLE]).collect()
    }
}

/// Keys, or words of them, put apart by their size.
struct Buckets<E> {
    /// Part after part, of each one bucket after the other.
    all: Scratch<E>,
    /// Where the buckets of a part begin and the last one ends.
    begins: Vec<Vec<usize>>,
}

impl<E: Key> Buckets<E> {
    /// `divide` puts a part apart and says where its buckets begin.
    fn new<T: Key>(
        job: &Lane<'_, T>,
        divide: impl Fn(Range<usize>, &mut [E], &mut Scratch<E>) -> Vec<usize> + Sync,
    ) -> Buckets<E> {
        let n = job.keys.len();
        let mut all = Scratch::<E>::default();
        let to = Shared(all.reserve(n).as_mut_ptr());
        let begins = job.each(|thread| {
            let part = part(n, thread, job.threads);
            let start = part.start;
            // SAFETY: places of this part, which nobody else has.
            let to = unsafe { std::slice::from_raw_parts_mut(to.get().add(start), part.len()) };
            let mut begins = divide(part, to, &mut Scratch::default());
            begins.iter_mut().for_each(|begin| *begin += start);
            begins
        });
        Buckets { all, begins }
    }

    /// Where the result has a bucket.
    fn places(&self, bucket: usize) -> Range<usize> {
        let first = |bucket: usize| -> usize {
            self.begins.iter().map(|begins| begins[bucket] - begins[0]).sum()
        };
        first(bucket)..first(bucket + 1)
    }

    /// What a bucket has, in order.
    fn gather(&self, bucket: usize, to: &mut [E]) {
        let mut rest = to;
        for begins in &self.begins {
            let own = &self.all.numbers()[begins[bucket]..begins[bucket + 1]];
            let (to, after) = rest.split_at_mut(own.len());
            to.copy_from_slice(own);
            rest = after;
        }
    }
}

/// Keys of one byte from a place on of what counts make in order.
fn counted<T: Key>(counts: &[usize; 256], from: usize, to: &mut [T]) {
    let mut end = 0;
    for (digit, count) in counts.iter().enumerate() {
        let begin = end;
        end += count;
        let range = begin.max(from)..end.min(from + to.len());
        if !range.is_empty() {
            to[range.start - from..range.end - from].fill(T::of_digit(digit as u8));
        }
    }
}

/// A thread's share of `0..n`.
fn part(n: usize, thread: usize, threads: usize) -> Range<usize> {
    n * thread / threads..n * (thread + 1) / threads
}

/// What each of so many threads makes.
fn each<R: Send>(workers: &Workers, threads: usize, make: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let made: Vec<Mutex<Option<R>>> = (0..threads).map(|_| Mutex::new(None)).collect();
    workers.split(threads, |thread| {
        let result = make(thread);
        *made[thread].lock().unwrap_or_else(|e| e.into_inner()) = Some(result);
    });
    let made = made.into_iter();
    made.filter_map(|made| made.into_inner().unwrap_or_else(|e| e.into_inner())).collect()
}

/// An address of which threads read or write parts that do not overlap.
struct Shared<T>(*mut T);

// SAFETY: an address; see above.
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

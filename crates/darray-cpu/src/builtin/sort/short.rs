//! Lanes of few elements, sorted side by side.
//!
//! A block has a column for each lane, so one comparison of two of its rows is that of many lanes, in vectors on every
//! machine. Which rows are compared is the same for all: a network.
//!
//! ```text
//! lanes  5 3 7      block  5 6 9 ..     rows 0 and 1 compared, 1 and 2, 0 and 1     3 1 4 ..
//!        6 1 2             3 1 8 ..                                                 5 2 8 ..
//!        9 8 4 ..          7 2 4 ..                                                 7 6 9 ..
//! ```

use super::keys::{self, Key, Specials};
use super::order::Algorithm;
use super::{Sorting, transpose};
use crate::builtin::walk::Walk;
use crate::level::{Level, Loop};
use crate::memory::Scratch;
use crate::rectangle::Side;
use crate::vector::{self, LINE, MOST_INTERLEAVED, Transposed};
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of a lane that is sorted so, at most.
const MOST: usize = 64;

/// The same where vectors sort one lane, too.
#[cfg(target_arch = "x86_64")]
const MOST_OF_QUICK: usize = 36;

/// Lanes that are worth a block, at least.
const FEWEST: usize = 8;

/// Bytes of a block, at most: it stays in the first-level cache.
const BLOCK: usize = 16 << 10;

/// Whether lanes of so many elements are sorted side by side.
pub(super) fn are_short<T: Key>(n: usize, lanes: usize, level: Level) -> bool {
    let most = match Algorithm::of::<T>(n, level) {
        #[cfg(target_arch = "x86_64")]
        Algorithm::Quick => MOST_OF_QUICK,
        _ => MOST,
    };
    n <= most && lanes >= FEWEST
}

/// Sorts some lanes, which [are short](are_short).
///
/// # Safety
/// They are inside the checked extents, and nothing else writes their results.
pub(super) unsafe fn sort<T: Key>(sorting: &Sorting, lanes: Range<usize>, level: Level) {
    let n = sorting.call.extents[sorting.call.axis];
    let pairs = network(n);
    let walked = Walked::new(sorting);
    let mut walk = Walk::new(&walked.extents, lanes.start);
    let (mut first, mut space, mut runs) = (lanes.start, Space::<T>::default(), Vec::new());
    while first < lanes.end {
        let width = width::<T>(n).min(lanes.end - first);
        runs.clear();
        let mut column = 0;
        while column < width {
            let offsets = [0, 1, 2].map(|side| walk.offset(&walked.strides[side]) as isize);
            let count = walk.row(width - column);
            runs.push(Run { column, count, offsets });
            column += count;
        }
        first += width;
        let block = Lanes { sorting, n, width, runs: &runs, pairs: &pairs, level };
        let across = |side: usize| walked.strides[side].last().copied().unwrap_or(0) as isize;
        // SAFETY: the caller's contract.
        unsafe {
            if let Some(values) = &sorting.values {
                block.sort_values(&mut space.keys, [across(0), across(1)], values);
            }
            if let Some(indices) = &sorting.indices {
                block.sort_indices(&mut space, [across(0), across(2)], indices);
            }
        }
    }
}

/// Lanes of a block: as many as share it in the cache with their numbers, in whole lines.
fn width<T: Key>(n: usize) -> usize {
    let line = LINE / size_of::<T>();
    (BLOCK / (2 * n * size_of::<T>()) / line * line).clamp(line, 4 * LINE)
}

/// The rows that are compared, one pair after the other: Batcher's network by merging odd and even rows (Knuth 1998, 5.2.2 M).
fn network(n: usize) -> Vec<[u8; 2]> {
    let mut pairs = Vec::new();
    let top = n.next_power_of_two() / 2;
    let mut part = top;
    while part > 0 {
        let (mut step, mut rest, mut apart) = (top, 0, part);
        loop {
            let firsts = (0..n.saturating_sub(apart)).filter(|i| i & part == rest);
            pairs.extend(firsts.map(|i| [i as u8, (i + apart) as u8]));
            if step == part {
                break;
            }
            (apart, step, rest) = (step - part, step / 2, part);
        }
        part /= 2;
    }
    pairs
}

/// The axes along which lanes follow each other, and the bytes of a step of input, values and indices along each. There is
/// none of extent 1, and two that are stepped through as one are one.
#[derive(Debug, Default, PartialEq)]
struct Walked {
    extents: SmallVec<[usize; 4]>,
    strides: [SmallVec<[i64; 4]>; 3],
}

impl Walked {
    fn new(sorting: &Sorting) -> Walked {
        let sides = [Some(&sorting.input), sorting.values.as_ref(), sorting.indices.as_ref()];
        let mut walked = Walked::default();
        for (axis, &extent) in sorting.others.iter().enumerate().filter(|&(_, &extent)| extent > 1)
        {
            walked.push(extent, sides.map(|side| side.map_or(0, |side| side.strides[axis])));
        }
        walked
    }

    fn push(&mut self, extent: usize, strides: [i64; 3]) {
        let outer = self.strides.iter_mut().map(|strides| strides.last_mut());
        let mut pairs = outer.zip(strides);
        match self.extents.last_mut() {
            Some(last)
                if pairs.all(|(outer, inner)| {
                    outer.is_none_or(|outer| *outer == inner * extent as i64)
                }) =>
            {
                *last *= extent;
                for (all, stride) in self.strides.iter_mut().zip(strides) {
                    if let Some(last) = all.last_mut() {
                        *last = stride;
                    }
                }
            }
            _ => {
                self.extents.push(extent);
                self.strides.iter_mut().zip(strides).for_each(|(all, stride)| all.push(stride));
            }
        }
    }
}

/// What a thread sorts in.
#[derive(Default)]
struct Space<T> {
    keys: Scratch<T>,
    /// The numbers of elements in their lanes.
    numbers: Scratch<T>,
    /// The same as they are wanted.
    indices: Scratch<u64>,
}

/// Lanes of a block that follow each other along one axis.
struct Run {
    /// The block's column of the first one.
    column: usize,
    count: usize,
    /// Those of the first one in input, values and indices.
    offsets: [isize; 3],
}

/// The lanes of a block.
#[derive(Clone, Copy)]
struct Lanes<'s> {
    sorting: &'s Sorting,
    n: usize,
    width: usize,
    runs: &'s [Run],
    pairs: &'s [[u8; 2]],
    level: Level,
}

impl Lanes<'_> {
    /// Sorts values. `across` are the bytes from lane to lane in a run, of input and values.
    ///
    /// # Safety
    /// As for [`sort`].
    unsafe fn sort_values<T: Key>(
        &self,
        keys: &mut Scratch<T>,
        [across, to_across]: [isize; 2],
        values: &Side,
    ) {
        let (Lanes { n, width, level, .. }, dtype) = (*self, self.sorting.call.dtype);
        let keys = keys.reserve(n * width);
        // SAFETY: the caller's contract; the block has the lanes.
        unsafe {
            let special = self.read(keys, across);
            level.vectorized(Values { keys, width, pairs: self.pairs });
            let found = if special { self.specials(keys) } else { Vec::new() };
            keys::restore(dtype, keys, level);
            for (lane, specials) in self.lanes(across).zip(found) {
                let (from, step) = (lane.1, self.sorting.step(&self.sorting.input));
                let (to, size) = (keys.as_mut_ptr().add(lane.0).cast(), size_of::<T>() as isize);
                specials.write::<T>(dtype, from, step, to, width as isize * size, n);
            }
            self.write(keys, values, 1, to_across);
        }
    }

    /// Sorts indices; as [`sort_values`](Self::sort_values).
    ///
    /// # Safety
    /// As for [`sort`].
    unsafe fn sort_indices<T: Key>(
        &self,
        space: &mut Space<T>,
        [across, to_across]: [isize; 2],
        indices: &Side,
    ) {
        let Lanes { n, width, level, .. } = *self;
        let (keys, numbers) = (space.keys.reserve(n * width), space.numbers.reserve(n * width));
        for (number, row) in numbers.chunks_exact_mut(width).enumerate() {
            row.fill(T::of_digit(number as u8));
        }
        // SAFETY: the caller's contract; the block has the lanes.
        unsafe {
            self.read(keys, across);
            level.vectorized(Numbered { keys, numbers, width, pairs: self.pairs });
            let wanted = space.indices.reserve(n * width);
            for (to, number) in wanted.iter_mut().zip(&*numbers) {
                *to = number.to_u64() + self.sorting.call.origin as u64;
            }
            self.write(wanted, indices, 2, to_across);
        }
    }

    /// Reads the keys of the lanes; gives whether some do not tell the bits of their elements.
    ///
    /// # Safety
    /// As for [`sort`]; the block has the lanes.
    unsafe fn read<T: Key>(&self, keys: &mut [T], across: isize) -> bool {
        let (input, size) = (&self.sorting.input, size_of::<T>() as isize);
        let (n, step) = (self.n, self.sorting.step(input));
        let (first, length) = (keys.as_mut_ptr(), keys.len());
        let row = |number: usize, column: usize| -> *mut u8 {
            first.wrapping_add(number * self.width + column).cast()
        };
        for run in self.runs {
            let from = input.pointer.wrapping_offset(run.offsets[0]).cast_const();
            // SAFETY: the caller's contract.
            unsafe {
                if step == size && n <= MOST_INTERLEAVED {
                    let rows: SmallVec<[*mut u8; MOST_INTERLEAVED]> =
                        (0..n).map(|number| row(number, run.column)).collect();
                    vector::separate((from, across as i64), &rows, run.count, size as usize);
                } else if step == size {
                    let matrix = Transposed {
                        from,
                        from_step: across,
                        along: size,
                        to: row(0, run.column),
                        to_step: self.width as isize * size,
                        rows: run.count,
                        columns: n,
                    };
                    transpose::<T>(matrix, self.level);
                } else {
                    for number in 0..n {
                        let from = from.wrapping_offset(number as isize * step);
                        let to = (row(number, run.column), size as i64);
                        vector::copy((from, across as i64), to, run.count, size as usize);
                    }
                }
            }
        }
        let dtype = self.sorting.call.dtype;
        // SAFETY: keys take the places of their elements.
        unsafe { keys::read(dtype, first.cast(), size, first, length, self.level) }.special
    }

    /// Writes a block to a side, of which this is the number among the runs' offsets.
    ///
    /// # Safety
    /// As for [`sort`]; the block has the lanes.
    unsafe fn write<T: Key>(&self, block: &[T], side: &Side, number: usize, across: isize) {
        let (n, step, size) = (self.n, self.sorting.step(side), size_of::<T>() as isize);
        let row = |number: usize, column: usize| -> *const u8 {
            block.as_ptr().wrapping_add(number * self.width + column).cast()
        };
        for run in self.runs {
            let to = side.pointer.wrapping_offset(run.offsets[number]);
            // SAFETY: the caller's contract.
            unsafe {
                if step == size && n <= MOST_INTERLEAVED {
                    let sources: SmallVec<[(*const u8, i64); MOST_INTERLEAVED]> =
                        (0..n).map(|number| (row(number, run.column), size as i64)).collect();
                    vector::interleave(&sources, (to, across as i64), run.count, size as usize);
                } else if step == size {
                    let matrix = Transposed {
                        from: row(0, run.column),
                        from_step: self.width as isize * size,
                        along: size,
                        to,
                        to_step: across,
                        rows: n,
                        columns: run.count,
                    };
                    transpose::<T>(matrix, self.level);
                } else {
                    for number in 0..n {
                        let to = (to.wrapping_offset(number as isize * step), across as i64);
                        let from = (row(number, run.column), size as i64);
                        vector::copy(from, to, run.count, size as usize);
                    }
                }
            }
        }
    }

    /// The block's columns, each with the address of its lane's input.
    fn lanes(&self, across: isize) -> impl Iterator<Item = (usize, *const u8)> {
        let input = self.sorting.input.pointer.cast_const();
        self.runs.iter().flat_map(move |run| {
            let first = input.wrapping_offset(run.offsets[0]);
            (0..run.count)
                .map(move |lane| (run.column + lane, first.wrapping_offset(lane as isize * across)))
        })
    }

    /// Where zeros and NaN are, column by column.
    fn specials<T: Key>(&self, keys: &[T]) -> Vec<Specials> {
        let mut lane = [T::default(); MOST];
        let mut found = |column: usize| {
            let rows = keys.chunks_exact(self.width);
            lane.iter_mut().zip(rows).for_each(|(key, row)| *key = row[column]);
            Specials::find(&lane[..self.n])
        };
        (0..self.width).map(&mut found).collect()
    }
}

/// Sorts the columns of a block.
struct Values<'b, T> {
    keys: &'b mut [T],
    width: usize,
    pairs: &'b [[u8; 2]],
}

impl<T: Key> Loop for Values<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for &pair in self.pairs {
            let (first, second) = rows(self.keys, self.width, pair);
            for (a, b) in first.iter_mut().zip(second) {
                (*a, *b) = ((*a).min(*b), (*a).max(*b));
            }
        }
    }
}

/// The same with the numbers of elements, of equal ones the lower first.
struct Numbered<'b, T> {
    keys: &'b mut [T],
    numbers: &'b mut [T],
    width: usize,
    pairs: &'b [[u8; 2]],
}

impl<T: Key> Loop for Numbered<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for &pair in self.pairs {
            let (first, second) = rows(self.keys, self.width, pair);
            let (firsts, seconds) = rows(self.numbers, self.width, pair);
            let keys = first.iter_mut().zip(second);
            for ((a, b), (i, j)) in keys.zip(firsts.iter_mut().zip(seconds)) {
                let turned = (*b < *a) | ((*b == *a) & (*j < *i));
                (*a, *b) = if turned { (*b, *a) } else { (*a, *b) };
                (*i, *j) = if turned { (*j, *i) } else { (*i, *j) };
            }
        }
    }
}

/// Two rows of a block, of which the first comes first.
#[inline(always)]
fn rows<T>(block: &mut [T], width: usize, [first, second]: [u8; 2]) -> (&mut [T], &mut [T]) {
    let (before, from) = block.split_at_mut(usize::from(second) * width);
    (&mut before[usize::from(first) * width..][..width], &mut from[..width])
}

#[cfg(test)]
mod tests {
    use super::{MOST, Numbered, Values, Walked, network};
    use crate::level::Level;
    use darray_kernel::random::Pcg64;

    #[test]
    fn a_network_sorts_whatever_it_is_given() {
        let compared = |n: usize| network(n).len();
        assert_eq!([1, 2, 3, 4, 8, 16].map(compared), [0, 1, 3, 5, 19, 63]);
        // A network that sorts all zeros and ones sorts all keys (Knuth 1998, 5.3.4 Z).
        for n in 1..=14 {
            let width = 1 << n;
            let keys: Vec<u8> =
                (0..n * width).map(|k| (((k % width) >> (k / width)) & 1) as u8).collect();
            sorts(n, width, &keys);
        }
        let mut stream = Pcg64::from_seed(1);
        for n in 1..=MOST {
            let keys: Vec<u8> = (0..n * 40).map(|_| stream.next_u64() as u8 % 50).collect();
            sorts(n, 40, &keys);
        }
    }

    /// Columns are sorted, and their numbers as a stable sort has them.
    fn sorts(n: usize, width: usize, keys: &[u8]) {
        let pairs = network(n);
        for level in Level::ALL.into_iter().filter(|&level| level <= Level::detect()) {
            let (mut alone, mut numbered) = (keys.to_vec(), keys.to_vec());
            let mut numbers: Vec<u8> = (0..n * width).map(|k| (k / width) as u8).collect();
            level.vectorized(Values { keys: &mut alone, width, pairs: &pairs });
            let (with, numbers) = (&mut numbered, &mut numbers);
            level.vectorized(Numbered { keys: with, numbers, width, pairs: &pairs });
            for column in 0..width {
                let of = |block: &[u8]| -> Vec<u8> {
                    block.iter().skip(column).step_by(width).copied().collect()
                };
                let lane = of(keys);
                let mut order: Vec<u8> = (0..n as u8).collect();
                order.sort_by_key(|&number| lane[usize::from(number)]);
                let sorted: Vec<u8> = order.iter().map(|&i| lane[usize::from(i)]).collect();
                assert_eq!(of(&alone), sorted, "{n} at {level}, column {column}");
                assert_eq!(of(&numbered), sorted, "{n} at {level}, column {column}");
                assert_eq!(of(numbers), order, "{n} at {level}, column {column}");
            }
        }
    }

    #[test]
    fn axes_that_all_sides_step_through_as_one_are_one() {
        let mut walked = Walked::default();
        walked.push(5, [48, 24, 0]);
        walked.push(6, [8, 4, 0]);
        assert_eq!(walked.extents[..], [30]);
        assert_eq!(walked.strides.each_ref().map(|strides| strides[0]), [8, 4, 0]);
        // The second side has a gap.
        walked.push(2, [4, 1, 0]);
        assert_eq!(walked.extents[..], [30, 2]);
        assert_eq!(walked.strides[1][..], [4, 1]);
    }
}

//! Fetching of the next block while the current one is worked on.

use crate::vector::{LINE, fetch};
use darray_codegen::{Layout, Nest, Phase, StrideClass};
use smallvec::SmallVec;
use std::ops::Range;

/// Lines per instruction above which asking costs more than it saves: the kernel is short, and the
/// hardware's own prefetching keeps up.
const MOST: usize = 10;

/// Cache lines to ask for, a few after every instruction, so that they do not queue up.
#[derive(Debug, Default)]
pub(super) struct Prefetch {
    streams: SmallVec<[*const u8; 8]>,
    /// Lines of each stream.
    lines: usize,
    stream: usize,
    line: usize,
    /// Lines per instruction.
    share: usize,
}

impl Prefetch {
    /// Nothing to fetch.
    pub fn none() -> Prefetch {
        Prefetch::default()
    }

    /// Begins with other streams of `bytes` bytes, over so many instructions.
    pub fn begin(
        &mut self,
        streams: impl ExactSizeIterator<Item = *const u8>,
        bytes: usize,
        instructions: usize,
    ) {
        self.lines = bytes.div_ceil(LINE);
        let share = (streams.len() * self.lines).div_ceil(instructions.max(1));
        self.share = if share > MOST { 0 } else { share };
        if self.share > 0 {
            self.streams.clear();
            self.streams.extend(streams);
            (self.stream, self.line) = (0, 0);
        }
    }

    /// Asks for an instruction's share.
    #[inline(always)]
    pub fn step(&mut self) {
        for _ in 0..self.share {
            let Some(&stream) = self.streams.get(self.stream) else {
                self.share = 0;
                return;
            };
            fetch(stream.wrapping_add(self.line * LINE));
            self.line += 1;
            if self.line == self.lines {
                self.line = 0;
                self.stream += 1;
            }
        }
    }
}

/// Accesses that go down the columns of an array while the nest goes along rows, as of a transposed matrix.
///
/// Every element of such a row is in a line of its own, which the rows that follow find again, up to the line's
/// end. Nothing fetches the lines after those ahead of time unless it is asked to: each row asks for a share of
/// them.
#[derive(Debug, Default)]
pub(super) struct Columns(SmallVec<[Column; 2]>);

#[derive(Clone, Copy, Debug)]
struct Column {
    access: u16,
    /// Rows that share a line.
    rows: usize,
    /// Bytes to the lines of the rows after those.
    next: isize,
}

impl Columns {
    /// Those of a nest, whose accesses move so many bytes from row to row.
    pub fn new(nest: &Nest, layout: &Layout, strides: &[i64]) -> Columns {
        let column = |(access, &(_, phase)): (usize, &(u16, Phase))| {
            let step = strides[access];
            let rows = (LINE as u64).checked_div(step.unsigned_abs()).unwrap_or(0) as usize;
            let crosses = layout.classes[access] == StrideClass::Strided && phase == Phase::Before;
            let next = LINE as isize * step.signum() as isize;
            (crosses && rows > 1).then_some(Column { access: access as u16, rows, next })
        };
        Columns(nest.accesses.iter().enumerate().filter_map(column).collect())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Asks for the share of row number `row` among the lines after those of `n` elements, which are at the
    /// `places` of their accesses, so many bytes apart `along` the row.
    #[inline]
    pub fn fetch(&self, row: usize, n: usize, places: &[*mut u8], along: &[i64]) {
        for &Column { access, rows, next } in &self.0 {
            let (place, along) = (places[access as usize], along[access as usize] as isize);
            for k in share(row, rows, n) {
                fetch(place.wrapping_offset(k as isize * along + next));
            }
        }
    }
}

/// The part of `0..n` that row number `row` has, where so many `rows` share it.
fn share(row: usize, rows: usize, n: usize) -> Range<usize> {
    let part = row % rows;
    n * part / rows..n * (part + 1) / rows
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn rows_that_share_lines_ask_for_each_once() {
        for (rows, n) in [(8, 512), (8, 100), (16, 3), (2, 1)] {
            for first in [0, 3 * rows] {
                let shares = (first..first + rows).flat_map(|row| share(row, rows, n));
                assert!(shares.eq(0..n), "{rows} rows, {n} elements");
            }
        }
    }
}

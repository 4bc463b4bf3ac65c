//! Fetching of the next block while the current one is worked on.

use crate::vector::fetch;
use smallvec::SmallVec;

/// Bytes of a cache line.
const LINE: usize = 64;

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
        streams: impl Iterator<Item = *const u8>,
        bytes: usize,
        instructions: usize,
    ) {
        self.streams.clear();
        self.streams.extend(streams);
        self.lines = bytes.div_ceil(LINE);
        (self.stream, self.line) = (0, 0);
        let share = (self.streams.len() * self.lines).div_ceil(instructions.max(1));
        self.share = if share > MOST { 0 } else { share };
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

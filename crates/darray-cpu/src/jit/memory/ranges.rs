//! What is free of a region.

use std::ops::Range;

/// Ranges of bytes that do not touch, in order.
pub(super) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    /// One range from 0.
    pub fn new(bytes: usize) -> Ranges {
        Ranges(std::iter::once(0..bytes).collect())
    }

    /// Takes bytes from the first range that has as many; where they begin.
    pub fn take(&mut self, bytes: usize) -> Option<usize> {
        let at = self.0.iter().position(|range| range.len() >= bytes)?;
        let range = &mut self.0[at];
        let begin = range.start;
        range.start += bytes;
        if range.start == range.end {
            self.0.remove(at);
        }
        Some(begin)
    }

    /// Adds a range that is not there, to those that it touches.
    pub fn give(&mut self, mut range: Range<usize>) {
        let at = self.0.partition_point(|other| other.start < range.start);
        if let Some(next) = self.0.get(at)
            && next.start == range.end
        {
            range.end = next.end;
            self.0.remove(at);
        }
        match at.checked_sub(1).map(|before| &mut self.0[before]) {
            Some(before) if before.end == range.start => before.end = range.end,
            _ => self.0.insert(at, range),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn what_is_given_back_joins_its_neighbours() {
        let mut free = Ranges::new(100);
        let taken = [10, 20, 30, 40].map(|bytes| free.take(bytes).expect("room"));
        assert_eq!(taken, [0, 10, 30, 60]);
        assert_eq!(free.take(1), None);
        free.give(10..30);
        free.give(60..100);
        assert_eq!(free.0, [10..30, 60..100]);
        free.give(30..60);
        assert_eq!(free.0, std::slice::from_ref(&(10..100)));
        assert_eq!(free.take(90), Some(10));
        free.give(0..10);
        free.give(10..100);
        assert_eq!(free.0, std::slice::from_ref(&(0..100)));
    }
}

//! Which addresses may be resident.

use std::collections::BTreeMap;
use std::ops::Range;

/// Addresses that may be resident: ranges that do not touch each other.
///
/// Of memory that is used again and again they are few, whatever lies there.
#[derive(Debug, Default)]
pub(super) struct Touched {
    /// The ends by the starts.
    ranges: BTreeMap<usize, usize>,
    bytes: usize,
}

impl Touched {
    /// How many they are.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a range; whether any of it is new.
    pub fn add(&mut self, range: Range<usize>) -> bool {
        let Range { mut start, mut end } = range;
        // The last one that begins there or before first, since it mostly holds all of the range.
        while let Some((&first, &last)) = self.ranges.range(..=end).next_back() {
            if first <= start && end <= last {
                return false;
            }
            if last < start {
                break;
            }
            self.ranges.remove(&first);
            self.bytes -= last - first;
            (start, end) = (start.min(first), end.max(last));
        }
        self.ranges.insert(start, end);
        self.bytes += end - start;
        true
    }

    /// Takes a range out.
    pub fn remove(&mut self, range: Range<usize>) {
        while let Some((&first, &last)) = self.ranges.range(..range.end).next_back() {
            if last <= range.start {
                break;
            }
            self.ranges.remove(&first);
            self.bytes -= last - first;
            for (first, last) in [(first, range.start), (range.end, last)] {
                if first < last {
                    self.ranges.insert(first, last);
                    self.bytes += last - first;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_unite_and_part() {
        let mut touched = Touched::default();
        let mut known = [false; 64];
        let mut state = 1u64;
        for step in 0..2000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let (start, length) = ((state >> 33) as usize % 56, 1 + (state >> 45) as usize % 8);
            let range = start..start + length;
            if state >> 60 < 8 {
                let is_new = known[range.clone()].contains(&false);
                assert_eq!(touched.add(range.clone()), is_new, "{step}");
                known[range].fill(true);
            } else {
                touched.remove(range.clone());
                known[range].fill(false);
            }
            let found: Vec<usize> = touched.ranges.iter().flat_map(|(&a, &b)| a..b).collect();
            let right: Vec<usize> = (0..64).filter(|&at| known[at]).collect();
            assert_eq!((touched.bytes(), found), (right.len(), right), "{step}");
            let ranges = touched.ranges.iter().zip(touched.ranges.iter().skip(1));
            assert!(ranges.into_iter().all(|((_, end), (start, _))| end < start), "{step}");
        }
    }
}

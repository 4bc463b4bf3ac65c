//! In which order a thread goes through its rows, block by block.
//!
//! Blocks are whole leaves of every fold over rows, or where a leaf is much more than the second-level cache holds, rows
//! of some of its lanes, which the folds hold between blocks. Lanes do not wait for each other, and a block is of few
//! lanes, which stay in the cache:
//!
//! ```text
//! rows of a leaf of 32 lanes     0..8    8..16  16..24  24..32      in this order: 0..8, 32..40, 8..16, 40..48, ..
//!                               32..40  40..48  48..56  56..64
//! ```

use std::ops::Range;

/// See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowBlocks {
    /// Rows of a block, whole leaves or a power of two.
    pub rows: usize,
    /// Of the leaves whose lanes are held.
    pub held: Option<Held>,
}

/// Leaves whose lanes are held between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// Rows of a leaf, a power of two.
    pub leaf: usize,
    pub lanes: usize,
}

/// What a thread does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RowStep {
    /// Run the nests on these rows.
    Block(Range<usize>),
    /// Combine the lanes of the leaf that ends here.
    Leaf(usize),
}

impl RowBlocks {
    /// Goes through some rows, which begin with a leaf.
    pub fn each(&self, rows: Range<usize>, mut step: impl FnMut(RowStep)) {
        let Some(Held { leaf, lanes }) = self.held else {
            for first in rows.clone().step_by(self.rows) {
                step(RowStep::Block(first..(first + self.rows).min(rows.end)));
            }
            return;
        };
        for leaf in rows.clone().step_by(leaf).map(|first| first..(first + leaf).min(rows.end)) {
            // Blocks of all lanes follow one another.
            let (together, apart) = match self.rows < lanes {
                true => (self.rows, lanes),
                false => (lanes, self.rows),
            };
            for lane in (0..lanes).step_by(together) {
                for first in (leaf.start + lane..leaf.end).step_by(apart) {
                    step(RowStep::Block(first..(first + self.rows).min(leaf.end)));
                }
            }
            step(RowStep::Leaf(leaf.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Held, RowBlocks, RowStep};
    use RowStep::{Block, Leaf};

    fn steps(rows: usize, held: Option<Held>, range: std::ops::Range<usize>) -> Vec<RowStep> {
        let mut steps = Vec::new();
        RowBlocks { rows, held }.each(range, |step| steps.push(step));
        steps
    }

    #[test]
    fn lanes_take_their_rows_in_order() {
        assert_eq!(steps(8, None, 8..21), [Block(8..16), Block(16..21)]);
        let held = |lanes| Some(Held { leaf: 16, lanes });
        let expected =
            [8..10, 12..14, 10..12, 14..16].map(|rows| Block(rows.start + 8..rows.end + 8));
        assert_eq!(steps(2, held(4), 16..24), [&expected[..], &[Leaf(24)]].concat());
        // The rest of a leaf has no row of some lanes.
        assert_eq!(
            steps(2, held(4), 16..21),
            [Block(16..18), Block(20..21), Block(18..20), Leaf(21)]
        );
        assert_eq!(steps(2, held(4), 16..17), [Block(16..17), Leaf(17)]);
        // Several rows of all lanes, or of the only one.
        let all = [Block(16..24), Block(24..32), Leaf(32), Block(32..35), Leaf(35)];
        assert_eq!(steps(8, held(4), 16..35), all);
        assert_eq!(steps(8, held(1), 16..35), all);
    }
}

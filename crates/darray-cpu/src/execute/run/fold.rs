//! The fold of a block of kept points.
//!
//! ```text
//! walk       the leaves of the tree, and what combines them                               walk.rs
//! leaf       the elements of a leaf in rounds, in pairs                                   leaf.rs
//! elements   what these are: elements of an access, products, what the body computes      elements.rs
//! ```
//!
//! A leaf has `lanes` elements in a round, for each of the kept points that go together:
//!
//! ```text
//! FoldMode::Lanes   one point; a round is `lanes` elements along the reduced axes
//! FoldMode::Kept    n points; a round is `lanes` rows of n elements along the kept vector axis
//! ```

pub(in super::super) mod all_points;
pub(in super::super) mod any_order;
pub(in super::super) mod bool_columns;
pub(in super::super) mod decided;
mod elements;
mod leaf;
mod places;
#[cfg(test)]
mod tests;
pub(in super::super) mod values;
mod walk;

use super::super::bind::Bound;
use super::super::bind::fold::BoundFold;
use super::super::schedule::{FoldSchedule, Over};
use super::fold_memory::FoldMemory;
use super::frame::Frame;

/// A thread at work on a nest with a fold.
pub(in super::super) struct FoldRun<'w> {
    pub bound: &'w Bound<'w>,
    pub fold: &'w BoundFold,
    pub schedule: &'w FoldSchedule,
    pub frame: &'w mut Frame,
    pub memory: &'w FoldMemory,
    /// Whether nothing changes the value of the point's fold any more, see [`decides`](bound::BoundFold::decides).
    decided: bool,
    /// Whether what comes after the fold was done with it.
    pub stored: bool,
}

impl<'w> FoldRun<'w> {
    /// A thread whose frame is at a bound nest with this fold.
    pub fn new(
        bound: &'w Bound<'w>,
        fold: &'w BoundFold,
        frame: &'w mut Frame,
        memory: &'w FoldMemory,
    ) -> FoldRun<'w> {
        let schedule = bound.schedule.fold.as_deref().expect("a nest with a fold");
        FoldRun { bound, fold, schedule, frame, memory, decided: false, stored: false }
    }

    /// Folds for `n` kept points: the results lie in the memory afterwards.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub unsafe fn run(&mut self, n: usize) {
        // SAFETY: the caller's contract; accesses were checked for every point of the nest.
        unsafe {
            let over = self.schedule.over;
            match over {
                Over::BoolColumns if self.bool_columns(n) => {}
                Over::Points | Over::BoolColumns => self.walk(0, n),
                Over::PointsAtOnce => self.compiled_all_points(n),
                Over::Lanes | Over::AnyOrder => {
                    if self.points_in_any_order(n) || self.fold_rows_of_points(n) {
                        return;
                    }
                    let axis = self.bound.schedule.vector.axis as usize;
                    let first = self.frame.index.get(axis).copied();
                    for point in (0..n).step_by(self.schedule.walk_points) {
                        self.at_point(point, first);
                        self.walk(point, self.schedule.walk_points.min(n - point));
                    }
                    if let Some(first) = first {
                        self.frame.index[axis] = first;
                    }
                }
            }
        }
    }

    unsafe fn list(&self, list: &[super::super::code::operations::MachineOp], n: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            let results = (self.memory, 0);
            super::block::run(
                list,
                &self.frame.pointers,
                &self.frame.index,
                self.bound,
                results,
                n,
            );
        }
    }
}

//! Where in the iterations of a loop windows end.

use darray_core::Place;
use darray_ir::task::{IndexTask, TaskOp};

/// What a task is, for whoever looks whether tasks repeat.
pub(crate) type Kind = (TaskOp, Place);

pub(crate) fn kind(task: &IndexTask) -> Kind {
    (task.op, task.place)
}

/// The place in an iteration behind which windows end.
///
/// What variables hold when a window ends is kept, needed or not: in the middle of a statement that is the array that
/// the statement is about to replace, too. So one window of a loop grows for an iteration longer, and is looked at behind
/// each of its tasks: how many bytes would its last iteration hold at once, if it ended there? Windows end where that is
/// least, fused or not; of such places where a fused task begins, then the earliest.
///
/// ```text
/// tasks     a     b     c     d     e    (one iteration; the next window begins with the task)
/// arrays    4     2     2     3     4
/// begins          yes               yes  windows end before b
/// ```
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowEnd {
    /// The iteration that ends there; empty until that is known.
    behind: Vec<Kind>,
    /// Of an iteration from the window's first task on, whether a fused task begins with the task; empty if that is not known.
    begins: Vec<bool>,
    /// Bytes that the window would have held had it ended behind the tasks that were looked at.
    peaks: Vec<u64>,
}

impl WindowEnd {
    /// Whether a window of at least an iteration, that has as many tasks as it should, ends here. `peak` is the most bytes
    /// that so many tasks, its last ones, hold at once if it does.
    pub(crate) fn is_here(
        &mut self,
        tasks: &[IndexTask],
        (full, period): (usize, usize),
        peak: impl FnOnce(usize) -> u64,
    ) -> bool {
        let count = tasks.len();
        // Bytes that the window found there are no matter of where it ends.
        let from = full.max(2 * period);
        if self.behind.is_empty() {
            if !self.is_looking(period) {
                return true;
            }
            if count >= from {
                self.peaks.push(peak(period));
            }
            if self.peaks.len() == period {
                let best = from + self.best(from);
                self.behind = tasks[best - period..best].iter().map(kind).collect();
                self.peaks.clear();
            }
        }
        let last = tasks[count - period..].iter().map(kind);
        // What comes may be no loop.
        last.eq(self.behind.iter().copied()) || count >= from + 2 * period
    }

    /// The best of the places that were looked at, behind the first so many tasks and on.
    fn best(&self, from: usize) -> usize {
        let least = self.peaks.iter().min().copied().unwrap_or(0);
        // Rows and columns beside arrays are no difference.
        let most = least + least / 64;
        let is_cut = |at: &usize| !self.begins[(from + at) % self.begins.len()];
        let places = (0..self.peaks.len()).filter(|&at| self.peaks[at] <= most);
        places.min_by_key(is_cut).unwrap_or(0)
    }

    /// Whether the window is the one that is looked at, whose iterations have so many tasks.
    pub(crate) fn is_looking(&self, period: usize) -> bool {
        self.behind.is_empty() && self.begins.len() == period
    }

    /// Whether it is known where windows end.
    pub(crate) fn is_known(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Notes with which tasks of an iteration fused tasks begin; the next window begins with the first one.
    pub(crate) fn note_begins(&mut self, begins: impl Iterator<Item = bool>) {
        self.begins.clear();
        self.begins.extend(begins);
    }

    /// A window has ended, and the next one may begin anywhere.
    pub(crate) fn begin_anew(&mut self) {
        self.begins.clear();
        self.peaks.clear();
    }
}

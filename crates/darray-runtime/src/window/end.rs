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
/// least, fused or not; of such places where the fewest fused
/// tasks have tasks on both sides; then where the fewest bytes are left, numbers that only a statement needs among them; then the earliest.
///
/// ```text
/// tasks     a     b     c     d     e    (one iteration; the next window begins with the task)
/// arrays    4     2     2     3     4
/// left      3     2     2     2     2
/// parted    0     1     0     1     1    fused tasks with tasks on both sides: windows end before c
/// ```
#[derive(Clone, Debug, Default)]
pub(crate) struct WindowEnd {
    /// The iteration that ends there; empty until that is known.
    behind: Vec<Kind>,
    /// Of an iteration from the window's first task on, how many fused tasks have tasks on both sides of where the task begins; empty if
    /// that is not known.
    parted: Vec<u32>,
    /// What the window would have held had it ended behind the tasks that were looked at.
    held: Vec<Held>,
}

/// Bytes that a window holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Held {
    /// The most at once, by its last tasks one by one.
    pub(crate) peak: u64,
    /// Behind it.
    pub(crate) left: u64,
}

impl WindowEnd {
    /// Whether a window of at least an iteration, that has as many tasks as it should, ends here. `held` is what so many tasks, its
    /// last ones, hold if it does.
    pub(crate) fn is_here(
        &mut self,
        tasks: &[IndexTask],
        (full, period): (usize, usize),
        held: impl FnOnce(usize) -> Held,
    ) -> bool {
        let count = tasks.len();
        // Bytes that the window found there are no matter of where it ends.
        let from = full.max(2 * period);
        if self.behind.is_empty() {
            if !self.is_looking(period) {
                return true;
            }
            if count >= from {
                self.held.push(held(period));
            }
            if self.held.len() == period {
                let best = from + self.best(from);
                self.behind = tasks[best - period..best].iter().map(kind).collect();
                self.held.clear();
            }
        }
        let last = tasks[count - period..].iter().map(kind);
        // What comes may be no loop.
        last.eq(self.behind.iter().copied()) || count >= from + 2 * period
    }

    /// The best of the places that were looked at, behind the first so many tasks and on.
    fn best(&self, from: usize) -> usize {
        let least = self.held.iter().map(|held| held.peak).min().unwrap_or(0);
        // Rows and columns beside arrays are no difference.
        let most = least + least / 64;
        let parted = |at: usize| self.parted[(from + at) % self.parted.len()];
        let places = (0..self.held.len()).filter(|&at| self.held[at].peak <= most);
        places.min_by_key(|&at| (parted(at), self.held[at].left)).unwrap_or(0)
    }

    /// Whether the window is the one that is looked at, whose iterations have so many tasks.
    pub(crate) fn is_looking(&self, period: usize) -> bool {
        self.behind.is_empty() && self.parted.len() == period
    }

    /// Whether it is known where windows end.
    pub(crate) fn is_known(&self) -> bool {
        !self.behind.is_empty()
    }

    /// Notes how many fused tasks have tasks on both sides of where the tasks of an iteration begin; the next window begins with the
    /// first one.
    pub(crate) fn note_parted(&mut self, parted: impl Iterator<Item = u32>) {
        self.parted.clear();
        self.parted.extend(parted);
    }

    /// A window has ended, and the next one may begin anywhere.
    pub(crate) fn begin_anew(&mut self) {
        self.parted.clear();
        self.held.clear();
    }
}

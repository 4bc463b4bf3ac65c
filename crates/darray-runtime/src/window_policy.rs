//! When a window is full.

use crate::options::WindowSize;
use darray_core::Place;
use darray_ir::task::{IndexTask, TaskOp};
use std::collections::VecDeque;

/// The size of the window, in tasks.
///
/// Adaptive: begins small, so that the first results come soon, and doubles whenever a full window
/// fused into one task, since a longer one might fuse too. Where the tasks repeat, as those of a loop do, windows
/// are whole iterations that begin where a fused task does: then all of them have one plan.
///
/// ```text
/// tasks      a b c d e a b c d e a b c d e a b c d e a ..      period 5, fused tasks {a b} {c d e}
/// windows    [            8 ] [       5 + 4 ] [      2 * 5 ] ..
/// ```
#[derive(Clone, Debug)]
pub(crate) struct WindowPolicy {
    limit: usize,
    adaptive: bool,
    /// The limit where tasks do not repeat.
    size: usize,
    /// What the last tasks of full windows were.
    recent: VecDeque<(TaskOp, Place)>,
    /// After how many tasks they repeat; 0 where they do not.
    period: usize,
}

const FIRST: usize = 64;
const LARGEST: usize = 1024;

/// The longest iteration that is looked for.
const LONGEST_PERIOD: usize = 128;
/// Tasks that must repeat, at least, before an iteration is believed in.
const BELIEVED: usize = 32;

impl WindowPolicy {
    pub(crate) fn new(size: WindowSize) -> WindowPolicy {
        let (size, adaptive) = match size {
            WindowSize::Fixed(limit) => (limit.max(1), false),
            WindowSize::Adaptive => (FIRST, true),
        };
        WindowPolicy { limit: size, adaptive, size, recent: VecDeque::new(), period: 0 }
    }

    /// Tasks of a full window.
    #[inline]
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Learns from a flushed window, which became so many fused tasks, the last of which begins with this task.
    pub(crate) fn flushed(&mut self, tasks: &[IndexTask], fused_tasks: usize, last: usize) {
        if !self.adaptive {
            return;
        }
        if tasks.len() < self.limit {
            self.begin_anew();
            return;
        }
        if fused_tasks == 1 {
            self.size = (2 * self.size).min(LARGEST);
        }
        let fresh = self.recent.is_empty();
        self.recent.extend(tasks.iter().map(|task| (task.op, task.place)));
        let surplus = self.recent.len().saturating_sub(2 * LONGEST_PERIOD);
        self.recent.drain(..surplus);
        let known = self.period > 0 && self.repeats(self.period, tasks.len());
        if !known {
            let repeats = |&period: &usize| {
                let count = BELIEVED.max(2 * period) - period;
                self.recent.len() >= period + count && self.repeats(period, count)
            };
            self.period = (1..=LONGEST_PERIOD).find(repeats).unwrap_or(0);
        }
        // The last fused task may go on: the next window ends before one like it, and so do all behind it.
        let cut = if (fresh || !known) && last > 0 { tasks.len() - last } else { 0 };
        self.limit = self.whole() - cut % self.period.max(1);
    }

    /// Somebody waits for results: what comes next may be the begin of a loop, and is like what came when somebody
    /// waited before.
    pub(crate) fn begin_anew(&mut self) {
        self.recent.clear();
        self.limit = self.whole();
    }

    /// The limit of windows of whole iterations.
    fn whole(&self) -> usize {
        match self.period {
            0 => self.size,
            period => (self.size / period).max(1) * period,
        }
    }

    /// Whether the last `count` tasks are those that came so many tasks before them, as far as is known.
    fn repeats(&self, period: usize, count: usize) -> bool {
        let length = self.recent.len();
        let from = length.saturating_sub(count).max(period);
        (from..length).all(|at| self.recent[at] == self.recent[at - period])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_ir::DomainId;
    use darray_kernel::operator::Operator;
    use smallvec::SmallVec;

    /// Tasks with these operations.
    fn tasks(operators: impl IntoIterator<Item = Operator>) -> Vec<IndexTask> {
        let place = Place::caller();
        let task = |operator| IndexTask {
            op: TaskOp::Apply { operator, compute: darray_core::DType::F64, scalars: 0 },
            name: "test",
            domain: DomainId(0),
            args: SmallVec::new(),
            scalars: SmallVec::new(),
            place,
        };
        operators.into_iter().map(task).collect()
    }

    /// Operations that do not repeat for long.
    fn strange(count: usize) -> Vec<IndexTask> {
        let cube = |n: usize| Operator::ALL[n * n * n % 4099 % Operator::ALL.len()];
        tasks((0..count).map(cube))
    }

    fn iterations(period: usize, from: usize, count: usize) -> Vec<IndexTask> {
        tasks((from..from + count).map(|n| Operator::ALL[n % period]))
    }

    #[test]
    fn the_window_grows_while_whole_windows_fuse() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let mut limits = vec![policy.limit()];
        for (count, fused) in [(64, 2), (10, 1), (64, 1), (128, 1), (256, 1), (512, 1), (1024, 1)] {
            policy.flushed(&strange(count), fused, 0);
            limits.push(policy.limit());
        }
        assert_eq!(limits, [64, 64, 64, 128, 256, 512, 1024, 1024]);
    }

    #[test]
    fn a_fixed_window_stays() {
        let mut policy = WindowPolicy::new(WindowSize::Fixed(0));
        policy.flushed(&iterations(1, 0, 1), 1, 0);
        assert_eq!(policy.limit(), 1);
    }

    #[test]
    fn windows_of_a_loop_are_whole_iterations_between_fused_tasks() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        // 64 = 3 * 18 + 10: the last fused task has begun with task 60, the 7th of its iteration.
        policy.flushed(&iterations(18, 0, 64), 12, 60);
        assert_eq!(policy.limit(), 54 - 4);
        policy.flushed(&iterations(18, 64, 50), 9, 47);
        assert_eq!(policy.limit(), 54);
        policy.flushed(&iterations(18, 114, 54), 9, 47);
        assert_eq!(policy.limit(), 54);
        // Somebody waits; the loop goes on from its beginning.
        policy.flushed(&iterations(18, 168, 12), 2, 9);
        policy.flushed(&iterations(18, 0, 54), 9, 47);
        assert_eq!(policy.limit(), 47);
        policy.flushed(&iterations(18, 54, 47), 9, 40);
        assert_eq!(policy.limit(), 54);
        // Something else.
        policy.flushed(&strange(54), 20, 50);
        assert_eq!(policy.limit(), 64);
    }

    #[test]
    fn long_iterations_are_seen_over_several_windows() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let mut from = 0;
        let mut limits = Vec::new();
        for _ in 0..4 {
            let count = policy.limit();
            policy.flushed(&iterations(61, from, count), 1 + from % 2, 0);
            from += count;
            limits.push(policy.limit());
        }
        assert_eq!(limits.last().map(|limit| limit % 61), Some(0), "{limits:?}");
    }
}

//! When a window is full.

use crate::options::WindowSize;
use crate::window::end::{Held, Kind, WindowEnd, kind};
use crate::window::marks::{Marks, SHORTEST};
use darray_ir::task::IndexTask;
use std::collections::VecDeque;

/// The size of the window, in tasks.
///
/// Adaptive: begins small, so that the first results come soon. A full window that fused into one task might fuse as
/// well twice as long, and what gives arrays second buffers copies them once a window; but that has to be planned anew, which takes longer than small tasks run: the size doubles where
/// such a window has come again, and windows that came again have run for as long as all planning has taken and that
/// will take, about.
///
/// What was planned is of use if windows come again, so a window ends where one has ended: behind the same tasks
/// ([`Marks`]). Windows of a loop are then whole iterations, also if it begins elsewhere, has another length or others in
/// it whose length varies. Where tasks repeat for long, windows are as many whole iterations as the size holds, and end where little is
/// held and fused tasks end ([`WindowEnd`]).
///
/// ```text
/// tasks      a b c d e a b c d e a b c d e a b c d e a b c ..     period 5, size 8, fused tasks {a b} {c d e}
/// windows    [            8 ] [       5 ] [       5 ] [ ..        each behind b c
/// later      .. c d e a b] [c d e a b c d e a b] [ ..             where a fused task begins
/// ```
#[derive(Clone, Debug)]
pub(crate) struct WindowPolicy {
    limit: usize,
    adaptive: bool,
    /// The limit where tasks do not repeat.
    size: usize,
    marks: Marks,
    /// Whether the window is flushed because it is full.
    is_full: bool,
    /// What the last tasks of full windows were.
    recent: VecDeque<Kind>,
    /// After how many tasks they repeat; 0 where they do not.
    period: usize,
    /// Where in what repeats windows end.
    end: WindowEnd,
    /// For how much longer windows have run whose plans were known than others were planned, about, in nanoseconds.
    ahead: i64,
}

/// A window that was flushed.
pub(crate) struct Flushed<'w> {
    pub(crate) tasks: &'w [IndexTask],
    /// Elements of a task.
    pub(crate) elements: &'w dyn Fn(&IndexTask) -> usize,
    /// Up to how many tasks windows may cost less a task if they are twice as long.
    pub(crate) grows_to: usize,
    /// How many fused tasks have tasks on both sides of where a task begins.
    pub(crate) parted: &'w dyn Fn(usize) -> u32,
    /// Whether the plan was known: a window like it has come before.
    pub(crate) is_known: bool,
}

pub(crate) const FIRST: usize = 64;
pub(crate) const LARGEST: usize = 1024;

/// Nanoseconds that planning and compiling a task take, about. What follows from these three is when windows grow,
/// and no result.
const PLANNING: i64 = 10_000;
/// Nanoseconds that a task of a known plan takes beside its elements, about.
const TASK: i64 = 200;
/// Elements that a processor has done in a nanosecond, about.
const ELEMENTS: i64 = 4;

/// Nanoseconds that planning windows of a new size takes, about. Of a loop there are three: the one that begins it, one
/// behind that, and what is left at its end.
const fn planning(size: usize) -> i64 {
    3 * size as i64 * PLANNING
}

/// The longest iteration that is looked for.
const LONGEST_PERIOD: usize = 128;
/// Tasks that are remembered.
const RECENT: usize = if BELIEVED > 2 * LONGEST_PERIOD { BELIEVED } else { 2 * LONGEST_PERIOD };
/// Tasks that must repeat, at least, before an iteration is believed in: more than most loops inside of loops have.
const BELIEVED: usize = 256;

impl WindowPolicy {
    pub(crate) fn new(size: WindowSize) -> WindowPolicy {
        let (size, adaptive) = match size {
            WindowSize::Fixed(limit) => (limit.max(1), false),
            WindowSize::Adaptive => (FIRST, true),
        };
        let (marks, recent, end) = Default::default();
        WindowPolicy {
            limit: size,
            adaptive,
            size,
            marks,
            is_full: false,
            recent,
            period: 0,
            end,
            ahead: 0,
        }
    }

    /// Tasks of a window, before which it is not full.
    #[inline]
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Whether a window of these tasks is looked at for what it holds.
    pub(crate) fn is_looking(&self, tasks: usize) -> bool {
        self.period > 0 && tasks >= self.whole() && self.end.is_looking(self.period)
    }

    /// Whether a window of these tasks, as many as the limit or more, is full; `held` is what so many tasks, its last ones, hold if
    /// it is.
    pub(crate) fn is_full(
        &mut self,
        tasks: &[IndexTask],
        held: impl FnOnce(usize) -> Held,
    ) -> bool {
        self.is_full = match self.adaptive {
            false => true,
            true if self.goes_on(tasks) => {
                tasks.len() >= self.whole()
                    && self.end.is_here(tasks, (self.whole(), self.period), held)
            }
            true => self.marks.has(tasks) || tasks.len() >= self.size,
        };
        self.is_full
    }

    /// Whether the last task of a window is what the loop has there that is believed in.
    fn goes_on(&self, tasks: &[IndexTask]) -> bool {
        let (period, last) = (self.period, tasks.len() - 1);
        let before = match last.checked_sub(period) {
            _ if period == 0 => return false,
            Some(before) => Some(kind(&tasks[before])),
            None => (self.recent.len() + last).checked_sub(period).map(|at| self.recent[at]),
        };
        before == Some(kind(&tasks[last]))
    }

    /// Learns from a flushed window.
    pub(crate) fn flushed(&mut self, flushed: Flushed<'_>) {
        let Flushed { tasks, parted, .. } = flushed;
        if !self.adaptive {
            return;
        }
        if self.size < LARGEST {
            self.account(&flushed);
        }
        if !std::mem::take(&mut self.is_full) {
            self.begin_anew();
            return;
        }
        self.marks.ended(tasks);
        let larger = (2 * self.size).min(LARGEST);
        if larger <= flushed.grows_to && flushed.is_known && self.ahead >= planning(larger) {
            self.size = larger;
        }
        self.recent.extend(tasks.iter().map(kind));
        let surplus = self.recent.len().saturating_sub(RECENT);
        self.recent.drain(..surplus);
        let known = self.period > 0 && self.repeats(self.period, tasks.len());
        if !known {
            let repeats = |&period: &usize| {
                let count = BELIEVED.max(2 * period) - period;
                self.recent.len() >= period + count && self.repeats(period, count)
            };
            self.period = (1..=LONGEST_PERIOD).find(repeats).unwrap_or(0);
            self.end.begin_loop(self.recent.range(self.recent.len() - self.period..));
        }
        if !self.end.is_known() {
            let iteration = tasks.len()..tasks.len() + self.period;
            self.end.note_parted(
                iteration.map(|task| task.checked_sub(self.period).map_or(u32::MAX, parted)),
            );
        }
        self.limit = self.least();
    }

    /// Notes that a window was planned or came again. More than the largest windows need is neither saved nor owed.
    fn account(&mut self, flushed: &Flushed<'_>) {
        let tasks = flushed.tasks.len() as i64;
        self.ahead = match flushed.is_known {
            false => self.ahead.saturating_sub(tasks * PLANNING),
            true => {
                let elements =
                    flushed.tasks.iter().map(flushed.elements).fold(0, usize::saturating_add);
                let elements = i64::try_from(elements).unwrap_or(i64::MAX);
                self.ahead.saturating_add((elements / ELEMENTS).saturating_add(tasks * TASK))
            }
        };
        self.ahead = self.ahead.clamp(-planning(LARGEST), planning(LARGEST));
    }

    /// Somebody waits for results: what comes next may be the begin of a loop, and is like what came when somebody
    /// waited before.
    pub(crate) fn begin_anew(&mut self) {
        self.recent.clear();
        self.marks.begin_anew();
        self.end.begin_anew();
        self.limit = self.least();
    }

    /// Tasks before which no window is full.
    fn least(&self) -> usize {
        let least = if self.marks.is_empty() { self.size } else { SHORTEST };
        if self.adaptive { least.min(self.whole()) } else { self.size }
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
    use darray_core::Place;
    use darray_ir::{DomainId, TaskOp};
    use darray_kernel::operator::Operator;
    use smallvec::SmallVec;

    /// Tasks with these operations.
    fn tasks(operators: impl IntoIterator<Item = Operator>) -> Vec<IndexTask> {
        let place = Place::caller();
        let task = |operator| IndexTask {
            op: TaskOp::Apply { operator, compute: darray_core::Compute::F64, scalars: 0 },
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

    /// A full window that had not come before, of tasks without elements.
    fn flush(policy: &mut WindowPolicy, tasks: &[IndexTask], grows_to: usize) {
        policy.is_full = true;
        let (elements, parted, is_known) = (&|_: &IndexTask| 0, &|_| 1, false);
        policy.flushed(Flushed { tasks, elements, grows_to, parted, is_known });
    }

    /// As many bytes at once; as many are left behind every window.
    fn held(peak: u64) -> Held {
        Held { peak, left: 5 }
    }

    /// The next window of a stream, of which `task` gives any task's operation: how many tasks it has. Such a window would
    /// hold so many bytes, and fused tasks begin with those tasks.
    fn next(
        policy: &mut WindowPolicy,
        task: &dyn Fn(usize) -> Operator,
        from: usize,
        bytes: &dyn Fn(usize) -> u64,
        begins: &dyn Fn(usize) -> bool,
        is_known: bool,
    ) -> usize {
        let all = tasks((from..from + 1000).map(task));
        let full = |&count: &usize| {
            count >= policy.limit() && policy.is_full(&all[..count], |_| held(bytes(from + count)))
        };
        let count = (1..=1000).find(full).expect("windows end");
        let parted = &|task| u32::from(!begins(from + task));
        let elements = &|_: &IndexTask| 0;
        policy.flushed(Flushed { tasks: &all[..count], elements, grows_to: 0, parted, is_known });
        count
    }

    /// Windows of a loop of `period` tasks from task `from` on.
    fn windows(
        policy: &mut WindowPolicy,
        (period, mut from, count): (usize, usize, usize),
        bytes: impl Fn(usize) -> u64,
        fused: &[usize],
    ) -> Vec<usize> {
        let window = |_| {
            let task = |at: usize| Operator::ALL[at % period];
            let (bytes, begins) = (|at| bytes(at % period), |at| fused.contains(&(at % period)));
            let tasks = next(policy, &task, from, &bytes, &begins, false);
            from += tasks;
            tasks
        };
        (0..count).map(window).collect()
    }

    /// A full window that fused whole, of tasks of so many elements.
    fn fused(policy: &mut WindowPolicy, is_known: bool, elements: usize) {
        let tasks = &strange(policy.size)[..];
        let elements = &|_: &IndexTask| elements;
        let parted = &|_| 1;
        policy.is_full = true;
        policy.flushed(Flushed { tasks, elements, grows_to: LARGEST, parted, is_known });
    }

    #[test]
    fn the_window_grows_while_whole_windows_of_many_elements_fuse_and_come_again() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let mut sizes = Vec::new();
        for is_known in [false, true, true, false, false, true, true, true, true] {
            fused(&mut policy, is_known, 10_000_000);
            sizes.push(policy.size);
        }
        assert_eq!(sizes, [64, 128, 256, 256, 256, 512, 1024, 1024, 1024]);
    }

    #[test]
    fn what_was_planned_for_nothing_is_made_up_for_first() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        (0..1000).for_each(|_| fused(&mut policy, false, 1000));
        let as_long_as_planning = (PLANNING * ELEMENTS) as usize;
        let mut windows = 0;
        while policy.size == FIRST {
            fused(&mut policy, true, as_long_as_planning);
            windows += 1;
        }
        assert!((48..64).contains(&windows), "{windows} windows");
    }

    #[test]
    fn windows_that_fuse_in_parts_and_short_ones_do_not_let_it_grow() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        for (count, grows_to, is_full) in [(64, 0, true), (10, LARGEST, false)] {
            let elements = &|_: &IndexTask| 10_000_000;
            let tasks = &strange(count)[..];
            let parted = &|_| 1;
            policy.is_full = is_full;
            policy.flushed(Flushed { tasks, elements, grows_to, parted, is_known: true });
            assert_eq!(policy.size, 64);
        }
    }

    #[test]
    fn small_tasks_run_as_long_as_the_larger_window_is_planned() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let (mut ran, mut planned) = (0, 0);
        while policy.size < LARGEST {
            let size = policy.size;
            fused(&mut policy, true, 0);
            ran += size as i64 * TASK;
            if policy.size > size {
                (0..3).for_each(|_| fused(&mut policy, false, 0));
                planned += planning(policy.size);
                assert!(planned <= ran, "planned for {planned} ns after {ran}");
            }
        }
        // Windows grow all the same.
        assert!(ran < 2 * planned, "planned for {planned} ns after {ran}");
    }

    #[test]
    fn a_fixed_window_stays() {
        let mut policy = WindowPolicy::new(WindowSize::Fixed(0));
        flush(&mut policy, &iterations(1, 0, 1), LARGEST);
        assert_eq!(policy.limit(), 1);
        assert!(policy.is_full(&iterations(1, 0, 1), |_| unreachable!()));
    }

    #[test]
    fn windows_end_where_one_has_ended() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        assert_eq!(windows(&mut policy, (18, 0, 4), |_| 5, &[]), [64, 36, 36, 36]);
        // Somebody waits, and the loop begins again.
        policy.begin_anew();
        assert_eq!(windows(&mut policy, (18, 0, 3), |_| 5, &[]), [64, 36, 36]);
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        assert_eq!(windows(&mut policy, (40, 0, 4), |_| 5, &[]), [64, 40, 40, 40]);
    }

    /// Steps of 9 tasks and of an inner loop of 6 tasks, whose length varies.
    #[test]
    fn loops_in_loops_of_any_length_have_few_windows() {
        let mut stream = Vec::new();
        for step in 0..300 {
            let sweeps = 1 + step * step * 7 % 19;
            stream.extend((0..sweeps).flat_map(|_| 0..6));
            stream.extend(10..19);
        }
        let task = |at: usize| Operator::ALL[stream[at % stream.len()]];
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let (mut from, mut known, mut count) = (0, Vec::new(), 0);
        while from < stream.len() {
            // What comes again is known.
            let mut trial = policy.clone();
            let tasks = next(&mut trial, &task, from, &|_| 5, &|_| false, false);
            let window: Vec<usize> =
                (from..from + tasks).map(|at| stream[at % stream.len()]).collect();
            let is_known = known.contains(&window);
            next(&mut policy, &task, from, &|_| 5, &|_| false, is_known);
            if !is_known {
                known.push(window);
            }
            from += tasks;
            count += 1;
        }
        assert!(known.len() <= 36 && count > 400, "{} windows of {count}", known.len());
    }

    #[test]
    fn windows_of_a_long_loop_are_whole_iterations_between_fused_tasks() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        // Where it makes no difference to memory windows begin with the 7th task, as a fused task does.
        let found = windows(&mut policy, (18, 0, 20), |_| 5, &[6]);
        let believed = found.iter().position(|&tasks| tasks > 64).expect("a loop");
        assert!(found[..believed].iter().sum::<usize>() >= BELIEVED);
        assert_eq!(found[..=believed].iter().sum::<usize>() % 18, 6, "{found:?}");
        assert!(found[believed + 1..].iter().all(|&tasks| tasks == 54), "{found:?}");
        // Somebody waits; the loop goes on from its beginning.
        policy.begin_anew();
        let again = windows(&mut policy, (18, 0, 3), |_| 5, &[6]);
        assert_eq!((again[0] % 18, &again[1..]), (6, &[54, 54][..]));
        // Something else.
        flush(&mut policy, &strange(54), 0);
        assert_eq!(policy.period, 0);
    }

    #[test]
    fn windows_of_a_loop_end_where_little_is_held() {
        let bytes = |next| if [3, 11].contains(&next) { 100 } else { 200 };
        for (fused, places) in [(&[6, 11][..], &[11][..]), (&[6], &[3, 11])] {
            let mut policy = WindowPolicy::new(WindowSize::Adaptive);
            let found = windows(&mut policy, (18, 0, 20), bytes, fused);
            let end = found.iter().sum::<usize>() % 18;
            assert!(places.contains(&end), "{found:?}");
            assert_eq!(found[18..], [54, 54]);
        }
    }

    #[test]
    fn windows_that_do_not_repeat_after_all_end() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        windows(&mut policy, (18, 0, 20), |_| 5, &[6]);
        let stream = |at: usize| Operator::ALL[at * at * at % 4099 % Operator::ALL.len()];
        let first = next(&mut policy, &stream, 0, &|_| 5, &|_| false, false);
        assert!(first <= FIRST, "{first} tasks");
    }

    #[test]
    fn windows_of_tasks_that_do_not_repeat_are_as_many() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let stream = |at: usize| Operator::ALL[at * at * at % 4099 % Operator::ALL.len()];
        let mut from = 0;
        let mut all = Vec::new();
        for _ in 0..100 {
            all.push(next(&mut policy, &stream, from, &|_| 5, &|_| false, false));
            from += all[all.len() - 1];
        }
        let whole = all.iter().filter(|&&tasks| tasks == FIRST).count();
        assert!(whole > 80, "{all:?}");
    }

    #[test]
    fn long_iterations_are_seen_over_several_windows() {
        let mut policy = WindowPolicy::new(WindowSize::Adaptive);
        let found = windows(&mut policy, (61, 0, 12), |_| 5, &[]);
        assert_eq!(found[1..3], [61, 61]);
        assert_eq!(policy.period, 61);
        assert_eq!(found[found.len() - 1] % 61, 0, "{found:?}");
    }
}

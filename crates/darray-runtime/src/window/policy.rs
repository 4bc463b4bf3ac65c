//! When a window is full.

use crate::options::WindowSize;
use crate::window::end::{Held, WindowEnd, kind};
use crate::window::history::{History, SHORTEST_REST};
use crate::window::varying::Varying;
use darray_ir::task::IndexTask;

/// The size of the window, in tasks.
///
/// Adaptive: begins small, so that the first results come soon. A full window that fused into one task might fuse as
/// well twice as long, and what gives arrays second buffers copies them once a window; but that has to be planned anew,
/// which takes longer than small tasks run: the size doubles where such a window has come again, and windows that came
/// again have run for as long as all planning has taken and that will take, about.
///
/// What was planned is of use if windows come again, so a window ends where one has ended: behind the same tasks
/// ([`History`]). Windows of a loop are then whole iterations, also if it begins elsewhere, has another length or others in
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
    history: History,
    /// Whether the window is flushed because it is full.
    is_full: bool,
    /// After how many tasks they repeat; 0 where they do not.
    period: usize,
    varying: Varying,
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
    /// Bytes that the window leaves.
    pub(crate) left: &'w dyn Fn() -> u64,
    /// Whether the plan was known: a window like it has come before.
    pub(crate) is_known: bool,
}

pub(crate) const FIRST: usize = 64;
pub(crate) const LARGEST: usize = 1024;

/// Nanoseconds that planning and compiling a task take, about. What follows from these three is when windows grow,
/// and no result.
const PLANNING: i64 = 6_000;
/// Nanoseconds that a task of a known plan takes beside its elements, about.
const TASK: i64 = 200;
/// Elements that a processor has done in a nanosecond, about.
const ELEMENTS: i64 = 16;

/// Nanoseconds that planning windows of a new size takes, about. Of a loop there are three: the one that begins it, one
/// behind that, and what is left at its end.
const fn planning(size: usize) -> i64 {
    3 * size as i64 * PLANNING
}

/// How many times as long windows have run before others are planned instead.
const PAID: i64 = 2;

/// The longest iteration that is looked for.
const LONGEST_PERIOD: usize = 512;
/// The longest iteration behind each task of which is looked at what is held: that takes long. Windows of longer ones end where one has ended
/// that left little.
const LONGEST_LOOKED_AT: usize = 128;
/// Tasks that must repeat, at least, before an iteration is believed in that has not been: more than most loops inside of loops have.
const BELIEVED: usize = 256;

/// Tasks of windows of so many or fewer that are whole iterations of so many, where tasks repeat.
fn whole(size: usize, period: usize) -> usize {
    match period {
        0 => size,
        _ => (size / period).max(1) * period,
    }
}

impl WindowPolicy {
    pub(crate) fn new(size: WindowSize) -> WindowPolicy {
        let (size, adaptive) = match size {
            WindowSize::Fixed(limit) => (limit.max(1), false),
            WindowSize::Adaptive => (FIRST, true),
        };
        let (history, end) = Default::default();
        WindowPolicy {
            limit: size,
            adaptive,
            size,
            history,
            is_full: false,
            period: 0,
            varying: Varying::default(),
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
                let (whole, period) = (self.whole(), self.period);
                let least = if period > LONGEST_LOOKED_AT { SHORTEST_REST } else { whole };
                tasks.len() >= least && {
                    self.history.see(tasks);
                    self.end.is_here(tasks, (whole, period), self.history.last(period), held)
                }
            }
            true => {
                let ends = self.history.ends(tasks, self.size);
                let is_last = |last| self.history.is_behind(last, tasks.len());
                ends || self.varying.last().is_some_and(is_last)
            }
        };
        self.is_full
    }

    /// Whether the last task of a window is what the loop has there that is believed in.
    fn goes_on(&self, tasks: &[IndexTask]) -> bool {
        let (period, last) = (self.period, tasks.len() - 1);
        let before = match last.checked_sub(period) {
            _ if period == 0 => return false,
            Some(before) => Some(kind(&tasks[before])),
            None => self.history.before(last, period),
        };
        before == Some(kind(&tasks[last]))
    }

    /// Learns from a flushed window.
    pub(crate) fn flushed(&mut self, flushed: Flushed<'_>) {
        let Flushed { tasks, parted, .. } = flushed;
        if !self.adaptive {
            return;
        }
        let nanoseconds = self.account(&flushed);
        if !std::mem::take(&mut self.is_full) {
            self.begin_anew();
            return;
        }
        self.varying.note(nanoseconds, planning(FIRST), &self.history);
        let larger = (2 * self.size).min(flushed.grows_to);
        let is_more = self.period == 0 || self.whole() < whole(larger, self.period);
        if larger > self.size && is_more && flushed.is_known && self.pays(larger) {
            self.size = larger;
            self.varying.grant(PAID * planning(larger));
            self.history.forget_ends();
        }
        if self.varying.last().is_some_and(|last| tasks.last().map(kind) == Some(last)) {
            self.begin_anew();
            return;
        }
        self.history.ended(tasks, (flushed.left)());
        let known = tasks.len().min(self.history.len().saturating_sub(self.period));
        let is_known = |(period, same)| period == self.period && same >= known;
        if !self.history.repeats().is_some_and(is_known) {
            self.begin_loop();
        }
        if !self.end.is_known() {
            let iteration = tasks.len()..tasks.len() + self.period;
            self.end.note_parted(
                iteration.map(|task| task.checked_sub(self.period).map_or(u32::MAX, parted)),
            );
        }
        self.limit = self.least();
    }

    /// Finds out what repeats, if it has for long.
    fn begin_loop(&mut self) {
        let is_believed = |&(period, same): &(usize, usize)| {
            let iteration = || self.history.last(period).into_iter().flatten();
            period <= LONGEST_PERIOD
                && (same >= BELIEVED.max(2 * period) - period
                    || same >= 2 * period && self.end.remembers(iteration()))
        };
        let period = self.history.repeats().filter(is_believed).map_or(0, |(period, _)| period);
        self.period = period;
        self.end.begin_loop(self.history.last(period).into_iter().flatten());
        if period == 0 || self.end.is_known() {
            return;
        }
        // A window that is no longer than others is planned once more.
        let pays = if self.whole() > FIRST { self.pays(self.whole()) } else { self.ahead >= 0 };
        if !pays {
            self.period = 0;
            return;
        }
        self.varying.grant(PAID * planning(self.whole()));
        if period > LONGEST_LOOKED_AT {
            self.end.put_behind(self.history.best_iteration(period).into_iter().flatten());
        }
    }

    /// Notes that a window was planned or came again: the nanoseconds that it has run for, about, or less than nothing.
    /// More than the largest windows need is neither saved nor owed.
    fn account(&mut self, flushed: &Flushed<'_>) -> i64 {
        let tasks = flushed.tasks.len() as i64;
        let nanoseconds = match flushed.is_known {
            false => -tasks * PLANNING,
            true => {
                let elements =
                    flushed.tasks.iter().map(flushed.elements).fold(0, usize::saturating_add);
                let elements = i64::try_from(elements).unwrap_or(i64::MAX);
                (elements / ELEMENTS).saturating_add(tasks * TASK)
            }
        };
        let ahead = self.ahead.saturating_add(nanoseconds);
        self.ahead = ahead.clamp(-planning(LARGEST), PAID * planning(LARGEST));
        nanoseconds
    }

    /// Whether windows that came again have run for long enough that planning windows of another size takes little beside it.
    fn pays(&self, size: usize) -> bool {
        self.ahead >= PAID * planning(size)
    }

    /// Somebody waits for results: what comes next may be the begin of a loop, and is like what came when somebody
    /// waited before.
    pub(crate) fn begin_anew(&mut self) {
        self.history.begin_anew();
        self.end.begin_anew();
        self.limit = self.least();
    }

    /// Tasks before which no window is full.
    fn least(&self) -> usize {
        match (self.adaptive, self.period) {
            (false, _) => self.size,
            (true, 0) => 1,
            (true, _) => (self.size / 2).min(self.whole()),
        }
    }

    /// The limit of windows of whole iterations.
    fn whole(&self) -> usize {
        whole(self.size, self.period)
    }
}

#[cfg(test)]
mod tests;

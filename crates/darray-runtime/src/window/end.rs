//! Where in the iterations of a loop windows end.

use darray_ir::hash_of;
use darray_ir::task::IndexTask;
use std::collections::VecDeque;

/// What a task is, for whoever looks whether tasks repeat: a hash of its operation and its place in the program. Another task with the same one
/// makes windows end elsewhere, no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind(pub(super) u64);

pub(crate) fn kind(task: &IndexTask) -> Kind {
    let place = u64::from(task.place.line()) << 32 | u64::from(task.place.column());
    Kind(hash_of(&(task.op, place)))
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
    /// The iterations behind which windows of other loops ended, the last one last: a loop inside of a loop comes again.
    others: VecDeque<Vec<Kind>>,
}

/// Loops whose ends are remembered.
const REMEMBERED: usize = 4;

/// Whether an iteration is another one that begins elsewhere.
fn is_turned<'k>(other: &[Kind], iteration: &(impl Iterator<Item = &'k Kind> + Clone)) -> bool {
    let turned = |by: usize| iteration.clone().eq(other[by..].iter().chain(&other[..by]));
    other.len() == iteration.clone().count() && (0..other.len()).any(turned)
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
    /// Another loop begins, whose last tasks are an iteration. If it has come before, windows end where they did then.
    pub(crate) fn begin_loop<'k>(&mut self, iteration: impl Iterator<Item = &'k Kind> + Clone) {
        let known = std::mem::take(&mut self.behind);
        if !known.is_empty() {
            self.others.push_back(known);
            if self.others.len() > REMEMBERED {
                self.others.pop_front();
            }
        }
        self.begin_anew();
        if let Some(at) = self.others.iter().rposition(|other| is_turned(other, &iteration)) {
            self.behind = self.others.remove(at).unwrap_or_default();
        }
    }

    /// Whether it is known where windows of a loop end, whose last tasks are an iteration.
    pub(crate) fn remembers<'k>(&self, iteration: impl Iterator<Item = &'k Kind> + Clone) -> bool {
        self.others.iter().chain([&self.behind]).any(|other| is_turned(other, &iteration))
    }

    /// Whether a window of at least an iteration, that has as many tasks as it should, ends here. `held` is what so many tasks, its
    /// last ones, hold if it does.
    /// `iteration` is as many tasks before here as the iterations have, if there were so many.
    pub(crate) fn is_here<'k>(
        &mut self,
        tasks: &[IndexTask],
        (full, period): (usize, usize),
        iteration: Option<impl Iterator<Item = &'k Kind>>,
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
        // What comes may be no loop.
        iteration.is_some_and(|tasks| tasks.eq(&self.behind)) || count >= from + 2 * period
    }

    /// Windows end behind these tasks, an iteration.
    pub(crate) fn put_behind<'k>(&mut self, iteration: impl Iterator<Item = &'k Kind>) {
        self.behind = iteration.copied().collect();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_that_comes_again_ends_where_it_did() {
        let of = |from: u64, count: u64| -> Vec<Kind> { (from..from + count).map(Kind).collect() };
        let mut end = WindowEnd { behind: of(0, 5), ..WindowEnd::default() };
        // Another loop, and tasks that do not repeat.
        end.begin_loop(of(9, 4).iter());
        assert!(!end.is_known());
        end.begin_loop([].iter());
        // The first one again, which is believed in elsewhere in its iterations.
        let turned = [of(3, 2), of(0, 3)].concat();
        end.begin_loop(turned.iter());
        assert_eq!(end.behind, of(0, 5));
        let other = [of(3, 2), of(1, 3)].concat();
        end.begin_loop(other.iter());
        assert!(!end.is_known() && end.others.len() == 1);
        // The oldest of many is forgotten.
        for loops in 0..REMEMBERED {
            end.behind = of(loops as u64, 3);
            end.begin_loop([].iter());
        }
        end.begin_loop(of(0, 5).iter());
        assert!(!end.is_known());
        end.begin_loop(of(REMEMBERED as u64 - 1, 3).iter());
        assert!(end.is_known());
    }
}

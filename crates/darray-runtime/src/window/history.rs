//! The tasks since somebody waited: what came before like what comes now, and where windows ended there.

use crate::window::end::{Kind, kind};
use darray_ir::task::IndexTask;
use hashbrown::HashMap;
use std::collections::VecDeque;

/// The tasks since somebody waited, and where among them windows ended.
///
/// What comes is followed: as long as tasks are those that came at an earlier place, they are expected to go on like them. Where they are not, the
/// last few tasks are looked up, and of the places where the same came the one before which most tasks are the same is
/// followed. A window ends where one ended at the place that is followed, so that the same tasks are cut into the
/// same windows whenever they come, and windows of a loop begin at the same places of its iterations.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    tasks: VecDeque<Entry>,
    /// Tasks that were forgotten.
    forgotten: usize,
    /// By the hash of some tasks, one more than the number of the last one where they came last.
    last: Vec<usize>,
    /// The hash of the last tasks.
    hash: u64,
    /// The number of the task that is expected next, and how many tasks before it are those that came.
    follows: Option<(usize, usize)>,
    /// Tasks of the window that are known.
    seen: usize,
    /// Those of them behind which nothing was expected: the last few tasks had never come so.
    strange: usize,
    /// Those of them that were not what was expected.
    unexpected: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    /// One more than the number of the last task before behind which the hash of the last tasks was in the same place of `last`; 0 if there was none.
    before: usize,
    /// Whether windows end behind it.
    is_end: bool,
    /// If the window did, the bytes that it left.
    left: Option<u64>,
}

/// Tasks that are looked up.
const CONTEXT: usize = 8;

/// Tasks that must have come before where a window ends: fewer come again by chance.
const CERTAIN: usize = 16;

/// Tasks that are known, at most.
const MOST: usize = 2048;

/// Places of the table of hashes.
const PLACES: usize = 2 * MOST;

/// Places that are looked at for the one that is followed.
const CANDIDATES: usize = 8;

/// Tasks of a window that ends where one has ended, at least: what is left over of an iteration of many tasks.
pub(super) const SHORTEST_REST: usize = 8;

/// Tasks that must have come before for an iteration of many tasks to be followed, and that are compared.
const LONG: usize = 64;

/// The factor of the hash of tasks, whose product with itself as often as tasks are looked up takes the oldest one out.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const OLDEST: u64 = FACTOR.wrapping_pow(CONTEXT as u32);

impl History {
    /// Whether that is what the last task of a window is, which has as many tasks as windows have at least.
    pub(crate) fn is_behind(&self, kind: Kind, tasks: usize) -> bool {
        tasks >= SHORTEST_REST && self.tasks.back().is_some_and(|last| last.kind == kind)
    }

    /// Whether a window of these tasks ends, which has `size` tasks unless it ends where one has ended.
    pub(crate) fn ends(&mut self, tasks: &[IndexTask], size: usize) -> bool {
        self.see(tasks);
        let ends = match self.follows {
            Some((next, _)) if self.follows_long() => {
                let ended = self.entry(next - 1).is_some_and(|entry| entry.left.is_some());
                ended && tasks.len() >= SHORTEST_REST
            }
            _ => self.tasks.back().is_some_and(|last| last.is_end) && tasks.len() >= size / 2,
        };
        ends || tasks.len() >= size + SHORTEST_REST || tasks.len() >= size && !self.ends_soon()
    }

    /// Whether of an iteration of many tasks less would be left than windows have.
    fn ends_soon(&self) -> bool {
        let Some((next, _)) = self.follows.filter(|_| self.follows_long()) else { return false };
        let expected = self.tasks.range(next - self.forgotten..);
        expected.take(SHORTEST_REST).any(|entry| entry.left.is_some())
    }

    /// Whether what is followed came so long ago that windows end in it.
    fn follows_long(&self) -> bool {
        let is_long = |(next, same)| same >= LONG && self.next() - next >= LONG;
        self.follows.is_some_and(is_long)
    }

    /// The number of the next task.
    fn next(&self) -> usize {
        self.forgotten + self.tasks.len()
    }

    fn entry(&self, number: usize) -> Option<&Entry> {
        self.tasks.get(number.checked_sub(self.forgotten)?)
    }

    /// Takes over the tasks of the window that are not known yet.
    pub(crate) fn see(&mut self, tasks: &[IndexTask]) {
        for task in tasks.get(self.seen..).unwrap_or_default() {
            self.push(kind(task));
        }
        self.seen = tasks.len();
    }

    fn push(&mut self, kind: Kind) {
        if self.last.is_empty() {
            self.last.resize(PLACES, 0);
        }
        let oldest = self.tasks.len().checked_sub(CONTEXT).map_or(0, |at| self.tasks[at].kind.0);
        self.hash = self.hash.wrapping_mul(FACTOR).wrapping_add(kind.0);
        self.hash = self.hash.wrapping_sub(oldest.wrapping_mul(OLDEST));
        if self.tasks.len() == MOST {
            self.tasks.pop_front();
            self.forgotten += 1;
        }
        let number = self.next();
        let place = (self.hash >> 40) as usize % PLACES;
        let before = std::mem::replace(&mut self.last[place], number + 1);
        self.tasks.push_back(Entry { kind, before, is_end: false, left: None });
        let is_it = |next: usize| self.entry(next).is_some_and(|entry| entry.kind == kind);
        self.follows = match self.follows {
            Some((next, same)) if is_it(next) => Some((next + 1, same + 1)),
            expected => {
                self.unexpected += usize::from(expected.is_some());
                self.look_up(number)
            }
        };
        match self.follows {
            Some((next, same)) => {
                let is_end = self.entry(next - 1).is_some_and(|entry| entry.is_end);
                self.tasks[number - self.forgotten].is_end = is_end && same >= CERTAIN;
            }
            None => self.strange += 1,
        }
    }

    /// What follows tasks like the last ones, that numbered `last` being the last; and how many of them are the same.
    fn look_up(&self, last: usize) -> Option<(usize, usize)> {
        let behind =
            |number: &usize| self.entry(*number).and_then(|entry| entry.before.checked_sub(1));
        let places = std::iter::successors(behind(&last), behind);
        let mut best: Option<(usize, usize)> = None;
        for number in places.take(CANDIDATES) {
            let same = self.same(number, last);
            if same >= CONTEXT && best.is_none_or(|(_, most)| same > most) {
                best = Some((number + 1, same));
            }
            if same >= LONG {
                break;
            }
        }
        best
    }

    /// How many tasks up to two are the same, as far as it matters.
    fn same(&self, one: usize, other: usize) -> usize {
        let [one, other] = [one, other].map(|number| {
            let count = (number + 1).saturating_sub(self.forgotten);
            self.tasks.range(..count).rev().take(LONG)
        });
        one.zip(other).take_while(|(one, other)| one.kind == other.kind).count()
    }

    /// A full window of these tasks has ended, and left so many bytes.
    pub(crate) fn ended(&mut self, tasks: &[IndexTask], left: u64) {
        self.see(tasks);
        (self.seen, self.strange, self.unexpected) = Default::default();
        let Some(last) = self.tasks.back_mut() else { return };
        (last.is_end, last.left) = (true, Some(left));
        if self.follows.is_none_or(|(_, same)| same < LONG) {
            // Of the places where the same came, that where most is the same.
            self.follows = self.look_up(self.next() - 1);
        }
    }

    /// Tasks that are known.
    pub(crate) fn len(&self) -> usize {
        self.tasks.len()
    }

    /// The length of what repeats, and how many tasks were those so many tasks before them.
    pub(crate) fn repeats(&self) -> Option<(usize, usize)> {
        self.follows.map(|(next, same)| (self.next() - next, same))
    }

    /// The task so many tasks before the one of the window with that number.
    pub(crate) fn before(&self, task: usize, count: usize) -> Option<Kind> {
        let begin = self.next() - self.seen;
        Some(self.entry((begin + task).checked_sub(count)?)?.kind)
    }

    /// The last tasks, if there are so many.
    pub(crate) fn last(&self, count: usize) -> Option<impl Iterator<Item = &Kind> + Clone> {
        let from = self.tasks.len().checked_sub(count)?;
        Some(self.tasks.range(from..).map(|entry| &entry.kind))
    }

    /// An iteration of so many tasks that ends where a window of the last one did: that which left the fewest bytes.
    pub(crate) fn best_iteration(&self, count: usize) -> Option<impl Iterator<Item = &Kind>> {
        let last = self.tasks.range(self.tasks.len().checked_sub(count)?..).enumerate();
        let ends = last.filter_map(|(at, entry)| Some((entry.left?, at)));
        let (_, at) = ends.min_by_key(|&(left, at)| (left, std::cmp::Reverse(at)))?;
        let end = self.tasks.len() - count + at + 1;
        Some(self.tasks.range(end.checked_sub(count)?..end).map(|entry| &entry.kind))
    }

    /// Whether the tasks of the window have come before, but in pieces, which are long.
    pub(crate) fn is_of_pieces(&self) -> bool {
        self.unexpected > 0 && CONTEXT * (self.strange + self.unexpected) <= self.seen
    }

    /// The last task of what comes again least often: of iterations of an outer loop, if the length of an inner one varies.
    pub(crate) fn rarest(&self) -> Option<Kind> {
        // How often, first and last.
        let mut found: HashMap<u64, (usize, usize, usize)> = HashMap::new();
        for (at, entry) in self.tasks.iter().enumerate() {
            let (count, _, last) = found.entry(entry.kind.0).or_insert((0, at, at));
            (*count, *last) = (*count + 1, at);
        }
        // What begins a program does not come again, and what comes after a few tasks ends no windows.
        let comes_again = |&&(count, first, last): &&(usize, usize, usize)| {
            let apart = (last - first) / (count - 1).max(1);
            count > 1 && apart >= SHORTEST_REST && self.tasks.len() - last <= 4 * apart
        };
        let rarest = found.values().filter(comes_again).min_by_key(|(count, ..)| count)?.0;
        let is_rare = |entry: &Entry| {
            let found = &found[&entry.kind.0];
            found.0 == rarest && comes_again(&found)
        };
        let mut pairs = self.tasks.iter().zip(self.tasks.iter().skip(1)).rev();
        pairs.find(|(entry, next)| is_rare(entry) && !is_rare(next)).map(|(entry, _)| entry.kind)
    }

    /// Windows have another size and end elsewhere.
    pub(crate) fn forget_ends(&mut self) {
        self.tasks.iter_mut().for_each(|entry| (entry.is_end, entry.left) = (false, None));
    }

    /// Somebody waits: what comes next begins with something else.
    pub(crate) fn begin_anew(&mut self) {
        self.forgotten += self.tasks.len();
        self.tasks.clear();
        (self.hash, self.follows) = Default::default();
        (self.seen, self.strange, self.unexpected) = Default::default();
    }
}

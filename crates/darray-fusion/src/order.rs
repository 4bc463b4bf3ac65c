//! In which order the tasks of a window are cut into groups.
//!
//! Greedy prefixes ([`crate::group`]) fuse what stands together. What a program does in turns, two chains of operations or the
//! components of a field, stands apart. So the tasks are put in an order first in which what is to be one kernel stands together,
//! and where kernels of it begin is noted; the prefixes of that order are the groups. What runs is always a window in some
//! order: the constraints, limits, kernels, plans and the executor know of nothing else.
//!
//! ```text
//! program          order                      kernels
//! t0  a = x + 1    t0 t2 | t1 t3              a, c
//! t1  b = y.T * 2                             b, d
//! t2  c = a * a
//! t3  d = b - 1
//! ```
//!
//! An order is sound if it keeps every two tasks in turn that may use one element of a store, unless both read it, and has
//! every task that is needed: then each task finds what it finds in the program. [`graph`] says which these are. How good it is
//! does not matter for that: groups that would move fewer bytes are looked for by [`groups`] and [`merge`], and the planner takes
//! an order only if kernels cut from it cost less than those of the program's own.
//!
//! An order may have a task several times: one that [`replicable`](crate::constraint::replicable) is, a *replica* for each kernel that reads what it
//! gives. Each replica but one writes a store of its own, which the kernel's tasks read instead.
//!
//! ```text
//! program          order                                  kernels
//! t0  a = b / c    t0 t1 | t0 t2, with b and c 0-d        x * a; y * a over another domain
//! t1  x * a
//! t2  y * a
//! ```
//!
//! [`twins`] has the third thing that an order may do: stores that are updated in place get a second buffer. [`equal`] has the fourth: what gives
//! what was given before is not run. [`inline`] has the fifth: what is read through other maps is computed again where it is read.

pub mod bytes;
mod equal;
mod given;
pub(crate) mod graph;
pub(crate) mod groups;
mod inline;
mod merge;
mod orders;
mod partitions;
mod replicas;
mod twins;

use crate::constraint::Rules;
use darray_ir::{Privilege, StoreId, Window};
pub use equal::Equals;
use given::{Given, Rewritten};
use graph::{Edge, Graph};
pub use inline::Inlined;
pub use orders::Orders;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;
pub use twins::Twin;

/// The tasks of a window in another order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Those that are needed, by their numbers in the window.
    pub tasks: Vec<u32>,
    /// Where in `tasks` kernels begin that are not to grow together; in order.
    pub begins: Vec<u32>,
    /// Where in `tasks` a task stands for the kernel around it alone; in order.
    pub replicas: Vec<u32>,
    /// What is computed once.
    pub equals: Equals,
    /// What is computed again where it is read through other maps. These tasks have the numbers behind those of the window.
    pub inlined: Inlined,
    /// Stores that are updated in two buffers. What copies from one to the other has the numbers behind those.
    pub twins: Vec<Twin>,
    /// How many of these copies stand in the order: what is written before it is read is not copied.
    pub filled: u32,
    /// How many of the tasks that are computed again do: those of a task that nobody needs as things are do not.
    pub again: u32,
    /// Of each task that is none of the window's, the one behind which it stands in the program; none before all of them.
    pub behind: Vec<Option<u32>>,
}

impl fmt::Display for Order {
    /// The tasks by their numbers in the program: runs of them, kernel by kernel.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = self.begins.iter().copied().chain([self.tasks.len() as u32]);
        let mut from = 0;
        for end in ends {
            let bar = if from == 0 { "" } else { " | " };
            f.write_str(bar)?;
            let kernel = &self.tasks[from..end as usize];
            for (number, run) in kernel.chunk_by(|a, b| a + 1 == *b).enumerate() {
                let space = if number == 0 { "" } else { " " };
                match run {
                    [only] => write!(f, "{space}t{only}")?,
                    _ => write!(f, "{space}t{}..t{}", run[0], run[run.len() - 1])?,
                }
            }
            from = end as usize;
        }
        Ok(())
    }
}

impl Order {
    /// Whether the tasks of a window, whose live bits are set, find in this order what they find in the program's: it has
    /// those that are needed, each behind all that must come before it, and where one computes a 0-d value for itself, what gives
    /// that comes before it.
    pub fn is_sound(&self, window: &Window) -> bool {
        let Some(Rewritten { window, given }) = self.rewritten(window) else { return false };
        let graph = Graph::new(&window, Rules::default());
        let mut places = vec![u32::MAX; window.tasks().len()];
        let mut own = 0;
        let turned = given.turned(&self.tasks);
        for (place, &task) in turned.iter().enumerate() {
            if !self.is_replica(place as u32) {
                // Twice without need.
                if places[task as usize] != u32::MAX {
                    return false;
                }
                places[task as usize] = place as u32;
                own += 1;
            }
        }
        let place = |node: usize| places[graph.nodes[node].task as usize];
        own == graph.len()
            && (0..graph.len()).all(|node| {
                let before = |edge: &Edge| place(edge.node as usize) < place(node);
                place(node) != u32::MAX && graph.before(node).iter().all(before)
            })
            && self.has_replicas(&graph, &turned, &places)
            && self.are_wanted(&graph, &turned)
    }

    /// The window whose tasks this is an order of; none if it is not rewritten so.
    fn rewritten<'w>(&self, window: &'w Window) -> Option<Rewritten<'w>> {
        if !self.equals.is_empty() && self.equals != equal::of(window) {
            return None;
        }
        let mut rewritten = Rewritten::new(window, &self.equals);
        if !self.inlined.is_empty() {
            if self.inlined != inline::of(&rewritten.window).0 {
                return None;
            }
            rewritten = rewritten.inlined(&self.inlined);
        }
        if !self.twins.is_empty() {
            if self.twins != twins::of(&rewritten.window) {
                return None;
            }
            rewritten = rewritten.with_twins(&self.twins);
        }
        Some(rewritten)
    }

    /// Whether each replica has a task behind it in its kernel that computes the value for itself: such a task comes before what changes
    /// the operands, and so does the replica.
    fn are_wanted(&self, graph: &Graph, tasks: &[u32]) -> bool {
        let mut wanted: SmallVec<[u32; 8]> = SmallVec::new();
        (0..tasks.len() as u32).rev().all(|place| {
            let task = tasks[place as usize];
            if self.is_replica(place) && !wanted.contains(&task) {
                return false;
            }
            wanted.extend_from_slice(graph.replicas.of(task));
            if self.begins_at(place) {
                wanted.clear();
            }
            true
        })
    }

    /// Whether replicas may stand where they stand, and each task has those that it needs.
    fn has_replicas(&self, graph: &Graph, tasks: &[u32], places: &[u32]) -> bool {
        // Where each task's last replica stands, and where the kernel begins in which that is.
        let mut last: Vec<Option<u32>> = vec![None; places.len()];
        let mut begin = 0;
        (0..tasks.len() as u32).all(|place| {
            begin = if self.begins_at(place) { place } else { begin };
            let task = tasks[place as usize];
            let is_there = |&own: &u32| {
                last[own as usize].is_some_and(|at| at >= begin) || places[own as usize] < place
            };
            if !graph.replicas.of(task).iter().all(is_there) {
                return false;
            }
            if !self.is_replica(place) {
                return true;
            }
            last[task as usize] = Some(place);
            let mut before = graph.before_replica(task).iter();
            graph.replicas.is_replicable(task)
                && before.all(|&node| places[graph.nodes[node as usize].task as usize] < place)
        })
    }

    /// Whether it is the program's, and has all of its tasks.
    pub fn is_of_all(&self, window: &Window) -> bool {
        self.tasks.len() == window.tasks().len() && self.tasks.is_sorted()
    }

    /// The tasks of the window that it does not have.
    pub fn left_out(&self, window: &Window) -> Vec<u32> {
        let tasks = window.tasks().len();
        let mut has = vec![false; tasks];
        let in_program = self.tasks.iter().filter(|task| (**task as usize) < tasks);
        in_program.for_each(|&task| has[task as usize] = true);
        (0..has.len() as u32).filter(|&task| !has[task as usize]).collect()
    }

    /// Whether a kernel begins there.
    pub fn begins_at(&self, place: u32) -> bool {
        self.begins.binary_search(&place).is_ok()
    }

    /// Whether the task there stands for the kernel around it alone.
    pub fn is_replica(&self, place: u32) -> bool {
        self.replicas.binary_search(&place).is_ok()
    }

    /// Brings the tasks of a window into this order. Further stores are those that are computed again, the second buffers, and those that
    /// replicas write.
    pub fn apply(&self, window: &mut Window) {
        self.equals.apply(window);
        let mut tasks = Cow::Borrowed(&self.tasks[..]);
        if !self.inlined.is_empty() {
            let count = window.tasks().len();
            self.inlined.give(window);
            // Twins are those of the window in which these tasks stand where they are read.
            if !self.twins.is_empty() {
                let given = Given::default().with(count, &self.inlined.behind());
                window.reorder(&given.tasks);
                tasks = given.turned(&self.tasks);
            }
        }
        twins::give(window, &self.twins);
        let copies = self.copies(window.tasks().len());
        window.reorder(&tasks);
        let mut copies = copies.into_iter().rev().peekable();
        let Some(&first) = copies.peek() else { return };
        let mut renamed: SmallVec<[(StoreId, StoreId); 4]> = SmallVec::new();
        for place in first..self.tasks.len() as u32 {
            if self.begins_at(place) {
                renamed.clear();
            }
            if renamed.is_empty() && copies.peek().is_none() {
                return;
            }
            let outputs = window.tasks()[place as usize].outputs();
            for number in outputs..window.tasks()[place as usize].args.len() {
                let arg = window.tasks()[place as usize].args[number];
                let new = renamed.iter().rfind(|(from, _)| *from == arg.store);
                if let Some(&(_, to)) = new.filter(|_| arg.privilege == Privilege::Read) {
                    window.rename(place, number, to);
                }
            }
            if copies.next_if_eq(&place).is_some() {
                for number in 0..outputs {
                    let from = window.tasks()[place as usize].args[number].store;
                    let to = window.add_copy(from);
                    window.rename(place, number, to);
                    renamed.push((from, to));
                }
            }
        }
    }

    /// The places of replicas that write stores of their own, last ones first: all but the last of a task that is nothing but replicas.
    fn copies(&self, tasks: usize) -> SmallVec<[u32; 8]> {
        if self.replicas.is_empty() {
            return SmallVec::new();
        }
        let mut writes_own = vec![true; tasks];
        for (place, &task) in self.tasks.iter().enumerate() {
            writes_own[task as usize] &= self.is_replica(place as u32);
        }
        let is_copy = |place: &&u32| {
            let writes_own = &mut writes_own[self.tasks[**place as usize] as usize];
            !std::mem::replace(writes_own, false)
        };
        self.replicas.iter().rev().filter(is_copy).copied().collect()
    }

    /// A window in this order.
    pub fn applied(&self, window: &Window) -> Window {
        let mut ordered = window.clone();
        self.apply(&mut ordered);
        ordered
    }
}

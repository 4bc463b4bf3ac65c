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

pub mod bytes;
pub(crate) mod graph;
pub(crate) mod groups;
mod merge;
mod partitions;

use crate::constraint::Rules;
use bytes::StoreUsers;
use darray_ir::Window;
use graph::{Edge, Graph};
use groups::Sequence;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

/// Bytes that could be moved while a kernel is launched.
pub(crate) const LAUNCH: u64 = 20_000;

/// Elements up to which a launch saved is worth more than what kernels of more arrays cost caches.
pub(crate) const NEAR: u64 = 40_000;

/// The tasks of a window in another order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Those that are needed, by their numbers in the window.
    pub tasks: Vec<u32>,
    /// Where in `tasks` kernels begin that are not to grow together; in order.
    pub begins: Vec<u32>,
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
    /// those that are needed, each behind all that must come before it.
    pub fn is_sound(&self, window: &Window) -> bool {
        let graph = Graph::new(window, Rules::default());
        let mut places = vec![u32::MAX; window.tasks().len()];
        for (place, &task) in self.tasks.iter().enumerate() {
            places[task as usize] = place as u32;
        }
        let place = |node: usize| places[graph.nodes[node].task as usize];
        self.tasks.len() == graph.len()
            && (0..graph.len()).all(|node| {
                let before = |edge: &Edge| place(edge.node as usize) < place(node);
                place(node) != u32::MAX && graph.before(node).iter().all(before)
            })
    }

    /// Whether it is the program's, and has all of its tasks.
    pub fn is_of_all(&self, window: &Window) -> bool {
        self.tasks.len() == window.tasks().len() && self.tasks.is_sorted()
    }

    /// The tasks of the window that it does not have.
    pub fn left_out(&self, window: &Window) -> Vec<u32> {
        let mut has = vec![false; window.tasks().len()];
        self.tasks.iter().for_each(|&task| has[task as usize] = true);
        (0..has.len() as u32).filter(|&task| !has[task as usize]).collect()
    }

    /// Whether a kernel begins there.
    pub fn begins_at(&self, place: u32) -> bool {
        self.begins.binary_search(&place).is_ok()
    }
}

/// Orders to choose from for a window whose live bits are set, each with what its kernels cost, about; better ones first, the last
/// one what needs little memory.
pub fn orders(window: &Window, rules: Rules) -> Vec<(Order, u64)> {
    let graph = Graph::new(window, rules);
    if graph.len() == 0 {
        return vec![(Order::default(), 0)];
    }
    let users = StoreUsers::new(window, &graph);
    let mut sequences = [Sequence::last_fit(&graph), Sequence::first_fit(&graph)];
    sequences.iter_mut().for_each(|sequence| sequence.refine(&graph, &users));
    let stores = window.stores().len();
    let costs = sequences.each_ref().map(|sequence| sequence.cost(&users, stores));
    let at = (costs[1] < costs[0]) as usize;
    let (better, cost) = (&sequences[at], costs[at]);
    let last = (&sequences[0].place, costs[0]);
    let merged = merge::merge(window, &graph, &users, better);
    let better = match &merged {
        Some((groups, saved)) => (groups, cost - saved),
        None => (&better.place, cost),
    };
    let is_new = merged.is_some() || at > 0;
    let all = [Some(better), is_new.then_some(last)].into_iter().flatten();
    all.map(|(groups, cost)| (in_order(&graph, groups), cost)).collect()
}

/// Groups in the order of their first nodes, as far as edges let them.
fn in_order(graph: &Graph, groups: &[u32]) -> Order {
    let count = groups.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut waits = vec![0; count];
    for (node, &group) in groups.iter().enumerate() {
        members[group as usize].push(node as u32);
        for edge in graph.behind(node) {
            let to = groups[edge.node as usize];
            if to != group {
                next[group as usize].push(to);
                waits[to as usize] += 1;
            }
        }
    }
    let first = |group: u32| members[group as usize].first().copied();
    let item = |group: u32| first(group).map(|node| Reverse((node, group)));
    let free = (0..count as u32).filter(|&group| waits[group as usize] == 0);
    let mut ready: BinaryHeap<Reverse<(u32, u32)>> = free.filter_map(item).collect();
    let mut order = Order::default();
    while let Some(Reverse((_, group))) = ready.pop() {
        if !order.tasks.is_empty() {
            order.begins.push(order.tasks.len() as u32);
        }
        let tasks = members[group as usize].iter().map(|&n| graph.nodes[n as usize].task);
        order.tasks.extend(tasks);
        for &to in &next[group as usize] {
            waits[to as usize] -= 1;
            if waits[to as usize] == 0 {
                ready.extend(item(to));
            }
        }
    }
    debug_assert_eq!(order.tasks.len(), graph.len(), "groups wait for each other");
    order
}

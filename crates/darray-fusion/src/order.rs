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
//! what was given before is not run.

pub mod bytes;
mod equal;
pub(crate) mod graph;
pub(crate) mod groups;
mod merge;
mod partitions;
mod replicas;
mod twins;

use crate::constraint::Rules;
use crate::facts::Costs;
use bytes::StoreUsers;
use darray_ir::{DomainId, Privilege, StoreId, Window};
pub use equal::Equals;
use graph::{Edge, Graph, Node};
use groups::Sequence;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use twins::Given;
pub use twins::Twin;

/// Single tasks that stand elsewhere must save one of so many parts of the cost.
const LEAST_PART: u64 = 50;

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
    /// Stores that are updated in two buffers. What copies from one to the other has the numbers behind those of the window.
    pub twins: Vec<Twin>,
    /// How many of these stand in the order: what is written before it is read is not copied.
    pub filled: u32,
    /// Of each, the task behind which it stands in the program; none before all of them.
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
        if !self.equals.is_empty() && self.equals != equal::of(window) {
            return false;
        }
        let window = once(window, &self.equals);
        if !self.twins.is_empty() && self.twins != twins::of(&window) {
            return false;
        }
        let (window, given) = with_twins(window, &self.twins);
        let graph = Graph::new(&window, Rules::default());
        let mut places = vec![u32::MAX; window.tasks().len()];
        let mut own = 0;
        // Where in that window the tasks stand.
        let mut turned = self.tasks.clone();
        if !given.tasks.is_empty() {
            let mut stands = vec![0; given.tasks.len()];
            (0..).zip(&given.tasks).for_each(|(at, &number)| stands[number as usize] = at);
            turned.iter_mut().for_each(|task| *task = stands[*task as usize]);
        }
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

    /// Brings the tasks of a window into this order. Further stores are the second buffers, then those that replicas write.
    pub fn apply(&self, window: &mut Window) {
        self.equals.apply(window);
        twins::give(window, &self.twins);
        let copies = self.copies(window.tasks().len());
        window.reorder(&self.tasks);
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

/// A window whose tasks read what is computed once.
fn once<'w>(window: &'w Window, equals: &Equals) -> Cow<'w, Window> {
    let mut window = Cow::Borrowed(window);
    if !equals.is_empty() {
        equals.apply(window.to_mut());
    }
    window
}

/// A window whose stores have twins, and what its tasks are; nothing without twins.
fn with_twins<'w>(mut window: Cow<'w, Window>, twins: &[Twin]) -> (Cow<'w, Window>, Given) {
    if twins.is_empty() {
        return (window, Given::default());
    }
    let given = Given::new(window.tasks().len() as u32, twins);
    let changed = window.to_mut();
    twins::give(changed, twins);
    changed.reorder(&given.tasks);
    (window, given)
}

/// Orders to choose from for a window whose live bits are set.
pub struct Orders<'w> {
    /// With the copies to second buffers.
    window: Cow<'w, Window>,
    graph: Graph,
    users: StoreUsers,
    equals: Equals,
    twins: Vec<Twin>,
    given: Given,
    /// Per node, whether it is a nest that others are launched with.
    is_small: Vec<bool>,
}

impl<'w> Orders<'w> {
    /// Of a window, in which nests of at most so many elements are launched together if they stand together.
    pub fn new(window: &'w Window, rules: Rules, costs: Costs) -> Orders<'w> {
        let equals = equal::of(window);
        let window = (once(window, &equals), Given::default());
        Orders::in_window(window, rules, costs, (equals, Vec::new()))
    }

    /// The same where what is updated in place has two buffers; none if nothing is.
    pub fn with_twins(&self, rules: Rules, costs: Costs) -> Option<Orders<'_>> {
        let window = &*self.window;
        let twins = twins::of(window);
        if twins.is_empty() {
            return None;
        }
        let window = with_twins(Cow::Borrowed(window), &twins);
        Some(Orders::in_window(window, rules, costs, (self.equals.clone(), twins)))
    }

    fn in_window(
        (window, given): (Cow<'w, Window>, Given),
        rules: Rules,
        costs: Costs,
        (equals, twins): (Equals, Vec<Twin>),
    ) -> Orders<'w> {
        let graph = Graph::new(&window, rules);
        let size = |node: &Node| window.domain(DomainId(node.domain)).size();
        let is_small =
            graph.nodes.iter().map(|node| node.is_nest && size(node) <= costs.small).collect();
        let users = StoreUsers::new(&window, &graph, costs.launch);
        Orders { users, window, graph, equals, twins, given, is_small }
    }

    /// The window, in which some tasks copy to second buffers.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// An order of groups of nodes.
    fn of(&self, groups: &[u32]) -> Option<Order> {
        let mut order = in_order(&self.graph, groups, &self.is_small)?;
        order.equals.clone_from(&self.equals);
        if !self.twins.is_empty() {
            let Given { tasks, behind } = &self.given;
            order.tasks.iter_mut().for_each(|task| *task = tasks[*task as usize]);
            let first = tasks.len() - behind.len();
            let copies = order.tasks.iter().filter(|task| **task as usize >= first);
            order.filled = copies.count() as u32;
            order.behind.clone_from(behind);
            order.twins.clone_from(&self.twins);
        }
        Some(order)
    }

    /// The tasks that anybody needs, in the program's order.
    pub fn needed(&self) -> Vec<u32> {
        let mut tasks = self.graph.tasks();
        tasks.sort_unstable();
        tasks
    }

    /// The program's, whose kernels begin with these tasks of it, but that they compute 0-d values for themselves, and that single tasks
    /// stand in others with which they move fewer bytes; with what its kernels cost, about. None if there is nothing of the kind.
    pub fn program(&self, kernels: &[u32]) -> Option<(Order, u64)> {
        let graph = &self.graph;
        let mut sequence = Sequence::in_turn(graph, &self.begins(kernels));
        let is_less = self.window.tasks().len() > graph.len() || !graph.replicas.is_empty();
        let (users, stores) = (&self.users, self.window.stores().len());
        let before = sequence.cost(users, stores);
        // Cutting it takes as long as all that was done before.
        let is_moved = sequence.refine(graph, users);
        let cost = if is_moved { sequence.cost(users, stores) } else { before };
        let is_worth_it = before.saturating_sub(cost) >= before.div_ceil(LEAST_PART);
        let is_other = is_worth_it || is_less || !self.twins.is_empty();
        if is_other { Some((self.of(&sequence.place)?, cost)) } else { None }
    }

    /// Where kernels begin that begin with these tasks of the program; what copies to second buffers is none of theirs.
    fn begins(&self, kernels: &[u32]) -> Cow<'_, [u32]> {
        if self.twins.is_empty() {
            return Cow::Owned(kernels.to_vec());
        }
        let program = (self.given.tasks.len() - self.given.behind.len()) as u32;
        let mut was_copy = false;
        let tasks = (0..).zip(&self.given.tasks).filter(|&(_, &task)| {
            let is_copy = task >= program;
            let begins = is_copy || was_copy || kernels.binary_search(&task).is_ok();
            was_copy = is_copy;
            begins
        });
        tasks.map(|(at, _)| at).collect::<Vec<u32>>().into()
    }

    /// Others, each with what its kernels cost, about; better ones first, the last one what needs little memory.
    pub fn others(&self) -> Vec<(Order, u64)> {
        let (graph, users, window) = (&self.graph, &self.users, &*self.window);
        if graph.len() == 0 {
            let (twins, behind) = (self.twins.clone(), self.given.behind.clone());
            let equals = self.equals.clone();
            return vec![(Order { equals, twins, behind, ..Order::default() }, 0)];
        }
        let mut sequences = [Sequence::last_fit(graph), Sequence::first_fit(graph)];
        for sequence in &mut sequences {
            sequence.refine(graph, users);
        }
        let stores = window.stores().len();
        let costs = sequences.each_ref().map(|sequence| sequence.cost(users, stores));
        let at = (costs[1] < costs[0]) as usize;
        let (better, cost) = (&sequences[at], costs[at]);
        let last = (&sequences[0].place, costs[0]);
        let merged = merge::merge(window, graph, users, better);
        let better = match &merged {
            Some((groups, saved)) => (groups, cost - saved),
            None => (&better.place, cost),
        };
        let is_new = merged.is_some() || at > 0;
        let all = [Some(better), is_new.then_some(last)].into_iter().flatten();
        all.filter_map(|(groups, cost)| Some((self.of(groups)?, cost))).collect()
    }
}

/// Groups in the order of their first nodes, as far as edges let them, but that small ones follow each other; none if that takes more
/// replicas than there are tasks.
fn in_order(graph: &Graph, groups: &[u32], is_small: &[bool]) -> Option<Order> {
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
    let is_small = |group: u32| members[group as usize].iter().all(|&node| is_small[node as usize]);
    // Large ones and small ones.
    let mut ready: [BinaryHeap<Reverse<(u32, u32)>>; 2] = Default::default();
    free.for_each(|group| ready[usize::from(is_small(group))].extend(item(group)));
    let most = graph.tasks().len();
    let mut order = Order::default();
    let mut after_small = false;
    loop {
        let firsts = ready.each_ref().map(|ready| ready.peek());
        let small = match firsts {
            [Some(large), Some(small)] => after_small || small > large,
            _ => firsts[1].is_some(),
        };
        let Some(Reverse((_, group))) = ready[usize::from(small)].pop() else { break };
        after_small = small;
        if !order.tasks.is_empty() {
            order.begins.push(order.tasks.len() as u32);
        }
        let begin = order.tasks.len();
        for &node in &members[group as usize] {
            let task = graph.nodes[node as usize].task;
            add_replicas(graph, task, begin, &mut order);
            order.tasks.push(task);
        }
        if order.replicas.len() > most {
            return None;
        }
        for &to in &next[group as usize] {
            waits[to as usize] -= 1;
            if waits[to as usize] == 0 {
                ready[usize::from(is_small(to))].extend(item(to));
            }
        }
    }
    debug_assert_eq!(
        order.tasks.len() - order.replicas.len(),
        graph.len(),
        "groups wait for each other"
    );
    Some(order)
}

/// Adds what a task computes for itself and its kernel, which begins at `begin`, has not.
fn add_replicas(graph: &Graph, task: u32, begin: usize, order: &mut Order) {
    for &own in graph.replicas.of(task) {
        if !order.tasks[begin..].contains(&own) {
            add_replicas(graph, own, begin, order);
            order.replicas.push(order.tasks.len() as u32);
            order.tasks.push(own);
        }
    }
}

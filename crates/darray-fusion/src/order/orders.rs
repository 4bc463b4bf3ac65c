//! Orders of a window's tasks to choose from.

use crate::constraint::Rules;
use crate::facts::Costs;
use crate::order::bytes::StoreUsers;
use crate::order::equal::{self, Equals};
use crate::order::given::{Given, Rewritten};
use crate::order::graph::{Graph, Node};
use crate::order::groups::Sequence;
use crate::order::inline::{self, Inlined};
use crate::order::twins::{self, Twin};
use crate::order::{Order, merge};
use darray_ir::{DomainId, Window};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Single tasks that stand elsewhere must save one of so many parts of the cost.
const LEAST_PART: u64 = 50;

/// How a window is rewritten.
#[derive(Clone, Default)]
struct Of {
    equals: Equals,
    inlined: Inlined,
    twins: Vec<Twin>,
    /// What computing again takes, in bytes.
    computing: u64,
}

impl Of {
    /// Notes it in an order.
    fn note(&self, given: &Given, order: &mut Order) {
        order.equals.clone_from(&self.equals);
        order.inlined.clone_from(&self.inlined);
        order.twins.clone_from(&self.twins);
        order.behind.clone_from(&given.behind);
    }
}

/// Orders to choose from for a window whose live bits are set.
pub struct Orders<'w> {
    /// With what is computed again and the copies to second buffers.
    window: Cow<'w, Window>,
    graph: Graph,
    users: StoreUsers,
    of: Of,
    given: Given,
    /// Per node, whether it is a nest that others are launched with.
    is_small: Vec<bool>,
}

impl<'w> Orders<'w> {
    /// Of a window, in which nests of at most so many elements are launched together if they stand together.
    pub fn new(window: &'w Window, rules: Rules, costs: Costs) -> Orders<'w> {
        let equals = equal::of(window);
        let rewritten = Rewritten::new(window, &equals);
        Orders::in_window(rewritten, rules, costs, Of { equals, ..Of::default() })
    }

    /// The same where what is updated in place has two buffers; none if nothing is.
    pub fn with_twins(&self, rules: Rules, costs: Costs) -> Option<Orders<'_>> {
        let twins = twins::of(&self.window);
        if twins.is_empty() {
            return None;
        }
        let rewritten = self.rewritten().with_twins(&twins);
        Some(Orders::in_window(rewritten, rules, costs, Of { twins, ..self.of.clone() }))
    }

    /// The same where what is read through other maps is computed again; none if nothing is, or if that saves no more than so many bytes.
    pub fn with_inlined(&self, rules: Rules, costs: Costs, least: u64) -> Option<Orders<'_>> {
        let (inlined, price) = inline::of(&self.window);
        if inlined.is_empty() || price.saved.saturating_sub(price.computing) <= least {
            return None;
        }
        let rewritten = self.rewritten().inlined(&inlined);
        let computing = price.computing;
        Some(Orders::in_window(
            rewritten,
            rules,
            costs,
            Of { inlined, computing, ..self.of.clone() },
        ))
    }

    fn rewritten(&self) -> Rewritten<'_> {
        Rewritten { window: Cow::Borrowed(&*self.window), given: self.given.clone() }
    }

    fn in_window(rewritten: Rewritten<'w>, rules: Rules, costs: Costs, of: Of) -> Orders<'w> {
        let Rewritten { window, given } = rewritten;
        let graph = Graph::new(&window, rules);
        let size = |node: &Node| window.domain(DomainId(node.domain)).size();
        let is_small =
            graph.nodes.iter().map(|node| node.is_nest && size(node) <= costs.small).collect();
        let users = StoreUsers::new(&window, &graph, costs.launch);
        Orders { users, window, graph, of, given, is_small }
    }

    /// What computing again what is computed again takes, in bytes that could be moved meanwhile.
    pub fn computing(&self) -> u64 {
        self.of.computing
    }

    /// The window, in which some tasks are computed again, and some copy to second buffers.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// An order of groups of nodes.
    fn order(&self, groups: &[u32]) -> Option<Order> {
        let mut order = in_order(&self.graph, groups, &self.is_small)?;
        if !self.given.tasks.is_empty() {
            let Given { tasks, .. } = &self.given;
            order.tasks.iter_mut().for_each(|task| *task = tasks[*task as usize]);
            let (program, inlined) = (self.given.program(), self.of.inlined.len());
            let mut stands = vec![false; tasks.len()];
            order.tasks.iter().for_each(|&task| stands[task as usize] = true);
            let count = |tasks: &[bool]| tasks.iter().filter(|stands| **stands).count() as u32;
            order.again = count(&stands[program..program + inlined]);
            order.filled = count(&stands[program + inlined..]);
        }
        self.of.note(&self.given, &mut order);
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
        let is_other = is_worth_it || is_less || !self.given.tasks.is_empty();
        if is_other { Some((self.order(&sequence.place)?, cost)) } else { None }
    }

    /// Where kernels begin that begin with these tasks of the program: what is computed again stands in that of who reads it, what copies to
    /// second buffers in one of its own.
    fn begins(&self, kernels: &[u32]) -> Vec<u32> {
        if self.given.tasks.is_empty() {
            return kernels.to_vec();
        }
        let program = self.given.program();
        let is_copy = |task: u32| task as usize >= program + self.of.inlined.len();
        let begins = |task: u32| is_copy(task) || kernels.binary_search(&task).is_ok();
        let mut found = Vec::new();
        // Where what is computed again for the next task begins.
        let (mut inlined, mut was_copy) = (None, false);
        for (at, &task) in (0u32..).zip(&self.given.tasks) {
            if task as usize >= program && !is_copy(task) {
                inlined.get_or_insert(at);
                continue;
            }
            if was_copy || begins(task) {
                found.push(inlined.unwrap_or(at));
            }
            (inlined, was_copy) = (None, is_copy(task));
        }
        found
    }

    /// Others, each with what its kernels cost, about; better ones first, the last one what needs little memory.
    pub fn others(&self) -> Vec<(Order, u64)> {
        let (graph, users, window) = (&self.graph, &self.users, &*self.window);
        if graph.len() == 0 {
            let mut order = Order::default();
            self.of.note(&self.given, &mut order);
            return vec![(order, 0)];
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
        all.filter_map(|(groups, cost)| Some((self.order(groups)?, cost))).collect()
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

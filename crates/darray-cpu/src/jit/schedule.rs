//! The order of long straight-line code: list scheduling by critical path.
//!
//! Lowered code is one chain of operations after the other, such as the steps of an exponential. Of the instructions
//! that a processor looks ahead, some tens may wait for operands; where these are of one chain, nothing else begins. So
//! operations are put in the order in which they would begin on a processor that begins two in a cycle: of
//! those whose operands are there, the one with the longest way to the end.
//!
//! Values are the same in every order. What is loaded and stored keeps its order, but for loads among themselves, which come
//! where they are first used.

mod overlap;
#[cfg(test)]
mod tests;

pub(super) use overlap::{Overlapped, overlap};

use super::lane::{Lane, Node, Op, Value};
use super::target::Target;

/// Operations from which on code is long: shorter code is bound by memory, or goes as fast in any order.
const LONG: usize = 40;

/// How many of what is ready are looked at.
const CANDIDATES: usize = 24;

/// Puts the nodes of a group in order, of which `side` are worked on side by side in so many vector registers.
pub(super) fn schedule(nodes: Vec<Node>, target: Target, side: u8, registers: usize) -> Vec<Node> {
    let count = nodes.iter().filter(|node| !node.op.is_remade()).count();
    if !target.schedules() || count < LONG {
        return nodes;
    }
    let graph = Graph::new(&nodes);
    let mut scheduler = Scheduler::new(&nodes, &graph, side, registers);
    while scheduler.order.len() < count {
        scheduler.step();
    }
    renumbered(&nodes, &scheduler.order)
}

/// The nodes in another order; what is remade comes first.
fn renumbered(nodes: &[Node], order: &[Value]) -> Vec<Node> {
    let remade = (0..nodes.len() as Value).filter(|&at| nodes[at as usize].op.is_remade());
    let mut numbers = vec![0; nodes.len()];
    let mut all = Vec::with_capacity(nodes.len());
    for at in remade.chain(order.iter().copied()) {
        let node = nodes[at as usize];
        numbers[at as usize] = all.len() as Value;
        all.push(Node { args: node.args.map(|arg| numbers[arg as usize]), ..node });
    }
    all
}

/// Half cycles, of which a processor begins one vector operation each.
type Time = u32;

/// What an operation takes: about what processors of the instruction set have in common.
#[derive(Clone, Copy)]
struct Cost {
    /// Until the result can be used.
    latency: Time,
    /// How long it keeps the divider, of which there is one.
    division: Time,
}

fn cost(node: &Node) -> Cost {
    let (is_float, is_f64) = (node.lane.is_float(), node.lane == Lane::F64);
    let (latency, division) = match node.op {
        Op::Add | Op::Sub | Op::Mul | Op::MulAdd | Op::Min | Op::Max if is_float => (4, 0),
        Op::Load(..) | Op::Held(_) | Op::Carried(_) => (0, 0),
        Op::Mul | Op::MulHalves | Op::Scale | Op::Convert(_) => (5, 0),
        Op::Div if is_f64 => (24, 16),
        Op::Div => (17, 10),
        Op::Sqrt if is_f64 => (32, 20),
        Op::Sqrt => (20, 14),
        Op::Round(_) => (8, 0),
        // Two conversions.
        Op::RoundHalf => (12, 0),
        Op::Patch(..) => (6, 0),
        Op::Compare(..) => (3, 0),
        Op::Select => (2, 0),
        Op::Upper(_) => (3, 0),
        _ => (1, 0),
    };
    Cost { latency: 2 * latency, division: 2 * division }
}

/// Which nodes come behind which: all edges go up.
struct Graph {
    /// Where the successors of each node begin in the list, and where the list ends.
    first: Vec<u32>,
    successors: Vec<Value>,
    /// How many nodes each one comes behind.
    before: Vec<u32>,
}

impl Graph {
    fn new(nodes: &[Node]) -> Graph {
        let mut graph = Graph {
            first: vec![0; nodes.len() + 1],
            successors: Vec::new(),
            before: vec![0; nodes.len()],
        };
        let others = order_of_memory(nodes);
        graph.edges(nodes, &others, |graph, from, to| {
            graph.first[from as usize] += 1;
            graph.before[to as usize] += 1;
        });
        let mut end = 0;
        for first in &mut graph.first {
            end += *first;
            *first = end;
        }
        graph.successors = vec![0; end as usize];
        graph.edges(nodes, &others, |graph, from, to| {
            let first = &mut graph.first[from as usize];
            *first -= 1;
            graph.successors[*first as usize] = to;
        });
        graph
    }

    /// Gives each edge: from values to what uses them, and the others.
    fn edges(
        &mut self,
        nodes: &[Node],
        others: &[(Value, Value)],
        mut give: impl FnMut(&mut Graph, Value, Value),
    ) {
        for (at, node) in nodes.iter().enumerate() {
            for (k, &arg) in node.args.iter().enumerate() {
                if !nodes[arg as usize].op.is_remade() && !node.args[..k].contains(&arg) {
                    give(self, arg, at as Value);
                }
            }
        }
        others.iter().for_each(|&(from, to)| give(self, from, to));
    }

    fn successors(&self, at: Value) -> &[Value] {
        let at = at as usize;
        &self.successors[self.first[at] as usize..self.first[at + 1] as usize]
    }
}

/// What keeps its order for what it does to memory and accumulators.
fn order_of_memory(nodes: &[Node]) -> Vec<(Value, Value)> {
    let mut edges = Vec::new();
    let mut last_store: Option<Value> = None;
    // Behind that store.
    let mut loads: Vec<Value> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let here = at as Value;
        match node.op {
            Op::Load(..) => {
                edges.extend(last_store.map(|store| (store, here)));
                loads.push(here);
            }
            Op::Store(..) => {
                edges.extend(last_store.map(|store| (store, here)));
                let others = loads.drain(..).filter(|load| !node.args.contains(load));
                edges.extend(others.map(|load| (load, here)));
                last_store = Some(here);
            }
            // Nothing uses what accumulators held after they take something else.
            Op::Hold(held) => {
                let is_held = |&value: &Value| nodes[value as usize].op == Op::Held(held);
                let users = (0..at).filter(|&user| nodes[user].args.iter().any(is_held));
                edges.extend(users.map(|user| (user as Value, here)));
            }
            // The same of what was carried.
            Op::Carry(number) => {
                let is_carried = |&value: &Value| nodes[value as usize].op == Op::Carried(number);
                let users = (0..at).filter(|&user| nodes[user].args.iter().any(is_carried));
                edges.extend(users.map(|user| (user as Value, here)));
            }
            _ => {}
        }
    }
    edges
}

/// The number of the registers that the value of a node is in: of vectors, of masks.
fn file(node: &Node) -> usize {
    usize::from(node.lane == Lane::Mask)
}

/// What may come next: stores first, which free registers, then the longest way to the end. Compared as one
/// number, of which the lower half is the node's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ready(u64);

impl Ready {
    fn new(at: Value, node: &Node, height: Time) -> Ready {
        let way = if node.op.has_effect() { Time::MAX } else { height };
        Ready(u64::from(Time::MAX - way) << 32 | u64::from(at))
    }

    fn node(self) -> Value {
        self.0 as Value
    }
}

struct Scheduler<'n> {
    nodes: &'n [Node],
    graph: &'n Graph,
    order: Vec<Value>,
    costs: Vec<Cost>,
    /// By node: the longest way to the end.
    heights: Vec<Time>,
    /// By node: when what it uses is there.
    starts: Vec<Time>,
    /// By node: what it comes behind and is not in order.
    waiting: Vec<u32>,
    /// By node: uses of the value to come.
    uses: Vec<u32>,
    /// By node: a load that may come and has not.
    loads: Vec<bool>,
    /// What may come next but loads, in order.
    ready: Vec<Ready>,
    now: Time,
    /// When the divider is free.
    divider: Time,
    side: u32,
    /// Values, vectors and masks, that are alive, and how many may be.
    live: [isize; 2],
    most: [isize; 2],
}

/// Mask registers, about: those of AVX-512 but the one for none and the one for tails.
const MASKS: usize = 6;

impl<'n> Scheduler<'n> {
    fn new(nodes: &'n [Node], graph: &'n Graph, side: u8, registers: usize) -> Scheduler<'n> {
        let costs: Vec<Cost> = nodes.iter().map(cost).collect();
        let mut heights: Vec<Time> = vec![0; nodes.len()];
        let mut uses = vec![0; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            let behind = graph.successors(at as Value).iter().map(|&next| heights[next as usize]);
            heights[at] = behind.max().unwrap_or(0) + costs[at].latency;
            node.args.iter().for_each(|&arg| uses[arg as usize] += 1);
        }
        let side = usize::from(side);
        // A quarter more values than there are registers: what is on the stack is read by the instruction itself.
        let most = [(registers + registers / 4) / side, (MASKS / side).max(1)];
        let mut scheduler = Scheduler {
            nodes,
            graph,
            order: Vec::with_capacity(nodes.len()),
            costs,
            heights,
            starts: vec![0; nodes.len()],
            waiting: graph.before.clone(),
            uses,
            loads: vec![false; nodes.len()],
            ready: Vec::with_capacity(CANDIDATES),
            now: 0,
            divider: 0,
            side: side as u32,
            live: [0; 2],
            most: most.map(|most| most as isize),
        };
        for (at, node) in nodes.iter().enumerate() {
            if graph.before[at] == 0 && !node.op.is_remade() {
                scheduler.make_ready(at as Value);
            }
        }
        scheduler
    }

    /// Puts the next node in order.
    fn step(&mut self) {
        if self.ready.is_empty() {
            // All that could come waits for a load that others use.
            let load = self.loads.iter().position(|&waits| waits).expect("there are no cycles");
            self.live[file(&self.nodes[load])] += 1;
            return self.place_load(load as Value);
        }
        let at = self.ready.remove(self.best()).node();
        let node = &self.nodes[at as usize];
        let change = self.change(at);
        self.live = [self.live[0] + change[0], self.live[1] + change[1]];
        for &arg in node.args.iter() {
            if self.loads[arg as usize] {
                self.place_load(arg);
            }
        }
        let Cost { latency, division } = self.costs[at as usize];
        self.now = self.now.max(self.start(at));
        let mut end = self.now + latency + self.side;
        if division > 0 {
            end += division * (self.side - 1);
            self.divider = self.now + division * self.side;
        }
        if !node.op.has_effect() {
            self.now += self.side;
        }
        node.args.iter().for_each(|&arg| self.uses[arg as usize] -= 1);
        self.place(at, end);
    }

    /// Which of those that are ready comes next: the first that can begin now and for whose value there is a
    /// register; else the one that can begin earliest, if possible with a register.
    fn best(&self) -> usize {
        let candidates =
            || self.ready.iter().take(CANDIDATES).map(|ready| ready.node()).enumerate();
        let now = candidates().find(|&(_, at)| self.start(at) <= self.now && self.has_register(at));
        let earliest =
            || candidates().min_by_key(|&(_, at)| (!self.has_register(at), self.start(at)));
        now.or_else(earliest).expect("something is ready").0
    }

    /// Whether there is a register for the value of a node.
    fn has_register(&self, at: Value) -> bool {
        let change = self.change(at);
        (0..2).all(|file| change[file] <= 0 || self.live[file] + change[file] <= self.most[file])
    }

    /// When a node can begin.
    fn start(&self, at: Value) -> Time {
        let start = self.starts[at as usize];
        if self.costs[at as usize].division > 0 { start.max(self.divider) } else { start }
    }

    /// How many values, vectors and masks, are alive more when a node is in order.
    fn change(&self, at: Value) -> [isize; 2] {
        let node = &self.nodes[at as usize];
        let mut change = [0; 2];
        if !node.op.has_effect() {
            change[file(node)] += 1;
        }
        for (k, &arg) in node.args.iter().enumerate() {
            let value = &self.nodes[arg as usize];
            if value.op.is_remade() || node.args[..k].contains(&arg) {
                continue;
            }
            let here = node.args.iter().filter(|&&other| other == arg).count() as u32;
            change[file(value)] += isize::from(self.loads[arg as usize]);
            change[file(value)] -= isize::from(self.uses[arg as usize] == here);
        }
        change
    }

    fn place_load(&mut self, at: Value) {
        self.loads[at as usize] = false;
        self.order.push(at);
        // What uses the value did not wait for this.
        for &next in self.graph.successors(at) {
            if !self.nodes[next as usize].args.contains(&at) {
                self.passed(next, 0);
            }
        }
    }

    fn place(&mut self, at: Value, end: Time) {
        self.order.push(at);
        for &next in self.graph.successors(at) {
            self.passed(next, end);
        }
    }

    /// One of those that a node comes behind is in order.
    fn passed(&mut self, at: Value, end: Time) {
        let start = &mut self.starts[at as usize];
        *start = end.max(*start);
        let waiting = &mut self.waiting[at as usize];
        *waiting -= 1;
        if *waiting == 0 {
            self.make_ready(at);
        }
    }

    fn make_ready(&mut self, at: Value) {
        let node = &self.nodes[at as usize];
        if let Op::Load(..) | Op::Carried(_) = node.op {
            self.loads[at as usize] = true;
            for &next in self.graph.successors(at) {
                if self.nodes[next as usize].args.contains(&at) {
                    self.passed(next, 0);
                }
            }
            return;
        }
        let ready = Ready::new(at, node, self.heights[at as usize]);
        let place = self.ready.partition_point(|&other| other < ready);
        self.ready.insert(place, ready);
    }
}

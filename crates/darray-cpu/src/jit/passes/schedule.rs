//! The order of long straight-line code: list scheduling by critical path.
//!
//! Lowered code is one chain of operations after the other, such as the steps of an exponential. Of the instructions
//! that a processor looks ahead, some tens may wait for operands; where these are of one chain, nothing else begins. So
//! operations are put in the order in which they would begin on a processor that begins two in a cycle (on Zen 5 one is
//! better): of those whose operands are there, the one with the longest path to the end.
//!
//! Values are the same in every order. What is loaded and stored keeps its order, but for loads among themselves, which come
//! where they are first used.

mod overlap;
#[cfg(test)]
mod tests;

pub(in super::super) use overlap::{Overlapped, overlap};

use super::super::lane::{Lane, Node, Op, Value};
use super::super::target::Target;
use crate::processor;

/// Operations from which on code is long: shorter code is bound by memory, or goes as fast in any order.
const LONG: usize = 40;

/// How many of what is ready are looked at.
const CANDIDATES: usize = 24;

/// The order of the nodes of a group, of which `side` are worked on side by side in so many vector registers; none where
/// that of the nodes is as good. What is remade comes first.
pub(in super::super) fn order(
    nodes: &[Node],
    target: Target,
    side: u8,
    registers: usize,
) -> Option<Vec<Value>> {
    let mut remade = Vec::with_capacity(nodes.len());
    remade.extend((0..nodes.len() as Value).filter(|&at| nodes[at as usize].op.is_remade()));
    if !target.schedules() || nodes.len() - remade.len() < LONG {
        return None;
    }
    let mut scheduler = Scheduler::new(nodes, remade, side, registers);
    while scheduler.order.len() < nodes.len() {
        scheduler.step();
    }
    Some(scheduler.order)
}

/// Half cycles, of which a processor begins one vector operation each.
type Time = u32;

/// What the order depends on of a processor.
#[derive(Clone, Copy)]
struct Pace {
    /// From the beginning of an operation to that of the next one.
    turn: Time,
    /// Values that may be alive beyond those that registers hold, in quarters of these: what is on the stack is read by the
    /// instruction itself, and costs less than waiting.
    spare: usize,
}

impl Pace {
    /// That of the processor at hand, as was measured.
    fn here() -> Pace {
        if processor::is_zen_5() { Pace { turn: 2, spare: 3 } } else { Pace { turn: 1, spare: 1 } }
    }
}

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
        Op::Add | Op::Sub | Op::Mul | Op::MulAdd | Op::Min | Op::Max | Op::Limit if is_float => {
            (4, 0)
        }
        Op::Load(..) | Op::Held(_) | Op::Carried(_) => (0, 0),
        Op::Mul | Op::MulHalves | Op::Scale | Op::Convert(_) => (5, 0),
        Op::Div if is_f64 => (24, 16),
        Op::Div => (17, 10),
        Op::Sqrt if is_f64 => (32, 20),
        Op::Sqrt => (20, 14),
        Op::Exponent | Op::Significand | Op::Special => (4, 0),
        Op::Round(_) => (8, 0),
        // Two conversions.
        Op::RoundHalf => (12, 0),
        Op::Patch(..) => (6, 0),
        Op::Compare(..) => (3, 0),
        Op::Select => (2, 0),
        Op::Upper(_) | Op::Window(_) => (3, 0),
        _ => (1, 0),
    };
    Cost { latency: 2 * latency, division: 2 * division }
}

/// What is known of a node.
#[derive(Clone, Copy)]
struct State {
    cost: Cost,
    /// The longest path to the end.
    height: Time,
    /// When what it uses is there.
    start: Time,
    /// The first of its edges in the [`Graph`].
    edges: u32,
    /// How many it comes behind that are not in order.
    pending: u32,
    /// How many are to come that use its value, and all of their numbers in one: the number of the last one.
    users: u32,
    last_user: Value,
    /// How many values, vectors and masks, are alive more when it is in order.
    change: [i8; 2],
    /// The registers that its value is in, see [`file`].
    file: u8,
    /// Which of its operands are in registers, once each, as bits.
    operands: u8,
    /// It is a load that may come and has not.
    is_load: bool,
}

/// Which nodes come behind which: all edges go up.
struct Graph {
    states: Vec<State>,
    edges: Vec<Edge>,
}

/// The number of a node that comes behind another, and of the next edge of that.
#[derive(Clone, Copy)]
struct Edge {
    to: Value,
    next: u32,
}

/// In place of the number of an edge.
const NONE: u32 = u32::MAX;

impl Graph {
    fn new(nodes: &[Node]) -> Graph {
        let (states, edges) =
            (nodes.iter().map(State::new).collect(), Vec::with_capacity(3 * nodes.len()));
        let mut graph = Graph { states, edges };
        let mut memory = Memory::default();
        for (at, node) in nodes.iter().enumerate() {
            graph.operands(nodes, at as Value);
            memory.order(&mut graph, at as Value, node);
        }
        for at in (0..nodes.len()).rev() {
            let State { users, last_user, file, edges, cost, .. } = graph.states[at];
            if users == 1 {
                graph.states[last_user as usize].change[usize::from(file)] -= 1;
            }
            let (mut edge, mut height) = (edges, 0);
            while let Some(behind) = graph.next(&mut edge) {
                height = height.max(graph.states[behind as usize].height);
            }
            graph.states[at].height = height + cost.latency;
        }
        graph
    }

    /// Edges from what a node uses.
    fn operands(&mut self, nodes: &[Node], at: Value) {
        let args = &nodes[at as usize].args;
        for (k, &arg) in args.iter().enumerate() {
            if nodes[arg as usize].op.is_remade() || args[..k].contains(&arg) {
                continue;
            }
            self.states[at as usize].operands |= 1 << k;
            self.add(arg, at);
            let value = &mut self.states[arg as usize];
            value.users += 1;
            value.last_user ^= at;
            let file = usize::from(value.file);
            let is_load = is_load(nodes[arg as usize].op);
            self.states[at as usize].change[file] += i8::from(is_load);
        }
    }

    fn add(&mut self, from: Value, to: Value) {
        let next = &mut self.states[from as usize].edges;
        let edge = Edge { to, next: *next };
        *next = self.edges.len() as u32;
        self.edges.push(edge);
        self.states[to as usize].pending += 1;
    }

    /// The node that an edge leads to, and goes on with the next.
    #[inline]
    fn next(&self, edge: &mut u32) -> Option<Value> {
        let Edge { to, next } = *self.edges.get(*edge as usize)?;
        *edge = next;
        Some(to)
    }
}

impl State {
    #[inline(always)]
    fn new(node: &Node) -> State {
        let mut change = [0; 2];
        change[file(node)] += i8::from(!node.op.has_effect());
        State {
            cost: cost(node),
            height: 0,
            start: 0,
            edges: NONE,
            pending: 0,
            users: 0,
            last_user: 0,
            change,
            file: file(node) as u8,
            operands: 0,
            is_load: false,
        }
    }
}

/// Whether an operation comes where its value is first used.
fn is_load(op: Op) -> bool {
    matches!(op, Op::Load(..) | Op::Carried(_))
}

/// What keeps its order for what it does to memory and accumulators.
#[derive(Default)]
struct Memory {
    store: Option<Value>,
    /// Behind that store.
    loads: Vec<Value>,
    /// What accumulators hold and what was carried.
    held: Vec<(Op, Value)>,
}

impl Memory {
    /// Edges to the next node from those that it comes behind, but from what it uses.
    fn order(&mut self, graph: &mut Graph, at: Value, node: &Node) {
        match node.op {
            Op::Load(..) => {
                self.store.iter().for_each(|&store| graph.add(store, at));
                self.loads.push(at);
            }
            Op::Store(..) => {
                self.store.iter().for_each(|&store| graph.add(store, at));
                let others = self.loads.drain(..).filter(|load| !node.args.contains(load));
                others.for_each(|load| graph.add(load, at));
                self.store = Some(at);
            }
            Op::Held(_) | Op::Carried(_) => self.held.push((node.op, at)),
            Op::Hold(held) => self.taken(graph, at, Op::Held(held)),
            Op::Carry(number) => self.taken(graph, at, Op::Carried(number)),
            _ => {}
        }
    }

    /// Nothing uses what accumulators held after they take something else, or what was carried after something else is.
    fn taken(&self, graph: &mut Graph, at: Value, op: Op) {
        for &(_, value) in self.held.iter().filter(|held| held.0 == op) {
            let mut edge = graph.states[value as usize].edges;
            while let Some(user) = graph.next(&mut edge) {
                if user != at {
                    graph.add(user, at);
                }
            }
        }
    }
}

/// The number of the registers that the value of a node is in: of vectors, of masks.
fn file(node: &Node) -> usize {
    usize::from(node.lane == Lane::Mask)
}

/// What may come next: stores first, which free registers, then the longest path to the end. Compared as one
/// number, of which the lower half is the node's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Ready(u64);

impl Ready {
    fn new(at: Value, node: &Node, height: Time) -> Ready {
        let path = if node.op.has_effect() { Time::MAX } else { height };
        Ready(u64::from(Time::MAX - path) << 32 | u64::from(at))
    }

    fn node(self) -> Value {
        self.0 as Value
    }
}

struct Scheduler<'n> {
    nodes: &'n [Node],
    graph: Graph,
    order: Vec<Value>,
    /// What may come next but loads, in order.
    ready: Vec<Ready>,
    now: Time,
    /// When the divider is free.
    divider: Time,
    /// From the beginning of an operation of all groups to that of the next one.
    turn: Time,
    side: u32,
    /// Values, vectors and masks, that are alive, and how many may be.
    live: [isize; 2],
    most: [isize; 2],
}

/// Mask registers, about: those of AVX-512 but the one for none and the one for tails.
const MASKS: usize = 6;

impl<'n> Scheduler<'n> {
    /// Behind what is remade.
    fn new(nodes: &'n [Node], remade: Vec<Value>, side: u8, registers: usize) -> Scheduler<'n> {
        let side = usize::from(side);
        let Pace { turn, spare } = Pace::here();
        let most = [(registers + registers * spare / 4) / side, (MASKS / side).max(1)];
        let mut scheduler = Scheduler {
            nodes,
            graph: Graph::new(nodes),
            order: remade,
            ready: Vec::with_capacity(CANDIDATES),
            now: 0,
            divider: 0,
            turn: turn * side as Time,
            side: side as u32,
            live: [0; 2],
            most: most.map(|most| most as isize),
        };
        // Backwards: what becomes ready with others has been looked at by then.
        for (at, node) in nodes.iter().enumerate().rev() {
            if scheduler.graph.states[at].pending == 0 && !node.op.is_remade() {
                scheduler.make_ready(at as Value);
            }
        }
        scheduler
    }

    #[inline]
    fn state(&mut self, at: Value) -> &mut State {
        &mut self.graph.states[at as usize]
    }

    /// Puts the next node in order.
    fn step(&mut self) {
        if self.ready.is_empty() {
            // All that could come waits for a load that others use.
            let load = self
                .graph
                .states
                .iter()
                .position(|state| state.is_load)
                .expect("there are no cycles");
            self.live[file(&self.nodes[load])] += 1;
            return self.place_load(load as Value);
        }
        let at = self.ready.remove(self.best()).node();
        let State { cost: Cost { latency, division }, change, operands, .. } = *self.state(at);
        for (live, change) in self.live.iter_mut().zip(change) {
            *live += isize::from(change);
        }
        self.now = self.now.max(self.start(&self.graph.states[at as usize]));
        let mut end = self.now + latency + self.turn;
        if division > 0 {
            end += division * (self.side - 1);
            self.divider = self.now + division * self.side;
        }
        if !self.nodes[at as usize].op.has_effect() {
            self.now += self.turn;
        }
        let args = &self.nodes[at as usize].args;
        for (_, &arg) in args.iter().enumerate().filter(|&(k, _)| operands >> k & 1 == 1) {
            if self.state(arg).is_load {
                self.place_load(arg);
            }
            self.pass(arg, at);
        }
        self.place(at, end);
    }

    /// Which of those that are ready comes next: the first that can begin now and for whose value there is a
    /// register; else the one that can begin earliest, if possible with a register.
    fn best(&self) -> usize {
        let room = [0, 1].map(|file| (self.most[file] - self.live[file]).max(0));
        let (mut best, mut earliest) = (0, u64::MAX);
        for (number, ready) in self.ready.iter().take(CANDIDATES).enumerate() {
            let state = &self.graph.states[ready.node() as usize];
            let [vectors, masks] = state.change.map(isize::from);
            let has_register = (vectors <= room[0]) & (masks <= room[1]);
            // What has no register comes behind all that has one.
            let time = u64::from(self.start(state)) | u64::from(!has_register) << Time::BITS;
            if time <= u64::from(self.now) {
                return number;
            }
            if time < earliest {
                (best, earliest) = (number, time);
            }
        }
        best
    }

    /// When a node can begin.
    #[inline]
    fn start(&self, state: &State) -> Time {
        if state.cost.division > 0 { state.start.max(self.divider) } else { state.start }
    }

    /// One of those that use a value is in order: of the last one it frees the register.
    fn pass(&mut self, value: Value, user: Value) {
        let state = self.state(value);
        state.users -= 1;
        state.last_user ^= user;
        if state.users == 1 {
            let (last, file) = (state.last_user, usize::from(state.file));
            self.state(last).change[file] -= 1;
        }
    }

    fn place_load(&mut self, at: Value) {
        self.order.push(at);
        let state = self.state(at);
        state.is_load = false;
        let (mut edge, file) = (state.edges, usize::from(state.file));
        while let Some(next) = self.graph.next(&mut edge) {
            // What uses the value did not wait for this.
            match self.nodes[next as usize].args.contains(&at) {
                true => self.state(next).change[file] -= 1,
                false => self.passed(next, 0),
            }
        }
    }

    fn place(&mut self, at: Value, end: Time) {
        self.order.push(at);
        let mut edge = self.state(at).edges;
        while let Some(next) = self.graph.next(&mut edge) {
            self.passed(next, end);
        }
    }

    /// One of those that a node comes behind is in order.
    fn passed(&mut self, at: Value, end: Time) {
        let state = self.state(at);
        state.start = end.max(state.start);
        state.pending -= 1;
        if state.pending == 0 {
            self.make_ready(at);
        }
    }

    fn make_ready(&mut self, at: Value) {
        let node = &self.nodes[at as usize];
        if is_load(node.op) {
            let state = self.state(at);
            state.is_load = true;
            let mut edge = state.edges;
            while let Some(next) = self.graph.next(&mut edge) {
                if self.nodes[next as usize].args.contains(&at) {
                    self.passed(next, 0);
                }
            }
            return;
        }
        let ready = Ready::new(at, node, self.state(at).height);
        let place = self.ready.partition_point(|&other| other < ready);
        self.ready.insert(place, ready);
    }
}

//! Rounds that overlap: the first part of a round is done in the round before.
//!
//! Long code is a chain: quotients, then functions of them, then functions of these. Where a round begins, all that could
//! begin waits for the divider, and where it ends, for the last steps of a polynomial. So rounds are cut in two, about where
//! the path to the end is half as long, and the first part of the next round goes side by side with the second part of this
//! one (software pipelining):
//!
//! ```text
//! first part of round 0
//! while there is a round behind the next { second part of round k, first part of round k + 1 }
//! ```
//!
//! What the second part needs of the first waits on the stack. The last round is done group by group.

use super::{LONG, Time, cost};
use crate::jit::lane::{Args, Lane, NEXT, Node, Op, Value};
use crate::jit::target::Target;

/// Code of rounds that overlap, of a group.
pub(in crate::jit) struct Overlapped {
    /// The first part of a round.
    pub first: Vec<Node>,
    /// The second part, and the first part of the next round.
    pub round: Vec<Node>,
}

/// Values that a group carries from round to round, at most.
const MOST_CARRIED: usize = 8;

/// The parts of long code whose rounds may overlap.
pub(in crate::jit) fn overlap(nodes: &[Node], target: Target) -> Option<Overlapped> {
    let count = nodes.iter().filter(|node| !node.op.is_remade()).count();
    if !target.schedules() || count < LONG || !may_overlap(nodes) {
        return None;
    }
    let paths = paths(nodes);
    let all = paths.iter().map(|path| path.longest).max().unwrap_or(0);
    let heights = [10, 9, 11].map(|part| all * part / 20);
    let mut order = [0, 1, 2];
    let carried = carried(&paths, heights);
    order.sort_by_key(|&cut| carried[cut]);
    let cut = order.into_iter().find_map(|cut| Cut::new(nodes, &paths, heights[cut]))?;
    (!cut.carried.is_empty()).then(|| cut.parts(nodes))
}

/// Whether all operations can be of the next round.
fn may_overlap(nodes: &[Node]) -> bool {
    let is_bound = |node: &Node| {
        matches!(node.op, Op::Position(_) | Op::Held(_) | Op::Hold(_) | Op::Patch(..))
    };
    !nodes.iter().any(is_bound)
}

/// Paths from a node to the end.
#[derive(Clone, Copy)]
struct Path {
    /// Through what uses its value.
    longest: Time,
    /// From what uses its value and is nearest to the end; longer than any of what is never carried.
    shortest: Time,
}

fn paths(nodes: &[Node]) -> Vec<Path> {
    let mut paths = vec![Path { longest: 0, shortest: Time::MAX }; nodes.len()];
    for (at, node) in nodes.iter().enumerate().rev() {
        let path = &mut paths[at].longest;
        *path += cost(node).latency;
        let path = *path;
        if node.op.is_remade() || matches!(node.op, Op::Load(..)) {
            paths[at].shortest = Time::MAX;
        }
        for &arg in node.args.iter() {
            let arg = &mut paths[arg as usize];
            arg.longest = arg.longest.max(path);
            arg.shortest = arg.shortest.min(path);
        }
    }
    paths
}

/// How many values would be carried, were code cut where the path to the end is longer than each of `heights`.
fn carried(paths: &[Path], heights: [Time; 3]) -> [u32; 3] {
    let mut carried = [0; 3];
    for path in paths {
        for (carried, height) in carried.iter_mut().zip(heights) {
            *carried += u32::from(path.longest > height) & u32::from(path.shortest <= height);
        }
    }
    carried
}

/// Where code is cut.
struct Cut {
    /// By node: whether it is of the first part.
    is_first: Vec<bool>,
    /// What the second part uses of the first: values, and loads, which are done again.
    carried: Vec<Value>,
    again: Vec<Value>,
}

impl Cut {
    /// Where the path to the end is longer than `height` is the first part; none where masks would be carried, or too much.
    fn new(nodes: &[Node], paths: &[Path], height: Time) -> Option<Cut> {
        let is_first = |at: usize| paths[at].longest > height && !nodes[at].op.is_remade();
        let mut cut = Cut {
            is_first: (0..nodes.len()).map(is_first).collect(),
            carried: vec![],
            again: vec![],
        };
        let mut is_stored = false;
        for (at, node) in nodes.iter().enumerate() {
            is_stored |= matches!(node.op, Op::Store(..));
            if cut.is_first[at] {
                // What is loaded behind a store may be what that stored.
                if is_stored && (node.op.has_effect() || matches!(node.op, Op::Load(..))) {
                    return None;
                }
                continue;
            }
            for &arg in node.args.iter() {
                let value = &nodes[arg as usize];
                let used = match value.op {
                    Op::Load(..) => &mut cut.again,
                    _ => &mut cut.carried,
                };
                if !cut.is_first[arg as usize] || used.contains(&arg) {
                    continue;
                }
                used.push(arg);
                if value.lane == Lane::Mask && !matches!(value.op, Op::Load(..)) {
                    return None;
                }
            }
        }
        (cut.carried.len() <= MOST_CARRIED).then_some(cut)
    }

    fn parts(&self, nodes: &[Node]) -> Overlapped {
        let mut first = Part::new(nodes);
        self.add_first(&mut first, nodes, 0);
        self.carry(&mut first, nodes);
        let mut round = Part::new(nodes);
        self.add_first(&mut round, nodes, NEXT);
        let next = round.numbers.clone();
        for (number, &value) in self.carried.iter().enumerate() {
            let node = Node { args: Args::default(), ..nodes[value as usize] };
            round.put(value, Op::Carried(number as u8), &node);
        }
        for (at, node) in nodes.iter().enumerate() {
            let is_second = !self.is_first[at] && !node.op.is_remade();
            if is_second || self.again.contains(&(at as Value)) {
                round.put(at as Value, node.op, node);
            }
        }
        round.numbers = next;
        self.carry(&mut round, nodes);
        Overlapped { first: first.nodes, round: round.nodes }
    }

    /// The operations of the first part, of which loads are of this group.
    fn add_first(&self, part: &mut Part, nodes: &[Node], group: u8) {
        for (at, node) in nodes.iter().enumerate().filter(|&(at, _)| self.is_first[at]) {
            let op = match node.op {
                Op::Load(pointer, dtype, _) => Op::Load(pointer, dtype, group),
                op => op,
            };
            part.put(at as Value, op, node);
        }
    }

    fn carry(&self, part: &mut Part, nodes: &[Node]) {
        for (number, &value) in self.carried.iter().enumerate() {
            let node = Node { args: Args::new(&[value]), ..nodes[value as usize] };
            part.add(Op::Carry(number as u8), &node);
        }
    }
}

/// Operations that are taken from others.
struct Part {
    nodes: Vec<Node>,
    /// Of the others: their numbers here.
    numbers: Vec<Value>,
}

impl Part {
    /// What is remade.
    fn new(all: &[Node]) -> Part {
        let mut part =
            Part { nodes: Vec::with_capacity(2 * all.len()), numbers: vec![0; all.len()] };
        for (at, node) in all.iter().enumerate().filter(|(_, node)| node.op.is_remade()) {
            part.put(at as Value, node.op, node);
        }
        part
    }

    /// Adds an operation in place of one of the others, with what that uses, which is here.
    fn put(&mut self, of: Value, op: Op, node: &Node) {
        self.numbers[of as usize] = self.nodes.len() as Value;
        self.add(op, node);
    }

    fn add(&mut self, op: Op, node: &Node) {
        let Node { lane, args, origin, .. } = *node;
        self.nodes.push(Node { op, lane, args: args.renumbered(&self.numbers), origin });
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::unfolded;
    use super::*;

    /// Only one cut is made, so how many values another one would carry has to be known without it.
    #[test]
    fn what_a_cut_carries_is_known_before_it_is_made() {
        let mut made = 0;
        for nodes in (0..500).filter_map(unfolded) {
            let paths = paths(&nodes);
            let all = paths.iter().map(|path| path.longest).max().expect("there is code");
            let heights = [all / 4, all / 2, 3 * all / 4];
            for (height, carried) in heights.into_iter().zip(carried(&paths, heights)) {
                if let Some(cut) = Cut::new(&nodes, &paths, height) {
                    assert_eq!(cut.carried.len(), carried as usize);
                    made += 1;
                }
            }
        }
        assert!(made > 50, "{made}");
    }
}

//! Groups of nodes in a sequence: one that keeps the edges, and one that moves fewer bytes.
//!
//! Groups stand in a sequence; `place[n]` is where that of a node stands. A sequence keeps the order of the program if for each
//! edge from `a` to `b`
//!
//! ```text
//! place[a] + 1 <= place[b]     barrier
//! place[a]     <= place[b]     tight
//! ```
//!
//! so groups cannot wait for each other in a circle.

use crate::order::bytes::StoreUsers;
use crate::order::graph::{Edge, Graph, Node};
use smallvec::SmallVec;

/// Where the group of each node stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sequence {
    pub(crate) place: Vec<u32>,
    pub(crate) groups: usize,
}

/// What the nodes of a group have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kind {
    nodes: u32,
    domain: u32,
    is_nest: bool,
    /// The axes that those of its nodes reduce that reduce, and how many these are.
    reduced: u32,
    reducing: u32,
}

/// Most nodes of a group.
const MOST_NODES: u32 = 1024;

impl Kind {
    /// Whether a group takes a node, as far as domains say.
    fn takes(&self, node: &Node) -> bool {
        self.takes_all(&Kind::of(node))
    }

    fn of(node: &Node) -> Kind {
        let mut kind = Kind { domain: node.domain, is_nest: node.is_nest, ..Kind::default() };
        kind.add(node);
        kind
    }

    /// Whether two groups may be one, as far as domains say.
    pub(crate) fn takes_all(&self, other: &Kind) -> bool {
        self.is_nest
            && other.is_nest
            && self.domain == other.domain
            && (self.reduced == other.reduced || self.reduced == 0 || other.reduced == 0)
            && self.nodes + other.nodes <= MOST_NODES
    }

    fn add(&mut self, node: &Node) {
        self.nodes += 1;
        if node.reduced != 0 {
            self.reduced = node.reduced;
            self.reducing += 1;
        }
    }

    fn remove(&mut self, node: &Node) {
        self.nodes -= 1;
        if node.reduced != 0 {
            self.reducing -= 1;
            if self.reducing == 0 {
                self.reduced = 0;
            }
        }
    }

    /// That of both groups.
    pub(crate) fn and(self, other: Kind) -> Kind {
        Kind {
            nodes: self.nodes + other.nodes,
            reduced: self.reduced | other.reduced,
            reducing: self.reducing + other.reducing,
            ..self
        }
    }
}

impl Sequence {
    /// Each node, in program order, in the first group that it may be in.
    pub(crate) fn first_fit(graph: &Graph) -> Sequence {
        let nodes = 0..graph.len();
        Sequence::fit(graph, nodes, |node| graph.before(node))
    }

    /// The same from the end: what makes something stands late, with those who need it.
    pub(crate) fn last_fit(graph: &Graph) -> Sequence {
        let nodes = (0..graph.len()).rev();
        let mut found = Sequence::fit(graph, nodes, |node| graph.behind(node));
        let last = found.groups.saturating_sub(1) as u32;
        found.place.iter_mut().for_each(|place| *place = last - *place);
        found
    }

    /// The program's kernels, given by the first task of each; replicable tasks wait for who needs them.
    pub(crate) fn in_turn(graph: &Graph, kernels: &[u32]) -> Sequence {
        let mut place = vec![0; graph.len()];
        let mut last = None;
        let mut groups = 0;
        let mut deferred: Vec<usize> = Vec::new();
        let mut add = |number: usize, kernel: Option<usize>, place: &mut Vec<u32>| {
            let is_apart = |edge: &Edge| edge.barrier && place[edge.node as usize] + 1 == groups;
            if last != Some(kernel) || graph.before(number).iter().any(is_apart) {
                groups += 1;
            }
            last = Some(kernel);
            place[number] = groups - 1;
        };
        for (number, node) in graph.nodes.iter().enumerate() {
            if graph.replicas.is_replicable(node.task) {
                deferred.push(number);
                continue;
            }
            let needs = |edge: &Edge| deferred.contains(&(edge.node as usize));
            if graph.before(number).iter().any(needs) {
                deferred.drain(..).for_each(|number| add(number, None, &mut place));
            }
            let kernel = kernels.partition_point(|&first| first <= node.task);
            add(number, Some(kernel), &mut place);
        }
        deferred.into_iter().for_each(|number| add(number, None, &mut place));
        Sequence { place, groups: groups as usize }
    }

    fn fit<'g>(
        graph: &'g Graph,
        nodes: impl Iterator<Item = usize>,
        before: impl Fn(usize) -> &'g [Edge],
    ) -> Sequence {
        let mut place = vec![0; graph.len()];
        let mut kinds: Vec<Kind> = Vec::new();
        // Per domain, its groups in the order of the sequence.
        let domains = graph.nodes.iter().map(|node| node.domain as usize + 1).max().unwrap_or(0);
        let mut by_domain: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); domains];
        for number in nodes {
            let node = &graph.nodes[number];
            let after = |edge: &Edge| place[edge.node as usize] + edge.barrier as u32;
            let low = before(number).iter().map(after).max().unwrap_or(0);
            let groups = &mut by_domain[node.domain as usize];
            let from = groups.partition_point(|&group| group < low);
            let takes = |group: &&u32| kinds[**group as usize].takes(node);
            place[number] = match groups[from..].iter().find(takes) {
                Some(&group) => {
                    kinds[group as usize].add(node);
                    group
                }
                None => {
                    kinds.push(Kind::of(node));
                    groups.push(kinds.len() as u32 - 1);
                    kinds.len() as u32 - 1
                }
            };
        }
        Sequence { place, groups: kinds.len() }
    }

    /// What the nodes of each group have in common.
    pub(crate) fn kinds(&self, graph: &Graph) -> Vec<Kind> {
        let mut kinds = vec![Kind::default(); self.groups];
        for (node, &place) in graph.nodes.iter().zip(&self.place) {
            let kind = &mut kinds[place as usize];
            match kind.nodes {
                0 => *kind = Kind::of(node),
                _ => kind.add(node),
            }
        }
        kinds
    }

    /// Bytes that all groups move, and what their launches are worth.
    pub(crate) fn cost(&self, users: &StoreUsers, stores: usize) -> u64 {
        let moved = |store| users.moved(store as u32, |node| self.place[node as usize]);
        (0..stores).map(moved).sum::<u64>() + users.launch * self.groups as u64
    }

    /// Moves single nodes to groups with which they move fewer bytes; from the end and from the begin in turn, so that chains
    /// follow. Gives whether any moved.
    pub(crate) fn refine(&mut self, graph: &Graph, users: &StoreUsers) -> bool {
        let mut kinds = self.kinds(graph);
        let mut any = false;
        for sweep in 0..SWEEPS {
            let mut moved = false;
            for step in 0..graph.len() {
                let node = if sweep % 2 == 0 { graph.len() - 1 - step } else { step };
                moved |= self.refine_node(graph, users, &mut kinds, node);
            }
            any |= moved;
            if !moved && sweep > 0 {
                break;
            }
        }
        self.close(&kinds);
        any
    }

    fn refine_node(
        &mut self,
        graph: &Graph,
        users: &StoreUsers,
        kinds: &mut [Kind],
        number: usize,
    ) -> bool {
        let node = &graph.nodes[number];
        let place = &self.place;
        let after = |edge: &Edge| place[edge.node as usize] + edge.barrier as u32;
        let before = |edge: &Edge| place[edge.node as usize] - edge.barrier as u32;
        let low = graph.before(number).iter().map(after).max().unwrap_or(0);
        let last = self.groups as u32 - 1;
        let high = graph.behind(number).iter().map(before).min().unwrap_or(last);
        if low >= high || !node.is_nest {
            return false;
        }
        let from = place[number];
        let mut best = (0, from);
        let mut tried: SmallVec<[u32; MOST_TRIED]> = SmallVec::new();
        for other in users.stores(number).iter().flat_map(|&store| users.nodes(store)) {
            let to = place[other as usize];
            let other = kinds[to as usize];
            let possible = to != from && (low..=high).contains(&to) && other.nodes > 0;
            if !possible || tried.contains(&to) || !other.takes(node) {
                continue;
            }
            tried.push(to);
            let mut gain = if kinds[from as usize].nodes == 1 { users.launch as i64 } else { 0 };
            for &store in users.stores(number) {
                gain += users.moved(store, |n| place[n as usize]) as i64;
                let moved = |n| if n as usize == number { to } else { place[n as usize] };
                gain -= users.moved(store, moved) as i64;
            }
            if gain > best.0 {
                best = (gain, to);
            }
            if tried.len() == MOST_TRIED {
                break;
            }
        }
        let to = best.1;
        if to == from {
            return false;
        }
        kinds[from as usize].remove(node);
        kinds[to as usize].add(node);
        self.place[number] = to;
        true
    }

    /// Closes the gaps that groups leave that have lost their nodes.
    fn close(&mut self, kinds: &[Kind]) {
        let mut count = 0;
        let mut places = Vec::with_capacity(kinds.len());
        for kind in kinds {
            places.push(count);
            count += (kind.nodes > 0) as u32;
        }
        self.place.iter_mut().for_each(|place| *place = places[*place as usize]);
        self.groups = count as usize;
    }
}

/// How often nodes are looked at for better groups, and how many groups each is tried with.
const SWEEPS: usize = 4;
const MOST_TRIED: usize = 6;

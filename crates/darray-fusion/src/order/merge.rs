//! Two groups become one where that saves most, as long as no third one stands between them.

use crate::order::bytes::StoreUsers;
use crate::order::graph::Graph;
use crate::order::groups::{Kind, Sequence};
use darray_ir::{DomainId, Window};

/// Elements up to which a launch saved is worth more than what kernels of more arrays cost caches.
const NEAR: u64 = 40_000;

/// Most groups that are merged: what each reaches is kept as bits.
const MOST: usize = 128;

/// Groups that may become fewer.
struct Merging<'g> {
    users: &'g StoreUsers,
    /// The group of each node.
    group: Vec<u32>,
    kinds: Vec<Kind>,
    /// Per group: the groups that come after it, by way of others too; those that come before it; those that it may not be one with.
    after: Vec<u128>,
    before: Vec<u128>,
    apart: Vec<u128>,
    /// Stores that a group uses, in order.
    stores: Vec<Vec<u32>>,
    /// Whether a group's domain has so few elements that a launch saved is worth a merge.
    is_small: Vec<bool>,
}

/// Merges groups of a sequence, if any are to be; gives the group of each node, in no order, and what is saved.
pub(crate) fn merge(
    window: &Window,
    graph: &Graph,
    users: &StoreUsers,
    sequence: &Sequence,
) -> Option<(Vec<u32>, u64)> {
    let count = sequence.groups;
    if !(2..=MOST).contains(&count) {
        return None;
    }
    let mut merging = Merging {
        users,
        group: sequence.place.clone(),
        kinds: sequence.kinds(graph),
        after: vec![0; count],
        before: vec![0; count],
        apart: vec![0; count],
        stores: vec![Vec::new(); count],
        is_small: vec![false; count],
    };
    for (number, node) in graph.nodes.iter().enumerate() {
        let group = sequence.place[number];
        merging.stores[group as usize].extend(users.stores(number));
        let elements = window.domain(DomainId(node.domain)).size() as u64;
        merging.is_small[group as usize] = elements <= NEAR;
        for edge in graph.behind(number) {
            let to = sequence.place[edge.node as usize];
            if to != group {
                merging.after[group as usize] |= 1 << to;
                if edge.barrier {
                    merging.apart[group as usize] |= 1 << to;
                    merging.apart[to as usize] |= 1 << group;
                }
            }
        }
    }
    // Edges lead to later groups only.
    for group in (0..count).rev() {
        merging.after[group] |= merging.of(merging.after[group], &merging.after);
    }
    for group in 0..count {
        let behind = (0..count).filter(|&other| merging.after[other] >> group & 1 == 1);
        merging.before[group] = behind.fold(0, |bits, other| bits | 1 << other);
        merging.stores[group].sort_unstable();
        merging.stores[group].dedup();
    }
    let saved = merging.run();
    (saved > 0).then_some((merging.group, saved))
}

impl Merging<'_> {
    /// What belongs to these groups, together.
    fn of(&self, groups: u128, what: &[u128]) -> u128 {
        let (mut groups, mut found) = (groups, 0);
        while groups != 0 {
            found |= what[groups.trailing_zeros() as usize];
            groups &= groups - 1;
        }
        found
    }

    /// What is saved.
    fn run(&mut self) -> u64 {
        let count = self.kinds.len() as u32;
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let mut gains: Vec<(u64, u32, u32)> =
            pairs.filter_map(|(a, b)| Some((self.gain(a, b)?, a, b))).collect();
        let mut saved = 0;
        while let Some(at) = (0..gains.len()).max_by_key(|&at| {
            let (gain, a, b) = gains[at];
            // The first of equal ones.
            (gain, std::cmp::Reverse((a, b)))
        }) {
            let (gain, a, b) = gains.swap_remove(at);
            if !self.may_be_one(a, b) {
                continue;
            }
            self.join(a, b);
            saved += gain;
            gains.retain(|&(_, x, y)| ![x, y].iter().any(|end| [a, b].contains(end)));
            let others = (0..count).filter(|&other| other != a && self.stores_left(other));
            gains.extend(others.filter_map(|other| {
                let (x, y) = (a.min(other), a.max(other));
                Some((self.gain(x, y)?, x, y))
            }));
        }
        saved
    }

    fn stores_left(&self, group: u32) -> bool {
        !self.stores[group as usize].is_empty()
    }

    fn may_be_one(&self, a: u32, b: u32) -> bool {
        let (x, y) = (a as usize, b as usize);
        let between = self.after[x] & self.before[y] | self.after[y] & self.before[x];
        let third = between & !(1 << a | 1 << b);
        self.apart[x] >> b & 1 == 0 && third == 0 && self.kinds[x].takes_all(&self.kinds[y])
    }

    /// What is saved if two groups are one, if they may be.
    fn gain(&self, a: u32, b: u32) -> Option<u64> {
        if !self.may_be_one(a, b) {
            return None;
        }
        let (x, y) = (&self.stores[a as usize], &self.stores[b as usize]);
        let mut bytes = 0;
        for &store in x.iter().filter(|store| y.binary_search(store).is_ok()) {
            let apart = self.users.moved(store, |node| self.group[node as usize]);
            let one = |node: u32| match self.group[node as usize] {
                group if group == b => a,
                group => group,
            };
            bytes += apart.saturating_sub(self.users.moved(store, one));
        }
        let pays = bytes > 0 || self.is_small[a as usize];
        pays.then_some(bytes + self.users.launch)
    }

    /// The second group becomes the first.
    fn join(&mut self, a: u32, b: u32) {
        let (x, y) = (a as usize, b as usize);
        self.group.iter_mut().filter(|group| **group == b).for_each(|group| *group = a);
        self.kinds[x] = self.kinds[x].and(self.kinds[y]);
        let stores = std::mem::take(&mut self.stores[y]);
        self.stores[x].extend(stores);
        self.stores[x].sort_unstable();
        self.stores[x].dedup();
        let both = 1 << a | 1 << b;
        let after = (self.after[x] | self.after[y]) & !both;
        let before = (self.before[x] | self.before[y]) & !both;
        let apart = self.apart[x] | self.apart[y];
        (self.after[x], self.before[x], self.apart[x]) = (after, before, apart);
        (self.after[y], self.before[y], self.apart[y]) = (0, 0, 0);
        for other in 0..self.kinds.len() {
            let bit = 1u128 << other;
            for (bits, towards) in [(before, true), (after, false)] {
                if bits & bit != 0 {
                    let ends = if towards { &mut self.after } else { &mut self.before };
                    let further = if towards { after } else { before };
                    ends[other] = ends[other] & !(1 << b) | 1 << a | further;
                }
            }
            self.after[other] &= !(1 << b);
            self.before[other] &= !(1 << b);
            if self.apart[other] >> b & 1 == 1 {
                self.apart[other] = self.apart[other] & !(1 << b) | 1 << a;
            }
        }
    }
}

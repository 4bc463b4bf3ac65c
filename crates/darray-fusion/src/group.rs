//! Grouping: which nodes fuse.
//!
//! Greedy longest prefix, as in Diffuse: a group grows while the next node keeps every constraint
//! with every node of the group. Callers only see lists of nodes, so a grouping by dependence graph
//! can take this one's place.

use crate::constraint::use_index::UseIndex;
use crate::constraint::{Access, Granularity, Violation, dependence, launch_domain};
use crate::plan::Rules;
use darray_ir::StoreId;
use hashbrown::HashMap;

/// A group under construction: the nodes, and their accesses by store.
pub(crate) struct Growing<'g> {
    g: &'g dyn Granularity,
    rules: Rules,
    pub(crate) nodes: Vec<u32>,
    /// The first node of each class.
    classes: Vec<(u32, (u32, u32))>,
    uses: HashMap<StoreId, Uses<'g>>,
    /// Stores of many uses, in order of growing so.
    indexed: Vec<StoreId>,
}

/// The uses of one store by a group, each with its first node.
#[derive(Default)]
struct Uses<'g> {
    list: Vec<(u32, Access)>,
    /// The list again, once it is long.
    index: Option<Box<UseIndex<'g>>>,
}

/// Uses of one store from which on pairs are not asked for one by one.
const MANY: usize = 32;

/// A group and why the next node did not join.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<R> {
    /// In program order.
    pub nodes: Vec<u32>,
    /// The first node outside, with the reason; `None` for the last group.
    pub stopped: Option<(u32, R)>,
}

/// What ends a group beside constraints.
pub trait Limits<R> {
    /// Why a group does not take the next node, whatever the constraints say.
    fn stop(&mut self, group: &[u32], next: u32) -> Option<R>;

    /// Why a group does not take the next node, which keeps the constraints.
    fn decline(&mut self, _group: &[u32], _next: u32) -> Option<R> {
        None
    }

    /// Of a group that has ended, how many nodes it keeps, at least one, if it does not keep all; and why.
    fn shorten(&mut self, _group: &[u32]) -> Option<(usize, R)> {
        None
    }
}

/// Cuts `nodes` into greedy longest prefixes, within limits that are not constraints (a builtin, a size, memory).
pub fn greedy_prefixes<R>(
    g: &dyn Granularity,
    nodes: &[u32],
    rules: Rules,
    limits: &mut dyn Limits<R>,
    violated: impl Fn(Violation) -> R,
) -> Vec<Group<R>> {
    let mut groups = Vec::new();
    let mut rest = nodes;
    while !rest.is_empty() {
        let mut growing = Growing::new(g, rules);
        let mut stopped = None;
        for &node in rest {
            if !growing.nodes.is_empty() {
                let stop = limits.stop(&growing.nodes, node);
                let stop = stop.or_else(|| growing.check(node).map(&violated));
                let stop = stop.or_else(|| limits.decline(&growing.nodes, node));
                stopped = stop.map(|why| (node, why));
                if stopped.is_some() {
                    break;
                }
            }
            growing.add(node);
        }
        let mut nodes = growing.finish();
        if let Some((kept, why)) = limits.shorten(&nodes) {
            nodes.truncate(kept);
            stopped = Some((rest[kept], why));
        }
        rest = &rest[nodes.len()..];
        groups.push(Group { nodes, stopped });
    }
    groups
}

impl<'g> Growing<'g> {
    pub(crate) fn new(g: &'g dyn Granularity, rules: Rules) -> Growing<'g> {
        let (nodes, classes, indexed) = Default::default();
        Growing { g, rules, nodes, classes, uses: HashMap::new(), indexed }
    }

    pub(crate) fn add(&mut self, node: u32) {
        self.nodes.push(node);
        let class = self.g.class(node);
        if !self.classes.iter().any(|&(_, known)| known == class) {
            self.classes.push((node, class));
        }
        for access in self.g.accesses(node) {
            let uses = self.uses.entry(access.store).or_default();
            if let Some(index) = &mut uses.index {
                if index.insert(*access) {
                    uses.list.push((node, *access));
                }
                continue;
            }
            // Equal uses say the same; the first stands for all of them.
            let known = |(_, a): &(u32, Access)| {
                a.partition == access.partition && a.privilege == access.privilege
            };
            if uses.list.iter().any(known) {
                continue;
            }
            uses.list.push((node, *access));
            // Where a rule is left out, uses of one group may conflict: every pair counts then.
            if uses.list.len() == MANY
                && self.rules.all_hold()
                && let Some(index) = self.g.index()
            {
                let mut index = Box::new(index);
                uses.list.iter().for_each(|(_, access)| {
                    index.insert(*access);
                });
                uses.index = Some(index);
                self.indexed.push(access.store);
            }
        }
    }

    /// The nodes. What the group relies on has been asked then.
    pub(crate) fn finish(self) -> Vec<u32> {
        for store in &self.indexed {
            let uses = &self.uses[store].list;
            self.g.are_apart(uses.iter().map(|(_, access)| *access).collect());
        }
        self.nodes
    }

    pub(crate) fn check(&self, node: u32) -> Option<Violation> {
        let kept = |v: &Violation| self.rules.hold(v.rule);
        if let Some(violation) = self.domains(node).filter(kept) {
            return Some(violation);
        }
        let accesses = self.g.accesses(node);
        for (number, access) in accesses.iter().enumerate() {
            if let Some(violation) = self.dependences(access).find(kept) {
                // The node stays outside, so `finish` will not ask about what it passed.
                for passed in &accesses[..number] {
                    if let Some(Uses { list, index: Some(_) }) = self.uses.get(&passed.store) {
                        self.relies_on(list, passed);
                    }
                }
                return Some(violation);
            }
        }
        None
    }

    /// Launch-domain equivalence is not transitive over elements (a nest without reductions takes on
    /// any nesting), so a node of every class is asked.
    fn domains(&self, node: u32) -> Option<Violation> {
        self.classes.iter().find_map(|&(earlier, _)| launch_domain(self.g, earlier, node))
    }

    /// The constraints that an access breaks; of a store of many uses the first one only.
    fn dependences(&self, access: &'g Access) -> impl Iterator<Item = Violation> + '_ {
        let uses = self.uses.get(&access.store);
        let list = uses.map_or(&[][..], |uses| &uses.list);
        let list = match uses.and_then(|uses| uses.index.as_deref()) {
            None => list,
            Some(index) => index.first_conflict(access).map_or(&[][..], |at| {
                self.relies_on(&list[..at], access);
                &list[at..=at]
            }),
        };
        list.iter().filter_map(move |(earlier, earlier_access)| {
            let rule = dependence(earlier_access, access, |a, b| self.g.disjoint(a, b))?;
            Some(Violation { rule, earlier: *earlier, store: Some(access.store) })
        })
    }

    /// Asks what a use that conflicts with none of these relies on.
    fn relies_on(&self, uses: &[(u32, Access)], access: &Access) {
        let uses = uses.iter().map(|(_, earlier)| *earlier);
        self.g.are_apart(uses.chain([*access]).collect());
    }
}

//! Grouping: which nodes fuse.
//!
//! Greedy longest prefix, as in Diffuse: a group grows while the next node keeps every constraint
//! with every node of the group. Callers only see lists of nodes, so a grouping by dependence graph
//! can take this one's place.

use crate::constraint::{Access, Granularity, Violation, dependence, launch_domain};
use crate::plan::Rule;
use darray_ir::StoreId;
use hashbrown::HashMap;

/// A group under construction: the nodes, and their accesses by store.
#[derive(Default)]
struct Growing {
    nodes: Vec<u32>,
    uses: HashMap<StoreId, Vec<(u32, Access)>>,
}

/// A group and why the next node did not join.
#[derive(Clone, Debug, PartialEq)]
pub struct Group<R> {
    /// In program order.
    pub nodes: Vec<u32>,
    /// The first node outside, with the reason; `None` for the last group.
    pub stopped: Option<(u32, R)>,
}

/// Cuts `nodes` into greedy longest prefixes. `extra` may stop a group for reasons that are not
/// constraints (a builtin, a size limit).
pub fn greedy_prefixes<R>(
    g: &dyn Granularity,
    nodes: &[u32],
    ignore: Option<Rule>,
    mut extra: impl FnMut(&[u32], u32) -> Option<R>,
    violated: impl Fn(Violation) -> R,
) -> Vec<Group<R>> {
    let mut groups = Vec::new();
    let mut growing = Growing::default();
    for &node in nodes {
        if !growing.nodes.is_empty() {
            let stop = extra(&growing.nodes, node)
                .or_else(|| growing.check(g, node, ignore).map(&violated));
            if let Some(reason) = stop {
                let done = std::mem::take(&mut growing);
                groups.push(Group { nodes: done.nodes, stopped: Some((node, reason)) });
            }
        }
        growing.add(g, node);
    }
    if !growing.nodes.is_empty() {
        groups.push(Group { nodes: growing.nodes, stopped: None });
    }
    groups
}

impl Growing {
    fn add(&mut self, g: &dyn Granularity, node: u32) {
        self.nodes.push(node);
        for access in g.accesses(node) {
            let uses = self.uses.entry(access.store).or_default();
            // Equal uses say the same; the first stands for all of them.
            let known = |(_, a): &(u32, Access)| {
                a.partition == access.partition && a.privilege == access.privilege
            };
            if !uses.iter().any(known) {
                uses.push((node, *access));
            }
        }
    }

    fn check(&self, g: &dyn Granularity, node: u32, ignore: Option<Rule>) -> Option<Violation> {
        let kept = |v: &Violation| Some(v.rule) != ignore;
        self.domains(g, node).filter(kept).or_else(|| self.dependences(g, node).find(|v| kept(v)))
    }

    /// Launch-domain equivalence is not transitive over elements (a nest without reductions takes on
    /// any nesting), so every node is asked.
    fn domains(&self, g: &dyn Granularity, node: u32) -> Option<Violation> {
        self.nodes.iter().find_map(|&earlier| launch_domain(g, earlier, node))
    }

    fn dependences<'a>(
        &'a self,
        g: &'a dyn Granularity,
        node: u32,
    ) -> impl Iterator<Item = Violation> + 'a {
        g.accesses(node).iter().flat_map(move |access| {
            let uses = self.uses.get(&access.store).map_or(&[][..], |u| u);
            uses.iter().filter_map(move |(earlier, earlier_access)| {
                let rule = dependence(g, earlier_access, access)?;
                Some(Violation { rule, earlier: *earlier, store: Some(access.store) })
            })
        })
    }
}

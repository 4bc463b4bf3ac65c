//! Which tasks are needed, and which of them must come before which.
//!
//! Between tasks `a` before `b` an edge is *tight* if every dependence goes through one partition and nobody reduces: both may be
//! in one nest. Any other edge is a *barrier*: `b` comes in a later nest. There is no edge where uses are proven disjoint, or only
//! read.
//!
//! Per store there is a list of the partitions in use, each with its last change and the reads since. An edge that is implied is
//! left out: what comes before the last change of the same partition, or before a change of the whole store, is ordered before that.
//!
//! ```text
//! t0  s1[i0] = s0[i0]          t0 -> t1  tight
//! t1  s2[i0] = s1[i0]          t0 -> t2  barrier: another partition
//! t2  s3[i0] = s1[1 + i0]      t1 -> t3  tight, t2 -> t3 barrier; t0 -> t3 is implied
//! t3  s1[i0] = s3[i0]
//! ```
//!
//! A task that computes a 0-d value for itself ([`replicas`](super::replicas)) reads what that is made of. Who gives the value is a node only if
//! it is kept.

use crate::constraint::{Access, Rules, dependence};
use crate::order::partitions::{Near, PartitionId, Partitions};
use crate::order::replicas::Replicas;
use crate::plan::Rule;
use darray_ir::{IndexTask, Privilege, StoreId, TaskArg, TaskOp, Window, geometry};
use hashbrown::HashMap;
use smallvec::SmallVec;

/// The tasks of a window that are needed, and what must come before what.
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// Edges into each node, and out of each.
    before: Lists<Edge>,
    behind: Lists<Edge>,
    pub(crate) replicas: Replicas,
    /// What comes before a replicable task that is no node.
    before_replicas: HashMap<u32, SmallVec<[u32; 4]>>,
}

/// A task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Its number in the window.
    pub(crate) task: u32,
    /// The iteration domain.
    pub(crate) domain: u32,
    /// Axes that are reduced.
    pub(crate) reduced: u32,
    /// Whether it becomes a loop nest.
    pub(crate) is_nest: bool,
}

/// The other end of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) node: u32,
    pub(crate) barrier: bool,
}

/// Lists one behind the other.
pub(crate) struct Lists<T> {
    items: Vec<T>,
    start: Vec<u32>,
}

impl<T> Lists<T> {
    pub(crate) fn of(&self, number: usize) -> &[T] {
        &self.items[self.start[number] as usize..self.start[number + 1] as usize]
    }

    /// Sorts pairs into lists, in order.
    pub(crate) fn new(count: usize, pairs: &[(u32, T)]) -> Lists<T>
    where
        T: Copy,
    {
        let mut start = vec![0u32; count + 1];
        pairs.iter().for_each(|&(list, _)| start[list as usize + 1] += 1);
        (0..count).for_each(|list| start[list + 1] += start[list]);
        let mut at = start.clone();
        let mut items: Vec<T> = pairs.iter().map(|&(_, item)| item).collect();
        for &(list, item) in pairs {
            items[at[list as usize] as usize] = item;
            at[list as usize] += 1;
        }
        Lists { items, start }
    }
}

impl Graph {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The tasks that are needed, in no order: nodes, and replicable tasks that are none.
    pub(crate) fn tasks(&self) -> Vec<u32> {
        let is_no_node = |task: &&u32| !self.replicas.is_kept(**task);
        let nodes = self.nodes.iter().map(|node| node.task);
        nodes.chain(self.before_replicas.keys().filter(is_no_node).copied()).collect()
    }

    /// What comes before a node.
    pub(crate) fn before(&self, node: usize) -> &[Edge] {
        self.before.of(node)
    }

    /// What comes after a node.
    pub(crate) fn behind(&self, node: usize) -> &[Edge] {
        self.behind.of(node)
    }

    /// What comes before a replicable task.
    pub(crate) fn before_replica(&self, task: u32) -> &[u32] {
        self.before_replicas.get(&task).map_or(&[], |nodes| nodes)
    }

    /// The graph of a window whose live bits are set. Only rules that hold make edges.
    pub(crate) fn new(window: &Window, rules: Rules) -> Graph {
        let mut partitions = Partitions::new(window);
        let needed = needed(window, &mut partitions);
        let replicas = Replicas::new(window, &needed, &mut partitions);
        let mut before_replicas = HashMap::new();
        let mut builder = Builder {
            window,
            rules,
            uses: (0..window.stores().len()).map(|_| Near::default()).collect(),
            marks: vec![(u32::MAX, 0); window.tasks().len()],
            last_opaque: None,
            nodes: Vec::new(),
            edges: Vec::new(),
        };
        let tasks = window.tasks().iter().enumerate().zip(needed);
        for ((number, task), _) in tasks.filter(|(_, needed)| *needed) {
            let number = number as u32;
            if replicas.is_replicable(number) {
                let before = builder.changed(replicas.leaves_of(number), &mut partitions);
                before_replicas.insert(number, before);
            }
            if replicas.is_kept(number) {
                builder.add(number, task, &replicas, &mut partitions);
            }
        }
        let Builder { nodes, edges, .. } = builder;
        let turned = |&(to, edge): &(u32, Edge)| (edge.node, Edge { node: to, ..edge });
        let behind: Vec<(u32, Edge)> = edges.iter().map(turned).collect();
        let before = Lists::new(nodes.len(), &edges);
        let behind = Lists::new(nodes.len(), &behind);
        Graph { nodes, before, behind, replicas, before_replicas }
    }
}

/// Whether a task gives all elements of an output's store a value.
fn replaces(window: &Window, task: &IndexTask, arg: &TaskArg) -> bool {
    let (domain, shape) = (window.domain(task.domain), &window.store(arg.store).shape);
    match arg.privilege {
        Privilege::Write => geometry::covers(window.map(arg.map), domain, shape),
        Privilege::Reduce(_) => {
            let kept = (0..domain.rank()).filter(|axis| task.reduced_axes() >> axis & 1 == 0);
            kept.map(|axis| domain[axis]).product::<usize>() == shape.size()
        }
        _ => false,
    }
}

/// What of a store is read later.
#[derive(Clone, Default)]
struct Demand {
    all: bool,
    parts: SmallVec<[PartitionId; 4]>,
}

/// Most parts of a store that are told apart.
const MOST_PARTS: usize = 32;

impl Demand {
    fn add(&mut self, part: PartitionId) {
        if !self.all && !self.parts.contains(&part) {
            self.parts.push(part);
            self.all = self.parts.len() > MOST_PARTS;
        }
    }
}

/// Which tasks anybody needs: those that write what is read later, by a task that is needed or behind the window. Opaque tasks are
/// needed.
pub(crate) fn needed(window: &Window, partitions: &mut Partitions<'_>) -> Vec<bool> {
    let demand = |live| Demand { all: live, parts: SmallVec::new() };
    let mut demands: Vec<Demand> = window.stores().iter().map(|s| demand(s.live)).collect();
    let mut needed = vec![true; window.tasks().len()];
    for (number, task) in window.tasks().iter().enumerate().rev() {
        let mut is_demanded = |arg: &TaskArg| {
            let part = partitions.of(task, arg);
            let demand = &demands[arg.store.0 as usize];
            demand.all || demand.parts.iter().any(|&read| partitions.may_share(read, part))
        };
        let mut writes = task.args.iter().filter(|arg| arg.privilege != Privilege::Read);
        needed[number] = matches!(task.op, TaskOp::Opaque(_)) || writes.any(&mut is_demanded);
        if !needed[number] {
            continue;
        }
        for arg in task.args.iter().filter(|arg| arg.privilege != Privilege::Read) {
            let demand = &mut demands[arg.store.0 as usize];
            if replaces(window, task, arg) {
                *demand = Demand::default();
            } else if arg.privilege != Privilege::ReadWrite && task.is_nest() {
                let part = partitions.of(task, arg);
                demand.parts.retain(|&mut read| read != part);
            }
        }
        for arg in &task.args {
            if matches!(arg.privilege, Privilege::Read | Privilege::ReadWrite) {
                let part = partitions.of(task, arg);
                demands[arg.store.0 as usize].add(part);
            }
        }
    }
    needed
}

/// A partition in use.
#[derive(Default)]
struct InUse {
    /// The node that changed it last, and how.
    changed: Option<(u32, Privilege)>,
    /// The nodes that have read it since.
    readers: SmallVec<[u32; 4]>,
}

struct Builder<'w> {
    window: &'w Window,
    rules: Rules,
    /// Per store.
    uses: Vec<Near<'w, InUse>>,
    /// Per node, the node to which there was an edge last, and where that is.
    marks: Vec<(u32, usize)>,
    last_opaque: Option<u32>,
    nodes: Vec<Node>,
    edges: Vec<(u32, Edge)>,
}

/// A use of a store.
type Used = (StoreId, PartitionId, Privilege);

impl<'w> Builder<'w> {
    fn add(
        &mut self,
        number: u32,
        task: &IndexTask,
        replicas: &Replicas,
        partitions: &mut Partitions<'w>,
    ) {
        let me = self.nodes.len() as u32;
        let is_nest = task.is_nest();
        let reduced = task.reduced_axes();
        self.nodes.push(Node { task: number, domain: task.domain.0, reduced, is_nest });
        let mut used: SmallVec<[Used; 8]> = SmallVec::new();
        for arg in &task.args {
            match replicas.leaves(number, arg.store) {
                None => used.push((arg.store, partitions.of(task, arg), arg.privilege)),
                Some(leaves) => {
                    used.extend(leaves.iter().map(|&(store, part)| (store, part, Privilege::Read)));
                }
            }
        }
        used.iter().for_each(|used| self.edges_of(me, used, partitions));
        if let TaskOp::Opaque(_) = task.op
            && let Some(before) = self.last_opaque.replace(me)
        {
            self.edge(before, me, Some(Rule::TrueDependence));
        }
        for &(store, own, _) in used.iter().filter(|used| used.2 == Privilege::Read) {
            let used = self.uses[store.0 as usize].entry(partitions, own);
            if used.readers.last() != Some(&me) {
                used.readers.push(me);
            }
        }
        for arg in task.args.iter().filter(|arg| arg.privilege != Privilege::Read) {
            let own = partitions.of(task, arg);
            let uses = &mut self.uses[arg.store.0 as usize];
            if replaces(self.window, task, arg) {
                uses.clear();
            }
            let used = uses.entry(partitions, own);
            used.changed = Some((me, arg.privilege));
            used.readers.clear();
        }
    }

    /// Edges to a node that uses a store.
    fn edges_of(
        &mut self,
        me: u32,
        &(store, own, privilege): &Used,
        partitions: &mut Partitions<'w>,
    ) {
        for at in self.uses[store.0 as usize].near(partitions, own) {
            let (partition, used) = self.uses[store.0 as usize].get(at as usize);
            let access = |part, privilege| {
                let partition = partitions.access(part).partition;
                Access { store, partition, privilege }
            };
            // They may share elements.
            let rule = |earlier| {
                let (earlier, later) = (access(partition, earlier), access(own, privilege));
                dependence(&earlier, &later, |_, _| false)
            };
            let changed = used.changed.map(|(node, by)| (node, rule(by)));
            let readers = match privilege {
                Privilege::Read => SmallVec::new(),
                _ => used.readers.clone(),
            };
            let after_reads = rule(Privilege::Read);
            if let Some((node, rule)) = changed {
                self.edge(node, me, rule);
            }
            readers.into_iter().for_each(|node| self.edge(node, me, after_reads));
        }
    }

    /// The nodes that changed any of these last.
    fn changed(
        &self,
        leaves: &[(StoreId, PartitionId)],
        partitions: &mut Partitions<'w>,
    ) -> SmallVec<[u32; 4]> {
        let mut nodes = SmallVec::new();
        for &(store, part) in leaves {
            let uses = &self.uses[store.0 as usize];
            let near = uses.near(partitions, part).into_iter();
            nodes.extend(near.filter_map(|at| Some(uses.get(at as usize).1.changed?.0)));
        }
        nodes
    }

    /// One node comes before another, in a nest of its own if a rule says so.
    fn edge(&mut self, from: u32, to: u32, rule: Option<Rule>) {
        if from == to || rule.is_some_and(|rule| !self.rules.hold(rule)) {
            return;
        }
        let nests = [from, to].iter().all(|&node| self.nodes[node as usize].is_nest);
        let barrier = rule.is_some() || !nests;
        let mark = &mut self.marks[from as usize];
        match *mark {
            (node, at) if node == to => self.edges[at].1.barrier |= barrier,
            _ => {
                *mark = (to, self.edges.len());
                self.edges.push((to, Edge { node: from, barrier }));
            }
        }
    }
}

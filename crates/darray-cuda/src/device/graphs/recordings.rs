//! Graphs that are kept for the next time that their plan comes.

use super::batch::Node;
use crate::device::state::logical::Logical;
use crate::driver::{Context, Executable, Graph};
use crate::error::CudaError;
use darray_device::GraphStats;
use hashbrown::{DefaultHashBuilder, HashMap};
use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

/// Graphs kept at most.
const KEPT: usize = 512;
/// Graphs of one part of a plan, at most.
const VARIANTS: usize = 8;
/// Lists of arguments that are remembered of a part of a plan.
const REMEMBERED: usize = 16;

/// Graphs by plan and part of it.
///
/// Rules: a graph whose nodes have the form of the new ones (the same kernels and kinds of copies on the
/// same devices, with the same edges) is given their arguments, where they differ, and launched again;
/// else a new graph is made. Arguments that come back after others came in between, as where a loop takes
/// turns with two blocks, get a graph of their own, and need no update from then on.
///
/// ```text
/// arguments   A        B              A                        B         A         B
///             record   update (A->B)  record: they come back   replay    replay    replay
/// ```
#[derive(Default)]
pub(in crate::device) struct Recordings {
    parts: HashMap<(u64, u32), Part>,
    hasher: DefaultHashBuilder,
    /// Counts uses.
    clock: u64,
    pub stats: GraphStats,
}

/// What is kept of a part of a plan.
#[derive(Default)]
struct Part {
    graphs: Vec<Recorded>,
    /// Hashes of the arguments that were recorded or set last. They only say when another graph is worth while: what a graph
    /// is launched with is compared whole.
    seen: VecDeque<u64>,
}

struct Recorded {
    /// Gone before the nodes, which keep the kernels that it launches loaded.
    executable: Executable,
    nodes: Vec<Node>,
    /// When it was last used.
    used: u64,
}

impl Recordings {
    /// A graph of these nodes, ready to be launched, and the nodes; `context` is bound. It takes the nodes if
    /// it succeeds.
    pub fn prepare(
        &mut self,
        key: (u64, u32),
        nodes: &mut Vec<Node>,
        devices: &[Logical],
        context: &Arc<Context>,
    ) -> Result<(&Executable, &[Node]), CudaError> {
        self.clock += 1;
        let at = self.find(key, nodes, devices)?;
        let at = match at {
            Some(at) => at,
            None => self.record(key, nodes, devices, context)?,
        };
        let recorded = &mut self.parts.get_mut(&key).expect("found or recorded").graphs[at];
        recorded.used = self.clock;
        Ok((&recorded.executable, &recorded.nodes))
    }

    /// The place of a graph that is kept and has been given the nodes' arguments, if there is one.
    fn find(
        &mut self,
        key: (u64, u32),
        nodes: &mut Vec<Node>,
        devices: &[Logical],
    ) -> Result<Option<usize>, CudaError> {
        let Some(part) = self.parts.get_mut(&key) else { return Ok(None) };
        let mut nearest: Option<(usize, u64, usize)> = None;
        for (at, recorded) in part.graphs.iter().enumerate() {
            if let Some(count) = differences(&recorded.nodes, nodes) {
                let better =
                    nearest.is_none_or(|(best, used, _)| (count, recorded.used) < (best, used));
                nearest = if better { Some((count, recorded.used, at)) } else { nearest };
            }
        }
        let Some((count, _, at)) = nearest else { return Ok(None) };
        if count == 0 {
            self.stats.replayed += 1;
            return Ok(Some(at));
        }
        let hash = hash(&self.hasher, nodes);
        if part.graphs.len() < VARIANTS && part.seen.contains(&hash) {
            return Ok(None);
        }
        part.remember(hash);
        let recorded = &mut part.graphs[at];
        match update(recorded, nodes, devices) {
            Ok(()) => {
                recorded.nodes = std::mem::take(nodes);
                (self.stats.replayed, self.stats.updated) =
                    (self.stats.replayed + 1, self.stats.updated + count as u64);
                Ok(Some(at))
            }
            Err(_) => {
                // Some of it may have been set: it is of no use any more.
                drop(part.graphs.remove(at));
                let executable = build(nodes, devices, devices[0].context())?;
                self.stats.refused += 1;
                let nodes = std::mem::take(nodes);
                part.graphs.push(Recorded { nodes, executable, used: 0 });
                Ok(Some(part.graphs.len() - 1))
            }
        }
    }

    /// Makes a new graph and gives its place.
    fn record(
        &mut self,
        key: (u64, u32),
        nodes: &mut Vec<Node>,
        devices: &[Logical],
        context: &Arc<Context>,
    ) -> Result<usize, CudaError> {
        let executable = build(nodes, devices, context)?;
        if self.parts.values().map(|part| part.graphs.len()).sum::<usize>() >= KEPT {
            self.forget_oldest();
        }
        let hash = hash(&self.hasher, nodes);
        let part = self.parts.entry(key).or_default();
        part.remember(hash);
        if part.graphs.len() >= VARIANTS {
            let used = |at: &usize| part.graphs[*at].used;
            let oldest = (0..part.graphs.len()).min_by_key(used).unwrap_or(0);
            drop(part.graphs.remove(oldest));
        }
        let nodes = std::mem::take(nodes);
        part.graphs.push(Recorded { nodes, executable, used: self.clock });
        match part.graphs.len() {
            1 => self.stats.recorded += 1,
            _ => self.stats.variants += 1,
        }
        Ok(part.graphs.len() - 1)
    }

    fn forget_oldest(&mut self) {
        let last_use = |part: &Part| part.graphs.iter().map(|recorded| recorded.used).max();
        let oldest = self.parts.iter().min_by_key(|(_, part)| last_use(part)).map(|(key, _)| *key);
        if let Some(key) = oldest {
            self.parts.remove(&key);
        }
    }
}

impl Part {
    fn remember(&mut self, hash: u64) {
        if self.seen.len() >= REMEMBERED {
            self.seen.pop_front();
        }
        self.seen.push_back(hash);
    }
}

/// How many nodes differ in their arguments; none if they differ in their form.
fn differences(kept: &[Node], nodes: &[Node]) -> Option<usize> {
    if kept.len() != nodes.len() {
        return None;
    }
    let mut count = 0;
    for (kept, node) in kept.iter().zip(nodes) {
        let equal = kept.device == node.device && kept.after == node.after;
        if !equal || !kept.operation.has_form_of(&node.operation) {
            return None;
        }
        count += !kept.operation.has_arguments_of(&node.operation) as usize;
    }
    Some(count)
}

fn hash(hasher: &DefaultHashBuilder, nodes: &[Node]) -> u64 {
    let mut state = hasher.build_hasher();
    nodes.iter().for_each(|node| node.operation.hash(&mut state));
    state.finish()
}

fn build(
    nodes: &[Node],
    devices: &[Logical],
    context: &Arc<Context>,
) -> Result<Executable, CudaError> {
    let mut graph = Graph::new(context)?;
    for node in nodes {
        // SAFETY: the addresses were valid when the node was pushed, and are when it runs: what is
        // given back is used again only behind it.
        unsafe { node.operation.add(&mut graph, &node.after, &devices[node.device])? };
    }
    graph.instantiate()
}

fn update(recorded: &mut Recorded, nodes: &[Node], devices: &[Logical]) -> Result<(), CudaError> {
    for (at, (kept, node)) in recorded.nodes.iter().zip(nodes).enumerate() {
        if !kept.operation.has_arguments_of(&node.operation) {
            // SAFETY: as for `build`.
            unsafe { node.operation.set(&mut recorded.executable, at, &devices[node.device])? };
        }
    }
    Ok(())
}

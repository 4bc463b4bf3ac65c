//! Graphs: work that is captured once and launched often.

use super::Driver;
use super::code::{Answer, Code};
use super::operation::Operation;
use std::sync::Arc;
use std::thread::ThreadId;

/// The capture that a stream or an event belongs to, and the nodes that it has come to.
#[derive(Clone, Debug, PartialEq)]
pub struct CaptureState {
    /// The graph that grows.
    pub graph: u64,
    /// The nodes that the next one depends on.
    pub after: Vec<usize>,
}

/// Work of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    /// What is to be done.
    pub operation: Operation,
    /// The device that does it.
    pub device: usize,
    /// The nodes that come before.
    pub after: Vec<usize>,
}

/// A graph.
#[derive(Debug, Default)]
pub struct Graph {
    /// Its nodes; every node comes behind those that it depends on.
    pub nodes: Vec<Node>,
    /// The capture that it grows in.
    pub capture: Option<Capture>,
}

/// A graph that can be launched.
#[derive(Clone, Debug)]
pub struct Executable {
    /// What it was made of.
    pub graph: u64,
    /// The nodes.
    pub nodes: Arc<Vec<Node>>,
}

/// A capture.
#[derive(Clone, Debug)]
pub struct Capture {
    /// The stream in which it began.
    pub origin: u64,
    /// Which calls it forbids: 0 to all threads, 1 to its own, 2 to none.
    pub mode: u32,
    /// The thread in which it began.
    pub thread: ThreadId,
    /// Whether an error has spoilt it.
    pub spoilt: bool,
}

/// A launch of a graph while it runs.
#[derive(Clone, Debug)]
pub struct Run {
    /// The handle of what was launched.
    pub executable: u64,
    /// The nodes.
    pub nodes: Arc<Vec<Node>>,
    /// Which nodes have been executed.
    pub done: Vec<bool>,
}

/// Bits of a lane that say which node.
const NODES: u32 = 24;

/// Where the order of a node of a launch is kept: launches of a stream come one after the other, and
/// so do their nodes with the same number.
pub fn lane(stream: u64, node: usize) -> u64 {
    stream << NODES | (node as u64 + 1)
}

/// A stream, or a lane, in words.
pub fn describe(lane: u64) -> String {
    match lane >> NODES {
        0 => format!("stream {lane:#x}"),
        stream => {
            let node = lane % (1 << NODES) - 1;
            format!("node {node} of a graph in stream {stream:#x}")
        }
    }
}

impl Run {
    /// Nodes that could be executed now.
    pub fn ready(&self) -> Vec<usize> {
        let is_ready = |at: &usize| {
            !self.done[*at] && self.nodes[*at].after.iter().all(|before| self.done[*before])
        };
        (0..self.nodes.len()).filter(is_ready).collect()
    }

    /// Whether a node has been executed.
    pub fn has_begun(&self) -> bool {
        self.done.contains(&true)
    }
}

impl Driver {
    /// Appends work of a stream to the graph that it captures.
    pub fn capture(&mut self, stream: u64, joined: CaptureState, operation: Operation) -> Answer {
        let spoilt = |graph: &Graph| graph.capture.as_ref().is_none_or(|capture| capture.spoilt);
        if self.graphs.get(&joined.graph).is_none_or(spoilt) {
            return Err(Code::CAPTURE_INVALIDATED);
        }
        if !operation.can_be_captured() {
            return Err(self.spoil(stream, Code::CAPTURE_UNSUPPORTED));
        }
        let device = self.streams[&stream].device;
        if let Some(graph) = self.graphs.get_mut(&joined.graph) {
            graph.nodes.push(Node { operation, device, after: joined.after });
            let after = vec![graph.nodes.len() - 1];
            if let Some(stream) = self.streams.get_mut(&stream) {
                stream.capture = Some(CaptureState { graph: joined.graph, after });
            }
        }
        Ok(())
    }

    /// Spoils the capture of a stream by an error.
    pub fn spoil(&mut self, stream: u64, code: Code) -> Code {
        let graph = self.streams.get(&stream).and_then(|s| s.capture.as_ref()).map(|j| j.graph);
        if let Some(capture) =
            graph.and_then(|graph| self.graphs.get_mut(&graph)).and_then(|g| g.capture.as_mut())
        {
            capture.spoilt = true;
        }
        code
    }

    /// Calls that could break a capture fail while one forbids them, and spoil it.
    pub fn forbid_in_capture(&mut self) -> Answer {
        let here = std::thread::current().id();
        let mut found = false;
        for graph in self.graphs.values_mut() {
            if let Some(capture) = &mut graph.capture
                && (capture.mode == 0 || capture.mode == 1 && capture.thread == here)
            {
                capture.spoilt = true;
                found = true;
            }
        }
        if found { Err(Code::CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// Makes a stream part of a capture, or lets its next node depend on more.
    pub fn join(&mut self, stream: u64, joined: CaptureState) -> Answer {
        let device = self.streams[&stream].device;
        if self.devices[device].streams[0] == stream {
            return Err(Code::CAPTURE_IMPLICIT);
        }
        let Some(found) = self.streams.get_mut(&stream) else { return Err(Code::INVALID_HANDLE) };
        match &mut found.capture {
            None => found.capture = Some(joined),
            Some(own) if own.graph == joined.graph => {
                for node in joined.after {
                    if !own.after.contains(&node) {
                        own.after.push(node);
                    }
                }
                own.after.sort_unstable();
            }
            Some(_) => return Err(self.spoil(stream, Code::CAPTURE_ISOLATION)),
        }
        Ok(())
    }

    /// Begins a capture.
    pub fn begin_capture(&mut self, stream: u64, mode: u32) -> Answer {
        if mode > 2 {
            return Err(Code::INVALID_VALUE);
        }
        let device = self.streams[&stream].device;
        let default = self.devices[device].streams[0] == stream;
        if default || self.streams[&stream].capture.is_some() {
            return Err(Code::CAPTURE_UNSUPPORTED);
        }
        let thread = std::thread::current().id();
        let capture = Some(Capture { origin: stream, mode, thread, spoilt: false });
        let graph = self.handle();
        self.graphs.insert(graph, Graph { nodes: Vec::new(), capture });
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.capture = Some(CaptureState { graph, after: Vec::new() });
        }
        Ok(())
    }

    /// Ends a capture and yields its graph.
    pub fn end_capture(&mut self, stream: u64) -> Answer<u64> {
        let joined = self.streams[&stream].capture.clone().ok_or(Code::INVALID_VALUE)?;
        let graph = self.graphs.get_mut(&joined.graph).ok_or(Code::INVALID_VALUE)?;
        let capture = graph.capture.clone().ok_or(Code::INVALID_VALUE)?;
        if capture.origin != stream {
            return Err(Code::CAPTURE_UNMATCHED);
        }
        graph.capture = None;
        let before = ancestors(&graph.nodes, &joined.after);
        let mut unjoined = false;
        for (handle, other) in &mut self.streams {
            if other.capture.as_ref().is_some_and(|other| other.graph == joined.graph) {
                let after = other.capture.take().map_or(Vec::new(), |other| other.after);
                unjoined |= *handle != stream && after.iter().any(|node| !before[*node]);
            }
        }
        for event in self.events.values() {
            let mut state = event.state();
            if state.joined.as_ref().is_some_and(|other| other.graph == joined.graph) {
                state.joined = None;
            }
        }
        if capture.spoilt || unjoined {
            self.graphs.remove(&joined.graph);
            let code = if unjoined { Code::CAPTURE_UNJOINED } else { Code::CAPTURE_INVALIDATED };
            return Err(code);
        }
        Ok(joined.graph)
    }

    /// Makes a graph ready to be launched, less the edge that is asked to be left out.
    pub fn instantiate(&mut self, graph: u64) -> Answer<Executable> {
        let found = self.graphs.get(&graph).ok_or(Code::INVALID_VALUE)?;
        if found.capture.is_some() {
            return Err(Code::CAPTURE_UNSUPPORTED);
        }
        let mut nodes = found.nodes.clone();
        let (skipped, counters) = (self.config.skip_edge, &mut self.counters);
        for node in &mut nodes {
            let device = node.device;
            node.after.retain(|&before| {
                counters.edges += 1;
                let left_out = Some(counters.edges) == skipped;
                let is_within = found.nodes[before].device == device;
                counters.left_out_within += u64::from(left_out && is_within);
                !left_out
            });
        }
        Ok(Executable { graph, nodes: Arc::new(nodes) })
    }

    /// A node of an executable that is to be changed: `node` is a place of the graph that it was made
    /// of, which must still exist.
    pub fn node_to_update(
        &mut self,
        executable: u64,
        (graph, place): (u64, usize),
    ) -> Answer<&mut Node> {
        let exists = self.graphs.contains_key(&graph);
        let found = self.executables.get_mut(&executable).ok_or(Code::INVALID_VALUE)?;
        if found.graph != graph || !exists || !self.config.updates {
            return Err(Code::INVALID_VALUE);
        }
        // Launches that were submitted before keep what they had.
        Arc::make_mut(&mut found.nodes).get_mut(place).ok_or(Code::INVALID_VALUE)
    }

    /// Puts another graph of the same shape in place of what was instantiated.
    pub fn update(&mut self, executable: u64, graph: u64) -> Result<(), (Code, u32)> {
        let old = &self.executables.get(&executable).ok_or((Code::INVALID_HANDLE, 1))?.nodes;
        let new = &self.graphs.get(&graph).ok_or((Code::INVALID_HANDLE, 1))?.nodes;
        const TOPOLOGY_CHANGED: u32 = 2;
        const NODE_TYPE_CHANGED: u32 = 3;
        const PARAMETERS_CHANGED: u32 = 5;
        if !self.config.updates {
            return Err((Code::GRAPH_EXEC_UPDATE_FAILURE, PARAMETERS_CHANGED));
        }
        if old.len() != new.len() || old.iter().zip(new).any(|(a, b)| a.after != b.after) {
            return Err((Code::GRAPH_EXEC_UPDATE_FAILURE, TOPOLOGY_CHANGED));
        }
        for (a, b) in old.iter().zip(new) {
            if std::mem::discriminant(&a.operation) != std::mem::discriminant(&b.operation) {
                return Err((Code::GRAPH_EXEC_UPDATE_FAILURE, NODE_TYPE_CHANGED));
            }
            if a.device != b.device {
                return Err((Code::GRAPH_EXEC_UPDATE_FAILURE, PARAMETERS_CHANGED));
            }
        }
        let nodes = Arc::new(new.clone());
        if let Some(found) = self.executables.get_mut(&executable) {
            found.nodes = nodes;
        }
        Ok(())
    }
}

/// For every node whether one of these depends on it or is it.
fn ancestors(nodes: &[Node], of: &[usize]) -> Vec<bool> {
    let mut found = vec![false; nodes.len()];
    let mut open = of.to_vec();
    while let Some(node) = open.pop() {
        if !found[node] {
            found[node] = true;
            open.extend(&nodes[node].after);
        }
    }
    found
}

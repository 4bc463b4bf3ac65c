//! Graphs.

use crate::driver::code::{Answer, Code};
use crate::driver::graph::{Graph, Node, Run};
use crate::driver::module::Function;
use crate::driver::operation::Operation;
use crate::driver::schedule::{Session, expect_host_function};
use crate::exports::code::launch::{Shape, kernel};
use crate::exports::{call, current, device_of, put, release, stream};
use std::ffi::c_void;

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphCreate(to: *mut u64, _flags: u32) -> u32 {
    call("cuGraphCreate", |session| {
        let handle = session.handle();
        // SAFETY: the interface of the call.
        unsafe { put(to, handle) }?;
        session.graphs.insert(handle, Graph::default());
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphDestroy(handle: u64) -> u32 {
    release("cuGraphDestroy", |session| {
        session.graphs.remove(&handle).map(drop).ok_or(Code::INVALID_VALUE)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphInstantiateWithFlags(to: *mut u64, graph: u64, _flags: u64) -> u32 {
    call("cuGraphInstantiateWithFlags", |session| {
        let executable = session.instantiate(graph)?;
        let handle = session.handle();
        // SAFETY: the interface of the call.
        unsafe { put(to, handle) }?;
        session.executables.insert(handle, executable);
        Ok(())
    })
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
struct UpdateInfo {
    result: u32,
    node: u64,
    from: u64,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphExecUpdate_v2(
    executable: u64,
    graph: u64,
    info: *mut UpdateInfo,
) -> u32 {
    call("cuGraphExecUpdate_v2", |session| {
        let updated = session.update(executable, graph);
        let result = updated.map_or_else(|(_, reason)| reason, |()| 0);
        // SAFETY: the interface of the call.
        unsafe { put(info, UpdateInfo { result, node: 0, from: 0 }) }?;
        updated.map_err(|(code, _)| code)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphLaunch(executable: u64, queue: u64) -> u32 {
    call("cuGraphLaunch", |session| {
        let found = stream(session, queue)?;
        let found_nodes = session.executables.get(&executable).ok_or(Code::INVALID_VALUE)?;
        let nodes = found_nodes.nodes.clone();
        if session.streams[&found].capture.is_some() {
            return Err(session.spoil(found, Code::CAPTURE_UNSUPPORTED));
        }
        let (device, bytes) = (session.streams[&found].device, session.config.graph_memory);
        session.make_room(device, bytes)?;
        let done = vec![false; nodes.len()];
        let operation = Operation::Graph(Box::new(Run { executable, nodes, done }));
        let host_functions = operation.host_functions();
        session.host_functions += host_functions;
        if host_functions > 0 {
            expect_host_function();
        }
        session.submit(found, operation)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphUpload(executable: u64, queue: u64) -> u32 {
    call("cuGraphUpload", |session| {
        stream(session, queue)?;
        session.executables.get(&executable).map(drop).ok_or(Code::INVALID_VALUE)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphExecDestroy(handle: u64) -> u32 {
    release("cuGraphExecDestroy", |session| {
        session.executables.remove(&handle).map(drop).ok_or(Code::INVALID_VALUE)
    })
}

/// Handles of nodes: the graph and the place, which is below this.
pub(in crate::exports) const NODES: u64 = 1 << 20;

/// The place of a node.
pub(in crate::exports) fn place(node: u64) -> usize {
    (node % NODES) as usize
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphGetNodes(graph: u64, to: *mut u64, count: *mut usize) -> u32 {
    call("cuGraphGetNodes", |session| {
        let nodes = session.graphs.get(&graph).ok_or(Code::INVALID_VALUE)?.nodes.len();
        // SAFETY: the interface of the call.
        unsafe {
            if !to.is_null() && !count.is_null() {
                for at in 0..nodes.min(*count) {
                    to.add(at).write(graph * NODES + at as u64);
                }
            }
            put(count, nodes)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphGetEdges_v2(
    graph: u64,
    from: *mut u64,
    to: *mut u64,
    data: *mut [u8; 8],
    count: *mut usize,
) -> u32 {
    call("cuGraphGetEdges_v2", |session| {
        let nodes = &session.graphs.get(&graph).ok_or(Code::INVALID_VALUE)?.nodes;
        let edges = nodes.iter().enumerate().flat_map(|(at, node)| {
            node.after.iter().map(move |before| (*before as u64, at as u64))
        });
        let edges: Vec<(u64, u64)> = edges.collect();
        // SAFETY: the interface of the call.
        unsafe {
            if !from.is_null() && !to.is_null() && !count.is_null() {
                for (at, edge) in edges.iter().take(*count).enumerate() {
                    from.add(at).write(graph * NODES + edge.0);
                    to.add(at).write(graph * NODES + edge.1);
                    if !data.is_null() {
                        data.add(at).write([0; 8]);
                    }
                }
            }
            put(count, edges.len())
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphKernelNodeSetParams_v2(
    node: u64,
    parameters: *const KernelParameters,
) -> u32 {
    call("cuGraphKernelNodeSetParams_v2", |session| {
        let graph = session.graphs.get(&(node / NODES)).ok_or(Code::INVALID_VALUE)?;
        let device = graph.nodes.get(place(node)).ok_or(Code::INVALID_VALUE)?.device;
        // SAFETY: the interface of the call.
        let operation = unsafe {
            let parameters = parameters.as_ref().ok_or(Code::INVALID_VALUE)?;
            parameters.operation(session, device)?
        };
        let graph = session.graphs.get_mut(&(node / NODES)).ok_or(Code::INVALID_VALUE)?;
        let found = &mut graph.nodes[place(node)];
        if !matches!(found.operation, Operation::Kernel(_)) {
            return Err(Code::INVALID_VALUE);
        }
        found.operation = operation;
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphNodeGetType(node: u64, to: *mut u32) -> u32 {
    call("cuGraphNodeGetType", |session| {
        let graph = session.graphs.get(&(node / NODES)).ok_or(Code::INVALID_VALUE)?;
        let node = graph.nodes.get(place(node)).ok_or(Code::INVALID_VALUE)?;
        let kind = match &node.operation {
            Operation::Kernel(_) => 0,
            Operation::Copy(_) => 1,
            Operation::Fill(_) => 2,
            Operation::Host(_) => 3,
            Operation::Graph(_) => 4,
            _ => 5,
        };
        // SAFETY: the interface of the call.
        unsafe { put(to, kind) }
    })
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
struct KernelParameters {
    function: u64,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    arguments: *const *const c_void,
    extra: *const *const c_void,
    kernel: u64,
    context: u64,
}

impl KernelParameters {
    /// The device of the kernel: that of the function where there is one, and not the current one.
    fn device(&self, session: &Session) -> Answer<usize> {
        match session.functions.get(&self.function) {
            Some(Function::Kernel { module, .. }) => Ok(module.device),
            _ if self.context != 0 => device_of(session, self.context),
            _ => current(session),
        }
    }

    /// # Safety
    /// The arguments are as a launch wants them.
    unsafe fn operation(&self, session: &mut Session, device: usize) -> Answer<Operation> {
        let function = if self.function != 0 { self.function } else { self.kernel };
        let shape = Shape { grid: self.grid, block: self.block, shared: self.shared };
        // SAFETY: the caller promises it.
        unsafe { kernel(session, device, function, &shape, self.arguments, self.extra) }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphAddKernelNode_v2(
    to: *mut u64,
    graph: u64,
    after: *const u64,
    count: usize,
    parameters: *const KernelParameters,
) -> u32 {
    call("cuGraphAddKernelNode_v2", |session| {
        // SAFETY: the interface of the call.
        let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let device = parameters.device(session)?;
        // SAFETY: the interface of the call.
        let operation = unsafe { parameters.operation(session, device) }?;
        // SAFETY: the interface of the call.
        unsafe { add(session, to, graph, after, count, device, operation) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphAddEmptyNode(
    to: *mut u64,
    graph: u64,
    after: *const u64,
    count: usize,
) -> u32 {
    call("cuGraphAddEmptyNode", |session| {
        let device = current(session)?;
        // SAFETY: the interface of the call.
        unsafe { add(session, to, graph, after, count, device, Operation::Empty) }
    })
}

/// # Safety
/// `after` points to `count` nodes, `to` may be written.
pub(in crate::exports) unsafe fn add(
    session: &mut Session,
    to: *mut u64,
    graph: u64,
    after: *const u64,
    count: usize,
    device: usize,
    operation: Operation,
) -> Answer {
    let found = session.graphs.get_mut(&graph).ok_or(Code::INVALID_VALUE)?;
    let mut before = Vec::with_capacity(count);
    for at in 0..count {
        // SAFETY: the caller promises the nodes.
        let node = unsafe { after.add(at).read() };
        if node / NODES != graph || place(node) >= found.nodes.len() {
            return Err(Code::INVALID_VALUE);
        }
        before.push(place(node));
    }
    let handle = graph * NODES + found.nodes.len() as u64;
    // SAFETY: the caller promises it.
    unsafe { put(to, handle) }?;
    found.nodes.push(Node { operation, device, after: before });
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGraphExecKernelNodeSetParams_v2(
    executable: u64,
    node: u64,
    parameters: *const KernelParameters,
) -> u32 {
    call("cuGraphExecKernelNodeSetParams_v2", |session| {
        // SAFETY: the interface of the call.
        let parameters = unsafe { parameters.as_ref() }.ok_or(Code::INVALID_VALUE)?;
        let device = parameters.device(session)?;
        // SAFETY: the interface of the call.
        let operation = unsafe { parameters.operation(session, device) }?;
        let found = session.node_to_update(executable, (node / NODES, place(node)))?;
        // A node stays a kernel, and in its context.
        if !matches!(found.operation, Operation::Kernel(_)) || found.device != device {
            return Err(Code::INVALID_VALUE);
        }
        found.operation = operation;
        Ok(())
    })
}

//! Graphs: work that is put together once and launched often.

use super::call::check;
use super::context::Context;
use super::module::{Function, Grid, Parameters};
use super::stream::Stream;
use crate::CudaError;
use cudarc::driver::sys;
use smallvec::SmallVec;
use std::ffi::c_void;
use std::sync::Arc;

/// A graph that is being put together. It holds nodes of several devices.
#[derive(Debug)]
pub(crate) struct Graph {
    context: Arc<Context>,
    raw: sys::CUgraph,
    nodes: Vec<sys::CUgraphNode>,
}

/// A graph that can be launched. Nodes take other arguments, which hold from the next launch on.
#[derive(Debug)]
pub(crate) struct Executable {
    raw: sys::CUgraphExec,
    /// The driver knows nodes by what it was made of.
    graph: Graph,
}

/// A kernel as a node.
pub(crate) struct Kernel<'k> {
    pub function: &'k Function,
    pub grid: Grid,
    pub parameters: Parameters<'k>,
}

/// One end of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Memory of a device.
    Device(u64),
    /// Pinned memory.
    Host(*mut u8),
}

// SAFETY: an address; whoever copies there knows that the memory lives.
unsafe impl Send for End {}

/// A copy of contiguous bytes as a node.
pub(crate) struct Copy<'c> {
    pub to: End,
    pub from: End,
    pub bytes: usize,
    /// Where it runs.
    pub context: &'c Context,
}

// SAFETY: graphs are not bound to threads; one is used by one thread at a time, as `&mut` says.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Send for Executable {}

impl Graph {
    /// An empty graph; any context is bound.
    pub fn new(context: &Arc<Context>) -> Result<Graph, CudaError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the driver stores one handle, which `drop` destroys.
        check("cuGraphCreate", unsafe { sys::cuGraphCreate(&mut raw, 0) })?;
        Ok(Graph { context: context.clone(), raw, nodes: Vec::new() })
    }

    /// Adds a kernel behind these nodes, which are counted from 0.
    ///
    /// # Safety
    /// As for a launch, at every launch of the graph; the module lives as long.
    pub unsafe fn add_kernel(&mut self, after: &[u32], kernel: &Kernel) -> Result<(), CudaError> {
        let before = self.handles(after);
        let mut node = std::ptr::null_mut();
        kernel.with_parameters(|parameters| {
            // SAFETY: handles of this graph's nodes; the driver reads the structure and the
            // parameter's bytes before it returns.
            check("cuGraphAddKernelNode", unsafe {
                let count = before.len();
                sys::cuGraphAddKernelNode_v2(
                    &mut node,
                    self.raw,
                    before.as_ptr(),
                    count,
                    parameters,
                )
            })
        })?;
        self.nodes.push(node);
        Ok(())
    }

    /// Adds a copy behind these nodes.
    ///
    /// # Safety
    /// Both ends have these bytes at every launch of the graph.
    pub unsafe fn add_copy(&mut self, after: &[u32], copy: &Copy) -> Result<(), CudaError> {
        let before = self.handles(after);
        let (mut node, parameters) = (std::ptr::null_mut(), copy.parameters());
        // SAFETY: handles of this graph's nodes; the driver reads one structure.
        check("cuGraphAddMemcpyNode", unsafe {
            let (count, context) = (before.len(), copy.context.raw());
            sys::cuGraphAddMemcpyNode(
                &mut node,
                self.raw,
                before.as_ptr(),
                count,
                &parameters,
                context,
            )
        })?;
        self.nodes.push(node);
        Ok(())
    }

    /// Makes it ready to be launched.
    pub fn instantiate(self) -> Result<Executable, CudaError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the graph lives; the driver stores one handle, which `drop` destroys.
        check("cuGraphInstantiateWithFlags", unsafe {
            sys::cuGraphInstantiateWithFlags(&mut raw, self.raw, 0)
        })?;
        Ok(Executable { raw, graph: self })
    }

    fn handles(&self, after: &[u32]) -> SmallVec<[sys::CUgraphNode; 8]> {
        after.iter().map(|&node| self.nodes[node as usize]).collect()
    }
}

impl Executable {
    /// Gives a kernel another size and another parameter.
    ///
    /// # Safety
    /// As for [`Graph::add_kernel`].
    pub unsafe fn set_kernel(&mut self, node: usize, kernel: &Kernel) -> Result<(), CudaError> {
        let node = self.graph.nodes[node];
        kernel.with_parameters(|parameters| {
            // SAFETY: a node of what this was made of; the driver reads the structure and the
            // parameter's bytes before it returns.
            check("cuGraphExecKernelNodeSetParams", unsafe {
                sys::cuGraphExecKernelNodeSetParams_v2(self.raw, node, parameters)
            })
        })
    }

    /// Gives a copy other ends, in the memories where they were.
    ///
    /// # Safety
    /// As for [`Graph::add_copy`].
    pub unsafe fn set_copy(&mut self, node: usize, copy: &Copy) -> Result<(), CudaError> {
        let (node, parameters) = (self.graph.nodes[node], copy.parameters());
        // SAFETY: a node of what this was made of; the driver reads one structure.
        check("cuGraphExecMemcpyNodeSetParams", unsafe {
            let context = copy.context.raw();
            sys::cuGraphExecMemcpyNodeSetParams(self.raw, node, &parameters, context)
        })
    }

    /// Queues a run of the whole.
    pub fn launch(&self, stream: &Stream) -> Result<(), CudaError> {
        // SAFETY: both live; what the nodes need is the promise of those who added them.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.raw, stream.raw()) })
    }
}

impl Kernel<'_> {
    /// Calls `f` with the driver's structure.
    fn with_parameters(
        &self,
        f: impl FnOnce(*const sys::CUDA_KERNEL_NODE_PARAMS) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        let mut parameters = self.parameters.addresses();
        let Grid { blocks, threads, shared } = self.grid;
        let structure = sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.function.raw(),
            gridDimX: blocks[0],
            gridDimY: blocks[1],
            gridDimZ: blocks[2],
            blockDimX: threads[0],
            blockDimY: threads[1],
            blockDimZ: threads[2],
            sharedMemBytes: shared,
            kernelParams: parameters.as_mut_ptr(),
            extra: std::ptr::null_mut(),
            kern: std::ptr::null_mut(),
            // The function's.
            ctx: std::ptr::null_mut(),
        };
        f(&structure)
    }
}

impl Copy<'_> {
    fn parameters(&self) -> sys::CUDA_MEMCPY3D {
        use sys::CUmemorytype::{CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
        let parts = |end| match end {
            End::Device(address) => (CU_MEMORYTYPE_DEVICE, std::ptr::null_mut(), address),
            End::Host(pointer) => (CU_MEMORYTYPE_HOST, pointer.cast::<c_void>(), 0),
        };
        let ((to_kind, to_host, to), (from_kind, from_host, from)) =
            (parts(self.to), parts(self.from));
        sys::CUDA_MEMCPY3D {
            srcXInBytes: 0,
            srcY: 0,
            srcZ: 0,
            srcLOD: 0,
            srcMemoryType: from_kind,
            srcHost: from_host,
            srcDevice: from,
            srcArray: std::ptr::null_mut(),
            reserved0: std::ptr::null_mut(),
            // One row needs no pitch.
            srcPitch: 0,
            srcHeight: 0,
            dstXInBytes: 0,
            dstY: 0,
            dstZ: 0,
            dstLOD: 0,
            dstMemoryType: to_kind,
            dstHost: to_host,
            dstDevice: to,
            dstArray: std::ptr::null_mut(),
            reserved1: std::ptr::null_mut(),
            dstPitch: 0,
            dstHeight: 0,
            WidthInBytes: self.bytes,
            Height: 1,
            Depth: 1,
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        self.context.visit(|| {
            // SAFETY: created by `new`; what was made of it holds it until it goes itself.
            let _ = unsafe { sys::cuGraphDestroy(self.raw) };
        });
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        self.graph.context.visit(|| {
            // SAFETY: made by `instantiate`; launches that are queued still run.
            let _ = unsafe { sys::cuGraphExecDestroy(self.raw) };
        });
    }
}

//! Graphs that are put together node by node, over several devices.

use crate::gpu::{Gpu, TEXT, code, download, pointer, turn, upload};
use cudarc::driver::sys::{self, CUmemorytype};
use std::ffi::c_void;

/// A graph that is put together.
struct Nodes {
    graph: sys::CUgraph,
    list: Vec<sys::CUgraphNode>,
}

/// Memory of a device, or pinned memory.
#[derive(Clone, Copy)]
enum End {
    Device(u64),
    Host(*mut f32),
}

/// The kernel `affine` of a context, which is current then.
fn affine(gpu: &Gpu) -> sys::CUfunction {
    gpu.context.bind_to_thread().unwrap();
    let (text, mut module, mut function) =
        (format!("{TEXT}\0"), std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: the text ends with a zero byte; the driver stores handles.
    unsafe {
        assert_eq!(code(sys::cuModuleLoadData(&mut module, text.as_ptr().cast())), 0);
        let name = c"affine".as_ptr();
        assert_eq!(code(sys::cuModuleGetFunction(&mut function, module, name)), 0);
    }
    function
}

/// `y = a x + 1` over 100 elements, as parameters of a node; given to `f`.
fn kernel(
    function: sys::CUfunction,
    [x, y]: [u64; 2],
    a: f32,
    f: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> sys::CUresult,
) -> u32 {
    let (b, count) = (1f32, 100i32);
    let mut arguments = [pointer(&x), pointer(&y), pointer(&a), pointer(&b), pointer(&count)];
    code(f(&sys::CUDA_KERNEL_NODE_PARAMS {
        func: function,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 128,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: arguments.as_mut_ptr(),
        extra: std::ptr::null_mut(),
        kern: std::ptr::null_mut(),
        ctx: std::ptr::null_mut(),
    }))
}

/// A copy of bytes, as parameters of a node.
fn copy(to: End, from: End, bytes: usize) -> sys::CUDA_MEMCPY3D {
    // SAFETY: a structure of numbers, of enumerations that are set below, and of null pointers.
    let mut copy: sys::CUDA_MEMCPY3D = unsafe {
        let mut copy = std::mem::MaybeUninit::<sys::CUDA_MEMCPY3D>::zeroed();
        (*copy.as_mut_ptr()).srcMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        (*copy.as_mut_ptr()).dstMemoryType = CUmemorytype::CU_MEMORYTYPE_DEVICE;
        copy.assume_init()
    };
    match to {
        End::Device(address) => copy.dstDevice = address,
        End::Host(host) => {
            copy.dstMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
            copy.dstHost = host.cast::<c_void>();
        }
    }
    match from {
        End::Device(address) => copy.srcDevice = address,
        End::Host(host) => {
            copy.srcMemoryType = CUmemorytype::CU_MEMORYTYPE_HOST;
            copy.srcHost = host.cast::<c_void>();
        }
    }
    (copy.WidthInBytes, copy.Height, copy.Depth) = (bytes, 1, 1);
    copy
}

impl Nodes {
    fn new() -> Nodes {
        let mut graph = std::ptr::null_mut();
        // SAFETY: the driver stores one handle.
        assert_eq!(code(unsafe { sys::cuGraphCreate(&mut graph, 0) }), 0);
        Nodes { graph, list: Vec::new() }
    }

    fn add_kernel(&mut self, after: &[usize], function: sys::CUfunction, memory: [u64; 2]) -> u32 {
        let after: Vec<_> = after.iter().map(|at| self.list[*at]).collect();
        let mut node = std::ptr::null_mut();
        let result = kernel(function, memory, 2.0, |parameters| {
            // SAFETY: nodes of this graph and a whole structure.
            unsafe {
                let count = after.len();
                sys::cuGraphAddKernelNode_v2(
                    &mut node,
                    self.graph,
                    after.as_ptr(),
                    count,
                    parameters,
                )
            }
        });
        self.list.push(node);
        result
    }

    fn add_copy(
        &mut self,
        after: &[usize],
        gpu: &Gpu,
        (to, from, bytes): (End, End, usize),
    ) -> u32 {
        let after: Vec<_> = after.iter().map(|at| self.list[*at]).collect();
        let (mut node, copy) = (std::ptr::null_mut(), copy(to, from, bytes));
        // SAFETY: nodes of this graph and a whole structure.
        let result = code(unsafe {
            let (count, context) = (after.len(), gpu.context.cu_ctx());
            sys::cuGraphAddMemcpyNode(&mut node, self.graph, after.as_ptr(), count, &copy, context)
        });
        self.list.push(node);
        result
    }

    fn instantiate(&self) -> sys::CUgraphExec {
        let mut executable = std::ptr::null_mut();
        // SAFETY: the graph lives; the driver stores one handle.
        let result = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, self.graph, 0) };
        assert_eq!(code(result), 0);
        executable
    }
}

/// Two devices that reach each other.
fn pair() -> [Gpu; 2] {
    let gpus = [Gpu::new(0).unwrap(), Gpu::new(1).unwrap()];
    for (from, to) in [(0, 1), (1, 0)] {
        gpus[from].context.bind_to_thread().unwrap();
        // SAFETY: both contexts live.
        let result = unsafe { sys::cuCtxEnablePeerAccess(gpus[to].context.cu_ctx(), 0) };
        assert_eq!(code(result), 0);
    }
    gpus
}

/// Kernel on device 0, copy to device 1, kernel there, copy to the host. Whether all went well.
fn two_devices(settings: &str) -> Result<[f32; 2], u32> {
    let turn = turn(settings);
    let gpus = pair();
    let [near, far] = &gpus;
    let functions = [affine(near), affine(far)];
    let memory = gpus.each_ref().map(|gpu| [0; 2].map(|_| gpu.allocate(400).unwrap()));
    near.context.bind_to_thread().unwrap();
    upload(memory[0][0], &[3.0; 100]);
    let mut host = std::ptr::null_mut();
    // SAFETY: the driver stores one address.
    assert_eq!(code(unsafe { sys::cuMemHostAlloc(&mut host, 400, 1) }), 0);
    let host = host.cast::<f32>();
    let mut nodes = Nodes::new();
    assert_eq!(nodes.add_kernel(&[], functions[0], memory[0]), 0);
    let over = (End::Device(memory[1][0]), End::Device(memory[0][1]), 400);
    assert_eq!(nodes.add_copy(&[0], far, over), 0);
    assert_eq!(nodes.add_kernel(&[1], functions[1], memory[1]), 0);
    assert_eq!(nodes.add_copy(&[2], far, (End::Host(host), End::Device(memory[1][1]), 400)), 0);
    let executable = nodes.instantiate();
    let stream = near.stream();
    // SAFETY: the graph, its memory and the stream live.
    let result = unsafe { sys::cuGraphLaunch(executable, stream.cu_stream()) };
    let synced = stream.synchronize();
    if code(result) != 0 || synced.is_err() {
        assert!(turn.fake.error().contains("race: "), "{}", turn.fake.error());
        return Err(code(result).max(synced.map_or_else(|e| e.0 as u32, |()| 0)));
    }
    // SAFETY: the copy has run.
    let found = unsafe { [*host, *host.add(99)] };
    // SAFETY: nobody uses it any more.
    assert_eq!(code(unsafe { sys::cuGraphExecDestroy(executable) }), 0);
    Ok(found)
}

#[test]
fn one_graph_holds_nodes_of_several_devices() {
    for schedule in ["eager", "random:1", "random:2", "random:3", "random:4"] {
        let found = two_devices(&format!("devices=2 races=on sched={schedule}"));
        assert_eq!(found, Ok([15.0; 2]), "{schedule}");
    }
}

#[test]
fn a_missing_edge_is_a_race_under_every_schedule() {
    for schedule in ["eager", "random:1", "random:2"] {
        // The last edge leads to a copy to the host, whose memory is watched at the other end.
        for edge in 1..=3 {
            let settings = format!("devices=2 races=on sched={schedule} skip_edge={edge}");
            assert!(two_devices(&settings).is_err(), "edge {edge}, {schedule}");
        }
    }
}

#[test]
fn nodes_take_other_arguments_but_stay_where_they_are() {
    let turn = turn("devices=2 sched=random:1");
    let gpus = pair();
    let functions = gpus.each_ref().map(affine);
    let memory = [0, 0, 1].map(|gpu: usize| gpus[gpu].allocate(400).unwrap());
    let mut nodes = Nodes::new();
    assert_eq!(nodes.add_kernel(&[], functions[0], [memory[0]; 2]), 0);
    let within = (End::Device(memory[1]), End::Device(memory[0]), 400);
    assert_eq!(nodes.add_copy(&[0], &gpus[0], within), 0);
    assert_eq!(nodes.add_copy(&[0], &gpus[0], (within.0, within.1, 0)), 1, "nothing to copy");
    let executable = nodes.instantiate();
    let set_kernel = |node: usize, function: sys::CUfunction, memory: [u64; 2], a: f32| {
        kernel(function, memory, a, |parameters| {
            // SAFETY: a node of the graph that the executable was made of, and a whole structure.
            unsafe {
                sys::cuGraphExecKernelNodeSetParams_v2(executable, nodes.list[node], parameters)
            }
        })
    };
    let set_copy = |node: usize, to: u64, from: u64, bytes: usize| {
        let copy = copy(End::Device(to), End::Device(from), bytes);
        let context = gpus[0].context.cu_ctx();
        // SAFETY: as above.
        code(unsafe {
            sys::cuGraphExecMemcpyNodeSetParams(executable, nodes.list[node], &copy, context)
        })
    };
    let stream = gpus[0].stream();
    upload(memory[0], &[1.0; 100]);
    // SAFETY: the graph, its memory and the stream live.
    let launch =
        || assert_eq!(code(unsafe { sys::cuGraphLaunch(executable, stream.cu_stream()) }), 0);
    launch();
    // What was launched before keeps its arguments: 2 x + 1, then 5 x + 1.
    assert_eq!(set_kernel(0, functions[0], [memory[0]; 2], 5.0), 0);
    assert_eq!(set_copy(1, memory[1] + 4, memory[0], 4), 0);
    launch();
    stream.synchronize().unwrap();
    assert_eq!(download(memory[1], 3).unwrap(), [3.0, 16.0, 3.0]);
    assert_eq!(set_kernel(0, functions[1], [memory[2]; 2], 5.0), 1, "another device's kernel");
    assert_eq!(set_kernel(1, functions[0], [memory[0]; 2], 5.0), 1, "the node is a copy");
    assert_eq!(set_copy(0, memory[1], memory[0], 4), 1, "the node is a kernel");
    assert_eq!(set_copy(1, memory[2], memory[0], 4), 1, "another device's memory");
    turn.fake.set("updates=off").unwrap();
    assert_eq!(set_kernel(0, functions[0], [memory[0]; 2], 5.0), 1, "as asked");
    turn.fake.set("updates=on").unwrap();
    // SAFETY: nobody uses the graph any more but by its nodes.
    assert_eq!(code(unsafe { sys::cuGraphDestroy(nodes.graph) }), 0);
    assert_eq!(set_kernel(0, functions[0], [memory[0]; 2], 5.0), 1, "the nodes are gone");
    launch();
    stream.synchronize().unwrap();
}

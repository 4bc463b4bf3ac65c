//! What calls of the driver cost the host, and kernels that do nothing the GPU: medians of nanoseconds.

use cudarc::driver::{CudaContext, CudaStream, sys};
use darray_cuda::{Compiler, CudaError, Target};
use std::error::Error;
use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::Instant;

const TEXT: &str = "extern \"C\" __global__ void nothing() {}";
const RUNS: usize = 31;
/// Calls of a run: fewer than a queue of the GPU holds, so that none waits for space.
const CALLS: usize = 400;
/// Bytes of the memory that is asked for.
const BYTES: usize = 4096;

/// Measures and prints one line each.
pub fn launches(compiler: &Compiler, capability: u32) -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    context.bind_to_thread()?;
    let kernel = kernel(compiler, capability)?;
    let (stream, other) = (context.new_stream()?, context.new_stream()?);
    let calls = Calls { kernel, stream, event: event()?, pool: pool()? };
    let own = calls.stream.cu_stream();

    let launch = || calls.launch();
    print("kernel launch, host", calls.time(CALLS, launch)?);
    print("kernel launch, until run", calls.time_run(CALLS, launch)?);
    print(
        "kernel launch and stream synchronize",
        calls.time(1, || {
            calls.launch()?;
            calls.synchronize()
        })?,
    );
    // SAFETY: the event and the streams live.
    let record = || done(unsafe { sys::cuEventRecord(calls.event, own) });
    print("event record", calls.time(CALLS, record)?);
    print(
        "kernel launch and event record",
        calls.time(CALLS / 2, || {
            calls.launch()?;
            record()
        })?,
    );
    record()?;
    calls.synchronize()?;
    // SAFETY: as above.
    let query = || match unsafe { sys::cuEventQuery(calls.event) } {
        sys::CUresult::CUDA_ERROR_NOT_READY => Ok(()),
        result => done(result),
    };
    print("event query, reached", calls.time(CALLS, query)?);
    print("event query, behind a queue", calls.time_behind(record, query)?);
    // SAFETY: as above.
    let wait = || done(unsafe { sys::cuStreamWaitEvent(other.cu_stream(), calls.event, 0) });
    print("stream wait event", calls.time(CALLS, wait)?);
    other.synchronize()?;
    print("allocate and free", calls.time(CALLS, || calls.allocate_and_free())?);
    let mut current = null_mut();
    // SAFETY: the driver stores one handle.
    print(
        "context get",
        calls.time(CALLS, || done(unsafe { sys::cuCtxGetCurrent(&mut current) }))?,
    );
    // SAFETY: the handle that the driver gave.
    print(
        "context set, the same",
        calls.time(CALLS, || done(unsafe { sys::cuCtxSetCurrent(current) }))?,
    );
    for nodes in [1, 16] {
        let graph = calls.graph(nodes)?;
        // SAFETY: both live.
        let launch = || done(unsafe { sys::cuGraphLaunch(graph, own) });
        print(&format!("graph launch of {nodes}, host"), calls.time(CALLS / 16, launch)?);
        print(&format!("graph launch of {nodes}, until run"), calls.time_run(CALLS / 16, launch)?);
        print(
            &format!("graph launch of {nodes} and stream synchronize"),
            calls.time(1, || {
                launch()?;
                calls.synchronize()
            })?,
        );
    }
    Ok(())
}

fn print(what: &str, nanoseconds: f64) {
    println!("{{\"what\": \"{what}\", \"nanoseconds\": {nanoseconds:.0}}}");
}

/// What the calls are made with; all of it lives as long as the process.
struct Calls {
    kernel: sys::CUfunction,
    stream: Arc<CudaStream>,
    event: sys::CUevent,
    pool: sys::CUmemoryPool,
}

impl Calls {
    fn launch(&self) -> Result<(), Box<dyn Error>> {
        let (stream, none) = (self.stream.cu_stream(), null_mut());
        // SAFETY: the kernel has no parameters.
        done(unsafe { sys::cuLaunchKernel(self.kernel, 1, 1, 1, 32, 1, 1, 0, stream, none, none) })
    }

    fn synchronize(&self) -> Result<(), Box<dyn Error>> {
        // SAFETY: the stream lives.
        done(unsafe { sys::cuStreamSynchronize(self.stream.cu_stream()) })
    }

    fn allocate_and_free(&self) -> Result<(), Box<dyn Error>> {
        let (stream, mut address) = (self.stream.cu_stream(), 0);
        // SAFETY: the driver stores one address, which is given back once.
        unsafe {
            done(sys::cuMemAllocFromPoolAsync(&mut address, BYTES, self.pool, stream))?;
            done(sys::cuMemFreeAsync(address, stream))
        }
    }

    /// A graph of kernels, one behind the other.
    fn graph(&self, nodes: usize) -> Result<sys::CUgraphExec, Box<dyn Error>> {
        let (mut graph, mut executable) = (null_mut(), null_mut());
        let parameters = sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.kernel,
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 32,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: null_mut(),
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        };
        let mut before: Option<sys::CUgraphNode> = None;
        // SAFETY: the driver stores handles, and reads the structure before it returns.
        unsafe {
            done(sys::cuGraphCreate(&mut graph, 0))?;
            for _ in 0..nodes {
                let (mut node, after) = (null_mut(), before.as_ref().map_or(null(), |b| b));
                let count = usize::from(before.is_some());
                done(sys::cuGraphAddKernelNode_v2(&mut node, graph, after, count, &parameters))?;
                before = Some(node);
            }
            done(sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0))?;
        }
        Ok(executable)
    }

    /// Of so many calls in a row, the time of one.
    fn time(
        &self,
        calls: usize,
        mut call: impl FnMut() -> Result<(), Box<dyn Error>>,
    ) -> Result<f64, Box<dyn Error>> {
        self.median(|| {
            let start = Instant::now();
            (0..calls).try_for_each(|_| call())?;
            let time = start.elapsed().as_nanos() as f64 / calls as f64;
            self.synchronize()?;
            Ok(time)
        })
    }

    /// As [`time`](Self::time), until all has run.
    fn time_run(
        &self,
        calls: usize,
        call: impl Fn() -> Result<(), Box<dyn Error>>,
    ) -> Result<f64, Box<dyn Error>> {
        self.median(|| {
            let start = Instant::now();
            (0..calls).try_for_each(|_| call())?;
            self.synchronize()?;
            Ok(start.elapsed().as_nanos() as f64 / calls as f64)
        })
    }

    /// As [`time`](Self::time), behind kernels that are still to run, as far as the host is ahead of them.
    fn time_behind(
        &self,
        end: impl Fn() -> Result<(), Box<dyn Error>>,
        call: impl Fn() -> Result<(), Box<dyn Error>>,
    ) -> Result<f64, Box<dyn Error>> {
        const LOOKS: usize = 20;
        self.median(|| {
            (0..CALLS).try_for_each(|_| self.launch())?;
            end()?;
            let start = Instant::now();
            (0..LOOKS).try_for_each(|_| call())?;
            let time = start.elapsed().as_nanos() as f64 / LOOKS as f64;
            self.synchronize()?;
            Ok(time)
        })
    }

    fn median(
        &self,
        mut run: impl FnMut() -> Result<f64, Box<dyn Error>>,
    ) -> Result<f64, Box<dyn Error>> {
        // The first runs warm up.
        (0..3).try_for_each(|_| run().map(|_| ()))?;
        let mut times = (0..RUNS).map(|_| run()).collect::<Result<Vec<f64>, _>>()?;
        times.sort_by(f64::total_cmp);
        Ok(times[RUNS / 2])
    }
}

fn kernel(compiler: &Compiler, capability: u32) -> Result<sys::CUfunction, Box<dyn Error>> {
    let (mut module, mut function) = (null_mut(), null_mut());
    // SAFETY: whole images, and a name that ends with a zero byte; the driver stores handles.
    unsafe {
        let image = compiler.compile(TEXT, Target::Cubin(capability))?;
        if done(sys::cuModuleLoadData(&mut module, image.as_ptr().cast::<c_void>())).is_err() {
            // A stand-in for a driver takes PTX only.
            let image = compiler.compile(TEXT, Target::Ptx(capability))?;
            done(sys::cuModuleLoadData(&mut module, image.as_ptr().cast::<c_void>()))?;
        }
        done(sys::cuModuleGetFunction(&mut function, module, c"nothing".as_ptr()))?;
    }
    Ok(function)
}

fn event() -> Result<sys::CUevent, Box<dyn Error>> {
    let mut event = null_mut();
    let flags = sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
    // SAFETY: the driver stores one handle.
    done(unsafe { sys::cuEventCreate(&mut event, flags) })?;
    Ok(event)
}

/// A pool that keeps what is given back.
fn pool() -> Result<sys::CUmemoryPool, Box<dyn Error>> {
    // SAFETY: a structure of numbers, of enumerations that have a 0, and of a null pointer.
    let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    let type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location = sys::CUmemLocation { type_, id: 0 };
    let (mut pool, mut threshold) = (null_mut(), u64::MAX);
    let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: the driver reads the structure, stores one handle and reads a number of 64 bits.
    unsafe {
        done(sys::cuMemPoolCreate(&mut pool, &properties))?;
        let value = (&raw mut threshold).cast::<c_void>();
        done(sys::cuMemPoolSetAttribute(pool, attribute, value))?;
    }
    Ok(pool)
}

fn done(result: sys::CUresult) -> Result<(), Box<dyn Error>> {
    match result {
        sys::CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Box::new(CudaError::Unsupported(format!("{other:?}")))),
    }
}

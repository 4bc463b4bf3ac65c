//! How long kernels take from their IR to code that has run.

use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::{Arg, Code, Command, Device, NativeStats, Queue};
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::{Duration, Instant};

const QUEUE: Queue = Queue(0);
/// Elements of a launch: so few that it is the code that takes time.
const ELEMENTS: i64 = 16;

/// What it took to compile a kernel.
pub struct Compiling {
    /// By how much the shortest and the median first launch are longer than the second ones, compiling included.
    pub best: Duration,
    #[allow(dead_code, reason = "not every user has a use for it")]
    pub median: Duration,
    /// What became of its nests, and of those of another kernel that is there meanwhile.
    #[allow(dead_code, reason = "not every user has a use for it")]
    pub native: NativeStats,
}

/// Compiles a kernel over one axis `rounds` times, beside another one, as programs have several. `params`: the extent,
/// and 0. As for a large launch, if it `is_large`.
pub fn compile(text: &str, jit: Option<Level>, is_large: bool, rounds: usize) -> Compiling {
    let mut options = CpuOptions { jit, ..CpuOptions::default() };
    if is_large {
        options.stream_from = 0;
    }
    let device = CpuDevices::new(1, options).remove(0);
    let (other, args) = kernel(&device, &crate::formula::multiply_subtract());
    let code = device.compile(&other).expect("code");
    launch(&device, code, &args);
    let (kernel, args) = kernel(&device, text);
    let rounds = (0..rounds).map(|_| round(&device, &kernel, &args));
    let (mut first, mut second): (Vec<Duration>, Vec<Duration>) = rounds.unzip();
    first.sort();
    second.sort();
    // Not of the differences: that of a round whose second launch was disturbed is too short.
    let [best, median] = [0, first.len() / 2].map(|at| first[at].saturating_sub(second[at]));
    Compiling { best, median, native: device.stats().native }
}

/// A kernel and what it is launched with.
pub fn kernel(device: &Arc<dyn Device>, text: &str) -> (Kernel, Vec<Arg>) {
    let kernel = Kernel::parse(text).expect("a kernel");
    let mut args: Vec<Arg> = Vec::new();
    for buffer in &kernel.buffers {
        let bytes = ELEMENTS as u64 * buffer.dtype.size() as u64;
        let block = device.allocate(QUEUE, bytes).expect("memory");
        args.push(Arg::Buffer { block, offset: 0, strides: SmallVec::from_slice(&[1]) });
    }
    args.extend([ELEMENTS as u64, 0].map(Arg::Bits));
    (kernel, args)
}

/// Launches it and waits; how long that took.
pub fn launch(device: &Arc<dyn Device>, code: Code, args: &[Arg]) -> Duration {
    let begin = Instant::now();
    let command = Command::Launch { code, args: args.to_vec() };
    let event = device.submit(QUEUE, &[], &[command]).expect("a submission");
    device.wait(event).expect("a launch without fault");
    begin.elapsed()
}

/// How long compiling and the first launch took, and how long the second.
fn round(device: &Arc<dyn Device>, kernel: &Kernel, args: &[Arg]) -> (Duration, Duration) {
    let begin = Instant::now();
    let code = device.compile(kernel).expect("code");
    launch(device, code, args);
    let first = begin.elapsed();
    let second = launch(device, code, args);
    device.forget(code);
    (first, second)
}

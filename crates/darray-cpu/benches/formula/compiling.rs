//! How long kernels take from their IR to code that has run.

use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::{Arg, Command, Device, Queue};
use darray_kernel::ir::Kernel;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::{Duration, Instant};

const QUEUE: Queue = Queue(0);
/// Elements of a launch: so few that it is the code that takes time.
const ELEMENTS: i64 = 16;

/// Compiles a kernel over one axis `rounds` times; the shortest and the median time that its first launch takes
/// longer than its second, compiling included. `params`: the extent, and 0.
pub fn compile(text: &str, jit: Option<Level>, rounds: usize) -> [Duration; 2] {
    let device = CpuDevices::new(1, CpuOptions { jit, ..CpuOptions::default() }).remove(0);
    let kernel = Kernel::parse(text).expect("a kernel");
    let mut args: Vec<Arg> = Vec::new();
    for buffer in &kernel.buffers {
        let bytes = ELEMENTS as u64 * buffer.dtype.size() as u64;
        let block = device.allocate(QUEUE, bytes).expect("memory");
        args.push(Arg::Buffer { block, offset: 0, strides: SmallVec::from_slice(&[1]) });
    }
    args.extend([ELEMENTS as u64, 0].map(Arg::Bits));
    let mut times: Vec<Duration> = (0..rounds).map(|_| round(&device, &kernel, &args)).collect();
    times.sort();
    [times[0], times[rounds / 2]]
}

fn round(device: &Arc<dyn Device>, kernel: &Kernel, args: &[Arg]) -> Duration {
    let begin = Instant::now();
    let code = device.compile(kernel).expect("code");
    let launch = || {
        let begin = Instant::now();
        let command = Command::Launch { code, args: args.to_vec() };
        let event = device.submit(QUEUE, &[], &[command]).expect("a submission");
        device.wait(event).expect("a launch without fault");
        begin.elapsed()
    };
    launch();
    let first = begin.elapsed();
    let second = launch();
    device.forget(code);
    first.saturating_sub(second)
}

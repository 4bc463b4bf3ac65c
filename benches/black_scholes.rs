//! Black-Scholes: the library's fused kernel beside kernels written by hand, in turns and in one process.
//! Medians of nanoseconds per option, and what part of the fastest hand-written form the library reaches
//! under the same setting of contraction.
//!
//! `cargo bench -p darray-benches --bench black_scholes -- [n]`, pinned to one core for quiet numbers. At
//! 4,096 options the library's kernel is launched by itself; above, a time is that of a whole iteration.

use darray::{DArray, Float, Runtime};
use darray_benches::black_scholes::{Element, Form, Options, instructions};
use darray_benches::timing::median;
use darray_core::Scalar;
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::{Arg, Block, Code, Command, Device, HostElement, Queue, Rect};
use darray_fusion::plan::{BufferSource, KernelStep, ParamSource, Step};
use darray_ir::{Privilege, Window};
use darray_programs::black_scholes::{RATE, VOLATILITY, black_scholes};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

/// Options in the first-level caches, where the kernel alone is timed.
const NEAR: usize = 4096;

/// Rounds in which everything is timed once.
const ROUNDS: usize = 15;

const QUEUE: Queue = Queue(0);

fn main() {
    let only: Option<usize> = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let by_hand = format!("by hand, {}", instructions().unwrap_or("no instructions"));
    println!("{:>9} {:6} {by_hand:36} {:>9}  part of it", "n", "", "ns/option");
    for n in [NEAR, 1_000_000, 20_000_000] {
        if only.is_none_or(|only| only == n) {
            compare::<f64>(n, "f64");
            compare::<f32>(n, "f32");
        }
    }
}

/// Prints a line per form, and one per setting of contraction for the library.
fn compare<T: Element + HostElement + Float>(n: usize, dtype: &str) {
    let mut by_hand = Options::<T>::new(n);
    let mut product = [false, true].map(|contract| Product::new(&by_hand, n, contract));
    let repeats = (1_000_000 / n).max(1);
    let mut forms = Form::ALL.map(|_| Vec::new());
    let mut library = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS + 1 {
        for (times, form) in forms.iter_mut().zip(Form::ALL) {
            let Some(seconds) = by_hand.time(form, 1, repeats) else {
                return println!("{n:9} {dtype:6} no AVX2 here: nothing to compare with");
            };
            times.push(seconds / n as f64 * 1e9);
        }
        for (times, product) in library.iter_mut().zip(&mut product) {
            times.push(product.time(repeats) / n as f64 * 1e9);
        }
    }
    // The first warms up.
    let forms = forms.map(|times| median(&times[1..]));
    for (form, nanoseconds) in Form::ALL.iter().zip(forms) {
        println!("{n:9} {dtype:6} {:36} {nanoseconds:9.3}", form.to_string());
    }
    for (times, contract) in library.into_iter().zip([false, true]) {
        let best = Form::ALL.iter().zip(forms).filter(|(form, _)| form.contracts() == contract);
        let best = best.map(|(_, nanoseconds)| nanoseconds).fold(f64::INFINITY, f64::min);
        let (nanoseconds, contract) = (median(&times[1..]), if contract { "" } else { "not " });
        let name = format!("fused, {contract}contracted");
        let part = 100.0 * best / nanoseconds;
        println!("{n:9} {dtype:6} {name:36} {nanoseconds:9.3}  {part:.0} %");
    }
}

/// The library's side.
struct Product<T: Float> {
    runtime: Runtime,
    inputs: [DArray<T>; 3],
    /// Where the kernel is launched by itself.
    kernel: Option<Launch>,
}

impl<T: Element + HostElement + Float> Product<T> {
    fn new(options: &Options<T>, n: usize, contract: bool) -> Product<T> {
        let runtime = Runtime::builder().threads(1).contract(contract).capture(1).build();
        let runtime = runtime.expect("a CPU runtime");
        let inputs =
            runtime.scope(|| options.inputs().map(|input| DArray::from_vec(input.to_vec())));
        let mut product = Product { runtime, inputs, kernel: None };
        product.iterate();
        if n == NEAR {
            let windows = product.runtime.engine().last_windows();
            let flushed = windows.last().expect("a window was flushed");
            let steps = flushed.plan.groups.iter().flat_map(|group| &group.steps);
            let kernels: Vec<&KernelStep> = steps
                .filter_map(|step| match step {
                    Step::Kernel(kernel) => Some(kernel),
                    Step::Builtin(_) | Step::Opaque(_) => None,
                })
                .collect();
            let [kernel] = kernels[..] else { panic!("one kernel, not {}", kernels.len()) };
            product.kernel = Some(Launch::new(kernel, &flushed.window, options.inputs()));
        }
        product
    }

    fn iterate(&self) {
        let [s, x, t] = &self.inputs;
        self.runtime.scope(|| {
            let prices = black_scholes(s, x, t, RATE, VOLATILITY);
            self.runtime.sync();
            black_box(&prices);
        });
    }

    /// Seconds of an iteration, or of the kernel.
    fn time(&mut self, repeats: usize) -> f64 {
        let start = Instant::now();
        for _ in 0..repeats {
            match &self.kernel {
                Some(kernel) => kernel.run(),
                None => self.iterate(),
            }
        }
        start.elapsed().as_secs_f64() / repeats as f64
    }
}

/// A kernel over vectors, with its arguments, on a device of its own.
struct Launch {
    device: Arc<dyn Device>,
    code: Code,
    args: Vec<Arg>,
}

impl Launch {
    /// The kernel of a step of a window, its input stores filled with these elements.
    fn new<T: HostElement + Float>(
        step: &KernelStep,
        window: &Window,
        inputs: [&[T]; 3],
    ) -> Launch {
        let device = CpuDevices::new(1, CpuOptions::default()).remove(0);
        let code = device.compile(&step.kernel).expect("code");
        let mut inputs = inputs.into_iter();
        let buffers = step.buffers.iter().map(|source| {
            let BufferSource::Store { accesses, .. } = source else { panic!("no folds") };
            let read = accesses.iter().all(|(.., privilege)| *privilege == Privilege::Read);
            let elements = if read { inputs.next() } else { None };
            let strides = [1].into_iter().collect();
            Arg::Buffer { block: block::<T>(&*device, elements), offset: 0, strides }
        });
        let mut args: Vec<Arg> = buffers.collect();
        args.extend(step.params.iter().map(|&source| {
            let map = |map| &window.map(map).dims;
            Arg::Bits(match source {
                ParamSource::Zero | ParamSource::TileOrigin(_) => 0,
                ParamSource::TileExtent(_)
                | ParamSource::GlobalExtent(_)
                | ParamSource::Extent(..) => NEAR as u64,
                ParamSource::Start(m, dim) => map(m)[dim as usize].start as u64,
                ParamSource::Step(m, dim) => map(m)[dim as usize].step as u64,
            })
        }));
        args.extend(step.scalars.iter().map(|&(task, index)| {
            let scalar: &Scalar = &window.tasks()[task as usize].scalars[index as usize];
            Arg::Bits(scalar.bits())
        }));
        Launch { device, code, args }
    }

    fn run(&self) {
        let launch = Command::Launch { code: self.code, args: self.args.clone() };
        let event = self.device.submit(QUEUE, &[], &[launch]).expect("a submission");
        self.device.wait(event).expect("a command without fault");
    }
}

/// A block of [`NEAR`] elements, filled with these.
fn block<T: Float + HostElement>(device: &dyn Device, elements: Option<&[T]>) -> Block {
    let bytes = NEAR * T::DTYPE.size();
    let block = device.allocate(QUEUE, bytes as u64).expect("memory");
    if let Some(elements) = elements {
        let (extents, strides) = ([NEAR].into_iter().collect(), [1].into_iter().collect());
        let to = Rect { block, dtype: T::DTYPE.part(), offset: 0, extents, strides };
        let upload = Command::Upload { from: Arc::new(elements.to_vec()), to };
        let event = device.submit(QUEUE, &[], &[upload]).expect("a submission");
        device.wait(event).expect("an upload without fault");
    }
    block
}

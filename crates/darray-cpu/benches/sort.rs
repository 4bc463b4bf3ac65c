//! Sorting on one CPU device beside the standard library: nanoseconds per element, best of several runs.
//!
//! `cargo bench -p darray-cpu --bench sort -- [--threads N]`

use darray_core::DType;
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::builtin::{Sort, View};
use darray_device::{Block, Command, Queue, Rect};
use darray_kernel::random::Pcg64;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::time::Instant;

const QUEUE: Queue = Queue(0);
const RUNS: usize = 5;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let threads = args.iter().position(|a| a == "--threads").and_then(|at| args.get(at + 1));
    let threads = threads.map_or(1, |t| t.parse().expect("a number of threads"));
    let device = CpuDevices::new(1, CpuOptions { threads, ..CpuOptions::default() }).remove(0);
    println!("{}, {threads} threads; the standard library has one", device.describe().name);
    println!(
        "{:>22} {:>8} {:>8} {:>10} {:>10}",
        "f64", "sort", "argsort", "std sort", "std argsort"
    );
    for (lanes, n) in [(1, 1_000), (1, 100_000), (1, 4_000_000), (4_000, 1_000), (400_000, 10)] {
        let mut stream = Pcg64::from_seed(1);
        let values: Vec<f64> = (0..lanes * n).map(|_| stream.next_f64() - 0.5).collect();
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let block = |bytes: usize| device.allocate(QUEUE, bytes as u64).expect("memory");
        let run = |command| {
            let event = device.submit(QUEUE, &[], &[command]).expect("a submission");
            device.wait(event).expect("a result");
        };
        let (input, output) = (block(bytes.len()), block(bytes.len()));
        let (extents, strides): (SmallVec<[usize; 4]>, SmallVec<[i64; 4]>) =
            (smallvec![lanes, n], smallvec![n as i64, 1]);
        let to = Rect {
            block: input,
            dtype: DType::F64,
            offset: 0,
            extents: extents.clone(),
            strides: strides.clone(),
        };
        run(Command::Upload { from: Arc::new(bytes), to });
        let view = |block: Block| View { block, offset: 0, strides: strides.clone() };
        let sort = |indices: bool| {
            let sort = Sort {
                dtype: DType::F64,
                axis: 1,
                origin: 0,
                extents: extents.clone(),
                input: view(input),
                values: (!indices).then(|| view(output)),
                indices: indices.then(|| view(output)),
            };
            run(Command::Builtin { name: Sort::NAME, args: sort.encode() });
        };
        let std_sort = || {
            let mut values = values.clone();
            values.chunks_mut(n).for_each(|lane| lane.sort_unstable_by(f64::total_cmp));
            std::hint::black_box(values);
        };
        let std_argsort = || {
            for lane in values.chunks(n) {
                let mut order: Vec<u32> = (0..n as u32).collect();
                order.sort_by(|&a, &b| lane[a as usize].total_cmp(&lane[b as usize]));
                std::hint::black_box(order);
            }
        };
        let each = |work: &dyn Fn()| best(work) / (lanes * n) as f64;
        let times =
            [each(&|| sort(false)), each(&|| sort(true)), each(&std_sort), each(&std_argsort)];
        let [a, b, c, d] = times;
        println!("{:>22} {a:>8.2} {b:>8.2} {c:>10.2} {d:>10.2}", format!("{lanes} x {n}"));
    }
}

/// Nanoseconds.
fn best(work: &dyn Fn()) -> f64 {
    let run = |_| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos() as f64
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min)
}

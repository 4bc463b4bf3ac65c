//! Sorting on one CPU device beside the standard library: nanoseconds per element, best of several runs.
//!
//! `cargo bench -p darray-cpu --bench sort -- [--threads N] [--level LEVEL] [TEXT]`: the rows with the text.

use darray_core::RealType;
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::builtin::{Sort, View};
use darray_device::{Block, Command, Device, Queue, Rect};
use darray_kernel::random::Pcg64;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;
use std::time::Instant;

const QUEUE: Queue = Queue(0);
const RUNS: usize = 5;

/// Values between two numbers, sorted along an axis of a matrix.
struct Case {
    dtype: RealType,
    extents: [usize; 2],
    axis: usize,
    range: [f64; 2],
    sorted: bool,
}

impl Case {
    const fn rows(dtype: RealType, lanes: usize, n: usize) -> Case {
        let range = match dtype {
            RealType::U8 => [0.0, 256.0],
            RealType::I32 | RealType::I64 => [-2e9, 2e9],
            _ => [-0.5, 0.5],
        };
        Case { dtype, extents: [lanes, n], axis: 1, range, sorted: false }
    }

    fn name(&self) -> String {
        let [rows, columns] = self.extents;
        let [from, to] = self.range;
        let axis = if self.axis == 0 { " axis 0" } else { "" };
        let sorted = if self.sorted { " sorted" } else { "" };
        let range = if to == 1000.0 { format!(" {from}..{to}") } else { String::new() };
        format!("{} {rows} x {columns}{axis}{sorted}{range}", self.dtype)
    }

    fn values(&self) -> Vec<f64> {
        let mut stream = Pcg64::from_seed(1);
        let [from, to] = self.range;
        let count = self.extents.iter().product();
        let mut values: Vec<f64> =
            (0..count).map(|_| from + stream.next_f64() * (to - from)).collect();
        if self.sorted {
            values.sort_unstable_by(f64::total_cmp);
        }
        values
    }

    fn bytes(&self, values: &[f64]) -> Vec<u8> {
        let each = values.iter();
        match self.dtype {
            RealType::U8 => each.map(|&v| v as u8).collect(),
            RealType::I32 => each.flat_map(|&v| (v as i32).to_le_bytes()).collect(),
            RealType::I64 => each.flat_map(|&v| (v as i64).to_le_bytes()).collect(),
            RealType::F32 => each.flat_map(|&v| (v as f32).to_le_bytes()).collect(),
            RealType::F64 => each.flat_map(|&v| v.to_le_bytes()).collect(),
            other => panic!("no values of {other}"),
        }
    }
}

fn cases() -> Vec<Case> {
    let f64s = |lanes, n| Case::rows(RealType::F64, lanes, n);
    let million = |dtype| Case::rows(dtype, 1, 1_000_000);
    let square = f64s(1_000, 1_000);
    vec![
        f64s(1, 1_000),
        f64s(1, 100_000),
        million(RealType::F64),
        f64s(1, 4_000_000),
        f64s(400_000, 10),
        Case { axis: 0, ..f64s(1_000, 1_000) },
        square,
        Case { sorted: true, ..million(RealType::F64) },
        million(RealType::F32),
        million(RealType::I32),
        million(RealType::I64),
        Case { range: [0.0, 1000.0], ..million(RealType::I64) },
        million(RealType::U8),
    ]
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|at| args.get(at + 1));
    let threads = value("--threads").map_or(1, |t| t.parse().expect("a number of threads"));
    let level = value("--level").map(|name| Level::from_name(name).expect("a level"));
    let text = args.chunks(2).find(|pair| !pair[0].starts_with("--")).map(|pair| &pair[0][..]);
    let options = CpuOptions { threads, level, ..CpuOptions::default() };
    let device = CpuDevices::new(1, options).remove(0);
    println!("{}, {threads} threads; the standard library has one", device.describe().name);
    println!("{:>28} {:>8} {:>8} {:>10} {:>11}", "", "sort", "argsort", "std sort", "std argsort");
    for case in cases().iter().filter(|case| case.name().contains(text.unwrap_or(""))) {
        let [a, b, c, d] = measure(&*device, case);
        println!("{:>28} {a:>8.2} {b:>8.2} {c:>10.2} {d:>11.2}", case.name());
    }
}

/// Nanoseconds per element: sort and argsort, then those of the standard library along rows.
fn measure(device: &dyn Device, case: &Case) -> [f64; 4] {
    let values = case.values();
    let bytes = case.bytes(&values);
    let [rows, n] = case.extents;
    let block = |bytes: usize| device.allocate(QUEUE, bytes as u64).expect("memory");
    let run = |command| {
        let event = device.submit(QUEUE, &[], &[command]).expect("a submission");
        device.wait(event).expect("a result");
    };
    let (input, output) = (block(bytes.len()), block(8 * values.len()));
    let (extents, strides): (SmallVec<[usize; 4]>, SmallVec<[i64; 4]>) =
        (smallvec![rows, n], smallvec![n as i64, 1]);
    let to = Rect {
        block: input,
        dtype: case.dtype,
        offset: 0,
        extents: extents.clone(),
        strides: strides.clone(),
    };
    run(Command::Upload { from: Arc::new(bytes), to });
    let view = |block: Block| View { block, offset: 0, strides: strides.clone() };
    let sort = |indices: bool| {
        let sort = Sort {
            dtype: case.dtype,
            axis: case.axis,
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
    let each = |work: &dyn Fn()| best(work) / (rows * n) as f64;
    let times = [each(&|| sort(false)), each(&|| sort(true)), each(&std_sort), each(&std_argsort)];
    device.release(QUEUE, input, &[]);
    device.release(QUEUE, output, &[]);
    times
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

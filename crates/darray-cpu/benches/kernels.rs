//! Kernels on one CPU device: nanoseconds per element, best and median of several runs.
//!
//! `cargo bench -p darray-cpu --bench kernels -- [filter] [--threads N] [--level NAME] [--jit NAME]
//! [--stream-from BYTES]`

mod formula;

use darray_core::RealType;
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::builtin::{MatMul, View};
use darray_device::{Arg, Block, Command, Device, Queue, Rect};
use darray_kernel::ir::Kernel;
use darray_kernel::random::BitGenerator;
use formula::black_scholes;
use smallvec::SmallVec;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

const QUEUE: Queue = Queue(0);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let option = |name: &str| {
        args.iter().position(|a| a == name).and_then(|at| args.get(at + 1)).map(String::as_str)
    };
    let threads = option("--threads").map_or(1, |t| t.parse().expect("a number of threads"));
    let options = CpuOptions {
        threads,
        level: option("--level").map(|l| Level::from_name(l).expect("a level")),
        jit: Some(option("--jit").map_or(Level::Avx512, |l| Level::from_name(l).expect("a level"))),
        stream_from: option("--stream-from").map_or(CpuOptions::default().stream_from, |bytes| {
            bytes.parse().expect("a number of bytes")
        }),
        ..CpuOptions::default()
    };
    let filter = args.first().filter(|a| !a.starts_with("--")).map_or("", String::as_str);
    let device = CpuDevices::new(1, options).remove(0);
    println!("{}", device.describe().name);
    let bench = Bench { device, filter: filter.to_string(), threads, start: Instant::now() };
    bench.black_scholes(RealType::F64, 4096);
    bench.black_scholes(RealType::F64, 10_000_000);
    bench.black_scholes(RealType::F32, 10_000_000);
    bench.copy(10_000_000);
    bench.add(10_000_000);
    bench.copy(16_000_000);
    bench.stencil(4000);
    bench.stencil_passes(4000);
    bench.stencil(60);
    bench.stencil(200);
    bench.stencil(1000);
    bench.add_transposed(4000);
    bench.sum(100_000_000, 1);
    bench.sum(4000, 4000);
    bench.sum(1, 1024);
    bench.axis_sum(128, 128, true);
    bench.axis_sum(128, 128, false);
    bench.dot(10_000_000);
    bench.axis_sum(4000, 4000, true);
    bench.axis_sum(4000, 4000, false);
    bench.axis_sum(1_000_000, 3, true);
    bench.axis_sum(3, 1_000_000, true);
    bench.axis_sum_transposed(4000);
    bench.sum_transposed(4000);
    bench.add_row(1_000_000, 3);
    bench.add_row(4000, 4000);
    for generator in BitGenerator::ALL {
        for dtype in [RealType::F64, RealType::F32] {
            bench.random(10_000_000, generator, dtype);
        }
    }
    for dtype in [RealType::F64, RealType::F32] {
        for (m, k, n) in PRODUCTS {
            bench.matmul(dtype, m, k, n);
        }
    }
    bench.add(1000);
}

/// Rows, inner extent, columns: square ones, such with a long inner extent, narrow ones.
const PRODUCTS: [(usize, usize, usize); 10] = [
    (256, 256, 256),
    (1000, 1000, 1000),
    (1024, 1024, 1024),
    (2000, 2000, 2000),
    (8, 1_000_000, 8),
    (64, 100_000, 64),
    (100_000, 8, 8),
    (20_000, 1000, 8),
    (10_000, 1000, 100),
    (1, 4000, 4000),
];

struct Bench {
    device: Arc<dyn Device>,
    filter: String,
    threads: usize,
    start: Instant,
}

impl Bench {
    /// Blocks of so many elements, filled with positive numbers.
    fn blocks(&self, dtype: RealType, sizes: &[usize]) -> Vec<Block> {
        let fill = |&n: &usize| {
            let block = self.device.allocate(QUEUE, (n * dtype.size()) as u64).expect("memory");
            let bytes: Vec<u8> = match dtype {
                RealType::F32 => {
                    (0..n).flat_map(|k| (0.5 + (k % 97) as f32 / 50.0).to_le_bytes()).collect()
                }
                _ => (0..n).flat_map(|k| (0.5 + (k % 97) as f64 / 50.0).to_le_bytes()).collect(),
            };
            let (extents, strides) = (SmallVec::from_slice(&[n]), SmallVec::from_slice(&[1]));
            let to = Rect { block, dtype, offset: 0, extents, strides };
            self.submit(Command::Upload { from: Arc::new(bytes), to });
            block
        };
        sizes.iter().map(fill).collect()
    }

    fn submit(&self, command: Command) {
        let event = self.device.submit(QUEUE, &[], &[command]).expect("a submission");
        self.device.wait(event).expect("a command without fault");
    }

    /// Nanoseconds: of this thread's work where it is the only one, else of the wall clock.
    fn clock(&self) -> f64 {
        #[cfg(unix)]
        if self.threads == 1 {
            let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: `time` is writable.
            unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
            return time.tv_sec as f64 * 1e9 + time.tv_nsec as f64;
        }
        self.start.elapsed().as_secs_f64() * 1e9
    }

    /// Times a command that works on so many elements.
    fn measure(&self, name: &str, points: usize, command: impl Fn() -> Command) {
        let repeats = (5_000_000 / points).max(1);
        let mut times: Vec<f64> = (0..15)
            .map(|_| {
                let start = self.clock();
                for _ in 0..repeats {
                    self.submit(command());
                }
                (self.clock() - start) / (repeats * points) as f64
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let per_launch = times[7] * points as f64;
        println!(
            "{name:34} best {:8.3} median {:8.3} ns/element, {per_launch:12.0} ns/launch",
            times[0], times[7]
        );
    }

    /// Measures a matrix product, per multiplication.
    fn matmul(&self, dtype: RealType, m: usize, k: usize, n: usize) {
        let name = format!("matmul {dtype} {m}x{k}x{n}");
        if !name.contains(&self.filter) {
            return;
        }
        let blocks = self.blocks(dtype, &[m * k, k * n, m * n]);
        let view = |block, strides: [usize; 2]| View {
            block,
            offset: 0,
            strides: strides.iter().map(|&s| s as i64).collect(),
        };
        let matmul = MatMul {
            dtype,
            stack: SmallVec::new(),
            m,
            k,
            n,
            out: view(blocks[2], [n, 1]),
            a: view(blocks[0], [k, 1]),
            b: view(blocks[1], [n, 1]),
        };
        let args = matmul.encode();
        self.measure(&name, m * k * n, || Command::Builtin {
            name: MatMul::NAME,
            args: args.clone(),
        });
        blocks.into_iter().for_each(|block| self.device.release(QUEUE, block, &[]));
    }

    /// Measures a kernel on contiguous buffers of these shapes.
    fn run(
        &self,
        name: &str,
        kernel: &str,
        dtype: RealType,
        shapes: &[Vec<usize>],
        params: &[i64],
        points: usize,
    ) {
        if !name.contains(&self.filter) {
            return;
        }
        let kernel = Kernel::parse(kernel).expect("a kernel");
        let code = self.device.compile(&kernel).expect("code");
        let sizes: Vec<usize> = shapes.iter().map(|s| s.iter().product()).collect();
        let blocks = self.blocks(dtype, &sizes);
        let args: Vec<Arg> = blocks
            .iter()
            .zip(shapes)
            .map(|(&block, shape)| {
                let strides = darray_core::Shape::new(shape).strides().into_iter().collect();
                Arg::Buffer { block, offset: 0, strides }
            })
            .chain(params.iter().map(|&p| Arg::Bits(p as u64)))
            .collect();
        self.measure(name, points, || Command::Launch { code, args: args.clone() });
        blocks.into_iter().for_each(|block| self.device.release(QUEUE, block, &[]));
    }

    fn black_scholes(&self, dtype: RealType, n: usize) {
        let text = black_scholes(dtype);
        let name = format!("black_scholes {dtype} {n}");
        self.run(&name, &text, dtype, &vec![vec![n]; 5], &[n as i64, 0], n);
    }

    fn copy(&self, n: usize) {
        let body = "%0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0";
        let text = flat(&["read", "write"], body);
        self.run(
            &format!("copy {n}"),
            &text,
            RealType::F64,
            &[vec![n], vec![n]],
            &[n as i64, 0],
            n,
        );
    }

    fn add(&self, n: usize) {
        let body = "%0 = load b0[p1 + 1*i0] %1 = load b1[p1 + 1*i0] %2 = add.f64 %0 %1
            store b2[p1 + 1*i0] %2";
        let text = flat(&["read", "read", "write"], body);
        self.run(
            &format!("add {n} elements"),
            &text,
            RealType::F64,
            &vec![vec![n]; 3],
            &[n as i64, 0],
            n,
        );
    }

    /// The mean of the four neighbours and the point itself, for the inner points of a grid.
    fn stencil(&self, n: usize) {
        let shapes = [vec![n + 2, n + 2], vec![n, n]];
        let (params, points) = ([n as i64, 0, 1, 2, 0], n * n);
        self.run(&format!("stencil {n}x{n}"), &stencil(), RealType::F64, &shapes, &params, points);
    }

    /// Both passes of a stencil in place, its result to other memory and from there to the inner points of the grid, and
    /// copies there and back of as much: by turns, so that each reads what was just written by non-temporal stores.
    fn stencil_passes(&self, n: usize) {
        let name = format!("passes of a stencil {n}x{n}");
        if !name.contains(&self.filter) {
            return;
        }
        let inner = "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
            { for (i0: extent=p0 origin=p1 global=p0 logical=0, i1: extent=p0 origin=p1 global=p0 logical=1) {
                %0 = load b0[p1 + 1*i0, p1 + 1*i1] store b1[p2 + 1*i0, p2 + 1*i1] %0 } }";
        let copy = flat(&["read", "write"], "%0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0");
        let blocks = self.blocks(RealType::F64, &[(n + 2) * (n + 2), n * n]);
        let launch = |text: &str, order: [usize; 2], rows: [usize; 2], params: &[i64]| {
            let code = self.device.compile(&Kernel::parse(text).expect("a kernel")).expect("code");
            let buffer = |number: usize| Arg::Buffer {
                block: blocks[number],
                offset: 0,
                strides: match rows[number] {
                    0 => SmallVec::from_slice(&[1]),
                    row => SmallVec::from_slice(&[row as i64, 1]),
                },
            };
            let params = params.iter().map(|&p| Arg::Bits(p as u64));
            Command::Launch { code, args: order.map(buffer).into_iter().chain(params).collect() }
        };
        let (rows, all) = ([n + 2, n], [(n * n) as i64, 0]);
        let commands = [
            ("copy there", launch(&copy, [0, 1], [0, 0], &all)),
            ("copy back", launch(&copy, [1, 0], [0, 0], &all)),
            ("first pass", launch(&stencil(), [0, 1], rows, &[n as i64, 0, 1, 2, 0])),
            ("second pass", launch(inner, [1, 0], rows, &[n as i64, 0, 1])),
        ];
        let mut times = vec![Vec::new(); commands.len()];
        for _ in 0..15 {
            for ((_, command), times) in commands.iter().zip(&mut times) {
                let start = self.clock();
                self.submit(command.clone());
                times.push((self.clock() - start) / (n * n) as f64);
            }
        }
        times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
        let copies = (times[0][7] + times[1][7]) / 2.0;
        for ((part, _), times) in commands.iter().zip(&times) {
            let (best, median) = (times[0], times[7]);
            let of_copy = 100.0 * copies / median;
            println!(
                "{name:34} best {best:8.3} median {median:8.3} ns/element, {of_copy:3.0} % of copying, {part}"
            );
        }
        blocks.into_iter().for_each(|block| self.device.release(QUEUE, block, &[]));
    }

    fn add_transposed(&self, n: usize) {
        let text = "kernel params=2 scalars=[] b0: f64 rank 2 read noalias
            b1: f64 rank 2 read noalias b2: f64 rank 2 write noalias
            { for (i0: extent=p0 origin=p1 global=p0 logical=0,
                   i1: extent=p0 origin=p1 global=p0 logical=1) {
                %0 = load b0[p1 + 1*i0, p1 + 1*i1]
                %1 = load b1[p1 + 1*i1, p1 + 1*i0]
                %2 = add.f64 %0 %1
                store b2[p1 + 1*i0, p1 + 1*i1] %2 } }";
        let name = format!("a + b.t() {n}x{n}");
        self.run(&name, text, RealType::F64, &vec![vec![n, n]; 3], &[n as i64, 0], n * n);
    }

    fn sum(&self, n: usize, m: usize) {
        self.sum_all(&format!("sum {n}x{m}"), "p2 + 1*i0, p2 + 1*i1", [n, m]);
    }

    /// The sum of a matrix, seen as its transpose.
    fn sum_transposed(&self, n: usize) {
        self.sum_all(&format!("sum of a.t() {n}x{n}"), "p2 + 1*i1, p2 + 1*i0", [n, n]);
    }

    fn sum_all(&self, name: &str, coordinates: &str, [n, m]: [usize; 2]) {
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias
            b1: f64 rank 1 partial noalias
            {{ fold (i0: extent=p0 origin=p2 global=p0 logical=0,
                    i1: extent=p1 origin=p2 global=p1 logical=1)
                lanes=32 width=64 rounds=32 alone=8 {{
                %0 = load b0[{coordinates}] }} %1 = sum %0
              yield b1[p2] %1 }}"
        );
        let (n, m, points) = if m == 1 { (1, n, n) } else { (n, m, n * m) };
        let (shapes, params) = ([vec![n, m], vec![1]], [n as i64, m as i64, 0]);
        self.run(name, &text, RealType::F64, &shapes, &params, points);
    }

    fn dot(&self, n: usize) {
        let text = "kernel params=2 scalars=[] b0: f64 rank 1 read noalias
            b1: f64 rank 1 read noalias b2: f64 rank 1 partial noalias
            { fold (i0: extent=p0 origin=p1 global=p0 logical=0)
                lanes=32 width=64 rounds=32 alone=8 {
                %0 = load b0[p1 + 1*i0] %1 = load b1[p1 + 1*i0] %2 = mul.f64 %0 %1
              } %3 = sum %2 yield b2[p1] %3 }";
        let name = format!("dot {n}");
        self.run(&name, text, RealType::F64, &[vec![n], vec![n], vec![1]], &[n as i64, 0], n);
    }

    /// Sums of the rows or of the columns of a matrix.
    fn axis_sum(&self, n: usize, m: usize, rows: bool) {
        let (kept, reduced) = if rows { (0, 1) } else { (1, 0) };
        let coordinates = if rows { "p2 + 1*i0, p2 + 1*i1" } else { "p2 + 1*i1, p2 + 1*i0" };
        let name = format!("sum of {} {n}x{m}", if rows { "rows" } else { "columns" });
        let sizes = if rows { [n, m] } else { [m, n] };
        self.fold_axis(&name, coordinates, [kept, reduced], [n, m], sizes);
    }

    /// Sums of the columns of a matrix, seen as rows of its transpose.
    fn axis_sum_transposed(&self, n: usize) {
        let name = format!("sum of rows of a.t() {n}x{n}");
        self.fold_axis(&name, "p2 + 1*i1, p2 + 1*i0", [0, 1], [n, n], [n, n]);
    }

    fn fold_axis(
        &self,
        name: &str,
        coordinates: &str,
        logical: [usize; 2],
        shape: [usize; 2],
        [kept, reduced]: [usize; 2],
    ) {
        let [first, second] = logical;
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 partial noalias
            {{ for (i0: extent=p0 origin=p2 global=p0 logical={first}) {{
                fold (i1: extent=p1 origin=p2 global=p1 logical={second})
                lanes=32 width=64 rounds=32 alone=8 {{
                  %0 = load b0[{coordinates}] }} %1 = sum %0
                yield b1[p2, p2 + 1*i0] %1 }} }}"
        );
        let params = [kept as i64, reduced as i64, 0];
        let shapes = [shape.to_vec(), vec![1, kept]];
        self.run(name, &text, RealType::F64, &shapes, &params, kept * reduced);
    }

    /// A matrix plus a row.
    fn add_row(&self, n: usize, m: usize) {
        let text = "kernel params=3 scalars=[] b0: f64 rank 2 read noalias
            b1: f64 rank 1 read noalias b2: f64 rank 2 write noalias
            { for (i0: extent=p0 origin=p2 global=p0 logical=0,
                   i1: extent=p1 origin=p2 global=p1 logical=1) {
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = load b1[p2 + 1*i1]
                %2 = add.f64 %0 %1 store b2[p2 + 1*i0, p2 + 1*i1] %2 } }";
        let name = format!("add row {n}x{m}");
        let shapes = [vec![n, m], vec![m], vec![n, m]];
        self.run(&name, text, RealType::F64, &shapes, &[n as i64, m as i64, 0], n * m);
    }

    fn random(&self, n: usize, generator: BitGenerator, dtype: RealType) {
        let (draw, text) = (
            format!("{generator}.{dtype}"),
            "kernel params=2 scalars=[] b0: DTYPE rank 1 write noalias
            { %0 = const.i64 -3557000000000000000 %1 = const.i64 123456789 %2 = const.i64 77
              for (i0: extent=p0 origin=p1 global=p0 logical=0) {
                %3 = index i0 %4 = random.DRAW %0 %1 %2 %1 at %3 store b0[p1 + 1*i0] %4 } }",
        );
        let text = text.replace("DTYPE", dtype.name()).replace("DRAW", &draw);
        self.run(&format!("random {draw} {n}"), &text, dtype, &[vec![n]], &[n as i64, 0], n);
    }
}

/// A sum of five neighbours times a constant.
fn stencil() -> String {
    let load = |k: usize, i: usize, j: usize| format!("%{k} = load b0[p{i} + 1*i0, p{j} + 1*i1] ");
    let mut text = String::from(
        "kernel params=5 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
         { %0 = const.f64 0.2 for (i0: extent=p0 origin=p1 global=p0 logical=0,
         i1: extent=p0 origin=p1 global=p0 logical=1) {",
    );
    // p1 = 0, p2 = 1, p3 = 2
    for (k, (i, j)) in [(2, 2), (1, 2), (3, 2), (2, 1), (2, 3)].into_iter().enumerate() {
        text += &load(k + 1, i, j);
    }
    text += "%6 = add.f64 %1 %2 %7 = add.f64 %6 %3 %8 = add.f64 %7 %4 %9 = add.f64 %8 %5
        %10 = mul.f64 %9 %0 store b1[p1 + 1*i0, p1 + 1*i1] %10 } }";
    text
}

/// One loop over one axis: p0 its extent, p1 zero.
fn flat(roles: &[&str], body: &str) -> String {
    let mut text = String::from("kernel params=2 scalars=[]");
    for (k, role) in roles.iter().enumerate() {
        write!(text, " b{k}: f64 rank 1 {role} noalias").expect("a string");
    }
    write!(text, " {{ for (i0: extent=p0 origin=p1 global=p0 logical=0) {{ {body} }} }}")
        .expect("a string");
    text
}

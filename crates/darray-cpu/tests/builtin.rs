//! The builtins through the device trait.

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::builtin::{MatMul, ReduceFinish, Scan, ScanPart, View};
use darray_device::{Block, Command, Device, Fault, Queue, Rect};
use darray_differential::{to_bytes, to_scalars};
use darray_kernel::ir::Reducer;
use darray_kernel::product;
use darray_kernel::tree::{GridTree, Group, ReducedAxis, TileTree, TreeRule};
use darray_testdevices::ReferenceDevice;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::{Arc, Mutex};

const QUEUE: Queue = Queue(0);

struct Host(Arc<dyn Device>);

impl Host {
    fn new(level: Level, threads: usize) -> Host {
        let level = Some(level);
        let options = CpuOptions { level, threads, least_parallel: 1, ..CpuOptions::default() };
        Host(CpuDevices::new(1, options).remove(0))
    }

    fn upload(&self, values: &[f64], dtype: RealType) -> Block {
        let bytes = to_bytes(dtype, values.iter().map(|&v| Scalar::from(v).cast(dtype)));
        let block = self.0.allocate(QUEUE, bytes.len() as u64).unwrap();
        let to = rect(block, dtype, values.len());
        self.run(Command::Upload { from: Arc::new(bytes), to }).unwrap();
        block
    }

    fn download(&self, block: Block, dtype: RealType, n: usize) -> Vec<u64> {
        let host: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; n * dtype.size()]));
        let from = rect(block, dtype, n);
        self.run(Command::Download { from, to: host.clone(), at: 0 }).unwrap();
        to_scalars(dtype, &host.lock().unwrap()).into_iter().map(Scalar::bits).collect()
    }

    fn run(&self, command: Command) -> Result<(), Fault> {
        let event = self.0.submit(QUEUE, &[], &[command])?;
        self.0.wait(event).map_err(|fault| fault.fault)
    }

    fn builtin(&self, name: &'static str, args: Vec<darray_device::Arg>) -> Result<(), Fault> {
        self.run(Command::Builtin { name, args })
    }
}

fn rect(block: Block, dtype: RealType, n: usize) -> Rect {
    let (extents, strides) = (SmallVec::from_slice(&[n]), SmallVec::from_slice(&[1]));
    Rect { block, dtype, offset: 0, extents, strides }
}

fn view(block: Block, offset: i64, strides: &[i64]) -> View {
    View { block, offset, strides: SmallVec::from_slice(strides) }
}

fn values(n: usize) -> Vec<f64> {
    let mut stream = darray_kernel::random::Pcg64::from_seed(n as u64);
    (0..n).map(|_| stream.next_f64() * 20.0 - 10.0).collect()
}

fn levels() -> Vec<Level> {
    Level::ALL.into_iter().filter(|&level| level <= Level::detect()).collect()
}

/// Strides of an (r, c) matrix: row-major, column-major, row-major with gaps, every second column.
fn layouts(r: i64, c: i64) -> [[i64; 2]; 4] {
    [[c, 1], [1, r], [c + 3, 1], [2 * c, 2]]
}

/// The elements of a row-major matrix, laid out with strides.
fn lay_out(matrix: &[f64], rows: usize, columns: usize, strides: [i64; 2]) -> Vec<f64> {
    let mut out = vec![f64::NAN; 2 * (rows + 1) * (columns + 3)];
    for i in 0..rows {
        for j in 0..columns {
            let at = i as i64 * strides[0] + j as i64 * strides[1];
            out[at as usize] = matrix[i * columns + j];
        }
    }
    out
}

/// One axis, in front of many kept elements: it is cut at every second index.
const GROUP: Group = Group { axes: 1, behind: 100 };

#[test]
fn matmul_does_not_depend_on_tiles_layouts_threads_or_levels() {
    let hosts: Vec<Host> =
        levels().into_iter().flat_map(|l| [Host::new(l, 1), Host::new(l, 2)]).collect();
    for dtype in [RealType::F64, RealType::F32, RealType::I64, RealType::Bool] {
        for (m, k, n) in [(1, 1, 1), (3, 5, 2), (17, 40, 1), (70, 33, 9), (40, 0, 3), (129, 100, 1)]
        {
            let (a, b) = (values(m * k), values(k * n));
            let mut first: Option<Vec<u64>> = None;
            for (number, host) in hosts.iter().enumerate() {
                for (layout, (sa, sb)) in
                    layouts(m as i64, k as i64).iter().zip(layouts(k as i64, n as i64)).enumerate()
                {
                    let a = host.upload(&lay_out(&a, m, k, *sa), dtype);
                    let b = host.upload(&lay_out(&b, k, n, sb), dtype);
                    let out = host.upload(&vec![7.0; m * n], dtype);
                    // Two tiles.
                    let cut = if layout % 2 == 0 { m } else { 16.min(m) };
                    for (from, to) in [(0, cut), (cut, m)] {
                        let matmul = MatMul {
                            dtype,
                            stack: SmallVec::new(),
                            m: to - from,
                            k,
                            n,
                            out: view(out, (from * n) as i64, &[n as i64, 1]),
                            a: view(a, from as i64 * sa[0], sa),
                            b: view(b, 0, &sb),
                        };
                        host.builtin(MatMul::NAME, matmul.encode()).unwrap();
                    }
                    let found = host.download(out, dtype, m * n);
                    let first = first.get_or_insert_with(|| found.clone());
                    assert_eq!(*first, found, "{dtype} {m} {k} {n} host {number} layout {layout}");
                }
            }
            if dtype == RealType::F64 {
                for (at, bits) in first.unwrap().into_iter().enumerate() {
                    let pair = |p: usize| (a[at / n * k + p], b[p * n + at % n]);
                    let exact: f64 = (0..k).map(|p| pair(p).0 * pair(p).1).sum();
                    assert!((f64::from_bits(bits) - exact).abs() < 1e-9, "{at}");
                }
            }
        }
    }
}

/// Sizes on both sides of tiles, strips, panels and blocks, of every order.
#[test]
fn an_element_is_the_sum_of_its_blocks() {
    let reference: Arc<dyn Device> = ReferenceDevice::set(1, 1 << 30).remove(0);
    let hosts = levels().into_iter().map(|level| Host::new(level, 2));
    let hosts: Vec<Host> = std::iter::once(Host(reference)).chain(hosts).collect();
    let sizes = [
        (1, 3, 2),
        (1, 300, 70),
        (1, 9, 2100),
        (1, 520, 2100),
        (3, 2, 2),
        (2, 1030, 70),
        (3, 520, 5),
        (8, 256, 24),
        (9, 257, 49),
        (70, 5, 3),
        (200, 7, 30),
        (13, 11, 3100),
        (2, 300, 3100),
        (20, 700, 50),
        (2, 3000, 40),
    ];
    for (m, k, n) in sizes {
        let (a, b) = (values(m * k), values(k * n));
        let double = |at: usize| {
            let chain = |block: Range<usize>| {
                let pairs = block.map(|p| (a[at / n * k + p], b[p * n + at % n]));
                pairs.fold(-0.0f64, |sum, (x, y)| x.mul_add(y, sum))
            };
            product::sum(k, chain, |a, b| a + b).expect("products").to_bits()
        };
        let single = |at: usize| {
            let chain = |block: Range<usize>| {
                let pairs = block.map(|p| (a[at / n * k + p] as f32, b[p * n + at % n] as f32));
                pairs.fold(-0.0f32, |sum, (x, y)| x.mul_add(y, sum))
            };
            product::sum(k, chain, |a, b| a + b).expect("products").to_bits() as u64
        };
        for (dtype, expected) in [
            (RealType::F64, (0..m * n).map(double).collect::<Vec<_>>()),
            (RealType::F32, (0..m * n).map(single).collect()),
        ] {
            // The reference goes element by element.
            let skipped = usize::from(m * k * n > 150_000);
            for (number, host) in hosts.iter().enumerate().skip(skipped) {
                for (layout, sa) in layouts(m as i64, k as i64).into_iter().enumerate() {
                    let sb = layouts(k as i64, n as i64)[layout];
                    let left = host.upload(&lay_out(&a, m, k, sa), dtype);
                    let right = host.upload(&lay_out(&b, k, n, sb), dtype);
                    let out = host.upload(&vec![7.0; m * n], dtype);
                    // The output by rows, then by columns.
                    let strides = [[n as i64, 1], [1, m as i64]][layout % 2];
                    let matmul = MatMul {
                        dtype,
                        stack: SmallVec::new(),
                        m,
                        k,
                        n,
                        out: view(out, 0, &strides),
                        a: view(left, 0, &sa),
                        b: view(right, 0, &sb),
                    };
                    host.builtin(MatMul::NAME, matmul.encode()).unwrap();
                    let found = host.download(out, dtype, m * n);
                    for (at, bits) in expected.iter().enumerate() {
                        let place = (at / n) as i64 * strides[0] + (at % n) as i64 * strides[1];
                        let what = format!("{dtype} {m} {k} {n} host {number} layout {layout}");
                        assert_eq!(found[place as usize], *bits, "{what}, element {at}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_stack_is_its_products() {
    for threads in [1, 3] {
        let host = Host::new(Level::Avx512, threads);
        let (s, m, k, n) = (5usize, 9usize, 7usize, 4usize);
        let (a, b) = (values(s * m * k), values(k * n));
        let (left, right) = (host.upload(&a, RealType::F64), host.upload(&b, RealType::F64));
        let product = |stack: &[usize], offset: usize| {
            let out = host.upload(&vec![0.0; s * m * n], RealType::F64);
            let strides = |last: [usize; 2], step: usize| -> Vec<i64> {
                let step = stack.iter().map(|_| step as i64);
                step.chain(last.map(|s| s as i64)).collect()
            };
            let matmul = MatMul {
                dtype: RealType::F64,
                stack: SmallVec::from_slice(stack),
                m,
                k,
                n,
                out: view(out, 0, &strides([n, 1], m * n)),
                a: view(left, offset as i64, &strides([k, 1], m * k)),
                b: view(right, 0, &strides([n, 1], 0)),
            };
            host.builtin(MatMul::NAME, matmul.encode()).unwrap();
            host.download(out, RealType::F64, s * m * n)
        };
        let all = product(&[s], 0);
        for one in 0..s {
            let alone = product(&[], one * m * k);
            assert_eq!(all[one * m * n..][..m * n], alone[..m * n], "{one} of {threads} threads");
        }
    }
}

#[test]
fn integers_and_bools_multiply_exactly() {
    let host = Host::new(Level::Avx512, 1);
    for (dtype, expected) in [(RealType::I64, [1u64, 10]), (RealType::Bool, [1, 1])] {
        let a = host.upload(&[1.0, 0.0, 2.0, 4.0], dtype);
        let b = host.upload(&[1.0, 2.0], dtype);
        let out = host.upload(&[0.0, 0.0], dtype);
        let matmul = MatMul {
            dtype,
            stack: SmallVec::new(),
            m: 2,
            k: 2,
            n: 1,
            out: view(out, 0, &[1, 1]),
            a: view(a, 0, &[2, 1]),
            b: view(b, 0, &[1, 1]),
        };
        host.builtin(MatMul::NAME, matmul.encode()).unwrap();
        assert_eq!(host.download(out, dtype, 2), expected);
    }
}

#[test]
fn finish_combines_the_slots_of_all_tiles() {
    let rule = TreeRule::TINY;
    for level in levels() {
        let host = Host::new(level, 1);
        for kept in [1usize, 3, 300] {
            let cuts = vec![vec![0, 4, 4, 13]];
            // The slots of every tile, for every kept element.
            let tiles: Vec<Vec<f64>> = cuts[0]
                .windows(2)
                .map(|w| {
                    let axis = ReducedAxis { origin: w[0], extent: w[1] - w[0], global: 13 };
                    let slots = TileTree::new(rule, GROUP, &[axis]).slots();
                    values(slots * kept).iter().map(|v| v + w[0] as f64).collect()
                })
                .collect();
            let blocks: Vec<Block> = tiles.iter().map(|t| host.upload(t, RealType::F64)).collect();
            let out = host.upload(&vec![0.0; kept], RealType::F64);
            let k = kept as i64;
            let finish = ReduceFinish {
                reducer: Reducer::Sum,
                dtype: RealType::F64,
                rule,
                group: GROUP,
                cuts: cuts.clone(),
                kept: SmallVec::from_slice(&[kept]),
                outputs: vec![view(out, 0, &[1])],
                tiles: blocks
                    .iter()
                    .zip(&tiles)
                    .map(|(&b, t)| if t.is_empty() { vec![] } else { vec![view(b, 0, &[k, 1])] })
                    .collect(),
            };
            host.builtin(ReduceFinish::NAME, finish.encode()).unwrap();
            let tree = GridTree::new(rule, GROUP, &[13], &cuts);
            let expected: Vec<u64> = (0..kept)
                .map(|e| tree.fold(|tile, slot| tiles[tile][slot * kept + e], |a, b| a + b))
                .map(|root| root.unwrap().to_bits())
                .collect();
            assert_eq!(host.download(out, RealType::F64, kept), expected);
        }
    }
}

#[test]
fn finish_of_an_argument_keeps_the_index() {
    let host = Host::new(Level::Baseline, 1);
    let values: Vec<Block> =
        [&[3.0, 9.0], &[9.0, 1.0]].map(|v| host.upload(v, RealType::F64)).to_vec();
    let indices: Vec<Block> =
        [&[2.0, 1.0], &[4.0, 6.0]].map(|v| host.upload(v, RealType::I64)).to_vec();
    let out = [host.upload(&[0.0, 0.0], RealType::F64), host.upload(&[0.0, 0.0], RealType::I64)];
    let finish = ReduceFinish {
        reducer: Reducer::ArgMax,
        dtype: RealType::F64,
        rule: TreeRule::TINY,
        group: GROUP,
        cuts: vec![vec![0, 4, 8]],
        kept: SmallVec::from_slice(&[2]),
        outputs: out.iter().map(|&b| view(b, 0, &[1])).collect(),
        tiles: (0..2)
            .map(|t| vec![view(values[t], 0, &[2, 1]), view(indices[t], 0, &[2, 1])])
            .collect(),
    };
    host.builtin(ReduceFinish::NAME, finish.encode()).unwrap();
    assert_eq!(host.download(out[0], RealType::F64, 2), [9f64.to_bits(); 2]);
    assert_eq!(host.download(out[1], RealType::I64, 2), [4, 1]);
}

/// Whole, and in parts over two tiles; along each axis of three layouts; on threads and levels: the bits
/// of the formula.
#[test]
fn scans_do_not_depend_on_tiles_layouts_or_threads() {
    let hosts = [Host::new(Level::Avx512, 1), Host::new(Level::Avx512, 3)];
    let block = 4;
    for (extents, axis) in [
        ([1, 203, 1], 1),
        ([3, 70, 1], 1),
        ([21, 70, 1], 1),
        ([2, 37, 600], 1),
        ([2, 3, 41], 2),
        ([41, 5, 2], 0),
        ([2, 1, 5], 1),
    ] {
        let count: usize = extents.iter().product();
        let input = values(count);
        let n = extents[axis];
        let row_major = [extents[1] * extents[2], extents[2], 1];
        let mut wanted = vec![0u64; count];
        for first in (0..count).filter(|at| at / row_major[axis] % n == 0) {
            let place = |i: usize| first + i * row_major[axis];
            let mut lane: Vec<f64> = (0..n).map(|i| input[place(i)]).collect();
            darray_kernel::scan::scan(&mut lane, block, |a, b| a + b);
            lane.iter().enumerate().for_each(|(i, v)| wanted[place(i)] = v.to_bits());
        }
        let strides = row_major.map(|s| s as i64);
        for host in &hosts {
            let scan = |part, range: Range<usize>, out: &View, operand: &View| Scan {
                part,
                first: range.start == 0,
                reducer: Reducer::Sum,
                dtype: RealType::F64,
                block,
                axis,
                extents: (0..3).map(|a| if a == axis { range.len() } else { extents[a] }).collect(),
                out: out.clone(),
                operand: operand.clone(),
            };
            let from = host.upload(&input, RealType::F64);
            let out = host.upload(&vec![7.0; count], RealType::F64);
            let (whole_out, whole_in) = (view(out, 0, &strides), view(from, 0, &strides));
            let whole = scan(ScanPart::Whole, 0..n, &whole_out, &whole_in);
            host.builtin(Scan::NAME, whole.encode()).unwrap();
            assert!(host.download(out, RealType::F64, count) == wanted, "{extents:?} along {axis}");
            // Backwards in memory.
            let reversed: Vec<f64> = input.iter().rev().copied().collect();
            let backwards = host.upload(&reversed, RealType::F64);
            let turned = view(backwards, count as i64 - 1, &strides.map(|s| -s));
            let whole = scan(ScanPart::Whole, 0..n, &whole_out, &turned);
            host.builtin(Scan::NAME, whole.encode()).unwrap();
            assert!(host.download(out, RealType::F64, count) == wanted, "{extents:?} reversed");
            // Two tiles, cut at a block.
            let cut = (n / 2).next_multiple_of(block).min(n);
            let lanes = count / n;
            let mut last_carry = vec![0.0; lanes];
            host.builtin(Scan::NAME, scan(ScanPart::Blocks, 0..n, &whole_out, &whole_in).encode())
                .unwrap();
            for range in [0..cut, cut..n] {
                if range.is_empty() {
                    continue;
                }
                let blocks = range.len().div_ceil(block);
                let mut carries = vec![f64::NAN; (blocks + 1) * lanes];
                carries[..lanes].copy_from_slice(&last_carry);
                let carries = host.upload(&carries, RealType::F64);
                let others: Vec<usize> =
                    (0..3).filter(|&a| a != axis).map(|a| extents[a]).collect();
                let operand = view(carries, 0, &[lanes as i64, others[1] as i64, 1]);
                let tile = view(out, range.start as i64 * strides[axis], &strides);
                for part in [ScanPart::Carry, ScanPart::Add] {
                    let call = scan(part, range.clone(), &tile, &operand);
                    host.builtin(Scan::NAME, call.encode()).unwrap();
                }
                let all = host.download(carries, RealType::F64, (blocks + 1) * lanes);
                last_carry = all[blocks * lanes..].iter().map(|&b| f64::from_bits(b)).collect();
            }
            assert!(host.download(out, RealType::F64, count) == wanted, "{extents:?} in tiles");
        }
    }
}

#[test]
fn bad_arguments_are_faults_of_the_command() {
    let host = Host::new(Level::Baseline, 1);
    let block = host.upload(&[0.0; 4], RealType::F64);
    let message = |name, args| match host.builtin(name, args) {
        Err(Fault::Execution(message)) => message,
        other => panic!("{other:?}"),
    };
    assert_eq!(message("cholesky", vec![]), "builtin cholesky is unknown");
    assert_eq!(message(MatMul::NAME, vec![]), "malformed arguments of a builtin");
    let matmul = MatMul {
        dtype: RealType::F64,
        stack: SmallVec::new(),
        m: 2,
        k: 3,
        n: 1,
        out: view(block, 0, &[1, 1]),
        a: view(block, 0, &[3, 1]),
        b: view(block, 0, &[1, 1]),
    };
    let expected = "rectangle [2, 3] reaches elements 0..=5 of 4";
    assert_eq!(message(MatMul::NAME, matmul.encode()), expected);
    let finish = ReduceFinish {
        reducer: Reducer::Sum,
        dtype: RealType::F64,
        rule: TreeRule::TINY,
        group: GROUP,
        cuts: vec![vec![0, 3, 8]],
        kept: SmallVec::new(),
        outputs: vec![view(block, 0, &[])],
        tiles: vec![vec![view(block, 0, &[1])]; 2],
    };
    let expected = "finish of sum over cuts [[0, 3, 8]] to 1 outputs";
    assert_eq!(message(ReduceFinish::NAME, finish.encode()), expected);
    let scan = Scan {
        part: ScanPart::Carry,
        first: true,
        reducer: Reducer::Sum,
        dtype: RealType::F64,
        block: 2,
        axis: 0,
        extents: SmallVec::from_slice(&[4]),
        out: view(block, 0, &[1]),
        operand: view(block, 2, &[1]),
    };
    let expected = "rectangle [3] reaches elements 2..=4 of 4";
    assert_eq!(message(Scan::NAME, scan.encode()), expected);
    let place = Scan { reducer: Reducer::ArgMin, ..scan };
    assert_eq!(message(Scan::NAME, place.encode()), "scan argmin of f64");
}

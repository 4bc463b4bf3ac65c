//! Gathers, scatters, sorts, merges, compactions and searches give the bits of the reference device, on one thread and on several.

mod places;

use darray_core::RealType;
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::builtin::{Gather, Merge, Scatter, Sort, View};
use darray_device::{Arg, Block, Command, Device, Fault, Queue, Rect};
use darray_kernel::random::Pcg64;
use darray_testdevices::ReferenceDevice;
use smallvec::{SmallVec, smallvec};
use std::sync::{Arc, Mutex};

const QUEUE: Queue = Queue(0);

/// The reference, then CPUs whose threads share out the smallest work.
fn devices() -> Vec<Arc<dyn Device>> {
    let cpu = |threads, level| {
        let options = CpuOptions { threads, level, least_parallel: 1, ..CpuOptions::default() };
        CpuDevices::new(1, options).remove(0)
    };
    let mut devices = ReferenceDevice::set(1, 1 << 30);
    devices.extend([cpu(1, None), cpu(2, None), cpu(5, None), cpu(3, Some(Level::Baseline))]);
    devices
}

fn bytes_of(block: Block) -> Rect {
    let (extents, strides) = (smallvec![block.bytes as usize], smallvec![1]);
    Rect { block, dtype: RealType::U8, offset: 0, extents, strides }
}

fn submit(device: &dyn Device, command: Command) -> Result<(), Fault> {
    let event = device.submit(QUEUE, &[], &[command])?;
    device.wait(event).map_err(|fault| fault.fault)
}

/// The arrays after a builtin, or its fault.
fn run(
    device: &dyn Device,
    name: &'static str,
    arrays: &[Vec<u8>],
    encode: &dyn Fn(&[Block]) -> Vec<Arg>,
) -> Result<Vec<Vec<u8>>, Fault> {
    let upload = |bytes: &Vec<u8>| {
        let block = device.allocate(QUEUE, bytes.len() as u64).expect("memory");
        let from = Arc::new(bytes.clone());
        submit(device, Command::Upload { from, to: bytes_of(block) }).expect("an upload");
        block
    };
    let blocks: Vec<Block> = arrays.iter().map(upload).collect();
    let result = submit(device, Command::Builtin { name, args: encode(&blocks) });
    let download = |block: &Block| {
        let to: Arc<Mutex<Vec<u8>>> = Arc::new(Mutex::new(vec![0; block.bytes as usize]));
        let from = bytes_of(*block);
        submit(device, Command::Download { from, to: to.clone(), at: 0 }).expect("a download");
        device.release(QUEUE, *block, &[]);
        to.lock().expect("no panic").clone()
    };
    let found = blocks.iter().map(download).collect();
    result.map(|()| found)
}

/// The same on every device.
fn same(
    name: &'static str,
    arrays: &[Vec<u8>],
    encode: &dyn Fn(&[Block]) -> Vec<Arg>,
    what: &str,
) -> Vec<Vec<u8>> {
    let mut results = devices().into_iter().map(|device| run(&*device, name, arrays, encode));
    let expected = results.next().expect("the reference");
    for (number, found) in results.enumerate() {
        assert!(found == expected, "{name} {what}, device {number}");
    }
    expected.unwrap_or_else(|fault| panic!("{name} {what}: {fault}"))
}

fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut stream = Pcg64::from_seed(seed);
    // Few values, so that many are equal; zeros of both signs and NaN are among them.
    let word = |_| match stream.next_u64() % 8 {
        0 => 0u64,
        1 => 0x8000_0000_8000_0000,
        2 => u64::MAX,
        other => ((stream.next_u64() % 3) << (8 * other)) | 0x3ff0_0000_3f80_0000,
    };
    (0..count.div_ceil(8)).map(word).flat_map(u64::to_le_bytes).take(count.max(1)).collect()
}

fn indices(count: usize, bound: usize, seed: u64) -> Vec<u8> {
    let mut stream = Pcg64::from_seed(seed);
    let bound = bound as i64;
    let index = |_| (stream.next_u64() % (2 * bound as u64)) as i64 - bound;
    (0..count.max(1)).map(index).flat_map(i64::to_le_bytes).collect()
}

fn rows(extents: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as i64;
    }
    strides
}

fn view(block: Block, offset: i64, strides: &[i64]) -> View {
    View { block, offset, strides: SmallVec::from_slice(strides) }
}

const TYPES: [RealType; 4] = [RealType::U8, RealType::I32, RealType::F32, RealType::F64];

#[test]
fn gathers() {
    for dtype in TYPES {
        // Indices for every element, for the rows, or for the columns, few and many.
        for (extents, shared) in [
            (&[][..], ""),
            (&[901], ""),
            (&[30, 17], "in a row"),
            (&[5, 6, 7], ""),
            (&[300, 3], "by rows"),
            (&[31, 40], "by rows"),
            (&[7, 5, 20], "by rows"),
            (&[5, 3], "by rows"),
        ] {
            let (count, bound) = (extents.iter().product::<usize>(), 13);
            let own = rows(extents);
            let mut at = own.clone();
            match (shared, at.split_last_mut()) {
                ("in a row", Some((last, _))) => *last = 0,
                ("by rows", Some((_, outer))) => outer.fill(0),
                _ => {}
            }
            // What is looked up lies closest, or farthest.
            for near in [true, false] {
                let step = |s: &i64| if near { s * bound as i64 } else { *s };
                let mut from: Vec<i64> = own.iter().map(step).collect();
                from.push(if near { 1 } else { count as i64 });
                let gather = |blocks: &[Block]| Gather {
                    dtype,
                    extents: SmallVec::from_slice(extents),
                    origin: SmallVec::from_elem(2, extents.len()),
                    positions: (0, extents.len()),
                    axis: 1,
                    bound,
                    out: view(blocks[0], 0, &own),
                    index: view(blocks[1], 0, &at),
                    source: view(blocks[2], 0, &from),
                };
                let size = count * dtype.size();
                let arrays = [bytes(size, 1), indices(count, bound, 2), bytes(size * bound, 3)];
                let encode = |blocks: &[Block]| gather(blocks).encode();
                same(Gather::NAME, &arrays, &encode, &format!("{dtype} {extents:?}"));
                // The first that is out of range, whoever finds one.
                let wrong = |blocks: &[Block]| Gather { bound: 9, ..gather(blocks) }.encode();
                let faults: Vec<Result<_, Fault>> =
                    devices().iter().map(|d| run(&**d, Gather::NAME, &arrays, &wrong)).collect();
                assert!(faults.iter().all(|fault| *fault == faults[0]), "{faults:?}");
                assert!(faults[0].is_err() || extents.is_empty());
            }
        }
    }
}

#[test]
fn scatters() {
    // Sums are of the types in which sums are computed; those of I64 are added in tables where places are few.
    let written = TYPES.map(|dtype| (dtype, false));
    let added = [RealType::I64, RealType::F32, RealType::F64].map(|dtype| (dtype, true));
    for (dtype, add) in written.into_iter().chain(added) {
        for (extents, axis, count) in [
            (&[50usize][..], 0usize, 999usize),
            (&[9, 40], 0, 30),
            (&[9, 40], 1, 200),
            (&[3, 11, 7], 1, 25),
            (&[2, 3], 1, 0),
        ] {
            let mut span = extents.to_vec();
            span[axis] = count;
            let (elements, items) =
                (extents.iter().product::<usize>(), span.iter().product::<usize>());
            let (own, at) = (rows(extents), rows(&span));
            let bound = extents[axis] * 2;
            for shared in [false, true] {
                // One index for all lanes, or one for each.
                let index: Vec<i64> = match shared {
                    true => (0..span.len()).map(|a| (a == axis) as i64).collect(),
                    false => at.clone(),
                };
                let scatter = |blocks: &[Block]| {
                    let mut origin: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
                    origin[axis] = extents[axis] / 2;
                    Scatter {
                        dtype,
                        add,
                        axis,
                        bound,
                        count,
                        extents: SmallVec::from_slice(extents),
                        origin,
                        out: view(blocks[0], 0, &own),
                        index: view(blocks[1], 0, &index),
                        value: view(blocks[2], 0, &at),
                    }
                };
                let size = dtype.size();
                let arrays = [
                    bytes(elements * size, 1),
                    indices(items, bound, 2),
                    bytes(items.max(1) * size, 3),
                ];
                let encode = |blocks: &[Block]| scatter(blocks).encode();
                let what = format!("{dtype} {extents:?} along {axis}, added: {add}");
                let found = same(Scatter::NAME, &arrays, &encode, &what);
                assert!((found[0] != arrays[0]) == (count > 0), "{what}");
                let wrong = |blocks: &[Block]| Scatter { bound: bound - 1, ..scatter(blocks) };
                let wrong = |blocks: &[Block]| wrong(blocks).encode();
                let faults: Vec<Result<_, Fault>> =
                    devices().iter().map(|d| run(&**d, Scatter::NAME, &arrays, &wrong)).collect();
                if faults[0].is_err() {
                    assert!(faults.iter().all(|fault| *fault == faults[0]), "{what}");
                }
            }
        }
    }
}

#[test]
fn sorts_and_merges() {
    for dtype in RealType::ALL {
        // Bools are 0 and 1.
        let elements = |count: usize, seed| {
            let bytes = bytes(count * dtype.size(), seed);
            if dtype == RealType::Bool { bytes.iter().map(|b| b & 1).collect() } else { bytes }
        };
        for (extents, axis) in
            [(&[1usize][..], 0usize), (&[700], 0), (&[2, 300], 1), (&[40, 9], 0), (&[3, 0], 1)]
        {
            let count: usize = extents.iter().product();
            let own = rows(extents);
            let encode = |blocks: &[Block]| {
                let sort = Sort {
                    dtype,
                    axis,
                    origin: 50,
                    extents: SmallVec::from_slice(extents),
                    input: view(blocks[0], 0, &own),
                    values: Some(view(blocks[1], 0, &own)),
                    indices: Some(view(blocks[2], 0, &own)),
                };
                sort.encode()
            };
            let arrays = [elements(count, 1), elements(count, 2), indices(count, 9, 3)];
            same(Sort::NAME, &arrays, &encode, &format!("{dtype} {extents:?}"));
        }
        for (start, count) in [(0, 400), (37, 200), (399, 1), (400, 0)] {
            let lengths = [120, 0, 200, 80];
            for ordered in [false, true] {
                let encode = |blocks: &[Block]| {
                    let run = |k: usize, blocks: &[Block]| view(blocks[k], 0, &[1]);
                    let merge = Merge {
                        dtype,
                        lengths: lengths.to_vec(),
                        values: (0..4).map(|k| run(k, &blocks[1..])).collect(),
                        indices: (0..if ordered { 4 } else { 0 })
                            .map(|k| run(k, &blocks[5..]))
                            .collect(),
                        start,
                        count,
                        out: view(blocks[0], count.saturating_sub(1) as i64, &[-1]),
                    };
                    merge.encode()
                };
                let size = if ordered { 8 } else { dtype.size() };
                let mut arrays = vec![vec![0; (count * size).max(8)]];
                arrays.extend(lengths.map(|n| sorted(dtype, elements(n.max(1), n as u64))));
                arrays.extend(lengths.map(|n| indices(n, 1 << 30, n as u64)));
                same(Merge::NAME, &arrays, &encode, &format!("{dtype} {start} {count}"));
            }
        }
    }
}

/// The elements sorted, by the reference.
fn sorted(dtype: RealType, elements: Vec<u8>) -> Vec<u8> {
    let count = elements.len() / dtype.size();
    let encode = |blocks: &[Block]| {
        let sort = Sort {
            dtype,
            axis: 0,
            origin: 0,
            extents: smallvec![count],
            input: view(blocks[0], 0, &[1]),
            values: Some(view(blocks[1], 0, &[1])),
            indices: None,
        };
        sort.encode()
    };
    let arrays = [elements.clone(), elements];
    run(&*devices()[0], Sort::NAME, &arrays, &encode).expect("sorted").remove(1)
}

/// Long and short lanes side by side, strided and reversed, with zeros and NaN of many bits, on every level and up to
/// three threads: values and indices together and alone.
#[test]
fn sorts_of_every_layout() {
    for dtype in RealType::ALL {
        let size = dtype.size();
        for kind in 0..4 {
            let elements = special_elements(dtype, 6000, kind);
            // Extents and strides of the input; the result is in rows.
            for (extents, strides, offset, axis) in [
                (&[3000usize][..], &[1i64][..], 0i64, 0),
                (&[3000], &[-2], 5999, 0),
                (&[150, 20], &[20, 1], 0, 0),
                (&[20, 150], &[-150, -1], 2999, 1),
                (&[150, 20], &[1, 150], 0, 0),
                (&[3, 70, 9], &[630, 9, 1], 0, 1),
            ] {
                let count: usize = extents.iter().product();
                for wanted in [1, 2, 3] {
                    let encode = |blocks: &[Block]| {
                        let result = |k: usize| view(blocks[k], 0, &rows(extents));
                        let sort = Sort {
                            dtype,
                            axis,
                            origin: 7,
                            extents: SmallVec::from_slice(extents),
                            input: view(blocks[0], offset, strides),
                            values: (wanted & 1 != 0).then(|| result(1)),
                            indices: (wanted & 2 != 0).then(|| result(2)),
                        };
                        sort.encode()
                    };
                    let arrays = [elements.clone(), vec![0; count * size], vec![0; count * 8]];
                    let mut results =
                        sorting_devices().map(|device| run(&*device, Sort::NAME, &arrays, &encode));
                    let expected = results.next().expect("the reference");
                    assert!(expected.is_ok());
                    for (number, found) in results.enumerate() {
                        let what = format!("{dtype} {extents:?} {strides:?} kind {kind}");
                        assert!(found == expected, "{what}, wanted {wanted}, device {number}");
                    }
                }
            }
        }
    }
}

/// Lanes of few elements, which are sorted side by side: in rows, in columns, backwards, in the middle of a cube whose planes lie
/// apart; the result in rows, or transposed.
#[test]
fn sorts_of_few_elements() {
    for dtype in [RealType::U8, RealType::F16, RealType::BF16, RealType::I32, RealType::F64] {
        for n in [1, 2, 3, 8, 9, 30, 65] {
            let elements = special_elements(dtype, 300 * n + 50, if n % 2 == 0 { 0 } else { 3 });
            let (k, last) = (n as i64, 297 * n as i64 - 1);
            for (extents, strides, offset, axis) in [
                ([1, 297, n], [0, k, 1], 0, 2),
                ([1, n, 297], [0, 297, 1], 0, 1),
                ([1, 297, n], [0, 1, 297], 0, 2),
                ([1, 297, n], [0, -k, -1], last, 2),
                ([n, 27, 11], [297, 11, 1], 0, 0),
                ([27, n, 11], [11 * k + 1, 11, 1], 0, 1),
                ([99, 3, n], [3 * k, k, 1], 0, 2),
                ([11, 27, n], [1, 11, 297], 0, 2),
            ] {
                let count: usize = extents.iter().product();
                let in_rows = rows(&extents);
                let transposed = [1, extents[0] as i64, (extents[0] * extents[1]) as i64];
                for (wanted, result) in [(3, &in_rows[..]), (1, &transposed), (2, &transposed)] {
                    let encode = |blocks: &[Block]| {
                        let sort = Sort {
                            dtype,
                            axis,
                            origin: 7,
                            extents: SmallVec::from_slice(&extents),
                            input: view(blocks[0], offset, &strides),
                            values: (wanted & 1 != 0).then(|| view(blocks[1], 0, result)),
                            indices: (wanted & 2 != 0).then(|| view(blocks[2], 0, result)),
                        };
                        sort.encode()
                    };
                    let place = [vec![0; count * dtype.size()], vec![0; count * 8]];
                    let [values, indices] = place;
                    let arrays = [elements.clone(), values, indices];
                    let mut results =
                        sorting_devices().map(|device| run(&*device, Sort::NAME, &arrays, &encode));
                    let expected = results.next().expect("the reference");
                    assert!(expected.is_ok());
                    for (number, found) in results.enumerate() {
                        let what = format!("{dtype} {extents:?} {strides:?} along {axis}");
                        assert!(found == expected, "{what}, wanted {wanted}, device {number}");
                    }
                }
            }
        }
    }
}

/// The reference, then CPUs of every level that this machine has.
fn sorting_devices() -> impl Iterator<Item = Arc<dyn Device>> {
    let levels = Level::ALL.into_iter().filter(|&level| level <= Level::detect());
    let options = levels.flat_map(|level| {
        [1, 3].map(|threads| CpuOptions {
            threads,
            least_parallel: 1,
            level: Some(level),
            ..CpuOptions::default()
        })
    });
    let cpus = options.map(|options| CpuDevices::new(1, options).remove(0));
    ReferenceDevice::set(1, 1 << 30).into_iter().chain(cpus)
}

/// Elements of any bits, ascending, descending, or few with zeros of both signs and NaN of many bits.
fn special_elements(dtype: RealType, count: usize, kind: usize) -> Vec<u8> {
    let mut stream = Pcg64::from_seed(kind as u64);
    let size = dtype.size();
    let sign = 1u64 << (8 * size - 1);
    let element = |i: usize| match kind {
        _ if dtype == RealType::Bool => stream.next_u64() & 1,
        0 => stream.next_u64(),
        1 => i as u64,
        2 => (count - i) as u64,
        _ => match stream.next_u64() % 4 {
            0 => 0,
            1 => sign,
            2 => {
                u64::MAX >> (64 - 8 * size as u32)
                    ^ ((stream.next_u64() % 8) | ((i as u64 % 2) * sign))
            }
            _ => stream.next_u64() % 5 + 1,
        },
    };
    (0..count).map(element).flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect()
}

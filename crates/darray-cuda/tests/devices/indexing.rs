//! Gathers, scatters, sorts and merges: the bits of their CPU twins, in random schedules.

use crate::support::machine_or_skip;
use crate::support::twins::{Array, Call, both, both_of, numbers, view};
use crate::support::{COMPUTE, upload};
use darray_core::RealType;
use darray_device::builtin::{Compact, Gather, Merge, Scatter, Search, Sort};
use darray_device::{Block, Command, Device};
use darray_kernel::random::Pcg64;
use smallvec::SmallVec;

/// Blocks at most, by turns: as many as a call asks for, and one, whose loops go round.
const MOST_BLOCKS: [Option<u32>; 2] = [None, Some(1)];

/// `count` indices from `-bound` to `bound`.
fn indices(count: usize, bound: usize, seed: u64) -> Array {
    let mut stream = Pcg64::from_seed(seed);
    let bound = bound as i64;
    let index = |_| (stream.next_u64() % (2 * bound as u64)) as i64 - bound;
    (RealType::I64, (0..count).map(index).flat_map(i64::to_le_bytes).collect())
}

fn row_major(extents: &[usize]) -> Vec<i64> {
    let mut strides = vec![1i64; extents.len()];
    for axis in (1..extents.len()).rev() {
        strides[axis - 1] = strides[axis] * extents[axis] as i64;
    }
    strides
}

/// Numbers among which many are equal; floats with NaN and zeros of both signs.
fn few(dtype: RealType, count: usize, seed: u64) -> Array {
    let (_, wild) = numbers(dtype, 37, seed, true);
    let mut stream = Pcg64::from_seed(seed + 1);
    let element = |_| {
        let at = (stream.next_u64() % 37) as usize * dtype.size();
        wild[at..at + dtype.size()].to_vec()
    };
    (dtype, (0..count).flat_map(element).collect())
}

#[test]
fn gathers_equal_the_cpus() {
    for seed in 0..3 {
        let schedule = format!("devices=1 sched=random:{seed}");
        let Some(machine) = machine_or_skip(&schedule) else { return };
        let devices = both_of(&machine, MOST_BLOCKS[seed % MOST_BLOCKS.len()]);
        for dtype in [
            RealType::Bool,
            RealType::U8,
            RealType::I32,
            RealType::F32,
            RealType::I64,
            RealType::F64,
        ] {
            for (extents, bound) in [
                (&[][..], 3usize),
                (&[1000], 77),
                (&[17, 9], 5),
                (&[3, 1, 41], 2),
                (&[2, 0, 3], 4),
                (&[3, 5, 2, 4], 9),
            ] {
                let (rank, count) = (extents.len(), extents.iter().product::<usize>());
                let rows = row_major(extents);
                // The index of an element, or one for each row; the source backwards along its last
                // axis, and looked up along that or along one with gaps.
                for shared in [false, true] {
                    let mut at = rows.clone();
                    if let (true, Some(last)) = (shared, at.last_mut()) {
                        *last = 0;
                    }
                    let mut from: Vec<i64> = rows.iter().map(|s| s * bound as i64).collect();
                    from.push(if shared { -1 } else { 1 });
                    let offset = if shared { bound as i64 - 1 } else { 0 };
                    let encode = |blocks: &[Block]| {
                        let gather = Gather {
                            dtype,
                            extents: SmallVec::from_slice(extents),
                            origin: SmallVec::from_elem(0, rank),
                            positions: (0, rank),
                            axis: 0,
                            bound,
                            out: view(blocks[0], 0, &rows),
                            index: view(blocks[1], 0, &at),
                            source: view(blocks[2], offset, &from),
                        };
                        gather.encode()
                    };
                    let arrays = vec![
                        numbers(dtype, count.max(1), 1, false),
                        indices(count.max(1), bound, 2),
                        numbers(dtype, count.max(1) * bound, 3, true),
                    ];
                    let call = Call { name: Gather::NAME, arrays, encode: &encode };
                    call.same(&devices, &format!("{dtype} {extents:?} of {bound}"));
                }
            }
        }
    }
}

#[test]
fn scatters_equal_the_cpus() {
    for seed in 0..3 {
        let schedule = format!("devices=1 sched=random:{seed}");
        let Some(machine) = machine_or_skip(&schedule) else { return };
        let devices = both_of(&machine, MOST_BLOCKS[seed % MOST_BLOCKS.len()]);
        let all = [
            RealType::Bool,
            RealType::U8,
            RealType::I32,
            RealType::F32,
            RealType::I64,
            RealType::F64,
        ];
        let added = [RealType::I64, RealType::F32, RealType::F64].map(|dtype| (dtype, true));
        for (dtype, add) in all.map(|dtype| (dtype, false)).into_iter().chain(added) {
            // The tile is a part of an axis that is twice as long and begins a third before it.
            for (extents, axis, count) in [
                (&[60usize][..], 0usize, 700usize),
                (&[7, 9], 0, 20),
                (&[7, 9], 1, 33),
                (&[3, 5, 4], 1, 11),
                (&[2, 3, 4], 0, 0),
            ] {
                let extent = extents[axis];
                let (bound, origin) = (2 * extent, extent / 3);
                let mut span = extents.to_vec();
                span[axis] = count;
                let (elements, items) =
                    (extents.iter().product::<usize>(), span.iter().product::<usize>());
                let (out, rows) = (row_major(extents), row_major(&span));
                let encode = |blocks: &[Block]| {
                    let mut start: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
                    start[axis] = origin;
                    // Values backwards, what is written with gaps.
                    let gaps: Vec<i64> = out.iter().map(|s| 2 * s).collect();
                    let back: Vec<i64> = rows.iter().map(|s| -s).collect();
                    let scatter = Scatter {
                        dtype,
                        add,
                        axis,
                        bound,
                        count,
                        extents: SmallVec::from_slice(extents),
                        origin: start,
                        out: view(blocks[0], 1, &gaps),
                        index: view(blocks[1], 0, &rows),
                        value: view(blocks[2], items.saturating_sub(1) as i64, &back),
                    };
                    scatter.encode()
                };
                let arrays = vec![
                    numbers(dtype, 2 * elements, 1, false),
                    indices(items.max(1), bound, 2),
                    numbers(dtype, items.max(1), 3, true),
                ];
                let call = Call { name: Scatter::NAME, arrays, encode: &encode };
                call.same(
                    &devices,
                    &format!("{dtype} {extents:?} along {axis} by {count}, added: {add}"),
                );
            }
        }
    }
}

#[test]
fn indices_out_of_range_are_the_commands_fault() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    for device in both(&machine) {
        let words =
            |values: &[i64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let block = |values: &[i64]| upload(&*device, COMPUTE, &words(values)).0;
        let (out, source) = (block(&[0; 6]), block(&[1, 2, 3]));
        let index = block(&[2, -3, 0, 3, 9, -4]);
        let gather = Gather {
            dtype: RealType::I64,
            extents: SmallVec::from_slice(&[2, 3]),
            origin: SmallVec::from_slice(&[10, 0]),
            positions: (0, 2),
            axis: 1,
            bound: 3,
            out: view(out, 0, &[3, 1]),
            index: view(index, 0, &[3, 1]),
            source: view(source, 0, &[0, 0, 1]),
        };
        let scatter = Scatter {
            dtype: RealType::I64,
            add: false,
            axis: 1,
            bound: 3,
            count: 3,
            extents: SmallVec::from_slice(&[2, 3]),
            origin: SmallVec::from_slice(&[10, 0]),
            out: view(out, 0, &[3, 1]),
            index: view(index, 0, &[3, 1]),
            value: view(source, 0, &[0, 1]),
        };
        let add = Scatter { add: true, ..scatter.clone() };
        let calls = [
            (Gather::NAME, gather.encode()),
            (Scatter::NAME, scatter.encode()),
            (Scatter::NAME, add.encode()),
        ];
        for (name, args) in calls {
            let work = vec![Command::Builtin { name, args }];
            let event = device.submit(COMPUTE, &[], &work).expect("a submission");
            let fault = device.wait(event).expect_err("an index out of range");
            let text = "index 3 at [11, 0] is out of range for axis 1 of extent 3";
            assert_eq!((fault.command, fault.fault.to_string().as_str()), (0, text), "{name}");
        }
        // The device is as usable as before.
        let fine = Gather { index: view(index, 0, &[0, 1]), ..gather };
        let work = vec![Command::Builtin { name: Gather::NAME, args: fine.encode() }];
        let event = device.submit(COMPUTE, &[], &work).expect("a submission");
        device.wait(event).expect("indices in range");
    }
}

#[test]
fn compactions_equal_the_cpus() {
    for seed in 0..2 {
        let schedule = format!("devices=1 sched=random:{seed}");
        let Some(machine) = machine_or_skip(&schedule) else { return };
        let devices = both_of(&machine, MOST_BLOCKS[seed % MOST_BLOCKS.len()]);
        for dtype in [RealType::U8, RealType::F16, RealType::BF16, RealType::I32, RealType::F64] {
            // Several tiles, in all and of the result; masks that hold a third and all.
            for (bound, most) in [(0usize, 1u64), (1, 1), (9000, 3), (4100, 1)] {
                let mut stream = Pcg64::from_seed(most);
                let mask: Vec<u8> = (0..bound.max(1))
                    .map(|_| u8::from(stream.next_u64().is_multiple_of(most)))
                    .collect();
                let held = mask.iter().take(bound).filter(|&&held| held == 1).count();
                for (start, count) in [(0, held), (held / 3, held / 2)] {
                    for places in [false, true] {
                        let own = if places { RealType::INDEX } else { dtype };
                        let encode = |blocks: &[Block]| {
                            let compact = Compact {
                                dtype: own,
                                bound,
                                start,
                                count,
                                out: view(blocks[0], 0, &[2]),
                                mask: view(blocks[1], 0, &[1]),
                                source: (!places).then(|| {
                                    view(blocks[2], bound.saturating_sub(1) as i64, &[-1])
                                }),
                            };
                            compact.encode()
                        };
                        let arrays = vec![
                            numbers(own, 2 * count.max(1), 1, false),
                            (RealType::Bool, mask.clone()),
                            numbers(dtype, bound.max(1), 3, true),
                        ];
                        let call = Call { name: Compact::NAME, arrays, encode: &encode };
                        call.same(&devices, &format!("{dtype} {bound} from {start}: {places}"));
                    }
                }
            }
        }
    }
}

#[test]
fn searches_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = both_of(&machine, MOST_BLOCKS[0]);
    for dtype in RealType::ALL {
        for (extents, bound) in [(&[][..], 3usize), (&[300], 0), (&[17, 9], 65), (&[40], 1)] {
            let count = extents.iter().product::<usize>();
            let own = row_major(extents);
            let (_, elements) = few(dtype, bound.max(1), 7);
            let mut sorted: Vec<&[u8]> = elements.chunks(dtype.size()).collect();
            sorted.sort_by_key(|bytes| {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                darray_device::builtin::sort_key(dtype, u64::from_le_bytes(word))
            });
            for right in [false, true] {
                let encode = |blocks: &[Block]| {
                    let from: Vec<i64> = own.iter().map(|_| 0).chain([1]).collect();
                    let search = Search {
                        dtype,
                        right,
                        extents: SmallVec::from_slice(extents),
                        bound,
                        out: view(blocks[0], 0, &own),
                        values: view(blocks[1], 0, &own),
                        sorted: view(blocks[2], 0, &from),
                    };
                    search.encode()
                };
                let arrays = vec![
                    numbers(RealType::INDEX, count.max(1), 1, false),
                    few(dtype, count.max(1), 7),
                    (dtype, sorted.concat()),
                ];
                let call = Call { name: Search::NAME, arrays, encode: &encode };
                call.same(&devices, &format!("{dtype} {extents:?} in {bound}: {right}"));
            }
        }
    }
}

#[test]
fn sorts_equal_the_cpus() {
    // From one element of the input to the next, and of the values: backwards with gaps into gaps, or as they lie.
    for (seed, (gap, out_gap)) in [(-2, 2), (1, 1)].into_iter().enumerate() {
        let schedule = format!("devices=1 sched=random:{seed}");
        let Some(machine) = machine_or_skip(&schedule) else { return };
        let devices = both_of(&machine, MOST_BLOCKS[seed % MOST_BLOCKS.len()]);
        for dtype in RealType::ALL {
            // One element, less than a tile, tiles and a rest; many lanes, and lanes along every axis.
            for (extents, axis) in [
                (&[1usize][..], 0usize),
                (&[300], 0),
                (&[4999], 0),
                (&[8999], 0),
                (&[3, 700], 1),
                (&[5, 3], 0),
                (&[300, 2, 2], 0),
                (&[11, 7, 13], 1),
                (&[2, 0], 0),
            ] {
                let count: usize = extents.iter().product();
                let rows = row_major(extents);
                for (values, order) in [(true, false), (false, true), (true, true)] {
                    // Elsewhere how they lie decides nothing.
                    if seed > 0 && (order || extents.len() > 1) {
                        continue;
                    }
                    let encode = |blocks: &[Block]| {
                        let back: Vec<i64> = rows.iter().map(|s| gap * s).collect();
                        let last = if gap < 0 { 2 * count.saturating_sub(1) as i64 } else { 0 };
                        let out: Vec<i64> = rows.iter().map(|s| out_gap * s).collect();
                        let sort = Sort {
                            dtype,
                            axis,
                            origin: 1000,
                            extents: SmallVec::from_slice(extents),
                            input: view(blocks[2], last, &back),
                            values: values.then(|| view(blocks[0], 0, &out)),
                            indices: order.then(|| view(blocks[1], 0, &rows)),
                        };
                        sort.encode()
                    };
                    let arrays = vec![
                        numbers(dtype, 2 * count.max(1), 1, false),
                        numbers(RealType::I64, count.max(1), 2, false),
                        match extents[0] {
                            300 => numbers(dtype, 2 * count, 3, true),
                            _ => few(dtype, 2 * count.max(1), 3),
                        },
                    ];
                    let call = Call { name: Sort::NAME, arrays, encode: &encode };
                    call.same_bits(&devices, &format!("{dtype} {extents:?} along {axis}"));
                }
            }
        }
    }
}

#[test]
fn merges_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    // With all blocks that they ask for and with one, whose loop goes round.
    let devices = [None, Some(1)].map(|most_blocks| both_of(&machine, most_blocks));
    for (turn, dtype) in RealType::ALL.into_iter().enumerate() {
        for lengths in [&[40usize][..], &[300, 1, 200], &[0, 64, 63, 0, 65]] {
            let all: usize = lengths.iter().sum();
            // The runs are sorted by a device first.
            let runs: Vec<Array> = lengths
                .iter()
                .map(|&n| sorted(&*devices[0][0], few(dtype, n.max(1), n as u64)))
                .collect();
            for (start, count) in [(0, all), (all / 3, all / 2), (all - 1, 1), (5, 0)] {
                for ordered in [false, true] {
                    let encode = |blocks: &[Block]| {
                        let (out, blocks) = (blocks[0], &blocks[1..]);
                        let (values, order) = blocks.split_at(lengths.len());
                        let merge = Merge {
                            dtype,
                            lengths: lengths.to_vec(),
                            values: values.iter().map(|b| view(*b, 0, &[1])).collect(),
                            indices: order.iter().map(|b| view(*b, 0, &[1])).collect(),
                            start,
                            count,
                            out: view(out, 2 * count as i64, &[-2]),
                        };
                        merge.encode()
                    };
                    let result = if ordered { RealType::I64 } else { dtype };
                    let mut arrays = vec![numbers(result, 2 * count + 1, 1, false)];
                    arrays.extend(runs.iter().cloned());
                    if ordered {
                        arrays
                            .extend(lengths.iter().map(|&n| indices(n.max(1), 1 << 40, n as u64)));
                    }
                    let call = Call { name: Merge::NAME, arrays, encode: &encode };
                    let devices = &devices[(turn + usize::from(ordered)) % 2];
                    call.same_bits(devices, &format!("{dtype} {lengths:?} {start} {count}"));
                }
            }
        }
    }
}

/// The elements sorted.
fn sorted(device: &dyn Device, (dtype, bytes): Array) -> Array {
    let count = bytes.len() / dtype.size();
    let encode = |blocks: &[Block]| {
        let sort = Sort {
            dtype,
            axis: 0,
            origin: 0,
            extents: SmallVec::from_slice(&[count]),
            input: view(blocks[0], 0, &[1]),
            values: Some(view(blocks[1], 0, &[1])),
            indices: None,
        };
        sort.encode()
    };
    let arrays = vec![(dtype, bytes.clone()), (dtype, bytes)];
    let found = Call { name: Sort::NAME, arrays, encode: &encode }.run(device).remove(1);
    (dtype, found)
}

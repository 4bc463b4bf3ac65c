//! The builtins: the bits of their CPU twins.

use crate::support::machine_or_skip;
use crate::support::twins::{Array, Call, both, both_of, numbers, view};
use darray_core::RealType;
use darray_device::Block;
use darray_device::builtin::{MatMul, ReduceFinish, Scan, ScanPart, carries_extents};
use darray_kernel::ir::Reducer;
use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};
use smallvec::SmallVec;

#[test]
fn products_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = both(&machine);
    // Of f16 and bf16 they are computed in f32.
    let is_wide = |dtype: &RealType| !(dtype.is_float() && dtype.is_narrow());
    for dtype in RealType::ALL.into_iter().filter(is_wide) {
        for (m, k, n) in [
            (1usize, 1usize, 1usize),
            (3, 2, 2),
            (1, 40, 17),
            (17, 40, 1),
            (20, 33, 18),
            (4, 0, 3),
            (5, 70, 2),
            (2, 513, 3),
            (3, 1100, 5),
            (17, 37, 2),
            (33, 1030, 2),
            (2, 1030, 70),
            (65, 17, 130),
            (3, 1, 70),
            // Several blocks of k, the last of which ends within a part of it; for middle tiles, too.
            (3, 2310, 5),
            (500, 259, 530),
            // Enough of it for middle tiles, and for large ones, where steps of matrices end within k.
            (500, 19, 530),
            (500, 37, 530),
            (1430, 11, 1480),
            (1430, 1, 1480),
            (1430, 20, 1480),
        ] {
            if k == 259 && !dtype.is_float() {
                continue;
            }
            if m == 1430 && !(dtype.is_float() || (k == 11 && dtype.size() != 4)) {
                continue;
            }
            // Rows with gaps on the left, columns first on the right, or there too rows.
            let by_rows = [37, 20].contains(&k);
            let (a_row, b_strides) =
                (k as i64 + 3, if by_rows { [n as i64, 1] } else { [1, k as i64] });
            let encode = |blocks: &[Block]| {
                let matmul = MatMul {
                    dtype,
                    stack: SmallVec::new(),
                    m,
                    k,
                    n,
                    out: view(blocks[0], 0, &[n as i64, 1]),
                    a: view(blocks[1], 1, &[a_row, 1]),
                    b: view(blocks[2], 0, &b_strides),
                };
                matmul.encode()
            };
            let arrays = vec![
                numbers(dtype, m * n, 1, false),
                numbers(dtype, m * (k + 3) + 1, 2, m == 1430),
                numbers(dtype, (k * n).max(1), 3, m == 1430),
            ];
            let call = Call { name: MatMul::NAME, arrays, encode: &encode };
            call.same(&devices, &format!("{dtype} {m} {k} {n}"));
        }
    }
}

/// Sums of several blocks of k wait in memory that blocks of threads use again where there are more tiles.
#[test]
fn products_with_a_long_inner_extent_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = [Some(1), Some(4)].map(|most_blocks| both_of(&machine, most_blocks));
    for (dtype, m, k, n) in [(RealType::F32, 40, 1300, 40), (RealType::F64, 20, 2310, 40)] {
        let encode = |blocks: &[Block]| {
            let (k, n) = (k as i64, n as i64);
            let matmul = MatMul {
                dtype,
                stack: SmallVec::from_slice(&[2]),
                m,
                k: k as usize,
                n: n as usize,
                out: view(blocks[0], 0, &[m as i64 * n, n, 1]),
                a: view(blocks[1], 0, &[m as i64 * k, k, 1]),
                b: view(blocks[2], 0, &[0, n, 1]),
            };
            matmul.encode()
        };
        let arrays = [(2 * m * n, 1), (2 * m * k, 2), (k * n, 3)];
        let arrays = arrays.map(|(count, seed)| numbers(dtype, count, seed, false)).into();
        let call = Call { name: MatMul::NAME, arrays, encode: &encode };
        devices.iter().for_each(|devices| call.same(devices, &format!("{dtype}")));
    }
}

/// Sums that leave the range of numbers on their way: what they are then is what a chain makes of them.
#[test]
fn products_that_overflow_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = both(&machine);
    let (m, k, n) = (1430usize, 9usize, 1480usize);
    let large = |count: usize, period: usize, numbers: &[f64]| {
        let number = |at: usize| numbers[at % period % numbers.len()].to_le_bytes();
        (RealType::F64, (0..count).flat_map(number).collect::<Vec<u8>>())
    };
    let encode = |blocks: &[Block]| {
        let (rows, columns) = (k as i64, n as i64);
        let matmul = MatMul {
            dtype: RealType::F64,
            stack: SmallVec::new(),
            m,
            k,
            n,
            out: view(blocks[0], 0, &[columns, 1]),
            a: view(blocks[1], 0, &[rows, 1]),
            b: view(blocks[2], 0, &[columns, 1]),
        };
        matmul.encode()
    };
    let arrays = vec![
        large(m * n, 1, &[0.0]),
        large(m * k, 31, &[1e308, -1e308, 3e307, -1e-308, f64::INFINITY, 1.0, -0.0]),
        large(k * n, 29, &[1.5, 0.25, -1.0, 1e308, 0.0, -10.0, 1e-10, f64::MAX]),
    ];
    let call = Call { name: MatMul::NAME, arrays, encode: &encode };
    call.same(&devices, "products that overflow");
}

#[test]
fn stacks_of_products_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = [None, Some(1)].map(|most_blocks| both_of(&machine, most_blocks));
    let (m, k, n) = (5usize, 6usize, 4usize);
    for (n, dtype) in [(n, RealType::F64), (1, RealType::F32), (n, RealType::I64)] {
        let encode = |blocks: &[Block]| {
            let (m, k, n) = (m as i64, k as i64, n as i64);
            let matmul = MatMul {
                dtype,
                stack: SmallVec::from_slice(&[2, 3]),
                m: m as usize,
                k: k as usize,
                n: n as usize,
                out: view(blocks[0], 0, &[3 * m * n, m * n, n, 1]),
                a: view(blocks[1], 0, &[3 * m * k, m * k, k, 1]),
                b: view(blocks[2], 0, &[0, k * n, n, 1]),
            };
            matmul.encode()
        };
        let arrays = [6 * m * n, 6 * m * k, 3 * k * n];
        let arrays = arrays.iter().map(|&c| numbers(dtype, c, c as u64, false)).collect();
        let call = Call { name: MatMul::NAME, arrays, encode: &encode };
        devices.iter().for_each(|devices| call.same(devices, &format!("{dtype}")));
    }
}

#[test]
fn finish_steps_of_every_reducer_and_type_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = both(&machine);
    let (rule, group) = (TreeRule::TINY, Group { axes: 1, behind: 1 });
    let mut checked = 0;
    for &reducer in Reducer::ALL {
        for dtype in RealType::ALL.into_iter().filter(|d| reducer.result(*d).is_some()) {
            for kept in [&[][..], &[3], &[2, 5]] {
                // An empty tile is among them.
                let cuts = vec![vec![0usize, 4, 4, 12, 29]];
                let count: usize = kept.iter().product();
                let slots: Vec<usize> = cuts[0]
                    .windows(2)
                    .map(|w| {
                        let (origin, extent) = (w[0], w[1] - w[0]);
                        TileTree::new(rule, group, &[ReducedAxis { origin, extent, global: 29 }])
                            .slots()
                    })
                    .collect();
                let parts = if reducer.has_index() { 2 } else { 1 };
                let dtypes = [dtype, RealType::I64];
                let mut arrays: Vec<Array> =
                    (0..parts).map(|part| numbers(dtypes[part], count, 9, false)).collect();
                for (tile, slots) in slots.iter().enumerate() {
                    for (part, dtype) in dtypes.iter().enumerate().take(parts) {
                        let seed = (10 * tile + part) as u64;
                        arrays.push(numbers(*dtype, (slots * count).max(1), seed, true));
                    }
                }
                let mut row: Vec<i64> = vec![1; kept.len()];
                for axis in (1..kept.len()).rev() {
                    row[axis - 1] = row[axis] * kept[axis] as i64;
                }
                let slot: Vec<i64> = [&[count as i64][..], &row].concat();
                let encode = |blocks: &[Block]| {
                    let (outputs, tiles) = blocks.split_at(parts);
                    let tile = |(tile, slots): (usize, &usize)| match slots {
                        0 => vec![],
                        _ => (0..parts).map(|p| view(tiles[tile * parts + p], 0, &slot)).collect(),
                    };
                    let finish = ReduceFinish {
                        reducer,
                        dtype,
                        rule,
                        group,
                        cuts: cuts.clone(),
                        kept: SmallVec::from_slice(kept),
                        outputs: outputs.iter().map(|b| view(*b, 0, &row)).collect(),
                        tiles: slots.iter().enumerate().map(tile).collect(),
                    };
                    finish.encode()
                };
                let call = Call { name: ReduceFinish::NAME, arrays, encode: &encode };
                call.same(&devices, &format!("{reducer} {dtype} {kept:?}"));
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 3 * (2 * 4 + 2 * 6 + 2 + 2 * 6));
}

#[test]
fn scans_in_every_part_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    // In turns with all blocks that they ask for and with one, whose loops go round.
    let devices = [None, Some(1)].map(|most_blocks| both_of(&machine, most_blocks));
    for (reducer, dtype) in [
        (Reducer::Sum, RealType::F64),
        (Reducer::Sum, RealType::F32),
        (Reducer::Prod, RealType::F64),
        (Reducer::Sum, RealType::I64),
        (Reducer::Prod, RealType::I64),
    ] {
        let shapes = [
            ([1usize, 41, 1], 1, 4),
            ([3, 20, 2], 1, 4),
            ([2, 3, 9], 2, 4),
            ([13, 2, 3], 0, 4),
            ([2, 3, 2], 1, 4),
            // Blocks of several tiles, the last one cut; more blocks than a warp reads at once, and blocks with whole parts of
            // those that add carries.
            ([1, 1100, 1], 1, 300),
            ([1, 1100, 1], 1, 4),
            ([1, 9000, 1], 1, 4096),
            ([3, 1, 700], 2, 600),
            ([1, 2300, 1], 1, 66),
            ([1, 330, 2], 1, 5),
        ];
        for (turn, (extents, axis, block)) in shapes.into_iter().enumerate() {
            let count: usize = extents.iter().product();
            let rows = [(extents[1] * extents[2]) as i64, extents[2] as i64, 1];
            for part in [ScanPart::Whole, ScanPart::Blocks, ScanPart::Carry, ScanPart::Add] {
                for first in [true, false] {
                    let blocks = extents[axis].div_ceil(block);
                    let carries = carries_extents(blocks, axis, &extents);
                    let lanes: usize = carries[1..].iter().product();
                    let encode = |arrays: &[Block]| {
                        let operand = match part.has_carries() {
                            true => {
                                let strides = [lanes as i64, carries[2] as i64, 1];
                                view(arrays[1], 0, &strides)
                            }
                            // Backwards in memory.
                            false => view(arrays[1], count as i64 - 1, &rows.map(|s| -s)),
                        };
                        let scan = Scan {
                            part,
                            first,
                            reducer,
                            dtype,
                            block,
                            axis,
                            extents: SmallVec::from_slice(&extents),
                            out: view(arrays[0], 0, &rows),
                            operand,
                        };
                        scan.encode()
                    };
                    let operand = if part.has_carries() { (blocks + 1) * lanes } else { count };
                    let arrays =
                        vec![numbers(dtype, count, 5, false), numbers(dtype, operand, 6, false)];
                    let call = Call { name: Scan::NAME, arrays, encode: &encode };
                    let what = format!("{reducer} {dtype} {extents:?} {axis} {part:?} {first}");
                    call.same(&devices[(turn + usize::from(first)) % 2], &what);
                }
            }
        }
    }
    let Some(fake) = &machine.fake else { return };
    for entry in ["blocks", "tiles", "short_tiles", "carries", "carries_by_warps", "add"] {
        assert!(fake.count(&format!("kernel:scan_{entry}")) > 0, "scan_{entry} has not run");
    }
}

/// A stack of as many large tiles as are worth it.
#[test]
fn large_tiles_of_several_blocks_equal_the_cpus() {
    let Some(machine) = machine_or_skip("devices=1 sched=random:1") else { return };
    let devices = both(&machine);
    for (dtype, m, k, n) in [(RealType::F32, 65, 267, 65), (RealType::F64, 65, 267, 65)] {
        let encode = |blocks: &[Block]| {
            let (k, n) = (k as i64, n as i64);
            let matmul = MatMul {
                dtype,
                stack: SmallVec::from_slice(&[128]),
                m,
                k: k as usize,
                n: n as usize,
                out: view(blocks[0], 0, &[m as i64 * n, n, 1]),
                a: view(blocks[1], 0, &[0, k, 1]),
                b: view(blocks[2], 0, &[k * n, n, 1]),
            };
            matmul.encode()
        };
        let arrays = [(128 * m * n, 1), (m * k, 2), (128 * k * n, 3)];
        let arrays = arrays.map(|(count, seed)| numbers(dtype, count, seed, false)).into();
        let call = Call { name: MatMul::NAME, arrays, encode: &encode };
        call.same(&devices, &format!("{dtype}"));
    }
}

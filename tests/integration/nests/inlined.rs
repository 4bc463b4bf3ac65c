//! Arrays that are read through slices are computed where they are read: what ran, and the same bits as without.

use darray::prelude::*;
use darray::{Mode, Stats};
use darray_testkit::Random;

/// Rows and columns of arrays that no near cache holds.
const N: usize = 300;

fn runtime(devices: usize, mode: Mode) -> Runtime {
    let builder = Runtime::builder().cpu_devices(devices).threads(1).mode(mode);
    builder.build().expect("a runtime of CPU devices")
}

fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|k| ((k * 7919 % 1009) as f64).sqrt()).collect()
}

fn grid(columns: usize) -> DArray<f64> {
    DArray::from_vec(numbers(N * columns)).reshape((N, columns))
}

/// Runs a program fused and unfused; gives what was counted fused.
fn check(devices: usize, program: impl Fn() -> DArray<f64>) -> Stats {
    let [fused, unfused] = [Mode::Fused, Mode::Unfused].map(|mode| {
        let runtime = runtime(devices, mode);
        let bits: Vec<u64> = runtime.scope(|| {
            let result = program();
            result.to_vec().into_iter().map(f64::to_bits).collect()
        });
        (bits, runtime.stats())
    });
    assert_eq!(fused.0, unfused.0);
    assert_eq!(unfused.1.tasks_inlined, 0);
    fused.1
}

#[test]
fn differences_of_what_was_computed_are_one_kernel() {
    let programs: [fn() -> DArray<f64>; 4] = [
        || {
            let image = grid(N).cast::<u8>();
            Runtime::current().sync();
            let image = image.cast::<f64>();
            image.slice(s![1.., 1..]) - image.slice(s![..-1, ..-1])
        },
        || {
            let x = grid(N);
            let square = &x * &x;
            square.slice(s![1..]) - square.slice(s![..-1])
        },
        // In steps, backwards, transposed, by rows.
        || {
            let x = grid(N);
            let moved = &x + 0.5;
            moved.slice(s![..;2, ..;-1]) * moved.t().slice(s![..;-2])
        },
        || {
            let x = grid(N);
            let (y, shift) = (&x - 1.0, x.slice(s![0]));
            (y.slice(s![1..]) - &shift) * y.slice(s![..-1])
        },
    ];
    for program in programs {
        let stats = check(1, program);
        let before = check(1, || grid(N).cast::<u8>().cast::<f64>());
        assert!(stats.kernels <= before.kernels + 1, "{stats:?}");
        assert!(stats.tasks_inlined >= 2, "{stats:?}");
        assert!(check(3, program).tasks_inlined >= 2);
    }
}

#[test]
fn random_numbers_are_drawn_where_they_are_read() {
    let columns: fn() -> DArray<f64> = || {
        let p = default_rng(7).random((20_000, 2));
        let (x, y) = (p.slice(s![.., 0]), p.slice(s![.., 1]));
        &x * &x + &y * &y
    };
    let backwards: fn() -> DArray<f64> = || {
        let p = default_rng(7).random((2 * N, N));
        p.slice(s![N - 1..;-1]) - p.slice(s![N..])
    };
    for program in [columns, backwards] {
        let stats = check(1, program);
        assert!((stats.kernels, stats.tasks_inlined) == (1, 2), "{stats:?}");
        assert_eq!(check(3, program).tasks_inlined, 2);
    }
}

#[test]
fn a_chain_of_stencils_is_one_kernel() {
    // Where no cache holds the arrays.
    let program = || {
        let x = DArray::<f64>::arange(2_000_000).sin();
        Runtime::current().sync();
        let slope = x.slice(s![1..]) - x.slice(s![..-1]);
        let limited = slope.maximum(0.0);
        limited.slice(s![1..]) - limited.slice(s![..-1])
    };
    let stats = check(1, program);
    assert_eq!((stats.kernels, stats.tasks_inlined), (2, 4), "{stats:?}");
}

#[test]
fn what_is_kept_or_changed_is_stored() {
    // A variable that lives on.
    let kept = || {
        let x = grid(N);
        let square = &x * &x;
        let difference = square.slice(s![1..]) - square.slice(s![..-1]);
        let both = &difference + square.slice(s![1..]);
        Runtime::current().sync();
        both
    };
    assert_eq!(check(1, kept).tasks_inlined, 0);
    // An operand that changes before the array is read.
    let changed = || {
        let x = grid(N);
        let mut y = x.alias();
        let square = &x * &x;
        y += 1.0;
        square.slice(s![1..]) - x.slice(s![..-1])
    };
    check(1, changed);
    // What takes long, and what is made of indices.
    let long = || {
        let x = grid(N).sin();
        x.slice(s![1..]) - x.slice(s![..-1])
    };
    assert_eq!(check(1, long).tasks_inlined, 0);
    let indices: [fn() -> DArray<f64>; 2] = [
        || {
            let x = DArray::<f64>::arange(N * N);
            x.slice(s![1..]) - x.slice(s![..-1])
        },
        || {
            let x = DArray::<f64>::arange(N * N) * 2.0;
            x.slice(s![1..]) - x.slice(s![..-1])
        },
    ];
    assert!(indices.iter().all(|program| check(1, program).tasks_inlined == 0));
}

/// Code is for maps of which axes have one index, and of which linear ones step by one: a plan serves no sizes for which that is otherwise.
#[test]
fn sizes_that_need_other_code_have_other_plans() {
    let diagonals: fn(usize) -> DArray<f64> = |k| {
        let x = DArray::from_vec(numbers(10_000 * k * k)).reshape((10_000, k, k));
        let y = &x * 2.0;
        y.flip(2).diagonal(darray::Diagonal::new(0).axes(1, 2)) + 1.0
    };
    let diagonal: fn(usize) -> DArray<f64> = |k| {
        let x = DArray::from_vec(numbers(2_000 * k)).reshape((2_000, k));
        let y = x.flip(1) * 2.0;
        y.diagonal(0) + 1.0
    };
    let rows: fn(usize) -> DArray<f64> = |n| {
        let x = DArray::from_vec(numbers(3_000));
        let y = &x * 2.0;
        let rows = y.broadcast_to((n, 3_000));
        let (sums, all) = (rows.sum(0), rows.sum(..));
        drop((y, rows));
        sums + all
    };
    for program in [diagonals, diagonal, rows] {
        for devices in [1, 3] {
            let [fused, unfused] = [Mode::Fused, Mode::Unfused].map(|mode| runtime(devices, mode));
            for size in [2, 3, 1, 5, 2, 1, 4] {
                let [fused, unfused] = [&fused, &unfused].map(|runtime| {
                    runtime.scope(|| {
                        let result = program(size);
                        result.to_vec().into_iter().map(f64::to_bits).collect::<Vec<_>>()
                    })
                });
                assert_eq!(fused, unfused, "{size} on {devices} devices");
            }
        }
    }
}

/// What reads a copy may be what nobody needs, once others read less than the whole array.
#[test]
fn copies_that_nobody_needs_are_not_counted() {
    let stats = check(1, || {
        let n = 40_000;
        let (c, x) = (DArray::from_vec(numbers(2 * n)), DArray::from_vec(numbers(2 * n)));
        Runtime::current().sync();
        let b = &c * 2.0;
        x.slice(s![..n]).assign(b.slice(s![1..n + 1]) - b.slice(s![..n]));
        let a = &x * 3.0;
        a.slice(s![n..2 * n - 1]) + a.slice(s![n + 1..2 * n])
    });
    assert_eq!((stats.tasks_inlined, stats.tasks_replicated), (2, 0), "{stats:?}");
}

/// A view of so many rows and columns of an array of at least as many.
fn view(dice: &mut Random, x: &DArray<f64>, rows: usize, columns: usize) -> DArray<f64> {
    let x = if x.shape()[0] >= rows && x.shape()[1] >= columns { x.alias() } else { x.t() };
    let mut range = |most: usize, count: usize| {
        let step = if most >= 2 * count { 1 + dice.below(2) } else { 1 };
        let first = dice.below(most - (count - 1) * step);
        (first as isize, (first + (count - 1) * step + 1) as isize, step as isize)
    };
    let (rows, columns) = (range(x.shape()[0], rows), range(x.shape()[1], columns));
    let part = x.slice(s![rows.0..rows.1;rows.2, columns.0..columns.1;columns.2]);
    match dice.below(4) {
        0 => part.flip(0),
        1 => part.flip(1),
        _ => part,
    }
}

/// Arrays made of views of others, the first of which are updated in between; what of them is left, or sums of it.
fn program(seed: u64) -> Vec<DArray<f64>> {
    let mut dice = Random::new(seed);
    let side = [6, 20, 200][dice.below(3)];
    let numbers = |offset| (0..side * side).map(move |k| ((k * 31 + offset) % 17) as f64 - 3.0);
    let array = |offset| DArray::from_vec(numbers(offset).collect()).reshape((side, side));
    let mut arrays = vec![array(0), array(5)];
    let mut results = Vec::new();
    let mut random = default_rng(seed);
    for _ in 0..3 + dice.below(10) {
        let (rows, columns) = match dice.below(3) {
            0 => (side, side),
            _ => (1 + side / 2 + dice.below(side / 2), 1 + side / 2 + dice.below(side / 2)),
        };
        let fits = |x: &&DArray<f64>| {
            let (a, b) = (x.shape()[0], x.shape()[1]);
            a >= rows && b >= columns || b >= rows && a >= columns
        };
        let fitting: Vec<&DArray<f64>> = arrays.iter().filter(fits).collect();
        let mut operand = || {
            let late = fitting.len().saturating_sub(1 + dice.below(3));
            view(&mut dice, fitting[late], rows, columns)
        };
        let (a, b) = (operand(), operand());
        let made = match dice.below(9) {
            0 => &a * &b,
            1 => a.cast::<i32>().cast::<f64>() + &b,
            2 => a.maximum(&b),
            3 => a.gt(&b).select(&a, 0.5),
            4 => random.random((rows, columns)),
            5 => {
                let target = view(&mut dice, &arrays[0].alias(), rows, columns);
                target.assign(&a + &b);
                continue;
            }
            6 => {
                results.push((&a - &b).sum(dice.below(2)));
                continue;
            }
            7 => &a / 3.0 - b,
            _ => a + &b,
        };
        arrays.push(made);
    }
    results.extend(arrays.into_iter().rev().take(2));
    results
}

#[test]
fn random_programs_give_the_same_bits() {
    let count = if cfg!(feature = "long") { 100_000 } else { 1_000 };
    let all = [(1, Mode::Unfused), (1, Mode::Fused), (3, Mode::Fused), (4, Mode::Fused)];
    let runtimes = all.map(|(devices, mode)| runtime(devices, mode));
    for seed in 0..count {
        let bits = |runtime: &Runtime| -> Vec<Vec<u64>> {
            runtime.scope(|| {
                let bits = |x: &DArray<f64>| x.to_vec().into_iter().map(f64::to_bits).collect();
                program(seed).iter().map(bits).collect()
            })
        };
        let expected = bits(&runtimes[0]);
        for (runtime, (devices, _)) in runtimes.iter().zip(all).skip(1) {
            assert_eq!(bits(runtime), expected, "seed {seed} on {devices} devices");
        }
    }
    for runtime in &runtimes[1..] {
        let inlined = runtime.stats().tasks_inlined;
        println!("{inlined} tasks are computed where they are read, in {count} programs");
        assert!(2 * inlined > count, "{inlined}");
    }
}

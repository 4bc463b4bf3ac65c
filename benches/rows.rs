//! Folds of rows of middle length, of an array in the second-level cache and of one in memory, and operations on many short rows
//! and on cubes of them.
//!
//! `cargo bench -p darray-benches --bench rows [-- WORD]`, pinned to one core for quiet numbers; with a word, only
//! what has it in its name. Settings come from the environment (`DARRAY_CPU_JIT=avx2`, say), but the thread is one.

use darray::{DArray, NewAxis, Runtime, default_rng, s};
use darray_benches::stream::{Pattern, bandwidth};
use darray_benches::timing::median;
use std::time::Instant;

/// Elements of the arrays, about: half a mebibyte, and as much as no cache holds for one core.
const SIZES: [(&str, usize); 2] = [("cache", 1 << 16), ("memory", 1 << 25)];

/// Elements of their rows.
const LENGTHS: [usize; 7] = [33, 64, 100, 128, 340, 1000, 5000];

/// Rounds, in each of which every fold is taken for about so many elements.
const ROUNDS: usize = 15;
const ELEMENTS: usize = 1 << 24;

type Fold = (&'static str, fn(&DArray<f64>) -> DArray<f64>);

const FOLDS: [Fold; 6] = [
    ("rows", |a| a.sum(1)),
    ("all", |a| a.sum(..)),
    ("maxima", |a| a.max(1)),
    ("squares", |a| (a * a).sum(1)),
    ("products", |a| (a * a.slice(s![0, ..])).sum(1)),
    ("backwards", |a| a.slice(s![.., ..;-1]).sum(1)),
];

/// Rows and columns of matrices `m` of many short rows. `v` has an element for each row, `w` for each column.
const SHORT: [[usize; 2]; 6] =
    [[30_000, 5], [10_000, 10], [10_000, 30], [1000, 100], [1000, 1000], [3_000_000, 10]];

type Operation = (&'static str, fn([&DArray<f64>; 3]) -> DArray<f64>);

const OPERATIONS: [Operation; 7] = [
    ("m + v[:, None]", |[m, v, _]| m + v),
    ("m + w", |[m, _, w]| m + w),
    ("(m - w) * v[:, None]", |[m, v, w]| (m - w) * v),
    ("exp(m - w) * v[:, None]", |[m, v, w]| (m - w).exp() * v),
    ("v[:, None] * w", |[_, v, w]| v * w),
    ("m[:, 1:-1].copy()", |[m, _, _]| m.slice(s![.., 1..-1]).copy()),
    ("m.sum()", |[m, _, _]| m.sum(..)),
];

/// Extents of cubes `c` of few short rows a plane, and of images with channels. `x` has a row for each plane, `y` is a plane.
const CUBES: [[usize; 3]; 5] =
    [[125_000, 2, 4], [31_250, 4, 8], [2_000_000, 2, 4], [512, 512, 3], [4000, 4000, 3]];

const OF_CUBES: [Operation; 4] = [
    ("x[:, None] - y", |[_, x, y]| x.slice(s![.., NewAxis, ..]) - y),
    ("c[:, ::-1] + 1", |[c, _, _]| c.flip(1) + 1.0),
    ("c[:, ::-1].copy()", |[c, _, _]| c.flip(1).copy()),
    ("c.transpose(1, 0, 2).copy()", |[c, _, _]| c.transpose([1, 0, 2]).copy()),
];

fn main() {
    let word = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let settings = Runtime::builder_from_env().expect("settings");
    let runtime = settings.threads(1).build().expect("a CPU runtime");
    runtime.scope(|| {
        for (place, size) in SIZES {
            let limit = 8e9 / bandwidth(Pattern::Read, 8 * size, 1, 1.0).bytes_per_s;
            println!("{place}: read {limit:.3} ns");
            for length in LENGTHS {
                let a: DArray<f64> = default_rng(7).random([size / length, length]);
                for (name, fold) in FOLDS {
                    let name = format!("{place} {length}: {name}");
                    if word.as_ref().is_none_or(|word| name.contains(word)) {
                        let spent = time(&runtime, a.len(), || fold(&a));
                        println!("{name:30} {spent:6.3} ns  {:4.0} %", 100.0 * limit / spent);
                    }
                }
            }
        }
        for [rows, columns] in SHORT {
            let mut draws = default_rng(7);
            let [m, v, w] = [[rows, columns], [rows, 1], [1, columns]].map(|s| draws.random(s));
            for (name, operation) in OPERATIONS {
                let name = format!("{rows} x {columns}: {name}");
                if word.as_ref().is_none_or(|word| name.contains(word)) {
                    let spent = time(&runtime, m.len(), || operation([&m, &v, &w]));
                    println!("{name:42} {spent:6.3} ns");
                }
            }
        }
        for [planes, rows, columns] in CUBES {
            let mut draws = default_rng(7);
            let c = draws.random((planes, rows, columns));
            let [x, y] = [planes, rows].map(|rows| draws.random((rows, columns)));
            for (name, operation) in OF_CUBES {
                let name = format!("{planes} x {rows} x {columns}: {name}");
                if word.as_ref().is_none_or(|word| name.contains(word)) {
                    let spent = time(&runtime, c.len(), || operation([&c, &x, &y]));
                    println!("{name:42} {spent:6.3} ns");
                }
            }
        }
    });
}

/// Nanoseconds per element, of which there are so many.
fn time(runtime: &Runtime, elements: usize, operation: impl Fn() -> DArray<f64>) -> f64 {
    let count = (ELEMENTS / elements).max(1);
    let round = || {
        runtime.sync();
        let start = Instant::now();
        for _ in 0..count {
            let kept = operation();
            runtime.sync();
            drop(kept);
        }
        start.elapsed().as_secs_f64() * 1e9 / (count * elements) as f64
    };
    round();
    median(&(0..ROUNDS).map(|_| round()).collect::<Vec<_>>())
}

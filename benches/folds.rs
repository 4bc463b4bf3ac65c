//! Sums of an array in every direction, as parts of the bandwidth at which the same memory is read.
//!
//! `cargo bench -p darray-benches --bench folds [-- WORD]`, pinned to one core for quiet numbers; with a word, only
//! what has it in its name.

use darray::{DArray, Runtime, default_rng};
use darray_benches::stream::{Pattern, bandwidth};
use darray_benches::timing::median;
use std::time::Instant;

/// Rows and columns of the matrix.
const SIDE: usize = 6000;

/// Extents of the cube.
const CUBE: [usize; 3] = [300, 350, 340];

/// Rounds, in each of which every sum is taken once.
const ROUNDS: usize = 9;

type Sum = (&'static str, fn(&DArray<f64>) -> DArray<f64>);

const OF_MATRIX: [Sum; 9] = [
    ("a", |a| a.sum()),
    ("rows", |a| a.sum_axis(1)),
    ("columns", |a| a.sum_axis(0)),
    ("a.t()", |a| a.t().sum()),
    ("rows of a.t()", |a| a.t().sum_axis(1)),
    ("columns of a.t()", |a| a.t().sum_axis(0)),
    ("a, backwards", |a| a.flip(..).sum()),
    ("maxima, rows of a.t()", |a| a.t().max_axis(1)),
    ("means, rows of a.t()", |a| a.t().mean_axis(1)),
];

const OF_CUBE: [Sum; 10] = [
    ("axis 0", |a| a.sum_axis(0)),
    ("axis 1", |a| a.sum_axis(1)),
    ("axis 2", |a| a.sum_axis(2)),
    ("axes 0, 1", |a| a.sum_axis([0, 1])),
    ("axes 0, 2", |a| a.sum_axis([0, 2])),
    ("axes 1, 2", |a| a.sum_axis([1, 2])),
    ("axis 2, axes reversed", |a| a.t().sum_axis(2)),
    ("axis 1, axes reversed", |a| a.t().sum_axis(1)),
    ("axis 2 of order 0, 2, 1", |a| a.permute(&[0, 2, 1]).sum_axis(2)),
    ("means, axis 1 of order 2, 0, 1", |a| a.permute(&[2, 0, 1]).mean_axis(1)),
];

/// Extents of a matrix with short rows.
const NARROW: [usize; 2] = [4_000_000, 4];

const OF_NARROW: [Sum; 4] = [
    ("all, short rows", |a| a.sum()),
    ("short rows", |a| a.sum_axis(1)),
    ("columns of short rows", |a| a.sum_axis(0)),
    ("largest element, short rows", |a| a.max()),
];

fn main() {
    let word = std::env::args().skip(1).find(|arg| !arg.starts_with('-'));
    let runtime = Runtime::builder().threads(1).build().expect("a CPU runtime");
    runtime.scope(|| {
        let arrays =
            [(&[SIDE, SIDE][..], &OF_MATRIX[..]), (&CUBE, &OF_CUBE), (&NARROW, &OF_NARROW)];
        for (shape, sums) in arrays {
            let read = bandwidth(Pattern::Read, 8 * shape.iter().product::<usize>(), 1, 1.0);
            println!("{shape:?}: read {:.3} ns ({})", 8e9 / read.bytes_per_s, read.form);
            let a = default_rng(7).random(shape);
            let wanted = |(name, _): &&Sum| word.as_ref().is_none_or(|word| name.contains(word));
            report(&runtime, &a, &sums.iter().filter(wanted).collect::<Vec<_>>(), read.bytes_per_s);
        }
    });
}

/// Prints nanoseconds per element, and their part of the limit.
fn report(runtime: &Runtime, a: &DArray<f64>, sums: &[&Sum], limit: f64) {
    let mut times = vec![Vec::new(); sums.len()];
    for round in 0..=ROUNDS {
        for ((_, sum), times) in sums.iter().zip(&mut times) {
            runtime.sync();
            let start = Instant::now();
            let kept = sum(a);
            runtime.sync();
            let spent = start.elapsed().as_secs_f64();
            drop(kept);
            if round > 0 {
                times.push(spent * 1e9 / a.len() as f64);
            }
        }
    }
    for ((name, _), times) in sums.iter().zip(&times) {
        let spent = median(times);
        println!("{name:30} {spent:6.3} ns  {:4.0} %", 100.0 * 8e9 / limit / spent);
    }
}

//! The same operations in two orders, and loops whose inner length varies: what the order of statements costs.
//!
//! Of each pair the first does things in turns, the second one after the other; "ratio" is what the first takes over what the second takes.
//! Loops of varying length are beside the same with a flush each step. One thread, medians in microseconds.
//!
//! `cargo bench -p darray-benches --bench turns -- [ELEMENTS..]`

use darray::prelude::*;
use darray::{Grouping, Runtime};
use darray_benches::timing::median;
use std::time::Instant;

/// Runs that a median is of.
const RUNS: usize = 9;

/// Steps of a run.
const STEPS: usize = 10;

/// Vectors that steps work on.
type Vectors = Vec<DArray<f64>>;

/// Steps of a pair, in turns and one after the other.
type Pair = (&'static str, fn(&Vectors) -> Vectors, fn(&Vectors) -> Vectors);

const PAIRS: [Pair; 3] = [
    ("two chains", chains_in_turns, chains),
    ("staggered fields", fields_in_turns, fields),
    ("four statistics", statistics_in_turns, statistics),
];

fn main() {
    let given = std::env::args().skip(1).filter_map(|argument| argument.parse().ok());
    let given: Vec<usize> = given.collect();
    let sizes = if given.is_empty() { vec![1000, 1_000_000] } else { given };
    println!(
        "{:<18} {:>9} {:>8} {:>10} {:>10} {:>6}",
        "pair", "elements", "grouping", "in turns", "after", "ratio"
    );
    for (name, in_turns, after) in PAIRS {
        for &elements in &sizes {
            for grouping in [Grouping::Prefix, Grouping::Graph] {
                let [first, second] = times(grouping, elements, [in_turns, after]);
                println!(
                    "{name:<18} {elements:>9} {:>8} {first:>10.1} {second:>10.1} {:>6.2}",
                    grouping.name(),
                    first / second
                );
            }
        }
    }
    println!(
        "\n{:<18} {:>10} {:>10} {:>6} {:>8}",
        "sweeps a step", "windows", "flushed", "ratio", "planned"
    );
    for most in [3, 20] {
        let (windows, planned) = sweeps(most, false);
        let (flushed, _) = sweeps(most, true);
        println!(
            "{:<18} {windows:>10.1} {flushed:>10.1} {:>6.2} {planned:>8}",
            format!("1 to {most}"),
            windows / flushed
        );
    }
}

/// Microseconds of a step of each, which take turns.
fn times(grouping: Grouping, elements: usize, steps: [fn(&Vectors) -> Vectors; 2]) -> [f64; 2] {
    let runtime = Runtime::builder().threads(1).grouping(grouping).build().expect("a CPU runtime");
    runtime.scope(|| {
        let start: Vectors = (1..=4)
            .map(|k| DArray::<f64>::arange(elements) * (1e-7 * f64::from(k)) + 1.0)
            .collect();
        runtime.sync();
        let mut seconds = [Vec::new(), Vec::new()];
        for _ in 0..=RUNS {
            for (step, seconds) in steps.iter().zip(&mut seconds) {
                let begin = Instant::now();
                for _ in 0..STEPS {
                    let results = step(&start);
                    runtime.flush();
                    drop(results);
                }
                runtime.sync();
                seconds.push(begin.elapsed().as_secs_f64() / STEPS as f64 * 1e6);
            }
        }
        seconds.map(|all| median(&all[1..]))
    })
}

const LINKS: usize = 12;

fn chains_in_turns(start: &Vectors) -> Vectors {
    let (mut a, mut b) = (start[0].clone(), start[1].slice(s![1..]));
    for _ in 0..LINKS {
        a = a * 1.01 + 0.1;
        b = b * 0.99 + 0.2;
    }
    vec![a, b]
}

fn chains(start: &Vectors) -> Vectors {
    let (mut a, mut b) = (start[0].clone(), start[1].slice(s![1..]));
    for _ in 0..LINKS {
        a = a * 1.01 + 0.1;
    }
    for _ in 0..LINKS {
        b = b * 0.99 + 0.2;
    }
    vec![a, b]
}

/// Arrays of different extents, as on a staggered grid.
fn grid(start: &Vectors) -> Vectors {
    vec![start[0].clone(), start[1].slice(s![1..]), start[2].slice(s![2..])]
}

fn fields_in_turns(start: &Vectors) -> Vectors {
    let mut fields = grid(start);
    for _ in 0..LINKS {
        for field in &mut fields {
            *field = &*field * 0.5 + 0.25;
        }
    }
    fields
}

fn fields(start: &Vectors) -> Vectors {
    let mut fields = grid(start);
    for field in &mut fields {
        for _ in 0..LINKS {
            *field = &*field * 0.5 + 0.25;
        }
    }
    fields
}

/// The four statistics of an array, each of which `of` says how to take.
fn each_statistic(x: &DArray<f64>) -> [DArray<f64>; 4] {
    [x.sum(..), x.min(..), x.max(..), (x * x).sum(..)]
}

fn statistics_in_turns(start: &Vectors) -> Vectors {
    let x = &start[0];
    let scaled = |statistic: DArray<f64>| x / statistic;
    vec![scaled(x.sum(..)), scaled(x.min(..)), scaled(x.max(..)), scaled((x * x).sum(..))]
}

fn statistics(start: &Vectors) -> Vectors {
    let x = &start[0];
    each_statistic(x).into_iter().map(|statistic| x / statistic).collect()
}

/// Microseconds of a step of a loop with 1 to `most` sweeps each, and how many windows of it were planned.
fn sweeps(most: usize, flush: bool) -> (f64, u64) {
    const SIDE: usize = 64;
    let runtime = Runtime::builder().threads(1).build().expect("a CPU runtime");
    runtime.scope(|| {
        let ones = || DArray::<f64>::ones((SIDE, SIDE));
        let (p, b, mut u) = (ones(), ones(), ones());
        let mut seed = 12_345u64;
        let mut run = |steps: usize| {
            let begin = Instant::now();
            for _ in 0..steps {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                for _ in 0..1 + (seed >> 33) as usize % most {
                    sweep(&p, &b);
                }
                u = (&u * 0.99 + &p * 0.01 + 1.0).sqrt() - &p * 0.5;
                if flush {
                    runtime.flush();
                }
            }
            runtime.sync();
            begin.elapsed().as_secs_f64() / steps as f64 * 1e6
        };
        run(50);
        let before = runtime.stats().memo_misses;
        let times: Vec<f64> = (0..RUNS).map(|_| run(100)).collect();
        (median(&times), runtime.stats().memo_misses - before)
    })
}

fn sweep(p: &DArray<f64>, b: &DArray<f64>) {
    let old = p.copy();
    let across = old.slice(s![1..-1, 2..]) + old.slice(s![1..-1, ..-2]);
    let along = old.slice(s![2.., 1..-1]) + old.slice(s![..-2, 1..-1]);
    let new = (across + along) * 0.25 - b.slice(s![1..-1, 1..-1]) * 0.1;
    p.slice(s![1..-1, 1..-1]).assign(&new);
    p.slice(s![.., -1]).assign(p.slice(s![.., -2]));
    p.slice(s![0, ..]).assign(p.slice(s![1, ..]));
}

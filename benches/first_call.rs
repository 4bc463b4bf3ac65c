//! What the first call of a program costs beside the ones that follow: analysis, compilation, fresh memory.
//! Black-Scholes on 1,000,000 options, every figure from runtimes of their own; medians.
//!
//! `cargo bench -p darray-benches --bench first_call`, pinned to one core for quiet numbers.

use darray::{DArray, Runtime};
use darray_benches::timing::median;
use darray_programs::black_scholes::{RATE, VOLATILITY, black_scholes, options};
use std::time::Instant;

/// Options.
const N: usize = 1_000_000;

/// Runtimes that each figure comes from.
const RUNTIMES: usize = 9;

/// Calls after the first.
const CALLS: usize = 9;

fn main() {
    let rows = [("cold pool", false), ("warm pool", true)].map(|(name, warm)| {
        let mut figures = [Vec::new(), Vec::new()];
        for _ in 0..RUNTIMES {
            let [first, steady] = calls(warm);
            figures[0].push(first);
            figures[1].push(steady);
        }
        (name, figures)
    });
    for (name, [first, steady]) in &rows {
        let (first, steady) = (median(first), median(steady));
        println!("{name}: first {first:.3} ms, then {steady:.3} ms, {:.2} times", first / steady);
    }
}

/// Milliseconds of the first call, and the median of the others.
fn calls(warm: bool) -> [f64; 2] {
    let runtime = Runtime::builder().threads(1).build().expect("a CPU runtime");
    runtime.scope(|| {
        let (s, x, t) = options::<f64>(N);
        runtime.sync();
        if warm {
            // Another program, whose results have as many bytes and give them back.
            let others: Vec<DArray<f64>> = (0..4).map(|k| &s + f64::from(k)).collect();
            runtime.sync();
            drop(others);
            runtime.sync();
        }
        let mut times: Vec<f64> = (0..=CALLS)
            .map(|_| {
                let start = Instant::now();
                let prices = black_scholes(&s, &x, &t, RATE, VOLATILITY);
                runtime.sync();
                let spent = start.elapsed().as_secs_f64() * 1e3;
                drop(prices);
                spent
            })
            .collect();
        let first = times.remove(0);
        [first, median(&times)]
    })
}

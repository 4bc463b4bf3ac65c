//! What an operation costs beyond its arithmetic: emission, flush, launch. Medians of batches.
//!
//! `cargo bench -p darray-benches --bench overhead [-- WORD]`, pinned to one core for quiet numbers; with a word,
//! only what has it in its name.

use darray::{DArray, Runtime};
use std::hint::black_box;
use std::time::Instant;

/// Median nanoseconds of `batches` runs of `f`, divided by `per`.
fn median(batches: usize, per: usize, mut f: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..batches)
        .map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_nanos() as f64 / per as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[batches / 2]
}

/// Runs and prints what is measured, where its name has the word that was asked for.
struct Report {
    only: Option<String>,
}

impl Report {
    fn measure(&self, name: &str, bound: f64, measure: impl FnOnce() -> f64) {
        if self.only.as_ref().is_none_or(|only| name.contains(only)) {
            println!("{name:<56} {:>9.0} ns   (bound {bound:.0})", measure());
        }
    }
}

/// 50 operations, each on the result of the one before.
fn chain(a: &DArray<f64>, b: &DArray<f64>) -> DArray<f64> {
    let mut c = a + b;
    for _ in 0..24 {
        c = &c * b;
        c = &c + a;
    }
    &c - b
}

fn main() {
    // `cargo bench` itself passes `--bench`.
    let report = Report { only: std::env::args().skip(1).find(|word| !word.starts_with('-')) };
    let runtime = Runtime::builder().threads(1).window(64).build().expect("a CPU runtime");
    runtime.scope(|| {
        let a = DArray::<f64>::ones(1000);
        let b = DArray::<f64>::ones(1000);
        runtime.sync();

        report.measure("emission, per operation", 200.0, || {
            // The clock stops before the flush: 50 operations fit the window.
            let mut times: Vec<f64> = (0..2000)
                .map(|_| {
                    let start = Instant::now();
                    let c = chain(&a, &b);
                    let time = start.elapsed().as_nanos() as f64 / 50.0;
                    runtime.flush();
                    black_box(&c);
                    time
                })
                .collect();
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        report.measure("chain of 50 on 1,000 elements, per operation", 300.0, || {
            median(2000, 50, || {
                let c = chain(&a, &b);
                runtime.flush();
                black_box(&c);
            })
        });
        let one = DArray::<f64>::ones(1);
        report.measure("chain of 50 on 1 element, per operation", 300.0, || {
            median(2000, 50, || {
                let c = chain(&one, &one);
                runtime.flush();
                black_box(&c);
            })
        });
        report.measure("c = &a + &b on 1,000 elements with flush", 2000.0, || {
            median(200, 100, || {
                for _ in 0..100 {
                    let c = &a + &b;
                    runtime.flush();
                    black_box(&c);
                }
            })
        });
        report.measure("a.dot(&b).item() on 1,000 elements", 3000.0, || {
            median(200, 100, || {
                for _ in 0..100 {
                    black_box(a.dot(&b).item());
                }
            })
        });
    });
}

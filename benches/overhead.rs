//! What an operation costs beyond its arithmetic: emission, flush, launch. Medians of batches.
//!
//! `cargo bench -p darray --bench overhead`, pinned to one core for quiet numbers.

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

fn report(name: &str, nanoseconds: f64, bound: f64) {
    println!("{name:<56} {nanoseconds:>9.0} ns   (bound {bound:.0})");
}

fn main() {
    let runtime = Runtime::builder().threads(1).window(64).build().expect("a CPU runtime");
    runtime.scope(|| {
        let a = DArray::<f64>::ones(1000);
        let b = DArray::<f64>::ones(1000);
        runtime.sync();

        // Emission alone: the clock stops before the flush. 50 operations fit the window.
        let mut emission = Vec::new();
        for _ in 0..2000 {
            let start = Instant::now();
            let mut c = &a + &b;
            for _ in 0..24 {
                c = &c * &b;
                c = &c + &a;
            }
            emission.push(start.elapsed().as_nanos() as f64 / 49.0);
            runtime.flush();
            black_box(&c);
        }
        emission.sort_by(f64::total_cmp);
        report("emission, per operation", emission[1000], 1000.0);

        let chain = median(2000, 50, || {
            let mut c = &a + &b;
            for _ in 0..24 {
                c = &c * &b;
                c = &c + &a;
            }
            runtime.flush();
            black_box(&c);
        });
        report("chain of 50 on 1,000 elements, per operation", chain, 1000.0);

        let single = median(200, 100, || {
            for _ in 0..100 {
                let c = &a + &b;
                runtime.flush();
                black_box(&c);
            }
        });
        report("c = &a + &b on 1,000 elements with flush", single, 5000.0);

        let dot = median(200, 100, || {
            for _ in 0..100 {
                black_box(a.dot(&b).item());
            }
        });
        report("a.dot(&b).item() on 1,000 elements", dot, 10000.0);
    });
}

//! Kernels by rows allocated all that their nests write for all iterations of a loop that one window held.

use darray::prelude::*;
use darray::{Mode, Runtime};

fn normalised(x: &DArray<f64>) -> DArray<f64> {
    let mean = x.mean_axis(keepdims(1));
    let variance = x.var_axis(keepdims(1));
    (x - mean) / (variance + 1e-5).sqrt()
}

fn softmax(x: &DArray<f64>) -> DArray<f64> {
    let e = (x - x.max_axis(keepdims(1))).exp();
    let sum = e.sum_axis(keepdims(1));
    e / sum
}

fn peak(mode: Mode, body: fn(&DArray<f64>) -> DArray<f64>) -> (u64, u64, f64) {
    let runtime =
        Runtime::builder().mode(mode).cpu_devices(1).memory_limit(400 << 20).build().unwrap();
    runtime.scope(|| {
        let mut x = (DArray::<f64>::arange(1 << 20) * 0.37).sin().reshape((1024, 1024)).clone();
        for _ in 0..100 {
            x = body(&x);
        }
        let sum = (&x * &x).sum().item();
        let stats = runtime.stats();
        (stats.bytes_peak, stats.fallbacks_memory, sum)
    })
}

#[test]
fn loops_need_fused_what_they_need_unfused() {
    for body in [normalised as fn(&_) -> _, softmax, |x| x / x.sum_axis(keepdims(1))] {
        let unfused = peak(Mode::Unfused, body);
        println!("unfused {unfused:?}");
        let fused = peak(Mode::Fused, body);
        println!("unfused {unfused:?} fused {fused:?}");
    }
}

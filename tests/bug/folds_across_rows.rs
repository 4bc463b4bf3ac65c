//! A transposed copy in one loop with a sum of its rows took longer than the two loops, and so did what short rows of a sum
//! stored.

use darray::prelude::*;
use darray::{Mode, Runtime, Stats};

fn iterated(shape: [usize; 2], mode: Mode, body: fn(&DArray<f64>) -> DArray<f64>) -> (u64, Stats) {
    let runtime = Runtime::builder().mode(mode).cpu_devices(1).build().unwrap();
    runtime.scope(|| {
        let mut x: DArray<f64> = 0.5 + default_rng(3).random(shape);
        (0..20).for_each(|_| x = body(&x));
        (x.sum(..).item().to_bits(), runtime.stats())
    })
}

#[test]
fn folds_stand_apart_from_what_lies_across_their_rows() {
    let body: fn(&DArray<f64>) -> DArray<f64> = |x| {
        let turned = x.t().copy();
        &turned / turned.sum(..)
    };
    let (expected, _) = iterated([100, 100], Mode::Unfused, body);
    let (found, stats) = iterated([100, 100], Mode::Fused, body);
    assert_eq!(found, expected);
    assert!(stats.stops.across() >= 19, "{:?}", stats.stops);
}

#[test]
fn folds_of_short_rows_stand_apart_from_what_is_stored() {
    let body: fn(&DArray<f64>) -> DArray<f64> = |x| {
        let y = x * 0.5;
        let sum = y.sum(axis(0).keepdims());
        let rows = y.sum(axis(1).keepdims());
        y / (1.0 + sum) + rows
    };
    let (expected, _) = iterated([3000, 8], Mode::Unfused, body);
    let (found, stats) = iterated([3000, 8], Mode::Fused, body);
    assert_eq!(found, expected);
    assert!(stats.stops.short_rows() > 0, "{:?}", stats.stops);
}

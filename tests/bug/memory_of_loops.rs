//! Kernels by rows allocated all that their nests write, for all iterations of a loop that one window held; and memory that
//! only tasks used which nobody needs was there until the kernel had run.

use darray::prelude::*;
use darray::{Mode, Runtime, Stats};

type Body = fn(&DArray<f64>) -> DArray<f64>;

const BODIES: [Body; 3] = [
    |x| {
        let (mean, variance) = (x.mean(axis(1).keepdims()), x.var(axis(1).keepdims()));
        (x - mean) / (variance + 1e-5).sqrt()
    },
    |x| {
        let e = (x - x.max(axis(1).keepdims())).exp();
        let sum = e.sum(axis(1).keepdims());
        e / sum
    },
    |x| x / x.sum(axis(1).keepdims()),
];

/// What a loop without a flush comes to, and what it took.
fn iterated(body: Body, shape: [usize; 2], mode: Mode, limit: Option<u64>) -> (u64, Stats) {
    let builder = Runtime::builder().mode(mode).cpu_devices(1);
    let builder = limit.into_iter().fold(builder, |builder, limit| builder.memory_limit(limit));
    let runtime = builder.build().unwrap();
    runtime.scope(|| {
        let mut x: DArray<f64> = 0.5 + default_rng(3).random(shape);
        for _ in 0..120 {
            x = body(&x);
        }
        let sum = (&x * &x).sum(..).item();
        (sum.to_bits(), runtime.stats())
    })
}

#[test]
fn loops_need_fused_what_they_need_unfused() {
    for (number, body) in BODIES.into_iter().enumerate() {
        let shape = [700, 1100];
        let (expected, unfused) = iterated(body, shape, Mode::Unfused, None);
        let (found, fused) = iterated(body, shape, Mode::Fused, None);
        let (needs, takes) = (unfused.bytes_peak, fused.bytes_peak);
        assert_eq!(found, expected, "body {number}");
        assert!(takes <= needs + needs / 20, "body {number}: {takes} fused, {needs} unfused");
        let (found, _) = iterated(body, shape, Mode::Fused, Some(needs + needs / 10));
        assert_eq!(found, expected, "body {number} with little memory");
    }
}

#[test]
fn groups_that_do_not_fit_are_cut() {
    for (number, body) in BODIES.into_iter().enumerate() {
        // A kernel may hold a mebibyte more than its tasks, which are a few hundred kilobytes.
        let shape = [10, 1100];
        let (expected, unfused) = iterated(body, shape, Mode::Unfused, None);
        let limit = unfused.bytes_peak + unfused.bytes_peak / 10;
        let (found, fused) = iterated(body, shape, Mode::Fused, Some(limit));
        assert_eq!(found, expected, "body {number}");
        assert!(
            fused.fallbacks_memory > 0 && fused.bytes_peak <= limit,
            "body {number}: {fused:?}"
        );
    }
}

#[test]
fn what_only_unneeded_tasks_use_makes_room() {
    let peak = |mode| {
        let runtime = Runtime::builder().mode(mode).cpu_devices(1).build().unwrap();
        runtime.scope(|| {
            let x: DArray<f64> = default_rng(3).random(1 << 18);
            let y: DArray<f64> = &x + 1.0;
            runtime.flush();
            // What y comes to here nobody asks for.
            let unneeded = y * 2.0;
            let more = [1.0, 2.0, 3.0].map(|number| &x + number);
            drop(unneeded);
            runtime.sync();
            drop(more);
            runtime.stats().bytes_peak
        })
    };
    assert_eq!(peak(Mode::Fused), (4 * 8) << 18, "x and what is asked for");
    assert_eq!(peak(Mode::Unfused), (4 * 8) << 18);
}

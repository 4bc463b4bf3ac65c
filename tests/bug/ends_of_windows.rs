//! Windows of a loop ended in the middle of a statement, where the array that it replaces is held beside the new one: fused
//! at another place than unfused, so fused loops held an array or two more, and did not run with the memory of unfused ones.

use darray::prelude::*;
use darray::{Mode, Runtime, Stats};

type Body = fn(&mut [DArray<f64>]);

fn softmax(x: &mut [DArray<f64>]) {
    {
        let q = x[1].alias();
        let _unused = q.sum(..);
        let e = (-q.abs()).exp();
        x[0] = &e / e.sum(axis(0).keepdims()) + 0.1;
    }
    let q = x[1].alias();
    let s = q.max(axis(1).keepdims());
    x[0] = &x[0] - 0.1 * s.tanh();
}

fn norms(x: &mut [DArray<f64>]) {
    {
        let q = x[1].alias();
        let _unused = q.norm(axis(0).keepdims());
        let e = (-q.abs()).exp();
        x[0] = &e / e.sum(axis(0).keepdims()) + 0.1;
    }
    let q = x[1].alias();
    let s = q.norm(axis(1).keepdims());
    x[1] = &x[1] / (1.0 + s.abs());
}

fn run(body: Body, count: u64, shape: [usize; 2], mode: Mode, limit: Option<u64>) -> (u64, Stats) {
    let builder = Runtime::builder().mode(mode).cpu_devices(1);
    let builder = limit.into_iter().fold(builder, |builder, limit| builder.memory_limit(limit));
    let runtime = builder.build().unwrap();
    runtime.scope(|| {
        let mut arrays: Vec<DArray<f64>> =
            (0..count).map(|seed| default_rng(7 + seed).random(shape)).collect();
        (0..120).for_each(|_| body(&mut arrays));
        let sum = arrays.iter().map(|array| array.sum(..).item()).sum::<f64>();
        (sum.to_bits(), runtime.stats())
    })
}

#[test]
fn loops_hold_what_their_statements_need() {
    let programs: [(Body, _, _, _); 2] = [(softmax, 2, [40, 4000], 2), (norms, 3, [700, 700], 4)];
    for (number, (body, count, shape, arrays)) in programs.into_iter().enumerate() {
        let (expected, unfused) = run(body, count, shape, Mode::Unfused, None);
        let most = (unfused.bytes_peak * 21 / 20).max(unfused.bytes_peak + (1 << 20));
        for limit in [None, Some(most)] {
            let (found, fused) = run(body, count, shape, Mode::Fused, limit);
            assert_eq!(found, expected, "program {number}");
            let peak = fused.bytes_peak;
            assert!(peak <= most, "program {number}: {peak} of {most} bytes, {limit:?}");
        }
        let array = 8 * (shape[0] * shape[1]) as u64;
        let held = unfused.bytes_peak / array;
        assert!(held <= arrays, "program {number} holds {held} arrays");
    }
}

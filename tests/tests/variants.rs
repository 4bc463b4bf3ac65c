//! Fusion follows rules, not programs: a program and its variants (reordered, with an operation more,
//! with other constants) have the same number of fused tasks and of kernels.

use darray::{DArray, Runtime, default_rng, s};

/// Tasks, fused tasks and launches of one steady-state run of `program`.
fn counts(devices: usize, mut program: impl FnMut()) -> [u64; 3] {
    let runtime = Runtime::current();
    for _ in 0..3 {
        program();
        runtime.sync();
    }
    let before = runtime.stats();
    program();
    runtime.sync();
    let after = runtime.stats();
    assert_eq!(after.memo_misses, before.memo_misses, "a steady state on {devices} devices");
    [
        after.tasks - before.tasks,
        after.fused_tasks - before.fused_tasks,
        after.launches() - before.launches(),
    ]
}

fn on_devices(test: impl Fn(usize)) {
    for devices in [1, 4] {
        let builder = Runtime::builder().cpu_devices(devices).threads(1);
        builder.build().expect("a runtime").scope(|| test(devices));
    }
}

/// The parts of an option's price, in one of two orders, with `extra` more operations.
fn prices(s: &DArray<f64>, x: &DArray<f64>, t: &DArray<f64>, rate: f64, swap: bool, extra: usize) {
    let root = 0.3 * t.sqrt();
    let d1 =
        if swap { (rate * t + (s / x).ln()) / &root } else { ((s / x).ln() + t * rate) / &root };
    let d2 = if swap { -(&root - &d1) } else { &d1 - &root };
    let normal = |d: &DArray<f64>| {
        let k = 1.0 / (1.0 + 0.25 * d.abs());
        let tail = (-0.5 * d * d).exp() * (&k * (0.3 + &k * 0.7));
        d.gt(0.0).select(1.0 - &tail, &tail)
    };
    let mut call = s * normal(&d1) - x * normal(&d2);
    for i in 0..extra {
        call += i as f64;
    }
    call.runtime().flush();
}

#[test]
fn variants_of_a_chain_of_operations_are_one_kernel() {
    on_devices(|devices| {
        let mut random = default_rng(1);
        let mut draw = || random.random(5000) + 0.5;
        let (s, x, t) = (draw(), draw(), draw());
        let variants = [(0.02, false, 0), (0.05, false, 0), (0.02, true, 0), (0.02, false, 1)];
        for (rate, swap, extra) in variants {
            let [tasks, fused, launches] =
                counts(devices, || prices(&s, &x, &t, rate, swap, extra));
            assert!(tasks > 30, "{tasks} tasks");
            assert_eq!([fused, launches], [1, devices as u64], "{rate} {swap} {extra}");
        }
    });
}

#[test]
fn variants_of_a_stencil_are_a_sum_and_an_assignment() {
    let step = |grid: &DArray<f64>, weight: f64, variant: usize| {
        let center = grid.slice(s![1..-1, 1..-1]);
        let north = grid.slice(s![..-2, 1..-1]);
        let south = grid.slice(s![2.., 1..-1]);
        let west = grid.slice(s![1..-1, ..-2]);
        let east = grid.slice(s![1..-1, 2..]);
        let work = match variant {
            0 => weight * (&center + &north + &east + &west + &south),
            1 => weight * (&south + &west + &center + &north + &east),
            _ => weight * (&center + &north + &east + &west + &south) + 1.0,
        };
        center.assign(&work);
    };
    on_devices(|devices| {
        for (weight, variant) in [(0.2, 0), (0.25, 0), (0.2, 1), (0.2, 2)] {
            let grid = DArray::<f64>::ones((66, 66));
            let [_, fused, launches] = counts(devices, || step(&grid, weight, variant));
            assert_eq!([fused, launches], [2, 2 * devices as u64], "{weight} {variant}");
        }
    });
}

#[test]
fn variants_of_an_iteration_with_sums_have_the_same_groups() {
    let step = |x: &mut DArray<f64>, r: &mut DArray<f64>, variant: usize| {
        let scale = if variant == 1 { 0.75 } else { 0.5 };
        // 0-d work before the updates: the prefix is greedy, so its place among them matters.
        let alpha = (&*r * &*r).sum() / (&*x * &*r).sum();
        let beta = scale * &alpha;
        let (next_x, next_r) = match variant {
            2 => {
                let next_r = &*r - &beta * &*x;
                (&*x + &alpha * &*r, next_r)
            }
            3 => (&*x + &alpha * &*r + 1.0, &*r - &beta * &*x),
            _ => (&*x + &alpha * &*r, &*r - &beta * &*x),
        };
        (*x, *r) = (next_x, next_r);
    };
    on_devices(|devices| {
        let found: Vec<[u64; 2]> = (0..4)
            .map(|variant| {
                let (mut x, mut r) = (DArray::ones(512), DArray::<f64>::ones(512) * 2.0);
                let [_, fused, launches] = counts(devices, || step(&mut x, &mut r, variant));
                [fused, launches]
            })
            .collect();
        assert!(found.iter().all(|counts| *counts == found[0]), "{found:?}");
    });
}

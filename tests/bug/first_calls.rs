//! Windows doubled whenever one had fused whole, and each size was planned anew: the first two calls of a loop of small
//! operations took ten times as long as those that followed.

use darray::{DArray, Runtime};

/// Steps of Euler's method for Lorenz's system: fourteen tasks each.
fn lorenz(steps: usize) {
    let start = || DArray::<f64>::ones(10);
    let (mut x, mut y, mut z) = (start(), start(), start());
    for _ in 0..steps {
        let dx = 10.0 * (&y - &x);
        let dy = &x * (28.0 - &z) - &y;
        let dz = &x * &y - 8.0 / 3.0 * &z;
        (x, y, z) = (&x + 0.01 * dx, &y + 0.01 * dy, &z + 0.01 * dz);
    }
    assert!(x.sum(..).item().is_finite());
}

/// Operations one behind the other, in an order without a period.
fn chain(operations: u64) {
    let mut x = DArray::<f64>::ones(10);
    for number in 1..=operations {
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(27);
        x = match mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 63 {
            0 => x + 0.5,
            _ => x * 0.5,
        };
    }
    assert!(x.sum(..).item() > 0.0);
}

/// Tasks that were planned in each of so many calls.
fn planned(runtime: &Runtime, calls: usize, call: impl Fn()) -> Vec<usize> {
    let each = |_| {
        let capture = runtime.engine().capture();
        call();
        let planned = capture.windows().into_iter().filter(|window| !window.memo_hit);
        planned.map(|window| window.window.tasks().len()).sum()
    };
    (0..calls).map(each).collect()
}

fn runtime() -> Runtime {
    Runtime::builder().cpu_devices(1).threads(1).build().expect("a runtime")
}

#[test]
fn of_a_loop_of_small_operations_few_tasks_are_planned() {
    let runtime = runtime();
    runtime.scope(|| {
        const STEPS: usize = 1000;
        let planned = planned(&runtime, 120, || lorenz(STEPS));
        // What begins, what follows, what is left.
        assert!(planned[0] <= 5 * 64, "{planned:?}");
        assert!(planned[1] <= 4 * 64, "{planned:?}");
        // A task is planned in the time of fifty that are known.
        let mut all = 0;
        for (call, tasks) in planned.iter().enumerate() {
            all += tasks;
            let ran = 14 * STEPS * (call + 1);
            assert!(50 * all <= 2 * ran, "{all} tasks planned after {ran}: {planned:?}");
        }
        // The windows have grown all the same.
        assert!(runtime.stats().largest_group > 1000 && planned[110..] == [0; 10], "{planned:?}");
    });
}

#[test]
fn what_never_repeats_in_a_call_is_planned_once() {
    let runtime = runtime();
    runtime.scope(|| {
        const OPERATIONS: u64 = 4096;
        let planned = planned(&runtime, 10, || chain(OPERATIONS));
        assert!(planned[0] >= OPERATIONS as usize, "{planned:?}");
        assert_eq!(planned[1..], [0; 9]);
        assert_eq!(runtime.stats().largest_group, 64);
    });
}

//! What was handed out as the value from before a failed update was no value that the array had had: an update before the failed one was not run,
//! since the failed one was to replace what it wrote, or one behind it had run, since it writes other elements.

use darray::task::{PointTask, Task};
use darray::testing::Testing;
use darray::{DArray, Fallible, Mode, Runtime, s};

/// An update of the first array with the second one, which has failed.
type Failing = fn(&DArray<f64>, &DArray<f64>);

#[test]
fn an_array_has_a_value_that_it_had_or_its_failure() {
    for mode in [Mode::Unfused, Mode::Fused] {
        for (devices, window) in [(1, 1), (1, 64), (2, 64)] {
            let builder = Runtime::builder().threads(1).cpu_devices(devices).window(window);
            let runtime = builder.mode(mode).build().unwrap();
            runtime.scope(|| {
                let refuse = Task::new("refuse", |_: &mut PointTask| Err("no".to_string()));
                let fail: [Failing; 5] = [
                    |f, bad| f.assign(bad),
                    |f, bad| f.flip(0).assign(bad),
                    |f, bad| f.slice(s![1..-1]).assign(bad.slice(s![1..-1])),
                    |f, bad| {
                        f.slice(s![0]).assign(bad.slice(s![0]));
                        f.slice(s![1..-1]).assign(7.0);
                    },
                    |f, bad| {
                        f.slice(s![..2]).assign(bad.slice(s![..2]));
                        f.slice(s![3..]).assign(f.slice(s![2..-1]) * 3.0);
                    },
                ];
                for (number, fail) in fail.into_iter().enumerate() {
                    let f = DArray::<f64>::full(6, 1.0);
                    runtime.sync();
                    let bad: DArray<f64> = refuse.launch().create(6);
                    let mut inside = f.slice(s![1..-1]);
                    inside += 1.0;
                    fail(&f, &bad);
                    drop(bad);
                    let what = format!("{number}, {mode:?}, {devices} devices, window {window}");
                    assert!(f.try_to_vec().is_err(), "{what}");
                    let again = f.try_to_vec();
                    let _ = runtime.try_sync();
                    let before = [1.0, 2.0, 2.0, 2.0, 2.0, 1.0];
                    assert!(
                        again.as_ref().map_or(true, |values| values[..] == before),
                        "{what}: {again:?}"
                    );
                    // Task by task nothing is lost.
                    assert!(window > 1 || again.is_ok(), "{what}: {again:?}");
                }
            });
        }
    }
}

/// Sweeps whose edges are written from a number that failed: the second buffer had the sweep, and what failed wrote behind it.
#[test]
fn a_sweep_that_was_made_is_not_undone_by_its_failed_edge() {
    for steps in [1, 3, 5] {
        let left = |mode, window| {
            let testing = Testing { largest_in_turn: Some(0), ..Testing::default() };
            let builder = Runtime::builder().threads(1).cpu_devices(1).mode(mode).window(window);
            let runtime = builder.testing(testing).build().unwrap();
            runtime.scope(|| {
                let refuse = Task::new("refuse", |_: &mut PointTask| Err("no".to_string()));
                let values = (0..58 * 58).map(|i| f64::from(i * 7 % 23)).collect();
                let f = DArray::<f64>::from_shape_vec((58, 58), values);
                let half = DArray::<f64>::full((), 0.5);
                let bad: DArray<f64> = refuse.launch().create(());
                runtime.flush();
                let c = DArray::<f64>::zeros((58, 58));
                for _ in 0..steps {
                    c.assign(&f);
                    let across = 0.5 * (c.slice(s![2.., ..-2]) + c.slice(s![1..-1, 2..]));
                    let around = across.maximum(c.slice(s![..-2, 1..-1]));
                    let around = around.maximum(f.slice(s![1..-1, ..-2]));
                    f.slice(s![1..-1, 1..-1]).assign(0.5 * (around + &half));
                    f.slice(s![0, ..]).assign(f.slice(s![1, ..]));
                    f.slice(s![0..1, 54..55]).assign(&bad);
                    f.slice(s![57, ..29]).assign(f.slice(s![56, ..29]));
                    f.slice(s![57..58, 38..39]).assign(f.slice(s![56..57, 37..38]));
                }
                drop(c);
                assert!(f.try_to_vec().is_err(), "{steps} steps, {mode:?}");
                while runtime.try_sync().is_err() {}
                f.try_to_vec()
            })
        };
        let expected = left(Mode::Unfused, 1).expect("task by task nothing is lost");
        for window in [8, 64, 600] {
            let found = left(Mode::Fused, window);
            let is_it = found.as_ref().map_or(true, |values| *values == expected);
            assert!(is_it, "{steps} steps, window {window}: another value");
        }
    }
}

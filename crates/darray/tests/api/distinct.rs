//! Distinct and greatest elements, and other functions that are made of several operations.

use crate::devices::everywhere;
use darray::{DArray, Runtime, Tolerance, default_rng, s};

#[test]
fn distinct_elements_make_up_the_array() {
    everywhere(|_| {
        let x = default_rng(1).integers(-20, 20, (30, 50)).cast::<f64>() / 4.0;
        for view in [x.clone(), x.t(), x.slice(s![..;-2, 3..])] {
            let unique = view.unique_all();
            let host = view.to_vec();
            let mut expected = host.clone();
            expected.sort_by(f64::total_cmp);
            expected.dedup();
            assert_eq!(unique.values.to_vec(), expected);
            assert_eq!(view.unique().to_vec(), expected);
            assert_eq!(unique.inverse.shape(), view.shape());
            assert_eq!(unique.values.take(&unique.inverse, ..).to_vec(), host);
            let first = |v: &f64| host.iter().position(|other| other == v).unwrap() as i64;
            assert_eq!(unique.indices.to_vec(), expected.iter().map(first).collect::<Vec<_>>());
            assert_eq!(unique.counts.to_vec(), unique.inverse.reshape(-1).bincount(0).to_vec());
        }
        let odd = DArray::from_vec(vec![f64::NAN, 0.0, -0.0, f64::NAN, -1.0]);
        let (values, counts) = odd.unique_counts();
        assert_eq!(
            (values.slice(s![..2]).to_vec(), counts.to_vec()),
            (vec![-1.0, 0.0], vec![1, 2, 2])
        );
        assert!(values.to_vec()[2].is_nan());
        assert_eq!(DArray::<i32>::zeros(0).unique_all().counts.to_vec(), [0i64; 0]);
        assert_eq!(DArray::from_vec(vec![true, false, true]).unique().to_vec(), [false, true]);
    });
}

/// Whether a bound from a sample serves or not, the elements are those of the order of all.
#[test]
fn greatest_elements_are_those_of_the_whole_order() {
    let runtime = Runtime::builder().threads(1).cpu_devices(3).build().unwrap();
    runtime.scope(|| {
        let n = 40_000;
        let random = default_rng(1).random(n);
        // A sample of every 39th element misses what is great.
        let hidden = DArray::from_fn(n, |i| if i[0] % 39 == 1 { 2.0 } else { (i[0] % 7) as f64 });
        let ties = DArray::from_fn(n, |i| (i[0] % 5) as f64);
        let nan = DArray::from_fn(n, |i| if i[0] % 9000 == 8 { f64::NAN } else { i[0] as f64 });
        for (name, x) in [("random", &random), ("hidden", &hidden), ("ties", &ties), ("NaN", &nan)]
        {
            for k in [0, 1, 30, 2500, 20_000] {
                let (values, indices) = x.topk(k);
                let order = x.argsort(-1).slice(s![..;-1]).slice(s![..k as isize]).to_vec();
                assert_eq!(indices.to_vec(), order, "{name}, {k}");
                assert_eq!(
                    format!("{:?}", values.to_vec()),
                    format!("{:?}", x.take(&indices, ..).to_vec())
                );
            }
        }
        // Few of many: one wait, and an order of few.
        runtime.sync();
        let before = runtime.stats();
        drop(random.topk(10));
        runtime.sync();
        let after = runtime.stats();
        assert_eq!(after.extents_read - before.extents_read, 1);
        drop(random.topk(20_000));
        assert_eq!(runtime.stats().extents_read, after.extents_read);
    });
    everywhere(|_| {
        let x = default_rng(2).integers(0, 50, (3, 4, 20));
        let (values, indices) = x.topk(4);
        let order = x.argsort(-1).slice(s![.., .., ..;-1]).slice(s![.., .., ..4]);
        assert_eq!(indices.to_vec(), order.to_vec());
        assert_eq!(values.to_vec(), x.take_along_axis(&order, 2).to_vec());
    });
}

#[test]
fn several_quantiles_are_of_one_sort() {
    let runtime = Runtime::builder().threads(1).build().unwrap();
    runtime.scope(|| {
        let x = default_rng(1).random((7, 300));
        runtime.sync();
        let before = runtime.stats();
        let found = x.quantile([0.1, 0.5, 0.9], 1);
        runtime.sync();
        assert_eq!(runtime.stats().builtins - before.builtins, 1);
        for (number, q) in [0.1, 0.5, 0.9].into_iter().enumerate() {
            let alone = x.quantile(q, 1).to_vec();
            assert_eq!(found.slice(s![number as isize]).to_vec(), alone);
        }
        assert_eq!(x.quantile([0f64; 0], ..).shape(), [0]);
        assert_eq!(x.quantile([0.5], ..).to_vec(), [x.quantile(0.5, ..).item()]);
        let percent = x.percentile(vec![10, 50, 90], 1);
        assert_eq!(percent.shape(), [3, 7]);
        assert_eq!(percent.slice(1).to_vec(), x.median(1).to_vec());
    });
}

#[test]
fn running_extrema_keep_nan_and_go_along_every_axis() {
    everywhere(|_| {
        let x = DArray::from_vec(vec![1.0, -2.0, 3.0, f64::NAN, 9.0]);
        assert_eq!(format!("{:?}", x.cummax(..).to_vec()), "[1.0, 1.0, 3.0, NaN, NaN]");
        assert_eq!(format!("{:?}", x.cummin(..).to_vec()), "[1.0, -2.0, -2.0, NaN, NaN]");
        let long = default_rng(1).standard_normal((3, 2000));
        for (axis, view) in [(1, long.clone()), (0, long.t())] {
            let found = view.cummax(axis);
            let mut rows = long.to_vec();
            for row in rows.chunks_mut(2000) {
                (1..2000).for_each(|k| row[k] = row[k].max(row[k - 1]));
            }
            let found = if axis == 1 { found } else { found.t() };
            assert_eq!(found.to_vec(), rows);
        }
        assert_eq!(DArray::from_vec(vec![3u16, 1, 4]).cummax(..).to_vec(), [3, 3, 4]);
        assert_eq!(
            DArray::from_vec(vec![false, true, false]).cummax(..).to_vec(),
            [false, true, true]
        );
    });
}

#[test]
fn nearly_equal_is_as_in_numpy() {
    everywhere(|_| {
        let infinite = [1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.0];
        let x = DArray::from_vec(infinite.to_vec());
        assert_eq!(x.isclose(&x).to_vec(), [true, true, true, false, true]);
        let same = Tolerance { equal_nan: true, ..Tolerance::default() };
        assert!(x.allclose_within(&x, same).item());
        assert_eq!(x.isclose(&-&x).to_vec(), [false, false, false, false, true]);
        let whole = DArray::<i64>::arange(3);
        assert!(whole.allclose(&(whole.cast::<f64>() + 1e-9)).item());
        assert!(!x.array_equal(&x).item() && whole.array_equal(&whole.cast::<u8>()).item());
        assert!(!whole.array_equal(&whole.reshape((3, 1))).item());
        assert!(DArray::<f64>::zeros(0).allclose(&DArray::<f64>::zeros(0)).item());
    });
}

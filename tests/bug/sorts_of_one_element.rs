//! Working memory of sorts along an axis of one element was kept and never used again: all later sorts of the process searched and
//! summed what was kept.
#![cfg(target_os = "linux")]

use darray::{DArray, Fallible, Runtime};
use darray_cpu::kept_scratch;
use darray_suite::{alone, resident};
use darray_testkit::faulty_cpus;

#[test]
fn scratch_of_small_sorts_is_used_again() {
    alone("sorts_of_one_element::scratch_of_small_sorts_is_used_again", "true", || {
        let runtime = Runtime::builder().threads(1).build().unwrap();
        let _entered = runtime.enter();
        let mut kept = Vec::new();
        for _ in 0..3 {
            for rows in 1..100 {
                let x = DArray::<f64>::ones((rows, 1));
                x.sort(1).to_vec();
                x.cast::<u8>().argsort(1).to_vec();
            }
            kept.push(kept_scratch());
        }
        let (count, bytes) = kept[0];
        assert!(count <= 8 && bytes <= 8 * 4096, "{kept:?}");
        assert!(kept.iter().all(|each| *each == kept[0]), "{kept:?}");
    });
}

/// Calls every builtin, at this size. Whether all went well.
fn builtins(n: usize) -> bool {
    let numbers = DArray::<i64>::arange(n);
    let x = 1.0 - numbers.cast::<f64>() / 7.0;
    let square = x.reshape((n, 1)) - &x;
    let indices = numbers.zeros_like();
    let mut all = Vec::new();
    let mut read = |result: darray::Result<DArray<f64>>| {
        all.push(result.and_then(|array| array.try_to_vec()).is_ok());
    };
    read(x.try_sort(-1));
    read(x.try_argsort(-1).map(|order| order.cast()));
    for axis in [0, 1] {
        read(square.try_sort(axis));
        read(square.cast::<u8>().try_argsort(axis).map(|order| order.cast()));
        read(square.try_cumsum(axis));
        read(square.try_sum(axis));
        read(square.try_take(&indices, axis));
    }
    read(x.try_cumsum(0));
    read(x.try_sum(0));
    read(square.try_matmul(&square));
    let target = x.clone();
    read(target.try_put(&indices, 1.0).map(|()| target));
    all.into_iter().all(|fine| fine)
}

#[test]
fn every_pool_reaches_a_fixed_size() {
    alone("sorts_of_one_element::every_pool_reaches_a_fixed_size", "true", || {
        let faulty = faulty_cpus(2);
        let devices = faulty.devices();
        let runtime = Runtime::builder().devices(devices.clone()).build().unwrap();
        let _entered = runtime.enter();
        let all = ["gather", "matmul", "merge", "reduce_finish", "scan", "scatter", "sort"];
        for builtin in all {
            faulty.fail(builtin, "on demand");
            assert!(!builtins(100), "{builtin} was not called");
            let _ = runtime.try_sync();
        }
        faulty.repair();
        let mut sizes = Vec::new();
        for _ in 0..4 {
            (0..=100).for_each(|n| assert!(builtins(n), "{n}"));
            let pooled: u64 = devices.iter().map(|d| d.stats().bytes_pooled).sum();
            let stats = runtime.stats();
            let runtime = [stats.memo_entries, stats.codes, stats.in_flight];
            sizes.push((kept_scratch(), pooled, runtime, resident()));
        }
        let [_, first, _, last] = &sizes[..] else { unreachable!() };
        assert_eq!((first.0, first.1, first.2), (last.0, last.1, last.2), "{sizes:?}");
        assert!(first.0.0 < 32, "{sizes:?}");
        assert!(last.1 <= 2 * (25 << 20), "a slab of each length for each device: {sizes:?}");
        assert!(last.3 < first.3 + (2 << 20), "{sizes:?}");
    });
}

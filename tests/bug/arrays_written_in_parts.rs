//! Arrays that are written in parts are not cleared first. A store that was used again kept that from the array before it; and where a part
//! failed, what nothing had written was given out as the value from before.

use darray::testing::Testing;
use darray::{DArray, Fallible, Mode, Runtime, s};

#[test]
fn an_empty_array_in_the_store_of_one_that_nobody_needed_is_clear() {
    for mode in [Mode::Unfused, Mode::Fused] {
        let runtime = Runtime::builder().threads(1).window(600).mode(mode).build().unwrap();
        let sums: Vec<f64> = runtime.scope(|| {
            let a = DArray::<f64>::ones(10);
            let full: Vec<_> = (0..8).map(|_| DArray::<f64>::full(100_000, 7.0)).collect();
            runtime.sync();
            (0..6).for_each(|_| drop(DArray::<f64>::concatenate([&a, &a], 0)));
            runtime.sync();
            drop(full);
            runtime.sync();
            let empty: Vec<_> = (0..6).map(|_| DArray::<f64>::empty(100_000)).collect();
            empty.iter().for_each(|empty| empty.slice(s![..10]).assign(1.0));
            empty.iter().map(|empty| empty.sum(..).item()).collect()
        });
        assert_eq!(sums, [10.0; 6], "{mode:?}");
    }
}

#[test]
fn an_array_with_a_failed_part_has_no_value_from_before() {
    let builder = Runtime::builder().threads(1).window(600).memory_limit(3_000_000);
    let runtime = builder.build().unwrap();
    runtime.scope(|| {
        let a = DArray::<f64>::ones(10_000);
        let full = DArray::<f64>::full(120_000, 7.0);
        runtime.sync();
        drop(full);
        runtime.sync();
        let large = DArray::<f64>::arange(1_000_000).sort(-1).slice(s![..100_000]).copy();
        let joined = DArray::<f64>::concatenate([&a, &large], 0);
        assert!(joined.try_to_vec().is_err());
        assert!(joined.try_to_vec().is_err(), "the failure stays");
        // One that is whole keeps its value when an update fails.
        let whole = DArray::<f64>::concatenate([&a, &a], 0);
        assert_eq!(whole.sum(..).item(), 20_000.0);
        let bad = DArray::<f64>::arange(1_000_000).sort(-1).slice(s![..20_000]).copy();
        whole.assign(&bad);
        assert!(whole.try_to_vec().is_err());
        assert_eq!(whole.try_to_vec().unwrap(), vec![1.0; 20_000]);
    });
}

/// An update fails that goes to the second buffer; the next one, which reads nothing of the array, has run when what is copied behind it fails.
#[test]
fn a_value_from_before_is_no_mixture() {
    for mode in [Mode::Unfused, Mode::Fused] {
        let testing = Testing { largest_in_turn: Some(0), ..Testing::default() };
        let builder = Runtime::builder().threads(1).window(600).mode(mode).testing(testing);
        let runtime = builder.memory_limit(6_000_000).build().unwrap();
        runtime.scope(|| {
            let n = 200;
            let p = DArray::<f64>::full((n, n), 3.0);
            let b = DArray::<f64>::full((n - 2, n - 2), 5.0);
            runtime.sync();
            let large = DArray::<f64>::arange(1_000_000).sort(-1);
            let bad = large.slice(s![..198 * 198]).reshape((198, 198)).copy();
            let step = |factor: &DArray<f64>| {
                let pn = p.copy();
                let beside = pn.slice(s![..-2, 1..-1]) + pn.slice(s![2.., 1..-1]);
                p.slice(s![1..-1, 1..-1]).assign(beside * factor);
                p.slice(s![.., 0]).assign(p.slice(s![.., 1]));
            };
            step(&bad);
            let q = p.slice(s![1..-1, 1..-1]) * 2.0;
            p.slice(s![1..-1, 1..-1]).assign(&b);
            (0..6).for_each(|_| step(&DArray::full((n - 2, n - 2), 0.5)));
            assert!(p.try_to_vec().is_err() && q.try_to_vec().is_err(), "{mode:?}");
            if let Ok(values) = p.try_to_vec() {
                assert_eq!(values, vec![3.0; n * n], "{mode:?}");
            }
        });
    }
}

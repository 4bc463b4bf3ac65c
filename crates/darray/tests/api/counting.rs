//! Counts by keys and bins, places in sorted arrays, and additions by indices.

use crate::devices::everywhere;
use darray::{Bins, DArray, ErrorKind, Fallible, Runtime, default_rng, s};

/// Sums in the order of the elements, as a loop makes them.
fn sums(keys: &[i64], weights: &[f64], start: &[f64]) -> Vec<f64> {
    let mut sums = start.to_vec();
    keys.iter().zip(weights).for_each(|(&key, weight)| sums[key as usize] += weight);
    sums
}

#[test]
fn sums_have_the_bits_of_a_loop_over_the_elements() {
    everywhere(|_| {
        for (count, places) in [(9000, 7), (9000, 2000), (5, 3), (1, 1)] {
            let keys = default_rng(2).integers(0, places, count);
            let weights = default_rng(3).standard_normal(count);
            let mut zeros = vec![0.0; places as usize];
            let expected = sums(&keys.to_vec(), &weights.to_vec(), &zeros);
            let found = keys.bincount_weighted(&weights, places as usize).to_vec();
            assert_eq!(found, expected, "{count} of {places}");
            zeros.fill(0.1);
            let target = DArray::from_vec(zeros.clone());
            target.add_at(&(&keys - places), &weights);
            assert_eq!(target.to_vec(), sums(&keys.to_vec(), &weights.to_vec(), &zeros));
            let counts = keys.bincount(0);
            assert_eq!(counts.sum(..).item(), count as i64);
            let ones = vec![1.0; count];
            let whole = sums(&keys.to_vec(), &ones, &vec![0.0; counts.len()]);
            assert_eq!(counts.cast::<f64>().to_vec(), whole);
        }
    });
}

/// Threads that share the elements, in tables of their own, or each with its own places.
#[test]
fn sums_have_the_same_bits_on_any_number_of_threads_and_devices() {
    let run = |threads, devices| {
        let runtime =
            Runtime::builder().threads(threads).cpu_devices(devices).build().expect("a runtime");
        runtime.scope(|| {
            let keys = default_rng(2).integers(0, 300, 200_000);
            let weights = default_rng(3).standard_normal(200_000);
            let (counts, sums) = (keys.bincount(0), keys.bincount_weighted(&weights, 0));
            let (bins, edges) = weights.histogram(40);
            let halves = DArray::<f32>::zeros((300, 3));
            halves.add_at(&keys, weights.cast::<f32>().reshape((-1, 1)));
            (counts.to_vec(), sums.to_vec(), bins.to_vec(), edges.to_vec(), halves.to_vec())
        })
    };
    let one = run(1, 1);
    for (threads, devices) in [(2, 1), (5, 1), (1, 3), (4, 2)] {
        assert!(run(threads, devices) == one, "{threads} threads, {devices} devices");
    }
}

#[test]
fn add_at_writes_through_views_and_broadcasts() {
    everywhere(|_| {
        let grid = DArray::<i64>::zeros((3, 4));
        let view = grid.t().slice(s![..;2, ..]);
        view.add_at(
            &DArray::from_vec(vec![1, 1, 0]),
            DArray::from_shape_vec((3, 1), vec![1i64, 10, 100]),
        );
        assert_eq!(grid.to_vec(), [100, 0, 11, 0].repeat(3));
        let square = DArray::from_shape_vec((2, 2), vec![0, 1, 1, 1]);
        let line = DArray::<i64>::zeros(2);
        line.add_at(&square, DArray::from_vec(vec![1i64, 10]));
        assert_eq!(line.to_vec(), [1, 21]);
        // Values that are views of what is written are read before.
        let x = DArray::from_vec(vec![1.0, 2.0, 4.0]);
        x.add_at(&DArray::from_vec(vec![2, 2, 0]), &x);
        assert_eq!(x.to_vec(), [5.0, 2.0, 7.0]);
        // Small integers wrap, and f16 is rounded once.
        let bytes = DArray::from_vec(vec![250u8, 0]);
        bytes.add_at(&DArray::from_vec(vec![0, 0]), DArray::from_vec(vec![5u8, 5]));
        assert_eq!(bytes.to_vec(), [4, 0]);
        let half = DArray::from_vec(vec![2048.0f32]).cast::<darray::f16>();
        half.add_at(&DArray::from_vec(vec![0, 0]), DArray::<darray::f16>::ones(2));
        assert_eq!(half.cast::<f32>().to_vec(), [2050.0]);
        x.add_at(&DArray::<i64>::zeros(0), 1.0);
        assert_eq!(x.to_vec(), [5.0, 2.0, 7.0]);
    });
}

#[test]
fn what_counts_wait_for_is_counted() {
    for devices in [1, 3] {
        let runtime = Runtime::builder().threads(1).cpu_devices(devices).build().unwrap();
        runtime.scope(|| {
            let keys = default_rng(1).integers(0, 50, 9000);
            runtime.sync();
            let before = runtime.stats();
            let counts = keys.bincount(0);
            let between = runtime.stats();
            assert_eq!(between.extents_read - before.extents_read, 1);
            // The least and the greatest key in one kernel.
            assert_eq!(between.kernels - before.kernels, devices as u64);
            assert_eq!(between.flushes - before.flushes, 1);
            assert_eq!(counts.shape(), [50]);
            // Where the extent is known nothing waits.
            let known = DArray::<i64>::zeros(50);
            known.add_at(&keys, 1);
            let (bins, _) = default_rng(2).random(9000).histogram(20);
            let places = DArray::<f64>::arange(7).searchsorted(&default_rng(3).random(100));
            assert_eq!(runtime.stats().extents_read, between.extents_read);
            assert_eq!(runtime.stats().flushes, between.flushes);
            runtime.sync();
            let after = runtime.stats();
            // Results as small as these are made by one device.
            assert_eq!(after.builtins - between.builtins, 4);
            assert_eq!(known.to_vec(), counts.to_vec());
            assert_eq!((bins.sum(..).item(), places.len()), (9000, 100));
        });
    }
}

#[test]
fn bins_have_numpys_edges() {
    everywhere(|_| {
        let x = DArray::from_vec(vec![0.1, 0.2, 0.3, f64::NAN, 0.7, -1.0, 1.0]);
        let (counts, edges) = x.histogram(Bins::new(10).range(0.0, 1.0));
        assert_eq!(counts.to_vec(), [0, 1, 2, 0, 0, 0, 1, 0, 0, 1]);
        // 0.3 and 0.7 lie before their edges.
        assert_eq!(edges.to_vec()[3], 0.30000000000000004);
        // All alike: half a unit around.
        let (counts, edges) = DArray::<f64>::full(5, 3.0).histogram(2);
        assert_eq!((counts.to_vec(), edges.to_vec()), (vec![0, 5], vec![2.5, 3.0, 3.5]));
        let (counts, edges) = DArray::<f64>::zeros(0).histogram(2);
        assert_eq!((counts.to_vec(), edges.to_vec()), (vec![0, 0], vec![0.0, 0.5, 1.0]));
        let (counts, edges) = x.histogram(3);
        assert_eq!(counts.to_vec(), [0; 3]);
        assert!(edges.to_vec().iter().all(|edge| edge.is_nan()));
    });
}

#[test]
fn what_cannot_be_counted_is_an_error() {
    let keys = DArray::from_vec(vec![1, 0, 3]);
    let error = DArray::from_vec(vec![1, -5]).try_bincount(0).unwrap_err();
    assert!(error.to_string().starts_with("bincount: a key is negative: -5 (at "), "{error}");
    assert!(error.to_string().contains("counting.rs"), "{error}");
    let error = keys.try_bincount(-1).unwrap_err();
    assert!(error.to_string().starts_with("bincount: minlength is negative: -1 (at "), "{error}");
    let square = DArray::<i64>::zeros((2, 2));
    assert!(matches!(square.try_bincount(0).unwrap_err().kind(), ErrorKind::Shapes { .. }));
    assert!(keys.try_bincount_weighted(&DArray::<f64>::ones(2), 0).is_err());
    let floats = DArray::<f64>::ones(2);
    let error = floats.as_dyn().bincount(None, 0).unwrap_err();
    assert!(error.to_string().starts_with("bincount: element types f64"), "{error}");
    let x = DArray::<f64>::zeros(3);
    x.add_at(&keys, 1.0);
    let error = x.try_to_vec().unwrap_err().to_string();
    assert!(
        error.starts_with("add_at: index 3 at [2] is out of range for axis 0 of extent 3"),
        "{error}"
    );
    assert!(DArray::<f64>::zeros(0).try_add_at(&keys, 1.0).is_err());
    assert!(DArray::<f64>::zeros(()).try_add_at(&keys, 1.0).is_err());
    let rows = DArray::<f64>::zeros(3).broadcast_to((2, 3));
    let error = rows.try_add_at(&DArray::from_vec(vec![0]), 1.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Overlap { .. }), "{error}");
    assert!(floats.try_histogram(Bins::new(3).range(0.0, f64::INFINITY)).is_err());
    assert!(floats.try_histogram(Bins::new(3).range(f64::NAN, 1.0)).is_err());
    assert!(floats.try_searchsorted(&floats).is_ok());
}

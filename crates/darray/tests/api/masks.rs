//! Elements by masks: extents that depend on data.

use crate::devices::everywhere;
use darray::{DArray, DynArray, ErrorKind, Fallible, Runtime, default_rng, s};

#[test]
fn a_mask_takes_elements_of_every_layout_and_type() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(700).reshape((7, 10, 10));
        for view in [x.clone(), x.slice(s![.., ..;-1, ..]), x.t()] {
            let mask = (&view % 3).eq(1) & view.gt(100);
            let expected: Vec<i64> =
                view.to_vec().into_iter().filter(|v| v % 3 == 1 && *v > 100).collect();
            let held = view.compress(&mask, ..);
            assert_eq!((held.shape(), held.to_vec()), (&[199][..], expected.clone()));
            assert_eq!(
                view.cast::<u16>().compress(&mask, ..).sum(..).item(),
                expected.iter().map(|&v| v as u64).sum()
            );
            let half = view.cast::<darray::f16>().compress(&mask, ..).cast::<i64>();
            assert_eq!(half.to_vec(), expected);
            let places = mask.flatnonzero();
            assert_eq!(view.take(&places, ..).to_vec(), expected);
            assert_eq!(view.reshape(-1).extract(&mask).to_vec(), expected);
            let [a, b, c] = &mask.nonzero()[..] else { panic!("three axes") };
            let (n, m) = (view.shape()[1] as i64, view.shape()[2] as i64);
            assert_eq!(((a * n + b) * m + c).to_vec(), places.to_vec());
            let rows = mask.argwhere();
            assert_eq!(rows.shape(), [199, 3]);
            assert_eq!(rows.slice(s![.., 1]).to_vec(), b.to_vec());
        }
    });
}

#[test]
fn a_mask_takes_rows_and_indices_of_an_axis() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(60).reshape((3, 4, 5));
        let mask = DArray::from_vec(vec![true, false, true]);
        assert_eq!(x.compress(&mask, ..).to_vec(), x.slice(s![..;2]).to_vec());
        let planes = DArray::from_fn((3, 4), |i| (i[0] + i[1]) % 3 == 0);
        let held = x.compress(&planes, ..);
        assert_eq!(
            (held.shape(), held.sum(1).to_vec()),
            (&[4, 5][..], vec![10.0, 85.0, 160.0, 235.0])
        );
        let columns = DArray::from_vec(vec![false, true, true, false, true]);
        assert_eq!(
            x.compress(&columns, -1).to_vec(),
            x.take(&DArray::from_vec(vec![1, 2, 4]), 2).to_vec()
        );
        // What is held is an array of its own.
        let held = x.compress(&x.ge(0.0), ..);
        held.assign(0.0);
        assert_eq!(x.sum(..).item(), 1770.0);
    });
}

#[test]
fn nothing_and_everything_is_held() {
    everywhere(|_| {
        let x = default_rng(1).random(1000);
        let none = x.compress(&x.gt(2.0), ..);
        assert_eq!((none.shape(), none.to_vec(), none.sum(..).item()), (&[0][..], vec![], 0.0));
        assert_eq!(x.compress(&x.lt(2.0), ..).to_vec(), x.to_vec());
        assert_eq!(x.compress(&DArray::ones(1000), ..).to_vec(), x.to_vec());
        assert_eq!(DArray::<f64>::ones(0).flatnonzero().to_vec(), [0i64; 0]);
        assert_eq!(DArray::<f64>::ones((2, 0)).argwhere().shape(), [0, 2]);
        assert_eq!(DArray::<f64>::ones(()).argwhere().shape(), [1, 0]);
        assert_eq!(DArray::<f64>::ones(()).flatnonzero().to_vec(), [0]);
        let zeros = DArray::from_vec(vec![0.0, -0.0, f64::NAN, f64::MIN_POSITIVE]);
        assert_eq!(zeros.flatnonzero().to_vec(), [2, 3]);
    });
}

/// One read of a number for each, and a task whose kernel is counted like any other.
#[test]
fn each_waits_once_and_is_counted() {
    for devices in [1, 3] {
        let runtime = Runtime::builder().threads(1).cpu_devices(devices).build().unwrap();
        runtime.scope(|| {
            let x = default_rng(1).random(9000);
            let y = &x * 2.0;
            runtime.sync();
            let before = runtime.stats();
            let held = y.compress(&y.gt(1.0), ..);
            let between = runtime.stats();
            assert_eq!((before.extents_read, between.extents_read), (0, 1));
            assert_eq!(between.flushes - before.flushes, 1);
            // The mask and its count are one kernel for each device; nothing is compacted yet.
            assert_eq!(between.builtins - before.builtins, 0);
            assert_eq!(between.bytes_read - before.bytes_read, 8);
            assert_eq!(between.kernels - before.kernels, devices as u64);
            runtime.sync();
            let after = runtime.stats();
            assert_eq!(after.builtins - between.builtins, devices as u64);
            assert_eq!(held.sum(..).item(), y.gt(1.0).select(&y, 0.0).sum(..).item());
            let copied = after.bytes_copied - between.bytes_copied;
            // Each device lacks the mask and the source of the others.
            assert_eq!(copied, if devices == 1 { 0 } else { 2 * 9000 * 9 });
        });
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let x = DArray::<f64>::ones((3, 4));
    let mask = |shape: &[usize]| DArray::<bool>::ones(shape);
    for shape in [&[4][..], &[3, 3], &[3, 4, 1], &[]] {
        let error = x.try_compress(&mask(shape), ..).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shapes { .. }), "{error}");
        assert!(error.to_string().contains("masks.rs"), "{error}");
    }
    assert!(x.try_compress(&mask(&[3]), 1).is_err());
    assert!(
        x.try_compress(&mask(&[3]), 2).unwrap_err().to_string().starts_with("compress: axis 2")
    );
    let error = x.as_dyn().compress(&DynArray::from(DArray::<f64>::ones(3)), None).unwrap_err();
    assert!(error.to_string().starts_with("compress: element types f64: expected a mask of bool"));
    let other = Runtime::builder().build().unwrap();
    let foreign = other.scope(|| DArray::<bool>::ones(3));
    assert!(matches!(x.try_compress(&foreign, ..).unwrap_err().kind(), ErrorKind::Runtime { .. }));
    // A mask that cannot be computed: the error of what failed.
    let failed = DArray::<i64>::arange(3).take(&DArray::from_vec(vec![5, 0, 1]), ..);
    let error = DArray::<f64>::ones(3).try_compress(&failed.gt(0), ..).unwrap_err();
    assert!(error.to_string().starts_with("take: index 5"), "{error}");
}

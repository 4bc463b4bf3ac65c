//! Cumulative sums and products.

use crate::devices::everywhere;
use darray::{DArray, Mode, Runtime, default_rng, s};
use darray_kernel::scan::scan;
use darray_kernel::tree::TreeRule;

#[test]
fn along_every_axis_of_every_layout() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(24).reshape((2, 3, 4));
        let sums = |x: &DArray<i64>, axis| x.cumsum(axis).to_vec();
        #[rustfmt::skip]
        assert_eq!(sums(&x, 0), [
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34,
        ]);
        #[rustfmt::skip]
        assert_eq!(sums(&x, 1), [
            0, 1, 2, 3, 4, 6, 8, 10, 12, 15, 18, 21,
            12, 13, 14, 15, 28, 30, 32, 34, 48, 51, 54, 57,
        ]);
        #[rustfmt::skip]
        assert_eq!(sums(&x, -1), [
            0, 1, 3, 6, 4, 9, 15, 22, 8, 17, 27, 38,
            12, 25, 39, 54, 16, 33, 51, 70, 20, 41, 63, 86,
        ]);
        assert_eq!(x.cumsum(..).to_vec(), (0..24).map(|i| i * (i + 1) / 2).collect::<Vec<i64>>());
        let view = x.slice(s![.., ..;-1, 1..;2]);
        assert_eq!(sums(&view, 1), [9, 11, 14, 18, 15, 21, 21, 23, 38, 42, 51, 57]);
        assert_eq!(
            view.cumsum(..).to_vec()[11],
            21 + 23 + 17 + 19 + 13 + 15 + 9 + 11 + 5 + 7 + 1 + 3
        );
        assert_eq!(sums(&x.t(), 0)[6..12], [1, 25, 9, 33, 17, 41], "t has shape [4, 3, 2]");
        let row = DArray::<i64>::arange(3).broadcast_to((4, 3));
        assert_eq!(sums(&row, 0), [0, 1, 2, 0, 2, 4, 0, 3, 6, 0, 4, 8]);
        assert_eq!((&x + 1).cumprod(2).to_vec()[..8], [1, 2, 6, 24, 5, 30, 210, 1680]);
    });
}

#[test]
fn scalars_nothing_and_types() {
    everywhere(|_| {
        let point = DArray::from_shape_vec((), vec![2.5]);
        assert_eq!((point.cumsum(..).shape(), point.cumsum(..).to_vec()), (&[1][..], vec![2.5]));
        assert_eq!(DArray::<f64>::zeros((2, 0)).cumsum(0).shape(), [2, 0]);
        assert_eq!(DArray::<f64>::zeros((0, 2)).cumprod(..).to_vec(), Vec::<f64>::new());
        let mask = DArray::from_vec(vec![true, true, false, true]);
        assert_eq!(
            (mask.cumsum(..).to_vec(), mask.cumprod(..).to_vec()),
            (vec![1, 2, 2, 3], vec![1, 1, 0, 0])
        );
        assert_eq!(DArray::from_vec(vec![0.5f32, 0.25]).cumsum(..).to_vec(), [0.5f32, 0.75]);
        let zeros = DArray::<f64>::from_vec(vec![-0.0, -0.0, 0.0]).cumsum(..).to_vec();
        assert_eq!(
            zeros.iter().map(|z| z.is_sign_negative()).collect::<Vec<_>>(),
            [true, true, false]
        );
        let x = DArray::<f64>::from_vec(vec![1.0, f64::NAN, 2.0]).cumsum(..).to_vec();
        assert!(x[0] == 1.0 && x[1].is_nan() && x[2].is_nan());
    });
}

/// The bits are those of the formula, whatever the tiles, threads, modes and devices; scans are lazy and
/// read what was fused before them.
#[test]
fn the_formula_to_the_bit() {
    for (shape, axis) in
        [([1, 40_003], 1), ([40_003, 1], 0), ([67, 300], 0), ([300, 67], 1), ([3, 9001], 1)]
    {
        let (n, innermost) = (shape[axis as usize], axis == 1);
        let block = TreeRule::STANDARD.scan_block(n, innermost);
        let host = default_rng(5).random((shape[0], shape[1])).to_vec();
        let lanes = shape[0] * shape[1] / n;
        let step = if innermost { 1 } else { shape[1] };
        let mut wanted = vec![0u64; host.len()];
        for lane in 0..lanes {
            let first = if innermost { lane * n } else { lane };
            let mut values: Vec<f64> = (0..n).map(|i| 2.0 * host[first + i * step] - 1.0).collect();
            scan(&mut values, block, |a, b| a + b);
            values.iter().enumerate().for_each(|(i, v)| wanted[first + i * step] = v.to_bits());
        }
        everywhere(|_| {
            let x = DArray::from_shape_vec((shape[0], shape[1]), host.clone());
            let sums = (2.0 * x - 1.0).cumsum(axis);
            let found: Vec<u64> = sums.to_vec().iter().map(|v| v.to_bits()).collect();
            assert!(found == wanted, "{shape:?} along {axis}");
        });
        let threads = Runtime::builder().threads(4).build().unwrap();
        threads.scope(|| {
            let x = DArray::from_shape_vec((shape[0], shape[1]), host.clone());
            let found = (2.0 * x - 1.0).cumsum(axis).to_vec();
            assert!(found.iter().map(|v| v.to_bits()).eq(wanted.iter().copied()), "threads");
        });
    }
}

#[test]
fn one_value_per_line_goes_from_device_to_device() {
    let rt = Runtime::builder().threads(1).cpu_devices(3).mode(Mode::Fused).build().unwrap();
    rt.scope(|| {
        let measure = |x: DArray<f64>, axis: isize| {
            rt.sync();
            rt.reset_stats();
            let sums = x.cumsum(axis);
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.kernels, stats.fused_tasks), (0, 1));
            drop(sums);
            (stats.builtins, stats.copies, stats.bytes_copied)
        };
        // Three parts of one axis: blocks, carries and sums each; two carries move.
        assert_eq!(measure(DArray::ones(3 * 4096), 0), (9, 2, 2 * 8));
        assert_eq!(measure(DArray::ones((240, 50)), 0), (9, 2, 2 * 50 * 8));
        // An axis that is not cut.
        assert_eq!(measure(DArray::ones((240, 50)), 1), (3, 0, 0));
    });
}

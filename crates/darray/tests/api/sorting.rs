//! Sorting.

use crate::devices::everywhere;
use darray::{DArray, DType, DynArray, Mode, RealType, Runtime, default_rng, s};

/// The indices of a stable sort.
fn order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    // NaN after everything else; zeros are equal.
    order.sort_by(|&a, &b| {
        let (a, b) = (values[a], values[b]);
        a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
    });
    order
}

/// Numbers of few values, with zeros of both signs, infinities and NaN.
fn numbers(n: usize) -> Vec<f64> {
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-310, -1e300];
    let draws = default_rng(n as u64).integers(0, 40, n).to_vec();
    draws
        .iter()
        .map(|&k| special.get(k as usize).copied().unwrap_or(k as f64 / 4.0 - 6.0))
        .collect()
}

#[test]
fn along_every_axis_of_every_layout() {
    everywhere(|_| {
        let host = numbers(3 * 40 * 4);
        let x = DArray::from_shape_vec((3, 40, 4), host.clone());
        let strides = [160, 4, 1];
        for (axis, n) in [(0isize, 3), (1, 40), (2, 4)] {
            let step = strides[axis as usize];
            let mut expected = vec![(0u64, 0i64); host.len()];
            for first in (0..host.len()).filter(|at| at / step % n == 0) {
                let lane: Vec<f64> = (0..n).map(|i| host[first + i * step]).collect();
                for (i, from) in order(&lane).into_iter().enumerate() {
                    expected[first + i * step] = (lane[from].to_bits(), from as i64);
                }
            }
            let values = x.sort(axis).to_vec();
            let indices = x.argsort(axis - 3).to_vec();
            let found: Vec<(u64, i64)> = values.iter().map(|v| v.to_bits()).zip(indices).collect();
            assert!(found == expected, "axis {axis}");
            // A view with gaps and backwards.
            let view = x.slice(s![..;-1, 1..;2, ..]);
            let copy = view.clone();
            copy.slice(s![0, 0, 0]).assign(1.0);
            view.slice(s![0, 0, 0]).assign(1.0);
            let bits = |x: DArray<f64>| x.to_vec().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(view.sort(axis)), bits(copy.sort(axis)));
            x.slice(s![-1, 1, 0]).assign(host[2 * 160 + 4]);
        }
    });
}

#[test]
fn one_axis_over_several_devices() {
    for n in [1, 2, 5, 64, 1000, 5003] {
        let host = numbers(n);
        let expected = order(&host);
        everywhere(|_| {
            let x = DArray::from_vec(host.clone());
            for x in
                [x.clone(), x.reshape((1, -1)).slice(s![0]), x.slice(s![..;-1]).slice(s![..;-1])]
            {
                let found = x.argsort(-1).to_vec();
                assert!(found.iter().map(|&i| i as usize).eq(expected.iter().copied()), "{n}");
                let bits = |v: &f64| v.to_bits();
                let sorted = x.sort(-1).to_vec();
                assert!(sorted.iter().map(bits).eq(expected.iter().map(|&i| host[i].to_bits())));
            }
        });
    }
    // Long enough for several threads.
    let host = numbers(60_003);
    let expected = order(&host);
    for threads in [2, 3] {
        let runtime = Runtime::builder().threads(threads).build().unwrap();
        runtime.scope(|| {
            let found = DArray::from_vec(host.clone()).argsort(-1).to_vec();
            assert!(found.iter().map(|&i| i as usize).eq(expected.iter().copied()), "{threads}");
        });
    }
}

#[test]
fn types_flat_and_nothing() {
    everywhere(|_| {
        let host = default_rng(3).integers(-300, 300, (7, 9)).to_vec();
        for dtype in RealType::ALL.map(DType::from) {
            let x = DynArray::from(DArray::from_shape_vec((7, 9), host.clone()));
            // Those that f64 tells apart.
            let x = if dtype == DType::U64 { x.cast(DType::U32).unwrap() } else { x };
            let x = x.cast(dtype).unwrap();
            let values = |x: DynArray| {
                DArray::<f64>::try_from(x.cast(DType::F64).unwrap()).unwrap().to_vec()
            };
            let mut expected = values(x.alias());
            let sorted = order(&expected).into_iter().map(|i| expected[i]).collect::<Vec<_>>();
            assert_eq!(values(x.sort(None).unwrap()), sorted, "{dtype}");
            assert_eq!(x.sort(None).unwrap().dtype(), dtype);
            let indices = DArray::<i64>::try_from(x.argsort(None).unwrap()).unwrap().to_vec();
            assert!(indices.iter().map(|&i| i as usize).eq(order(&expected)), "{dtype}");
            expected.chunks_mut(9).for_each(|row| {
                let sorted: Vec<f64> = order(row).into_iter().map(|i| row[i]).collect();
                row.copy_from_slice(&sorted);
            });
            assert_eq!(values(x.sort(1).unwrap()), expected, "{dtype}");
        }
        assert_eq!(DArray::<f64>::zeros((2, 0)).sort(-1).shape(), [2, 0]);
        assert_eq!(DArray::<f64>::zeros((0, 2)).argsort(None).to_vec(), Vec::<i64>::new());
        assert_eq!(DArray::from_shape_vec((), vec![2.5]).sort(None).to_vec(), [2.5]);
    });
}

#[test]
fn a_sort_is_lazy_and_fuses_with_nothing() {
    let runtime = Runtime::builder().threads(1).build().unwrap();
    runtime.scope(|| {
        let x = default_rng(1).random(1000);
        let median = (2.0 * &x).sort(-1).slice(s![500]) + 1.0;
        assert_eq!(runtime.stats().builtins, 0, "nothing has run");
        let mut host = x.to_vec();
        host.sort_by(f64::total_cmp);
        assert_eq!(median.item(), 2.0 * host[500] + 1.0);
        assert_eq!((runtime.stats().builtins, runtime.stats().stops.builtin()), (1, 2));
    });
}

#[test]
fn what_goes_from_device_to_device() {
    let rt = Runtime::builder().threads(1).cpu_devices(4).mode(Mode::Fused).build().unwrap();
    rt.scope(|| {
        let measure = |x: DArray<f64>, sort: &dyn Fn(&DArray<f64>) -> DynArray| {
            rt.sync();
            rt.reset_stats();
            let sorted = sort(&x);
            rt.sync();
            let stats = rt.stats();
            drop(sorted);
            (stats.builtins, stats.copies, stats.bytes_copied)
        };
        let sort = |x: &DArray<f64>| x.as_dyn().sort(0).unwrap();
        let argsort = |x: &DArray<f64>| x.as_dyn().argsort(0).unwrap();
        let n = 4 * 4096u64;
        // Four parts sorted and merged; each goes to three other devices, with its indices if they
        // are wanted.
        assert_eq!(measure(DArray::ones(n as usize), &sort), (8, 12, 3 * 8 * n));
        assert_eq!(measure(DArray::ones(n as usize), &argsort), (8, 24, 3 * 16 * n));
        // Rows stay where they are.
        let rows = |x: &DArray<f64>| x.as_dyn().sort(1).unwrap();
        assert_eq!(measure(DArray::ones((240, 50)), &rows), (4, 0, 0));
        // Columns are whole on a device: three quarters of what each has come from the others.
        assert_eq!(measure(DArray::ones((240, 48)), &sort), (4, 12, 240 * 36 * 8));
    });
}

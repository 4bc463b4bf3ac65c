//! Reductions that are made of several operations, against tables that NumPy 2 gives.

use crate::devices::everywhere;
use darray::{Axes, DArray, DType, DynArray, Norm, Reduction, Runtime, attempt, axes, axis, np, s};
use std::f64;

/// Each number within two units in the last place: the order of summation is not NumPy's.
fn close(found: DynArray, wanted: &[f64], what: &str) {
    let found = DArray::<f64>::try_from(found.cast(DType::F64).unwrap()).unwrap().to_vec();
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (f, w) in found.iter().zip(wanted) {
        let same = f == w || f.is_nan() && w.is_nan();
        assert!(same || (f - w).abs() <= 2.0 * f64::EPSILON * w.abs(), "{what}: {f} for {w}");
    }
}

#[test]
fn without_nan_as_in_numpy() {
    use Reduction::*;
    const NAN: f64 = f64::NAN;
    #[rustfmt::skip]
    let table: [(Reduction, f64, [f64; 4], [f64; 3]); 11] = [
        (NanSum, 17.75, [1.5, -5.0, 9.25, 12.0], [3.5, 7.25, 7.0]),
        (NanProd, -0.0, [0.0, -0.0, 14.5, 32.0], [-12.0, -0.0, -48.0]),
        (NanMin, -3.0, [0.0, -3.0, 2.0, 4.0], [-2.0, 0.0, -3.0]),
        (NanMax, 8.0, [1.5, -0.0, 7.25, 8.0], [4.0, 7.25, 8.0]),
        (NanMean, 1.9722222222222223, [0.75, -1.6666666666666667, 4.625, 6.0],
            [1.1666666666666667, 2.4166666666666665, 2.3333333333333335]),
        (NanVar { ddof: 0 }, 12.978395061728394, [0.5625, 1.5555555555555556, 6.890625, 4.0],
            [6.055555555555556, 11.680555555555557, 20.222222222222225]),
        (NanStd { ddof: 0 }, 3.602553963749661, [0.75, 1.247219128924647, 2.625, 2.0],
            [2.4608038433722337, 3.41768277573498, 4.4969125210773475]),
        (NanVar { ddof: 1 }, 14.600694444444443, [1.125, 2.3333333333333335, 13.78125, 8.0],
            [9.083333333333334, 17.520833333333336, 30.333333333333336]),
        (NanVar { ddof: 2 }, 16.686507936507933, [NAN, 4.666666666666667, NAN, NAN],
            [18.166666666666668, 35.04166666666667, 60.66666666666667]),
        (NanStd { ddof: 2 }, 4.08491223118783, [NAN, 2.160246899469287, NAN, NAN],
            [4.262237284181474, 5.9196002117260145, 7.788880963698615]),
        (Mean, NAN, [NAN, -1.6666666666666667, NAN, NAN], [NAN, NAN, NAN]),
    ];
    let x = [1.5, -2.0, NAN, 4.0, 0.0, -0.0, 7.25, NAN, NAN, -3.0, 2.0, 8.0];
    everywhere(|_| {
        let x = DynArray::from(DArray::from_shape_vec((3, 4), x.to_vec()));
        for (reduction, all, columns, rows) in table {
            let what = format!("{reduction:?}");
            close(x.reduce(reduction, ..).unwrap(), &[all], &what);
            close(x.reduce(reduction, 0).unwrap(), &columns, &what);
            let kept = x.reduce(reduction, axis(1).keepdims()).unwrap();
            assert_eq!(kept.shape(), [3, 1], "{what}");
            close(kept, &rows, &what);
        }
    });
}

#[test]
fn no_ddof_is_too_large() {
    everywhere(|_| {
        let x = DArray::from_vec(vec![1.0, f64::NAN, 2.0, 6.0]);
        for ddof in [3, i64::MAX as usize, 1 << 63, usize::MAX] {
            assert!(x.nanvar(axes(..).ddof(ddof)).item().is_nan(), "{ddof}");
            assert!(x.nanstd(axis(0).ddof(ddof)).item().is_nan(), "{ddof}");
            let whole = x.slice(s![2..]);
            assert_eq!(whole.var(axes(..).ddof(ddof)).item(), f64::INFINITY, "{ddof}");
            assert_eq!(whole.std(axes(..).ddof(ddof)).item(), f64::INFINITY, "{ddof}");
            assert_eq!(whole.to_complex().var(axes(..).ddof(ddof)).item(), f64::INFINITY, "{ddof}");
        }
    });
}

#[test]
fn of_integers_as_in_numpy() {
    use Reduction::*;
    #[rustfmt::skip]
    let table: [(Reduction, f64, [f64; 3], [f64; 2]); 8] = [
        (Var { ddof: 0 }, 10.359375, [10.9375, 8.359375, 10.25],
            [11.076388888888891, 9.472222222222223]),
        (Std { ddof: 0 }, 3.2185982973959333,
            [3.307189138830738, 2.8912583765550943, 3.2015621187164243],
            [3.32812092461931, 3.0776975521032313]),
        (Ptp, 10.0, [10.0, 8.0, 8.0], [10.0, 10.0]),
        (CountNonzero, 22.0, [8.0, 8.0, 6.0], [11.0, 11.0]),
        (Mean, 0.875, [1.75, 0.875, 0.0], [0.5833333333333334, 1.1666666666666667]),
        (Norm(darray::Norm::One), 69.0, [26.0, 21.0, 22.0], [35.0, 34.0]),
        (Norm(darray::Norm::Two), 16.34013463836819,
            [10.583005244258363, 8.54400374531753, 9.055385138137417],
            [11.704699910719626, 11.40175425099138]),
        (Norm(darray::Norm::Inf), 6.0, [6.0, 5.0, 4.0], [6.0, 6.0]),
    ];
    everywhere(|_| {
        let x = (DArray::<i64>::arange(24) * 7 % 11 - 4).reshape((2, 3, 4));
        let x = DynArray::from(x);
        for (reduction, all, of_02, of_12) in table {
            let what = format!("{reduction:?}");
            close(x.reduce(reduction, ..).unwrap(), &[all], &what);
            close(x.reduce(reduction, [0, 2]).unwrap(), &of_02, &what);
            close(x.reduce(reduction, [-1, 1]).unwrap(), &of_12, &what);
        }
        for reduction in [Ptp, CountNonzero] {
            assert_eq!(x.reduce(reduction, 0).unwrap().dtype(), DType::I64);
        }
    });
}

#[test]
fn of_nothing_and_of_one() {
    everywhere(|_| {
        let none = DArray::<f64>::zeros((0, 3));
        for nothing in [none.var(..), none.std(..), none.nanmean(..), none.nanvar(..)] {
            assert!(nothing.item().is_nan());
        }
        assert_eq!(
            (none.norm(..).item(), none.norm(axis(0).ord(Norm::Inf)).to_vec()),
            (0.0, vec![0.0; 3])
        );
        assert_eq!((none.nansum(..).item(), none.nanprod(..).item()), (0.0, 1.0));
        assert_eq!(none.count_nonzero(0).to_vec(), [0; 3]);
        assert_eq!(none.ptp(1).to_vec(), Vec::<f64>::new());
        let one = DArray::<f64>::from_vec(vec![1.0]);
        assert!(one.var(axes(..).ddof(1)).item().is_nan(), "0 / 0");
        assert_eq!(DArray::from_vec(vec![1.0, 2.0]).var(axes(..).ddof(3)).item(), f64::INFINITY);
        assert!(DArray::<f64>::from_vec(vec![f64::NAN]).nanmin(..).item().is_nan());
        let point = DArray::from_shape_vec((), vec![-3.0]);
        assert_eq!(
            (point.var(..).item(), point.norm(..).item(), point.ptp(..).item()),
            (0.0, 3.0, 0.0)
        );
        let rows = DArray::<f64>::ones((2, 2));
        let no_axes = Axes::from(&[][..]);
        assert_eq!(rows.var(no_axes).to_vec(), [0.0; 4], "each element by itself");
    });
}

/// numpy.linalg.norm(x, ord, axis=1), and, for the last, numpy.linalg.norm(x, "fro").
#[test]
fn norms_of_every_order() {
    let table: [(Norm, [f64; 2]); 10] = [
        (Norm::Zero, [2.0, 3.0]),
        (Norm::One, [7.0, 4.0]),
        (Norm::Two, [5.0, 6.0f64.sqrt()]),
        (Norm::Inf, [4.0, 2.0]),
        (Norm::NegInf, [0.0, 1.0]),
        (Norm::P(3.0), [4.497941445275415, 2.154434690031884]),
        (Norm::P(0.5), [13.928203230275509, 11.65685424949238]),
        (Norm::P(-1.0), [0.0, 0.4]),
        (Norm::P(2.0), [5.0, 6.0f64.sqrt()]),
        (Norm::P(f64::NEG_INFINITY), [0.0, 1.0]),
    ];
    everywhere(|_| {
        let x = DynArray::from(DArray::from_shape_vec((2, 3), vec![3, 0, -4, 1, -2, 1]));
        for (norm, rows) in table {
            close(x.reduce(Reduction::Norm(norm), 1).unwrap(), &rows, &format!("{norm:?}"));
        }
        let frobenius = Reduction::Norm(Norm::Frobenius);
        close(x.reduce(frobenius, ..).unwrap(), &[31.0f64.sqrt()], "all of it");
        let kept = x.reduce(frobenius, axes([1, 0]).keepdims()).unwrap();
        assert_eq!(kept.shape(), [1, 1]);
        let nan = x.reduce(Reduction::Norm(Norm::from(f64::NAN)), ..).unwrap();
        close(nan, &[f64::NAN], "no order at all");
        let single = DArray::from_vec(vec![3.0f32, 4.0]).norm(axes(..).ord(3));
        assert_eq!((single.item(), single.dtype()), (4.4979415, DType::F32));
        let none = DArray::<f64>::zeros((0, 2));
        assert_eq!(none.norm(axis(0).ord(3)).to_vec(), [0.0; 2]);
        assert_eq!(none.norm(axis(0).ord(-1)).to_vec(), [f64::INFINITY; 2], "0^-1");
        assert_eq!(none.norm(axes(..).ord(Norm::Frobenius)).item(), 0.0);
    });
    assert_eq!([0, 1, 2, 3].map(Norm::from)[..3], [Norm::Zero, Norm::One, Norm::Two]);
    assert_eq!([Norm::from(3), Norm::from(f64::INFINITY)], [Norm::P(3.0), Norm::Inf]);
    assert_eq!(Norm::from(-0.0), Norm::Zero);
}

#[test]
fn types_are_numpys() {
    everywhere(|_| {
        let single: DArray<f32> = DArray::from_vec(vec![1.0f32, 2.0, 4.0]);
        let variance: DArray<f32> = single.var(..);
        assert_eq!(variance.item(), 1.5555557);
        assert_eq!(
            (single.norm(..).item(), single.nanmean(..).item()),
            (4.582576f32, 2.3333333f32)
        );
        let mask = DArray::from_vec(vec![true, false, true, true]);
        assert_eq!((mask.std(..).item(), mask.count_nonzero(..).item()), (0.4330127018922193, 3));
        assert_eq!((mask.norm(..).item(), mask.nansum(..).item()), (3.0f64.sqrt(), 3));
    });
}

#[test]
fn a_large_mean_cancels_nothing() {
    everywhere(|_| {
        let x = DArray::<f64>::arange(101) % 2.0 + 1e9;
        assert!((x.var(..).item() - 0.25).abs() < 1e-3, "{}", x.var(..).item());
        let shares = (&x - x.mean(axis(0).keepdims())) / x.std(axis(0).keepdims());
        assert!((shares.var(..).item() - 1.0).abs() < 1e-12);
    });
}

/// Eleven operations: sums end kernels, since what follows needs all of them, and everything between fuses: no array of deviations
/// or squares exists. The sums for the difference and for the deviation are taken together; each kernel divides them itself.
///
/// ```text
/// sum, sum | mean, x - mean, square, sum | mean, mean, root, x - mean, quotient
/// ```
#[test]
fn standardising_takes_three_kernels() {
    let standardise = |x: &DArray<f64>| (x - x.mean(..)) / x.std(..);
    // The mean is that of the deviation, too.
    for (devices, kernels, finishes) in [(1, 3, 0), (3, 3 * 3, 2)] {
        let rt = Runtime::builder().threads(1).cpu_devices(devices).build().unwrap();
        rt.scope(|| {
            let x = DArray::<f64>::arange(3 * 4096);
            rt.sync();
            rt.reset_stats();
            let y = standardise(&x);
            rt.sync();
            let stats = rt.stats();
            assert_eq!((stats.tasks, stats.kernels, stats.finishes), (11, kernels, finishes));
            // Partial sums to one device, and means to the others.
            assert!(stats.bytes_copied <= 40 * 8, "{}", stats.bytes_copied);
            assert!((y.std(..).item() - 1.0).abs() < 1e-12);
        });
    }
}

#[test]
fn places_among_nothing_but_nan_are_an_error() {
    let x = DArray::from([[1.0, f64::NAN, 2.0], [f64::NAN; 3]]);
    let error = attempt(|| np::nanargmax(&x, 1)).unwrap_err();
    let text = "nanargmax: all elements are NaN in 1 of 2 along axis 1";
    assert!(error.to_string().starts_with(text), "{error}");
    assert!(attempt(|| np::nanargmin(x.at(1), ..)).is_err());
    // Some are numbers along the other axis, and of all.
    assert_eq!(np::nanargmax(x.slice(s![.., ..;2]), 0).to_vec(), [0, 0]);
    assert_eq!(np::nanargmin(&x, ..).item(), 0);
    // Places in no rows, and among integers.
    assert_eq!(np::nanargmax(DArray::<f64>::zeros((0, 3)), 1).shape(), [0]);
    assert_eq!(np::nanargmax(DArray::from([3, 5]), ..).item(), 1);
}

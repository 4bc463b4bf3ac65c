//! Medians and quantiles, against tables that NumPy 2 gives.

use crate::devices::everywhere;
use darray::{DArray, DType, DynArray, Fallible, Reduction, axis, s};

/// A reduction of all, of the columns and of the rows of 3 x 4 elements.
type Line = (Reduction, f64, [f64; 4], [f64; 3]);

/// Each number is NumPy's: places and interpolation are the same formulas.
fn check(x: &DynArray, table: &[Line]) {
    for &(reduction, all, columns, rows) in table {
        let found = |x: DynArray| DArray::<f64>::try_from(x).unwrap().to_vec();
        assert_eq!(found(x.reduce(reduction, ..).unwrap()), [all], "{reduction:?}");
        assert_eq!(found(x.reduce(reduction, 0).unwrap()), columns, "{reduction:?}");
        let kept = x.reduce(reduction, axis(1).keepdims()).unwrap();
        assert_eq!(kept.shape(), [3, 1], "{reduction:?}");
        assert_eq!(found(kept), rows, "{reduction:?}");
        assert_eq!(found(x.t().reduce(reduction, 0).unwrap()), rows, "{reduction:?}");
    }
}

#[test]
fn of_floats_as_in_numpy() {
    use Reduction::*;
    #[rustfmt::skip]
    let table: [Line; 8] = [
        (Median, 0.8, [1.5, 0.1, 4.0, 0.0], [0.75, 1.0, 2.8]),
        (Quantile { q: 0.0 }, -3.0, [0.0, -2.0, -3.0, -1.75], [-2.0, -3.0, -1.75]),
        (Quantile { q: 0.1 }, -1.975, [0.30000000000000004, -1.58, -1.5999999999999999, -1.4], [-1.4, -2.0999999999999996, -1.1949999999999998]),
        (Quantile { q: 0.3333333333333333 }, 0.0, [1.0, -0.6000000000000001, 1.6666666666666665, -0.5833333333333334], [0.0, 0.0, 0.1]),
        (Quantile { q: 0.5 }, 0.8, [1.5, 0.1, 4.0, 0.0], [0.75, 1.0, 2.8]),
        (Quantile { q: 0.625 }, 1.9375, [3.125, 1.8875000000000002, 4.375, 0.5], [1.3125, 1.75, 4.825]),
        (Quantile { q: 0.99 }, 7.9175, [7.87, 7.107, 5.47, 1.96], [3.9249999999999994, 7.0924999999999985, 7.924999999999999]),
        (Quantile { q: 1.0 }, 8.0, [8.0, 7.25, 5.5, 2.0], [4.0, 7.25, 8.0]),
    ];
    let x = [1.5, -2.0, 4.0, 0.0, -0.0, 7.25, -3.0, 2.0, 8.0, 0.1, 5.5, -1.75];
    everywhere(|_| check(&DArray::from_shape_vec((3, 4), x.to_vec()).into(), &table));
}

#[test]
fn of_integers_as_in_numpy() {
    use Reduction::*;
    #[rustfmt::skip]
    let table: [Line; 8] = [
        (Median, 2.5, [4.0, 5.0, 2.0, 1.0], [4.5, 0.5, 3.5]),
        (Quantile { q: 0.0 }, -8.0, [0.0, -3.0, -8.0, -2.0], [-3.0, -8.0, -2.0]),
        (Quantile { q: 0.1 }, -2.9, [0.8, -1.4, -6.0, -1.4], [-1.4999999999999998, -5.6, -0.4999999999999998]),
        (Quantile { q: 0.3333333333333333 }, 0.6666666666666665, [2.6666666666666665, 2.333333333333333, -1.333333333333334, 0.0], [2.0, 0.0, 3.0]),
        (Quantile { q: 0.5 }, 2.5, [4.0, 5.0, 2.0, 1.0], [4.5, 0.5, 3.5]),
        (Quantile { q: 0.625 }, 3.875, [4.75, 5.25, 2.25, 3.0], [6.375, 0.875, 3.875]),
        (Quantile { q: 0.99 }, 8.780000000000001, [6.9399999999999995, 5.98, 2.98, 8.84], [8.94, 4.879999999999999, 5.9399999999999995]),
        (Quantile { q: 1.0 }, 9.0, [7.0, 6.0, 3.0, 9.0], [9.0, 5.0, 6.0]),
    ];
    let x = [7i64, -3, 2, 9, 0, 5, -8, 1, 4, 6, 3, -2];
    everywhere(|_| {
        check(&DArray::from_shape_vec((3, 4), x.to_vec()).into(), &table);
        let narrow = x.map(|x| x as i32).to_vec();
        check(&DArray::from_shape_vec((3, 4), narrow).into(), &table);
    });
}

#[test]
fn over_several_axes_and_none() {
    everywhere(|_| {
        // As `np.arange(24.).reshape(2, 3, 4)**2 % 17`.
        let x = (DArray::<f64>::arange(24).pow(2.0) % 17.0).reshape((2, 3, 4));
        assert_eq!(x.median([0, 2]).to_vec(), [6.0, 3.0, 11.0]);
        assert_eq!(x.quantile(0.3, [0, 1]).to_vec(), [4.5, 4.5, 3.0, 3.0]);
        assert_eq!(x.percentile(30.0, [0, 1]).to_vec(), [4.5, 4.5, 3.0, 3.0]);
        let backwards = x.slice(s![..;-1, .., 1..;2]);
        assert_eq!(backwards.median([0, 1]).to_vec(), backwards.copy().median([0, 1]).to_vec());
        let many = x.reshape([1, 2, 1, 3, 1, 2, 1, 2]);
        let none: [isize; 0] = [];
        assert_eq!(many.median(none).to_vec(), x.to_vec());
        assert_eq!(many.quantile(0.7, none).shape(), [1, 2, 1, 3, 1, 2, 1, 2]);
        // They are other arrays.
        let scalar = DArray::<f64>::ones(());
        for mut result in [scalar.median(..), scalar.quantile(0.5, ..), scalar.quantile(1.0, none)]
        {
            result += 1.0;
            assert_eq!((result.item(), scalar.item()), (2.0, 1.0));
        }
    });
}

#[test]
fn nan_wins_and_infinities_stay() {
    everywhere(|_| {
        let inf = f64::INFINITY;
        let x = DArray::from_shape_vec((2, 3), vec![1.0, f64::NAN, 3.0, -inf, 2.0, inf]);
        for result in [x.median(1), x.quantile(0.0, 1), x.quantile(0.3, 1)] {
            assert!(result.to_vec()[0].is_nan() && !result.to_vec()[1].is_nan());
        }
        assert!(x.median(..).item().is_nan());
        let ends = [0.0, 0.5, 1.0].map(|q| x.slice(s![1]).quantile(q, ..).item());
        assert_eq!(ends, [-inf, 2.0, inf]);
    });
}

#[test]
fn types_are_those_of_means() {
    everywhere(|_| {
        let x = DynArray::from(DArray::from_vec(vec![3.0, 1.0, 2.0, 5.0]));
        let types = [
            (DType::F64, DType::F64),
            (DType::F32, DType::F32),
            (DType::F16, DType::F16),
            (DType::I64, DType::F64),
            (DType::I32, DType::F64),
            (DType::U8, DType::F64),
        ];
        for (from, to) in types {
            let x = x.cast(from).unwrap();
            for (reduction, wanted) in
                [(Reduction::Median, 2.5), (Reduction::Quantile { q: 0.5 }, 2.5)]
            {
                let found = x.reduce(reduction, ..).unwrap();
                assert_eq!(found.dtype(), to, "{from:?}");
                let found = DArray::<f64>::try_from(found.cast(DType::F64).unwrap()).unwrap();
                assert_eq!(found.item(), wanted, "{from:?}");
            }
        }
        let bools = DArray::from_vec(vec![true, false, true, true]);
        assert_eq!((bools.median(..).item(), bools.quantile(0.25, ..).item()), (1.0, 0.75));
    });
}

#[test]
fn nothing_and_parts_beyond_all() {
    everywhere(|_| {
        let nothing = DArray::<f64>::zeros((2, 0));
        assert!(nothing.median(1).to_vec().iter().all(|x| x.is_nan()));
        assert_eq!(nothing.median(0).shape(), [0]);
        let text = |x: &DArray<f64>, q| x.try_quantile(q, 1).unwrap_err().to_string();
        assert!(text(&nothing, 0.5).contains("at least one element to reduce"));
        let some = DArray::<f64>::zeros((2, 2));
        for q in [-1e-9, 1.0 + 1e-9, f64::NAN] {
            assert!(text(&some, q).starts_with("quantile: a quantile is between 0 and 1, not "));
        }
        let text = some.try_percentile(102.5, 0).unwrap_err().to_string();
        assert!(
            text.starts_with("percentile: a quantile is between 0 and 1, not 1.025 (at "),
            "{text}"
        );
        let text = nothing.try_percentile(50.0, 1).unwrap_err().to_string();
        assert!(text.starts_with("percentile: "), "{text}");
        assert!(some.try_median([0, 0]).is_err());
    });
}

//! Reductions over all and some axes.

use crate::devices::everywhere;
use darray::{
    Binary, DArray, DType, DynArray, Fallible, RealType, Reduction, Runtime, Scalar, axes,
    default_rng, s,
};

#[test]
fn reductions_over_every_kind_of_axes() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(24).reshape((2, 3, 4));
        assert_eq!(x.sum(..).item(), 276);
        assert_eq!(x.sum(0).to_vec(), (0..12).map(|i| 2 * i + 12).collect::<Vec<_>>());
        assert_eq!(x.sum(1).to_vec(), [12, 15, 18, 21, 48, 51, 54, 57]);
        assert_eq!(x.sum(-1).to_vec(), [6, 22, 38, 54, 70, 86]);
        assert_eq!(x.sum([0, 2]).to_vec(), [60, 92, 124]);
        assert_eq!(x.sum(axes([0, 2]).keepdims()).shape(), [1, 3, 1]);
        assert_eq!(x.sum(axes([0, 2]).keepdims()).to_vec(), [60, 92, 124]);
        assert_eq!(x.max([1, 2]).to_vec(), [11, 23]);
        assert_eq!(x.min(axes(..).keepdims()).shape(), [1, 1, 1]);
        assert_eq!(x.t().sum(0).to_vec(), [6, 54, 22, 70, 38, 86]);
        assert_eq!(x.slice(s![.., ..;-1, 1]).sum(0).to_vec(), [30, 22, 14]);
        assert_eq!(x.slice(s![0, 0, 1..]).prod(..).item(), 6);
        assert_eq!(x.mean(2).to_vec(), [1.5, 5.5, 9.5, 13.5, 17.5, 21.5]);
        assert_eq!(x.argmax(..).item(), 23);
        assert_eq!(x.argmin([0, 1]).to_vec(), [0; 4]);
        assert_eq!((x.clone() % 5).argmax(2).to_vec(), [3, 0, 1, 2, 3, 3]);
        assert_eq!((x.clone() % 5).argmax(..).item(), 4);
        assert_eq!(x.gt(3).all(2).to_vec(), [false, true, true, true, true, true]);
        assert_eq!(x.gt(22).any([0, 1]).to_vec(), [false, false, false, true]);
        assert_eq!(x.gt(3).sum(..).item(), 20);
        assert_eq!(x.cast::<f32>().sum(..).item(), 276.0);
    });
}

#[test]
fn reductions_of_scalars_and_of_nothing() {
    everywhere(|_| {
        let point = DArray::from_shape_vec((), vec![2.5]);
        assert_eq!(point.sum(..).item(), 2.5);
        assert_eq!(point.max(..).item(), 2.5);
        assert_eq!(point.argmax(..).item(), 0);
        assert_eq!(point.mean(..).item(), 2.5);
        assert!(point.all(..).item());
        let none = DArray::<f64>::zeros((0, 3));
        assert_eq!(none.sum(..).item().to_bits(), 0.0f64.to_bits());
        assert_eq!(none.prod(..).item(), 1.0);
        assert!(none.mean(..).item().is_nan());
        assert_eq!(none.sum(0).to_vec(), [0.0; 3]);
        assert_eq!(none.max(1).to_vec(), Vec::<f64>::new());
        assert!(none.all(..).item() && !none.any(..).item());
        assert!(none.try_max(0).is_err() && none.try_argmin([0, 1]).is_err());
        let square = DArray::<f64>::zeros((0, 0));
        assert!(square.try_max(0).is_err(), "no results, but nothing to make one of either");
        assert!(square.try_min(1).is_err() && square.try_argmax(0).is_err());
        assert_eq!(square.sum(0).to_vec(), Vec::<f64>::new());
    });
}

#[test]
fn special_values_win_or_vanish_as_in_numpy() {
    everywhere(|_| {
        let x = DArray::from_vec(vec![1.0, f64::NAN, 5.0, f64::NAN]);
        assert!(x.max(..).item().is_nan() && x.min(..).item().is_nan());
        assert_eq!((x.argmax(..).item(), x.argmin(..).item()), (1, 1));
        let zeros = DArray::<f64>::from_vec(vec![-0.0, -0.0]);
        assert_eq!(zeros.sum(..).item().to_bits(), (-0.0f64).to_bits());
        let y = DArray::from_vec(vec![3, 1, 3, 1]);
        assert_eq!((y.argmax(..).item(), y.argmin(..).item()), (0, 1), "the first wins");
    });
}

#[test]
fn large_sums_are_the_same_everywhere() {
    let results = std::cell::RefCell::new(Vec::new());
    everywhere(|_| {
        let x = default_rng(11).random((301, 77)) - 0.5;
        let rows = x.sum(1).to_vec();
        let columns = x.sum(0).to_vec();
        results.borrow_mut().push((
            x.sum(..).item().to_bits(),
            rows,
            columns,
            (&x * &x).sum(..).item(),
        ));
    });
    let results = results.into_inner();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn masks_reduce_as_numbers_or_as_masks() {
    everywhere(|_| {
        let mask = DArray::from_shape_vec((2, 2), vec![false, true, true, true]);
        assert_eq!(mask.sum(0).to_vec(), [1, 2]);
        assert_eq!(mask.prod(1).to_vec(), [0, 1]);
        assert_eq!((mask.max(..).item(), mask.min(..).item()), (true, false));
        assert_eq!((mask.argmax(..).item(), mask.argmin(..).item()), (1, 0));
        assert_eq!(mask.mean(..).item(), 0.75);
        assert!(!DArray::from_vec(vec![0, 2]).all(..).item());
        assert!(DArray::from_vec(vec![0.0, f64::NAN]).any(..).item());
    });
}

/// Leaves of eight rows that are folded one by one or together, in tiles that begin in the middle of a subtree or not.
#[test]
fn sums_of_columns_have_the_same_bits_everywhere() {
    let all = std::cell::RefCell::new(Vec::new());
    everywhere(|_| {
        let mut bits: Vec<u64> = Vec::new();
        for shape in [[1, 205, 300], [2, 77, 130], [3, 16, 64]] {
            let a: DArray<f64> = default_rng(5).random(shape) - 0.4;
            let b: DArray<f64> = default_rng(6).random(shape);
            let sums = [
                a.sum(1),
                (&a * &b).sum(1),
                a.max(1),
                a.t().sum(1),
                a.slice(s![.., ..;-1, ..]).sum(1),
            ];
            bits.extend(sums.iter().flat_map(|sum| sum.to_vec()).map(f64::to_bits));
        }
        all.borrow_mut().push(bits);
    });
    let all = all.into_inner();
    assert!(all.len() > 1 && all.iter().all(|bits| *bits == all[0]));
}

#[test]
fn what_is_stored_backwards_beside_a_sum_stays_in_its_place() {
    // What remains of a leaf is not whole vectors.
    for n in [5001usize, 4999, 4102] {
        let runtime = Runtime::builder().threads(1).build().unwrap();
        runtime.scope(|| {
            let x = DArray::<f64>::arange(n);
            let (bytes, bools) = (DArray::<u8>::full(n + 64, 9), DArray::<bool>::zeros(n + 64));
            let middle = s![32..n as isize + 32];
            let [small, large] = [7.0, 3.0];
            // The first time it is not compiled yet.
            for _ in 0..3 {
                let backwards = x.slice(s![..;-1]);
                bytes.slice(&middle).slice(s![..;-1]).assign((&backwards % small).cast::<u8>());
                bools.slice(&middle).slice(s![..;-1]).assign((&backwards % large).gt(1.0));
                let sum = backwards.sum(..);
                assert_eq!(sum.item(), (n * (n - 1) / 2) as f64);
            }
            let (bytes, bools) = (bytes.to_vec(), bools.to_vec());
            for at in 0..n + 64 {
                let k = at.checked_sub(32).filter(|&k| k < n);
                assert_eq!(bytes[at], k.map_or(9, |k| (k % 7) as u8), "{n} {at}");
                assert_eq!(bools[at], k.is_some_and(|k| k % 3 > 1), "{n} {at}");
            }
        });
    }
}

/// Sums of a permuted view go by the order in which its axes lie in memory.
#[test]
fn permuted_views_sum_as_they_lie() {
    let bits = |x: DArray<f64>| x.to_vec().into_iter().map(f64::to_bits).collect::<Vec<u64>>();
    everywhere(|_| {
        let x: DArray<f64> = default_rng(8).random((37, 5, 66)) - 0.5;
        let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for order in orders {
            let view = x.permute(&order);
            // By bits: the axes of the view that are reduced.
            for reduced in 1..8usize {
                let of_view: Vec<isize> = (0..3).filter(|&k| reduced >> k & 1 == 1).collect();
                let of_array: Vec<isize> = of_view.iter().map(|&k| order[k as usize]).collect();
                let (got, want) = (
                    view.sum(axes(&of_view[..]).keepdims()),
                    x.sum(axes(&of_array[..]).keepdims()).permute(&order),
                );
                assert_eq!(bits(got), bits(want), "{order:?} {of_view:?}");
                if reduced == 7 {
                    assert_eq!(view.argmax(..).item(), view.copy().argmax(..).item(), "{order:?}");
                }
            }
        }
        // Of the axes of a diagonal or of a broadcast view no order lies in memory.
        let row = x.slice(s![0, 0, ..]).broadcast_to((3, 66)).permute(&[1, 0]);
        assert_eq!(bits(row.sum(0)), bits(row.copy().sum(0)));
    });
}

/// As accurate as pairs are, along rows and columns.
#[test]
fn means_of_many_f32_are_right_to_seven_digits() {
    everywhere(|_| {
        let tenth = f64::from(0.1f32);
        let near = |mean: f32| (f64::from(mean) - tenth).abs() <= 1e-7 * tenth;
        let x = DArray::<f32>::full((1 << 18, 3), 0.1);
        assert!(near(x.mean(..).item()), "{}", x.mean(..).item());
        for axis in [0, 1] {
            let means = if axis == 0 { x.mean(0) } else { x.t().mean(1) };
            assert!(means.to_vec().into_iter().all(near), "{axis} {:?}", means.to_vec());
        }
        let wide = DArray::<f32>::full((1 << 13, 100), 0.1);
        assert!(wide.mean(0).to_vec().into_iter().all(near));
    });
}

fn floats(array: &DynArray) -> Vec<f64> {
    DArray::<f64>::try_from(array.cast(DType::F64).unwrap()).unwrap().to_vec()
}

/// Rows of a few elements beside a result that is kept: what the body of the fold stores goes where it belongs.
#[test]
fn folds_of_short_rows_leave_what_is_stored_beside_them() {
    everywhere(|_| {
        for (rows, columns) in [63, 64, 200]
            .into_iter()
            .flat_map(|rows| [1, 2, 3, 8, 31, 33, 64].map(|columns| (rows, columns)))
        {
            let values: Vec<f64> = (0..rows * columns).map(|k| (k * 5 % 7) as f64).collect();
            let expected: Vec<f64> = values.iter().map(|v| v + 1.0).collect();
            let of_rows = expected.chunks(columns);
            let largest: Vec<f64> =
                of_rows.clone().map(|row| row.iter().copied().fold(0.0, f64::max)).collect();
            let sums: Vec<f64> = of_rows.map(|row| row.iter().sum()).collect();
            let matrix = DArray::from_shape_vec((rows, columns), values);
            for dtype in
                RealType::ALL.into_iter().map(DType::from).filter(|&dtype| dtype != DType::Bool)
            {
                let x = DynArray::from(matrix.alias()).cast(dtype).unwrap();
                // Sums that bf16 does not have are rounded to it.
                let rounded =
                    sums.iter().map(|&sum| Scalar::from(sum).cast(RealType::BF16).to_f64());
                let sums = if dtype == DType::BF16 { rounded.collect() } else { sums.clone() };
                for (reduction, expected_of_rows) in
                    [(Reduction::Max, &largest), (Reduction::Sum, &sums)]
                {
                    let y = x.binary(Binary::Add, 1i64).unwrap();
                    let folded = y.reduce(reduction, 1).unwrap();
                    let case = format!("{} of {rows} x {columns} {dtype}", reduction.name());
                    assert_eq!(floats(&folded), *expected_of_rows, "{case}");
                    assert_eq!(floats(&y), expected, "beside {case}");
                }
            }
        }
    });
}

/// Columns of few rows, of which each has a weight: rows are dealt to lanes, which a function takes together.
#[test]
fn weighted_columns_of_narrow_matrices() {
    everywhere(|_| {
        for columns in [2, 3, 5, 7, 8, 12, 16, 20, 32, 33] {
            for rows in [1, 7, 8, 64, 65, 100, 223, 1730] {
                // Small integers, whose sums are exact.
                let at = |row: usize, column: usize| ((row * 5 + column * 3) % 11) as f64 - 4.0;
                let weight = |row: usize| (row % 7) as f64 - 2.0;
                let wide = DArray::from_fn((rows, columns + 1), |i| at(i[0], i[1]));
                let weights = DArray::from_fn((rows, 1), |i| weight(i[0]));
                let sums: Vec<f64> = (0..columns)
                    .map(|column| (0..rows).map(|row| at(row, column) * weight(row)).sum())
                    .collect();
                let largest: Vec<f64> = (0..columns)
                    .map(|column| {
                        let of_row = |row: usize| at(row, column) * weight(row);
                        (0..rows).map(of_row).fold(f64::NEG_INFINITY, f64::max)
                    })
                    .collect();
                let view = wide.slice(s![.., ..-1]);
                for matrix in [view.copy(), view] {
                    let case = format!("{rows} x {columns}");
                    let both = &matrix * &weights;
                    assert_eq!(both.sum(0).to_vec(), sums, "{case}");
                    assert_eq!(both.max(0).to_vec(), largest, "{case}");
                    for dtype in [DType::F32, DType::I32, DType::I64] {
                        let of = |x: &DArray<f64>| DynArray::from(x.alias()).cast(dtype).unwrap();
                        let both = of(&matrix).binary(Binary::Mul, &of(&weights)).unwrap();
                        let found = floats(&both.reduce(Reduction::Sum, 0).unwrap());
                        assert_eq!(found, sums, "{dtype} {case}");
                    }
                }
            }
        }
    });
}

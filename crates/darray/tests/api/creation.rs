//! New arrays as NumPy's, what runs for them, and that no host data is made.

use crate::devices::everywhere;
use darray::{DArray, Fallible, Indexing, Mode, Runtime, np, s};

/// A line of creation.txt: arguments, shape and elements; `None`: Python's None.
fn parse(line: &str) -> (&str, Vec<Option<f64>>, Vec<usize>, Vec<f64>) {
    let fields: Vec<&str> = line.split('|').map(str::trim).collect();
    let [name, arguments, shape, elements] = fields[..] else { panic!("{line}") };
    let number = |word: &str| (word != "None").then(|| word.parse().unwrap());
    let extents = shape.split(',').filter(|n| *n != "-").map(|n| n.parse().unwrap());
    (
        name,
        arguments.split_whitespace().map(number).collect(),
        extents.collect(),
        elements.split_whitespace().map(|n| n.parse().unwrap()).collect(),
    )
}

fn bounded(x: &DArray, low: Option<f64>, high: Option<f64>) -> DArray {
    match (low, high) {
        (None, None) => x.clip((), ()),
        (Some(low), None) => x.clip(low, ()),
        (None, Some(high)) => x.clip((), high),
        (Some(low), Some(high)) => x.clip(low, high),
    }
}

fn counted(shape: impl darray::IntoShape + Clone) -> DArray {
    let size = DArray::<f64>::zeros(shape.clone()).len();
    (DArray::<f64>::arange(size) + 1.0).reshape(shape)
}

#[test]
fn new_arrays_are_numpys() {
    everywhere(|_| {
        for line in include_str!("../numpy/creation.txt").lines() {
            let (name, arguments, shape, expected) = parse(line);
            let number = |k: usize| arguments[k].unwrap();
            let (count, offset) = (|k| number(k) as usize, |k| number(k) as isize);
            let special = vec![f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1.0, f64::INFINITY, f64::NAN];
            let special = DArray::from_vec(special);
            let found: DArray = match name {
                "eye" => DArray::eye(count(0), count(1), offset(2)),
                "tri" => DArray::tri(count(0), count(1), offset(2)),
                "tril" => counted((count(0), count(1))).tril(offset(2)),
                "triu" => counted((count(0), count(1))).triu(offset(2)),
                "diag2" => counted((count(0), count(1))).diag(offset(2)),
                "diag1" => counted(count(0)).diag(offset(1)),
                "tril1" => counted(count(0)).tril(offset(1)),
                "tril3" => (counted((2, 3, 4)) - 1.0).tril(offset(0)),
                "triu3" => (counted((2, 3, 4)) - 1.0).triu(offset(0)),
                "linspace" => DArray::linspace(number(0), number(1), count(2)),
                "linspace_open" => DArray::linspace_open(number(0), number(1), count(2)),
                "linspace32" => {
                    let x = DArray::<f32>::linspace(number(0) as f32, number(1) as f32, count(2));
                    if number(0) as f32 as f64 != number(0) || number(1) as f32 as f64 != number(1)
                    {
                        continue;
                    }
                    x.cast()
                }
                "logspace" => DArray::logspace_of(number(0), number(1), count(2), number(3)),
                "arange" => np::arange((number(0), number(1), number(2))),
                "clip" => bounded(&special, arguments[0], arguments[1]),
                "nan_to_num" => special.nan_to_num_as(number(0), arguments[1], arguments[2]),
                other => panic!("no function {other}"),
            };
            assert_eq!(found.shape(), shape, "{line}");
            // Zeros of either sign are one to NumPy's `clip`, and NaNs are one.
            let near =
                |a: f64, b: f64| name == "logspace" && (a - b).abs() <= 3.0 * b * f64::EPSILON;
            let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan() || near(*a, *b);
            let found = found.to_vec();
            assert!(found.iter().zip(&expected).all(same), "{line}: {found:?}");
        }
    });
}

#[test]
fn arrays_like_others_have_their_shape_type_and_runtime() {
    everywhere(|runtime| {
        let x = DArray::<f32>::ones((2, 3));
        let elsewhere = Runtime::builder().build().unwrap();
        elsewhere.scope(|| {
            let like = [x.zeros_like(), x.ones_like(), x.full_like(2.5), x.empty_like()];
            for (array, value) in like.iter().zip([0.0, 1.0, 2.5, 0.0]) {
                assert!(array.runtime() == runtime && array.shape() == [2, 3]);
                assert_eq!(array.to_vec(), [value; 6]);
            }
        });
        assert_eq!(DArray::<i64>::empty((0, 2)).to_vec(), [] as [i64; 0]);
        let part = DArray::<i64>::empty(4);
        part.slice(s![1..3]).assign(5);
        assert_eq!((&part + 1).to_vec(), [1, 6, 6, 1], "what nobody wrote is 0");
    });
}

#[test]
fn grids_are_spanned_by_their_coordinates() {
    everywhere(|_| {
        let line = |n: usize, from: i64| DArray::<i64>::arange(n) + from;
        let arrays = [line(2, 0), line(3, 10), line(2, 20)];
        let grid = DArray::meshgrid(&arrays, Indexing::Xy);
        assert!(grid.iter().all(|x| x.shape() == [3, 2, 2]));
        assert_eq!(grid[0].to_vec(), [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(grid[1].to_vec(), [10, 10, 10, 10, 11, 11, 11, 11, 12, 12, 12, 12]);
        assert_eq!(grid[2].to_vec(), [20, 21].repeat(6));
        let grid = DArray::meshgrid(&arrays, Indexing::Ij);
        assert_eq!((grid[0].shape(), grid[1].shape()), (&[2, 3, 2][..], &[2, 3, 2][..]));
        assert_eq!(grid[1].slice(s![1, .., 0]).to_vec(), [10, 11, 12]);
        assert_eq!(DArray::meshgrid(&arrays[..1], Indexing::Xy)[0].to_vec(), [0, 1]);
        assert!(DArray::<f64>::meshgrid(Vec::<DArray>::new(), Indexing::Xy).is_empty());
        grid[0].assign(7);
        assert_eq!(arrays[0].to_vec(), [0, 1], "coordinates are copies");
    });
}

#[test]
fn matrices_are_computed_from_indices_in_one_kernel() {
    let runtime = Runtime::builder().threads(1).mode(Mode::Fused).build().unwrap();
    runtime.scope(|| {
        let x = DArray::<f64>::ones((64, 64));
        let launched = |f: &dyn Fn() -> DArray| {
            runtime.sync();
            runtime.reset_stats();
            let result = f();
            runtime.sync();
            drop(result);
            runtime.stats().kernels
        };
        assert_eq!(launched(&|| DArray::eye(64, 64, 1)), 1);
        assert_eq!(launched(&|| DArray::tri(64, 64, 0)), 1);
        assert_eq!(launched(&|| 2.0 * x.tril(0) + &x), 1, "fused with what uses it");
        assert_eq!(launched(&|| &x + DArray::<f64>::identity(64)), 1);
        assert_eq!(launched(&|| (&x * &x).nan_to_num().clip(0.0, 0.5)), 1);
        assert_eq!(launched(&|| x.slice(s![0]).diag(0)), 2, "zeros, and the diagonal");
        assert_eq!(launched(&|| x.diag(0) + 1.0), 1, "a view");
    });
}

#[test]
fn errors_name_function_and_shape() {
    let text = |error: darray::Error| error.to_string().split(" (at ").next().unwrap().to_string();
    let cube = DArray::<f64>::ones((2, 2, 2));
    let cases = [
        (text(cube.try_diag(0).unwrap_err()), "diag: shapes [2, 2, 2]: expected one or two axes"),
        (
            text(DArray::<f64>::ones(()).try_triu(0).unwrap_err()),
            "triu: shapes []: expected at least one axis",
        ),
        (
            text(DArray::<f64>::try_empty((2, -1)).unwrap_err()),
            "empty: extent -1 is negative (shape [2, -1])",
        ),
        (
            text(DArray::<f64>::try_eye(1 << 31, 1 << 31, 0).unwrap_err()),
            "eye: too many elements (shape [2147483648, 2147483648])",
        ),
        (
            text(DArray::<f64>::try_arange(usize::MAX).unwrap_err()),
            "arange: too many elements (shape [18446744073709551615])",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

#[test]
fn writes_by_masks_keep_the_rest() {
    everywhere(|_| {
        let x = DArray::<i64>::arange(12).reshape((3, 4));
        let mask = x.gt(4) & x.lt(9);
        x.assign_where(&mask, -1);
        assert_eq!(x.to_vec(), [0, 1, 2, 3, 4, -1, -1, -1, -1, 9, 10, 11]);
        let column = x.slice(s![.., ..;-2]);
        column.assign_where(&column.gt(2), DArray::from_vec(vec![50i64, 60]));
        assert_eq!(x.to_vec(), [0, 1, 2, 50, 4, -1, -1, -1, -1, 60, 10, 50]);
        // A mask of one row for all, and a value that is the target, turned around.
        let row = DArray::from_vec(vec![true, false, false, true]);
        x.assign_where(&row, x.flip(..));
        assert_eq!(x.to_vec(), [50, 1, 2, -1, -1, -1, -1, 4, 50, 60, 10, 0]);
        let flags = DArray::from_vec(vec![true, false, true, true]);
        flags.slice(s![1..]).assign_where(&flags.slice(s![..-1]), false);
        assert_eq!(flags.to_vec(), [true, false, true, false], "the mask is read first");
        x.slice(s![3..]).assign_where(&row, 1);
        let floats = DArray::from_vec(vec![1.0, f64::NAN]);
        floats.assign_where(&floats.ne(&floats), 0.0);
        assert_eq!(floats.to_vec(), [1.0, 0.0]);
        let rows = DArray::<f64>::zeros(3).broadcast_to((2, 3));
        let all = DArray::<bool>::ones((2, 3));
        assert!(rows.try_assign_where(&all, 1.0).is_err(), "a view that repeats elements");
        assert!(floats.try_assign_where(&all, 1.0).is_err());
        assert!(floats.as_dyn().assign_where(floats.as_dyn(), 1.0).is_err(), "not a mask");
    });
}

#[test]
fn compound_assignments_have_twins() {
    let (x, y) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
    assert!(x.try_add_assign(&y).is_err() && x.try_sub_assign(&y).is_err());
    assert!(x.try_mul_assign(&y).is_err() && x.try_div_assign(&y).is_err());
    assert!(x.try_rem_assign(&y).is_err());
    x.try_add_assign(2.0).unwrap();
    x.slice(s![0]).try_sub_assign(1.0).unwrap();
    x.try_mul_assign(4.0).unwrap();
    x.try_div_assign(2.0).unwrap();
    x.try_rem_assign(5.0).unwrap();
    assert_eq!(x.to_vec(), [4.0, 1.0]);
}

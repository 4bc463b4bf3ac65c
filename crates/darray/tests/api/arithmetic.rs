//! Element-wise values.

use crate::devices::everywhere;
use darray::{Binary, DArray, DType, DynArray, Fallible, NewAxis, default_rng, np, s};

#[test]
fn operators_compute_what_rust_computes() {
    everywhere(|_| {
        let a: Vec<f64> = (0..37).map(|i| (i as f64 - 18.5) * 0.37).collect();
        let b: Vec<f64> = (0..37).map(|i| 0.1 + (i * 7 % 11) as f64).collect();
        let (x, y) = (DArray::from_vec(a.clone()), DArray::from_vec(b.clone()));
        let each = |f: fn(f64, f64) -> f64| -> Vec<f64> {
            a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect()
        };
        assert_eq!((&x + &y).to_vec(), each(|a, b| a + b));
        assert_eq!((&x - &y).to_vec(), each(|a, b| a - b));
        assert_eq!((&x * &y).to_vec(), each(|a, b| a * b));
        assert_eq!((&x / &y).to_vec(), each(|a, b| a / b));
        assert_eq!(x.minimum(&y).to_vec(), each(f64::min));
        assert_eq!(x.maximum(&y).to_vec(), each(f64::max));
        assert_eq!((-&x).to_vec(), each(|a, _| -a));
        assert_eq!(x.abs().to_vec(), each(|a, _| a.abs()));
        assert_eq!(y.sqrt().to_vec(), each(|_, b| b.sqrt()));
        assert_eq!((1.0 - &x).to_vec(), each(|a, _| 1.0 - a));
        assert_eq!((2 / &y).to_vec(), each(|_, b| 2.0 / b));
        assert_eq!(x.gt(&y).select(&x, -1.0).to_vec(), each(|a, b| if a > b { a } else { -1.0 }));
        assert_eq!(x.powi(3).to_vec(), each(|a, _| a * (a * a)));
        assert_eq!(
            np::where_(x.lt(0.0), 0.0, &y).to_vec(),
            each(|a, b| if a < 0.0 { 0.0 } else { b })
        );
        for (got, wanted) in x.exp().to_vec().into_iter().zip(each(|a, _| a.exp())) {
            assert!((got - wanted).abs() <= 2.0 * wanted * f64::EPSILON);
        }
        for (got, wanted) in y.ln().to_vec().into_iter().zip(each(|_, b| b.ln())) {
            assert!((got - wanted).abs() <= 2.0 * wanted.abs() * f64::EPSILON);
        }
    });
}

/// NumPy's `x ** 2`, `x ** 1` and `x ** -1` of floats, bit for bit.
#[test]
fn powers_with_some_scalars_are_products() {
    everywhere(|_| {
        let x = default_rng(1).uniform(-9.0, 9.0, 2000);
        let special = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e-200, -1e200, 5e-324];
        let x = DArray::concatenate(&[x, DArray::from_vec(special)], 0);
        let bytes = |x: darray::Result<DynArray>| x.unwrap().to_bytes().unwrap();
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16] {
            let x = DynArray::from(x.alias()).cast(dtype).unwrap();
            let squares = bytes(x.binary(Binary::Mul, &x));
            let reciprocals = bytes(x.binary_reversed(Binary::Div, 1.0));
            let cases = [(2, squares), (1, x.to_bytes().unwrap()), (-1, reciprocals)];
            for (exponent, expected) in cases {
                assert!(bytes(x.binary(Binary::Power, exponent)) == expected, "{dtype} {exponent}");
                let float = x.binary(Binary::Power, exponent as f64);
                assert!(bytes(float) == expected, "{dtype} {exponent}.0");
                let updated = x.copy().unwrap();
                updated.update(Binary::Power, exponent).unwrap();
                assert!(bytes(Ok(updated)) == expected, "{dtype} **= {exponent}");
            }
        }
        let whole = DArray::from_vec(vec![3i64, -2]);
        assert_eq!(whole.pow(2.0).to_vec(), [9.0, 4.0]);
        assert_eq!(whole.pow(-1.0).to_vec(), [1.0 / 3.0, -0.5]);
        assert_eq!((whole.pow(2).to_vec(), whole.pow(1).to_vec()), (vec![9, 4], vec![3, -2]));
        assert!(whole.try_pow(-1).is_err());
        let nan = DArray::from_vec(vec![f64::NAN]);
        assert!([2, 1, -1].iter().all(|&exponent| nan.pow(exponent).item().is_nan()));
    });
}

#[test]
fn integers_and_masks_have_numpys_rules() {
    everywhere(|_| {
        let x = DArray::from_vec(vec![-7, 7, i64::MAX]);
        assert_eq!((&x % 3).to_vec(), [2, 1, 1]);
        assert_eq!((&x + 1).to_vec(), [-6, 8, i64::MIN], "arithmetic wraps");
        assert_eq!((&x / 2).to_vec(), [-3.5, 3.5, i64::MAX as f64 / 2.0]);
        assert_eq!((!&x).to_vec(), [6, -8, i64::MIN]);
        assert_eq!((&x & 6).to_vec(), [0, 6, 6]);
        assert_eq!((&x ^ &x).to_vec(), [0, 0, 0]);
        let (p, q) =
            (DArray::from_vec(vec![true, true, false]), DArray::from_vec(vec![true, false, false]));
        assert_eq!((&p & &q).to_vec(), [true, false, false]);
        assert_eq!((&p | &q).to_vec(), [true, true, false]);
        assert_eq!((&p ^ &q).to_vec(), [false, true, false]);
        assert_eq!((!&p).to_vec(), [false, false, true]);
        assert_eq!((&p + &q).to_vec(), [true, true, false], "or");
        assert_eq!((&p * &q).to_vec(), [true, false, false], "and");
        assert_eq!((&p + 1).to_vec(), [2, 2, 1]);
        assert_eq!(p.abs().to_vec(), [true, true, false]);
        assert_eq!(p.powi(2).to_vec(), [1, 1, 0]);
        assert_eq!(p.gt(&q).to_vec(), [false, true, false]);
    });
}

#[test]
fn shapes_broadcast() {
    everywhere(|_| {
        let row = DArray::<i64>::arange(3);
        let column = 10 * DArray::<i64>::arange(2).slice(s![.., NewAxis]);
        assert_eq!((&row + &column).to_vec(), [0, 1, 2, 10, 11, 12]);
        assert_eq!((&column * &row).shape(), [2, 3]);
        let point = DArray::<i64>::from_shape_vec((), vec![5]);
        assert_eq!((&row * &point).to_vec(), [0, 5, 10]);
        let one = DArray::<i64>::full(1, 7);
        assert_eq!((&one + &row).to_vec(), [7, 8, 9]);
        let empty = DArray::<i64>::zeros((0, 3));
        assert_eq!((&empty + &row).to_vec(), Vec::<i64>::new());
        assert_eq!((&empty + &row).shape(), [0, 3]);
    });
}

#[test]
fn ranges_are_numpys() {
    everywhere(|_| {
        assert_eq!(DArray::<i64>::arange(0).to_vec(), Vec::<i64>::new());
        assert_eq!(DArray::range(5, -4, -3).to_vec(), [5, 2, -1]);
        assert_eq!(DArray::range(1, 1, 2).to_vec(), Vec::<i64>::new());
        // np.arange(0.1, 1.0, 0.1), whose step is (0.1 + 0.1) - 0.1.
        let tenths = DArray::range(0.1, 1.0, 0.1).to_vec();
        let wanted: Vec<f64> = (0..9).map(|i| 0.1 + i as f64 * ((0.1 + 0.1) - 0.1)).collect();
        assert_eq!(tenths, wanted);
        let third = 1.0 / 3.0;
        assert_eq!(DArray::linspace(0.0, 1.0, 4).to_vec(), [0.0, third, 2.0 * third, 1.0]);
        assert_eq!(DArray::linspace(2.0, 3.0, 1).to_vec(), [2.0]);
    });
}

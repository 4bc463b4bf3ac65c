//! Promotion of arrays and scalars, at compile time and at run time.

use darray::{Binary, DArray, DType, DynArray, Element, Float, Scalar};

/// The dtype that the compiler sees, which the run-time one must equal.
fn of<T: Element>(array: DArray<T>) -> DType {
    assert_eq!(array.as_dyn().dtype(), T::DTYPE);
    T::DTYPE
}

#[test]
fn operators_promote_as_numpy_does() {
    let (x, y) = (DArray::<f32>::ones(3), DArray::<f64>::ones(3));
    let (n, m) = (DArray::<i64>::ones(3), DArray::<bool>::ones(3));
    assert_eq!(of(&x * 2.0 + 1), DType::F32);
    assert_eq!(of(2.0 * &x), DType::F32);
    assert_eq!(of(1 - &x), DType::F32);
    assert_eq!(of(&x + &y), DType::F64);
    assert_eq!(of(&n * &x), DType::F64);
    assert_eq!(of(&m * &x), DType::F32);
    assert_eq!(of(&n * 1.5), DType::F64);
    assert_eq!(of(1.5 * &n), DType::F64);
    assert_eq!(of(&n + 1), DType::I64);
    assert_eq!(of(&m + 1), DType::I64);
    assert_eq!(of(&m + &m), DType::Bool);
    assert_eq!(of(&n / &n), DType::F64);
    assert_eq!(of(1 / &n), DType::F64);
    assert_eq!(of(&x / 2), DType::F32);
    assert_eq!(of(&m / &m), DType::F64);
    assert_eq!(of(x.gt(0.0)), DType::Bool);
    assert_eq!(of(m.select(&x, &y)), DType::F64);
    assert_eq!(of(m.select(0, &x)), DType::F32);
    assert_eq!(of(m.select(&n, 0.5)), DType::F64);
    assert_eq!(of(&m & n.ge(0)), DType::Bool);
    assert_eq!(of(!&n), DType::I64);
    assert_eq!(of(-&x), DType::F32);
    assert_eq!(of(n.sqrt()), DType::F64);
    assert_eq!(of(x.exp()), DType::F32);
    assert_eq!(of(m.powi(2)), DType::I64);
    assert_eq!(of(m.sum(..)), DType::I64);
    assert_eq!(of(x.sum(..)), DType::F32);
    assert_eq!(of(n.mean(..)), DType::F64);
    assert_eq!(of(x.mean(..)), DType::F32);
    assert_eq!(of(x.argmax(..)), DType::I64);
    assert_eq!(of(m.max(..)), DType::Bool);
    assert_eq!(of(n.dot(&x)), DType::F64);
    assert_eq!(of(m.dot(&m)), DType::Bool);
    let (u, k) = (DArray::<u8>::ones(3), DArray::<i32>::ones(3));
    assert_eq!(of(&u + &k), DType::I32);
    assert_eq!(of(&u * &x), DType::F32);
    assert_eq!(of(&k * &x), DType::F64);
    assert_eq!(of(&k + &n), DType::I64);
    assert_eq!(of(&m + &u), DType::U8);
    assert_eq!(of(&u + 1), DType::U8);
    assert_eq!(of(1 - &k), DType::I32);
    assert_eq!(of(0.5 * &u), DType::F64);
    assert_eq!(of(&u / &u), DType::F64);
    assert_eq!(of(u.sqrt()), DType::F16);
    assert_eq!(of(k.sqrt()), DType::F64);
    assert_eq!(of(u.sum(..)), DType::U64);
    assert_eq!(of(k.prod(..)), DType::I64);
    assert_eq!(of(k.mean(..)), DType::F64);
    assert_eq!(of(u.max(..)), DType::U8);
    assert_eq!(of(!&u), DType::U8);
    assert_eq!(of(-&u), DType::U8);
    assert_eq!(of(k.powi(2)), DType::I32);
    assert_eq!(of(m.select(&u, 7)), DType::U8);
    assert_eq!(of(u.dot(&k)), DType::I32);
    let w = DArray::<u64>::ones(3);
    assert_eq!(of(&w + &u), DType::U64);
    assert_eq!(of(&w + &k), DType::F64);
    assert_eq!(of(w.lt(&n)), DType::Bool);
    assert_eq!(of(w.left_shift(1)), DType::U64);
    assert_eq!(of(w.cumsum(..)), DType::U64);
    assert_eq!(of(&w * 0.5), DType::F64);
    assert_eq!(of(u.nansum(..)), DType::U64);
}

/// NumPy's small floats: of each operand's own size, also where both promote to more.
#[test]
fn functions_of_small_integers_give_small_floats() {
    let (i, u) = (DArray::<i8>::ones(2), DArray::<u8>::full(2, 12));
    let (k, w) = (DArray::<i16>::ones(2), DArray::<u16>::ones(2));
    let m = DArray::<bool>::ones(2);
    assert_eq!(of(u.sqrt()), DType::F16);
    assert_eq!(u.exp().to_string(), "[inf inf]");
    assert_eq!(u.cast::<f64>().exp().to_string(), "[162754.791419 162754.791419]");
    assert_eq!([of(m.rint()), of(k.sin()), of(w.ln())], [DType::F16, DType::F32, DType::F32]);
    assert_eq!(
        [of(i.hypot(&u)), of(k.atan2(&w)), of(i.copysign(&w))],
        [DType::F16, DType::F32, DType::F32]
    );
    assert_eq!(
        [of(i.hypot(2)), of(i.hypot(2.5)), of(m.hypot(2)), of(m.hypot(true))],
        [DType::F16, DType::F64, DType::F64, DType::F16]
    );
    assert_eq!(of(u.hypot(DArray::<darray::bf16>::ones(2))), DType::BF16);
    assert_eq!([of(i.arg()), of(m.arg()), of(k.arg())], [DType::F16, DType::F64, DType::F32]);
    // Quotients and means keep their digits.
    assert_eq!([of(&u / &i), of(u.mean(..)), of(u.std(..))], [DType::F64; 3]);
}

/// Literals chain: the type of each result is known at once.
#[test]
fn literals_need_no_annotation() {
    let y = DArray::<f64>::ones(2);
    let k: usize = 4;
    assert_eq!((2.0 * (1.0 + 0.5 * &y)).sqrt().sum(..).item().floor(), 3.0);
    assert_eq!((&y / k as f64).sqrt().to_vec(), [0.5, 0.5]);
    let mut z = y.clone();
    z += &y;
    z += DArray::<i64>::ones(2);
    z /= 2;
    z *= 4.0;
    z -= 1;
    z %= 3.0;
    assert_eq!(z.to_vec(), [2.0, 2.0]);
}

fn norm<T: Float>(x: &DArray<T>) -> DArray<T> {
    let scaled = (T::from(2.0) * x + T::one() - 1) / 2;
    (&scaled * &scaled).sum(..).sqrt()
}

#[test]
fn generic_code_takes_literals() {
    assert_eq!(norm(&DArray::<f32>::from_vec(vec![3.0, 4.0])).item(), 5.0f32);
    assert_eq!(norm(&DArray::<f64>::from_vec(vec![3.0, 4.0])).item(), 5.0f64);
}

#[test]
fn run_time_types_promote_like_static_ones() {
    for a in DType::ALL {
        for b in DType::ALL {
            let x = DynArray::full(2, a, Scalar::from(1i64)).unwrap();
            let y = DynArray::full(2, b, Scalar::from(1i64)).unwrap();
            let sum = x.binary(Binary::Add, &y).unwrap();
            assert_eq!(sum.dtype(), darray_core::promote(a, b));
            let ratio = x.binary(Binary::Div, &y).unwrap();
            assert_eq!(ratio.dtype(), darray_core::promote(a, b).inexact());
            if let (Some(a), Some(b)) = (a.as_real(), b.as_real()) {
                let size = x.binary(Binary::Hypot, &y).unwrap();
                assert_eq!(size.dtype(), darray_core::promote_function(a, b));
            }
        }
    }
    let x: DynArray = DArray::<f32>::ones(2).into();
    let error = DArray::<f64>::try_from(x).unwrap_err();
    assert!(error.to_string().starts_with("DArray::try_from: element types f32: expected f64"));
}

#[test]
fn conversions_and_ndarray() {
    let x = ndarray::array![[1.5f64, -2.5], [0.0, 4.0]];
    let y = DArray::from_ndarray(&x.t());
    assert_eq!(y.to_ndarray(), x.t().into_dyn());
    assert_eq!(y.cast::<i64>().to_vec(), [1, 0, -2, 4]);
    assert_eq!(y.cast::<bool>().to_vec(), [true, false, true, true]);
    assert_eq!(y.cast::<f32>().to_vec(), [1.5f32, 0.0, -2.5, 4.0]);
    let odd = DArray::from_vec(vec![f64::NAN, 1e300, -1e300]);
    assert_eq!(odd.cast::<i64>().to_vec(), [0, i64::MAX, i64::MIN]);
    assert_eq!(odd.cast::<u8>().to_vec(), [0, 255, 0]);
    assert_eq!(odd.cast::<i32>().to_vec(), [0, i32::MAX, i32::MIN]);
    let bytes = ndarray::array![[1u8, 200], [255, 0]];
    assert_eq!(DArray::from_ndarray(&bytes.t()).to_ndarray(), bytes.t().into_dyn());
    let zero_d = DArray::from_shape_vec((), vec![7]);
    assert_eq!((zero_d.ndim(), zero_d.item()), (0, 7));
    assert_eq!(DArray::from_fn((2, 2), |i| i[0] == i[1]).to_vec(), [true, false, false, true]);
}

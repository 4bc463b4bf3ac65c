//! Elementary functions at special values and at the edges of domains and ranges, as NumPy has them.

use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;

/// How much NumPy's own results may be off, in units in the last place.
const NUMPY: i64 = 4;

#[test]
fn special_values_are_those_of_numpy() {
    let mut seen = 0;
    for line in include_str!("numpy/functions.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let operator = Operator::from_name(words[0]).expect(line);
        let dtype = RealType::from_name(words[1]).expect(line);
        let mut numbers: Vec<Scalar> = words[2..]
            .iter()
            .map(|bits| Scalar::from_bits(dtype, u64::from_str_radix(bits, 16).expect(line)))
            .collect();
        let want = numbers.pop().expect(line);
        let got = operator.apply(&numbers);
        // Where an operand is 0, ±1, infinite or NaN the result is known exactly.
        let special = |x: &Scalar| {
            let x = x.to_f64();
            x == 0.0 || x.abs() == 1.0 || !x.is_finite()
        };
        let exact = numbers.iter().any(special) && special(&want);
        let most = if exact { 0 } else { i64::from(operator.row().ulp) + NUMPY };
        let off = distance(got, want);
        assert!(off <= most, "{operator} {numbers:?}: {got:?}, NumPy has {want:?}");
        seen += 1;
    }
    assert!(seen > 2500, "{seen}");
}

/// Neighbours where two terms once gave a result below the one before it, and where formulas meet.
#[test]
fn hyperbolic_tangents_do_not_decrease() {
    use darray_kernel::function::Native;
    use darray_kernel::function::hyperbolic::{tanh_f32, tanh_f64};
    for from in [0.6999f32, 1.92, 8.9] {
        let neighbours = (0..60_000).map(|k| f32::from_bits(from.to_bits() + k));
        let tangents: Vec<f32> = neighbours.map(|x| tanh_f32(Native(x)).0).collect();
        assert!(tangents.is_sorted(), "{from}");
    }
    for from in [0.7f64, 1.92, 18.9] {
        let neighbours = (0..60_000).map(|k| f64::from_bits(from.to_bits() - 30_000 + k));
        let tangents: Vec<f64> = neighbours.map(|x| tanh_f64(Native(x)).0).collect();
        assert!(tangents.is_sorted(), "{from}");
    }
}

/// Of numbers, zeros, and NaN with bits of their own.
#[test]
fn extrema_have_the_same_bits_in_any_order() {
    let nan = f64::from_bits(f64::NAN.to_bits() | 5);
    let numbers = [0.0, -0.0, 1.5, -3.0, f64::INFINITY, f64::NEG_INFINITY, nan, -f64::NAN];
    for dtype in [RealType::F64, RealType::F32] {
        let scalars = numbers.map(|x| match dtype {
            RealType::F64 => Scalar::from(x),
            _ => Scalar::from(x as f32),
        });
        for operator in [Operator::Minimum, Operator::Maximum] {
            let of = |a: Scalar, b: Scalar| operator.apply(&[a, b]);
            for (k, &a) in scalars.iter().enumerate() {
                for &b in &scalars {
                    let (one, other) = (of(a, b), of(b, a));
                    assert_eq!(one.bits(), other.bits(), "{operator} {a:?} {b:?}");
                    let has_nan = a.to_f64().is_nan() || b.to_f64().is_nan();
                    assert_eq!(one.to_f64().is_nan(), has_nan, "{operator} {a:?} {b:?}");
                    for &c in &scalars {
                        let (left, right) = (of(of(a, b), c), of(a, of(b, c)));
                        assert_eq!(left.bits(), right.bits(), "{operator} {a:?} {b:?} {c:?}");
                    }
                }
                assert_eq!(of(a, a).bits(), scalars[k].bits(), "{operator} {a:?}");
            }
            let zero = of(scalars[0], scalars[1]).to_f64();
            assert_eq!(zero.is_sign_negative(), operator == Operator::Minimum);
        }
    }
}

#[test]
fn powers_of_integers() {
    let power = |a: i64, b: i64| Operator::Power.apply(&[a.into(), b.into()]);
    for (a, b, want) in [
        (2, 10, 1024),
        (-3, 3, -27),
        (0, 0, 1),
        (7, 0, 1),
        // NumPy's results wrap alike.
        (2, 63, i64::MIN),
        (3, 41, -420491770248316829),
        (2, 64, 0),
        (2, i64::MAX, 0),
        (-1, i64::MAX, -1),
        // Not defined by NumPy.
        (2, -1, 0),
        (1, -5, 1),
        (-1, -5, -1),
        (-1, -4, 1),
        (0, -1, i64::MIN),
    ] {
        assert_eq!(power(a, b), want.into(), "{a}^{b}");
    }
    let narrow = |a: i32, b: i32| Operator::Power.apply(&[a.into(), b.into()]);
    for (a, b, want) in
        [(3, 4, 81), (-2, 31, i32::MIN), (7, 13, 7i32.wrapping_pow(13)), (0, -2, i32::MIN)]
    {
        assert_eq!(narrow(a, b), want.into(), "{a}^{b}");
    }
}

/// Floats between two of one type; a NaN is next to itself alone.
fn distance(a: Scalar, b: Scalar) -> i64 {
    if a.to_f64().is_nan() || b.to_f64().is_nan() {
        return if a.to_f64().is_nan() && b.to_f64().is_nan() { 0 } else { i64::MAX };
    }
    let sign_bit = if a.dtype() == RealType::F32 { 31 } else { 63 };
    let rank = |x: Scalar| {
        let size = (x.bits() & !(1 << sign_bit)) as i64;
        if x.bits() >> sign_bit == 1 { -size } else { size }
    };
    // +0 and -0 are apart.
    let signs = u64::from(a.bits() >> sign_bit != b.bits() >> sign_bit);
    (rank(a).abs_diff(rank(b)) + signs).min(i64::MAX as u64) as i64
}

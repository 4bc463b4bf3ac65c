use super::*;
use std::collections::BTreeSet;

fn f(v: f64) -> Scalar {
    v.into()
}

#[test]
fn rows_are_consistent() {
    let mut names = BTreeSet::new();
    for (i, o) in Operator::ALL.iter().enumerate() {
        assert_eq!(*o as usize, i);
        assert_eq!(o.row().operator, *o);
        assert_eq!(Operator::from_name(o.name()), Some(*o));
        assert!(names.insert(o.name()));
        assert!(!o.row().signatures.is_empty());
        let mut inputs = BTreeSet::new();
        for s in o.row().signatures {
            assert_eq!(s.inputs.len(), o.arity(), "{o}");
            assert!(inputs.insert(s.inputs), "{o} {s:?} twice");
        }
        if o.row().commutative {
            assert_eq!(o.arity(), 2);
        }
    }
    assert_eq!(Operator::from_name("nothing"), None);
}

fn values(dtype: RealType) -> Vec<Scalar> {
    let floats = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        3.7,
        -2.5,
        1e300,
        -1e-310,
        5e-324,
        700.0,
        -740.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e19,
        9007199254740993.0,
    ];
    let integers = [0, 1, -1, 2, 7, -3, i64::MAX, i64::MIN, (1 << 53) + 1];
    match dtype {
        RealType::Bool => vec![false.into(), true.into()],
        _ if dtype.is_integer() => integers.map(|v| Scalar::from(v).cast(dtype)).to_vec(),
        _ => floats.map(|v| Scalar::from(v).cast(dtype)).to_vec(),
    }
}

fn same(a: Scalar, b: Scalar) -> bool {
    a == b || (a.dtype() == b.dtype() && a.to_f64().is_nan() && b.to_f64().is_nan())
}

#[test]
fn commutative_rows_commute() {
    let mut pairs = 0;
    for o in Operator::ALL.iter().filter(|o| o.row().commutative) {
        for s in o.row().signatures {
            for a in values(s.inputs[0]) {
                for b in values(s.inputs[1]) {
                    let (ab, ba) = ((s.evaluate)(&[a, b]), (s.evaluate)(&[b, a]));
                    assert!(same(ab, ba), "{o} {a:?} {b:?}: {ab:?} {ba:?}");
                    assert_eq!(ab.dtype(), s.output);
                    pairs += 1;
                }
            }
        }
    }
    assert!(pairs > 4000, "{pairs}");
}

#[test]
fn casts_are_the_casts_of_scalars() {
    for from in RealType::ALL {
        for to in RealType::ALL {
            for v in values(from) {
                let path = Operator::conversion(from, to);
                assert!(path.len() <= 3 && path.is_empty() == (from == to), "{from} to {to}");
                let cast = path.iter().fold(v, |v, step| step.apply(&[v]));
                assert!(same(cast, v.cast(to)), "{v:?} to {to}");
            }
        }
    }
    assert_eq!(Operator::ToI64.apply(&[f(f64::NAN)]), 0i64.into());
    assert_eq!(Operator::ToI64.apply(&[f(1e300)]), i64::MAX.into());
    assert_eq!(Operator::ToI64.apply(&[f(-3.9)]), (-3i64).into());
    // Directly, not by way of f64: two roundings would give 2^24 + 2^25.
    let tie = (1i64 << 54) + (1 << 30) + 1;
    assert_eq!(Operator::ToF32.apply(&[tie.into()]), (tie as f32).into());
}

/// `operation left right = result` of wrapping integers, as NumPy gives them.
#[test]
fn narrow_integers_wrap() {
    use Operator::{Abs, Add, Mul, Neg, Not, Sub, ToI32, ToU8};
    let (low, high): (Scalar, Scalar) = (i32::MIN.into(), i32::MAX.into());
    let cases: &[(Operator, &[Scalar], Scalar)] = &[
        (Add, &[high, 1i32.into()], low),
        (Sub, &[low, 1i32.into()], high),
        (Mul, &[high, high], 1i32.into()),
        (Neg, &[low], low),
        (Abs, &[low], low),
        (Not, &[5i32.into()], (-6i32).into()),
        (Not, &[5i64.into()], (-6i64).into()),
        (ToU8, &[(-1i32).into()], 255u8.into()),
        (ToU8, &[300i32.into()], 44u8.into()),
        (ToU8, &[300.5.into()], 255u8.into()),
        (ToU8, &[(-1f32).into()], 0u8.into()),
        (ToI32, &[(1i64 << 31).into()], low),
        (ToI32, &[f64::INFINITY.into()], high),
        (ToI32, &[f64::NAN.into()], 0i32.into()),
    ];
    for (operator, args, want) in cases {
        assert_eq!(operator.apply(args), *want, "{operator} {args:?}");
    }
}

/// Types that only lie in memory have conversions and nothing else.
#[test]
fn operators_take_types_of_computation() {
    for o in Operator::ALL {
        for s in o.row().signatures {
            let is_conversion = *o == Operator::cast_to(s.output);
            let narrow = s.inputs.iter().chain([&s.output]).any(|dtype| dtype.is_narrow());
            assert!(!narrow || is_conversion, "{o} {s:?}");
        }
    }
}

#[test]
fn closed_operators_are_those_whose_results_the_narrow_type_has() {
    let bytes: Vec<Scalar> = (0..256i32).map(Scalar::from).collect();
    let signed: Vec<Scalar> = (-128..128i32).map(Scalar::from).collect();
    let all_of = |dtype: RealType| -> Vec<Scalar> {
        let bits = (0..=u16::MAX).filter(|bits| bits % 41 == 0 || *bits < 40);
        bits.map(|bits| Scalar::from_bits(dtype, bits.into())).collect()
    };
    let [halves, brains] = [RealType::F16, RealType::BF16].map(|dtype| -> Vec<Scalar> {
        all_of(dtype).into_iter().map(|value| value.cast(RealType::F32)).collect()
    });
    let has = |dtype: RealType, value: Scalar| same(value.cast(dtype).cast(value.dtype()), value);
    let mut closed = 0;
    for &o in Operator::ALL {
        for (narrow, values) in [
            (RealType::U8, &bytes),
            (RealType::I8, &signed),
            (RealType::F16, &halves),
            (RealType::BF16, &brains),
        ] {
            let compute = narrow.compute();
            let inputs: &[RealType] = &[compute, compute];
            let Some(s) = o.signature(&inputs[..o.arity().min(2)]) else { continue };
            if s.output != compute || o == Operator::cast_to(compute) {
                continue;
            }
            let some = if narrow.is_float() { &values[..values.len() / 7] } else { values };
            let mut all = values.iter().flat_map(|&a| match o.arity() {
                1 => vec![(s.evaluate)(&[a])],
                _ => some.iter().map(|&b| (s.evaluate)(&[a, b])).collect(),
            });
            let fits = all.all(|value| has(narrow, value));
            let is_closed = o.is_closed(narrow);
            // Of floats others may seem so for the values that were tried.
            assert!(fits == is_closed || (fits && narrow.is_float()), "{o} {narrow}: {fits}");
            closed += usize::from(is_closed);
        }
    }
    assert!(closed > 20, "{closed}");
}

#[test]
fn extrema_order_zeros_and_let_nan_win() {
    let (min, max) = (Operator::Minimum, Operator::Maximum);
    for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
        assert_eq!(min.apply(&[f(a), f(b)]), f(-0.0));
        assert_eq!(max.apply(&[f(a), f(b)]), f(0.0));
        assert_eq!(min.apply(&[(a as f32).into(), (b as f32).into()]), (-0f32).into());
        assert_eq!(max.apply(&[(a as f32).into(), (b as f32).into()]), 0f32.into());
    }
    for o in [min, max] {
        for v in [1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert!(o.apply(&[f(v), f(f64::NAN)]).to_f64().is_nan());
            assert!(o.apply(&[f(f64::NAN), f(v)]).to_f64().is_nan());
        }
    }
    assert_eq!(min.apply(&[f(2.0), f(-3.0)]), f(-3.0));
    assert_eq!(max.apply(&[3i64.into(), 5i64.into()]), 5i64.into());
}

#[test]
fn remainders_are_floored() {
    let low = i32::MIN as i64;
    for dtype in [RealType::I32, RealType::I64] {
        let whole = |v: i64| Scalar::from(v).cast(dtype);
        for (a, b, want) in
            [(7, 3, 1), (-7, 3, 2), (7, -3, -2), (-7, -3, -1), (5, 0, 0), (6, -3, 0), (low, -1, 0)]
        {
            let rest = Operator::Rem.apply(&[whole(a), whole(b)]);
            assert_eq!(rest, whole(want), "{a} % {b}");
        }
    }
    assert_eq!(Operator::Rem.apply(&[i64::MIN.into(), (-1i64).into()]), 0i64.into());
    let r = |a: f64, b: f64| Operator::Rem.apply(&[f(a), f(b)]);
    for (a, b, want) in [
        (7.5, 2.0, 1.5),
        (-7.5, 2.0, 0.5),
        (7.5, -2.0, -0.5),
        (6.0, -3.0, -0.0),
        (-6.0, 3.0, 0.0),
        (-1.0, f64::INFINITY, f64::INFINITY),
        (1.0, f64::INFINITY, 1.0),
    ] {
        assert_eq!(r(a, b), f(want), "{a} % {b}");
    }
    assert!(r(1.0, 0.0).to_f64().is_nan());
    assert!(r(f64::INFINITY, 2.0).to_f64().is_nan());
}

#[test]
fn exp_and_ln_have_the_special_values_of_numpy() {
    for dtype in [RealType::F32, RealType::F64] {
        let (exp, ln) = (
            |v: f64| Operator::Exp.apply(&[f(v).cast(dtype)]),
            |v: f64| Operator::Ln.apply(&[f(v).cast(dtype)]),
        );
        let as_dtype = |v: f64| f(v).cast(dtype);
        assert_eq!(exp(0.0), as_dtype(1.0));
        assert_eq!(exp(-0.0), as_dtype(1.0));
        assert_eq!(exp(f64::INFINITY), as_dtype(f64::INFINITY));
        assert_eq!(exp(f64::NEG_INFINITY), as_dtype(0.0));
        assert_eq!(exp(-1e30), as_dtype(0.0));
        assert_eq!(exp(1e30), as_dtype(f64::INFINITY));
        assert!(exp(f64::NAN).to_f64().is_nan());
        assert_eq!(ln(1.0), as_dtype(0.0));
        assert_eq!(ln(0.0), as_dtype(f64::NEG_INFINITY));
        assert_eq!(ln(-0.0), as_dtype(f64::NEG_INFINITY));
        assert_eq!(ln(f64::INFINITY), as_dtype(f64::INFINITY));
        assert!(ln(-1.0).to_f64().is_nan());
        assert!(ln(f64::NEG_INFINITY).to_f64().is_nan());
        assert!(ln(f64::NAN).to_f64().is_nan());
    }
    assert_eq!(scalar::exp_f64(709.782712893384), 1.7976931348622732e308);
    assert_eq!(scalar::exp_f64(709.7827128933841), f64::INFINITY);
    assert_eq!(scalar::exp_f64(-745.13), 5e-324);
    assert_eq!(scalar::exp_f64(-745.14), 0.0);
    assert_eq!(scalar::ln_f64(5e-324), -744.4400719213812);
    assert_eq!(scalar::ln_f32(f32::from_bits(1)), -103.27893);
    assert_eq!(scalar::exp_f32(-103.9), f32::from_bits(1));
    assert_eq!(scalar::exp_f32(88.8), f32::INFINITY);
}

/// `quick` gives the bits of `exact` from one number to another, at every `step`-th and at both ends.
fn same_bits(ends: [f32; 2], step: usize, exact: fn(f32) -> f32, quick: fn(f32) -> f32) {
    let [low, high] = ends.map(f32::to_bits);
    let (low, high) = (low.min(high), low.max(high));
    for bits in (low..high).step_by(step).chain(high - 1000..=high) {
        let x = f32::from_bits(bits);
        assert_eq!(exact(x).to_bits(), quick(x).to_bits(), "{x:e}");
    }
}

#[test]
fn functions_without_rare_cases_have_the_same_bits() {
    use crate::function::{Native, exp::exp_f32_below_64, ln::ln_f32_normal};
    let exp = |x| exp_f32_below_64(Native(x)).0;
    same_bits([0.0, 64f32.next_down()], 101, scalar::exp_f32, exp);
    same_bits([-0.0, f32::NEG_INFINITY], 101, scalar::exp_f32, exp);
    // Denormal results.
    same_bits([-87.0, -104.0], 1, scalar::exp_f32, exp);
    same_bits([f32::MIN_POSITIVE, f32::MAX], 101, scalar::ln_f32, |x| ln_f32_normal(Native(x)).0);
}

#[test]
fn fma_rounds_once() {
    let e = f64::EPSILON;
    let (a, b, c) = (1.0 + e, 1.0 - e, -1.0);
    assert_eq!(a * b + c, 0.0);
    assert_eq!(Operator::Fma.apply(&[f(a), f(b), f(c)]), f(-e * e));
}

#[test]
#[should_panic(expected = "add is not defined for [I64, F64]")]
fn no_implicit_promotion() {
    Operator::Add.apply(&[1i64.into(), 1.0.into()]);
}

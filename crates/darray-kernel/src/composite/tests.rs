use super::*;

/// The results for these inputs, by the operators' own semantics.
fn apply(composite: Composite, inputs: &[Scalar]) -> Vec<Scalar> {
    let compute = inputs[0].dtype().as_compute().unwrap();
    let body = composite.body(compute);
    let mut values = inputs.to_vec();
    for step in &body.steps {
        values.push(match step {
            Step::Constant(scalar) => *scalar,
            Step::Apply(operator, args) => {
                let args: Vec<Scalar> = args.iter().map(|&k| values[usize::from(k)]).collect();
                operator.apply(&args)
            }
        });
    }
    body.results.iter().map(|&(value, _)| values[usize::from(value)]).collect()
}

fn floats(values: &[f64]) -> Vec<Scalar> {
    values.iter().map(|&value| value.into()).collect()
}

#[test]
fn rows_have_names_of_their_own_and_bodies_in_both_float_types() {
    let mut names = std::collections::BTreeSet::new();
    for &formula in Formula::ALL {
        assert!(names.insert(formula.name()));
        for exponent in if formula.has_exponent() { vec![-7, 0, 1, 12] } else { vec![0] } {
            let composite = Composite { formula, exponent };
            assert_eq!(Composite::from_name(&composite.to_string()), Some(composite));
            for compute in [Compute::F32, Compute::F64] {
                let body = composite.body(compute);
                assert_eq!(body.results.len(), formula.results(), "{composite}");
                let parts = body.results.iter().all(|&(_, dtype)| dtype == compute.dtype());
                let mask = body.results.iter().all(|&(_, dtype)| dtype == RealType::MASK);
                assert!(parts || mask, "{composite}");
            }
        }
    }
    assert_eq!(Composite::from_name("powi"), None);
    assert_eq!(Composite::from_name("complex_exp{2}"), None);
}

#[test]
fn numbers_are_those_of_complex_numbers() {
    let of = |formula: Formula, inputs: &[f64]| {
        let results = apply(formula.into(), &floats(inputs));
        results.iter().map(|value| value.to_f64()).collect::<Vec<_>>()
    };
    assert_eq!(of(Formula::ComplexMultiply, &[1.0, 2.0, 3.0, -4.0]), [11.0, 2.0]);
    assert_eq!(of(Formula::ComplexDivide, &[11.0, 2.0, 3.0, -4.0]), [1.0, 2.0]);
    assert_eq!(of(Formula::ComplexDivides, &[3.0, -4.0, 25.0]), [3.0, 4.0]);
    assert_eq!(of(Formula::ComplexSqrt, &[-3.0, 4.0]), [1.0, 2.0]);
    assert_eq!(of(Formula::ComplexNormSquare, &[-3.0, 4.0]), [25.0]);
    assert_eq!(of(Formula::ComplexExp, &[0.0, 0.0]), [1.0, 0.0]);
    let power = Composite { formula: Formula::ComplexPowi, exponent: -2 };
    assert_eq!(apply(power, &floats(&[1.0, 1.0])), floats(&[0.0, -0.5]));
}

#[test]
fn whole_powers_of_integers_wrap() {
    let power = |exponent| Composite { formula: Formula::Powi, exponent };
    assert_eq!(apply(power(40), &[3i32.into()]), [3i32.wrapping_pow(40).into()]);
    assert_eq!(apply(power(0), &[7i64.into()]), [1i64.into()]);
    assert_eq!(apply(power(-2), &[4.0.into()]), [0.0625.into()]);
    assert!(!power(-1).is_defined(Compute::I64) && !power(1).is_defined(Compute::Bool));
}

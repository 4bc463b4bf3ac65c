//! Every traced function of the operator table, step by step, against its own primitive.

use super::*;
use crate::operator::Operator;
use darray_core::{Compute, RealType, Scalar};

/// The value of every step, as bits.
fn evaluate(trace: &Trace, args: &[Scalar]) -> u64 {
    let mut values: Vec<u64> = Vec::new();
    for step in &trace.steps {
        let arg = |k: usize| values[step.args[k] as usize];
        let of = |k: usize| trace.steps[step.args[k] as usize].kind;
        let value = match (step.action, step.kind) {
            (Action::Input(k), _) => args[k as usize].bits(),
            (Action::Constant(bits), _) => bits,
            (Action::ToBits | Action::FromBits, _) => arg(0),
            (Action::Select, _) => arg(if arg(0) != 0 { 1 } else { 2 }),
            (Action::Convert, Kind::Number(Compute::F64)) => {
                f64::from(f32::from_bits(arg(0) as u32)).to_bits()
            }
            (Action::Convert, _) => (f64::from_bits(arg(0)) as f32).to_bits().into(),
            (action, Kind::Number(Compute::F64)) => {
                let x = |k: usize| f64::from_bits(arg(k));
                match action {
                    Action::Add => x(0) + x(1),
                    Action::Sub => x(0) - x(1),
                    Action::Mul => x(0) * x(1),
                    Action::Div => x(0) / x(1),
                    Action::Neg => -x(0),
                    Action::MulAdd => x(0).mul_add(x(1), x(2)),
                    Action::Sqrt => x(0).sqrt(),
                    Action::Rem => x(0) % x(1),
                    Action::Abs => x(0).abs(),
                    Action::CopySign => x(0).copysign(x(1)),
                    Action::Round => x(0).round_ties_even(),
                    Action::Lookup(table) => table.0[arg(0) as usize % table.0.len()],
                    other => panic!("{other:?} gives a number"),
                }
                .to_bits()
            }
            (action, Kind::Number(_)) => {
                let x = |k: usize| f32::from_bits(arg(k) as u32);
                match action {
                    Action::Add => x(0) + x(1),
                    Action::Sub => x(0) - x(1),
                    Action::Mul => x(0) * x(1),
                    Action::Div => x(0) / x(1),
                    Action::Neg => -x(0),
                    Action::MulAdd => x(0).mul_add(x(1), x(2)),
                    Action::Sqrt => x(0).sqrt(),
                    Action::Rem => x(0) % x(1),
                    Action::Abs => x(0).abs(),
                    Action::CopySign => x(0).copysign(x(1)),
                    Action::Round => x(0).round_ties_even(),
                    Action::Lookup(table) => table.0[arg(0) as usize % table.0.len()] as f32,
                    other => panic!("{other:?} gives a number"),
                }
                .to_bits()
                .into()
            }
            (action, Kind::Bits(format)) => {
                let wide = match action {
                    Action::Add => arg(0).wrapping_add(arg(1)),
                    Action::Sub => arg(0).wrapping_sub(arg(1)),
                    Action::And => arg(0) & arg(1),
                    Action::Or => arg(0) | arg(1),
                    Action::Xor => arg(0) ^ arg(1),
                    Action::Shl(count) => arg(0) << count,
                    Action::Shr(count) => arg(0) >> count,
                    other => panic!("{other:?} gives bits"),
                };
                if format == Compute::F32 { wide as u32 as u64 } else { wide }
            }
            (Action::And, Kind::Mask) => arg(0) & arg(1),
            (Action::Or, Kind::Mask) => arg(0) | arg(1),
            (Action::Not, Kind::Mask) => 1 - arg(0),
            (action, Kind::Mask) => match (action, of(0)) {
                (Action::Lt, Kind::Bits(Compute::F32)) => (arg(0) as i32) < arg(1) as i32,
                (Action::Lt, Kind::Bits(_)) => (arg(0) as i64) < arg(1) as i64,
                (Action::Eq, Kind::Bits(_)) => arg(0) == arg(1),
                (compared, Kind::Number(format)) => {
                    let number = |bits: u64| match format {
                        Compute::F32 => f32::from_bits(bits as u32).into(),
                        _ => f64::from_bits(bits),
                    };
                    let (a, b) = (number(arg(0)), number(arg(1)));
                    match compared {
                        Action::Lt => a < b,
                        Action::Le => a <= b,
                        Action::Eq => a == b,
                        other => panic!("{other:?} gives a mask"),
                    }
                }
                other => panic!("{other:?} gives a mask"),
            }
            .into(),
        };
        values.push(value);
    }
    values[trace.result as usize]
}

fn operands(dtype: RealType) -> Vec<Scalar> {
    let special = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-300, 1e-40, 1e300, 1e30, 710.0, -745.0];
    let more = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, 0.1, 1e22];
    let mut all: Vec<f64> = special.into_iter().chain(more).collect();
    // A walk over the exponents, with all kinds of mantissas.
    let mut x = 1.2345e-12;
    while x < 1e13 {
        all.extend([x, -x]);
        x *= 1.737;
    }
    let scalar = |x: f64| if dtype == RealType::F32 { (x as f32).into() } else { x.into() };
    all.into_iter().map(scalar).collect()
}

fn is_nan(bits: u64, dtype: RealType) -> bool {
    match dtype {
        RealType::F32 => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    }
}

#[test]
fn traces_give_the_bits_of_their_functions() {
    let mut traced = Vec::new();
    for operator in Operator::ALL {
        for signature in operator.row().signatures {
            let Some(trace) = signature.trace else { continue };
            traced.push(operator.name());
            let trace = trace();
            let dtype = signature.output;
            let all = operands(dtype);
            let check = |args: &[Scalar]| {
                let (got, want) = (evaluate(trace, args), (signature.evaluate)(args).bits());
                let same = got == want || is_nan(got, dtype) && is_nan(want, dtype);
                assert!(same, "{operator} of {args:?}: {got:#x}, not {want:#x}\n{trace}");
            };
            for (k, &a) in all.iter().enumerate() {
                match signature.inputs.len() {
                    1 => check(&[a]),
                    // Every other operand moves through all pairs in the end.
                    _ => all.iter().skip(k % 2).step_by(2).for_each(|&b| check(&[a, b])),
                }
            }
        }
    }
    traced.dedup();
    for name in ["exp", "ln", "sin", "pow", "erf", "minimum", "rem", "floor_divide", "nextafter"] {
        assert!(traced.contains(&name), "{name} is not traced: {traced:?}");
    }
}

#[test]
fn a_trace_as_text() {
    let trace = Trace::record::<f32>(1, |x| super::super::erf::erf_f32(x[0]));
    let again = Trace::record::<f32>(1, |x| super::super::erf::erf_f32(x[0]));
    assert_eq!(trace, again);
    let minimum = Trace::record::<f64>(2, |x| super::super::extremum::minimum(x[0], x[1]));
    let text = "\
%0 = input 0
%1 = input 1
%2 = lt.f64 %0 %1
%3 = select.f64 %2 %0 %1
%4 = lt.f64 %1 %0
%5 = select.f64 %4 %1 %0
%6 = to_bits.b64 %3
%7 = to_bits.b64 %5
%8 = or.b64 %6 %7
%9 = from_bits.f64 %8
%9
";
    assert_eq!(minimum.to_string(), text);
}

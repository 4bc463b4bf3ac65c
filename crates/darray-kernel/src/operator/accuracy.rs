//! The elementary functions at the arguments of `accuracy/references.txt`: those with the largest errors
//! among millions measured, a few of all others, and special values.
//!
//! `tests/ulp/measure.py` measures, and writes the file with `--references`.

use super::{Operator, Signature};
use darray_core::{RealType, Scalar};

const REFERENCES: &str = include_str!("accuracy/references.txt");

/// A function at one type: the lines behind its head.
struct Section<'a> {
    operator: Operator,
    signature: &'static Signature,
    /// The largest error when it was measured.
    measured: f64,
    lines: Vec<&'a str>,
}

#[test]
fn errors_are_what_was_measured() {
    for section in sections() {
        let (name, inputs) = (section.operator.name(), section.signature.inputs);
        let mut worst = (0.0, "");
        for line in &section.lines {
            let error = error(section.signature, line);
            worst = if error > worst.0 { (error, line) } else { worst };
        }
        let limit = f64::from(section.operator.row().ulp);
        assert!(worst.0 <= limit, "{name} {inputs:?} promises {limit} ulp: {worst:?}");
        // A digit changed in a coefficient shows here.
        let measured = section.measured - 0.05..section.measured + 0.05;
        assert!(
            measured.contains(&worst.0),
            "{name} {inputs:?} has changed, measure it again: {worst:?}, it was {measured:?}"
        );
    }
}

#[test]
fn every_elementary_function_is_there() {
    let found: Vec<_> = sections().iter().map(|s| (s.operator, s.signature.inputs)).collect();
    // The quantile has a table of its own, in `function::normal`.
    let elementary = |o: &&Operator| o.row().ulp > 0 && **o != Operator::NormalQuantile;
    for &operator in Operator::ALL.iter().filter(elementary) {
        for signature in operator.row().signatures.iter().filter(|s| s.output.is_float()) {
            let inputs = signature.inputs;
            assert!(
                found.contains(&(operator, inputs)),
                "{operator} {inputs:?}: run tests/ulp/measure.py --references"
            );
        }
    }
    assert!(sections().iter().all(|section| section.lines.len() >= 60));
}

/// `exp f64 0.991`, then lines of arguments, result, and what rounding took from it.
fn sections() -> Vec<Section<'static>> {
    let mut sections: Vec<Section<'static>> = Vec::new();
    for line in REFERENCES.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let Some(operator) = Operator::from_name(words[0]) else {
            sections.last_mut().expect("a file begins with a head").lines.push(line);
            continue;
        };
        let dtype = RealType::from_name(words[1]).expect("a head names a type");
        let inputs = vec![dtype; operator.arity()];
        let signature = operator.signature(&inputs).expect("a head names types of its operator");
        let measured = words[2].parse().expect("a head ends with a number");
        sections.push(Section { operator, signature, measured, lines: Vec::new() });
    }
    sections
}

/// Distance of the operator's result from the true one in units of the last place.
fn error(signature: &Signature, line: &str) -> f64 {
    let words: Vec<&str> = line.split(' ').collect();
    let (rest, numbers) = words.split_last().expect("a line has numbers");
    let number = |(word, dtype): (&&str, RealType)| {
        Scalar::from_bits(dtype, u64::from_str_radix(word, 16).expect("bits in hexadecimal"))
    };
    let (want, operands) = numbers.split_last().expect("a line has a result");
    let want = number((want, signature.output));
    let dtypes = signature.inputs.iter().copied();
    let operands: Vec<Scalar> = operands.iter().zip(dtypes).map(number).collect();
    let got = (signature.evaluate)(&operands);
    let (x, y) = (got.to_f64(), want.to_f64());
    if got == want || x.is_nan() && y.is_nan() {
        return rest.parse::<f64>().expect("the last word is a number").abs();
    }
    if x.is_nan() || y.is_nan() || (y == 0.0 && x == 0.0) || x.is_infinite() != y.is_infinite() {
        return f64::INFINITY;
    }
    let steps = place(got) - place(want);
    (steps as f64 - rest.parse::<f64>().expect("the last word is a number")).abs()
}

/// The place of a number among all of its format.
fn place(number: Scalar) -> i128 {
    let sign = 1u64 << (8 * number.dtype().size() - 1);
    let size = i128::from(number.bits() & !sign);
    if number.bits() & sign == 0 { size } else { -size }
}

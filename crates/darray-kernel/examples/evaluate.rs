//! Evaluates operators of the table for programs in other languages; see `measure.py`.
//!
//! `evaluate list` prints a line per operator and combination of operand types: name, most ulps (0:
//! correctly rounded), type of the result, types of the operands.
//!
//! `evaluate NAME TYPE...` reads operands of these types from standard input, those of one element
//! after those of the other, and writes the results. Numbers are little-endian, `bool` is a byte.

use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;
use std::io::{Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match &words[..] {
        [list] if list == "list" => list_operators(),
        [name, types @ ..] if !types.is_empty() => evaluate(name, types),
        _ => Err("usage: evaluate list | evaluate NAME TYPE... <OPERANDS >RESULTS".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn list_operators() -> Outcome {
    let mut out = std::io::stdout().lock();
    for operator in Operator::ALL {
        let row = operator.row();
        for signature in row.signatures {
            let inputs: Vec<&str> = signature.inputs.iter().map(|d| d.name()).collect();
            let (ulp, output) = (row.ulp, signature.output.name());
            writeln!(out, "{operator} {ulp} {output} {}", inputs.join(" "))?;
        }
    }
    Ok(())
}

fn evaluate(name: &str, types: &[String]) -> Outcome {
    let operator = Operator::from_name(name).ok_or(format!("no operator {name}"))?;
    let types: Vec<RealType> = types
        .iter()
        .map(|name| RealType::from_name(name).ok_or(format!("no type {name}")))
        .collect::<Result<_, _>>()?;
    let signature = operator.signature(&types).ok_or("the operator does not take these types")?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let mut rest = &bytes[..];
    let mut results = Vec::with_capacity(bytes.len());
    while !rest.is_empty() {
        let mut operands = Vec::with_capacity(types.len());
        for &dtype in &types {
            let (number, behind) =
                rest.split_at_checked(dtype.size()).ok_or("the operands end within an element")?;
            let mut bits = [0; 8];
            bits[..number.len()].copy_from_slice(number);
            operands.push(Scalar::from_bits(dtype, u64::from_le_bytes(bits)));
            rest = behind;
        }
        let result = (signature.evaluate)(&operands);
        results.extend_from_slice(&result.bits().to_le_bytes()[..result.dtype().size()]);
    }
    std::io::stdout().lock().write_all(&results)?;
    Ok(())
}

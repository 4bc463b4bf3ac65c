//! Evaluates functions of complex arrays for programs in other languages; see `tests/ulp/complex.py`.
//!
//! `complex_functions list` prints the names. `complex_functions NAME TYPE` reads parts of this type (`f32` or
//! `f64`) from standard input, the imaginary one of an element after its real one, and writes the results in
//! the same way. Numbers are little-endian.

use darray::{Complex, ComplexArray, ComplexPart};
use std::io::{Read, Write};
use std::process::ExitCode;

/// A function by name.
type Named<T> = (&'static str, fn(&ComplexArray<T>) -> ComplexArray<T>);

fn functions<T: ComplexPart>() -> Vec<Named<T>> {
    vec![
        ("exp", ComplexArray::exp),
        ("log", ComplexArray::ln),
        ("log10", ComplexArray::log10),
        ("log2", ComplexArray::log2),
        ("sqrt", ComplexArray::sqrt),
        ("sin", ComplexArray::sin),
        ("cos", ComplexArray::cos),
        ("tan", ComplexArray::tan),
        ("sinh", ComplexArray::sinh),
        ("cosh", ComplexArray::cosh),
        ("tanh", ComplexArray::tanh),
        ("arcsin", ComplexArray::asin),
        ("arccos", ComplexArray::acos),
        ("arctan", ComplexArray::atan),
        ("arcsinh", ComplexArray::asinh),
        ("arccosh", ComplexArray::acosh),
        ("arctanh", ComplexArray::atanh),
    ]
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome =
        match words[..] {
            ["list"] => {
                functions::<f64>().iter().for_each(|(name, _)| println!("{name}"));
                Ok(())
            }
            [name, "f32"] => evaluate(name, f32::from_le_bytes),
            [name, "f64"] => evaluate(name, f64::from_le_bytes),
            _ => Err("usage: complex_functions list | complex_functions NAME TYPE <PARTS >RESULTS"
                .into()),
        };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn evaluate<T: ComplexPart, const N: usize>(
    name: &str,
    from_bytes: fn([u8; N]) -> T,
) -> Result<(), Box<dyn std::error::Error>> {
    let functions = functions::<T>();
    let found = functions.iter().find(|(known, _)| *known == name);
    let (_, function) = found.ok_or(format!("no function {name}"))?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let parts = bytes.chunks_exact(N).map(|part| from_bytes(part.try_into().expect("N bytes")));
    let parts: Vec<T> = parts.collect();
    let elements = parts.chunks_exact(2).map(|z| Complex::new(z[0], z[1])).collect();
    let results = function(&ComplexArray::from_vec(elements)).to_vec();
    let parts: Vec<T> = results.iter().flat_map(|z| [z.re, z.im]).collect();
    std::io::stdout().lock().write_all(&T::to_bytes(&parts))?;
    Ok(())
}

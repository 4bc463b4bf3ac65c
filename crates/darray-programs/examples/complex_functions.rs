//! Evaluates functions of complex arrays for programs in other languages; see `tests/ulp/complex.py`.
//!
//! `complex_functions list` prints the names. `complex_functions NAME TYPE` reads parts of this type (`f32` or
//! `f64`) from standard input, the imaginary one of an element after its real one, and writes the results in
//! the same way. Numbers are little-endian.

use darray::{Complex, ComplexNumber, ComplexPart, DArray};
use std::io::{Read, Write};
use std::process::ExitCode;

/// A function by name.
type Named<Z> = (&'static str, fn(&DArray<Z>) -> DArray<Z>);

fn functions<Z: ComplexNumber>() -> Vec<Named<Z>> {
    vec![
        ("exp", DArray::exp),
        ("log", DArray::ln),
        ("log10", DArray::log10),
        ("log2", DArray::log2),
        ("sqrt", DArray::sqrt),
        ("sin", DArray::sin),
        ("cos", DArray::cos),
        ("tan", DArray::tan),
        ("sinh", DArray::sinh),
        ("cosh", DArray::cosh),
        ("tanh", DArray::tanh),
        ("arcsin", DArray::asin),
        ("arccos", DArray::acos),
        ("arctan", DArray::atan),
        ("arcsinh", DArray::asinh),
        ("arccosh", DArray::acosh),
        ("arctanh", DArray::atanh),
    ]
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome =
        match words[..] {
            ["list"] => {
                functions::<Complex<f64>>().iter().for_each(|(name, _)| println!("{name}"));
                Ok(())
            }
            [name, "f32"] => evaluate(name, f32::from_le_bytes, f32::to_le_bytes),
            [name, "f64"] => evaluate(name, f64::from_le_bytes, f64::to_le_bytes),
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
    to_bytes: fn(T) -> [u8; N],
) -> Result<(), Box<dyn std::error::Error>> {
    let functions = functions::<T::WithComplex>();
    let found = functions.iter().find(|(known, _)| *known == name);
    let (_, function) = found.ok_or(format!("no function {name}"))?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let parts = bytes.chunks_exact(N).map(|part| from_bytes(part.try_into().expect("N bytes")));
    let parts: Vec<T> = parts.collect();
    let elements = parts.chunks_exact(2).map(|z| T::WithComplex::of_parts(z[0], z[1])).collect();
    let results = function(&DArray::from_vec(elements)).to_vec();
    let parts: Vec<T> = results.iter().flat_map(|z| z.parts()).collect();
    let bytes: Vec<u8> = parts.into_iter().flat_map(to_bytes).collect();
    std::io::stdout().lock().write_all(&bytes)?;
    Ok(())
}

//! A long run of random programs:
//! `cargo run --release -p darray-suite -- COUNT [FIRST_SEED [interpreter]]`.

use darray_suite::campaign;
use darray_testkit::{Backend, Options};
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo run --release -p darray-suite -- COUNT [FIRST_SEED [interpreter]]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).map(|word| word.parse::<u64>()).transpose();
    let (Ok(Some(count)), Ok(first), 1..=3) = (number(0), number(1), words.len()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let backend = match words.get(2).map(String::as_str) {
        None => Backend::Cpu,
        Some("interpreter") => Backend::Interpreter,
        Some(_) => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let first = first.unwrap_or(0);
    match campaign(first..first + count, Options { backend, ..Options::default() }) {
        Ok(coverage) => {
            println!("{coverage:#?}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

//! A long run of random programs:
//! `cargo run --release -p darray-suite -- COUNT [FIRST_SEED] [interpreter] [large]`.
//!
//! `interpreter` runs kernels by the interpreter that defines them, `large` draws arrays of several
//! blocks and leaves the blocks of reductions as they are outside tests.

use darray_kernel::tree::TreeRule;
use darray_suite::campaign;
use darray_testkit::{Backend, Options, Scale};
use std::ops::Range;
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo run --release -p darray-suite -- COUNT [FIRST_SEED] [interpreter] [large]";

fn main() -> ExitCode {
    let Some((seeds, options)) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match campaign(seeds, options) {
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

fn parse(words: impl Iterator<Item = String>) -> Option<(Range<u64>, Options)> {
    let mut options = Options::default();
    let mut numbers = Vec::new();
    for word in words {
        match &word[..] {
            "interpreter" => options.backend = Backend::Interpreter,
            "large" => {
                options.scale = Scale::Large;
                options.tree_rule = TreeRule::STANDARD;
            }
            _ => numbers.push(word.parse::<u64>().ok()?),
        }
    }
    match numbers[..] {
        [count] => Some((0..count, options)),
        [count, first] => Some((first..first.checked_add(count)?, options)),
        _ => None,
    }
}

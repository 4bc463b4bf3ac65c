//! A long run of random programs:
//! `cargo run --release -p darray-suite -- COUNT [FIRST_SEED] [interpreter] [large] [cuda]`.
//!
//! `interpreter` runs kernels by the interpreter that defines them, `large` draws arrays of several
//! blocks and leaves the blocks of reductions as they are outside tests, `cuda` runs the programs on CUDA
//! devices over the fake driver and compares with the CPU.

use darray_kernel::tree::TreeRule;
use darray_suite::{campaign, fake_or_skip};
use darray_testkit::{Backend, Options, Scale, Trial};
use std::ops::Range;
use std::process::ExitCode;

const USAGE: &str =
    "usage: cargo run --release -p darray-suite -- COUNT [FIRST_SEED] [interpreter] [large] [cuda]";

/// What the words of the command line ask for.
struct Request {
    seeds: Range<u64>,
    options: Options,
    cuda: bool,
}

fn main() -> ExitCode {
    let Some(Request { seeds, mut options, cuda }) = parse(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let program = std::env::current_exe().unwrap_or_default();
    // target/tmp, where tests keep kernels too.
    let kernels = program.ancestors().nth(2).map(|target| target.join("tmp"));
    let turn = match cuda {
        true => match fake_or_skip(kernels.unwrap_or_default()) {
            Some(turn) => Some(turn),
            None => return ExitCode::SUCCESS,
        },
        false => None,
    };
    if let Some(turn) = &turn {
        options = Options { trial: Trial::Machine(turn.machine()), oracle: false, ..options };
    }
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

fn parse(words: impl Iterator<Item = String>) -> Option<Request> {
    let mut options = Options::default();
    let mut numbers = Vec::new();
    let mut cuda = false;
    for word in words {
        match &word[..] {
            "interpreter" => options.backend = Backend::Interpreter,
            "large" => {
                options.scale = Scale::Large;
                options.tree_rule = TreeRule::STANDARD;
            }
            "cuda" => cuda = true,
            _ => numbers.push(word.parse::<u64>().ok()?),
        }
    }
    let seeds = match numbers[..] {
        [count] => 0..count,
        [count, first] => first..first.checked_add(count)?,
        _ => return None,
    };
    Some(Request { seeds, options, cuda })
}

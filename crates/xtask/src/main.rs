//! Command line of the repository checks: `cargo run -p xtask -- tidy`.

use std::process::ExitCode;
use xtask::{Tree, tidy};

const USAGE: &str = "usage: cargo run -p xtask -- tidy";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let tree = match Tree::read(&xtask::root()) {
        Ok(tree) => tree,
        Err(error) => {
            eprintln!("cannot read the repository: {error}");
            return ExitCode::FAILURE;
        }
    };
    match arguments[..] {
        ["tidy"] => report(&tidy(&tree)),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Prints the problems; success when there is none.
fn report(problems: &[xtask::Problem]) -> ExitCode {
    for problem in problems {
        eprintln!("{problem}");
    }
    if problems.is_empty() {
        println!("tidy");
        return ExitCode::SUCCESS;
    }
    eprintln!("{} problems", problems.len());
    ExitCode::FAILURE
}

//! Command line of darray: `bench`, `gains`, `stats`, `explain`, `dump`, `costs`, `doctor`, `coverage`.

mod arguments;
mod bench;
mod costs;
mod coverage;
mod doctor;
mod dump;
mod explain;
mod gains;
mod output;
mod schedules;
mod stats;

use arguments::{Arguments, Command};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;

fn main() -> ExitCode {
    match Arguments::try_parse().and_then(checked) {
        Ok(Arguments { command: Command::Bench(request) }) => bench::run(&request),
        Ok(Arguments { command: Command::Gains(request) }) => gains::run(&request),
        Ok(Arguments { command: Command::Stats(request) }) => stats::run(&request),
        Ok(Arguments { command: Command::Explain(request) }) => explain::run(&request),
        Ok(Arguments { command: Command::Dump(request) }) => dump::run(&request),
        Ok(Arguments { command: Command::Costs }) => costs::run(),
        Ok(Arguments { command: Command::Doctor }) => doctor::run(),
        Ok(Arguments { command: Command::Coverage(request) }) => coverage::run(request.json),
        Err(error) => refuse(&error),
    }
}

/// Refuses sizes of which no arrays can exist.
fn checked(arguments: Arguments) -> Result<Arguments, clap::Error> {
    let (program, n) = match &arguments.command {
        Command::Bench(request) => (request.program, request.n.unwrap_or(1)),
        Command::Explain(request) => (request.program, request.n),
        Command::Stats(request) => match request.program {
            Some(program) => (program, request.n.unwrap_or(1)),
            None => return Ok(arguments),
        },
        Command::Dump(request) => (request.program, request.n),
        Command::Gains(_) | Command::Costs | Command::Doctor | Command::Coverage(_) => {
            return Ok(arguments);
        }
    };
    if program.is_countable(n) {
        return Ok(arguments);
    }
    let message = format!("--n {n} makes arrays of more elements than can be counted\n");
    Err(clap::Error::raw(clap::error::ErrorKind::ValueValidation, message))
}

/// Says what is wrong and how the program is used; exit code 2, or 0 where help was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    let text = error.to_string();
    if error.use_stderr() {
        let usage = if text.contains("Usage") { String::new() } else { format!("\n\n{}", usage()) };
        output::error(format_args!("{}{usage}", text.trim_end()));
    } else {
        output::print(text);
    }
    ExitCode::from(error.exit_code() as u8)
}

/// The usage of the subcommand that was named, or of the program.
fn usage() -> String {
    let mut program = Arguments::command();
    program.build();
    let named = std::env::args().nth(1).and_then(|name| program.find_subcommand_mut(name));
    match named {
        Some(subcommand) => subcommand.render_usage().to_string(),
        None => Arguments::command().render_usage().to_string(),
    }
}

//! What the program prints. Its reader may have gone: `darray-cli doctor | head -1`.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::process::{ExitCode, exit};

/// Prints a text. Where nobody reads it any more, the program ends without a word, as one that the signal for that ends.
pub fn print(text: impl Display) {
    let mut out = stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(failure) if failure.kind() == ErrorKind::BrokenPipe => exit(ENDED_BY_PIPE),
        Err(failure) => {
            error(format_args!("cannot print: {failure}"));
            exit(1);
        }
    }
}

/// Prints a text and ends its line; see [`print`].
pub fn line(text: impl Display) {
    print(format_args!("{text}\n"));
}

/// Says what is wrong, and ends the line. Where nobody reads that either, the exit code says it.
pub fn error(text: impl Display) {
    let _ = writeln!(stderr().lock(), "{text}");
}

/// The exit code that a shell gives for a program ended by SIGPIPE.
const ENDED_BY_PIPE: i32 = 128 + 13;

/// Prints what a command found, or why it failed.
pub fn finish(found: darray::Result<impl Display>) -> ExitCode {
    match found {
        Ok(text) => {
            line(text);
            ExitCode::SUCCESS
        }
        Err(message) => {
            error(message);
            ExitCode::FAILURE
        }
    }
}

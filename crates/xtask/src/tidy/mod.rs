//! The checks.

mod circles;
mod commands;
mod crate_docs;
mod decisions;
mod element_types;
mod errors;
mod file_length;
mod folders;
mod levels;
mod names;
mod programs;
mod settings;
mod unsafe_code;
mod words;

use crate::Tree;
use std::fmt;

pub use element_types::files_with_names;
pub use settings::PAGE as SETTINGS_PAGE;

/// A rule that the repository breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The check that found it.
    pub check: &'static str,
    /// The file, relative to the root.
    pub path: String,
    /// The 1-based line, or 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong, and what the rule is.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { check, path, line, message } = self;
        match line {
            0 => write!(f, "{path}: {message} [{check}]"),
            _ => write!(f, "{path}:{line}: {message} [{check}]"),
        }
    }
}

/// A rule with its name.
pub type Check = (&'static str, fn(&Tree) -> Vec<Problem>);

/// Every check, in the order in which they run.
pub const CHECKS: [Check; 14] = [
    (levels::NAME, levels::check),
    (file_length::NAME, file_length::check),
    (folders::NAME, folders::check),
    (unsafe_code::NAME, unsafe_code::check),
    (settings::NAME, settings::check),
    (words::NAME, words::check),
    (names::NAME, names::check),
    (crate_docs::NAME, crate_docs::check),
    (programs::NAME, programs::check),
    (errors::NAME, errors::check),
    (circles::NAME, circles::check),
    (decisions::NAME, decisions::check),
    (element_types::NAME, element_types::check),
    (commands::NAME, commands::check),
];

/// What all checks find.
pub fn tidy(tree: &Tree) -> Vec<Problem> {
    CHECKS.iter().flat_map(|(_, check)| check(tree)).collect()
}

/// The problem of a whole file (`line` 0) or of one line.
fn problem(check: &'static str, path: &str, line: usize, message: impl Into<String>) -> Problem {
    Problem { check, path: path.to_string(), line, message: message.into() }
}

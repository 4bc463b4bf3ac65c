//! What is wrong with a text of PTX.

use std::error::Error;
use std::fmt;

/// A text that cannot be executed: where and why.
#[derive(Clone, PartialEq, Eq)]
pub struct PtxError {
    /// The line, from 1; 0 where none is to blame.
    pub line: u32,
    /// What is wrong.
    pub why: String,
}

impl PtxError {
    pub(super) fn at(line: u32, why: String) -> PtxError {
        PtxError { line, why }
    }
}

impl fmt::Display for PtxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.why)
    }
}

impl fmt::Debug for PtxError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for PtxError {}

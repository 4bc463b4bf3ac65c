//! Why a kernel has no program.

use std::fmt;

/// A kernel whose shape this code generator does not take.
#[derive(Clone, PartialEq, Eq)]
pub enum CodegenError {
    /// A `For` or `Fold` inside a region that may not contain it.
    Nesting {
        /// What was found.
        found: &'static str,
        /// Where.
        inside: &'static str,
    },
    /// More than one `Fold` in one `For`.
    SecondFold,
    /// A `Yield` of a value that no fold of the same nest gives.
    Yield {
        /// The value's number.
        value: u32,
    },
    /// A value that is used where no value is defined or visible.
    Undefined {
        /// The value's number.
        value: u32,
    },
    /// An operator without a row for its operands' types.
    Operator {
        /// The operator's name.
        operator: &'static str,
    },
    /// An operator that this code generator has no text for.
    Unwritten {
        /// The operator's name.
        operator: &'static str,
    },
}

impl fmt::Display for CodegenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodegenError::Nesting { found, inside } => write!(f, "{found} inside {inside}"),
            CodegenError::SecondFold => f.write_str("a second fold in one loop"),
            CodegenError::Yield { value } => {
                write!(f, "yield of %{value}, which is no fold's result")
            }
            CodegenError::Undefined { value } => write!(f, "%{value} is not defined here"),
            CodegenError::Operator { operator } => {
                write!(f, "{operator} is not defined for its operands")
            }
            CodegenError::Unwritten { operator } => {
                write!(f, "{operator} is not written in CUDA C")
            }
        }
    }
}

impl fmt::Debug for CodegenError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for CodegenError {}

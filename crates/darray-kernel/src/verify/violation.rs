//! Broken invariants.

use crate::ir::{Param, Role, Value};
use crate::operator::Operator;
use crate::reducer::Reducer;
use darray_core::RealType;
use std::fmt;

/// Which invariant of [`verify`](crate::verify) is broken. The letter and number are the list's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// S1: the outermost region has axes, or another has none.
    Axes {
        /// How many it has.
        found: usize,
    },
    /// S2: a `for`, `fold` or `yield` where it cannot stand.
    Nesting {
        /// `for`, `fold` or `yield`.
        operation: &'static str,
        /// What it stands in.
        inside: &'static str,
    },
    /// S2: more than one fold in a `for`.
    SecondFold,
    /// S2: a fold that folds nothing.
    EmptyFold,
    /// S3: two axes with one logical number.
    LogicalAxis {
        /// The number.
        logical: u8,
    },
    /// S5: a loop nest of a kernel by rows without rows.
    NoRows,
    /// S4: no such param.
    Param {
        /// Which.
        param: Param,
    },
    /// S4: no such scalar.
    Scalar {
        /// Which.
        index: u16,
    },
    /// S4: no such buffer.
    Buffer {
        /// Which.
        buffer: u16,
    },
    /// V1: a definition out of order.
    Numbering {
        /// The value defined.
        found: Value,
        /// The next number.
        expected: Value,
    },
    /// V2: a use before the definition or outside its region.
    Scope {
        /// The value used.
        value: Value,
    },
    /// V3: no row for these operands.
    Operands {
        /// The operator.
        operator: Operator,
        /// Their types.
        operands: Vec<RealType>,
    },
    /// V3: a value of another type than its use needs.
    Type {
        /// The value.
        value: Value,
        /// Its type.
        found: RealType,
        /// The type needed.
        expected: RealType,
    },
    /// V3: a random key that is no value of the outermost region.
    RandomKey {
        /// The value.
        value: Value,
    },
    /// V3: random numbers of a type that is not drawn.
    RandomType {
        /// The type.
        dtype: RealType,
    },
    /// V4: a reducer over a type for which it is not defined.
    Reducer {
        /// The reducer.
        reducer: Reducer,
        /// The folded type.
        dtype: RealType,
    },
    /// V4: an index result too many or too few.
    IndexResult {
        /// The reducer.
        reducer: Reducer,
    },
    /// A1: wrong number of coordinates.
    Rank {
        /// The buffer.
        buffer: u16,
        /// Coordinates given.
        found: usize,
        /// Its rank.
        expected: u8,
    },
    /// A1: an axis that does not enclose the operation.
    Axis {
        /// Its number.
        axis: u8,
    },
    /// A1: a zero step with an axis, or a step or shift without.
    Step {
        /// The buffer.
        buffer: u16,
        /// Which coordinate.
        dim: usize,
    },
    /// A2: an access that the buffer's role does not allow.
    Role {
        /// The buffer.
        buffer: u16,
        /// Its role.
        role: Role,
        /// `load`, `store`, `masked store` or `yield`.
        access: &'static str,
    },
    /// A3: a yield of something else than a fold's result of the same region.
    NoFoldResult {
        /// The value.
        value: Value,
    },
    /// A3: coordinates that are not slot and enclosing axes.
    YieldCoordinates {
        /// The buffer.
        buffer: u16,
    },
    /// T1: sizes that make no tree.
    TreeRule,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Axes { found: 0 } => write!(f, "a loop without axes"),
            Violation::Axes { found } => write!(f, "{found} axes on the outermost region"),
            Violation::Nesting { operation, inside } => {
                write!(f, "{operation} cannot stand in {inside}")
            }
            Violation::NoRows => write!(f, "a nest of a kernel by rows has no axis 0"),
            Violation::SecondFold => write!(f, "a second fold in one for"),
            Violation::EmptyFold => write!(f, "a fold that folds nothing"),
            Violation::LogicalAxis { logical } => write!(f, "logical axis {logical} twice"),
            Violation::Param { param } => write!(f, "no param {param}"),
            Violation::Scalar { index } => write!(f, "no scalar {index}"),
            Violation::Buffer { buffer } => write!(f, "no buffer b{buffer}"),
            Violation::Numbering { found, expected } => {
                write!(f, "{found} is defined where {expected} comes next")
            }
            Violation::Scope { value } => write!(f, "{value} is not defined here"),
            Violation::Operands { operator, operands } => {
                let names: Vec<&str> = operands.iter().map(|d| d.name()).collect();
                write!(f, "{operator} is not defined for [{}]", names.join(", "))
            }
            Violation::Type { value, found, expected } => {
                write!(f, "{value} is {found}, not {expected}")
            }
            Violation::RandomKey { value } => {
                write!(f, "the random key {value} is no value of the outermost region")
            }
            Violation::RandomType { dtype } => write!(f, "no random numbers of type {dtype}"),
            Violation::Reducer { reducer, dtype } => {
                write!(f, "{reducer} is not defined for {dtype}")
            }
            Violation::IndexResult { reducer } => {
                let has = if reducer.has_index() { "has an" } else { "has no" };
                write!(f, "{reducer} {has} index result")
            }
            Violation::Rank { buffer, found, expected } => {
                write!(f, "{found} coordinates for b{buffer} of rank {expected}")
            }
            Violation::Axis { axis } => write!(f, "axis i{axis} does not enclose the operation"),
            Violation::Step { buffer, dim } => {
                write!(f, "coordinate {dim} of b{buffer} needs both an axis and a step, or neither")
            }
            Violation::Role { buffer, role, access } => {
                write!(f, "{access} on b{buffer}, which is {}", role.name())
            }
            Violation::NoFoldResult { value } => {
                write!(f, "{value} is no result of a fold of this region")
            }
            Violation::YieldCoordinates { buffer } => {
                write!(f, "a yield to b{buffer} takes the slot, then each enclosing axis once")
            }
            Violation::TreeRule => write!(f, "lanes and rounds of a tree must be powers of two"),
        }
    }
}

/// A broken invariant and where.
#[derive(Clone, PartialEq, Eq)]
pub struct VerifyError {
    /// What is broken.
    pub violation: Violation,
    /// Numbers of the operation in its region and of the ones around it, outermost first; empty for
    /// the kernel itself.
    pub operation: Vec<usize>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.operation.is_empty() {
            let path: Vec<String> = self.operation.iter().map(usize::to_string).collect();
            write!(f, "operation {}: ", path.join("."))?;
        }
        write!(f, "{}", self.violation)
    }
}

impl fmt::Debug for VerifyError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for VerifyError {}

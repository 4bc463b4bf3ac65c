//! What every kernel must satisfy; checked between passes.
//!
//! Structure:
//! - S1 the outermost region has no axes; every `for` and `fold` has at least one;
//! - S2 `for` stands at the top only; `fold` at the top or in a `for`, one per `for`; a fold's body
//!   holds no `for`, `fold` or `yield`, and it folds at least one value;
//! - S3 the logical numbers of the axes around an operation are distinct;
//! - S4 params, scalars and buffers that are named exist;
//! - S5 every loop nest of a kernel by rows has an axis of logical number 0.
//!
//! Values:
//! - V1 values are numbered from 0 in the order of the text, an operation's body before its results
//!   ([`Kernel::renumber`](crate::ir::Kernel::renumber));
//! - V2 a value is used after its definition, in its region or below; a folded value may come from
//!   the fold's body;
//! - V3 operands have types that the operator's row lists, as many as its arity; masks are bool;
//!   `random` takes i64, its key from the outermost region; a stored value has its buffer's type;
//! - V4 a reducer is defined for the folded type; exactly `argmin` and `argmax` have an index result.
//!
//! Accesses:
//! - A1 one coordinate per buffer dimension; its axis encloses the operation; its step is zero
//!   exactly where there is no axis, and then there is no shift;
//! - A2 only `read` and `readwrite` buffers are loaded, only `write` and `readwrite` buffers stored,
//!   only `readwrite` buffers stored under a mask, only `partial` buffers yielded to;
//! - A3 a yield stands in the region of its fold; its first coordinate has no axis; each enclosing
//!   axis is exactly one of its other coordinates.
//!
//! Trees:
//! - T1 lanes, the width, and rounds are powers of two.
//!
//! Not visible here, because sizes are not: that stores are injective over the loops (an axis that a
//! store leaves out has extent 1), and that accesses of one buffer are equal or disjoint if one of
//! them stores. Task analysis proves both; the reference interpreter checks the first.

mod region;
#[cfg(test)]
mod tests;
mod violation;

pub use violation::{VerifyError, Violation};

use crate::ir::Kernel;
use darray_core::RealType;

/// Checks every invariant; gives the type of each value, by number.
///
/// ```
/// use darray_kernel::{ir::Kernel, verify::verify};
/// let text = "kernel params=0 scalars=[f64] { %0 = scalar 0 %1 = not %0 }";
/// let error = verify(&Kernel::parse(text).unwrap()).unwrap_err();
/// assert_eq!(error.to_string(), "operation 1: not is not defined for [f64]");
/// ```
pub fn verify(kernel: &Kernel) -> Result<Vec<RealType>, VerifyError> {
    let mut verifier = region::Verifier::new(kernel);
    verifier.kernel().map_err(|violation| verifier.at(violation))?;
    Ok(verifier.into_types())
}

//! The numbers that functions are written over, and what a function has to know of their formats.

pub(super) mod format;
mod native;
pub(super) mod pair;
pub(super) mod real;

pub use native::{Native, NativeBits};
pub use real::{Bits, Real, Single, polynomial, polynomial_in_halves};

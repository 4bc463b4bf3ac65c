//! Elementary functions, each written once, branch-free, over the arithmetic of [`Real`].
//!
//! A function is generic over what a number is. [`Native`] numbers are Rust's own: the scalar
//! primitives of the operator table and the vector loops of the CPU are made of them. Numbers that
//! record what is done with them give the function as a list of operators, for back ends that
//! generate code. So every executor has the same algorithm, constant for constant.
//!
//! Rules:
//! - Nothing but the methods of [`Real`] and [`Bits`]: no `if` on values, no loop whose length
//!   depends on them. Both sides of a choice are computed, then [`Real::select`] takes one.
//! - Sums and products are rounded one by one; [`Real::mul_add`] rounds once. A back end may not
//!   contract or reorder them.
//! - At most 2 ulp from the true result (the function's doc says how much was measured; the normal
//!   quantile, which only random numbers use, has 6), special values as NumPy's.

pub mod cbrt;
pub mod erf;
mod exponential;
pub mod extremum;
pub mod hypot;
pub mod neighbour;
pub mod normal;
mod number;
pub mod remainder;
pub mod sign;
pub mod trace;
pub mod trigonometric;

pub use exponential::{exp, exp2, expm1, hyperbolic, inverse_hyperbolic, ln, logarithms, power};
pub use number::{Bits, Native, NativeBits, Real, Single, polynomial, polynomial_in_halves};
pub use trigonometric::{angle, inverse_trigonometric};

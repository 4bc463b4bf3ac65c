//! Random array programs, an independent oracle for them, and the means to run them on darray.
//!
//! - [`program`]: programs as values, printed as the Rust that a user would have written.
//! - [`generate`]: the program of a seed.
//! - [`shrink`]: the part of a failing program that makes it fail.
//! - [`Oracle`]: evaluates a program over ndarray, with a bound where roundings may differ.

mod generate;
pub mod oracle;
pub mod program;
mod random;
mod shrink;

pub use generate::generate;
pub use oracle::Oracle;
pub use random::Random;
pub use shrink::shrink;

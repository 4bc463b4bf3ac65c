//! Random array programs, an independent oracle for them, and the means to run them on darray.
//!
//! - [`program`]: programs as values, printed as the Rust that a user would have written.
//! - [`generate`]: the program of a seed.
//! - [`Oracle`]: evaluates a program over ndarray, with a bound where roundings may differ.
//! - [`run`]: runs a program on a runtime of darray.
//! - [`shrink`]: the part of a failing program that makes it fail.
//! - [`FaultyDevices`]: devices that fail on demand.
//! - [`Campaign`]: many programs under many configurations, and what they covered.

mod campaign;
mod faulty;
mod generate;
pub mod oracle;
pub mod program;
mod random;
mod run;
mod shrink;

pub use campaign::{Backend, Campaign, Configuration, Coverage, Failure, Machine, Options, Trial};
pub use faulty::FaultyDevices;
pub use generate::{Scale, generate};
pub use oracle::Oracle;
pub use random::Random;
pub use run::{Difference, Found, admitted, run, same};
pub use shrink::shrink;

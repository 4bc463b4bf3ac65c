//! Random numbers.

pub use crate::random::{Generator, default_rng};

//! The text of kernels.

pub mod parse;
pub mod print;

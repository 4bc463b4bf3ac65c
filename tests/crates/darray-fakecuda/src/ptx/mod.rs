//! PTX: text into a program, and the machine that executes it.
//!
//! ```text
//! text --lexer, parser--> tree --decode--> program --machine--> memory, or a fault
//! ```
//!
//! What the machine promises: results of arithmetic have the bits that a GPU's have (division,
//! square root and `fma` round once; NaNs of single precision are canonical), except that the
//! instructions named `approx` are computed as exactly as the processor can; every access is
//! checked against the memory that the kernel may reach; threads of a warp run together, warps
//! one after the other, blocks in order.

mod arena;
mod code;
mod decode;
mod error;
mod lexer;
pub mod machine;
pub mod memory;
mod operator;
mod parser;
mod tree;
mod types;

/// What has tests of its own.
#[doc(hidden)]
pub mod parts {
    pub use super::code::{Chain, Number, Rounding};
    pub use super::lexer::{Kind, tokens};
    pub use super::machine::parts::*;
    pub use super::types::Width;
}

pub use arena::Arena;
pub use decode::{Global, Limits, Program, Source};
pub use error::PtxError;
pub use machine::{Fault, Launch, Report};

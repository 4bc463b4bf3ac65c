//! Nests at work: what a schedule says, on one thread.
//!
//! ```text
//! worker --> compiled_rows, planes     rows by one function
//!        --> interleaved               copies in registers
//!        --> block                     lists of functions and loops, for blocks
//!        --> fold                      the fold of a block
//! ```

mod block;
mod compiled_rows;
mod fold;
mod fold_memory;
pub(super) mod fold_part;
pub(super) mod frame;
mod interleaved;
mod planes;
pub(super) mod worker;

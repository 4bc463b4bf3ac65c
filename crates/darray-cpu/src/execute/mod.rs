//! Launches: a compiled kernel, its arguments, and the loops around the vector code.
//!
//! ```text
//! launch --> bind    addresses, strides; schedule says how a nest is gone through, code makes what it wants
//!        --> run     rows, blocks, folds
//! ```

mod bind;
mod code;
mod launch;
mod run;
mod schedule;
#[cfg(test)]
mod testing;

pub(crate) use bind::Streaming;
pub(crate) use bind::arguments::Arguments;
pub(crate) use bind::compiled::Compiled;
pub(crate) use launch::launch;
pub(crate) use schedule::tuning::NEAR_BYTES;

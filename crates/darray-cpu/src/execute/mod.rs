//! Launches: a compiled kernel, its arguments, and the loops around the vector code.
//!
//! ```text
//! Compiled (per kernel) --bind (per launch)--> Bound (per nest) --> rows, blocks, folds
//!     programs, code per layout                addresses, strides, loops
//! ```

mod ahead;
mod arguments;
mod backward;
mod bind;
mod bindings;
mod block;
mod block_length;
mod compiled;
mod compiled_rows;
mod coverage;
mod fold;
mod frame;
mod interleaved;
mod machine;
mod neighbours;
mod nest;
mod panels;
mod planes;
mod resolve;
mod row_nest;
mod rows;
mod runs;
mod schedule;
mod short_rows;
mod streaming;
mod table;
#[cfg(test)]
mod testing;
mod work;
mod worker;

pub(crate) use arguments::Arguments;
pub(crate) use bind::NEAR;
pub(crate) use compiled::Compiled;
pub(crate) use nest::launch;
pub(crate) use streaming::Streaming;

//! Launches: a compiled kernel, its arguments, and the loops around the vector code.
//!
//! ```text
//! Compiled (per kernel) --bind (per launch)--> Bound (per nest) --> rows, blocks, folds
//!     programs, code per layout                addresses, strides, loops
//! ```

mod arguments;
mod backward;
mod bind;
mod bindings;
mod block;
mod compiled;
mod compiled_kernel;
mod compiled_rows;
mod coverage;
mod fold;
mod frame;
mod interleaved;
mod machine;
mod nest;
mod one_list;
mod panels;
mod planes;
mod points;
mod resolve;
mod row_nest;
mod rows;
mod runs;
mod schedule;
mod table;
#[cfg(test)]
mod testing;
mod work;
mod worker;

pub(crate) use arguments::Arguments;
pub(crate) use bind::Streaming;
pub(crate) use compiled_kernel::Compiled;
pub(crate) use nest::launch;
pub(crate) use schedule::tuning::NEAR_BYTES;

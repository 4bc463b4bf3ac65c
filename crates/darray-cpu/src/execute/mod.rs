//! Launches: a compiled kernel, its arguments, and the loops around the vector code.
//!
//! ```text
//! Compiled (per kernel) --bind (per launch)--> Bound (per nest) --> rows, blocks, folds
//!     programs, code per layout                addresses, strides, loops
//! ```

mod abreast;
mod across;
mod ahead;
mod all_points;
mod any_order;
mod arguments;
mod backward;
mod beside;
mod bind;
mod bindings;
mod block;
mod block_length;
mod bool_columns;
mod bound_fold;
mod column_leaves;
mod compiled;
mod compiled_rows;
mod coverage;
mod decided;
mod fold;
mod fold_memory;
mod fold_part;
mod fold_places;
mod fold_values;
mod fold_way;
mod frame;
mod held_lanes;
mod interleaved;
mod joined;
mod kept_rows;
mod machine;
mod neighbours;
mod nest;
mod packed;
mod panels;
mod planes;
mod point_rows;
mod points;
mod products;
mod resolve;
mod result_rows;
mod row_blocks;
mod row_nest;
mod row_points;
mod rows;
mod runs;
mod short_rows;
mod streaming;
mod table;
#[cfg(test)]
mod testing;
mod waiting;
mod walk;
mod whole_rows;
mod work;
mod worker;

pub(crate) use arguments::Arguments;
pub(crate) use bind::NEAR;
pub(crate) use compiled::Compiled;
pub(crate) use nest::launch;
pub(crate) use streaming::Streaming;

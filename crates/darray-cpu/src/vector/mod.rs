//! Loops over blocks of elements: those of the tables once, and some of moves, products and searches for each instruction set.
//!
//! A loop takes raw addresses. Operands and result may be the same addresses; they may not overlap
//! otherwise.

/// An array of so many values, by number. For what uses vectors: of `std::array::from_fn` and closures the compiler may make functions of
/// their own, which have none of the caller's instructions, so that every vector goes through memory.
macro_rules! array_of {
    ($n:expr, |$k:ident| $value:expr) => {{
        let mut all = {
            let $k = 0;
            [$value; $n]
        };
        for at in 1..$n {
            let $k = at;
            all[at] = $value;
        }
        all
    }};
}
pub(crate) use array_of;

mod any_order;
mod bool_columns;
#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod calls;
mod element;
mod elementwise;
mod fold;
mod moves;
mod random;
mod register;
mod transpose;

pub(crate) use any_order::{
    Columns, FoldInAnyOrder, Found, SearchColumns, find_any_order, find_count,
};
pub(crate) use bool_columns::{BoolRows, ColumnsOfBools, MOST_COLUMNS, columns_of_bools};
pub(crate) use elementwise::{Compute, find_compute};
pub(crate) use fold::{Accumulators, FoldRows, Folding, LANES, Rounds, find_folding};
pub(crate) use moves::{
    LINE, MOST_INTERLEAVED, STREAMS, blend, copy, fill, interleave, iota, separate, stream,
    streamed,
};
pub(crate) use random::random;
pub(crate) use register::{FirstLanes, MulAdd};
pub(crate) use transpose::{Transpose, Transposed, find_transpose};

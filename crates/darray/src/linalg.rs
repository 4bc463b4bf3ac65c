//! Products of vectors, matrices and stacks of them.
//!
//! Reading order: `product` (the one builtin that everything comes down to), `contraction` (`matmul`,
//! `dot`, `inner`, `outer`, `vdot`, `tensordot` on run-time types, and `trace`), then the methods of
//! typed arrays.
//!
//! **Order of summation.** A matrix product works on panels of rows that are aligned to global indices
//! and on the whole inner extent, so an element's bits depend on the extents of the operands and on
//! nothing else: not on tiles, devices or threads. Products of one column are dot products in 32 lanes;
//! inner products of two vectors are summed by the tree of reductions. Integers wrap, in any order.

mod contraction;
mod product;
mod trace;
mod typed;

pub use contraction::ContractionAxes;

//! Products of vectors, matrices and stacks of them.
//!
//! Reading order: `product` (the one builtin that everything comes down to), `contraction` (`matmul`,
//! `dot`, `inner`, `outer`, `vdot`, `tensordot` on run-time types, and `trace`), then the methods of
//! typed arrays.
//!
//! **Order of summation.** An element of a matrix product of floats is a sum of blocks of 256 products, each a chain of
//! fused multiply-adds in the order of the inner extent, that are added two by two ([`darray_kernel::product`]): its bits depend
//! on its row and its column and
//! on nothing else, not on tiles, devices, threads or the instruction set. Products of one column are dot
//! products in 32 lanes; inner products of two vectors are summed by the tree of reductions. Integers wrap.

mod contraction;
mod product;
mod trace;
mod typed;

pub use contraction::ContractionAxes;

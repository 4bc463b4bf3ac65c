//! Kernel IR of darray: what one point of an element-wise or reducing task computes, and what it
//! means.
//!
//! Reading order: [`ir`] (the region tree), [`operator`] (THE operator table), [`function`] (elementary functions), [`reducer`],
//! [`tree`] (the order in which reductions combine), [`scan`] (that of running folds), [`product`] (that of matrix products),
//! [`verify`], [`print`](mod@print), [`parse`], [`simplify`](mod@simplify), [`contract`](mod@contract). What all of it means,
//! element by element, the reference interpreter says: the crate `darray-interpreter`, which tests compare executors with.
//!
//! Not in the IR: sizes, addresses, schedules, threads, vector width, queues, liveness, provenance,
//! implicit promotion or contraction.

pub mod composite;
pub mod contract;
pub mod element;
pub mod function;
pub mod ir;
pub mod operator;
pub mod random;
pub mod reducer;
pub mod simplify;
mod text;
pub mod tree;
pub mod values;
pub mod verify;

pub use text::{parse, print};
pub use tree::{product, scan};

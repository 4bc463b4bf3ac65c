//! What is launched for a step of a plan, over all its points.
//!
//! Reading order: `kernel` with `reduction` (partial results over points) and `takeover` (outputs in the memory of inputs),
//! `builtin` with `scan` and `sort`, `opaque`.

mod builtin;
mod kernel;
mod opaque;
mod reduction;
mod scan;
mod sort;
mod takeover;

pub(crate) use kernel::KernelRun;

//! Kernels as CUDA C.

mod literal;
#[allow(dead_code)]
mod operators;
mod trace;

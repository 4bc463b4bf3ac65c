//! Kernels as CUDA C.
mod kernel;
mod literal;
#[allow(dead_code)]
mod operators;
mod trace;
pub use kernel::{Binding, Bindings, CudaKernel, Launch, Source, Variant};
mod reducer;
pub use reducer::reducer;

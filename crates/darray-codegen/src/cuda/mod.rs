//! Kernel IR to CUDA C and launches. Pure: no driver, no device, no clock.
//!
//! ```text
//! Kernel --new--> CudaKernel --variant(bindings)--> Variant --source--> text, compiled once
//!                            --launches(variant, bindings, workspace)--> what to run, in order
//! ```
//!
//! Sizes, strides and addresses are arguments; what a text depends on beside the kernel is a
//! [`Variant`]. Results equal the CPU's bit for bit.

mod kernel;

pub use kernel::{Binding, Bindings, CudaKernel, Launch, Source, Variant};

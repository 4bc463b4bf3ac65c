//! Kernel IR to what processors execute: register-level programs for the CPU back ends, CUDA C for
//! GPUs. Pure: no device, threads or clocks.
//!
//! ```text
//! Kernel --lower--> Program --specialise(nest, Layout)--> Code               CPU
//!                           --cuda::CudaKernel, Variant--> Source, Launch    GPU
//! ```
//!
//! [`Program`] is the kernel cut into nests of loops. What an access looks like along the axis that
//! becomes the vector axis (does not move, contiguous, strided) is known only at a launch; a
//! [`Layout`] says it and is small, so that executors keep one [`Code`] per layout that they meet.
//! `Code` is lists of [`Instruction`]s over block-sized registers, cells and memory operands.
//!
//! How arguments of a launch meet a nest is the same everywhere: [`bind`].

pub mod bind;
mod code;
pub mod cuda;
mod error;
mod layout;
mod lower;
mod print;
mod program;
mod specialise;

pub use code::{Code, FoldSource, Instruction, Primitive, Reads, Slot};
pub use error::CodegenError;
pub use layout::{FoldMode, Layout, StrideClass};
pub use lower::lower;
pub use program::{Cells, FoldBody, Nest, Node, Phase, Program};
pub use specialise::specialise;

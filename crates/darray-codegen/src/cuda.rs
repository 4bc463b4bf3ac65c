//! Kernel IR to CUDA C and launches. Pure: no driver, no device, no clock.
//!
//! ```text
//! Kernel --new--> CudaKernel --prepare(bindings)--> Prepared --variant--> Variant --source--> text, compiled once
//!                                                            --launches(workspace)--> what to run, in order
//! ```
//!
//! Sizes, strides and addresses are arguments; what a text depends on beside the kernel is a
//! [`Variant`]. Results equal the CPU's bit for bit, with [`Math::Darray`].
//!
//! | nest | entries |
//! |---|---|
//! | 0-d operations that store or cannot be repeated | one thread |
//! | element-wise | points: a loop over the parallel points, by vectors where it can |
//! | fold | leaves of the reduction tree, then their combination and what comes after it |

mod binding;
mod emit;
mod kernel;
mod language;
mod plan;

pub use binding::bindings::{Binding, Bindings};
#[cfg(feature = "testing")]
pub use kernel::CudaTesting;
pub use kernel::{CudaKernel, Launch, Prepared, Source};
pub use language::math::Math;
pub use language::reducer::reducer;
pub use plan::variant::{SMALL, Variant};

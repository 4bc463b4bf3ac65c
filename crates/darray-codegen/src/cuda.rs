//! Kernel IR to CUDA C and launches. Pure: no driver, no device, no clock.
//!
//! ```text
//! Kernel --new--> CudaKernel --variant(bindings)--> Variant --source--> text, compiled once
//!                            --launches(variant, bindings, workspace)--> what to run, in order
//! ```
//!
//! Sizes, strides and addresses are arguments; what a text depends on beside the kernel is a
//! [`Variant`]. Results equal the CPU's bit for bit, with [`Math::Darray`].
//!
//! | nest | entries |
//! |---|---|
//! | 0-d operations that store or cannot be repeated | one thread |
//! | element-wise | points: a loop over the kept points, by vectors where it can |
//! | fold | leaves of the reduction tree, then their combination and what comes after it |

mod bound;
mod cells;
mod combine;
mod entry;
mod fields;
mod folds;
mod kernel;
mod leaves;
mod literal;
mod math;
mod moves;
mod nodes;
mod operators;
mod pairs;
mod patterns;
mod plan;
mod points;
mod quick;
mod ranges;
mod reducer;
mod rounds;
mod text;
mod trace;
mod variant;

pub use kernel::{Binding, Bindings, CudaKernel, Launch, Prepared, Source};
pub use math::Math;
pub use reducer::reducer;
pub use variant::Variant;

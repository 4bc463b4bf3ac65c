//! Vocabulary of darray that every other crate shares: element types, scalars, shapes, the maps by
//! which an iteration domain reaches a store, errors with the user's place, and settings.
//!
//! Nothing here knows tasks, kernels or devices.

mod broadcast;
mod dtype;
mod error;
mod float16;
mod map;
mod place;
mod promote;
mod real_type;
mod reindex;
mod scalar;
pub mod settings;
mod shape;
mod slice;
mod view;

pub use broadcast::broadcast_shapes;
pub use dtype::DType;
pub use error::{Error, ErrorKind, LiveArray, Result};
pub use float16::{
    bf16_from_f32, bf16_from_f64, f16_from_f32, f16_from_f64, f32_from_bf16, f32_from_f16,
};
pub use half::{bf16, f16};
pub use map::{Chart, Dim, Map};
pub use place::Place;
pub use promote::{promote, promote_function, promote_real, promote_weak};
pub use real_type::{Compute, Kind, RealType};
pub use reindex::{MAX_RANK, Reindex, check_shape};
pub use scalar::Scalar;
pub use shape::{Shape, list_extents};
pub use slice::Ix;
pub use view::View;

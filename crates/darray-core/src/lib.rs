//! Vocabulary of darray that every other crate shares: element types, scalars, shapes, the maps by
//! which an iteration domain reaches a store, errors with the user's place, and settings.
//!
//! Nothing here knows tasks, kernels or devices.

mod binary16;
mod broadcast;
mod dtype;
mod error;
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

pub use binary16::{f16_from_f32, f16_from_f64, f32_from_f16};
pub use broadcast::broadcast_shapes;
pub use dtype::DType;
pub use error::{Error, ErrorKind, LiveArray, Result};
pub use half::f16;
pub use map::{Chart, Dim, Map};
pub use place::Place;
pub use promote::{promote, promote_real, promote_weak};
pub use real_type::{Compute, Kind, RealType};
pub use reindex::{MAX_RANK, Reindex, check_shape};
pub use scalar::Scalar;
pub use shape::{Shape, list_extents};
pub use slice::Ix;
pub use view::View;

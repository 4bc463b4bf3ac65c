//! Vocabulary of darray that every other crate shares: element types, scalars, shapes, the maps by
//! which an iteration domain reaches a store, errors with the user's place, and settings.
//!
//! Nothing here knows tasks, kernels or devices.

mod dtype;
mod error;
mod map;
mod place;
mod scalar;
mod shape;

pub use dtype::DType;
pub use error::{Error, ErrorKind, Result};
pub use map::{Chart, Dim, Map};
pub use place::Place;
pub use scalar::Scalar;
pub use shape::Shape;

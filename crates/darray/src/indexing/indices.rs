//! Elements by arrays of indices: `take` reads and `put` writes, along an axis or over all elements.
//!
//! Both are builtins of the devices (gather and scatter). Indices below 0 count from the end. Shapes are
//! checked when an operation is recorded; an index out of range is found when it runs, and then the result
//! carries an error that names the index, where it stands, and the extent.
//!
//! Over several devices each device makes its own part of a result, or writes its own part of an array.
//! It has the whole of the axis that is read, or all indices of the axis that is written, so that
//! what is written more than once has the value of the last index, as on one device.

mod put;
mod take;

pub(crate) use put::without_leading_axes;

use crate::DynArray;
use crate::elementwise::steps::Steps;
use darray_core::{DType, Error, ErrorKind, Place, Result};

/// Indices as i64.
pub(crate) fn indices_of(indices: &DynArray, name: &'static str, place: Place) -> Result<DynArray> {
    match indices.dtype() {
        DType::I64 => Ok(indices.alias()),
        dtype if dtype.is_integer() && dtype != DType::Bool => {
            indices.copy_as(name, DType::I64, place)
        }
        dtype => {
            let expected = "indices of an integer type".to_string();
            let kind = ErrorKind::DType { found: vec![dtype], expected };
            Err(Error::new(name, kind, place))
        }
    }
}

/// Refuses arrays of another runtime.
fn check_runtime(x: &DynArray, other: &DynArray, name: &'static str, place: Place) -> Result<()> {
    Steps { name, place }.same_runtime(x, other)
}

/// The error of indices into an axis without elements.
fn nothing_there(x: &DynArray, axis: usize, name: &'static str, place: Place) -> Error {
    let message = format!("indices into axis {axis} of extent 0");
    Error::new(name, ErrorKind::Index { message, shape: x.shape_of().clone() }, place)
}

/// The error of an array whose indices have another number of axes.
fn other_rank(x: &DynArray, indices: &DynArray, name: &'static str, place: Place) -> Error {
    let shapes = vec![x.shape_of().clone(), indices.shape_of().clone()];
    let expected = "as many axes of the indices as of the array".to_string();
    Error::new(name, ErrorKind::Shapes { shapes, expected }, place)
}

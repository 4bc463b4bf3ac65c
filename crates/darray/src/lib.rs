//! NumPy-like arrays for Rust: operations are recorded, fused across statements, and run on one or
//! several devices.
//!
//! ```
//! use darray::prelude::*;
//!
//! let x: DArray = DArray::linspace(0.0, 1.0, 5);
//! let y = (1.0 + 2.0 * &x).sqrt();               // recorded, nothing runs
//! let total = y.sum();                           // a 0-d array: nothing waits
//! let grid = DArray::<f64>::zeros((4, 4));
//! grid.slice(s![1..-1, 1..-1]).assign(&total);   // views write through
//! assert!((grid.sum().item() - 4.0 * total.item()).abs() < 1e-12);
//! ```
//!
//! Reading order: [`DArray`] (the typed handle) over [`DynArray`] (element type at run time) over
//! `variable` (what views share); `emission` (from operations to index tasks); then one module per
//! group of functions; [`Runtime`].

mod arithmetic;
mod array;
mod axes;
mod bitwise;
mod comparison;
mod complex;
mod conditional;
mod convert;
mod creation;
mod display;
mod dyn_array;
mod element;
mod elementwise;
mod emission;
mod error;
mod exponent;
mod indexing;
mod indices;
mod into_shape;
mod io;
mod linalg;
mod mul_add;
pub mod np;
mod operand;
mod operation;
mod power;
mod random;
mod reduction;
mod rounding;
mod runtime;
mod scan;
mod shape;
mod sorting;
pub mod task;
#[cfg(feature = "testing")]
pub mod testing;
mod variable;

pub use array::DArray;
pub use axes::{Axes, keepdims};
pub use complex::{ComplexArgument, ComplexArray, ComplexOperand, ComplexPart};
pub use conditional::Bound;
pub use creation::Indexing;
pub use darray_core::settings::{CpuJit, CpuLevel, CudaLaunch, CudaMath, CudaProducts, Mode};
pub use darray_core::{DType, Error, ErrorKind, Ix, NewAxis, Place, Result, Scalar, Shape, f16, s};
pub use darray_runtime::{Stats, Stops};
pub use dyn_array::DynArray;
pub use element::{Element, Float, Integral, Number, Promote};
pub use elementwise::Choice;
pub use into_shape::{Extent, Extents, IntoShape};
#[cfg(feature = "npz")]
pub use io::Archive;
pub use io::Saved;
pub use linalg::ContractionAxes;
pub use num_complex::{Complex, Complex32, Complex64};
pub use operand::{Argument, Operand};
pub use operation::{Binary, Rule, Unary};
pub use random::{Generator, default_rng};
pub use reduction::{Norm, Reduction};
pub use runtime::{Entered, Runtime, RuntimeBuilder};
pub use shape::{PadMode, PadWidths, Sections, Shifts};

/// What a program needs at its top.
///
/// ```
/// use darray::prelude::*;
/// let x = DArray::<f64>::ones((2, 3));
/// assert_eq!(x.slice(s![0, ..]).sum().item(), 3.0);
/// assert_eq!(x.cast::<f16>().dtype(), DType::F16);
/// assert_eq!(x.norm_ord(Norm::Frobenius, ..).item(), 6.0f64.sqrt());
/// assert_eq!(x.pad(1, PadMode::Edge).shape(), [4, 5]);
/// ```
pub mod prelude {
    pub use crate::{
        Complex, ComplexArray, ComplexPart, DArray, DType, DynArray, Element, Float, Integral,
        Mode, NewAxis, Norm, Number, Operand, PadMode, Reduction, Runtime, default_rng, f16,
        keepdims, np, s,
    };
}

/// The program of the README runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So do those of the guide for NumPy users.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/numpy-for-users.md")]
struct NumpyForUsers;

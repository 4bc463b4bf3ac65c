//! NumPy-like arrays for Rust: operations are recorded, fused across statements, and run on one or
//! several devices.
//!
//! ```
//! use darray::prelude::*;
//!
//! let x: DArray = DArray::linspace(0.0, 1.0, 5);
//! let y = (1.0 + 2.0 * &x).sqrt();               // recorded, nothing runs
//! let total = y.sum(..);                         // a 0-d array: nothing waits
//! let grid = DArray::<f64>::zeros((4, 4));
//! grid.slice(s![1..-1, 1..-1]).assign(&total);   // views write through
//! assert!((grid.sum(..).item() - 4.0 * total.item()).abs() < 1e-12);
//! ```
//!
//! Reading order: `array` ([`DArray`], the typed handle, over [`DynArray`], element type at run time, over `variable`, what views
//! share), `elementwise` (operations by their meaning, and `emission`, from operations to index tasks), then one module per group of
//! functions; [`Runtime`].

mod array;
mod creation;
mod elementwise;
mod error;
mod functions;
mod indexing;
mod io;
mod linalg;
pub mod np;
mod reduction;
mod runtime;
mod shape;
mod sorting;
pub mod task;

pub use array::DArray;
pub use array::axes::{Along, Axes, axes, axis};
pub use array::dyn_array::DynArray;
pub use array::element::{
    ComplexNumber, ComplexPart, Element, Float, Integral, Number, Promote, Real,
};
pub use array::into_shape::{Extent, Extents, IntoShape};
pub use creation::random::{Generator, Population, Sample, default_rng};
pub use creation::{Coordinates, Indexing};
pub use darray_core::settings::{CpuJit, CpuLevel, CudaLaunch, CudaMath, CudaProducts, Mode};
pub use darray_core::{
    DType, Error, ErrorKind, Index, Ix, NewAxis, Place, Position, RealType, Result, Scalar,
    Selection, Shape, f16, s,
};
pub use darray_runtime::{Stats, Stops};
pub use elementwise::Choice;
pub use elementwise::conditional::Bound;
pub use elementwise::differences::gradient::Spacing;
pub use elementwise::operand::{Argument, Assignable, Operand, WeakScalar};
pub use elementwise::operation::{Binary, Rule, Unary};
#[doc(hidden)]
pub use elementwise::operators::absent::{AddedToNumber, ComparedAsWhole, InBrackets, LeftOf};
pub use functions::Overlap;
pub use functions::windows::WindowFunction;
pub use indexing::counting::Bins;
pub use indexing::iteration::Iter;
#[cfg(feature = "npz")]
pub use io::Archive;
pub use io::TextFormat;
pub use linalg::ContractionAxes;
pub use num_complex::Complex;
pub use reduction::{Norm, NormAxes, Observations, Reduction, SpreadAxes, Tolerance};
#[cfg(feature = "testing")]
pub use runtime::testing;
pub use runtime::{Entered, Runtime, RuntimeBuilder};
pub use shape::{Diagonal, PadMode, PadWidths, Sections, Shifts};
pub use sorting::Unique;

/// What a program needs at its top.
///
/// ```
/// use darray::prelude::*;
/// let x = DArray::<f64>::ones((2, 3));
/// assert_eq!(x.slice(s![0, ..]).sum(..).item(), 3.0);
/// assert_eq!(x.cast::<f16>().dtype(), DType::F16);
/// assert_eq!(x.norm(axes(..).ord(Norm::Frobenius)).item(), 6.0f64.sqrt());
/// assert_eq!(x.pad(1, PadMode::Edge).shape(), [4, 5]);
/// ```
pub mod prelude {
    pub use crate::{
        Complex, ComplexNumber, DArray, DType, DynArray, Element, Float, Integral, Mode, NewAxis,
        Norm, Number, Operand, PadMode, Real, Reduction, Runtime, axes, axis, default_rng, f16, np,
        s,
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

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
mod fallible;
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
pub use array::as_array::{Arrays, AsArray};
pub use array::axes::{Along, Axes, axes, axis};
pub use array::display::PrintOptions;
pub use array::dyn_array::DynArray;
pub use array::element::{
    ComplexNumber, ComplexPart, Element, FitsIn, Float, FromConstant, Integral, Number, Promote,
    Real,
};
pub use array::into_shape::{Extents, IntoShape};
pub use array::number::{Index, Integer, ScalarLike, Weak, WeakScalar, weak};
pub use creation::random::{Generator, Population, Sample, default_rng};
pub use creation::{Coordinates, Indexing, Nest, Nested};
pub use darray_core::settings::{
    CpuJit, CpuLevel, CudaLaunch, CudaMath, CudaProducts, Grouping, Mode,
};
pub use darray_core::{
    DType, Error, ErrorKind, Ix, Place, RealType, Result, Scalar, Shape, bf16, f16,
};
pub use darray_runtime::{Stats, Stops};
pub use elementwise::Operands;
pub use elementwise::conditional::Bound;
pub use elementwise::differences::gradient::Spacing;
pub use elementwise::operand::{Argument, Assignable, Left, MathArgument, Operand};
pub use elementwise::operation::{Binary, Rule, Unary};
#[doc(hidden)]
pub use elementwise::operators::absent::{AddedToNumber, ComparedAsWhole, InBrackets};
pub use error::attempt;
pub use fallible::Fallible;
pub use indexing::counting::{Bins, MinLength};
#[doc(hidden)]
pub use indexing::grammar::Signed;
pub use indexing::grammar::{
    Chooser, Entry, Item, List, ListElement, NewAxis, Pick, Position, Selection, Slice,
};
pub use indexing::iteration::Iter;
pub use indexing::picked::{DynPicked, typed::Picked};
#[cfg(feature = "npz")]
pub use io::Archive;
pub use io::TextFormat;
#[cfg(feature = "png")]
pub use io::image;
pub use linalg::ContractionAxes;
pub use np::math::composed::Overlap;
pub use np::math::composed::windows::WindowFunction;
pub use num_complex::Complex;
pub use reduction::{
    As, ExtremumAxes, InexactNumber, Initial, MeanAxes, Norm, NormAxes, Observations, Over,
    PlainAxes, Quantiles, ReduceOptions, Reduction, SpreadAxes, SumAxes, TestAxes, Tolerance,
};
#[cfg(feature = "testing")]
pub use runtime::testing;
pub use runtime::{Entered, Runtime, RuntimeBuilder};
pub use shape::{Diagonal, PadMode, PadWidths, Padding, Sections, Shifts};
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
        Norm, Number, Operand, PadMode, PrintOptions, Real, Reduction, Runtime, Sample, TextFormat,
        axes, axis, bf16, default_rng, f16, np, s,
    };
}

//! Arguments of a kernel.

use darray_core::{RealType, Scalar};
use darray_kernel::ir::Kernel;
use darray_kernel::verify::VerifyError;
use smallvec::SmallVec;
use std::fmt;

/// The arguments of one run of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// One per kernel buffer.
    pub buffers: Vec<BufferArg>,
    /// One per kernel param.
    pub params: Vec<i64>,
    /// One per kernel scalar.
    pub scalars: Vec<Scalar>,
}

/// Where a buffer lies: coordinates `c` are element `offset + sum(c_k * strides_k)` of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferArg {
    /// Which array of the memory; two buffers may lie in one.
    pub array: usize,
    /// Element of the array at coordinates 0; may lie outside.
    pub offset: i64,
    /// In elements, one per coordinate.
    pub strides: SmallVec<[i64; 4]>,
}

impl BufferArg {
    /// A buffer in an array.
    pub fn new(array: usize, offset: i64, strides: impl IntoIterator<Item = i64>) -> BufferArg {
        BufferArg { array, offset, strides: strides.into_iter().collect() }
    }
}

/// Why a kernel cannot run.
#[derive(Clone, PartialEq)]
pub enum InterpretError {
    /// The kernel breaks an invariant.
    Verify(VerifyError),
    /// Another number of arguments than the kernel takes.
    Count {
        /// `buffers`, `params`, `scalars` or `strides`.
        what: &'static str,
        /// How many the kernel takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A scalar or the elements of an array have another type than the kernel's.
    Type {
        /// What.
        what: &'static str,
        /// Its index.
        index: usize,
        /// The kernel's type.
        expected: RealType,
    },
    /// No such array.
    Array {
        /// The buffer that lies there.
        buffer: usize,
    },
    /// A negative extent or origin, or a tile outside the axis.
    Axis {
        /// Its number.
        axis: usize,
        /// First global index.
        origin: i64,
        /// Indices of the tile.
        extent: i64,
        /// Extent of the axis.
        global: i64,
    },
    /// A tile of a reduced axis that is not cut at blocks of the tree.
    Blocks {
        /// The axis' number.
        axis: usize,
        /// Its block.
        block: usize,
    },
    /// An access outside the array.
    Bounds {
        /// The buffer.
        buffer: u16,
        /// Element of its array.
        element: i64,
        /// Elements of the array.
        len: usize,
    },
    /// An element written by one loop iteration and touched by another.
    Conflict {
        /// The buffer through which it is found.
        buffer: u16,
        /// Element of its array.
        element: usize,
    },
    /// A random counter below 0.
    Counter {
        /// The counter.
        counter: i64,
    },
    /// A fold's result is used although this tile has only parts of it.
    PartialResult {
        /// Number of the value.
        value: u32,
    },
}

impl fmt::Display for InterpretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpretError::Verify(error) => write!(f, "{error}"),
            InterpretError::Count { what, expected, found } => {
                write!(f, "{found} {what} for a kernel that takes {expected}")
            }
            InterpretError::Type { what, index, expected } => {
                write!(f, "{what} {index} is not {expected}")
            }
            InterpretError::Array { buffer } => write!(f, "b{buffer} lies in no array"),
            InterpretError::Axis { axis, origin, extent, global } => {
                write!(f, "i{axis} runs over {extent} from {origin} of {global}")
            }
            InterpretError::Blocks { axis, block } => {
                write!(f, "the tile of i{axis} is not cut at blocks of {block}")
            }
            InterpretError::Bounds { buffer, element, len } => {
                write!(f, "b{buffer} reaches element {element} of {len}")
            }
            InterpretError::Conflict { buffer, element } => {
                write!(f, "iterations conflict at b{buffer}, element {element}")
            }
            InterpretError::Counter { counter } => write!(f, "random counter {counter}"),
            InterpretError::PartialResult { value } => {
                write!(f, "%{value} is used, but this tile has only parts of it")
            }
        }
    }
}

impl fmt::Debug for InterpretError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for InterpretError {}

impl Launch {
    /// Checks numbers and types of the arguments.
    pub(super) fn check(
        &self,
        kernel: &Kernel,
        memory: &[Vec<Scalar>],
    ) -> Result<(), InterpretError> {
        let count = |what, expected, found| match expected == found {
            true => Ok(()),
            false => Err(InterpretError::Count { what, expected, found }),
        };
        count("buffers", kernel.buffers.len(), self.buffers.len())?;
        count("params", kernel.params as usize, self.params.len())?;
        count("scalars", kernel.scalars.len(), self.scalars.len())?;
        for (index, (&expected, scalar)) in kernel.scalars.iter().zip(&self.scalars).enumerate() {
            if scalar.dtype() != expected {
                return Err(InterpretError::Type { what: "scalar", index, expected });
            }
        }
        for (index, (buffer, arg)) in kernel.buffers.iter().zip(&self.buffers).enumerate() {
            count("strides", buffer.rank as usize, arg.strides.len())?;
            let array = memory.get(arg.array).ok_or(InterpretError::Array { buffer: index })?;
            let expected = buffer.dtype;
            if array.iter().any(|e| e.dtype() != expected) {
                return Err(InterpretError::Type { what: "buffer", index, expected });
            }
        }
        Ok(())
    }
}

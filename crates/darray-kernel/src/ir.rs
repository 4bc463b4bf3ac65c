//! The region tree.
//!
//! A kernel is one region without axes: 0-d prologue, loops, 0-d epilogue.
//!
//! ```text
//! kernel params=4 scalars=[f64]
//!   b0: f64 rank 1 read noalias
//!   b1: f64 rank 1 write noalias
//! {
//!   %0 = scalar 0
//!   for (i0: extent=p0 origin=p1 global=p2 logical=0) {
//!     %1 = load b0[p3 + 1*i0]
//!     %2 = mul.f64 %0 %1
//!     store b1[p3 + 1*i0] %2
//!   }
//! }
//! ```

use crate::operator::Operator;
use crate::random::BitGenerator;
pub use crate::reducer::Reducer;
use crate::tree::TreeRule;
use darray_core::{RealType, Scalar};
use smallvec::SmallVec;

/// A computed value. Numbered in the order of the text (an operation's body before its results);
/// visible in its region after its definition and in the regions below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// What an operator is applied to: as many as most take lie in place, since kernels are copied.
pub type Operands = SmallVec<[Value; 4]>;

/// A run-time integer (i64): an extent, an origin, a start, a step. No sizes stand in the IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Param(pub u16);

/// A kernel. Two kernels are equal exactly when their texts are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// Number of run-time integers.
    pub params: u16,
    /// Element types of the task arguments read by [`Op::Scalar`].
    pub scalars: Vec<RealType>,
    /// The arrays.
    pub buffers: Vec<Buffer>,
    /// The outermost region; it has no axes.
    pub body: Region,
    /// Whether the loops may run a block of rows at a time, one loop after the other: every loop nest
    /// has an axis of logical number 0, the same tile of all, and what a nest does at an index of it
    /// touches no element that another nest writes at another one.
    pub by_rows: bool,
}

/// An array reached by a kernel. Its strides and its place in memory come with the launch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Buffer {
    /// Element type.
    pub dtype: RealType,
    /// Number of coordinates of each [`Access`].
    pub rank: u8,
    /// What the kernel does with it.
    pub role: Role,
    /// Whether no other buffer of this kernel overlaps its elements. Where unset, a launch may bind
    /// one `Read` and one `Write` buffer to the same memory with the same indexing (an output in the
    /// place of a dead input): all loads of an element happen before it is stored.
    pub no_alias: bool,
}

/// What a kernel does with a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Only loads.
    Read,
    /// Only stores; elements not stored keep their value.
    Write,
    /// Loads and stores.
    ReadWrite,
    /// Receives reduction subtrees through [`Op::Yield`]: its first coordinates are one slot index
    /// per reduced axis, flattened into ONE leading coordinate (see [`crate::tree`]); the others are
    /// the parallel axes.
    Partial,
}

/// Operations under zero or more loop axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Region {
    /// The axes that this region adds to the enclosing ones. Axis numbers count from the outermost
    /// region inwards.
    pub axes: Vec<Axis>,
    /// In order.
    pub ops: Vec<Op>,
}

/// A loop axis over the tile of the running point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Axis {
    /// Extent of the tile.
    pub extent: Param,
    /// The tile's first index in the global index space. Accesses, `Index`, `Random` and trees use
    /// global indices `origin..origin + extent`.
    pub origin: Param,
    /// Extent of the whole iteration domain.
    pub global: Param,
    /// The logical axis of the task's domain that this is: fixes row-major order of `Index`-based
    /// positions and of arg-reductions however loops are nested.
    pub logical: u8,
}

/// Which element of a buffer: one coordinate per buffer dimension.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    /// Index into [`Kernel::buffers`].
    pub buffer: u16,
    /// `start + step * (global index of axis + shift)`, one per buffer dimension.
    pub dims: Vec<AccessDim>,
}

/// One coordinate of an [`Access`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessDim {
    /// The loop axis (numbered from the outermost region) or none: broadcast, integer index.
    pub axis: Option<u8>,
    /// Where the coordinate starts.
    pub start: Param,
    /// How it moves with the axis.
    pub step: Step,
    /// Added to the axis index before `step` applies: neighbour reads.
    pub shift: i32,
}

/// The step of an [`AccessDim`]; classes that matter for code are part of the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// No axis.
    Zero,
    /// 1.
    One,
    /// -1.
    MinusOne,
    /// Any other step, not 0.
    Any(Param),
}

/// An operation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Exact bits: NaN, -0.0, denormals.
    Const {
        /// Defined value.
        result: Value,
        /// Type and bits.
        scalar: Scalar,
    },
    /// A task argument.
    Scalar {
        /// Defined value.
        result: Value,
        /// Index into [`Kernel::scalars`].
        index: u16,
    },
    /// Global index of an enclosing axis, i64.
    Index {
        /// Defined value.
        result: Value,
        /// Axis number from the outermost region.
        axis: u8,
    },
    /// A draw of a random stream, see [`draw`](crate::random::draw).
    Random {
        /// Defined value, of type `dtype`.
        result: Value,
        /// What the stream is made by.
        generator: BitGenerator,
        /// F64 or F32: uniform in [0, 1); I64: all bits.
        dtype: RealType,
        /// The key of the stream, see [`Stream::new`](crate::random::Stream::new); i64, depth-0
        /// values.
        key: [Value; 4],
        /// Which draw; i64, not negative.
        counter: Value,
    },
    /// Reads one element.
    Load {
        /// Defined value, of the buffer's type.
        result: Value,
        /// Which element.
        from: Access,
    },
    /// Applies a row of the operator table.
    Apply {
        /// Defined value; its type is what the operator's rule says.
        result: Value,
        /// The row.
        operator: Operator,
        /// Operands, as many as the row's arity, all of one type except where the row says.
        args: Operands,
    },
    /// Writes one element, where `mask` (bool) holds.
    Store {
        /// Which element.
        to: Access,
        /// Of the buffer's type.
        value: Value,
        /// With a mask the buffer's role is [`Role::ReadWrite`].
        mask: Option<Value>,
    },
    /// Runs `body` for every index of its axes, in any order.
    For {
        /// Its axes are parallel.
        body: Region,
    },
    /// Folds values over `body.axes` in the order of `tree`.
    Fold {
        /// Its axes are reduced. It may contain stores, but no further `For` or `Fold`.
        body: Region,
        /// What is folded.
        folds: Vec<FoldItem>,
        /// The order of combination.
        tree: TreeRule,
    },
    /// Stores the subtrees of a fold that this tile owns: the single result where the reduced axes
    /// are not split over points, else partials for a later finish step.
    Yield {
        /// A [`Role::Partial`] buffer; coordinate 0 is the slot (start 0, no axis), the others are
        /// parallel axes.
        to: Access,
        /// A fold result.
        value: Value,
    },
}

/// One fold of a [`Op::Fold`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FoldItem {
    /// Row of the reducers.
    pub reducer: Reducer,
    /// The folded value, defined in the fold's body or above it.
    pub value: Value,
    /// The result, visible after the fold in the enclosing region; typed by [`Reducer::result`].
    pub result: Value,
    /// For `ArgMin`/`ArgMax`: the index result (i64, row-major over the reduced logical axes).
    pub index: Option<Value>,
}

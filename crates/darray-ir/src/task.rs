//! Index tasks.

use crate::builtin::Builtin;
use crate::numbers::{DomainId, MapId, StoreId};
use crate::privilege::Privilege;
use darray_core::{Compute, Place, RealType, Scalar};
use darray_kernel::composite::Composite;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use smallvec::SmallVec;

/// One operation of the program, over every point of a launch domain.
///
/// Rules, beside preconditions P1 to P3 (see `darray_fusion`):
/// - outputs stand before inputs in `args`;
/// - input maps span the task's domain; so do output maps, except that a reduction's output maps
///   leave out the reduced axes;
/// - scalars are arguments: their values are no part of the canonical form.
///
/// ```text
/// t3 add.f64 over d0 [4, 6]: s2[i0, i1] write <- s0[i0, i1], s1[i1]
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IndexTask {
    /// What it computes.
    pub op: TaskOp,
    /// The operation's NumPy name, for people.
    pub name: &'static str,
    /// The iteration domain.
    pub domain: DomainId,
    /// Outputs, then inputs.
    pub args: TaskArgs,
    /// Run-time scalars, in operand order.
    pub scalars: SmallVec<[Scalar; 2]>,
    /// Where the user emitted it.
    pub place: Place,
}

/// The arguments of a task.
pub type TaskArgs = SmallVec<[TaskArg; 8]>;

/// A store as a task uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskArg {
    /// Which store (version).
    pub store: StoreId,
    /// How the domain reaches it; with the domain's tiling this is the partition.
    pub map: MapId,
    /// Over elements: [`Privilege::Write`] for outputs of element-wise tasks,
    /// [`Privilege::Reduce`] for outputs of reductions, [`Privilege::ReadWrite`] for what a scatter
    /// writes, [`Privilege::Read`] for inputs.
    pub privilege: Privilege,
}

/// What an index task computes at each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TaskOp {
    /// `out = operator(operands)`. Operand `k` is the next scalar where bit `k` of `scalars` is
    /// set, else the next input; each is cast to `compute` first (`Select`'s condition stays bool),
    /// the result is cast to the output's type.
    Apply {
        /// Row of the operator table.
        operator: Operator,
        /// Type of the computation.
        compute: Compute,
        /// Which operands are scalars.
        scalars: u8,
    },
    /// `out = input`, cast to the output's type.
    Copy,
    /// `out = scalar`.
    Fill,
    /// What a composite makes of its operands, in as many outputs. Operands and results are as those of
    /// [`Apply`](TaskOp::Apply).
    Composite {
        /// Row of the table of composites, and what is part of its code.
        composite: Composite,
        /// Type of the computation.
        compute: Compute,
        /// Which operands are scalars.
        scalars: u8,
    },
    /// `out = scalar0 + scalar1 * index + ..`, computed in the output's type: a scalar and the index
    /// for each axis of the bit set `axes`, from the first to the last.
    Arange {
        /// Bit `a` set: the index along axis `a` of the domain counts.
        axes: u32,
    },
    /// `out` = how far an element lies below the main diagonal of its last two axes: row minus column, in the output's type.
    BelowDiagonal,
    /// `out` = what a distribution makes of draw `scalar4 + row-major index` of the stream with key
    /// scalar0..3 (see [`Stream::new`](darray_kernel::random::Stream::new)); scalars 5 and up are the
    /// domain's row-major strides, one per axis. All i64.
    Random {
        /// What the stream is made by.
        generator: BitGenerator,
        /// What is made of the draws.
        distribution: Distribution,
    },
    /// Folds the input, cast to the type of output 0, over the axes of the bit set `axes`.
    /// `ArgMin` and `ArgMax` have outputs value and index.
    Reduce {
        /// The fold.
        reducer: Reducer,
        /// Bit `a` set: axis `a` of the domain is reduced.
        axes: u32,
    },
    /// `out` = the sum over one axis of the products of both inputs, which are cast to its type first; a
    /// product is rounded before it is added. The order is that of a reduction over this axis of the domain, whose axes stand so
    /// that matrices are read as they lie.
    InnerProduct {
        /// Axis of the domain.
        axis: u8,
    },
    /// A builtin of the devices: ordered and partitioned, never merged into a kernel.
    Builtin(Builtin),
    /// A task that the program brings along: likewise.
    Opaque(Opaque),
}

/// A task of which only is known what it uses, and how.
///
/// Rules:
/// - outputs span the domain; a point writes all of its part of each, which is [`Privilege::Write`], or
///   reads it too, which is [`Privilege::ReadWrite`];
/// - inputs span the domain, or every point reads all of the input's store;
/// - scalars are arguments, as many as the definition likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// Which of the window's definitions; they are numbered in order of first use.
    pub definition: u8,
    /// Number of outputs.
    pub outputs: u8,
    /// Bit `k` set: output `k` is read, too.
    pub updated: u16,
    /// Bit `k` set: argument `k`, an input, is read whole by every point.
    pub whole: u16,
}

impl Opaque {
    /// Most arguments.
    pub const MOST_ARGS: usize = 16;

    /// What the task does with an argument.
    pub fn privilege(self, position: usize) -> Privilege {
        match position < self.outputs as usize {
            true if self.updated >> position & 1 == 1 => Privilege::ReadWrite,
            true => Privilege::Write,
            false => Privilege::Read,
        }
    }

    /// Whether every point reads all of an argument.
    pub fn is_whole(self, position: usize) -> bool {
        self.whole >> position & 1 == 1
    }
}

/// What random numbers are made of the draws of a stream: one of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Distribution {
    /// All 64 bits; an i64.
    Bits,
    /// Uniform in [0, 1): a draw as the output's type, f64 or f32, see
    /// [`draw`](darray_kernel::random::draw).
    Uniform,
    /// Standard normal: the inverse of the distribution at `(m + 1/2) / 2^64`, where `m` is the lower
    /// 63 bits of the draw; positive where the draw's highest bit is clear.
    Normal,
    /// Exponential of mean 1: `-ln((m + 1/2) / 2^63)`, where `m` is the lower 63 bits of the draw.
    Exponential,
}

impl Distribution {
    /// Every distribution.
    pub const ALL: [Distribution; 4] = [
        Distribution::Bits,
        Distribution::Uniform,
        Distribution::Normal,
        Distribution::Exponential,
    ];

    /// The word used in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Distribution::Bits => "bits",
            Distribution::Uniform => "uniform",
            Distribution::Normal => "normal",
            Distribution::Exponential => "exponential",
        }
    }

    /// The distribution with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<Distribution> {
        Distribution::ALL.into_iter().find(|d| d.name() == name)
    }

    /// Whether its numbers can be of this type.
    pub const fn gives(self, dtype: RealType) -> bool {
        match self {
            Distribution::Bits => matches!(dtype.as_compute(), Some(Compute::I64)),
            _ => dtype.is_float(),
        }
    }
}

impl IndexTask {
    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        match self.op {
            TaskOp::Reduce { reducer, .. } if reducer.has_index() => 2,
            TaskOp::Composite { composite, .. } => composite.formula.results(),
            TaskOp::Opaque(opaque) => opaque.outputs as usize,
            _ => 1,
        }
    }

    /// The reduced axes as a bit set; 0 for everything but reductions.
    pub fn reduced_axes(&self) -> u32 {
        match self.op {
            TaskOp::Reduce { axes, .. } => axes,
            TaskOp::InnerProduct { axis, .. } => 1 << axis,
            _ => 0,
        }
    }

    /// Whether the task becomes a loop nest, which may be merged with others.
    pub fn is_nest(&self) -> bool {
        !matches!(self.op, TaskOp::Builtin(_) | TaskOp::Opaque(_))
    }
}

impl TaskOp {
    /// What the operation does with output `k`, over elements.
    pub fn output_privilege(self, k: usize) -> Privilege {
        match self {
            TaskOp::Opaque(opaque) => opaque.privilege(k),
            TaskOp::Reduce { reducer, .. } => Privilege::Reduce(reducer),
            TaskOp::InnerProduct { .. } => Privilege::Reduce(Reducer::Sum),
            TaskOp::Builtin(builtin) => builtin.spec().output(),
            _ => Privilege::Write,
        }
    }

    /// Operations on an element, at least.
    pub fn operations(self) -> usize {
        match self {
            TaskOp::Composite { composite, compute, .. } => composite.body(compute).steps.len(),
            _ => 1,
        }
    }

    /// One word that two operations share exactly when they are equal.
    pub fn code(self) -> u64 {
        match self {
            TaskOp::Apply { operator, compute, scalars } => {
                1 | (operator as u64) << 8 | (compute.dtype() as u64) << 24 | (scalars as u64) << 32
            }
            TaskOp::Copy => 2,
            TaskOp::Fill => 3,
            TaskOp::Composite { composite: Composite { formula, exponent }, compute, scalars } => {
                4 | (formula as u64) << 8
                    | (compute.dtype() as u64) << 16
                    | (scalars as u64) << 24
                    | (exponent as u32 as u64) << 32
            }
            TaskOp::Arange { axes } => 5 | (axes as u64) << 8,
            TaskOp::BelowDiagonal => 15,
            TaskOp::Random { generator, distribution } => {
                6 | (generator as u64) << 8 | (distribution as u64) << 16
            }
            TaskOp::Reduce { reducer, axes } => 7 | (reducer as u64) << 8 | (axes as u64) << 16,
            TaskOp::Builtin(builtin) => 8 | builtin.code(),
            TaskOp::Opaque(Opaque { definition, outputs, updated, whole }) => {
                14 | (definition as u64) << 8
                    | (outputs as u64) << 16
                    | (updated as u64) << 32
                    | (whole as u64) << 48
            }
            TaskOp::InnerProduct { axis } => 13 | (axis as u64) << 8,
        }
    }
}

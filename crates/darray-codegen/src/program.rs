//! A kernel cut into nests.

use darray_core::{RealType, Scalar};
use darray_kernel::ir::{Access, Axis, Buffer, FoldItem, Value};
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use darray_kernel::tree::TreeRule;
use smallvec::SmallVec;

/// A kernel as a list of nests, run one after another.
///
/// Rules:
/// - Constants and task arguments are cells, filled once per launch, wherever they stood.
/// - Depth-0 values are cells; a nest's own values get their place from
///   [`specialise`](crate::specialise()).
/// - A `Yield` of a top-level fold belongs to the fold's nest.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Number of run-time integers of a launch.
    pub params: u16,
    /// Element types of the task arguments.
    pub scalars: Vec<RealType>,
    /// The arrays.
    pub buffers: Vec<Buffer>,
    /// Every access of the kernel; nodes name them by index.
    pub accesses: Vec<Access>,
    /// Element type of every value.
    pub dtypes: Vec<RealType>,
    /// Which values are cells.
    pub cells: Cells,
    /// In order.
    pub nests: Vec<Nest>,
    /// See [`Kernel::by_rows`](darray_kernel::ir::Kernel::by_rows).
    pub by_rows: bool,
}

/// The values that live for a whole launch, one 8-byte cell each.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Cells {
    /// The cell of every value that has one.
    pub of_value: Vec<Option<u16>>,
    /// Number of cells.
    pub count: u16,
    /// Cells filled from constants.
    pub constants: Vec<(u16, Scalar)>,
    /// Cells filled from task arguments, by the argument's index.
    pub arguments: Vec<(u16, u16)>,
}

/// A loop nest: parallel axes outside, reduced axes inside. Without axes and fold it is 0-d operations.
///
/// ```text
/// for kept { before; fold reduced { body }; after }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    /// All axes, kept ones first; the position is the axis number of the IR.
    pub axes: Vec<Axis>,
    /// How many are kept.
    pub kept: usize,
    /// Parallel level, before the fold; everything when there is no fold.
    pub before: Vec<Node>,
    /// The fold.
    pub fold: Option<FoldBody>,
    /// Parallel level, after the fold.
    pub after: Vec<Node>,
    /// The accesses of the nest with their phases, in the order of the nodes.
    pub accesses: Vec<(u16, Phase)>,
    /// Axes whose index is a value: they cannot be collapsed.
    pub indexed: Vec<u8>,
}

/// The fold of a nest.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldBody {
    /// The reduced axes' numbers in logical order, which is the order of the tree.
    pub order: Vec<u8>,
    /// What runs for every reduced index.
    pub nodes: Vec<Node>,
    /// What is folded.
    pub items: Vec<FoldItem>,
    /// The order of combination.
    pub tree: TreeRule,
}

/// Which part of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Parallel level, before the fold.
    Before,
    /// The fold's body.
    Fold,
    /// Parallel level, after the fold.
    After,
}

/// An operation of a nest.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Global index of an axis, i64.
    Index {
        /// Defined value.
        result: Value,
        /// Axis number.
        axis: u8,
    },
    /// See `Op::Random` of the kernel IR.
    Random {
        /// Defined value.
        result: Value,
        /// What the stream is made by.
        generator: BitGenerator,
        /// Cells.
        key: [Value; 4],
        /// i64.
        counter: Value,
    },
    /// Reads one element.
    Load {
        /// Defined value.
        result: Value,
        /// Index into [`Program::accesses`].
        access: u16,
    },
    /// Applies an operator.
    Apply {
        /// Defined value.
        result: Value,
        /// Row of the table.
        operator: Operator,
        /// Operands.
        args: SmallVec<[Value; 3]>,
    },
    /// Writes one element, where `mask` holds.
    Store {
        /// Index into [`Program::accesses`].
        access: u16,
        /// What.
        value: Value,
        /// Where.
        mask: Option<Value>,
    },
    /// Stores the subtrees of a fold's result.
    Yield {
        /// Index into [`Program::accesses`]; coordinate 0 is the slot.
        access: u16,
        /// Which fold of [`FoldBody::items`].
        item: u16,
        /// Whether its index result rather than its value.
        index: bool,
    },
}

impl Program {
    /// Whether two buffers may share elements.
    pub fn overlap(&self, a: u16, b: u16) -> bool {
        let alone = |buffer: u16| self.buffers[buffer as usize].no_alias;
        a == b || !(alone(a) || alone(b))
    }
}

impl Node {
    /// The value that it defines.
    pub fn result(&self) -> Option<Value> {
        match self {
            Node::Index { result, .. }
            | Node::Random { result, .. }
            | Node::Load { result, .. }
            | Node::Apply { result, .. } => Some(*result),
            Node::Store { .. } | Node::Yield { .. } => None,
        }
    }

    /// The values that it uses.
    pub fn uses(&self) -> SmallVec<[Value; 5]> {
        match self {
            Node::Index { .. } | Node::Load { .. } | Node::Yield { .. } => SmallVec::new(),
            Node::Random { key, counter, .. } => key.iter().chain([counter]).copied().collect(),
            Node::Apply { args, .. } => SmallVec::from_slice(args),
            Node::Store { value, mask, .. } => [*value].into_iter().chain(*mask).collect(),
        }
    }

    /// The access that it makes.
    pub fn access(&self) -> Option<u16> {
        match self {
            Node::Load { access, .. } | Node::Store { access, .. } | Node::Yield { access, .. } => {
                Some(*access)
            }
            _ => None,
        }
    }
}

impl Nest {
    /// The axis that is the rows of a kernel by rows.
    pub fn rows(&self) -> Option<u8> {
        self.axes.iter().position(|axis| axis.logical == 0).map(|axis| axis as u8)
    }

    /// The nodes of a phase.
    pub fn nodes(&self, phase: Phase) -> &[Node] {
        match phase {
            Phase::Before => &self.before,
            Phase::Fold => self.fold.as_ref().map_or(&[], |fold| &fold.nodes),
            Phase::After => &self.after,
        }
    }
}

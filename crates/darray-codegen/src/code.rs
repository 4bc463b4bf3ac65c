//! Register-level code of a nest.

use darray_core::RealType;
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use smallvec::SmallVec;
use std::ops::Deref;

/// Code of one nest for one [`Layout`](crate::Layout).
///
/// Rules:
/// - Row lists compute one element (`n = 1`) into cells: everything that does not move along the
///   vector axis of its phase. The others compute a block of `n` elements.
/// - Order: for every row `before_row`; for every block of it `before`; for every reduced row
///   `fold_row`, for every block of that `fold`, then the accumulators take the `sources`; at last
///   `after_row` and `after`.
/// - A register holds `n` elements of any type, at most [`Code::element`] bytes each.
/// - Reading and writing one memory access in one instruction is element by element, so an
///   instruction may write the place that it reads.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Code {
    /// Registers in use.
    pub registers: u16,
    /// Bytes of the largest element that a register holds.
    pub element: usize,
    /// Cells in use, the program's included.
    pub cells: u16,
    /// Registers of the outer level that the body of a [`Lanes`](crate::FoldMode::Lanes) fold reads,
    /// one element at a time, with the size of their elements: [`Slot::Kept`].
    pub kept: Vec<(u16, usize)>,
    /// See the rules.
    pub before_row: Vec<Instruction>,
    /// See the rules.
    pub before: Vec<Instruction>,
    /// See the rules.
    pub fold_row: Vec<Instruction>,
    /// See the rules.
    pub fold: Vec<Instruction>,
    /// What each fold accumulates.
    pub sources: Vec<FoldSource>,
    /// See the rules.
    pub after_row: Vec<Instruction>,
    /// See the rules.
    pub after: Vec<Instruction>,
}

/// The place of an operand or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Slot {
    /// One element that lives as long as the launch or the row.
    Cell(u16),
    /// A block of elements.
    Register(u16),
    /// Memory: contiguous elements at the current place of the nest's access of this number.
    Access(u16),
    /// The current element of [`Code::kept`] of this number.
    Kept(u16),
    /// The value results of a fold, one element per parallel point of the block.
    Result(u16),
    /// The index results of a fold.
    ResultIndex(u16),
}

/// What a [`Instruction::Compute`] does to each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// A row of the operator table.
    Apply(Operator),
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// `out = primitive(args)`.
    Compute {
        /// What.
        primitive: Primitive,
        /// Element type of the last operand.
        dtype: RealType,
        /// Operands.
        args: SmallVec<[Slot; 4]>,
        /// Bit k: operand k is one element for the whole block.
        uniform: u8,
        /// Result.
        out: Slot,
    },
    /// Reads the elements of an access into `out`.
    Gather {
        /// Access of the nest.
        access: u16,
        /// Element type.
        dtype: RealType,
        /// Result.
        out: Slot,
    },
    /// Writes elements to an access, where the mask holds.
    Scatter {
        /// Access of the nest.
        access: u16,
        /// Element type.
        dtype: RealType,
        /// What.
        value: Slot,
        /// Whether `value` is one element for the whole block.
        uniform: bool,
        /// bool elements.
        mask: Option<Slot>,
        /// Whether the mask is one element for the whole block.
        mask_uniform: bool,
    },
    /// Repeats one element.
    Fill {
        /// Element type.
        dtype: RealType,
        /// The element.
        value: Slot,
        /// Result.
        out: Slot,
    },
    /// Consecutive global indices of an axis, i64.
    Iota {
        /// Axis number.
        axis: u8,
        /// Result.
        out: Slot,
    },
    /// Draws of a random stream.
    Random {
        /// What the stream is made by.
        generator: BitGenerator,
        /// Of the draws.
        dtype: RealType,
        /// The key: one element each.
        key: [Slot; 4],
        /// i64.
        counter: Slot,
        /// Result.
        out: Slot,
    },
    /// Writes all subtrees of a fold's result.
    Yield {
        /// Access of the nest; coordinate 0 is the slot.
        access: u16,
        /// Element type.
        dtype: RealType,
        /// Which fold.
        item: u16,
        /// Whether the index results rather than the values.
        index: bool,
    },
}

/// What a fold accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoldSource {
    /// Where the block of values is, never a single element.
    pub value: Slot,
    /// Element type.
    pub dtype: RealType,
}

/// The places that an instruction reads.
#[derive(Clone, Debug)]
pub enum Reads<'i> {
    /// Operands, as they stand in the instruction.
    Operands(&'i [Slot]),
    /// What does not stand in one list there.
    Others(SmallVec<[Slot; 5]>),
}

impl Deref for Reads<'_> {
    type Target = [Slot];

    fn deref(&self) -> &[Slot] {
        match self {
            Reads::Operands(slots) => slots,
            Reads::Others(slots) => slots,
        }
    }
}

impl Instruction {
    /// The places that it reads, but for elements of an access that it gathers.
    pub fn reads(&self) -> Reads<'_> {
        Reads::Others(match self {
            Instruction::Compute { args, .. } => {
                return Reads::Operands(args);
            }
            Instruction::Scatter { value, mask, .. } => [*value].into_iter().chain(*mask).collect(),
            Instruction::Fill { value, .. } => [*value].into_iter().collect(),
            Instruction::Random { key, counter, .. } => {
                key.iter().chain([counter]).copied().collect()
            }
            Instruction::Gather { .. } | Instruction::Iota { .. } | Instruction::Yield { .. } => {
                SmallVec::new()
            }
        })
    }

    /// The place that it writes, but for elements of an access that it scatters to.
    pub fn writes(&self) -> Option<Slot> {
        match self {
            Instruction::Compute { out, .. }
            | Instruction::Gather { out, .. }
            | Instruction::Fill { out, .. }
            | Instruction::Iota { out, .. }
            | Instruction::Random { out, .. } => Some(*out),
            Instruction::Scatter { .. } | Instruction::Yield { .. } => None,
        }
    }
}

impl Primitive {
    /// Whether so much is done per element that repeating an operand in a register hardly counts.
    pub const fn is_costly(self) -> bool {
        match self {
            Primitive::Apply(operator) => operator.cost() >= 20,
        }
    }

    /// The element type of the results for operands of these types.
    pub fn result(self, dtypes: &[RealType]) -> Option<RealType> {
        match self {
            Primitive::Apply(operator) => operator.result(dtypes),
        }
    }
}

//! Functions of PTX in the form that the machine executes.
//!
//! - Every value operand is an index of a register. Literals and addresses of variables lie in
//!   registers of their own, filled once; so do `%tid.x` and its like, filled when a warp begins.
//! - A register holds, per lane, 64 bits: a value of fewer bits is extended with zeros.
//! - Predicates have an index of their own kind and hold one bit per lane.

pub use super::operator::*;
use super::types::{Type, Width};
use std::sync::Arc;

/// Index of a register.
pub type Register = u16;

/// Index of a predicate.
pub type Predicate = u16;

/// A predicate that must hold, or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The predicate.
    pub predicate: Predicate,
    /// Whether its opposite is meant.
    pub negated: bool,
}

/// An instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Which lanes take part; all where there is none.
    pub guard: Option<Condition>,
    /// What it does.
    pub operation: Operation,
}

/// Memory that an access reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Memory of devices and of the host.
    Global,
    /// Memory of the block.
    Shared,
    /// Memory of the thread, arguments of calls included.
    Local,
    /// Arguments of the kernel.
    Param,
    /// Told apart by the address.
    Generic,
}

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Which memory.
    pub reach: Reach,
    /// The register of the address.
    pub register: Register,
    /// What is added to it.
    pub offset: i64,
}

/// Registers of a vector access.
pub type Registers = [Register; 4];

/// What an instruction does.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Nothing that the machine can see.
    Nothing,
    /// A value of one.
    Unary { operator: Unary, number: Number, to: Register, from: Register },
    /// A value of two.
    Binary { operator: Binary, number: Number, to: Register, from: [Register; 2] },
    /// A value of three.
    Ternary { operator: Ternary, number: Number, to: Register, from: [Register; 3] },
    /// Bits put into a value: what, into, place, length.
    Insert { width: Width, to: Register, from: [Register; 4] },
    /// A value held between zero and one.
    Saturate { number: Number, register: Register },
    /// A step of a long number.
    Chain { step: Chain, number: Number, carry: [bool; 2], to: Register, from: [Register; 3] },
    /// A number of another type. Boxed, since it is the largest.
    Convert { conversion: Conversion, to: Register, from: Register },
    /// Two values compared: the answer and its opposite, each joined with another predicate.
    Compare {
        comparison: Comparison,
        number: Number,
        to: Predicate,
        opposite: Option<Predicate>,
        from: [Register; 2],
        join: Option<(Junction, Condition)>,
    },
    /// The answer of a comparison as all ones or as 1.0.
    Mark {
        comparison: Comparison,
        number: Number,
        one: u64,
        to: Register,
        from: [Register; 2],
        join: Option<(Junction, Condition)>,
    },
    /// What kind of float a value is.
    Test { property: Property, number: Number, to: Predicate, from: Register },
    /// One of two values.
    Select { to: Register, from: [Register; 2], by: Condition },
    /// One of two values by the sign of a third.
    SelectBySign { number: Number, to: Register, from: [Register; 3] },
    /// A predicate of two.
    Join { junction: Junction, to: Predicate, from: [Condition; 2] },
    /// A predicate of one.
    Assign { to: Predicate, from: Condition },
    /// A predicate that is the same for all lanes.
    AssignConstant { to: Predicate, value: bool },
    /// Several registers packed into one, each of so many bytes.
    Pack { bytes: u8, count: u8, to: Register, from: Registers },
    /// One register taken apart.
    Unpack { bytes: u8, count: u8, to: Registers, from: Register },
    /// An address of one memory as an address of any, or back.
    Address { window: u64, generic: bool, to: Register, from: Register },
    /// Whether an address is of a memory.
    IsWithin { reach: Reach, to: Predicate, from: Register },
    /// Values from memory; with `extend`, the sign fills so many bits.
    Load { kind: Type, extend: Option<Width>, count: u8, to: Registers, place: Place },
    /// Values into memory.
    Store { kind: Type, count: u8, from: Registers, place: Place },
    /// Memory changed, and its old value.
    Atomic {
        change: Change,
        number: Number,
        to: Option<Register>,
        place: Place,
        from: [Register; 2],
    },
    /// On with another instruction.
    Branch(u32),
    /// On with an instruction of a table.
    BranchTable { index: Register, targets: Vec<u32> },
    /// A device function.
    Call(Arc<Call>),
    /// Back to the caller; the end of a kernel.
    Return,
    /// The end of the thread.
    Exit,
    /// The threads of a block wait for each other.
    Barrier,
    /// The threads of a block wait for each other and count a predicate.
    BarrierCount { by: Condition, answer: Answer },
    /// The lanes of a mask wait for each other.
    WarpBarrier { members: Register },
    /// Lanes exchange values.
    Shuffle {
        shuffle: Shuffle,
        to: Register,
        valid: Option<Predicate>,
        from: Register,
        lane: Register,
        clamp: Register,
        members: Register,
    },
    /// The lanes answer a question.
    Vote { vote: Vote, to: Answer, by: Condition, members: Register },
    /// The lanes combine their values.
    Reduce { change: Change, number: Number, to: Register, from: Register, members: Register },
    /// Which lanes have the same value.
    Match { all: Option<Option<Predicate>>, to: Register, from: Register, members: Register },
    /// The lanes multiply matrices that they hold parts of.
    MultiplyMatrices { step: Box<MatrixStep>, members: Register },
    /// Which lanes are here.
    ActiveMask { to: Register },
    /// How many instructions the warp has executed.
    Clock { to: Register },
    /// The kernel says that it cannot go on.
    Trap,
}

/// `to = a b + from` of f64, by all lanes of a warp: 16 x 8 and 8 x 8 numbers. An element is a chain of fused
/// multiply-adds in the order of the summed axis, as an H200 computes it.
///
/// ```text
/// lane 4 g + t    a[i]           row g + 8 (i % 2), column t + 4 (i / 2)
///                 b[i]           row t + 4 i, column g
///                 to[i], from[i] row g + 8 (i / 2), column 2 t + i % 2
/// ```
#[derive(Clone, Debug)]
pub struct MatrixStep {
    pub to: [Register; 4],
    pub a: [Register; 4],
    pub b: [Register; 2],
    pub from: [Register; 4],
}

/// Where an answer of several threads goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A count or a mask.
    Register(Register),
    /// Whether it holds for all.
    All(Predicate),
    /// Whether it holds for one.
    Any(Predicate),
}

/// A call of a device function.
#[derive(Debug)]
pub struct Call {
    /// Which function of the program.
    pub function: usize,
    /// Where in the caller's memory the arguments lie.
    pub arguments: Vec<u32>,
    /// Where in the caller's memory the results go.
    pub results: Vec<u32>,
}

/// A register that the launch or the warp fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `%tid` along an axis.
    Thread(u8),
    /// `%ntid`.
    BlockExtent(u8),
    /// `%ctaid`.
    Block(u8),
    /// `%nctaid`.
    GridExtent(u8),
    /// `%laneid`.
    Lane,
    /// `%warpid`.
    Warp,
    /// `%nwarpid`.
    Warps,
    /// `%lanemask_lt` and its like: bits below, at and above the lane.
    LaneMask { below: bool, at: bool, above: bool },
    /// Where the function's own memory begins in the memory of the thread.
    Frame(u32),
    /// Where the shared memory begins whose size the launch gives, and a distance.
    DynamicShared,
    /// Bytes of that memory.
    DynamicSharedSize,
    /// All bytes of shared memory.
    SharedSize,
}

/// A parameter or a result: offset and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Where it begins.
    pub offset: u32,
    /// How long it is.
    pub bytes: u32,
}

/// A function.
#[derive(Debug)]
pub struct Code {
    /// Its name.
    pub name: String,
    /// Whether it can be launched.
    pub entry: bool,
    /// What it does.
    pub instructions: Vec<Instruction>,
    /// For every instruction its bytes in the text and its line.
    pub origins: Vec<(u32, u32, u32)>,
    /// How many registers it has.
    pub registers: usize,
    /// How many predicates it has.
    pub predicates: usize,
    /// Registers that hold constants.
    pub constants: Vec<(Register, u64)>,
    /// Registers that the launch or the warp fills.
    pub specials: Vec<(Register, Special)>,
    /// Bytes of a thread's memory.
    pub local: u32,
    /// Bytes of shared memory whose size the text gives.
    pub shared: u32,
    /// Its parameters: of a kernel in the bytes of its arguments, else in the thread's memory.
    pub parameters: Vec<Slot>,
    /// Its results, in the thread's memory.
    pub results: Vec<Slot>,
    /// Bytes of all parameters of a kernel.
    pub parameter_bytes: u32,
    /// Most threads of a block.
    pub most_threads: u32,
}

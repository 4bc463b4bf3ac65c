//! A PTX module as it is written: variables, functions, statements.

use super::types::Type;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// Memory of the device that kernels only read.
    Const,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Arguments of a kernel, arguments and results of a call.
    Param,
    /// Any of them, told apart by the address.
    Generic,
}

/// A variable: `.global .align 8 .b8 table[32] = {...}`.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Where it lives.
    pub space: Space,
    /// Its name.
    pub name: String,
    /// Its alignment in bytes.
    pub align: usize,
    /// The type of an element.
    pub element: Type,
    /// How many elements; none where the launch says how many (`.extern .shared`).
    pub count: Option<usize>,
    /// Its first values; the rest is zero.
    pub values: Vec<Initial>,
}

impl Variable {
    /// Bytes of the variable; 0 where the launch says how many.
    pub fn bytes(&self) -> usize {
        self.count.unwrap_or(0) * self.element.bytes()
    }
}

/// A first value of a variable.
#[derive(Clone, Debug)]
pub enum Initial {
    /// These bits.
    Bits(u64),
    /// The address of another variable and a distance from it.
    Address(String, i64),
}

/// A kernel or a device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Whether it can be launched.
    pub entry: bool,
    /// Its parameters.
    pub parameters: Vec<Variable>,
    /// Its results.
    pub results: Vec<Variable>,
    /// Most threads of a block (`.maxntid`, `.reqntid`).
    pub most_threads: Option<u32>,
    /// What it does.
    pub body: Vec<Statement>,
}

/// A line of a function.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A scope begins.
    Open,
    /// A scope ends.
    Close,
    /// `.reg .f64 %fd<9>` (with a count) or `.reg .b32 temporary` (without).
    Registers(Type, Vec<(String, Option<u32>)>),
    /// A variable of the function.
    Variable(Variable),
    /// A place that branches name.
    Label(String),
    /// The labels that a branch picks from, under a name.
    Targets(String, Vec<String>),
    /// An instruction.
    Instruction(Instruction),
}

/// An instruction as it is written.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The predicate that must hold, and whether it must not.
    pub guard: Option<(String, bool)>,
    /// `ld` of `ld.global.f32`.
    pub opcode: String,
    /// `global`, `f32` of `ld.global.f32`.
    pub modifiers: Vec<String>,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// Its bytes in the text.
    pub span: (usize, usize),
    /// Its line, from 1.
    pub line: u32,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, a variable, a function or a label.
    Name(String),
    /// A predicate, negated.
    Not(String),
    /// A whole number.
    Integer(u64),
    /// A single-precision number.
    Float(u32),
    /// A double-precision number.
    Double(u64),
    /// `[base+offset]`.
    Address(Box<Operand>, i64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
    /// `a|b`.
    Pair(Box<Operand>, Box<Operand>),
    /// `_`.
    Sink,
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// Its variables, in the order of the text.
    pub variables: Vec<Variable>,
    /// Its functions that have a body.
    pub functions: Vec<Function>,
}

//! Straight-line code over vectors: what a list of instructions does to one group of elements.

use darray_core::DType;
use smallvec::SmallVec;
use std::collections::HashMap;

/// What a value's lanes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    F64,
    F32,
    I64,
    /// Also u8, whose upper bits are zero.
    I32,
    /// One bit per lane: bool.
    Mask,
}

/// A value: the position of its node.
pub(super) type Value = u32;

/// An operation on all lanes. Arguments are of the type of the result but where said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// The same bits in every lane.
    Constant(u64),
    /// One element, at the pointer of this number, in every lane.
    Uniform(u16, DType),
    /// Consecutive elements at the pointer of this number, of the group of this number.
    Load(u16, DType, u8),
    /// Writes `a` to consecutive elements; no result.
    Store(u16, DType, u8),
    Add,
    Sub,
    Mul,
    /// The product of the lower halves of integers of 64 bits, seen as unsigned.
    MulHalves,
    Div,
    Sqrt,
    /// `a * b + c`, rounded once.
    MulAdd,
    /// To a whole number; the rounding mode of the instruction set.
    Round(Rounding),
    /// From this type: floats and integers to floats rounded to nearest; floats to integers toward zero,
    /// the least integer beyond the range and of NaN; between integers, signs coming in or the upper
    /// half dropped.
    Convert(Lane),
    /// Of integers (and numbers seen as such) or masks.
    And,
    Or,
    Xor,
    /// `not a and b`, of integers.
    AndNot,
    /// Of masks.
    Not,
    /// Zeros coming in.
    ShiftLeft(u8),
    ShiftRight(u8),
    /// Compares arguments of this type to a mask; floats: false with NaN.
    Compare(Relation, Lane),
    /// `b` where the mask `a` holds, else `c`.
    Select,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rounding {
    Nearest,
    Down,
    Up,
    Zero,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Relation {
    Less,
    LessEqual,
    Equal,
    Greater,
    GreaterEqual,
}

/// One operation and what it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub op: Op,
    /// Of the result.
    pub lane: Lane,
    pub args: SmallVec<[Value; 3]>,
}

/// The code of one group of elements, in order. Equal operations are there once.
#[derive(Default)]
pub(super) struct Body {
    pub nodes: Vec<Node>,
    known: HashMap<Node, Value>,
}

impl Lane {
    /// How elements of a type lie in lanes.
    pub fn of(dtype: DType) -> Lane {
        match dtype {
            DType::F64 => Lane::F64,
            DType::F32 => Lane::F32,
            DType::I64 => Lane::I64,
            DType::I32 | DType::U8 => Lane::I32,
            DType::Bool => Lane::Mask,
        }
    }

    /// Bytes of a lane; masks have none.
    pub fn size(self) -> usize {
        match self {
            Lane::F64 | Lane::I64 => 8,
            Lane::F32 | Lane::I32 => 4,
            Lane::Mask => 0,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Lane::F64 | Lane::F32)
    }

    /// The integer as wide as a number.
    pub fn bits(self) -> Lane {
        match self {
            Lane::F64 => Lane::I64,
            Lane::F32 => Lane::I32,
            other => other,
        }
    }
}

impl Op {
    /// Whether the value can be had again at any time without its arguments.
    pub fn is_remade(self) -> bool {
        matches!(self, Op::Constant(_) | Op::Uniform(..))
    }
}

impl Relation {
    /// The relation with its sides exchanged.
    pub fn flipped(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessEqual => Relation::GreaterEqual,
            Relation::Equal => Relation::Equal,
            Relation::Greater => Relation::Less,
            Relation::GreaterEqual => Relation::LessEqual,
        }
    }
}

impl Body {
    /// Adds an operation, or finds it.
    pub fn add(&mut self, op: Op, lane: Lane, args: &[Value]) -> Value {
        let node = Node { op, lane, args: SmallVec::from_slice(args) };
        let next = self.nodes.len() as Value;
        if let Op::Store(..) = op {
            // What was loaded may have been overwritten.
            self.known.retain(|node, _| !matches!(node.op, Op::Load(..)));
            self.nodes.push(node);
            return next;
        }
        let value = *self.known.entry(node.clone()).or_insert(next);
        if value == next {
            self.nodes.push(node);
        }
        value
    }

    /// The same bits in every lane.
    pub fn constant(&mut self, bits: u64, lane: Lane) -> Value {
        self.add(Op::Constant(bits), lane, &[])
    }

    /// Without operations that no store needs.
    pub fn used(self) -> Vec<Node> {
        let mut needed = vec![false; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            needed[at] |= matches!(node.op, Op::Store(..));
            if needed[at] {
                node.args.iter().for_each(|&arg| needed[arg as usize] = true);
            }
        }
        let mut renumbered = vec![0; self.nodes.len()];
        let mut kept = Vec::new();
        for (at, mut node) in self.nodes.into_iter().enumerate().filter(|(at, _)| needed[*at]) {
            node.args.iter_mut().for_each(|arg| *arg = renumbered[*arg as usize]);
            renumbered[at] = kept.len() as Value;
            kept.push(node);
        }
        kept
    }
}

/// Elements per group: as many as the widest lanes let into a vector of so many bytes.
pub(super) fn width(nodes: &[Node], bytes: usize) -> usize {
    bytes / nodes.iter().map(|node| node.lane.size()).max().unwrap_or(8).max(4)
}

/// The code of several groups side by side: what stands in order becomes as many operations that do not wait
/// for each other.
pub(super) fn abreast(nodes: &[Node], groups: u8) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::with_capacity(nodes.len() * usize::from(groups));
    // The number of a value in each group.
    let mut numbers: Vec<[Value; MOST_GROUPS as usize]> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let mut number = [all.len() as Value; MOST_GROUPS as usize];
        let shared = node.op.is_remade();
        for group in 0..if shared { 1 } else { groups } {
            number[usize::from(group)] = all.len() as Value;
            let args = node.args.iter().map(|&arg| numbers[arg as usize][usize::from(group)]);
            let op = match node.op {
                Op::Load(pointer, dtype, _) => Op::Load(pointer, dtype, group),
                Op::Store(pointer, dtype, _) => Op::Store(pointer, dtype, group),
                other => other,
            };
            all.push(Node { op, lane: node.lane, args: args.collect() });
        }
        numbers.push(number);
    }
    all
}

/// Most groups that are worked on side by side.
pub(super) const MOST_GROUPS: u8 = 4;

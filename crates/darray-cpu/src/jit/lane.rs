//! Straight-line code over vectors: what a list of instructions does to one group of elements.

mod divisor;
mod form;
mod groups;
mod kind;
mod known;
mod relation;

pub(super) use divisor::Divisor;
pub(super) use form::Form;
pub(super) use groups::{MOST_GROUPS, jammed, width};
pub(super) use kind::Lane;

use super::call::OPERANDS;
use darray_core::RealType;
use darray_kernel::operator::Operator;
pub(super) use known::{Known, hash_of};
pub(super) use relation::Relation;
use std::ops::{Deref, DerefMut};

/// A value: the position of its node.
pub(super) type Value = u32;

/// An operation on all lanes. Arguments are of the type of the result but where said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Op {
    /// The same bits in every lane.
    Constant(u64),
    /// One element, at the pointer of this number, in every lane.
    Uniform(u16, RealType),
    /// What a division by that integer needs, in every lane.
    Divisor(u16, RealType, Divisor),
    /// Consecutive elements at the pointer of this number, of the group of this number.
    Load(u16, RealType, u8),
    /// The element at the pointer of this number, in every lane, as it is when the code comes there.
    Broadcast(u16, RealType),
    /// Moves accesses to their next row; no result.
    NextRow,
    /// Writes `a` to consecutive elements; no result.
    Store(u16, RealType, u8),
    /// The number of each element, the first of the call being 0, of the group of this number; i64.
    Position(u8),
    /// What accumulators hold.
    Held(Held),
    /// Accumulators take `a`; no result. Nothing uses what they held after it.
    Hold(Held),
    /// What the round before left for this one, by number.
    Carried(u8),
    /// Leaves `a` for the next round; no result. Nothing uses what was carried here after it.
    Carry(u8),
    Add,
    Sub,
    Mul,
    /// The product of the lower halves of integers of 64 bits, seen as unsigned.
    MulHalves,
    Div,
    /// Of floats: `a` where `a < b` (of `Max`: `a > b`), else `b`.
    Min,
    Max,
    Sqrt,
    /// `a * 2^floor(b)`, rounded once, also of infinite `b`. Of AVX-512 alone.
    Scale,
    /// `e` and `m` of `a = 2^e m`, `1 <= m < 2`, of positive finite numbers; `e` as a number. Of AVX-512 alone.
    Exponent,
    Significand,
    /// `a`, but where `b` is zero, negative, infinite or not a number, what a table says, which `c` is. Of AVX-512 alone.
    Special,
    /// `a`, but where it is greater in magnitude than `b`, or not a number, `b` with the sign of `a`. Of AVX-512 alone.
    Limit,
    /// `a * b + c`, rounded once.
    MulAdd,
    /// To a whole number; the rounding mode of the instruction set.
    Round(Rounding),
    /// To the nearest f16, ties to even; of F32 alone.
    RoundHalf,
    /// From this type: floats and integers to floats rounded to nearest; floats to integers toward zero, the least integer beyond
    /// the range and of NaN, to U64, of what is not negative, all bits set beyond; between I64 and I32, signs coming in or the upper
    /// half dropped.
    Convert(Lane),
    /// Of integers (and numbers seen as such) or masks.
    And,
    Or,
    Xor,
    /// `not a and b`, of integers.
    AndNot,
    /// Of a table, the bit that each three bits are the number of, that of `a` first. Of AVX-512 alone.
    Ternary(u8),
    /// Of masks.
    Not,
    /// Zeros coming in.
    ShiftLeft(u8),
    ShiftRight(u8),
    /// By the lanes of `b`, seen as unsigned: up with zeros coming in, down with signs coming in. Beyond the
    /// width, these are all that is left.
    ShiftLeftBy,
    ShiftRightBy,
    /// Down by the lanes of `b`, seen as unsigned, with zeros coming in.
    ShiftDownBy,
    /// Compares arguments of this type to a mask; floats: false with NaN.
    Compare(Relation, Lane),
    /// `b` where the mask `a` holds, else `c`.
    Select,
    /// 16 bytes of each of some rows side by side: what is transposed.
    Rows(Chunk),
    /// Elements of `a` and `b` of so many bytes in turns, of each 16 bytes the lower ones or the upper ones.
    Interleave(u8, Half),
    /// The last lanes of `a`, so many, and behind them the first ones of `b`. Of AVX-512 alone.
    Window(u8),
    /// The lanes of the upper half of so many, which are the first ones, at the lower half; what others hold is not said.
    Upper(u8),
    /// `b`, but where the mask `a` holds, this row of the operator table, by the type of its last operand, of the
    /// arguments behind. In the other lanes the row gives `b` too, so all lanes may be replaced as soon as the
    /// mask holds in one; code calls the loop of the table then.
    Patch(Operator, RealType),
}

/// Accumulators of a fold that are held from group to group: element k is for number k modulo
/// [`Folded::LANES`](super::run::Folded::LANES).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Held {
    /// Where they come from and go to, by the number of the pointer.
    pub pointer: u16,
    /// Of the elements there.
    pub dtype: RealType,
    pub group: u8,
}

/// 16 bytes of rows of a matrix, the first of which begins at a pointer: of as many rows as a vector holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Chunk {
    pub pointer: u16,
    /// Of the elements there.
    pub dtype: RealType,
    /// The first of the rows. The others follow, so many rows apart as a chunk has elements.
    pub row: u8,
    /// Elements of a row before this one.
    pub first: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Half {
    Lower,
    Upper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rounding {
    Nearest,
    Down,
    Up,
    Zero,
}

/// In place of the group of a load: it is for the next round.
pub(super) const NEXT: u8 = u8::MAX;

/// What an operation uses: at most what [`Op::Patch`] does. It is copied as the plain bytes that it is, since compiling does
/// little else; values behind the last one are zero while operations are looked up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Args {
    values: [Value; MOST_ARGS],
    count: u8,
}

/// Most operands of a node.
pub(super) const MOST_ARGS: usize = 2 + OPERANDS as usize;

impl Args {
    #[inline]
    pub fn new(args: &[Value]) -> Args {
        Args::of(args.iter().copied())
    }

    /// As many as there are, at most [`MOST_ARGS`].
    #[inline]
    pub fn of(args: impl ExactSizeIterator<Item = Value>) -> Args {
        let (mut values, count) = ([0; MOST_ARGS], args.len() as u8);
        values.iter_mut().zip(args).for_each(|(value, arg)| *value = arg);
        Args { values, count }
    }

    /// Whether the others are the same, one by one: see [`Body::enter`].
    #[inline]
    fn are(&self, others: &Args) -> bool {
        let pairs = self.values.iter().zip(&others.values);
        pairs.fold(self.count == others.count, |same, (a, b)| same & (a == b))
    }

    /// With other numbers; also behind the last one, where numbers or zeros stand.
    #[inline]
    pub fn renumbered(self, numbers: &[Value]) -> Args {
        Args { values: self.values.map(|value| numbers[value as usize]), ..self }
    }

    /// What a function gives for each.
    #[inline]
    pub fn map(mut self, function: impl Fn(Value) -> Value) -> Args {
        for (_, value) in (0..self.count).zip(&mut self.values) {
            *value = function(*value);
        }
        self
    }
}

impl Deref for Args {
    type Target = [Value];
    #[inline]
    fn deref(&self) -> &[Value] {
        &self.values[..usize::from(self.count)]
    }
}

impl DerefMut for Args {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Value] {
        &mut self.values[..usize::from(self.count)]
    }
}

/// One operation and what it uses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub op: Op,
    /// Of the result.
    pub lane: Lane,
    pub args: Args,
    /// What it is for, see [`Run::origin`](super::run::Run::origin).
    pub origin: u16,
}

/// The code of one group of elements, in order. Equal operations are there once.
#[derive(Default)]
pub(super) struct Body {
    pub nodes: Vec<Node>,
    /// What operations are for that are added.
    pub origin: u16,
    /// Whether there are operations of AVX-512 alone.
    pub has_avx512: bool,
    /// By operation, lanes and arguments.
    known: Known,
    /// Memory may be other than nodes before this one have loaded it.
    overwritten: Value,
}

impl Op {
    /// Whether the value can be had again at any time without its arguments.
    #[inline]
    pub fn is_remade(self) -> bool {
        matches!(self, Op::Constant(_) | Op::Uniform(..) | Op::Divisor(..))
    }

    /// Whether it is another operation for another group.
    #[inline]
    pub fn is_grouped(self) -> bool {
        let is_memory =
            matches!(self, Op::Load(..) | Op::Store(..) | Op::Carried(_) | Op::Carry(_));
        is_memory || matches!(self, Op::Position(_) | Op::Held(_) | Op::Hold(_))
    }

    /// The same for another group of so many in a round: loads of the [next](NEXT) round are of groups behind those.
    #[inline]
    fn of_group(self, group: u8, groups: u8) -> Op {
        match self {
            Op::Load(pointer, dtype, NEXT) => Op::Load(pointer, dtype, groups + group),
            Op::Carried(number) => Op::Carried(number * groups + group),
            Op::Carry(number) => Op::Carry(number * groups + group),
            Op::Load(pointer, dtype, _) => Op::Load(pointer, dtype, group),
            Op::Store(pointer, dtype, _) => Op::Store(pointer, dtype, group),
            Op::Position(_) => Op::Position(group),
            Op::Held(held) => Op::Held(Held { group, ..held }),
            Op::Hold(held) => Op::Hold(Held { group, ..held }),
            other => other,
        }
    }

    /// Whether it does something rather than give a value.
    #[inline]
    pub fn has_effect(self) -> bool {
        matches!(self, Op::Store(..) | Op::Hold(_) | Op::Carry(_) | Op::NextRow)
    }
}

impl Body {
    /// Without operations; about so many will be added.
    pub fn new(about: usize) -> Body {
        Body { nodes: Vec::with_capacity(about), known: Known::new(about), ..Body::default() }
    }

    /// Adds an operation, or finds it.
    #[inline]
    pub fn add(&mut self, op: Op, lane: Lane, args: &[Value]) -> Value {
        self.put(op, lane, Args::new(args))
    }

    /// See [`add`](Self::add).
    #[inline(always)]
    pub fn put(&mut self, op: Op, lane: Lane, args: Args) -> Value {
        // Mostly known where it is called.
        let may_be_simpler = matches!(op, Op::Select | Op::Add | Op::Sub);
        let (op, args) = if may_be_simpler { self.simpler(op, lane, args) } else { (op, args) };
        let [a, b, c, d] = args.values;
        self.enter(op, (lane, args.count), a, b, c, d)
    }

    /// See [`put`](Self::put). The values come one by one: what is written to memory in parts and read as a whole has
    /// to wait, and this is called more than anything else.
    #[inline(never)]
    fn enter(
        &mut self,
        op: Op,
        (lane, count): (Lane, u8),
        a: Value,
        b: Value,
        c: Value,
        d: Value,
    ) -> Value {
        let args = Args { values: [a, b, c, d], count };
        let next = self.nodes.len() as Value;
        let node = Node { op, lane, args, origin: self.origin };
        if op.has_effect() {
            if let Op::Store(..) | Op::NextRow = op {
                self.overwritten = next;
            }
            self.nodes.push(node);
            return next;
        }
        let is_loaded = matches!(op, Op::Load(..) | Op::Broadcast(..));
        let first = if is_loaded { self.overwritten } else { 0 };
        let same = |value: Value| {
            let known = &self.nodes[value as usize];
            value >= first && known.op == op && known.lane == lane && known.args.are(&args)
        };
        let value = self.known.find(node.hash(), same, next);
        if value == next {
            self.nodes.push(node);
        }
        value
    }

    /// An operation with the same value that costs less: a choice of the compared is a minimum or a maximum,
    /// constants that are added to integers one after another are added once.
    fn simpler(&mut self, op: Op, lane: Lane, args: Args) -> (Op, Args) {
        let same = || (op, args);
        match op {
            Op::Select if lane.is_float() => {
                let compared = &self.nodes[args[0] as usize];
                let Op::Compare(relation, of) = compared.op else { return same() };
                let (a, b) = (compared.args[0], compared.args[1]);
                let op = match relation {
                    _ if of != lane => return same(),
                    Relation::Less if (a, b) == (args[1], args[2]) => Op::Min,
                    Relation::Less if (a, b) == (args[2], args[1]) => Op::Max,
                    Relation::Greater if (a, b) == (args[1], args[2]) => Op::Max,
                    Relation::Greater if (a, b) == (args[2], args[1]) => Op::Min,
                    _ => return same(),
                };
                let [_, a, b, _] = args.values;
                (op, Args { values: [a, b, 0, 0], count: 2 })
            }
            Op::Add | Op::Sub if !lane.is_float() && lane != Lane::Mask => {
                let [(a, first), (b, second)] =
                    [args[0], args[1]].map(|arg| self.offset(arg, lane));
                let offset = match op {
                    Op::Add => first.wrapping_add(second),
                    _ => first.wrapping_sub(second),
                };
                let (Some(a), whole) = (a, (args[0], args[1])) else { return same() };
                let base = match b {
                    None => a,
                    Some(b) if (a, b) == whole => return same(),
                    Some(b) => self.add(op, lane, &[a, b]),
                };
                let constant = self.constant(offset & u64::MAX >> (64 - 8 * lane.size()), lane);
                (Op::Add, Args::new(&[base, constant]))
            }
            _ => same(),
        }
    }

    /// An integer as a value and a constant that is added to it; no value where it is a constant. Numbers may be
    /// seen as integers: what is added to them as numbers does not count.
    fn offset(&self, value: Value, lane: Lane) -> (Option<Value>, u64) {
        let node = &self.nodes[value as usize];
        let constant = |value: Value| match self.nodes[value as usize].op {
            Op::Constant(bits) => Some(bits),
            _ => None,
        };
        match (node.op, constant(value)) {
            (_, Some(bits)) => (None, bits),
            (Op::Add, _) if node.lane == lane => match constant(node.args[1]) {
                Some(bits) => (Some(node.args[0]), bits),
                None => (Some(value), 0),
            },
            _ => (Some(value), 0),
        }
    }

    /// The same bits in every lane.
    pub fn constant(&mut self, bits: u64, lane: Lane) -> Value {
        self.add(Op::Constant(bits), lane, &[])
    }

    /// Without operations that no store needs.
    pub fn used(self) -> Vec<Node> {
        let mut nodes = self.nodes;
        // The new numbers of those that are.
        let mut numbers = vec![UNUSED; nodes.len()];
        for (at, node) in nodes.iter().enumerate().rev() {
            if node.op.has_effect() {
                numbers[at] = 0;
            }
            if numbers[at] != UNUSED {
                node.args.iter().for_each(|&arg| numbers[arg as usize] = 0);
            }
        }
        let all = nodes.len();
        let first = numbers.iter().position(|&number| number == UNUSED).unwrap_or(all);
        numbers[..first].iter_mut().zip(0..).for_each(|(number, at)| *number = at);
        let mut count = first as Value;
        for at in first..all {
            if numbers[at] == UNUSED {
                continue;
            }
            numbers[at] = count;
            let node = nodes[at];
            let args = node.args.map(|arg| numbers[arg as usize]);
            nodes[count as usize] = Node { args, ..node };
            count += 1;
        }
        nodes.truncate(count as usize);
        nodes
    }
}

/// In place of a number: of an operation that nothing needs.
const UNUSED: Value = Value::MAX;

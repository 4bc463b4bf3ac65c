//! Registers for straight-line code.
//!
//! One pass in order. Where registers run out, the value whose next use is furthest goes: constants and
//! uniform elements are simply dropped, others are stored to the stack once. An operand that is not in a
//! register is read from memory by the instruction itself where the instruction can.

mod accumulators;
mod file;
mod loads;
mod operations;
mod places;

use super::encode::Opcode;
use super::instruction::{self, Instruction, Source};
use super::lane::{Divisor, Held, Known, Lane, MOST_ARGS, Node, Op, Relation, Value};
use super::target::Target;
use darray_core::RealType;
use file::{File, Registers};
use places::{Dying, Place};

/// An element that all lanes take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Uniform {
    pub pointer: u16,
    pub dtype: RealType,
    /// What of it is wanted, if not itself; see [`Op::Divisor`].
    pub divisor: Option<Divisor>,
}

/// Straight-line code with registers.
#[derive(Default)]
pub(super) struct Allocated {
    pub code: Vec<Instruction>,
    /// What instructions are for, see [`Node::origin`], and where those that are for it end.
    pub origins: Vec<(u16, u32)>,
    /// Constants by number, as 64 bits that repeat.
    pub constants: Vec<u64>,
    /// Uniform elements by number.
    pub uniforms: Vec<Uniform>,
    /// Vectors on the stack.
    pub slots: u32,
    /// Masks on the stack.
    pub mask_slots: u32,
    /// Accumulators that stay in registers.
    pub held: Vec<HeldIn>,
    /// What is loaded and stored, in order, each pointer once.
    pub pointers: Vec<u16>,
    /// Whether there are [positions](Instruction::Position).
    pub has_positions: bool,
    /// Whether there are [calls](Instruction::Patch).
    pub has_calls: bool,
}

impl Allocated {
    /// Ends what is for an origin, if it is any.
    fn end(&mut self, origin: u16) {
        let end = self.code.len() as u32;
        match self.origins.last_mut() {
            Some(last) if last.0 == origin => last.1 = end,
            Some(last) if last.1 == end => {}
            None if end == 0 => {}
            _ => self.origins.push((origin, end)),
        }
    }
}

/// Which accumulators there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Accumulators<'h> {
    None,
    /// In these registers, which nothing else uses.
    Taken(&'h [HeldIn]),
    /// The same, which take only some lanes of what is stored.
    Merged(&'h [HeldIn]),
}

/// Accumulators of a group in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeldIn {
    pub accumulators: Held,
    pub register: u8,
    /// What is there at first, or [`NOWHERE`].
    pub value: Value,
}

/// In place of the value of accumulators that code does not read.
pub(super) const NOWHERE: Value = Value::MAX;

/// Registers of masks, where the target has them: the first stands for none, the second for the elements of
/// a tail.
const MASKS: Registers = 0b1111_1100;

/// Constants of a long function, about: a quarter of it are uniform elements.
const CONSTANTS: usize = 64;

/// Gives registers to the nodes of a group of `width` elements.
pub(super) fn allocate(
    nodes: &[Node],
    width: usize,
    target: Target,
    accumulators: Accumulators<'_>,
) -> Allocated {
    let mut limit = target.vectors().end;
    let mut held: Vec<HeldIn> = Vec::new();
    let in_code = nodes.iter().zip(0..).filter_map(|(node, value)| match node.op {
        Op::Held(accumulators) => Some((accumulators, value)),
        _ => None,
    });
    if let Accumulators::Taken(all) | Accumulators::Merged(all) = accumulators {
        limit -= all.len() as u8;
        held.extend(all.iter().map(|stay| {
            let own = in_code.clone().find(|(accumulators, _)| *accumulators == stay.accumulators);
            HeldIn { value: own.map_or(NOWHERE, |(_, value)| value), ..*stay }
        }));
    }
    let (places, following, carried) = places::new(nodes);
    // Beside the nodes there are copies, spills and what brings them back.
    let about = nodes.len() + nodes.len() / 4;
    let out = Allocated {
        code: Vec::with_capacity(about),
        origins: Vec::with_capacity(nodes.len() / 4),
        constants: Vec::with_capacity(CONSTANTS),
        uniforms: Vec::with_capacity(CONSTANTS / 4),
        held,
        slots: carried,
        ..Allocated::default()
    };
    let mut allocator = Allocator {
        nodes,
        width,
        target,
        current: 0,
        dying: Dying::default(),
        shared: None,
        places,
        following: &following,
        registers: [(1 << limit) - 1, MASKS],
        files: Default::default(),
        merges: matches!(accumulators, Accumulators::Merged(_)),
        free_slots: Default::default(),
        carried,
        constants: Known::new(CONSTANTS),
        uniforms: Known::new(CONSTANTS / 4),
        out,
    };
    let mut origin = 0;
    for (at, (node, following)) in nodes.iter().zip(&following).enumerate() {
        if node.op.is_remade() {
            continue;
        }
        if node.origin != origin {
            allocator.out.end(std::mem::replace(&mut origin, node.origin));
        }
        allocator.node(at as Value, node, following);
    }
    allocator.out.end(origin);
    allocator.out
}

struct Allocator<'n> {
    nodes: &'n [Node],
    width: usize,
    target: Target,
    /// The current node.
    current: Value,
    dying: Dying,
    /// What was loaded for this node and the next one.
    shared: Option<Value>,
    /// By value.
    places: Vec<Place>,
    /// By node: for each of its operands, the next node that uses the value.
    following: &'n [[Value; MOST_ARGS]],
    /// Registers that are given to values: of vectors, of masks.
    registers: [Registers; 2],
    /// What registers hold: of vectors, of masks.
    files: [File; 2],
    /// Whether accumulators take only some lanes.
    merges: bool,
    /// Places on the stack whose values are no longer needed: of vectors, of masks.
    free_slots: [Vec<u32>; 2],
    /// The first places on the stack, of what rounds carry to the next: nothing else comes there.
    carried: u32,
    /// The numbers of constants and of uniform elements.
    constants: Known,
    uniforms: Known,
    out: Allocated,
}

impl Allocator<'_> {
    #[inline(always)]
    fn node(&mut self, at: Value, node: &Node, following: &[Value; MOST_ARGS]) {
        let Node { op, lane, ref args, .. } = *node;
        self.pass(args, following);
        self.current = at;
        match op {
            Op::Constant(_) | Op::Uniform(..) | Op::Divisor(..) => {}
            Op::Load(pointer, dtype, group) => {
                self.point(pointer);
                let register = self.take(lane, 0);
                self.out.code.push(Instruction::Load { register, lane, pointer, dtype, group });
                self.hold(at, register);
            }
            Op::Broadcast(pointer, dtype) => {
                self.point(pointer);
                let register = self.take(lane, 0);
                self.out.code.push(Instruction::Broadcast { register, lane, pointer, dtype });
                self.hold(at, register);
            }
            Op::NextRow => self.out.code.push(Instruction::NextRow),
            Op::Store(pointer, dtype, group) => {
                self.point(pointer);
                let register = self.register(args[0], 0);
                self.out.code.push(Instruction::Store { register, lane, pointer, dtype, group });
            }
            Op::Position(group) => {
                self.out.has_positions = true;
                let register = self.take(lane, 0);
                self.out.code.push(Instruction::Position { register, group });
                self.hold(at, register);
            }
            Op::Held(held) => self.held(at, held),
            // It is on the stack.
            Op::Carried(_) => {}
            Op::Carry(slot) => {
                let register = self.register(args[0], 0);
                self.out.code.push(Instruction::Spill { register, slot: slot.into() });
            }
            Op::Hold(held) => self.hold_accumulators(held, args[0]),
            Op::Patch(operator, dtype) => self.patch(at, operator, dtype),
            Op::MulAdd => self.multiply_add(at, lane, [args[0], args[1], args[2]]),
            Op::Ternary(_) | Op::Special => self.ternary(at, lane, op, [args[0], args[1], args[2]]),
            Op::Select if lane == Lane::Mask => self.select_mask(at, [args[0], args[1], args[2]]),
            Op::Select => self.select(at, lane, [args[0], args[1], args[2]]),
            Op::Compare(relation, of) => {
                let (mut a, mut b, mut relation) = (args[0], args[1], relation);
                let may_flip =
                    self.target == Target::Avx512 || of.is_float() || relation == Relation::Equal;
                if may_flip && self.in_memory(a) && !self.in_memory(b) {
                    (a, b, relation) = (b, a, relation.flipped());
                }
                let (opcode, immediate) = instruction::compare(relation, of, self.target);
                self.binary(at, lane, of, opcode, immediate, [a, b]);
            }
            Op::And | Op::Or | Op::Xor if lane == Lane::Mask => {
                let first = self.register(args[0], 0);
                let second = self.register(args[1], 1 << first);
                self.mask(at, op, first, second);
            }
            Op::Not => {
                let second = self.register(args[0], 0);
                self.mask(at, op, 0, second);
            }
            Op::ShiftLeft(count) | Op::ShiftRight(count) => {
                let (opcode, extension) = instruction::shift(matches!(op, Op::ShiftLeft(_)), lane);
                let second = self.register(args[0], 0);
                self.release_dead();
                let to = self.take(lane, 0);
                // The register of the result stands in the place of the first operand.
                self.vector(opcode, lane, extension, to, Source::Register(second), Some(count));
                self.hold(at, to);
            }
            Op::Convert(from) => self.convert(at, from, lane, args[0]),
            Op::RoundHalf => {
                let second = self.register(args[0], 0);
                self.release_dead();
                let to = self.take(lane, 0);
                let (narrow, nearest) = instruction::NARROW_TO_HALVES;
                // An instruction to memory in its form: the source comes first.
                self.vector(narrow, lane, second, 0, Source::Register(to), Some(nearest));
                let halves = Source::Register(to);
                self.vector(instruction::WIDEN_HALVES, lane, to, 0, halves, None);
                self.hold(at, to);
            }
            Op::Upper(lanes) => {
                let bytes = usize::from(lanes) * lane.size();
                let length = usize::from(self.length(lane));
                let (opcode, immediate, twice) = instruction::upper(bytes, length, self.target);
                let second = self.register(args[0], 0);
                let first = if twice { second } else { 0 };
                self.release_dead();
                let to = self.take(lane, 0);
                let second = Source::Register(second);
                self.vector(opcode, lane, to, first, second, Some(immediate));
                self.hold(at, to);
            }
            Op::Rows(chunk) => {
                self.point(chunk.pointer);
                let register = self.take(lane, 0);
                self.out.code.push(Instruction::Rows { register, lane, chunk });
                self.hold(at, register);
            }
            Op::Window(last) => {
                let (opcode, first) = (instruction::align(lane), self.width as u8 - last);
                self.binary(at, lane, lane, opcode, Some(first), [args[1], args[0]]);
            }
            Op::Interleave(bytes, half) => {
                let opcode = instruction::interleave(bytes, half);
                self.binary(at, lane, lane, opcode, None, [args[0], args[1]]);
            }
            Op::Sqrt | Op::Round(_) | Op::Exponent | Op::Significand => {
                let (opcode, immediate) = instruction::opcode_of(op, lane);
                let second = self.register(args[0], 0);
                self.release_dead();
                let to = self.take(lane, 0);
                self.vector(opcode, lane, to, 0, Source::Register(second), immediate);
                self.hold(at, to);
            }
            Op::Add
            | Op::Sub
            | Op::Mul
            | Op::MulHalves
            | Op::Div
            | Op::Scale
            | Op::Limit
            | Op::Min
            | Op::Max
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::AndNot
            | Op::ShiftLeftBy
            | Op::ShiftRightBy
            | Op::ShiftDownBy => {
                let (mut a, mut b) = (args[0], args[1]);
                let commutes =
                    matches!(op, Op::Add | Op::Mul | Op::MulHalves | Op::And | Op::Or | Op::Xor);
                if commutes && self.in_memory(a) && !self.in_memory(b) {
                    (a, b) = (b, a);
                }
                let (opcode, immediate) = instruction::opcode_of(op, lane);
                self.binary(at, lane, lane, opcode, immediate, [a, b]);
            }
        }
        self.release();
        if self.is_over(at) {
            self.forget(at);
        }
    }

    /// Notes a pointer that is loaded from or stored to.
    fn point(&mut self, pointer: u16) {
        if !self.out.pointers.contains(&pointer) {
            self.out.pointers.push(pointer);
        }
    }

    #[inline]
    fn vector(
        &mut self,
        opcode: Opcode,
        lane: Lane,
        to: u8,
        first: u8,
        second: Source,
        immediate: Option<u8>,
    ) {
        let length = self.length(lane);
        let (mask, zero) = (0, false);
        self.out.code.push(Instruction::Vector {
            opcode,
            length,
            to,
            first,
            second,
            mask,
            zero,
            immediate,
        });
    }

    /// Bytes of a vector of lanes.
    #[inline]
    fn length(&self, lane: Lane) -> u8 {
        (lane.size() * self.width) as u8
    }
}

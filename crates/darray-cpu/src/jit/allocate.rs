//! Registers for straight-line code.
//!
//! One pass in order. Where registers run out, the value whose next use is furthest goes: constants and
//! uniform elements are simply dropped, others are stored to the stack once. An operand that is not in a
//! register is read from memory by the instruction itself where the instruction can.

use super::instruction::{self, Instruction, Source};
use super::lane::{Lane, Node, Op, Value};
use smallvec::SmallVec;
use std::collections::HashMap;

/// Straight-line code with registers.
#[derive(Default)]
pub(super) struct Allocated {
    pub code: Vec<Instruction>,
    /// Constants by number.
    pub constants: Vec<u64>,
    /// The pointers of uniform elements by number, and what the elements are.
    pub uniforms: Vec<(u16, Lane, usize)>,
    /// Vectors on the stack.
    pub slots: u32,
    /// Masks on the stack.
    pub mask_slots: u32,
}

/// Registers of a kind: 0 to 30 of the vectors, the last being for what needs one in passing; 2 to 7 of the
/// masks, the first standing for none and the second for the elements of a tail.
const VECTORS: std::ops::Range<u8> = 0..31;
const MASKS: std::ops::Range<u8> = 2..8;

/// Gives registers to the nodes of a group of `width` elements.
pub(super) fn allocate(nodes: &[Node], width: usize) -> Allocated {
    let mut uses: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        node.args.iter().for_each(|&arg| uses[arg as usize].push(at as u32));
    }
    uses.iter_mut().for_each(|uses| uses.reverse());
    let mut allocator = Allocator {
        nodes,
        width,
        uses,
        current: SmallVec::new(),
        place: vec![Place::default(); nodes.len()],
        vectors: vec![None; VECTORS.end as usize],
        masks: vec![None; MASKS.end as usize],
        constants: HashMap::new(),
        uniforms: HashMap::new(),
        out: Allocated::default(),
    };
    for at in 0..nodes.len() {
        allocator.node(at as Value);
    }
    allocator.out
}

#[derive(Clone, Copy, Default)]
struct Place {
    register: Option<u8>,
    slot: Option<u32>,
}

struct Allocator<'n> {
    nodes: &'n [Node],
    width: usize,
    /// Nodes to come that use a value, the next one last.
    uses: Vec<Vec<u32>>,
    /// What the current node uses.
    current: SmallVec<[Value; 3]>,
    place: Vec<Place>,
    /// What registers hold.
    vectors: Vec<Option<Value>>,
    masks: Vec<Option<Value>>,
    constants: HashMap<u64, u32>,
    uniforms: HashMap<u16, u32>,
    out: Allocated,
}

impl Allocator<'_> {
    fn node(&mut self, at: Value) {
        let node = &self.nodes[at as usize];
        let (op, lane) = (node.op, node.lane);
        let args = node.args.clone();
        if op.is_remade() {
            return;
        }
        for &arg in &args {
            self.uses[arg as usize].pop();
        }
        self.current.clone_from(&args);
        match op {
            Op::Constant(_) | Op::Uniform(..) => {}
            Op::Load(pointer, dtype, group) => {
                let register = self.take(lane, &[]);
                self.out.code.push(Instruction::Load { register, pointer, dtype, group });
                self.hold(at, register);
            }
            Op::Store(pointer, dtype, group) => {
                let register = self.register(args[0], &[]);
                self.out.code.push(Instruction::Store { register, pointer, dtype, group });
            }
            Op::MulAdd => self.multiply_add(at, lane, [args[0], args[1], args[2]]),
            Op::Select if lane == Lane::Mask => self.select_mask(at, [args[0], args[1], args[2]]),
            Op::Select => self.select(at, lane, [args[0], args[1], args[2]]),
            Op::Compare(relation, of) => {
                let (mut a, mut b, mut relation) = (args[0], args[1], relation);
                if self.in_memory(a) && !self.in_memory(b) {
                    (a, b, relation) = (b, a, relation.flipped());
                }
                let (opcode, immediate) = instruction::compare(relation, of);
                self.binary(at, Lane::Mask, of, opcode, Some(immediate), [a, b]);
            }
            Op::And | Op::Or | Op::Xor if lane == Lane::Mask => {
                let first = self.register(args[0], &[]);
                let second = self.register(args[1], &[first]);
                self.mask(at, op, first, second);
            }
            Op::Not => {
                let second = self.register(args[0], &[]);
                self.mask(at, op, 0, second);
            }
            Op::ShiftLeft(count) | Op::ShiftRight(count) => {
                let (opcode, extension) = instruction::shift(matches!(op, Op::ShiftLeft(_)), lane);
                let second = self.register(args[0], &[]);
                self.release_dead(&args);
                let to = self.take(lane, &[]);
                // The register of the result stands in the place of the first operand.
                self.vector(opcode, lane, extension, to, Source::Register(second), Some(count));
                self.hold(at, to);
            }
            Op::Convert(from) => self.convert(at, from, lane, args[0]),
            Op::Sqrt | Op::Round(_) => {
                let (opcode, immediate) = instruction::opcode_of(op, lane);
                let second = self.register(args[0], &[]);
                self.release_dead(&args);
                let to = self.take(lane, &[]);
                self.vector(opcode, lane, to, 0, Source::Register(second), immediate);
                self.hold(at, to);
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::And | Op::Or | Op::Xor => {
                let (mut a, mut b) = (args[0], args[1]);
                let commutes = !matches!(op, Op::Sub | Op::Div);
                if commutes && self.in_memory(a) && !self.in_memory(b) {
                    (a, b) = (b, a);
                }
                let (opcode, immediate) = instruction::opcode_of(op, lane);
                self.binary(at, lane, lane, opcode, immediate, [a, b]);
            }
        }
        self.release_dead(&args);
        self.release_dead(&[at]);
    }

    /// `opcode to, a, b`, the vectors being of `of`.
    fn binary(
        &mut self,
        at: Value,
        lane: Lane,
        of: Lane,
        opcode: super::encode::Opcode,
        immediate: Option<u8>,
        [a, b]: [Value; 2],
    ) {
        let first = self.register(a, &[]);
        let second = self.source(b, &[first]);
        self.release_dead(&[a, b]);
        let to = self.take(lane, &[]);
        self.vector(opcode, of, to, first, second, immediate);
        self.hold(at, to);
    }

    /// `to = a * b + c`: the result takes the place of an operand.
    fn multiply_add(&mut self, at: Value, lane: Lane, [a, b, c]: [Value; 3]) {
        let (mut a, mut b) = (a, b);
        if self.in_memory(a) && !self.in_memory(b) {
            (a, b) = (b, a);
        }
        // At most one operand comes from memory: `c`, or else `b`.
        let ra = self.register(a, &[]);
        let (form, first, second, target, target_value);
        if self.in_memory(c) && !self.in_memory(b) {
            let rb = self.register(b, &[ra]);
            second = self.source(c, &[ra, rb]);
            // to = first * to + second
            (form, first, target, target_value) = if self.dies(b) && !self.dies(a) {
                (instruction::FMA_213, ra, rb, b)
            } else {
                (instruction::FMA_213, rb, ra, a)
            };
        } else {
            let rc = self.register(c, &[ra]);
            second = self.source(b, &[ra, rc]);
            (form, first, target, target_value) = if self.dies(c) && !self.dies(a) {
                // to = first * second + to
                (instruction::FMA_231, ra, rc, c)
            } else {
                // to = to * second + first
                (instruction::FMA_132, rc, ra, a)
            };
        }
        let others_use = target_value == a && (b == a || c == a)
            || target_value == b && c == b
            || target_value == c && (a == c || b == c);
        let dies = self.dies(target_value) && !others_use;
        let to = if dies {
            self.forget(target_value);
            target
        } else {
            let mut pinned = vec![first, target];
            pinned.extend(if let Source::Register(register) = second {
                Some(register)
            } else {
                None
            });
            let copy = self.take(lane, &pinned);
            let from = Source::Register(target);
            self.vector(instruction::move_from(lane), lane, copy, 0, from, None);
            copy
        };
        self.vector(instruction::multiply_add(form, lane), lane, to, first, second, None);
        self.release_dead(&[a, b, c]);
        self.hold(at, to);
    }

    /// `to = mask ? then : otherwise`.
    fn select(&mut self, at: Value, lane: Lane, [mask, then, otherwise]: [Value; 3]) {
        let k = self.register(mask, &[]);
        let zero = matches!(self.nodes[otherwise as usize].op, Op::Constant(0));
        let (opcode, first, second) = if zero {
            // Lanes without mask become zero.
            let from = self.register(then, &[]);
            (instruction::move_from(lane), 0, Source::Register(from))
        } else {
            let first = self.register(otherwise, &[]);
            let second = self.source(then, &[first]);
            (instruction::opcode_of(Op::Select, lane).0, first, second)
        };
        self.release_dead(&[then, otherwise]);
        let to = self.take(lane, &[]);
        let length = self.length(lane);
        self.out.code.push(Instruction::Vector {
            opcode,
            length,
            to,
            first,
            second,
            mask: k,
            zero,
            immediate: None,
        });
        self.hold(at, to);
    }

    /// `(mask and then) or (not mask and otherwise)`, of masks.
    fn select_mask(&mut self, at: Value, [mask, then, otherwise]: [Value; 3]) {
        let m = self.register(mask, &[]);
        let t = self.register(then, &[m]);
        let o = self.register(otherwise, &[m, t]);
        let to = self.take(Lane::Mask, &[m, t, o]);
        // otherwise ^ (mask & (then ^ otherwise))
        for (op, first, second) in [(Op::Xor, t, o), (Op::And, to, m), (Op::Xor, to, o)] {
            self.out.code.push(Instruction::Mask {
                opcode: instruction::mask(op),
                to,
                first,
                second,
            });
        }
        self.hold(at, to);
    }

    fn mask(&mut self, at: Value, op: Op, first: u8, second: u8) {
        let args = self.nodes[at as usize].args.clone();
        self.release_dead(&args);
        let to = self.take(Lane::Mask, &[]);
        self.out.code.push(Instruction::Mask { opcode: instruction::mask(op), to, first, second });
        self.hold(at, to);
    }

    fn convert(&mut self, at: Value, from: Lane, lane: Lane, arg: Value) {
        let second = self.register(arg, &[]);
        self.release_dead(&[arg]);
        let to = self.take(lane, &[]);
        let wider = if from.size() > lane.size() { from } else { lane };
        let opcode = instruction::convert(from, lane);
        // Dropping the upper half is an instruction to memory in its form: the source comes first.
        if (from, lane) == (Lane::I64, Lane::I32) {
            self.vector(opcode, wider, second, 0, Source::Register(to), None);
        } else {
            self.vector(opcode, wider, to, 0, Source::Register(second), None);
        }
        self.hold(at, to);
    }

    fn vector(
        &mut self,
        opcode: super::encode::Opcode,
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
    fn length(&self, lane: Lane) -> u8 {
        (lane.size() * self.width) as u8
    }

    /// Whether a value is in memory and may be an operand from there.
    fn in_memory(&self, value: Value) -> bool {
        self.place[value as usize].register.is_none()
    }

    fn dies(&self, value: Value) -> bool {
        self.uses[value as usize].is_empty() || self.nodes[value as usize].op.is_remade()
    }

    /// The value as the last operand of an instruction.
    fn source(&mut self, value: Value, pinned: &[u8]) -> Source {
        let place = self.place[value as usize];
        let lane = self.nodes[value as usize].lane;
        match (place.register, self.nodes[value as usize].op) {
            (Some(register), _) => Source::Register(register),
            (None, Op::Constant(bits)) => Source::Constant(self.constant(bits, lane)),
            (None, Op::Uniform(pointer, _)) => Source::Uniform(self.uniform(value, pointer)),
            (None, _) => match place.slot {
                Some(slot) => Source::Slot(slot),
                None => Source::Register(self.register(value, pinned)),
            },
        }
    }

    /// The value in a register. `pinned` registers keep what they hold.
    fn register(&mut self, value: Value, pinned: &[u8]) -> u8 {
        if let Some(register) = self.place[value as usize].register {
            return register;
        }
        let Node { op, lane, .. } = self.nodes[value as usize];
        let register = self.take(lane, pinned);
        match (op, lane) {
            (Op::Uniform(pointer, _), Lane::Mask) => {
                let uniform = self.uniform(value, pointer);
                self.out.code.push(Instruction::MaskUniform { register, uniform });
            }
            (Op::Constant(_) | Op::Uniform(..), _) => {
                let source = self.source(value, &[]);
                self.vector(instruction::broadcast(lane), lane, register, 0, source, None);
            }
            (_, Lane::Mask) => {
                let slot = self.place[value as usize].slot.expect("a value is somewhere");
                self.out.code.push(Instruction::MaskReload { register, slot });
            }
            _ => {
                let slot = self.place[value as usize].slot.expect("a value is somewhere");
                let source = Source::Slot(slot);
                self.vector(instruction::move_from(lane), lane, register, 0, source, None);
            }
        }
        self.hold(value, register);
        register
    }

    fn constant(&mut self, bits: u64, lane: Lane) -> u32 {
        // Both halves, for lanes of either size.
        let bits = if lane.size() == 4 { bits & 0xffff_ffff } else { bits };
        let next = self.out.constants.len() as u32;
        let number = *self.constants.entry(bits).or_insert(next);
        if number == next {
            self.out.constants.push(bits);
        }
        number
    }

    fn uniform(&mut self, value: Value, pointer: u16) -> u32 {
        let Op::Uniform(_, dtype) = self.nodes[value as usize].op else {
            unreachable!("a uniform element")
        };
        let next = self.out.uniforms.len() as u32;
        let number = *self.uniforms.entry(pointer).or_insert(next);
        if number == next {
            let lane = self.nodes[value as usize].lane;
            self.out.uniforms.push((pointer, lane, dtype.size()));
        }
        number
    }

    fn file(&mut self, lane: Lane) -> &mut Vec<Option<Value>> {
        if lane == Lane::Mask { &mut self.masks } else { &mut self.vectors }
    }

    /// A register for a value of this kind, not a pinned one. What it held is safe; the register still
    /// has it until it is written, so that an operand may give its register to the result.
    fn take(&mut self, lane: Lane, pinned: &[u8]) -> u8 {
        let range = if lane == Lane::Mask { MASKS } else { VECTORS };
        let file = self.file(lane);
        if let Some(free) =
            range.clone().find(|&r| file[r as usize].is_none() && !pinned.contains(&r))
        {
            return free;
        }
        let candidates = range.filter(|r| !pinned.contains(r));
        let furthest = candidates.max_by_key(|&register| {
            let held = if lane == Lane::Mask { &self.masks } else { &self.vectors };
            let value = held[register as usize].expect("no register is free");
            let next = match self.uses[value as usize].last() {
                _ if self.current.contains(&value) => 0,
                Some(&at) => at,
                None => u32::MAX,
            };
            // Of two that are as far, the one that costs nothing to give up.
            let free = self.nodes[value as usize].op.is_remade()
                || self.place[value as usize].slot.is_some();
            (next, free)
        });
        let register = furthest.expect("an instruction has few operands");
        let value = self.file(lane)[register as usize].expect("no register is free");
        self.evict(value, register);
        register
    }

    fn evict(&mut self, value: Value, register: u8) {
        let Node { op, lane, .. } = self.nodes[value as usize];
        let kept = op.is_remade() || self.place[value as usize].slot.is_some();
        let needed = !self.uses[value as usize].is_empty() || self.current.contains(&value);
        if !kept && needed {
            if lane == Lane::Mask {
                let slot = self.out.mask_slots;
                self.out.mask_slots += 1;
                self.place[value as usize].slot = Some(slot);
                self.out.code.push(Instruction::MaskSpill { register, slot });
            } else {
                let slot = self.out.slots;
                self.out.slots += 1;
                self.place[value as usize].slot = Some(slot);
                self.out.code.push(Instruction::Spill { register, slot });
            }
        }
        self.forget(value);
    }

    fn hold(&mut self, value: Value, register: u8) {
        let lane = self.nodes[value as usize].lane;
        self.file(lane)[register as usize] = Some(value);
        self.place[value as usize].register = Some(register);
    }

    /// The value's register is free; a copy on the stack stays.
    fn forget(&mut self, value: Value) {
        let lane = self.nodes[value as usize].lane;
        if let Some(register) = self.place[value as usize].register.take() {
            self.file(lane)[register as usize] = None;
        }
    }

    /// Frees registers of values without further use.
    fn release_dead(&mut self, values: &[Value]) {
        for &value in values {
            if self.uses[value as usize].is_empty() {
                self.forget(value);
            }
        }
    }
}

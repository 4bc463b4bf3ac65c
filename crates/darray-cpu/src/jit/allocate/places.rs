//! Where values are: in a register, on the stack, in memory; and where they are used.

use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Args, Lane, MOST_ARGS, Node, Op, Value, hash_of};
use super::super::target::Target;
use super::file::Registers;
use super::{Allocator, Uniform};

/// In place of the next use of a value: there is none.
pub(super) const NEVER: Value = Value::MAX;
const NOWHERE: u32 = u32::MAX;
const NO_REGISTER: u8 = u8::MAX;

/// Where a value is, and the next node that uses it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub next_use: Value,
    /// On the stack, where it is [stored](Kind::Stored); of constants and uniform elements, their number.
    slot: u32,
    pub register: u8,
    is_mask: bool,
    kind: Kind,
}

const UNPLACED: Place = Place {
    next_use: NEVER,
    slot: NOWHERE,
    register: NO_REGISTER,
    is_mask: false,
    kind: Kind::Computed,
};

/// Operands of the current node that nothing uses after it.
#[derive(Default)]
pub(super) struct Dying {
    values: [Value; MOST_ARGS],
    count: usize,
    /// How many of them have no register any more.
    released: usize,
    /// Whether one of these is on the stack.
    has_slots: bool,
}

/// What a value is, and whether it can be had without a register.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Constant,
    Uniform,
    /// Only in a register.
    Computed,
    /// Also on the stack.
    Stored,
}

/// The values before the first node, for every operand of every node the next node that uses the same value, and how
/// many places on the stack rounds carry something in.
pub(super) fn new(nodes: &[Node]) -> (Vec<Place>, Vec<[Value; MOST_ARGS]>, u32) {
    let mut carried = 0;
    let mut places = vec![UNPLACED; nodes.len()];
    let mut following = vec![[NEVER; MOST_ARGS]; nodes.len()];
    for (at, (node, following)) in nodes.iter().zip(&mut following).enumerate().rev() {
        for (&arg, following) in node.args.iter().zip(following).rev() {
            let next = &mut places[arg as usize].next_use;
            *following = std::mem::replace(next, at as Value);
        }
        let place = &mut places[at];
        place.is_mask = node.lane == Lane::Mask;
        match node.op {
            Op::Constant(_) => place.kind = Kind::Constant,
            Op::Uniform(..) | Op::Divisor(..) => place.kind = Kind::Uniform,
            Op::Carried(slot) => {
                (place.kind, place.slot) = (Kind::Stored, slot.into());
                carried = carried.max(place.slot + 1);
            }
            Op::Carry(slot) => carried = carried.max(u32::from(slot) + 1),
            _ => {}
        }
    }
    (places, following, carried)
}

impl<'n> Allocator<'n> {
    /// Takes the uses by a node off.
    #[inline]
    pub(super) fn pass(&mut self, args: &Args, following: &[Value; MOST_ARGS]) {
        let mut dying = 0;
        for (&arg, &next_use) in args.iter().zip(following) {
            let place = &mut self.places[arg as usize];
            place.next_use = next_use;
            self.dying.values[dying % MOST_ARGS] = arg;
            dying += usize::from(next_use == NEVER);
        }
        self.dying.count = dying;
        self.dying.released = 0;
        self.dying.has_slots = false;
    }

    /// What the current node uses.
    #[inline]
    fn operands(&self) -> &'n [Value] {
        &self.nodes[self.current as usize].args
    }

    /// Whether nothing to come uses a value.
    #[inline]
    pub(super) fn is_over(&self, value: Value) -> bool {
        self.places[value as usize].next_use == NEVER
    }

    /// Whether a value is an operand from memory, or one that is shared in place of that.
    #[inline]
    pub(super) fn is_source(&self, value: Value) -> bool {
        self.in_memory(value) || self.shared == Some(value)
    }

    /// Whether a value is in memory and may be an operand from there.
    #[inline]
    pub(super) fn in_memory(&self, value: Value) -> bool {
        self.places[value as usize].register == NO_REGISTER
    }

    #[inline]
    pub(super) fn dies(&self, value: Value) -> bool {
        let place = &self.places[value as usize];
        place.next_use == NEVER
            || matches!(place.kind, Kind::Constant | Kind::Uniform) && self.shared != Some(value)
    }

    /// The value as the last operand of an instruction.
    #[inline(always)]
    pub(super) fn source(&mut self, value: Value, pinned: Registers) -> Source {
        match self.places[value as usize].register {
            NO_REGISTER if self.is_shared(value) => self.share(value, pinned),
            NO_REGISTER => self.source_in_memory(value, pinned),
            register => Source::Register(register),
        }
    }

    /// Whether it costs a load each time, and the next node reads it, too, as those of groups side by side do.
    #[inline]
    fn is_shared(&self, value: Value) -> bool {
        let Place { next_use, kind, .. } = self.places[value as usize];
        next_use == self.current + 1 && matches!(kind, Kind::Constant | Kind::Uniform)
    }

    /// Loads it once for this node and the next ones, as long as they follow one another, if there is a register for it
    /// beside one for the result, and none is shared yet.
    fn share(&mut self, value: Value, pinned: Registers) -> Source {
        let free = self.registers[0] & !(self.files[0].used | pinned);
        if free.count_ones() < 2 || self.shared.is_some() {
            return self.source_in_memory(value, pinned);
        }
        self.shared = Some(value);
        Source::Register(self.bring(value, pinned))
    }

    #[inline]
    fn source_in_memory(&mut self, value: Value, pinned: Registers) -> Source {
        let Place { kind, slot, .. } = self.places[value as usize];
        match (kind, slot) {
            (Kind::Constant, NOWHERE) => Source::Constant(self.constant(value)),
            (Kind::Constant, number) => Source::Constant(number),
            (Kind::Uniform, NOWHERE) => Source::Uniform(self.uniform(value)),
            (Kind::Uniform, number) => Source::Uniform(number),
            (Kind::Computed, _) => Source::Register(self.register(value, pinned)),
            (Kind::Stored, slot) => Source::Slot(slot),
        }
    }

    /// The value in a register. `pinned` registers keep what they hold.
    #[inline(always)]
    pub(super) fn register(&mut self, value: Value, pinned: Registers) -> u8 {
        match self.places[value as usize].register {
            NO_REGISTER => self.bring(value, pinned),
            register => register,
        }
    }

    /// Brings a value from memory.
    fn bring(&mut self, value: Value, pinned: Registers) -> u8 {
        let lane = self.nodes[value as usize].lane;
        let register = self.take(lane, pinned);
        let opcode = match (self.places[value as usize].kind, self.target) {
            (Kind::Constant | Kind::Uniform, Target::Avx512) => instruction::broadcast(lane),
            _ => instruction::move_from(lane),
        };
        match (self.source_in_memory(value, 0), lane) {
            (Source::Uniform(uniform), Lane::Mask) => {
                self.out.code.push(Instruction::MaskUniform { register, uniform });
            }
            (Source::Slot(slot), Lane::Mask) => {
                self.out.code.push(Instruction::MaskReload { register, slot });
            }
            (source, _) => self.vector(opcode, lane, register, 0, source, None),
        }
        self.hold(value, register);
        register
    }

    /// The number of a constant that has none yet.
    fn constant(&mut self, value: Value) -> u32 {
        let Node { op: Op::Constant(bits), lane, .. } = self.nodes[value as usize] else {
            unreachable!("a constant")
        };
        // Both halves, for lanes of either size.
        let low = bits & 0xffff_ffff;
        let bits = if lane.size() == 4 { low << 32 | low } else { bits };
        let next = self.out.constants.len() as u32;
        let constants = &self.out.constants;
        let is_it = |number: Value| constants[number as usize] == bits;
        let number = self.constants.find(hash_of(bits), is_it, next);
        if number == next {
            self.out.constants.push(bits);
        }
        self.places[value as usize].slot = number;
        number
    }

    /// The number of a uniform element that has none yet.
    fn uniform(&mut self, value: Value) -> u32 {
        let wanted = match self.nodes[value as usize].op {
            Op::Uniform(pointer, dtype) => Uniform { pointer, dtype, divisor: None },
            Op::Divisor(pointer, dtype, wanted) => {
                Uniform { pointer, dtype, divisor: Some(wanted) }
            }
            _ => unreachable!("a uniform element"),
        };
        let next = self.out.uniforms.len() as u32;
        let uniforms = &self.out.uniforms;
        let is_it = |number: Value| {
            let one = &uniforms[number as usize];
            (one.pointer, one.divisor) == (wanted.pointer, wanted.divisor)
        };
        let number = self.uniforms.find(hash_of(wanted.pointer.into()), is_it, next);
        if number == next {
            self.out.uniforms.push(wanted);
        }
        self.places[value as usize].slot = number;
        number
    }

    /// A register for a value of this kind, not a pinned one. What it held is safe; the register still
    /// has it until it is written, so that an operand may give its register to the result.
    #[inline(always)]
    pub(super) fn take(&mut self, lane: Lane, pinned: Registers) -> u8 {
        let file = usize::from(lane == Lane::Mask);
        let all = self.registers[file];
        match all & !(self.files[file].used | pinned) {
            0 => self.take_furthest(lane, all & !pinned),
            free => free.trailing_zeros() as u8,
        }
    }

    /// Of registers that all hold something, the one whose value is used last.
    fn take_furthest(&mut self, lane: Lane, candidates: Registers) -> u8 {
        let file = &self.files[usize::from(lane == Lane::Mask)];
        // What the current node uses goes only where there is nothing else.
        let near = self.operands().iter().fold(0, |near, &value| {
            let Place { register, is_mask, .. } = self.places[value as usize];
            let is_here = register != NO_REGISTER && is_mask == (lane == Lane::Mask);
            if is_here { near | 1 << register } else { near }
        });
        let mut furthest = match candidates & !near {
            0 => candidates,
            others => file.furthest(others, |value| self.places[value as usize].next_use),
        };
        assert_ne!(furthest, 0, "an instruction has few operands");
        if !furthest.is_power_of_two() {
            // Of two that are as far, the one that costs nothing to give up.
            let is_free = |register: &u8| {
                let kind = self.places[file.value(*register) as usize].kind;
                furthest >> register & 1 == 1 && kind != Kind::Computed
            };
            furthest = (0..32).rev().find(is_free).map_or(furthest, |register| 1 << register);
        }
        let register = furthest.ilog2() as u8;
        let value = file.value(register);
        self.evict(value, register);
        register
    }

    fn evict(&mut self, value: Value, register: u8) {
        let Place { next_use, is_mask, kind, .. } = self.places[value as usize];
        let is_needed = next_use != NEVER || self.operands().contains(&value);
        if kind == Kind::Computed && is_needed {
            let free = self.free_slots[usize::from(is_mask)].pop();
            let count = if is_mask { &mut self.out.mask_slots } else { &mut self.out.slots };
            let slot = free.unwrap_or_else(|| {
                *count += 1;
                *count - 1
            });
            let place = &mut self.places[value as usize];
            (place.slot, place.kind) = (slot, Kind::Stored);
            self.out.code.push(match is_mask {
                true => Instruction::MaskSpill { register, slot },
                false => Instruction::Spill { register, slot },
            });
        }
        self.forget(value);
    }

    #[inline]
    pub(super) fn hold(&mut self, value: Value, register: u8) {
        let place = &mut self.places[value as usize];
        place.register = register;
        self.files[usize::from(place.is_mask)].hold(register, value);
    }

    /// The value's register is free; a copy on the stack stays.
    #[inline]
    pub(super) fn forget(&mut self, value: Value) {
        let place = &mut self.places[value as usize];
        if place.register != NO_REGISTER {
            let register = std::mem::replace(&mut place.register, NO_REGISTER);
            self.files[usize::from(place.is_mask)].free(register);
        }
    }

    /// Frees registers of operands without further use.
    #[inline]
    pub(super) fn release_dead(&mut self) {
        let dying = &mut self.dying;
        for &value in &dying.values[dying.released..dying.count] {
            let place = &mut self.places[value as usize];
            if place.register != NO_REGISTER {
                let register = std::mem::replace(&mut place.register, NO_REGISTER);
                self.files[usize::from(place.is_mask)].free(register);
            }
            dying.has_slots |= place.kind == Kind::Stored;
        }
        dying.released = dying.count;
    }

    /// Also frees their places on the stack, when the instruction that was the last to read them is written.
    #[inline]
    pub(super) fn release(&mut self) {
        self.release_dead();
        if self.dying.has_slots {
            self.release_slots();
        }
        if let Some(value) = self.shared.filter(|&value| !self.is_shared(value)) {
            self.shared = None;
            self.forget(value);
        }
    }

    fn release_slots(&mut self) {
        for &value in &self.dying.values[..self.dying.count] {
            let place = &mut self.places[value as usize];
            if place.kind == Kind::Stored {
                place.kind = Kind::Computed;
                if place.is_mask || place.slot >= self.carried {
                    self.free_slots[usize::from(place.is_mask)].push(place.slot);
                }
            }
        }
    }
}

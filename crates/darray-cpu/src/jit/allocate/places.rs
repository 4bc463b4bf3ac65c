//! Where values are: in a register, on the stack, in memory; and where they are used.

use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Args, Lane, MOST_ARGS, Node, Op, Value};
use super::super::target::Target;
use super::file::Registers;
use super::{Allocator, MASKS};

/// In place of the next use of a value: there is none.
pub(super) const NEVER: Value = Value::MAX;
const NOWHERE: u32 = u32::MAX;
const NO_REGISTER: u8 = u8::MAX;

/// Where a value is, and the next node that uses it.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub next_use: Value,
    /// On the stack; of constants and uniform elements, their number.
    slot: u32,
    pub register: u8,
    is_mask: bool,
    /// See [`Op::is_remade`].
    is_remade: bool,
}

/// The values before the first node, and for every operand of every node the next node that uses the same value.
pub(super) fn new(nodes: &[Node]) -> (Vec<Place>, Vec<[Value; MOST_ARGS]>) {
    let place = |node: &Node| Place {
        next_use: NEVER,
        slot: NOWHERE,
        register: NO_REGISTER,
        is_mask: node.lane == Lane::Mask,
        is_remade: node.op.is_remade(),
    };
    let mut places: Vec<Place> = nodes.iter().map(place).collect();
    let mut following = vec![[NEVER; MOST_ARGS]; nodes.len()];
    for (at, (node, following)) in nodes.iter().zip(&mut following).enumerate().rev() {
        for (&arg, following) in node.args.iter().zip(following).rev() {
            let next = &mut places[arg as usize].next_use;
            *following = std::mem::replace(next, at as Value);
        }
    }
    (places, following)
}

impl Allocator<'_> {
    /// Takes the uses by a node off.
    #[inline]
    pub(super) fn pass(&mut self, args: &Args, following: &[Value; MOST_ARGS]) {
        let mut is_last_use = false;
        for (&arg, &next_use) in args.iter().zip(following) {
            let place = &mut self.places[arg as usize];
            place.next_use = next_use;
            is_last_use |= next_use == NEVER;
            if place.register != NO_REGISTER {
                self.files[usize::from(place.is_mask)].use_next(place.register, next_use);
            }
        }
        self.is_last_use = is_last_use;
    }

    /// What the current node uses.
    fn operands(&self) -> &[Value] {
        &self.nodes[self.current as usize].args
    }

    /// Whether nothing to come uses a value.
    pub(super) fn is_over(&self, value: Value) -> bool {
        self.places[value as usize].next_use == NEVER
    }

    /// Whether a value is in memory and may be an operand from there.
    pub(super) fn in_memory(&self, value: Value) -> bool {
        self.places[value as usize].register == NO_REGISTER
    }

    pub(super) fn dies(&self, value: Value) -> bool {
        let place = &self.places[value as usize];
        place.next_use == NEVER || place.is_remade
    }

    /// The value as the last operand of an instruction.
    #[inline(always)]
    pub(super) fn source(&mut self, value: Value, pinned: Registers) -> Source {
        match self.places[value as usize].register {
            NO_REGISTER => self.source_in_memory(value, pinned),
            register => Source::Register(register),
        }
    }

    fn source_in_memory(&mut self, value: Value, pinned: Registers) -> Source {
        match (self.nodes[value as usize].op, self.places[value as usize].slot) {
            (Op::Constant(bits), _) => Source::Constant(self.constant(value, bits)),
            (Op::Uniform(pointer, _), _) => Source::Uniform(self.uniform(value, pointer)),
            (_, NOWHERE) => Source::Register(self.register(value, pinned)),
            (_, slot) => Source::Slot(slot),
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
        let Node { op, lane, .. } = self.nodes[value as usize];
        let register = self.take(lane, pinned);
        let slot = self.places[value as usize].slot;
        match (op, lane) {
            (Op::Uniform(pointer, _), Lane::Mask) => {
                let uniform = self.uniform(value, pointer);
                self.out.code.push(Instruction::MaskUniform { register, uniform });
            }
            (Op::Constant(_) | Op::Uniform(..), _) => {
                let source = self.source_in_memory(value, 0);
                let opcode = match self.target {
                    Target::Avx2 => instruction::move_from(lane),
                    Target::Avx512 => instruction::broadcast(lane),
                };
                self.vector(opcode, lane, register, 0, source, None);
            }
            (_, Lane::Mask) => {
                assert_ne!(slot, NOWHERE, "a value is somewhere");
                self.out.code.push(Instruction::MaskReload { register, slot });
            }
            _ => {
                assert_ne!(slot, NOWHERE, "a value is somewhere");
                let source = Source::Slot(slot);
                self.vector(instruction::move_from(lane), lane, register, 0, source, None);
            }
        }
        self.hold(value, register);
        register
    }

    fn constant(&mut self, value: Value, bits: u64) -> u32 {
        let place = &mut self.places[value as usize];
        if place.slot != NOWHERE {
            return place.slot;
        }
        // Both halves, for lanes of either size.
        let low = bits & 0xffff_ffff;
        let is_half = self.nodes[value as usize].lane.size() == 4;
        let bits = if is_half { low << 32 | low } else { bits };
        let next = self.out.constants.len() as u32;
        place.slot = *self.constants.entry(bits).or_insert(next);
        if place.slot == next {
            self.out.constants.push(bits);
        }
        place.slot
    }

    fn uniform(&mut self, value: Value, pointer: u16) -> u32 {
        let place = &mut self.places[value as usize];
        if place.slot != NOWHERE {
            return place.slot;
        }
        let Op::Uniform(_, dtype) = self.nodes[value as usize].op else {
            unreachable!("a uniform element")
        };
        let next = self.out.uniforms.len() as u32;
        place.slot = *self.uniforms.entry(pointer).or_insert(next);
        if place.slot == next {
            self.out.uniforms.push((pointer, dtype));
        }
        place.slot
    }

    /// A register for a value of this kind, not a pinned one. What it held is safe; the register still
    /// has it until it is written, so that an operand may give its register to the result.
    #[inline(always)]
    pub(super) fn take(&mut self, lane: Lane, pinned: Registers) -> u8 {
        let (file, all) = match lane == Lane::Mask {
            true => (1, MASKS),
            false => (0, (1 << self.limit) - 1),
        };
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
            others => file.furthest(others),
        };
        assert_ne!(furthest, 0, "an instruction has few operands");
        if !furthest.is_power_of_two() {
            // Of two that are as far, the one that costs nothing to give up.
            let is_free = |register: &u8| {
                let place = &self.places[file.value(*register) as usize];
                furthest >> register & 1 == 1 && (place.is_remade || place.slot != NOWHERE)
            };
            furthest = (0..32).rev().find(is_free).map_or(furthest, |register| 1 << register);
        }
        let register = furthest.ilog2() as u8;
        let value = file.value(register);
        self.evict(value, register);
        register
    }

    fn evict(&mut self, value: Value, register: u8) {
        let Place { next_use, slot, is_mask, is_remade, .. } = self.places[value as usize];
        let is_kept = is_remade || slot != NOWHERE;
        let is_needed = next_use != NEVER || self.operands().contains(&value);
        if !is_kept && is_needed {
            let free = self.free_slots[usize::from(is_mask)].pop();
            let count = if is_mask { &mut self.out.mask_slots } else { &mut self.out.slots };
            let slot = free.unwrap_or_else(|| {
                *count += 1;
                *count - 1
            });
            self.places[value as usize].slot = slot;
            self.out.code.push(match is_mask {
                true => Instruction::MaskSpill { register, slot },
                false => Instruction::Spill { register, slot },
            });
        }
        self.forget(value);
    }

    pub(super) fn hold(&mut self, value: Value, register: u8) {
        let place = &mut self.places[value as usize];
        place.register = register;
        self.files[usize::from(place.is_mask)].hold(register, value, place.next_use);
    }

    /// The value's register is free; a copy on the stack stays.
    pub(super) fn forget(&mut self, value: Value) {
        let place = &mut self.places[value as usize];
        if place.register != NO_REGISTER {
            let register = std::mem::replace(&mut place.register, NO_REGISTER);
            self.files[usize::from(place.is_mask)].free(register);
        }
    }

    /// Frees registers of operands without further use.
    #[inline]
    pub(super) fn release_dead(&mut self, operands: &[Value]) {
        if !self.is_last_use {
            return;
        }
        for &value in operands {
            if self.is_over(value) {
                self.forget(value);
            }
        }
    }

    /// Frees registers and places on the stack of operands without further use, when the instruction that was the last
    /// to read them is written.
    #[inline]
    pub(super) fn release(&mut self, operands: &[Value]) {
        if !self.is_last_use {
            return;
        }
        for &value in operands {
            let Place { next_use, slot, is_mask, is_remade, .. } = self.places[value as usize];
            if next_use != NEVER {
                continue;
            }
            self.forget(value);
            if slot != NOWHERE && !is_remade {
                self.places[value as usize].slot = NOWHERE;
                self.free_slots[usize::from(is_mask)].push(slot);
            }
        }
    }
}

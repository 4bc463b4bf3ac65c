//! Where values are: in a register, on the stack, in memory.

use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Lane, Node, Op, Value};
use super::super::target::Target;
use super::{Allocator, File, MASKS};

impl Allocator<'_> {
    /// Whether a value is in memory and may be an operand from there.
    pub(super) fn in_memory(&self, value: Value) -> bool {
        self.place[value as usize].register.is_none()
    }

    pub(super) fn dies(&self, value: Value) -> bool {
        self.uses.are_over(value) || self.nodes[value as usize].op.is_remade()
    }

    /// The value as the last operand of an instruction.
    pub(super) fn source(&mut self, value: Value, pinned: &[u8]) -> Source {
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
    pub(super) fn register(&mut self, value: Value, pinned: &[u8]) -> u8 {
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
                let opcode = match self.target {
                    Target::Avx2 => instruction::move_from(lane),
                    Target::Avx512 => instruction::broadcast(lane),
                };
                self.vector(opcode, lane, register, 0, source, None);
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
        let low = bits & 0xffff_ffff;
        let bits = if lane.size() == 4 { low << 32 | low } else { bits };
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
            self.out.uniforms.push((pointer, dtype));
        }
        number
    }

    fn file(&mut self, lane: Lane) -> &mut File {
        if lane == Lane::Mask { &mut self.masks } else { &mut self.vectors }
    }

    /// A register for a value of this kind, not a pinned one. What it held is safe; the register still
    /// has it until it is written, so that an operand may give its register to the result.
    pub(super) fn take(&mut self, lane: Lane, pinned: &[u8]) -> u8 {
        let range = if lane == Lane::Mask { MASKS } else { 0..self.limit };
        if let Some(free) = self.file(lane).find_free(range.clone(), pinned) {
            return free;
        }
        let candidates = range.filter(|r| !pinned.contains(r));
        let furthest = candidates.max_by_key(|&register| {
            let held = if lane == Lane::Mask { &self.masks } else { &self.vectors };
            let value = held.held[usize::from(register)];
            let next = match self.uses.next(value) {
                _ if self.current.contains(&value) => 0,
                Some(at) => at,
                None => u32::MAX,
            };
            // Of two that are as far, the one that costs nothing to give up.
            let free = self.nodes[value as usize].op.is_remade()
                || self.place[value as usize].slot.is_some();
            (next, free)
        });
        let register = furthest.expect("an instruction has few operands");
        let value = self.file(lane).held[usize::from(register)];
        self.evict(value, register);
        register
    }

    fn evict(&mut self, value: Value, register: u8) {
        let Node { op, lane, .. } = self.nodes[value as usize];
        let kept = op.is_remade() || self.place[value as usize].slot.is_some();
        let needed = !self.uses.are_over(value) || self.current.contains(&value);
        if !kept && needed {
            let is_mask = lane == Lane::Mask;
            let free = self.free_slots[usize::from(is_mask)].pop();
            let count = if is_mask { &mut self.out.mask_slots } else { &mut self.out.slots };
            let slot = free.unwrap_or_else(|| {
                *count += 1;
                *count - 1
            });
            self.place[value as usize].slot = Some(slot);
            self.out.code.push(match is_mask {
                true => Instruction::MaskSpill { register, slot },
                false => Instruction::Spill { register, slot },
            });
        }
        self.forget(value);
    }

    pub(super) fn hold(&mut self, value: Value, register: u8) {
        let lane = self.nodes[value as usize].lane;
        self.file(lane).hold(register, value);
        self.place[value as usize].register = Some(register);
    }

    /// The value's register is free; a copy on the stack stays.
    pub(super) fn forget(&mut self, value: Value) {
        let lane = self.nodes[value as usize].lane;
        if let Some(register) = self.place[value as usize].register.take() {
            self.file(lane).free(register);
        }
    }

    /// Frees places on the stack of values without further use, when the instruction that was the last to read
    /// them is written.
    pub(super) fn release_slots(&mut self, values: &[Value]) {
        for &value in values.iter().filter(|&&value| self.uses.are_over(value)) {
            if let Some(slot) = self.place[value as usize].slot.take() {
                let is_mask = self.nodes[value as usize].lane == Lane::Mask;
                self.free_slots[usize::from(is_mask)].push(slot);
            }
        }
    }

    /// Frees registers of values without further use.
    pub(super) fn release_dead(&mut self, values: &[Value]) {
        for &value in values {
            if self.uses.are_over(value) {
                self.forget(value);
            }
        }
    }
}

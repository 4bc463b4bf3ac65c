//! What AVX-512 code has of its own: operands that are broadcast, mask registers, masked loads and stores.

use super::super::encode::{Decoration, Last, Memory, general};
use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Form, Lane, Op};
use super::super::target::Target;
use super::{Emitter, Part, backward};
use darray_core::RealType;

/// Constants and, if there are to be any, the numbers of the elements of a round, and [those](backward::numbers) of a group
/// of `reversed` elements.
pub(super) fn pool(
    constants: impl Iterator<Item = u64>,
    first_position: usize,
    elements: u64,
    reversed: usize,
) -> Vec<u64> {
    let mut pool: Vec<u64> = constants.collect();
    if elements > 0 || reversed > 0 {
        pool.resize(first_position, 0);
        pool.extend(0..elements);
        pool.extend(backward::numbers(reversed));
    }
    pool
}

impl Emitter {
    /// Copies the uniform element at rcx to the stack; a bool as all ones or zeros, f16 as f32.
    pub(super) fn avx512_uniform(&mut self, number: usize, dtype: RealType) {
        self.load_element(dtype);
        if Form::of(dtype) == Form::Truth {
            // neg ecx
            self.assembler.raw(&[0xf7, 0xd9]);
        }
        if Form::of(dtype) == Form::Half {
            let (scratch, rcx) = (Target::Avx512.scratch(), Last::Register(general::RCX));
            let more = Decoration { length: 16, ..Decoration::default() };
            let half = Last::Register(scratch);
            self.assembler.vector(instruction::MOVE_4_FROM, scratch, 0, rcx, more);
            self.assembler.vector(instruction::WIDEN_HALVES, scratch, 0, half, more);
            self.assembler.vector(instruction::MOVE_4_TO, scratch, 0, rcx, more);
        }
        self.assembler.store_stack(self.frame.uniforms + 8 * number as i32, general::RCX);
    }

    /// Mask register 1 has the first lanes, as many as rcx says.
    pub(super) fn avx512_tail(&mut self) {
        // mov r10d, 1; shl r10d, cl; dec r10d; kmovw k1, r10d
        self.assembler.raw(&[0x41, 0xba, 1, 0, 0, 0, 0x41, 0xd3, 0xe2, 0x41, 0xff, 0xca]);
        let elements = Last::Register(general::R10);
        self.assembler.vex(instruction::MASK_FROM_GENERAL, false, 1, 0, elements, None);
    }

    pub(super) fn avx512_instruction(&mut self, instruction: &Instruction, part: Part) {
        match *instruction {
            Instruction::Vector { opcode, length, to, first, second, mask, zero, immediate } => {
                let (last, broadcast) = match second {
                    Source::Register(register) => (Last::Register(register), false),
                    Source::Slot(slot) => (self.slot(slot), false),
                    Source::Constant(k) => {
                        let k = self.first_constant + k;
                        (Last::Memory(Memory::Constant(8 * k)), true)
                    }
                    Source::Uniform(k) => (self.uniform(k), true),
                    Source::Element { pointer, dtype, group } => {
                        (self.element_to_load(pointer, dtype, group, part), false)
                    }
                };
                // Broadcasts read one element by themselves.
                let is_one = |lane: Lane| opcode == instruction::broadcast(lane);
                let broadcast = broadcast && !is_one(Lane::F64) && !is_one(Lane::F32);
                let unit = if matches!(second, Source::Element { .. }) { length } else { 0 };
                let more = Decoration { length, mask, zero, broadcast, unit, immediate };
                self.assembler.vector_inline(opcode, to, first, last, more);
            }
            Instruction::Mask { opcode, to, first, second } => {
                // All but the negation have two operands, which the long form means.
                let long = opcode != instruction::mask(Op::Not);
                self.assembler.vex(opcode, long, to, first, Last::Register(second), None);
            }
            Instruction::MaskSpill { register, slot } => {
                let at = self.mask_slot(slot);
                self.assembler.vex(instruction::MASK_TO, false, register, 0, at, None);
            }
            Instruction::MaskReload { register, slot } => {
                let at = self.mask_slot(slot);
                self.assembler.vex(instruction::MASK_FROM, false, register, 0, at, None);
            }
            Instruction::MaskUniform { register, uniform } => {
                let at = self.uniform(uniform);
                self.assembler.vex(instruction::MASK_FROM, false, register, 0, at, None);
            }
            Instruction::Spill { register, slot } => {
                let at = self.slot(slot);
                let more = Decoration { length: 64, ..Decoration::default() };
                self.assembler.vector(instruction::move_to(Lane::F64), register, 0, at, more);
            }
            Instruction::Load { register, pointer, dtype, group, .. }
                if self.is_backward(pointer) =>
            {
                self.avx512_load_backward(register, (pointer, dtype, group), part);
            }
            Instruction::Load { register, pointer, dtype, group, .. } => {
                let from = self.element_to_load(pointer, dtype, group, part);
                self.avx512_load(register, from, dtype, part);
            }
            Instruction::Rows { register, lane, chunk } => self.rows(register, lane, chunk),
            Instruction::Store { register, pointer, dtype, group, .. } => {
                let to = self.element(pointer, dtype, group);
                match self.part_of_store(pointer, dtype, part) {
                    Part::RestNonTemporal => {
                        self.store_rest_past(register, Lane::of(dtype), to, dtype)
                    }
                    part => self.avx512_store(register, to, dtype, part),
                }
            }
            Instruction::Position { register, group } => self.avx512_position(register, group),
            Instruction::Broadcast { register, lane, pointer, .. } => {
                let base = self.base(pointer);
                let from = Last::Memory(Memory::At { base, offset: 0 });
                let more = self.masked(Part::Groups, lane.size());
                self.assembler.vector(instruction::broadcast(lane), register, 0, from, more);
            }
            Instruction::NextRow => self.next_row_of_points(),
            Instruction::StoreHeld { register, held } => {
                let lane = Lane::of(held.dtype);
                let more = Decoration { mask: 1, ..self.masked(Part::Groups, lane.size()) };
                let (to, from) = (self.merged_into(held), Last::Register(register));
                self.assembler.vector(instruction::move_from(lane), to, 0, from, more);
            }
            Instruction::Patch { mask, .. } => self.jump_to_patch(*instruction, mask),
        }
    }

    /// Where a uniform element of the code that is being emitted is.
    fn uniform(&self, number: u32) -> Last {
        let number = self.first_uniform + number;
        Last::Memory(Memory::Stack(self.frame.uniforms + 8 * number as i32))
    }

    fn mask_slot(&self, number: u32) -> Last {
        Last::Memory(Memory::Stack(self.frame.masks + 8 * number as i32))
    }

    /// How loads and stores of elements are masked, on vectors of `lane` bytes per element.
    pub(super) fn masked(&self, part: Part, lane: usize) -> Decoration {
        Decoration {
            length: (lane * self.width) as u8,
            mask: (part == Part::Rest) as u8,
            ..Decoration::default()
        }
    }

    pub(super) fn avx512_load(&mut self, register: u8, from: Last, dtype: RealType, part: Part) {
        let (lane, scratch) = (Lane::of(dtype), Target::Avx512.scratch());
        let zero = part == Part::Rest;
        let masked = Decoration { zero, ..self.masked(part, lane.size().max(4)) };
        match Form::of(dtype) {
            Form::Truth => {
                self.assembler.vector(instruction::WIDEN_BYTES, scratch, 0, from, masked);
                let more = Decoration { mask: 0, zero: false, ..masked };
                let last = Last::Register(scratch);
                self.assembler.vector(instruction::TEST, register, scratch, last, more);
            }
            Form::Integer { bytes, signed } => {
                self.assembler.vector(instruction::widen(bytes, signed), register, 0, from, masked);
            }
            Form::Half => {
                self.assembler.vector(instruction::WIDEN_HALVES, register, 0, from, masked);
            }
            Form::Plain => {
                let more = Decoration { unit: masked.length, ..masked };
                self.assembler.vector(instruction::move_from(lane), register, 0, from, more);
            }
        }
    }

    pub(super) fn avx512_store(&mut self, register: u8, to: Last, dtype: RealType, part: Part) {
        let (lane, scratch) = (Lane::of(dtype), Target::Avx512.scratch());
        let masked = self.masked(part, lane.size().max(4));
        let form = Form::of(dtype);
        // Narrow elements are past the caches when they are a vector.
        let is_past = part == Part::GroupsNonTemporal && form != Form::Plain;
        let narrowed = if is_past { Last::Register(scratch) } else { to };
        match form {
            Form::Truth => {
                let more = Decoration { mask: 0, ..masked };
                let last = Last::Register(register);
                self.assembler.vector(instruction::MASK_TO_INTEGERS, scratch, 0, last, more);
                // Ones: the highest bit of each lane.
                let (opcode, extension) = instruction::shift(false, Lane::I32);
                let more = Decoration { immediate: Some(31), ..more };
                let last = Last::Register(scratch);
                self.assembler.vector(opcode, extension, scratch, last, more);
                self.assembler.vector(instruction::NARROW_TO_BYTES, scratch, 0, narrowed, masked);
            }
            Form::Integer { bytes, .. } => {
                self.assembler.vector(instruction::narrow(bytes), register, 0, narrowed, masked);
            }
            Form::Half => {
                let (narrow, nearest) = instruction::NARROW_TO_HALVES;
                let more = Decoration { immediate: Some(nearest), ..masked };
                self.assembler.vector(narrow, register, 0, narrowed, more);
            }
            Form::Plain => {
                let opcode = match part {
                    Part::GroupsNonTemporal => instruction::move_past(lane),
                    _ => instruction::move_to(lane),
                };
                let more = Decoration { unit: masked.length, ..masked };
                self.assembler.vector(opcode, register, 0, to, more);
            }
        }
        if is_past {
            let length = (self.width * dtype.size()) as u8;
            let more = Decoration { length, unit: length, ..Decoration::default() };
            self.assembler.vector(instruction::move_past(Lane::F32), scratch, 0, to, more);
        }
    }

    /// The numbers of the elements of a group: rax in every lane, and what lies behind it.
    fn avx512_position(&mut self, register: u8, group: u8) {
        let length = (8 * self.width) as u8;
        let more = Decoration { length, ..Decoration::default() };
        let from = Last::Register(general::RAX);
        self.assembler.vector(instruction::REPEAT_GENERAL, register, 0, from, more);
        let number = self.first_position + u32::from(group) * self.width as u32;
        let numbers = Last::Memory(Memory::Constant(8 * number));
        let (add, _) = instruction::opcode_of(Op::Add, Lane::I64);
        self.assembler.vector(add, register, register, numbers, more);
    }
}

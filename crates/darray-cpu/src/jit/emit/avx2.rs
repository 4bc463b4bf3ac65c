//! What AVX2 code has of its own: VEX encodings, whole vectors of constants and uniform elements in memory,
//! masks as integers, tails without mask registers.

use super::super::encode::{Last, Memory, Opcode, general};
use super::super::instruction::{self, Instruction, Source};
use super::super::lane::{Form, Lane, Op, Relation};
use super::super::target::Target;
use super::{Emitter, Part};
use darray_core::RealType;

/// Bytes on the stack for the tail: which lanes of 4 bytes there are, which of 8, and elements of one or two bytes.
pub(super) const TAIL: i32 = 32 + 32 + 16;
const SCRATCH: u8 = Target::Avx2.scratch();

/// Constants as whole vectors, and behind them the numbers of lanes and of the elements of a round.
pub(super) fn pool(constants: impl Iterator<Item = u64>, elements: u64) -> Vec<u64> {
    let mut pool = Vec::with_capacity(4 * constants.size_hint().0 + 4 + elements as usize);
    constants.for_each(|bits| pool.extend_from_slice(&[bits; 4]));
    pool.extend((0..4u64).map(|pair| ((2 * pair + 1) << 32) | (2 * pair)));
    pool.extend(0..elements);
    pool
}

impl Emitter {
    /// Copies the uniform element at rcx to every lane of a vector on the stack; a bool as all ones or zeros, f16
    /// as f32.
    pub(super) fn avx2_uniform(&mut self, number: usize, dtype: RealType) {
        self.load_element(dtype);
        let lane = match Lane::of(dtype) {
            Lane::Mask => {
                // neg rcx
                self.assembler.raw(&[0x48, 0xf7, 0xd9]);
                Lane::I64
            }
            lane => lane,
        };
        let from = match lane.size() {
            8 => instruction::MOVE_8_FROM,
            _ => instruction::MOVE_4_FROM,
        };
        self.vex(from, 16, SCRATCH, 0, Last::Register(general::RCX));
        if Form::of(dtype) == Form::Half {
            self.vex(instruction::WIDEN_HALVES, 16, SCRATCH, 0, Last::Register(SCRATCH));
        }
        self.vex(instruction::repeat(lane), 32, SCRATCH, 0, Last::Register(SCRATCH));
        self.vex(move_to(), 32, SCRATCH, 0, stack(self.frame.uniforms + 32 * number as i32));
    }

    /// Has the lowest lane of this type that is at a place of the stack in every lane of the vector there.
    pub(super) fn avx2_repeat(&mut self, place: i32, lane: Lane) {
        self.vex(instruction::repeat(lane), 32, SCRATCH, 0, stack(place));
        self.vex(move_to(), 32, SCRATCH, 0, stack(place));
    }

    /// Masks of the first lanes, as many as rcx says, to the stack.
    pub(super) fn avx2_tail(&mut self) {
        let scratch = Last::Register(SCRATCH);
        self.vex(instruction::MOVE_4_FROM, 16, SCRATCH, 0, Last::Register(general::RCX));
        self.vex(instruction::repeat(Lane::I32), 32, SCRATCH, 0, scratch);
        let lanes = Last::Memory(Memory::Constant(32 * self.constants));
        let greater = instruction::compare(Relation::Greater, Lane::I32, Target::Avx2).0;
        self.vex(greater, 32, SCRATCH, SCRATCH, lanes);
        self.vex(move_to(), 32, SCRATCH, 0, stack(self.frame.tail));
        self.vex(instruction::convert(Lane::I32, Lane::I64), 32, SCRATCH, 0, scratch);
        self.vex(move_to(), 32, SCRATCH, 0, stack(self.frame.tail + 32));
    }

    pub(super) fn avx2_instruction(&mut self, instruction: &Instruction, part: Part) {
        match *instruction {
            Instruction::Vector { opcode, length, to, first, second, immediate, .. } => {
                let last = match second {
                    Source::Register(register) => Last::Register(register),
                    Source::Slot(slot) => self.slot(slot),
                    Source::Constant(k) => {
                        Last::Memory(Memory::Constant(32 * (self.first_constant + k)))
                    }
                    Source::Uniform(k) => {
                        let number = (self.first_uniform + k) as i32;
                        stack(self.frame.uniforms + 32 * number)
                    }
                    Source::Element { pointer, dtype, group } => {
                        self.element_to_load(pointer, dtype, group, part)
                    }
                };
                self.assembler.vex_inline(opcode, length == 32, to, first, last, immediate);
            }
            Instruction::Spill { register, slot } => {
                self.vex(move_to(), 32, register, 0, self.slot(slot));
            }
            Instruction::Load { register, pointer, dtype, group, .. }
                if self.is_backward(pointer) =>
            {
                self.avx2_load_backward(register, (pointer, dtype, group), part);
            }
            Instruction::Load { register, lane, pointer, dtype, group } => {
                let from = self.element_to_load(pointer, dtype, group, part);
                self.avx2_load(register, lane, from, dtype, part);
            }
            Instruction::Rows { register, lane, chunk } => self.rows(register, lane, chunk),
            Instruction::Store { register, lane, pointer, dtype, group } => {
                let to = self.element(pointer, dtype, group);
                match self.part_of_store(pointer, dtype, part) {
                    Part::RestNonTemporal => self.store_rest_past(register, lane, to, dtype),
                    part => self.avx2_store(register, lane, to, dtype, part),
                }
            }
            Instruction::Mask { .. }
            | Instruction::MaskSpill { .. }
            | Instruction::MaskReload { .. }
            | Instruction::MaskUniform { .. } => unreachable!("masks are vectors here"),
            Instruction::Position { register, group } => self.avx2_position(register, group),
            Instruction::Broadcast { register, lane, pointer, .. } => {
                let base = self.base(pointer);
                let from = Last::Memory(Memory::At { base, offset: 0 });
                let bytes = lane.size() * self.width;
                self.vex(instruction::repeat(lane), bytes, register, 0, from);
            }
            Instruction::NextRow => self.next_row_of_points(),
            Instruction::StoreHeld { register, held } => {
                let to = self.merged_into(held);
                if part == Part::Groups {
                    return self.vex(move_to(), 32, register, 0, Last::Register(to));
                }
                let lane = Lane::of(held.dtype);
                let long = lane.size() * self.width == 32;
                self.lanes_of_tail(lane);
                let (from, mask) = (Last::Register(register), Some(SCRATCH << 4));
                self.assembler.vex(instruction::blend(lane), long, to, to, from, mask);
            }
            Instruction::Patch { mask, .. } => self.jump_to_patch(*instruction, mask),
        }
    }

    /// The numbers of the elements of a group: rax in every lane, and what lies behind it.
    fn avx2_position(&mut self, register: u8, group: u8) {
        let same = Last::Register(register);
        self.vex(instruction::MOVE_8_FROM, 16, register, 0, Last::Register(general::RAX));
        self.vex(instruction::repeat(Lane::I64), 32, register, 0, same);
        let numbers = Last::Memory(Memory::Constant(32 * (self.constants + 1 + u32::from(group))));
        let (add, _) = instruction::opcode_of(Op::Add, Lane::I64);
        self.vex(add, 32, register, register, numbers);
    }

    pub(super) fn avx2_load(
        &mut self,
        register: u8,
        lane: Lane,
        from: Last,
        dtype: RealType,
        part: Part,
    ) {
        let bytes = lane.size() * self.width;
        match Form::of(dtype) {
            Form::Truth => {
                let from = self.small_elements(from, dtype, part);
                let widen = match lane.size() {
                    8 => instruction::WIDEN_BYTES_TWICE,
                    _ => instruction::WIDEN_BYTES,
                };
                self.vex(widen, bytes, register, 0, from);
                // 0 - 1 is all ones.
                let scratch = Last::Register(SCRATCH);
                let [xor, subtract] =
                    [Op::Xor, Op::Sub].map(|op| instruction::opcode_of(op, lane).0);
                self.vex(xor, bytes, SCRATCH, SCRATCH, scratch);
                self.vex(subtract, bytes, register, SCRATCH, Last::Register(register));
            }
            Form::Integer { bytes: size, signed } => {
                let from = self.small_elements(from, dtype, part);
                self.vex(instruction::widen(size, signed), bytes, register, 0, from);
            }
            Form::Half => {
                let from = self.small_elements(from, dtype, part);
                self.vex(instruction::WIDEN_HALVES, bytes, register, 0, from);
            }
            Form::Plain if part == Part::Rest => {
                self.lanes_of_tail(lane);
                self.vex(instruction::masked_from(lane), bytes, register, SCRATCH, from);
            }
            Form::Plain => self.vex(move_from(), bytes, register, 0, from),
        }
    }

    /// Where a load finds elements of one or two bytes: those of the tail are copied to the stack.
    fn small_elements(&mut self, from: Last, dtype: RealType, part: Part) -> Last {
        match part {
            Part::Groups | Part::GroupsNonTemporal => from,
            Part::Rest | Part::RestNonTemporal => {
                (0..dtype.size() as i32).for_each(|half| self.clear_tail(8 * half));
                self.copy_elements(from, true);
                stack(self.bytes_of_tail())
            }
        }
    }

    pub(super) fn avx2_store(
        &mut self,
        register: u8,
        lane: Lane,
        to: Last,
        dtype: RealType,
        part: Part,
    ) {
        let bytes = lane.size() * self.width;
        match Form::of(dtype) {
            form @ (Form::Truth | Form::Integer { .. }) => {
                self.narrow(register, lane, form);
                let to_elements = match self.width * dtype.size() {
                    16 if part == Part::GroupsNonTemporal => instruction::move_past(Lane::F32),
                    16 => move_to(),
                    8 => instruction::MOVE_8_TO,
                    _ => instruction::MOVE_4_TO,
                };
                match part {
                    Part::Groups | Part::GroupsNonTemporal => {
                        self.vex(to_elements, 16, SCRATCH, 0, to)
                    }
                    Part::Rest | Part::RestNonTemporal => {
                        self.vex(to_elements, 16, SCRATCH, 0, stack(self.bytes_of_tail()));
                        self.copy_elements(to, false);
                    }
                }
            }
            Form::Half => {
                let (narrow, nearest) = instruction::NARROW_TO_HALVES;
                let at = match part {
                    Part::Groups => to,
                    Part::GroupsNonTemporal => Last::Register(SCRATCH),
                    Part::Rest | Part::RestNonTemporal => stack(self.bytes_of_tail()),
                };
                self.assembler.vex(narrow, bytes == 32, register, 0, at, Some(nearest));
                match part {
                    Part::Groups => {}
                    Part::GroupsNonTemporal => {
                        self.vex(instruction::move_past(Lane::F32), 16, SCRATCH, 0, to);
                    }
                    Part::Rest | Part::RestNonTemporal => self.copy_elements(to, false),
                }
            }
            Form::Plain if part == Part::Rest => {
                self.lanes_of_tail(lane);
                self.vex(instruction::masked_to(lane), bytes, register, SCRATCH, to);
            }
            Form::Plain if part == Part::GroupsNonTemporal => {
                self.vex(instruction::move_past(Lane::F32), bytes, register, 0, to);
            }
            Form::Plain => self.vex(move_to(), bytes, register, 0, to),
        }
    }

    /// Lanes as elements of one or two bytes in the lower part of the scratch register: integers without a sign that these hold, or
    /// masks as 0 and 1.
    fn narrow(&mut self, register: u8, lane: Lane, form: Form) {
        let scratch = Last::Register(SCRATCH);
        let (pack, pack_words) = match form {
            Form::Truth => (instruction::PACK_INTEGERS, instruction::PACK_WORDS),
            _ => (instruction::PACK_UNSIGNED, instruction::PACK_WORDS_UNSIGNED),
        };
        // Packing works on halves of 16 bytes, so the upper half is brought beside the lower.
        if lane.size() * self.width == 32 {
            self.assembler.vex(instruction::UPPER_HALF, true, register, 0, scratch, Some(1));
            self.vex(pack, 16, SCRATCH, register, scratch);
        } else {
            self.vex(pack, 16, SCRATCH, register, Last::Register(register));
        }
        if lane.size() == 8 {
            // Masks of 8 bytes are two of 4 each.
            self.vex(pack, 16, SCRATCH, SCRATCH, scratch);
        }
        if !matches!(form, Form::Integer { bytes: 2, .. }) {
            self.vex(pack_words, 16, SCRATCH, SCRATCH, scratch);
        }
        if form == Form::Truth {
            self.vex(instruction::SIZE_OF_BYTES, 16, SCRATCH, 0, scratch);
        }
    }

    /// The scratch register becomes the mask of the lanes that there are.
    fn lanes_of_tail(&mut self, lane: Lane) {
        self.vex(move_from(), 32, SCRATCH, 0, self.mask_of_tail(lane));
    }

    /// Where the mask of the lanes that there are is.
    pub(super) fn mask_of_tail(&self, lane: Lane) -> Last {
        stack(self.frame.tail + if lane.size() == 8 { 32 } else { 0 })
    }

    fn bytes_of_tail(&self) -> i32 {
        self.frame.tail + 64
    }

    /// Zeros to 8 bytes of the elements of the tail.
    fn clear_tail(&mut self, offset: i32) {
        // mov qword [rsp + bytes], 0
        self.assembler.raw(&[0x48, 0xc7, 0x84, 0x24]);
        self.assembler.raw(&(self.bytes_of_tail() + offset).to_le_bytes());
        self.assembler.raw(&[0; 4]);
    }

    /// Copies as many elements, of one or two bytes, as rcx says from memory to the stack, or back. Changes r10, r12 and
    /// r13.
    fn copy_elements(&mut self, element: Last, to_stack: bool) {
        let Last::Memory(Memory::Element { base, scale, offset }) = element else {
            unreachable!("elements are in memory")
        };
        let wide = u8::from(scale == 2);
        let scale = wide << 6;
        // lea r13, [base + scale * rax + offset]; lea r12d, [rcx - 1]
        self.assembler.raw(&[0x4c | base >> 3, 0x8d, 0xac, scale | base & 7]);
        self.assembler.raw(&offset.to_le_bytes());
        self.assembler.raw(&[0x44, 0x8d, 0x61, 0xff]);
        let begin = self.assembler.code.len();
        let stack = self.bytes_of_tail().to_le_bytes();
        // Of two bytes, moves to memory have a prefix.
        let prefix: &[u8] = if wide == 1 { &[0x66] } else { &[] };
        if to_stack {
            // movzx r10d, byte [r13 + scale * r12]; mov [rsp + scale * r12 + stack], r10b
            self.assembler.raw(&[0x47, 0x0f, 0xb6 | wide, 0x54, scale | 0x25, 0]);
            self.assembler.raw(prefix);
            self.assembler.raw(&[0x46, 0x88 | wide, 0x94, scale | 0x24]);
            self.assembler.raw(&stack);
        } else {
            // movzx r10d, byte [rsp + scale * r12 + stack]; mov [r13 + scale * r12], r10b
            self.assembler.raw(&[0x46, 0x0f, 0xb6 | wide, 0x94, scale | 0x24]);
            self.assembler.raw(&stack);
            self.assembler.raw(prefix);
            self.assembler.raw(&[0x47, 0x88 | wide, 0x54, scale | 0x25, 0]);
        }
        // dec r12d; jns begin
        self.assembler.raw(&[0x41, 0xff, 0xcc]);
        let again = self.assembler.jump(&[0x0f, 0x89]);
        self.assembler.land(again, begin);
    }

    /// An instruction on vectors of so many bytes.
    fn vex(&mut self, opcode: Opcode, bytes: usize, first: u8, second: u8, last: Last) {
        self.assembler.vex(opcode, bytes == 32, first, second, last, None);
    }
}

fn stack(offset: i32) -> Last {
    Last::Memory(Memory::Stack(offset))
}

fn move_from() -> Opcode {
    instruction::move_from(Lane::F32)
}

fn move_to() -> Opcode {
    instruction::move_to(Lane::F32)
}

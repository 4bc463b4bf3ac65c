//! A function of machine code around straight-line code.
//!
//! ```text
//! fn(rdi: pointer table, rsi: elements)
//!     uniform elements to the stack
//!     rax = 0
//!     while rsi - rax >= elements of the groups abreast { code of these; rax += elements }
//!     while rax < rsi { k1 = elements of the next group; code of one, loading and storing under k1 }
//! ```

use super::allocate::Allocated;
use super::encode::{Assembler, Decoration, Last, Memory, general};
use super::instruction::{self, Instruction, Source};
use super::lane::Lane;
use darray_core::DType;

/// Which elements loads and stores touch.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Whole groups.
    Groups,
    /// Those of mask register 1.
    Rest,
}

/// Scratch register of vectors.
const SCRATCH: u8 = 31;
/// General registers that keep pointers through the loops: rdx, r8, r9, r11, rbx, r14, r15.
const POINTERS: [u8; 7] = [2, 8, 9, 11, 3, 14, 15];

/// The bytes of the function, and where it begins in them: `main` is the code of `groups` groups of `width`
/// elements, `rest` that of one.
pub(super) fn emit(
    main: &Allocated,
    groups: u8,
    rest: &Allocated,
    width: usize,
) -> (Vec<u8>, usize) {
    let (slots, mask_slots) = (main.slots.max(rest.slots), main.mask_slots.max(rest.mask_slots));
    let mut emitter = Emitter {
        assembler: Assembler::default(),
        width,
        pointers: Vec::new(),
        mask_slots: 64 * slots as i32,
        uniforms: 64 * slots as i32 + 8 * mask_slots as i32,
        first_uniform: 0,
        first_constant: 0,
    };
    emitter.function(main, groups, rest);
    let constants: Vec<u64> = main.constants.iter().chain(&rest.constants).copied().collect();
    emitter.assembler.finish(&constants)
}

struct Emitter {
    assembler: Assembler,
    width: usize,
    /// Pointers that stay in [`POINTERS`].
    pointers: Vec<u16>,
    /// Where masks and uniform elements begin on the stack, 8 bytes each.
    mask_slots: i32,
    uniforms: i32,
    /// Numbers of the first uniform element and constant of the code that is being emitted.
    first_uniform: u32,
    first_constant: u32,
}

impl Emitter {
    fn function(&mut self, main: &Allocated, groups: u8, rest: &Allocated) {
        let uniforms = main.uniforms.iter().chain(&rest.uniforms);
        let frame = self.uniforms + 8 * uniforms.clone().count() as i32;
        let frame = (frame + 63) & !63;
        // push rbx, r14, r15, rbp; mov rbp, rsp; and rsp, -64; sub rsp, frame
        self.assembler.raw(&[0x53, 0x41, 0x56, 0x41, 0x57, 0x55, 0x48, 0x89, 0xe5]);
        self.assembler.raw(&[0x48, 0x83, 0xe4, 0xc0, 0x48, 0x81, 0xec]);
        self.assembler.raw(&frame.to_le_bytes());
        for (number, &(pointer, lane, size)) in uniforms.enumerate() {
            self.uniform(number, pointer, lane, size);
        }
        for instruction in &main.code {
            if let Instruction::Load { pointer, .. } | Instruction::Store { pointer, .. } =
                *instruction
                && self.pointers.len() < POINTERS.len()
                && !self.pointers.contains(&pointer)
            {
                let register = POINTERS[self.pointers.len()];
                self.assembler.load_pointer(register, general::RDI, pointer);
                self.pointers.push(pointer);
            }
        }
        let step = (self.width * usize::from(groups)) as u8;
        // xor eax, eax; sub rsi, step; jl to the rest
        self.assembler.raw(&[0x31, 0xc0, 0x48, 0x83, 0xee, step]);
        let few = self.assembler.jump(&[0x0f, 0x8c]);
        let begin = self.assembler.code.len();
        self.body(main, Part::Groups);
        // add rax, step; cmp rax, rsi; jle begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, step, 0x48, 0x39, 0xf0]);
        let again = self.assembler.jump(&[0x0f, 0x8e]);
        self.assembler.land(again, begin);
        let next = self.assembler.code.len();
        self.assembler.land(few, next);
        // add rsi, step
        self.assembler.raw(&[0x48, 0x83, 0xc6, step]);
        self.rest(main, rest);
        // vzeroupper; mov rsp, rbp; pop rbp, r15, r14, rbx; ret
        self.assembler.raw(&[0xc5, 0xf8, 0x77, 0x48, 0x89, 0xec]);
        self.assembler.raw(&[0x5d, 0x41, 0x5f, 0x41, 0x5e, 0x5b, 0xc3]);
    }

    /// What remains, group by group.
    fn rest(&mut self, main: &Allocated, rest: &Allocated) {
        self.first_uniform = main.uniforms.len() as u32;
        self.first_constant = main.constants.len() as u32;
        let width = self.width as u8;
        let begin = self.assembler.code.len();
        // mov rcx, rsi; sub rcx, rax; jle end
        self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
        let end = self.assembler.jump(&[0x0f, 0x8e]);
        // mov r10d, width; cmp rcx, r10; cmovg rcx, r10
        self.assembler.raw(&[0x41, 0xba, width, 0, 0, 0, 0x4c, 0x39, 0xd1, 0x49, 0x0f, 0x4f, 0xca]);
        // mov r10d, 1; shl r10d, cl; dec r10d; kmovw k1, r10d
        self.assembler.raw(&[0x41, 0xba, 1, 0, 0, 0, 0x41, 0xd3, 0xe2, 0x41, 0xff, 0xca]);
        let elements = Last::Register(general::R10);
        self.assembler.mask(instruction::MASK_FROM_GENERAL, false, 1, 0, elements);
        self.body(rest, Part::Rest);
        // add rax, width; jmp begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, width]);
        let again = self.assembler.jump(&[0xe9]);
        self.assembler.land(again, begin);
        let after = self.assembler.code.len();
        self.assembler.land(end, after);
    }

    /// Copies a uniform element to the stack; a bool as all ones or zeros.
    fn uniform(&mut self, number: usize, pointer: u16, lane: Lane, size: usize) {
        self.assembler.load_pointer(general::RCX, general::RDI, pointer);
        match size {
            // movzx ecx, byte [rcx]
            1 => self.assembler.raw(&[0x0f, 0xb6, 0x09]),
            // mov ecx, [rcx]
            4 => self.assembler.raw(&[0x8b, 0x09]),
            _ => self.assembler.load(general::RCX, general::RCX),
        }
        if lane == Lane::Mask {
            // neg ecx
            self.assembler.raw(&[0xf7, 0xd9]);
        }
        self.assembler.store_stack(self.uniforms + 8 * number as i32, general::RCX);
    }

    /// Where a uniform element of the code that is being emitted is.
    fn uniform_place(&self, number: u32) -> Last {
        let number = self.first_uniform + number;
        Last::Memory(Memory::Stack(self.uniforms + 8 * number as i32))
    }

    fn body(&mut self, allocated: &Allocated, part: Part) {
        for &instruction in &allocated.code {
            self.instruction(instruction, part);
        }
    }

    fn instruction(&mut self, instruction: Instruction, part: Part) {
        match instruction {
            Instruction::Vector { opcode, length, to, first, second, mask, zero, immediate } => {
                let (last, broadcast) = match second {
                    Source::Register(register) => (Last::Register(register), false),
                    Source::Slot(slot) => (Last::Memory(Memory::Stack(64 * slot as i32)), false),
                    Source::Constant(k) => {
                        let k = self.first_constant + k;
                        (Last::Memory(Memory::Constant(8 * k)), true)
                    }
                    Source::Uniform(k) => (self.uniform_place(k), true),
                };
                // Broadcasts read one element by themselves.
                let alone = opcode == instruction::broadcast(Lane::F64)
                    || opcode == instruction::broadcast(Lane::F32);
                let broadcast = broadcast && !alone;
                let more = Decoration { length, mask, zero, broadcast, immediate };
                self.assembler.vector(opcode, to, first, last, more);
            }
            Instruction::Mask { opcode, to, first, second } => {
                // All but the negation have two operands, which the long form means.
                let long = opcode != instruction::mask(super::lane::Op::Not);
                self.assembler.mask(opcode, long, to, first, Last::Register(second));
            }
            Instruction::MaskSpill { register, slot } => {
                let at = Last::Memory(Memory::Stack(self.mask_slots + 8 * slot as i32));
                self.assembler.mask(instruction::MASK_TO, false, register, 0, at);
            }
            Instruction::MaskReload { register, slot } => {
                let at = Last::Memory(Memory::Stack(self.mask_slots + 8 * slot as i32));
                self.assembler.mask(instruction::MASK_FROM, false, register, 0, at);
            }
            Instruction::MaskUniform { register, uniform } => {
                let at = self.uniform_place(uniform);
                self.assembler.mask(instruction::MASK_FROM, false, register, 0, at);
            }
            Instruction::Spill { register, slot } => {
                let at = Last::Memory(Memory::Stack(64 * slot as i32));
                let more = Decoration { length: 64, ..Decoration::default() };
                self.assembler.vector(instruction::move_to(Lane::F64), register, 0, at, more);
            }
            Instruction::Load { register, pointer, dtype, group } => {
                let from = self.element(pointer, dtype, group);
                self.load(register, from, dtype, part);
            }
            Instruction::Store { register, pointer, dtype, group } => {
                let to = self.element(pointer, dtype, group);
                self.store(register, to, dtype, part);
            }
        }
    }

    /// How loads and stores of elements of `size` bytes in memory are masked, on vectors of `lane`
    /// bytes per element.
    fn masked(&self, part: Part, lane: usize) -> Decoration {
        Decoration {
            length: (lane * self.width) as u8,
            mask: (part == Part::Rest) as u8,
            ..Decoration::default()
        }
    }

    fn element(&mut self, pointer: u16, dtype: DType, group: u8) -> Last {
        let known = self.pointers.iter().position(|&p| p == pointer);
        let base = known.map_or(general::R10, |k| POINTERS[k]);
        if known.is_none() {
            self.assembler.load_pointer(base, general::RDI, pointer);
        }
        let offset = (usize::from(group) * self.width * dtype.size()) as i32;
        Last::Memory(Memory::Element { base, scale: dtype.size() as u8, offset })
    }

    fn load(&mut self, register: u8, from: Last, dtype: DType, part: Part) {
        let lane = Lane::of(dtype);
        let zero = part == Part::Rest;
        let masked = Decoration { zero, ..self.masked(part, lane.size().max(4)) };
        match dtype {
            DType::Bool => {
                self.assembler.vector(instruction::WIDEN_BYTES, SCRATCH, 0, from, masked);
                let more = Decoration { mask: 0, zero: false, ..masked };
                let last = Last::Register(SCRATCH);
                self.assembler.vector(instruction::TEST, register, SCRATCH, last, more);
            }
            DType::U8 => {
                self.assembler.vector(instruction::WIDEN_BYTES, register, 0, from, masked);
            }
            _ => {
                self.assembler.vector(instruction::move_from(lane), register, 0, from, masked);
            }
        }
    }

    fn store(&mut self, register: u8, to: Last, dtype: DType, part: Part) {
        let lane = Lane::of(dtype);
        let masked = self.masked(part, lane.size().max(4));
        match dtype {
            DType::Bool => {
                let more = Decoration { mask: 0, ..masked };
                let last = Last::Register(register);
                self.assembler.vector(instruction::MASK_TO_INTEGERS, SCRATCH, 0, last, more);
                // Ones: the highest bit of each lane.
                let (opcode, extension) = instruction::shift(false, Lane::I32);
                let more = Decoration { immediate: Some(31), ..more };
                let last = Last::Register(SCRATCH);
                self.assembler.vector(opcode, extension, SCRATCH, last, more);
                self.assembler.vector(instruction::NARROW_TO_BYTES, SCRATCH, 0, to, masked);
            }
            DType::U8 => {
                self.assembler.vector(instruction::NARROW_TO_BYTES, register, 0, to, masked);
            }
            _ => self.assembler.vector(instruction::move_to(lane), register, 0, to, masked),
        }
    }
}

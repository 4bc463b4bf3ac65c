//! Elements that serve for all of a row.

use super::super::allocate::Uniform;
use super::super::encode::{Decoration, Last, Memory, Opcode, general};
use super::super::instruction;
use super::super::lane::{Divisor, Lane};
use super::super::target::Target;
use super::{Emitter, POINTERS};
use darray_core::{Kind, RealType};

/// What is divided for [`Divisor::Inverse`]: so much more than 1 that products with it are not below
/// the true quotient, where both factors, the inverse and the product are rounded.
const INVERTED: f64 = 1.0 + 4.0 * f64::EPSILON;

impl Emitter {
    /// Uniform elements to the stack, behind so many others. Changes rcx.
    pub(super) fn uniforms<'u>(
        &mut self,
        before: usize,
        uniforms: impl Iterator<Item = &'u Uniform>,
    ) {
        for (number, &Uniform { pointer, dtype, divisor }) in (before..).zip(uniforms) {
            self.point_at_uniform(pointer);
            match (divisor, self.target) {
                (Some(Divisor::Inverse), _) => self.inverse(number, dtype, false),
                (Some(Divisor::Single), _) => self.inverse(number, dtype, true),
                (Some(wanted), _) => self.multiplier(number, wanted),
                (None, Target::Avx2) => self.avx2_uniform(number, dtype),
                (None, Target::Avx512) => self.avx512_uniform(number, dtype),
            }
        }
    }

    /// rcx becomes the address of a uniform element.
    fn point_at_uniform(&mut self, pointer: u16) {
        if let Some(kept) = self.kept_pointer(pointer) {
            // mov rcx, the register
            let register = POINTERS[kept];
            self.assembler.raw(&[0x48 | register >> 3 << 2, 0x89, 0xc1 | (register & 7) << 3]);
            return;
        }
        self.assembler.load_pointer(general::RCX, general::RDI, pointer);
    }

    /// Copies the inverse of the integer at rcx, or the nearest F32, to the stack, where it is the uniform element of this number.
    fn inverse(&mut self, number: usize, dtype: RealType, single: bool) {
        const WIDE: Lane = Lane::F64;
        let (scratch, bytes) = match self.target {
            Target::Avx2 => (Target::Avx2.scratch(), 32),
            Target::Avx512 => (Target::Avx512.scratch(), 8),
        };
        let place = self.frame.uniforms + bytes * number as i32;
        let on_stack = Last::Memory(Memory::Stack(place));
        let (own, rcx) = (Last::Register(scratch), Last::Register(general::RCX));
        self.load_element(dtype);
        // test rcx, rcx; je behind: the bits of 0 are 0
        self.assembler.raw(&[0x48, 0x85, 0xc9]);
        let none = self.assembler.jump(&[0x0f, 0x84]);
        self.scalar(instruction::INTEGER_TO_F64, scratch, scratch, rcx);
        self.scalar(instruction::lowest_to(WIDE), scratch, 0, on_stack);
        // mov rcx, ..
        self.assembler.raw(&[0x48, 0xb9]);
        self.assembler.raw(&INVERTED.to_bits().to_le_bytes());
        self.scalar(instruction::MOVE_8_FROM, scratch, 0, rcx);
        self.scalar(instruction::DIVIDE_LOWEST, scratch, scratch, on_stack);
        if single {
            self.scalar(instruction::LOWEST_TO_F32, scratch, scratch, own);
        }
        let to_general =
            if single { instruction::MOVE_4_TO } else { instruction::LOWEST_8_TO_GENERAL };
        self.scalar(to_general, scratch, 0, rcx);
        let behind = self.assembler.code.len();
        self.assembler.land(none, behind);
        self.assembler.store_stack(place, general::RCX);
        if self.target == Target::Avx2 {
            let lane = if single { Lane::F32 } else { WIDE };
            self.avx2_repeat(place, lane);
        }
    }

    /// Copies what a division by the integer of 64 bits at rcx needs to the stack, where it is the uniform element of this number.
    fn multiplier(&mut self, number: usize, wanted: Divisor) {
        let bytes = if self.target == Target::Avx2 { 32 } else { 8 };
        let place = self.frame.uniforms + bytes * number as i32;
        self.load_element(Lane::I64.dtype());
        // push rax; push rdx; mov rax, rcx; neg rax; cmovns rcx, rax: the size
        self.assembler.raw(&[0x50, 0x52, 0x48, 0x89, 0xc8, 0x48, 0xf7, 0xd8]);
        self.assembler.raw(&[0x48, 0x0f, 0x49, 0xc8]);
        // cmp rcx, 1; jbe none
        self.assembler.raw(&[0x48, 0x83, 0xf9, 0x01]);
        let none = self.assembler.jump(&[0x0f, 0x86]);
        // lea rax, [rcx - 1]; bsr rax, rax
        self.assembler.raw(&[0x48, 0x8d, 0x41, 0xff, 0x48, 0x0f, 0xbd, 0xc0]);
        if wanted == Divisor::Shift {
            // mov rcx, rax
            self.assembler.raw(&[0x48, 0x89, 0xc1]);
        } else {
            // xor edx, edx; bts rdx, rax; dec rdx; mov rax, -1: 2^(64 + s) - 1 in both
            self.assembler.raw(&[0x31, 0xd2, 0x48, 0x0f, 0xab, 0xc2, 0x48, 0xff, 0xca]);
            self.assembler.raw(&[0x48, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff]);
            // div rcx; lea rcx, [rax + 1]
            self.assembler.raw(&[0x48, 0xf7, 0xf1, 0x48, 0x8d, 0x48, 0x01]);
        }
        let made = self.assembler.jump(&[0xe9]);
        let zero = self.assembler.code.len();
        self.assembler.land(none, zero);
        // xor ecx, ecx
        self.assembler.raw(&[0x31, 0xc9]);
        let behind = self.assembler.code.len();
        self.assembler.land(made, behind);
        // pop rdx; pop rax
        self.assembler.raw(&[0x5a, 0x58]);
        self.assembler.store_stack(place, general::RCX);
        if self.target == Target::Avx2 {
            self.avx2_repeat(place, Lane::I64);
        }
    }

    /// An instruction on the lowest element of vectors.
    fn scalar(&mut self, opcode: Opcode, first: u8, second: u8, last: Last) {
        match self.target {
            Target::Avx2 => self.assembler.vex(opcode, false, first, second, last, None),
            Target::Avx512 => {
                let more = Decoration { length: 16, ..Decoration::default() };
                self.assembler.vector(opcode, first, second, last, more);
            }
        }
    }

    /// `rcx` becomes the element of this type that it points to; the upper bits are copies of the sign, or zero.
    pub(super) fn load_element(&mut self, dtype: RealType) {
        match (dtype.size(), dtype.kind() == Kind::Signed) {
            // movsx rcx, byte [rcx]
            (1, true) => self.assembler.raw(&[0x48, 0x0f, 0xbe, 0x09]),
            // movzx ecx, byte [rcx]
            (1, false) => self.assembler.raw(&[0x0f, 0xb6, 0x09]),
            // movsx rcx, word [rcx]
            (2, true) => self.assembler.raw(&[0x48, 0x0f, 0xbf, 0x09]),
            // movzx ecx, word [rcx]
            (2, false) => self.assembler.raw(&[0x0f, 0xb7, 0x09]),
            // movsxd rcx, [rcx]
            (4, true) => self.assembler.raw(&[0x48, 0x63, 0x09]),
            // mov ecx, [rcx]
            (4, false) => self.assembler.raw(&[0x8b, 0x09]),
            _ => self.assembler.load(general::RCX, general::RCX),
        }
    }
}

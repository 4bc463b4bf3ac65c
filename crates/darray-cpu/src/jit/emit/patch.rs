//! Calls of the table, behind the function so that the code jumps only where it needs them.
//!
//! ```text
//!     test mask, mask; jnz call             call: operands to the stack, registers to the stack
//! back:                                           call
//!                                                 registers and the result from the stack; jmp back
//! ```

use super::super::call::{self, OPERANDS, SLOT};
use super::super::encode::{Decoration, Last, Memory, Opcode};
use super::super::instruction::{self, Instruction, MASK_TEST, VECTOR_TEST};
use super::super::lane::Lane;
use super::super::target::Target;
use super::{Emitter, Part};

/// A call that is to be put behind the function.
pub(super) struct Patch {
    instruction: Instruction,
    /// The jump to it, and where to go on.
    jump: usize,
    back: usize,
}

/// Operands and result, vector registers, mask registers, general registers.
pub(super) const FRAME: i32 = MASKS + 64 + 64;
const VECTORS: i32 = SLOT * (OPERANDS + 1);
const MASKS: i32 = VECTORS + 32 * 64;
const GENERALS: i32 = MASKS + 64;
/// What a call may change and the code uses: rax, rcx, rdx, rsi, rdi, r8, r9, r11.
const CHANGED: [u8; 8] = [0, 1, 2, 6, 7, 8, 9, 11];

impl Emitter {
    /// Jumps to a call, if the mask has any lane.
    pub(super) fn jump_to_patch(&mut self, instruction: Instruction, mask: u8) {
        let last = Last::Register(mask);
        match self.target {
            Target::Avx2 => self.assembler.vex(VECTOR_TEST, true, mask, 0, last, None),
            Target::Avx512 => self.assembler.vex(MASK_TEST, false, mask, 0, last, None),
        }
        let jump = self.assembler.jump(&[0x0f, 0x85]);
        let back = self.assembler.code.len();
        self.patches.push(Patch { instruction, jump, back });
    }

    /// The calls.
    pub(super) fn patches(&mut self) {
        for Patch { instruction, jump, back } in std::mem::take(&mut self.patches) {
            let here = self.assembler.code.len();
            self.assembler.land(jump, here);
            self.patch(instruction);
            let end = self.assembler.jump(&[0xe9]);
            self.assembler.land(end, back);
        }
    }

    fn patch(&mut self, instruction: Instruction) {
        let Instruction::Patch { to, operands, operator, dtype, vectors, masks, .. } = instruction
        else {
            unreachable!("patches are kept here")
        };
        let stack = |offset: i32| Last::Memory(Memory::Stack(offset));
        let area = self.frame.call;
        for (k, &operand) in (0..).zip(&operands) {
            self.store(operand, Lane::of(dtype), stack(area + SLOT * k), dtype, Part::Groups);
        }
        let masks = match self.target {
            Target::Avx2 => 0,
            // The mask of a tail, too.
            Target::Avx512 => u32::from(masks) | 2,
        };
        let saved = |bits: u32| (0..32).filter(move |register| bits >> register & 1 == 1);
        for register in saved(vectors) {
            let at = stack(area + VECTORS + 64 * i32::from(register));
            self.move_whole(instruction::move_to(Lane::F32), register, at);
        }
        for register in saved(masks) {
            let at = stack(area + MASKS + 8 * i32::from(register));
            self.assembler.vex(instruction::MASK_TO, false, register, 0, at, None);
        }
        for (k, register) in (0..).zip(CHANGED) {
            self.assembler.store_stack(area + GENERALS + 8 * k, register);
        }
        let [apply, run] = call::addresses(operator, dtype);
        // vzeroupper; mov rdi, run; lea rsi, [rsp + area]; mov edx, elements; mov rax, apply; call rax
        self.assembler.raw(&[0xc5, 0xf8, 0x77, 0x48, 0xbf]);
        self.assembler.raw(&run.to_le_bytes());
        self.assembler.raw(&[0x48, 0x8d, 0xb4, 0x24]);
        self.assembler.raw(&area.to_le_bytes());
        self.assembler.raw(&[0xba, self.width as u8, 0, 0, 0, 0x48, 0xb8]);
        self.assembler.raw(&apply.to_le_bytes());
        self.assembler.raw(&[0xff, 0xd0]);
        for (k, register) in (0..).zip(CHANGED) {
            self.assembler.load_stack(register, area + GENERALS + 8 * k);
        }
        for register in saved(masks) {
            let at = stack(area + MASKS + 8 * i32::from(register));
            self.assembler.vex(instruction::MASK_FROM, false, register, 0, at, None);
        }
        for register in saved(vectors) {
            let at = stack(area + VECTORS + 64 * i32::from(register));
            self.move_whole(instruction::move_from(Lane::F32), register, at);
        }
        let result = stack(area + SLOT * OPERANDS);
        self.load(to, Lane::of(dtype), result, dtype, Part::Groups);
    }

    /// A whole vector from memory or to it.
    fn move_whole(&mut self, opcode: Opcode, register: u8, at: Last) {
        match self.target {
            Target::Avx2 => self.assembler.vex(opcode, true, register, 0, at, None),
            Target::Avx512 => {
                let whole = Decoration { length: 64, ..Decoration::default() };
                self.assembler.vector(opcode, register, 0, at, whole);
            }
        }
    }
}

//! The last round of a leaf, of which not all elements are there.

use super::Fold;
use crate::jit::emit::{Emitter, Part};
use crate::jit::encode::{Last, Memory, general, opcode};
use crate::jit::instruction;
use crate::jit::lane::{Held, Lane};
use crate::jit::target::Target;
use crate::vector::LANES;

impl Emitter {
    /// Accumulators become the identity.
    pub(super) fn begin_accumulators(&mut self, fold: &Fold<'_>) {
        let first = self.constants - fold.held.len() as u32;
        for (stay, number) in fold.held.iter().zip(first..) {
            let lane = Lane::of(stay.accumulators.dtype);
            match self.target {
                Target::Avx2 => {
                    let from = Last::Memory(Memory::Constant(32 * number));
                    let opcode = instruction::move_from(Lane::F32);
                    self.assembler.vex(opcode, true, stay.register, 0, from, None);
                }
                Target::Avx512 => {
                    let from = Last::Memory(Memory::Constant(8 * number));
                    let more = self.masked(Part::Groups, lane.size());
                    let opcode = instruction::broadcast(lane);
                    self.assembler.vector(opcode, stay.register, 0, from, more);
                }
            }
        }
    }

    /// What remains of a leaf, group by group.
    pub(super) fn tails(&mut self, fold: &Fold<'_>) {
        self.merged = fold.held.to_vec();
        let mut ends = Vec::with_capacity(fold.tails.len());
        // mov rcx, rsi; and ecx, lanes - 1
        self.assembler.raw(&[0x48, 0x89, 0xf1, 0x83, 0xe1, LANES as u8 - 1]);
        match self.target {
            Target::Avx2 => self.avx2_tails(fold, &mut ends),
            Target::Avx512 => self.avx512_tails(fold, &mut ends),
        }
        self.merged.clear();
        let end = self.assembler.code.len();
        ends.into_iter().for_each(|jump| self.assembler.land(jump, end));
    }

    /// rcx has the number of elements. A group that is whole needs no masks; behind one that is not there is none.
    pub(super) fn avx2_tails(&mut self, fold: &Fold<'_>, ends: &mut Vec<usize>) {
        let (width, count) = (self.width as u8, fold.tails.len());
        for (number, tail) in fold.tails.iter().enumerate() {
            if number > 0 {
                // mov rcx, rsi; sub rcx, rax; jle end
                self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
                ends.push(self.assembler.jump(&[0x0f, 0x8e]));
            }
            let mut next = None;
            if number + 1 < count {
                // cmp ecx, width; jl part
                self.assembler.raw(&[0x83, 0xf9, width]);
                let is_part = self.assembler.jump(&[0x0f, 0x8c]);
                self.code_of(fold, tail, Part::Groups);
                // add rax, width; jmp next
                self.assembler.raw(&[0x48, 0x83, 0xc0, width]);
                next = Some(self.assembler.jump(&[0xe9]));
                let part = self.assembler.code.len();
                self.assembler.land(is_part, part);
            }
            self.avx2_tail();
            self.code_of(fold, tail, Part::Rest);
            if let Some(next) = next {
                ends.push(self.assembler.jump(&[0xe9]));
                let behind = self.assembler.code.len();
                self.assembler.land(next, behind);
            }
        }
    }

    /// rcx has the number of elements. It becomes which lanes there are.
    pub(super) fn avx512_tails(&mut self, fold: &Fold<'_>, ends: &mut Vec<usize>) {
        let width = self.width as u8;
        // mov r10d, -1
        self.assembler.raw(&[0x41, 0xba, 0xff, 0xff, 0xff, 0xff]);
        // bzhi ecx, r10d, ecx
        let (first_bits, all) = (opcode(0, 2, false, 0xf5), Last::Register(general::R10));
        self.assembler.vex(first_bits, false, general::RCX, general::RCX, all, None);
        for (number, tail) in fold.tails.iter().enumerate() {
            let lanes = Last::Register(general::RCX);
            self.assembler.vex(instruction::MASK_FROM_GENERAL, false, 1, 0, lanes, None);
            self.code_of(fold, tail, Part::Rest);
            if number + 1 < fold.tails.len() {
                // add rax, width; shr ecx, width; je end
                self.assembler.raw(&[0x48, 0x83, 0xc0, width, 0xc1, 0xe9, width]);
                ends.push(self.assembler.jump(&[0x0f, 0x84]));
            }
        }
    }

    /// The register that takes what is stored to these accumulators, where only some elements are there.
    pub(in crate::jit) fn merged_into(&self, held: Held) -> u8 {
        let stay = self.merged.iter().find(|stay| stay.accumulators == held);
        stay.expect("tails have the accumulators of all").register
    }
}

//! Elements that follow one another towards lower addresses: a vector of them is loaded and its lanes reversed.
//!
//! ```text
//! r12 = -rax
//! vector = numbers 7, 6, .., 0
//! vector = lanes of these numbers of [base + 8 * r12 - 56]
//! ```
//!
//! Of the last group, `rcx` elements, those are loaded that are there, the last one first:
//!
//! ```text
//! r12 = -(rax + rcx)
//! scratch = [base + 8 * r12 + 8], the first lanes
//! vector = lanes of scratch of the numbers 7 + rcx - 8, 6 + rcx - 8, ..
//! ```
//!
//! Functions that fold leaves have r10 in place of r12, and in their last group rcx says which lanes there are: r10 counts these.
//!
//! Permutations of AVX2 have their numbers in the instruction. Of the last group it loads the last lanes of a whole one:
//!
//! ```text
//! scratch = mask of the first lanes, reversed
//! vector = [base + 8 * r12 - 24], the lanes of scratch
//! vector = lanes 3, 2, 1, 0 of vector
//! ```

use super::super::encode::{Decoration, Last, Memory, general};
use super::super::instruction;
use super::super::lane::{Lane, Op};
use super::super::target::Target;
use super::{Emitter, Part};
use darray_core::RealType;

/// The numbers of a group of so many elements, from the last one to the first: of 4 bytes each, then, if these fit a
/// vector, of 8.
pub(super) fn numbers(width: usize) -> impl Iterator<Item = u64> {
    let last = move |behind: usize| (width - 1 - behind) as u64;
    let halves = (0..width).step_by(2).map(move |k| last(k) | last(k + 1) << 32);
    let whole = if width > MOST_WIDE { 0 } else { width };
    halves.chain((0..whole).map(last))
}

/// Elements of 8 bytes that a vector has, at most.
const MOST_WIDE: usize = 8;

impl Emitter {
    pub(super) fn is_backward(&self, pointer: u16) -> bool {
        self.kinds.backward.contains(&pointer)
    }

    /// At the first element of a row.
    pub(super) fn begin_backward(&mut self) {
        if !self.kinds.backward.is_empty() {
            // xor r12d, r12d
            self.assembler.raw(&[0x45, 0x31, 0xe4]);
        }
    }

    /// On by the elements of a round.
    pub(super) fn go_backward(&mut self, round: u8) {
        if !self.kinds.backward.is_empty() {
            // sub r12, round
            self.assembler.raw(&[0x49, 0x83, 0xec, round]);
        }
    }

    /// The register with minus the number of the first element of a round. A function that folds counts rounds in r12; it keeps all
    /// pointers in registers where elements lie backwards, so r10 is free.
    fn backward_index(&mut self) -> u8 {
        if !self.folds {
            return general::R12;
        }
        // mov r10, rax; neg r10
        self.assembler.raw(&[0x49, 0x89, 0xc2, 0x49, 0xf7, 0xda]);
        general::R10
    }

    /// The register with the number of the elements of the last group: rcx, but of a fold that has which lanes there are.
    fn count_of_rest(&mut self) -> u8 {
        if !self.folds {
            return general::RCX;
        }
        // movzx r10d, cl or cx; popcnt r10d, r10d
        let lanes = if self.width == 8 { 0xb6 } else { 0xb7 };
        self.assembler.raw(&[0x44, 0x0f, lanes, 0xd1, 0xf3, 0x45, 0x0f, 0xb8, 0xd2]);
        general::R10
    }

    /// Loads elements of a group with AVX-512.
    pub(super) fn avx512_load_backward(
        &mut self,
        register: u8,
        (pointer, dtype, group): (u16, RealType, u8),
        part: Part,
    ) {
        let (lane, scratch) = (Lane::of(dtype), Target::Avx512.scratch());
        let (size, width) = (dtype.size() as i32, self.width as i32);
        let more = Decoration { length: (size * width) as u8, ..Decoration::default() };
        let behind = if lane.size() == 8 { width as u32 / 2 } else { 0 };
        let numbers = Last::Memory(Memory::Constant(8 * (self.first_reversed + behind)));
        let base = self.base(pointer);
        let at = |index: u8, offset: i32| {
            Last::Memory(Memory::Indexed { base, index, scale: size as u8, offset })
        };
        let from = if part == Part::Rest || part == Part::RestNonTemporal {
            let count = self.count_of_rest();
            // mov r12, rax; add r12, count; neg r12
            self.assembler.raw(&[0x49, 0x89, 0xc4]);
            match count {
                general::RCX => self.assembler.raw(&[0x49, 0x01, 0xcc]),
                _ => self.assembler.raw(&[0x4d, 0x01, 0xd4]),
            }
            self.assembler.raw(&[0x49, 0xf7, 0xdc]);
            let there = Decoration { mask: 1, zero: true, ..more };
            let from = at(general::R12, size);
            self.assembler.vector(instruction::move_from(lane), scratch, 0, from, there);
            let repeat = match lane.size() {
                8 => instruction::REPEAT_GENERAL,
                _ => instruction::REPEAT_4_GENERAL,
            };
            // lea r12, [count - width]
            match count {
                general::RCX => self.assembler.raw(&[0x4c, 0x8d, 0x61]),
                _ => self.assembler.raw(&[0x4d, 0x8d, 0x62]),
            }
            self.assembler.raw(&[(self.width as u8).wrapping_neg()]);
            let by = Last::Register(general::R12);
            self.assembler.vector(repeat, register, 0, by, more);
            let integers = if lane.size() == 8 { Lane::I64 } else { Lane::I32 };
            let (add, _) = instruction::opcode_of(Op::Add, integers);
            self.assembler.vector(add, register, register, numbers, more);
            Last::Register(scratch)
        } else {
            self.assembler.vector(instruction::move_from(lane), register, 0, numbers, more);
            at(self.backward_index(), -size * (width * (i32::from(group) + 1) - 1))
        };
        self.assembler.vector(instruction::permute(lane), register, register, from, more);
    }

    /// Loads elements of a group with AVX2.
    pub(super) fn avx2_load_backward(
        &mut self,
        register: u8,
        (pointer, dtype, group): (u16, RealType, u8),
        part: Part,
    ) {
        let (lane, scratch) = (Lane::of(dtype), Target::Avx2.scratch());
        let (size, width) = (dtype.size() as i32, self.width as i32);
        let bytes = size * width;
        let (base, scale) = (self.base(pointer), size as u8);
        let offset = -size * (width * (i32::from(group) + 1) - 1);
        let is_rest = part == Part::Rest || part == Part::RestNonTemporal;
        let index = if is_rest { general::R12 } else { self.backward_index() };
        let from = Last::Memory(Memory::Indexed { base, index, scale, offset });
        if is_rest {
            // mov r12, rax; neg r12
            self.assembler.raw(&[0x49, 0x89, 0xc4, 0x49, 0xf7, 0xdc]);
            self.reverse_lanes(scratch, self.mask_of_tail(lane), lane, bytes);
            let load = instruction::masked_from(lane);
            self.assembler.vex(load, bytes == 32, register, scratch, from, None);
            self.reverse_lanes(register, Last::Register(register), lane, bytes);
        } else {
            self.reverse_lanes(register, from, lane, bytes);
        }
    }

    /// The lanes of a vector of so many bytes in reverse.
    fn reverse_lanes(&mut self, to: u8, from: Last, lane: Lane, bytes: i32) {
        if lane.size() == 8 {
            let permute = instruction::PERMUTE_8;
            return self.assembler.vex(permute, true, to, 0, from, Some(REVERSE));
        }
        let permute = instruction::PERMUTE_4_OF_HALVES;
        self.assembler.vex(permute, bytes == 32, to, 0, from, Some(REVERSE));
        if bytes == 32 {
            let same = Last::Register(to);
            self.assembler.vex(instruction::PERMUTE_8, true, to, 0, same, Some(EXCHANGE_HALVES));
        }
    }
}

/// Four lanes from the last one to the first, and the last two before the first two.
const REVERSE: u8 = 0b00_01_10_11;
const EXCHANGE_HALVES: u8 = 0b01_00_11_10;

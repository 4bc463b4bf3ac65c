//! Parts of groups that go past the caches, element by element; of what remains behind the rounds, whole groups at once.
//!
//! An ordinary store of them would read their lines, and the hardware would fetch what lies behind those, which is
//! being written by non-temporal stores.

use super::super::encode::{Last, Memory};
use super::super::lane::Lane;
use super::{Emitter, LINE, Part};
use darray_core::RealType;

/// Bytes of a group, at most.
pub(super) const GROUP: i32 = 64;

impl Emitter {
    /// How elements are stored to a pointer. There are no such stores of less than 16 bytes but of single elements of 4 and 8; and a
    /// round has to begin where a line does, which it may not where what stands before the first line is more than a round.
    pub(super) fn part_of_store(&self, pointer: u16, dtype: RealType, part: Part) -> Part {
        let (is_wanted, size) = (self.kinds.non_temporal.contains(&pointer), dtype.size());
        let is_vector = self.width * size >= 16 && self.round * size >= LINE as usize;
        match part {
            Part::Groups if is_wanted && is_vector => Part::GroupsNonTemporal,
            Part::Rest if is_wanted && size >= 4 => Part::RestNonTemporal,
            _ => part,
        }
    }

    /// Stores as many elements, of 4 or 8 bytes, as rcx says. Changes r10, r12 and r13.
    pub(super) fn store_rest_past(&mut self, register: u8, lane: Lane, to: Last, dtype: RealType) {
        let Last::Memory(Memory::Element { base, scale, .. }) = to else {
            unreachable!("elements are in memory")
        };
        let scale = (scale.trailing_zeros() as u8) << 6;
        // lea r13, [base + scale * rax]
        self.assembler.raw(&[0x4c | base >> 3, 0x8d, 0x6c, scale | base & 7, 0]);
        // A whole group where a vector may lie: cmp ecx, width; jne part; test r13b, bytes - 1; jne part
        let bytes = (self.width * dtype.size()) as u8;
        self.assembler.raw(&[0x83, 0xf9, self.width as u8]);
        let few = self.assembler.jump(&[0x0f, 0x85]);
        self.assembler.raw(&[0x41, 0xf6, 0xc5, bytes - 1]);
        let across = self.assembler.jump(&[0x0f, 0x85]);
        self.store(register, lane, to, dtype, Part::GroupsNonTemporal);
        let whole = self.assembler.jump(&[0xe9]);
        let part = self.assembler.code.len();
        self.assembler.land(few, part);
        self.assembler.land(across, part);
        let at = self.frame.part;
        let stack = Last::Memory(Memory::Stack(at));
        self.store(register, lane, stack, dtype, Part::Groups);
        // lea r12d, [rcx - 1]
        self.assembler.raw(&[0x44, 0x8d, 0x61, 0xff]);
        let begin = self.assembler.code.len();
        // mov r10, [rsp + scale * r12 + at]; movnti [r13 + scale * r12], r10; of 4 bytes: r10d
        let wide = u8::from(dtype.size() == 8) << 3;
        self.assembler.raw(&[0x46 | wide, 0x8b, 0x94, scale | 0x24]);
        self.assembler.raw(&at.to_le_bytes());
        self.assembler.raw(&[0x47 | wide, 0x0f, 0xc3, 0x54, scale | 0x25, 0]);
        // dec r12d; jns begin
        self.assembler.raw(&[0x41, 0xff, 0xcc]);
        let again = self.assembler.jump(&[0x0f, 0x89]);
        self.assembler.land(again, begin);
        let end = self.assembler.code.len();
        self.assembler.land(whole, end);
    }
}

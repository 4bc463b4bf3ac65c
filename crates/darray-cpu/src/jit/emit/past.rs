//! Parts of groups that go past the caches, element by element.
//!
//! An ordinary store of them would read their lines, and the hardware would fetch what lies behind those, which is
//! being written past the caches.

use super::super::encode::{Last, Memory};
use super::super::lane::Lane;
use super::super::target::Target;
use super::{Emitter, Part};
use darray_core::DType;

/// Bytes of a group, at most.
pub(super) const GROUP: i32 = 64;

impl Emitter {
    /// How elements are stored to a pointer.
    pub(super) fn part_of_store(&self, pointer: u16, part: Part) -> Part {
        match part {
            Part::Groups if self.kinds.past.contains(&pointer) => Part::GroupsPast,
            Part::Rest if self.kinds.past.contains(&pointer) => Part::RestPast,
            _ => part,
        }
    }

    /// Stores as many elements, of 4 or 8 bytes, as rcx says. Changes r10, r12 and r13.
    pub(super) fn store_rest_past(&mut self, register: u8, lane: Lane, to: Last, dtype: DType) {
        let Last::Memory(Memory::Element { base, scale, .. }) = to else {
            unreachable!("elements are in memory")
        };
        let at = self.frame.part;
        let stack = Last::Memory(Memory::Stack(at));
        match self.target {
            Target::Avx2 => self.avx2_store(register, lane, stack, dtype, Part::Groups),
            Target::Avx512 => self.avx512_store(register, stack, dtype, Part::Groups),
        }
        let scale = (scale.trailing_zeros() as u8) << 6;
        // lea r13, [base + scale * rax]; lea r12d, [rcx - 1]
        self.assembler.raw(&[0x4c | base >> 3, 0x8d, 0x6c, scale | base & 7, 0]);
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
    }
}

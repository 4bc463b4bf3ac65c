//! Where the elements of a group are, and lines that are prefetched of them.

use super::super::encode::{Last, Memory, general};
use super::{DEFERRED, Emitter, LINE, POINTERS, Part};
use darray_core::RealType;

impl Emitter {
    /// Asks for the line that many bytes ahead of a group which begins one, if that is to be done for its pointer: where
    /// rounds overlap, by what is loaded for the next.
    fn ask_ahead(&mut self, pointer: u16, group: Last, part: Part) {
        let Last::Memory(mut group) = group else { return };
        let is_next = match group {
            Memory::Element { scale, offset, .. } => offset >= self.round as i32 * i32::from(scale),
            _ => false,
        };
        // What remains of a row comes behind groups that have asked.
        if part == Part::Groups
            && *group.offset() % LINE == 0
            && (!self.next.contains(&pointer) || is_next)
            && self.kinds.prefetched.contains(&pointer)
        {
            *group.offset() += self.ahead;
            self.assembler.fetch(group, self.asks_into);
        }
    }

    /// Elements of a group that are loaded next; lines ahead of them are asked for.
    pub(super) fn element_to_load(
        &mut self,
        pointer: u16,
        dtype: RealType,
        group: u8,
        part: Part,
    ) -> Last {
        let from = self.element(pointer, dtype, group);
        self.ask_ahead(pointer, from, part);
        from
    }

    pub(super) fn element(&mut self, pointer: u16, dtype: RealType, group: u8) -> Last {
        if pointer >= DEFERRED {
            return self.deferred(pointer, dtype.size(), group);
        }
        let offset = (usize::from(group) * self.width * dtype.size()) as i32;
        let base = self.base(pointer);
        Last::Memory(Memory::Element { base, scale: dtype.size() as u8, offset })
    }

    pub(super) fn kept_pointer(&self, pointer: u16) -> Option<usize> {
        self.pointers.iter().position(|&p| p == pointer)
    }

    /// A register with a pointer: one that keeps it, or r10.
    pub(super) fn base(&mut self, pointer: u16) -> u8 {
        let known = self.kept_pointer(pointer);
        if known.is_none() {
            self.assembler.load_pointer(general::R10, general::RDI, pointer);
        }
        known.map_or(general::R10, |k| POINTERS[k])
    }
}

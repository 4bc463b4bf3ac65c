//! Accumulators between memory and registers.
//!
//! A round of the loop takes an element for each accumulator, so group k of every round has the same ones. The
//! elements behind the last round go to accumulators as far from the first one as they are from the round's end.

use super::super::allocate::Allocated;
use super::super::encode::{Last, Memory, general};
use super::super::instruction;
use super::super::lane::{Held, Lane};
use super::super::target::Target;
use super::{Emitter, Part};
use darray_core::DType;

/// The bits of an element in all of 64, as lanes have it.
pub(in super::super) fn repeated(bits: u64, dtype: DType) -> u64 {
    match Lane::of(dtype).size() {
        8 => bits,
        _ => (bits & 0xffff_ffff) << 32 | bits & 0xffff_ffff,
    }
}

/// The constants that accumulators begin with, of the bits by the numbers of their pointers.
pub(super) fn identities(main: &Allocated, starts: &[(u16, u64)]) -> Option<Vec<u64>> {
    let of = |held: Held| {
        let (_, start) = starts.iter().find(|(pointer, _)| *pointer == held.pointer)?;
        Some(repeated(*start, held.dtype))
    };
    main.held.iter().map(|stay| of(stay.accumulators)).collect()
}

impl Emitter {
    /// Accumulators become what they begin with: the constants of these numbers.
    pub(super) fn begin_accumulators(
        &mut self,
        main: &Allocated,
        constants: impl Iterator<Item = u32>,
    ) {
        for (stay, number) in main.held.iter().zip(constants) {
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

    /// All accumulators to their registers; rax is 0.
    pub(super) fn load_accumulators(&mut self, main: &Allocated) {
        for stay in &main.held {
            self.load_of_leaf(general::R10, stay.accumulators.pointer);
            let from = self.accumulator(stay.accumulators);
            let dtype = stay.accumulators.dtype;
            let part = self.part_of_accumulators(stay.accumulators);
            self.load(stay.register, Lane::of(dtype), from, dtype, part);
        }
    }

    /// And back.
    pub(super) fn store_accumulators(&mut self, main: &Allocated) {
        for stay in &main.held {
            match self.leaves > 0 {
                // rax is 0, and rcx has the number of elements.
                true => self.load_of_leaf(general::R10, stay.accumulators.pointer),
                false => self.pointer_for_round(stay.accumulators),
            }
            let to = self.accumulator(stay.accumulators);
            let dtype = stay.accumulators.dtype;
            let part = self.part_of_accumulators(stay.accumulators);
            self.store(stay.register, Lane::of(dtype), to, dtype, part);
        }
    }

    /// How accumulators go from memory to registers and back: of short rows, only those that a row has elements for.
    fn part_of_accumulators(&self, held: Held) -> Part {
        if self.last == Some(held.group) { Part::Rest } else { Part::Groups }
    }

    /// Keeps pointers that, with the number of an element behind the last round added, are those of its
    /// accumulators.
    pub(super) fn point_at_accumulators(&mut self, rest: &Allocated) {
        for (number, held) in rest.stored_accumulators().enumerate() {
            self.pointer_for_round(held);
            self.kept.push(held.pointer);
            let at = self.frame.accumulators + 8 * number as i32;
            self.assembler.store_stack(at, general::R10);
        }
    }

    /// Accumulators in memory of the group at hand, in a round or the rest.
    pub(super) fn accumulator_in_memory(&mut self, held: Held, part: Part) -> Last {
        if part == Part::Groups {
            self.assembler.load_pointer(general::R10, general::RDI, held.pointer);
            let offset = (usize::from(held.group) * self.width * held.dtype.size()) as i32;
            return Last::Memory(Memory::At { base: general::R10, offset });
        }
        let number = self.kept.iter().position(|&pointer| pointer == held.pointer);
        let number = number.expect("accumulators of the rest are those of the rounds") as i32;
        self.assembler.load_stack(general::R10, self.frame.accumulators + 8 * number);
        self.accumulator(held)
    }

    /// r10 becomes the pointer of accumulators less the elements before rax.
    fn pointer_for_round(&mut self, held: Held) {
        self.assembler.load_pointer(general::R10, general::RDI, held.pointer);
        let shift = held.dtype.size().trailing_zeros() as u8;
        // mov rcx, rax; shl rcx, shift; sub r10, rcx
        self.assembler.raw(&[0x48, 0x89, 0xc1, 0x48, 0xc1, 0xe1, shift, 0x49, 0x29, 0xca]);
    }

    /// `[r10 + rax * size]`, and groups further on.
    pub(super) fn accumulator(&self, held: Held) -> Last {
        let size = held.dtype.size();
        let offset = (usize::from(held.group) * self.width * size) as i32;
        Last::Memory(Memory::Element { base: general::R10, scale: size as u8, offset })
    }
}

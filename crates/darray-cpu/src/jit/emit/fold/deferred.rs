//! Values that wait for their right operand: a binary counter over rounds, on the stack.

use super::Fold;
use crate::jit::allocate::{Allocated, HeldIn};
use crate::jit::emit::{DEFERRED, Emitter, Note, Part};
use crate::jit::encode::{Last, Memory, general};
use crate::jit::lane::{Held, Lane};

impl Emitter {
    /// Has the accumulators wait on a level, for what is behind them; rcx has their number on that level. As right siblings they are
    /// combined with what waits there, and so on.
    pub(super) fn wait(
        &mut self,
        fold: &Fold<'_>,
        combine: &Allocated,
        level: i32,
        held: &[HeldIn],
    ) {
        self.note(Note::Combine);
        self.point_at_level(fold, level);
        let again = self.assembler.code.len();
        // test cl, 1; je done
        self.assembler.raw(&[0xf6, 0xc1, 0x01]);
        let done = self.assembler.jump(&[0x0f, 0x84]);
        self.code_of(fold, combine, Part::Groups);
        // add r13, a level; shr rcx, 1; jmp again
        self.assembler.raw(&[0x49, 0x81, 0xc5]);
        self.assembler.raw(&self.level(fold).to_le_bytes());
        self.assembler.raw(&[0x48, 0xd1, 0xe9]);
        self.jump_to(again);
        let behind = self.assembler.code.len();
        self.assembler.land(done, behind);
        self.keep_waiting(held);
    }

    /// Combines all that waits, the last one first, in front of the accumulators: r12 has a bit for the level of each.
    pub(super) fn combine_all(&mut self, fold: &Fold<'_>, combine: &Allocated) {
        self.note(Note::Combine);
        let again = self.assembler.code.len();
        // test r12, r12; je done
        self.assembler.raw(&[0x4d, 0x85, 0xe4]);
        let done = self.assembler.jump(&[0x0f, 0x84]);
        self.next_waiting(fold);
        self.code_of(fold, combine, Part::Groups);
        self.jump_to(again);
        let behind = self.assembler.code.len();
        self.assembler.land(done, behind);
    }

    /// r13 points to what waits on the lowest level that r12 has a bit for, which r12 has no more. Changes rcx and r10.
    pub(super) fn next_waiting(&mut self, fold: &Fold<'_>) {
        // bsf rcx, r12; lea r10, [r12 - 1]; and r12, r10; imul rcx, rcx, a level
        self.assembler
            .raw(&[0x49, 0x0f, 0xbc, 0xcc, 0x4d, 0x8d, 0x54, 0x24, 0xff, 0x4d, 0x21, 0xd4]);
        self.assembler.raw(&[0x48, 0x69, 0xc9]);
        self.assembler.raw(&self.level(fold).to_le_bytes());
        self.point_at_level(fold, 0);
        // add r13, rcx
        self.assembler.raw(&[0x49, 0x01, 0xcd]);
    }

    /// r13 points to what waits on a level.
    pub(super) fn point_at_level(&mut self, fold: &Fold<'_>, level: i32) {
        // lea r13, [rsp + level]
        self.assembler.raw(&[0x4c, 0x8d, 0xac, 0x24]);
        self.assembler.raw(&(self.frame.deferred + level * self.level(fold)).to_le_bytes());
    }

    pub(super) fn keep_waiting(&mut self, held: &[HeldIn]) {
        for stay in held {
            let (lane, at) = self.waiting_of(stay.accumulators);
            self.store(stay.register, lane, at, lane.dtype(), Part::Groups);
        }
    }

    pub(super) fn take_waiting(&mut self, held: &[HeldIn]) {
        for stay in held {
            let (lane, at) = self.waiting_of(stay.accumulators);
            self.load(stay.register, lane, at, lane.dtype(), Part::Groups);
        }
    }

    pub(super) fn waiting_of(&self, held: Held) -> (Lane, Last) {
        let lane = Lane::of(held.dtype);
        (lane, self.deferred(DEFERRED + held.pointer, lane.size(), held.group))
    }

    /// What waits of a group of an item, of lanes of so many bytes.
    pub(in crate::jit) fn deferred(&self, pointer: u16, size: usize, group: u8) -> Last {
        let bytes = usize::from(group) * self.width * size;
        let offset = i32::from(pointer - DEFERRED) * self.frame.item + bytes as i32;
        Last::Memory(Memory::At { base: general::R13, offset })
    }
}

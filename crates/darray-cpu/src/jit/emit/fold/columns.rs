//! Folds of kept points: all rows of a group of points, then the next group.

use super::{Fold, Groups};
use crate::jit::allocate::{Allocated, HeldIn};
use crate::jit::emit::{Emitter, Note, POINTERS, Part};
use crate::jit::encode::{Last, Memory, general};
use crate::jit::lane::{Held, Lane};

impl Emitter {
    pub(super) fn fold_columns(&mut self, fold: &Fold<'_>) {
        let main = fold.main();
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.keep_pointers(&main.pointers);
        self.keep_steps(&main.pointers);
        self.uniforms(0, main.uniforms.iter());
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        for size in fold.sizes {
            let points = (size.count * self.width) as i32;
            let begin = self.assembler.code.len();
            // lea rcx, [rax + points]; cmp rcx, rsi; jg fewer
            self.assembler.raw(&[0x48, 0x8d, 0x88]);
            self.assembler.raw(&points.to_le_bytes());
            self.assembler.raw(&[0x48, 0x39, 0xf1]);
            let few = self.assembler.jump(&[0x0f, 0x8f]);
            self.note(Note::Round(points as u8));
            self.rows_of_points_in_pairs(fold, size, Part::Groups);
            self.next_points(main, points);
            self.jump_to(begin);
            let behind = self.assembler.code.len();
            self.assembler.land(few, behind);
        }
        if let Some(rest) = fold.rest {
            let begin = self.assembler.code.len();
            let end = self.begin_group_of_rest();
            self.rows_of_points_in_pairs(fold, rest, Part::Rest);
            self.next_points(main, self.width as i32);
            self.jump_to(begin);
            let behind = self.assembler.code.len();
            self.assembler.land(end, behind);
        }
        self.leave();
    }

    /// All rows of the points from rax on, to where their values are said to be.
    pub(super) fn rows_of_points_in_pairs(&mut self, fold: &Fold<'_>, size: &Groups, part: Part) {
        let Groups { parts, rounds, combine, .. } = size;
        let in_lane = fold.sizes[0].count;
        let is_there = |stay: &&HeldIn| usize::from(stay.accumulators.group) % in_lane < size.count;
        let held: Vec<HeldIn> = fold.held.iter().filter(is_there).copied().collect();
        let held = &held[..];
        // xor r12d, r12d
        self.assembler.raw(&[0x45, 0x31, 0xe4]);
        for (number, (code, &rows)) in parts.iter().zip(rounds).enumerate() {
            let begin = self.assembler.code.len();
            // lea rcx, [r12 + rows]; cmp rcx, [rsp + count]; jg behind
            self.assembler.raw(&[0x49, 0x8d, 0x4c, 0x24, rows as u8, 0x48, 0x3b, 0x8c, 0x24]);
            self.assembler.raw(&self.frame.rows.to_le_bytes());
            let few = self.assembler.jump(&[0x0f, 0x8f]);
            self.note(Note::Rounds(rows as u8));
            self.code_of(fold, code, part);
            let level = rows.ilog2() as i32;
            if number == 0 {
                // mov rcx, r12; shr rcx, level
                self.assembler.raw(&[0x4c, 0x89, 0xe1, 0x48, 0xc1, 0xe9, level as u8]);
                self.wait(fold, combine, level, held);
            } else {
                self.point_at_level(fold, level);
                self.keep_waiting(held);
            }
            // add r12, rows
            self.assembler.raw(&[0x49, 0x83, 0xc4, rows as u8]);
            if number == 0 {
                self.jump_to(begin);
            }
            let behind = self.assembler.code.len();
            self.assembler.land(few, behind);
        }
        self.next_waiting(fold);
        self.take_waiting(held);
        self.combine_all(fold, combine);
        if let Some(lanes) = &size.lanes {
            self.note(Note::Lanes);
            self.code_of(fold, lanes, Part::Groups);
        }
        // What all lanes became is in the accumulators of the first one.
        for stay in held.iter().filter(|stay| usize::from(stay.accumulators.group) < in_lane) {
            let Held { dtype, group, pointer } = stay.accumulators;
            if part == Part::Rest && dtype.size() < 4 {
                // Elements that are copied one by one are counted: mov rcx, rsi; sub rcx, rax
                self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
                self.at_most_a_group();
            }
            self.assembler.load_pointer(
                general::R10,
                general::RDI,
                fold.outs[usize::from(pointer)],
            );
            let offset = (usize::from(group) * self.width * dtype.size()) as i32;
            let scale = dtype.size() as u8;
            let to = Last::Memory(Memory::Element { base: general::R10, scale, offset });
            self.store(stay.register, Lane::of(dtype), to, dtype, part);
        }
    }

    /// Goes on with the points behind so many: pointers are those of the table.
    pub(super) fn next_points(&mut self, main: &Allocated, points: i32) {
        for (register, &pointer) in POINTERS.into_iter().zip(&main.pointers) {
            self.assembler.load_pointer(register, general::RDI, pointer);
        }
        // add rax, points
        self.assembler.raw(&[0x48, 0x05]);
        self.assembler.raw(&points.to_le_bytes());
    }

    /// The steps of accesses to the registers behind those of pointers, as many as there are: with steps from memory rows of four lines
    /// took up to twice as long.
    fn keep_steps(&mut self, pointers: &[u16]) {
        let accesses = self.kinds.accesses.clone();
        let moved = pointers.iter().copied().filter(|pointer| accesses.contains(pointer));
        let free = POINTERS.get(pointers.len()..).unwrap_or_default();
        self.steps = moved.zip(free.iter().copied()).collect();
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        for (pointer, register) in self.steps.clone() {
            self.assembler.load_pointer(register, general::R10, pointer - accesses.start);
        }
    }

    /// Moves the accesses to their next row. Changes r10.
    pub(in crate::jit) fn next_row_of_points(&mut self) {
        let accesses = self.kinds.accesses.clone();
        let kept = POINTERS.into_iter().zip(self.pointers.clone());
        let moved = kept.filter(|(_, pointer)| accesses.contains(pointer));
        let (mut steps, mut is_at_steps) = (self.steps.clone().into_iter(), false);
        for (register, pointer) in moved {
            // Those with steps in registers are the first ones.
            if let Some((_, step)) = steps.next() {
                self.assembler.add(register, step);
                continue;
            }
            if !is_at_steps {
                self.assembler.load_stack(general::R10, self.frame.rows + 8);
                is_at_steps = true;
            }
            self.add_step(register, general::R10, pointer - accesses.start);
        }
    }
}

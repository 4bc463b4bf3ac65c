//! Rows of less than a round: which elements of their last group are there is found once for all of them.
//!
//! ```text
//! which elements are there; pointers and steps to registers; rsi = rows; whole = elements of the whole groups
//! row: uniform elements to the stack, if a row has its own
//!      while rax < whole { code of a group; rax += elements }; code of a group
//!      if rows remain { accesses += steps; go to row }
//! ```
//!
//! As little as can be comes from memory for each row: a vector that does not lie in one line takes what two loads take, and with three
//! steps from memory a row took twice as long.

use super::super::encode::general;
use super::super::target::Target;
use super::{Code, Emitter, Note, POINTERS, Part};
use smallvec::SmallVec;

impl Emitter {
    /// Jumps where a row has less elements than a round, if there is to be code for that.
    pub(super) fn if_short_row(&mut self) -> Option<usize> {
        // Groups that go past the caches would have to begin with a line, and what remains of them changes r13.
        let wanted = self.kinds.short_rows && self.kinds.non_temporal.is_empty();
        wanted.then(|| {
            // lea r10, [rsi - 1]; cmp r10, round - 1; jb to the rows: not where there are no elements
            let last = self.round as u8 - 1;
            self.assembler.raw(&[0x4c, 0x8d, 0x56, 0xff, 0x49, 0x83, 0xfa, last]);
            self.assembler.jump(&[0x0f, 0x82])
        })
    }

    /// The rows of those for which the jump is taken.
    pub(super) fn short_rows(&mut self, code: &Code<'_>, jump: usize) {
        let others = self.assembler.jump(&[0xe9]);
        let begin = self.assembler.code.len();
        self.assembler.land(jump, begin);
        self.note(Note::Row);
        let rest = code.rest;
        let before = code.main.uniforms.len();
        let width = self.width as u8;
        // Elements of whole groups: lea r13, [rsi - 1]; and r13, -width; sub rsi, r13
        self.assembler.raw(&[0x4c, 0x8d, 0x6e, 0xff]);
        self.assembler.raw(&[0x49, 0x83, 0xe5, width.wrapping_neg()]);
        self.assembler.raw(&[0x4c, 0x29, 0xee]);
        self.assembler.store_stack(self.frame.rows + 16, general::R13);
        // Where the number of rows is in other functions: mov r10, [rsp + rows]; mov [rsp + rows], rsi; mov rsi, r10
        self.assembler.load_stack(general::R10, self.frame.rows);
        self.assembler.store_stack(self.frame.rows, general::RSI);
        self.assembler.raw(&[0x4c, 0x89, 0xd6]);
        self.elements_of_last();
        match self.target {
            Target::Avx2 => self.avx2_tail(),
            Target::Avx512 => self.avx512_tail(),
        }
        let (accesses, counted) = (self.kinds.accesses.clone(), self.kinds.counted.clone());
        let own = |pointer: &u16| accesses.contains(pointer) || counted.contains(pointer);
        let mut pointers = rest.pointers.clone();
        for pointer in rest.uniforms.iter().map(|uniform| uniform.pointer).filter(own) {
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
        }
        self.pointers.clear();
        self.keep_pointers(&pointers);
        let moved: SmallVec<[(u8, u16); 8]> = POINTERS
            .into_iter()
            .zip(pointers.iter().copied())
            .filter(|(_, pointer)| accesses.contains(pointer))
            .collect();
        let steps = POINTERS.get(pointers.len()..).unwrap_or_default();
        self.steps_to_registers(steps, &moved);
        // All of them, if a row has any of its own: some may be made of others.
        let each = rest.uniforms.iter().any(|uniform| own(&uniform.pointer));
        if !each {
            self.uniforms(before, rest.uniforms.iter());
            self.elements_of_last();
        }
        let row = self.assembler.code.len();
        if each {
            self.uniforms(before, rest.uniforms.iter());
        }
        if each || !counted.is_empty() || pointers.len() > POINTERS.len() {
            self.elements_of_last();
        }
        self.number_from(&[code.main]);
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        self.begin_backward();
        self.compare_with_whole();
        // jge last
        let last = self.assembler.jump(&[0x0f, 0x8d]);
        let begin = self.assembler.code.len();
        self.note(Note::Round(width));
        self.body(rest, Part::Groups);
        self.go_backward(width);
        // add rax, width
        self.assembler.raw(&[0x48, 0x83, 0xc0, width]);
        self.compare_with_whole();
        // jl begin
        let again = self.assembler.jump(&[0x0f, 0x8c]);
        self.assembler.land(again, begin);
        self.note(Note::Tail(width));
        let behind = self.assembler.code.len();
        self.assembler.land(last, behind);
        self.body(rest, Part::Rest);
        self.note(Note::Row);
        // dec rsi; je end
        self.assembler.raw(&[0x48, 0xff, 0xce]);
        let end = self.assembler.jump(&[0x0f, 0x84]);
        for (&(register, _), &step) in moved.iter().zip(steps) {
            self.assembler.add(register, step);
        }
        if moved.len() > steps.len() || pointers.len() > POINTERS.len() {
            self.assembler.load_stack(general::R10, self.frame.rows + 8);
        }
        for &(register, pointer) in moved.iter().skip(steps.len()) {
            self.add_step(register, general::R10, pointer - accesses.start);
        }
        for &pointer in pointers.iter().skip(POINTERS.len()).filter(|&one| accesses.contains(one)) {
            self.step_in_table(pointer);
        }
        self.count_rows();
        let again = self.assembler.jump(&[0xe9]);
        self.assembler.land(again, row);
        let last = self.assembler.code.len();
        self.assembler.land(end, last);
        let unmoved = self.if_no_steps();
        for &(register, pointer) in &moved {
            self.assembler.store_pointer(register, pointer);
        }
        let after = self.assembler.code.len();
        self.assembler.land(unmoved, after);
        self.assembler.land(others, after);
    }

    /// Compares rax with the elements of whole groups.
    fn compare_with_whole(&mut self) {
        match self.target {
            // Copies of small elements of the last group have changed r13: cmp rax, [rsp + rows + 16]
            Target::Avx2 => {
                self.assembler.raw(&[0x48, 0x3b, 0x84, 0x24]);
                self.assembler.raw(&(self.frame.rows + 16).to_le_bytes());
            }
            // cmp rax, r13
            Target::Avx512 => self.assembler.raw(&[0x4c, 0x39, 0xe8]),
        }
    }

    /// The steps of accesses that move to as many registers as there are.
    fn steps_to_registers(&mut self, registers: &[u8], moved: &[(u8, u16)]) {
        let none = self.if_no_steps();
        for (&step, &(_, pointer)) in registers.iter().zip(moved) {
            let access = pointer - self.kinds.accesses.start;
            self.assembler.load_pointer(step, general::R10, access);
        }
        let behind = self.assembler.code.len();
        self.assembler.land(none, behind);
    }

    /// Points r10 to the steps. Gives the jump that is taken where there are none: for one row, nothing is moved.
    fn if_no_steps(&mut self) -> usize {
        // mov r10, [rsp + steps]; test r10, r10; je
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.raw(&[0x4d, 0x85, 0xd2]);
        self.assembler.jump(&[0x0f, 0x84])
    }

    /// `mov rcx, [rsp + rows]`.
    fn elements_of_last(&mut self) {
        self.assembler.load_stack(general::RCX, self.frame.rows);
    }

    /// Moves an access in the table by its step, which r10 points to. Changes rcx.
    pub(super) fn step_in_table(&mut self, pointer: u16) {
        let step = pointer - self.kinds.accesses.start;
        self.assembler.load_pointer(general::RCX, general::R10, step);
        // add [rdi + 8 * pointer], rcx
        self.assembler.raw(&[0x48, 0x01, 0x8f]);
        self.assembler.raw(&(8 * i32::from(pointer)).to_le_bytes());
    }

    /// Moves indices on to the next row. Changes rcx.
    pub(super) fn count_rows(&mut self) {
        for at in 0..self.kinds.counted.len() {
            // inc qword [rcx]
            self.assembler.load_pointer(general::RCX, general::RDI, self.kinds.counted[at]);
            self.assembler.raw(&[0x48, 0xff, 0x01]);
        }
    }
}

//! Rows of at most one group: which elements of it are there is found once for all of them.
//!
//! ```text
//! which elements are there; pointers to registers; rsi = rows
//! row: uniform elements to the stack, if a row has its own; code of a group
//!      if rows remain { accesses += steps; go to row }
//! ```
//!
//! What each row waits for in the row before goes through registers: through memory, a row took seven cycles.

use super::super::encode::general;
use super::super::target::Target;
use super::{Code, Emitter, Note, POINTERS, Part};

impl Emitter {
    /// Jumps where a row has no more elements than a group, if there is to be code for that.
    pub(super) fn if_one_group(&mut self) -> Option<usize> {
        self.kinds.short_rows.then(|| {
            // cmp rsi, width; jbe to the rows
            self.assembler.raw(&[0x48, 0x83, 0xfe, self.width as u8]);
            self.assembler.jump(&[0x0f, 0x86])
        })
    }

    /// The rows of those for which the jump is taken.
    pub(super) fn rows_of_one_group(&mut self, code: &Code<'_>, jump: usize) {
        let others = self.assembler.jump(&[0xe9]);
        let begin = self.assembler.code.len();
        self.assembler.land(jump, begin);
        self.note(Note::Row);
        let rest = code.rest;
        let before = code.main.uniforms.len();
        // Where the number of rows is in other functions. mov r10, [rsp + rows]; mov [rsp + rows], rsi; mov rsi, r10; xor eax, eax
        self.assembler.load_stack(general::R10, self.frame.rows);
        self.assembler.store_stack(self.frame.rows, general::RSI);
        self.assembler.raw(&[0x4c, 0x89, 0xd6, 0x31, 0xc0]);
        self.elements_of_row();
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
        // All of them, if a row has any of its own: some may be made of others.
        let each = rest.uniforms.iter().any(|uniform| own(&uniform.pointer));
        if !each {
            self.uniforms(before, rest.uniforms.iter());
        }
        let row = self.assembler.code.len();
        if each {
            self.uniforms(before, rest.uniforms.iter());
        }
        self.elements_of_row();
        self.note(Note::Tail(self.width as u8));
        self.number_from(&[code.main]);
        self.body(rest, Part::Rest);
        self.note(Note::Row);
        // dec rsi; je end
        self.assembler.raw(&[0x48, 0xff, 0xce]);
        let end = self.assembler.jump(&[0x0f, 0x84]);
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.step_kept_pointers(&pointers, true);
        for &pointer in pointers.iter().skip(POINTERS.len()).filter(|&one| accesses.contains(one)) {
            self.step_in_table(pointer);
        }
        self.count_rows();
        let again = self.assembler.jump(&[0xe9]);
        self.assembler.land(again, row);
        let after = self.assembler.code.len();
        self.assembler.land(end, after);
        self.assembler.land(others, after);
    }

    /// `mov rcx, [rsp + rows]`.
    fn elements_of_row(&mut self) {
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

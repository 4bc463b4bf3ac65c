//! The loops of a function: rows, rounds of a row, what remains behind the rounds.

use super::super::allocate::Allocated;
use super::super::encode::general;
use super::super::target::Target;
use super::{Code, Emitter, Note, POINTERS, Part};
use smallvec::SmallVec;

impl Emitter {
    /// The function whose rows are rounds and a rest.
    pub(super) fn function(&mut self, code: &Code<'_>) {
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        let short_row = self.if_short_row();
        let row = self.assembler.code.len();
        self.uniforms(0, code.uniforms());
        self.keep_pointers(&code.main.pointers);
        let kept = self.assembler.code.len();
        let step = self.round as u8;
        // Of rounds that overlap, the last has no next one.
        let least = if code.overlaps() { 2 * step } else { step };
        assert!(least < 128, "a byte with a sign");
        self.begin_backward();
        // xor eax, eax; sub rsi, least; jl to the rest
        self.assembler.raw(&[0x31, 0xc0, 0x48, 0x83, 0xee, least]);
        let few = self.assembler.jump(&[0x0f, 0x8c]);
        if code.overlaps() {
            self.note(Note::First(step));
            self.number_from(&[code.main, code.rest]);
            self.body(code.first, Part::Groups);
            self.number_from(&[]);
        }
        let begin = self.assembler.code.len();
        self.note(Note::Round(step));
        self.body(code.main, Part::Groups);
        self.go_backward(step);
        // add rax, step; cmp rax, rsi; jle begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, step, 0x48, 0x39, 0xf0]);
        let again = self.assembler.jump(&[0x0f, 0x8e]);
        self.assembler.land(again, begin);
        self.note(Note::Exit);
        let next = self.assembler.code.len();
        self.assembler.land(few, next);
        // add rsi, least
        self.assembler.raw(&[0x48, 0x83, 0xc6, least]);
        self.rest(code);
        self.note(Note::Row);
        self.next_row(code, (row, kept));
        if let Some(short_row) = short_row {
            self.short_rows(code, short_row);
        }
        self.leave();
    }

    /// Uniform elements and constants are those of code behind these parts.
    pub(super) fn number_from(&mut self, before: &[&Allocated]) {
        self.first_uniform = before.iter().map(|part| part.uniforms.len() as u32).sum();
        self.first_constant = before.iter().map(|part| part.constants.len() as u32).sum();
    }

    /// What remains, group by group.
    fn rest(&mut self, code: &Code<'_>) {
        self.number_from(&[code.main]);
        let begin = self.assembler.code.len();
        let end = self.begin_group_of_rest();
        self.body(code.rest, Part::Rest);
        self.next_group_of_rest(begin, end);
    }

    /// Which elements of the next group are there; gives the jump that is taken if none are.
    pub(super) fn begin_group_of_rest(&mut self) -> usize {
        let width = self.width as u8;
        self.note(Note::Tail(width));
        // mov rcx, rsi; sub rcx, rax; jle end
        self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
        let end = self.assembler.jump(&[0x0f, 0x8e]);
        self.at_most_a_group();
        match self.target {
            Target::Avx2 => self.avx2_tail(),
            Target::Avx512 => self.avx512_tail(),
        }
        end
    }

    /// rcx becomes the number of elements of a group, if it is more.
    pub(super) fn at_most_a_group(&mut self) {
        let width = self.width as u8;
        // mov r10d, width; cmp rcx, r10; cmovg rcx, r10
        self.assembler.raw(&[0x41, 0xba, width, 0, 0, 0, 0x4c, 0x39, 0xd1, 0x49, 0x0f, 0x4f, 0xca]);
    }

    /// Goes on with the next group, which `begin` is for, and ends where the jump leads to.
    pub(super) fn next_group_of_rest(&mut self, begin: usize, end: usize) {
        // add rax, width; jmp begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, self.width as u8]);
        let again = self.assembler.jump(&[0xe9]);
        self.assembler.land(again, begin);
        let after = self.assembler.code.len();
        self.assembler.land(end, after);
    }

    /// Goes on with the next row, if there is one: where a row begins, or where pointers are in registers if those are
    /// all that moves.
    fn next_row(&mut self, code: &Code<'_>, (row, kept): (usize, usize)) {
        // dec qword [rsp + rows]; je end
        self.assembler.raw(&[0x48, 0xff, 0x8c, 0x24]);
        self.assembler.raw(&self.frame.rows.to_le_bytes());
        let end = self.assembler.jump(&[0x0f, 0x84]);
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        let main = code.main;
        let uniforms = code.uniforms().map(|uniform| uniform.pointer);
        let accesses = self.kinds.accesses.clone();
        let is_moved = |pointer: &u16| accesses.contains(pointer);
        self.count_rows();
        let in_registers = main.pointers.len() <= POINTERS.len()
            && self.kinds.counted.is_empty()
            && !uniforms.clone().any(|uniform| is_moved(&uniform));
        let begin = if in_registers {
            self.step_kept_pointers(&main.pointers, true);
            kept
        } else {
            let mut moved: SmallVec<[u16; 8]> = SmallVec::new();
            for pointer in uniforms.chain(main.pointers.iter().copied()).filter(is_moved) {
                if !moved.contains(&pointer) {
                    moved.push(pointer);
                    self.step_in_table(pointer);
                }
            }
            row
        };
        let again = self.assembler.jump(&[0xe9]);
        self.assembler.land(again, begin);
        let after = self.assembler.code.len();
        self.assembler.land(end, after);
    }

    /// Moves the accesses among the pointers in registers by their steps, which r10 points to; those of the table, too, if
    /// they are to be `told`.
    pub(super) fn step_kept_pointers(&mut self, pointers: &[u16], told: bool) {
        let accesses = self.kinds.accesses.clone();
        for (register, &pointer) in POINTERS.into_iter().zip(pointers) {
            if accesses.contains(&pointer) {
                self.add_step(register, general::R10, pointer - accesses.start);
                if told {
                    self.assembler.store_pointer(register, pointer);
                }
            }
        }
    }

    /// `add register, [steps + 8 * number]`; the low bits of `steps` and of r10 are 2, those of r12 are 4.
    pub(super) fn add_step(&mut self, register: u8, steps: u8, number: u16) {
        self.assembler.raw(&[
            0x48 | register >> 3 << 2 | steps >> 3,
            0x03,
            0x80 | (register & 7) << 3 | steps & 7,
        ]);
        if steps & 7 == 4 {
            self.assembler.raw(&[0x24]);
        }
        self.assembler.raw(&(8 * i32::from(number)).to_le_bytes());
    }
}

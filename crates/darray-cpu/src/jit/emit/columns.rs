//! Functions of columns: rows of kept points, all of them for the points of a round before the next round.
//!
//! ```text
//! fn(rdi: pointer table, rsi: points, rdx: rows, rcx: bytes from row to row)
//!     uniform elements to the stack, pointers to registers
//!     rounds: {
//!         accumulators to registers, or if the rows are the first ones: accumulators = identity
//!         rows: { code of the round; pointers += steps }
//!         accumulators to memory; pointers are those of the table again
//!     }
//!     what remains, group by group: the same
//! ```

use super::super::allocate::Allocated;
use super::super::encode::{Last, general};
use super::super::lane::{Held, Lane};
use super::super::target::Target;
use super::accumulators::repeated;
use super::{
    AHEAD_OF_COLUMNS, AHEAD_OF_LEAVES, Code, Emitted, Emitter, Note, POINTERS, Part, Pointers,
};
use std::iter::repeat;

/// The register that counts rows: the last one for pointers.
const ROWS: u8 = POINTERS[POINTERS.len() - 1];

/// Rows that code goes through without a jump: those of a leaf.
const AT_ONCE: u8 = 8;

/// The function, of rounds of so many elements, whose accumulators begin with these bits; none where there are too many
/// pointers to keep.
pub(in super::super) fn emit_columns(
    (main, mut rest): (&Allocated, Allocated),
    start: u64,
    (round, width): (usize, usize),
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    if main.pointers.len() >= POINTERS.len() || !kinds.past.is_empty() {
        return None;
    }
    rest.constants.push(repeated(start, main.held.first()?.accumulators.dtype));
    let code = &Code { main, rest: &rest, first: &Allocated::default() };
    let mut emitter = Emitter::new(code, round, width, target, kinds);
    emitter.ahead = if emitter.kinds.in_order { AHEAD_OF_LEAVES } else { AHEAD_OF_COLUMNS };
    let start = emitter.assembler.code.len();
    emitter.columns(code);
    let Emitter { assembler, notes, .. } = emitter;
    Some(Emitted { bytes: assembler.code, start, notes })
}

impl Emitter {
    fn columns(&mut self, code: &Code<'_>) {
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.uniforms(code.uniforms());
        self.keep_pointers(code.main);
        let step = self.round as u8;
        // xor eax, eax; sub rsi, step; jl few
        self.assembler.raw(&[0x31, 0xc0, 0x48, 0x83, 0xee, step]);
        let few = self.assembler.jump(&[0x0f, 0x8c]);
        let begin = self.assembler.code.len();
        self.note(Note::Round(step));
        self.rows_of_round(code.main, Part::Groups);
        // add rax, step; cmp rax, rsi; jle begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, step, 0x48, 0x39, 0xf0]);
        let again = self.assembler.jump(&[0x0f, 0x8e]);
        self.assembler.land(again, begin);
        let behind = self.assembler.code.len();
        self.assembler.land(few, behind);
        // add rsi, step
        self.assembler.raw(&[0x48, 0x83, 0xc6, step]);
        self.rest_of_columns(code);
        self.leave();
    }

    /// What remains, group by group.
    fn rest_of_columns(&mut self, code: &Code<'_>) {
        self.number_from(&[code.main]);
        let begin = self.assembler.code.len();
        let end = self.begin_group_of_rest();
        self.rows_of_round(code.rest, Part::Rest);
        self.next_group_of_rest(begin, end);
    }

    /// All rows of the points from rax on.
    fn rows_of_round(&mut self, round: &Allocated, part: Part) {
        self.assembler.load_stack(ROWS, self.frame.rows);
        // Behind the steps stands whether rows are the first ones: cmp qword [r10 + first], 0; je others
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.raw(&[0x49, 0x83, 0xba]);
        self.assembler.raw(&(8 * i32::from(self.steps())).to_le_bytes());
        self.assembler.raw(&[0]);
        let others = self.assembler.jump(&[0x0f, 0x84]);
        self.begin_accumulators(round, repeat(self.constants - 1));
        let begun = self.assembler.jump(&[0xe9]);
        let memory = self.assembler.code.len();
        self.assembler.land(others, memory);
        for stay in &round.held {
            let (from, dtype) = (self.accumulator_at(stay.accumulators), stay.accumulators.dtype);
            self.load(stay.register, Lane::of(dtype), from, dtype, part);
        }
        let begin = self.assembler.code.len();
        self.assembler.land(begun, begin);
        self.rows_at_once(round, part);
        for stay in &round.held {
            let (to, dtype) = (self.accumulator_at(stay.accumulators), stay.accumulators.dtype);
            self.store(stay.register, Lane::of(dtype), to, dtype, part);
        }
        for (register, number) in POINTERS.into_iter().zip(0..self.pointers.len()) {
            self.assembler.load_pointer(register, general::RDI, self.pointers[number]);
        }
    }

    /// All rows of a round, some of them without a jump: the fewer instructions a row has, the more rows are on their way.
    fn rows_at_once(&mut self, round: &Allocated, part: Part) {
        let whole = part == Part::Groups;
        for &rows in if whole { &[AT_ONCE, 1][..] } else { &[1] } {
            let begin = self.assembler.code.len();
            // cmp r15, rows; jl less
            self.assembler.raw(&[0x49, 0x83, 0xf8 | ROWS & 7, rows]);
            let less = self.assembler.jump(&[0x0f, 0x8c]);
            for row in 0..rows {
                self.body(round, part);
                self.note(Note::Row);
                if row == 0 {
                    self.assembler.load_stack(general::R10, self.frame.rows + 8);
                }
                self.step_kept_pointers(round, false);
            }
            // sub r15, rows; jmp begin
            self.assembler.raw(&[0x49, 0x83, 0xe8 | ROWS & 7, rows]);
            let again = self.assembler.jump(&[0xe9]);
            self.assembler.land(again, begin);
            let behind = self.assembler.code.len();
            self.assembler.land(less, behind);
        }
    }

    /// Accumulators of the points from rax on, in memory. Changes r10.
    fn accumulator_at(&mut self, held: Held) -> Last {
        self.assembler.load_pointer(general::R10, general::RDI, held.pointer);
        self.accumulator(held)
    }
}

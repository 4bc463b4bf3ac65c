//! Functions of columns: rows of kept points, all of them for the points of a round before the next round.
//!
//! ```text
//! fn(rdi: pointer table, rsi: points, rdx: rows, rcx: bytes from row to row)
//!     uniform elements to the stack, pointers to registers
//!     if there are eight rows, rounds: {
//!         accumulators to registers, or if the rows are the first ones: accumulators = identity
//!         code of the round, eight times: each row has an address of its own, so nothing moves from row to row
//!         accumulators to memory; pointers += a round
//!     }
//!     else rounds: {
//!         accumulators to registers, or if the rows are the first ones: accumulators = identity
//!         rows: { code of the round; pointers += steps }
//!         accumulators to memory; pointers are those of the table again
//!     }
//!     what remains, group by group: the same
//! ```

use super::super::allocate::Allocated;
use super::super::encode::{Last, Memory, general};
use super::super::lane::Lane;
use super::super::target::Target;
use super::tiles::steps_behind;
use super::{
    AHEAD_OF_COLUMNS, AHEAD_OF_LEAVES, Code, Emitted, Emitter, Note, POINTERS, Part, Pointers,
};
use darray_core::DType;
use std::iter::repeat;

/// The register that counts rows: the last one for pointers.
const ROWS: u8 = POINTERS[POINTERS.len() - 1];

/// Rows that code goes through without a jump: those of a leaf.
const AT_ONCE: u8 = 8;

/// Accesses whose rows have addresses of their own, at most: each takes four registers.
const ADDRESSED: usize = 2;

/// The function, of rounds of so many elements, whose accumulators begin with the last constant; none where there are too many
/// pointers to keep.
pub(in super::super) fn emit_columns(
    code: &Code<'_>,
    (round, width): (usize, usize),
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    if code.main.pointers.len() >= POINTERS.len() || !kinds.past.is_empty() {
        return None;
    }
    let mut emitter = Emitter::new(code, round, width, target, kinds);
    emitter.asks_of_columns();
    let start = emitter.assembler.code.len();
    emitter.columns(code);
    Some(emitter.finish(start))
}

impl Emitter {
    /// How far ahead functions of columns ask for lines.
    pub(super) fn asks_of_columns(&mut self) {
        self.ahead = if self.kinds.in_order { AHEAD_OF_LEAVES } else { AHEAD_OF_COLUMNS };
    }

    fn columns(&mut self, code: &Code<'_>) {
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.uniforms(0, code.uniforms());
        self.keep_pointers(&code.main.pointers);
        let step = self.round as u8;
        // xor eax, eax; sub rsi, step; jl few
        self.assembler.raw(&[0x31, 0xc0, 0x48, 0x83, 0xee, step]);
        let few = self.assembler.jump(&[0x0f, 0x8c]);
        let eight = self.rounds_of_eight(code);
        let begin = self.assembler.code.len();
        self.note(Note::Round(step));
        self.rows_of_round(code.main, Part::Groups);
        self.next_round(begin);
        let behind = self.assembler.code.len();
        self.assembler.land(few, behind);
        if let Some(Behind::Rest(jump)) = eight {
            self.assembler.land(jump, behind);
        }
        // add rsi, step
        self.assembler.raw(&[0x48, 0x83, 0xc6, step]);
        self.rest_of_columns(code);
        let end = self.assembler.code.len();
        if let Some(Behind::All(jump)) = eight {
            self.assembler.land(jump, end);
        }
        self.leave();
    }

    /// Goes on with the next round, if all of it is there.
    pub(super) fn next_round(&mut self, begin: usize) {
        // add rax, step; cmp rax, rsi; jle begin
        self.assembler.raw(&[0x48, 0x83, 0xc0, self.round as u8, 0x48, 0x39, 0xf0]);
        let again = self.assembler.jump(&[0x0f, 0x8e]);
        self.assembler.land(again, begin);
    }

    /// Whether eight rows have rounds of their own: where there are registers for the addresses of all of them.
    pub(super) fn has_addresses(&self) -> bool {
        self.pointers.len() <= ADDRESSED
            && self.pointers.iter().all(|pointer| self.kinds.accesses.contains(pointer))
    }

    /// All rounds of eight rows, if there are so many, and a jump behind them.
    fn rounds_of_eight(&mut self, code: &Code<'_>) -> Option<Behind> {
        if !self.has_addresses() {
            return None;
        }
        // cmp qword [rsp + rows], 8; jne others
        self.assembler.raw(&[0x48, 0x83, 0xbc, 0x24]);
        self.assembler.raw(&self.frame.rows.to_le_bytes());
        self.assembler.raw(&[AT_ONCE]);
        let others = self.assembler.jump(&[0x0f, 0x85]);
        self.address_rows();
        let later = self.unless_first();
        self.loop_of_eight(code.main, true);
        let done = self.assembler.jump(&[0xe9]);
        let behind = self.assembler.code.len();
        self.assembler.land(later, behind);
        self.loop_of_eight(code.main, false);
        let behind = self.assembler.code.len();
        self.assembler.land(done, behind);
        let end = match self.target {
            // Elements of one or two bytes that remain are copied one by one.
            Target::Avx2 => {
                self.point_at_rows();
                Behind::Rest(self.assembler.jump(&[0xe9]))
            }
            Target::Avx512 => {
                self.rest_of_eight(code);
                Behind::All(self.assembler.jump(&[0xe9]))
            }
        };
        let behind = self.assembler.code.len();
        self.assembler.land(others, behind);
        Some(end)
    }

    /// What the addresses of eight rows are made of to registers; the first rows are there. Changes r10.
    pub(super) fn address_rows(&mut self) {
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        for number in 0..self.pointers.len() {
            let AddressedRows { pointer, next, steps } = self.addressed(number);
            let [step, thrice] = steps;
            let of_access = self.pointers[number] - self.kinds.accesses.start;
            self.assembler.load_pointer(step, general::R10, of_access);
            self.assembler.address(thrice, steps_behind(step, steps, 2, 0));
            self.assembler.address(next, steps_behind(pointer, steps, 1, 0));
        }
    }

    /// Rows in registers move by a round.
    pub(super) fn move_rows(&mut self, main: &Allocated) {
        for (&pointer, number) in main.pointers.iter().zip(0..) {
            let AddressedRows { pointer: first, next, .. } = self.addressed(number);
            let bytes = (self.round * main.size(pointer)) as i32;
            [first, next].into_iter().for_each(|register| self.assembler.add(register, bytes));
        }
    }

    /// Rows become the eight behind those of the table, in registers and in the table.
    pub(super) fn next_leaf_of_rows(&mut self) {
        for number in 0..self.pointers.len() {
            let AddressedRows { pointer, next, steps } = self.addressed(number);
            let place = self.pointers[number];
            self.assembler.load_pointer(pointer, general::RDI, place);
            self.assembler.address(pointer, steps_behind(pointer, steps, AT_ONCE, 0));
            self.assembler.address(next, steps_behind(pointer, steps, 1, 0));
            self.assembler.store_pointer(pointer, place);
        }
    }

    /// The loop over rounds of eight rows, which may be the first ones.
    fn loop_of_eight(&mut self, main: &Allocated, first: bool) {
        // With one vector of accumulators, its pointer stays where it is.
        let several = main.held.len() != 1;
        if !several {
            let pointer = main.held[0].accumulators.pointer;
            self.assembler.load_pointer(general::R10, general::RDI, pointer);
        }
        let begin = self.assembler.code.len();
        self.note(Note::Round(self.round as u8));
        match first {
            true => self.begin_accumulators(main, repeat(self.constants - 1)),
            false => self.held_of_round(main, several, Part::Groups, Emitter::load),
        }
        self.eight_rows(main, Part::Groups);
        self.held_of_round(main, several, Part::Groups, Emitter::store);
        self.move_rows(main);
        self.next_round(begin);
    }

    /// The code of a round, for each of eight rows.
    pub(super) fn eight_rows(&mut self, round: &Allocated, part: Part) {
        for row in 0..AT_ONCE {
            self.note(Note::Row);
            self.addressed_row = Some(row);
            self.body(round, part);
        }
        self.addressed_row = None;
    }

    /// What remains of eight rows behind their rounds: less than a group.
    fn rest_of_eight(&mut self, code: &Code<'_>) {
        debug_assert_eq!(self.round, self.width);
        self.number_from(&[code.main]);
        // add rsi, step
        self.assembler.raw(&[0x48, 0x83, 0xc6, self.round as u8]);
        let none = self.begin_group_of_rest();
        self.begin_round(code.rest, Part::Rest);
        self.eight_rows(code.rest, Part::Rest);
        self.held_of_round(code.rest, true, Part::Rest, Emitter::store);
        let behind = self.assembler.code.len();
        self.assembler.land(none, behind);
        self.number_from(&[]);
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
        self.begin_round(round, part);
        self.rows_at_once(round, part);
        self.held_of_round(round, true, part, Emitter::store);
        self.point_at_rows();
    }

    /// The accumulators of the points from rax on to registers. Changes r10.
    fn begin_round(&mut self, round: &Allocated, part: Part) {
        let others = self.unless_first();
        self.begin_accumulators(round, repeat(self.constants - 1));
        let begun = self.assembler.jump(&[0xe9]);
        let memory = self.assembler.code.len();
        self.assembler.land(others, memory);
        self.held_of_round(round, true, part, Emitter::load);
        let begin = self.assembler.code.len();
        self.assembler.land(begun, begin);
    }

    /// A jump that is taken unless rows are the first ones. Changes r10.
    fn unless_first(&mut self) -> usize {
        // Behind the steps stands whether they are: cmp qword [r10 + first], 0; je others
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.raw(&[0x49, 0x83, 0xba]);
        self.assembler.raw(&(8 * i32::from(self.steps())).to_le_bytes());
        self.assembler.raw(&[0]);
        self.assembler.jump(&[0x0f, 0x84])
    }

    /// The accumulators of the points from rax on to or from registers; r10 points to those, or it is `told` to.
    fn held_of_round(
        &mut self,
        round: &Allocated,
        told: bool,
        part: Part,
        mv: fn(&mut Emitter, u8, Lane, Last, DType, Part),
    ) {
        for stay in &round.held {
            let held = stay.accumulators;
            if told {
                self.assembler.load_pointer(general::R10, general::RDI, held.pointer);
            }
            let at = self.accumulator(held);
            mv(self, stay.register, Lane::of(held.dtype), at, held.dtype, part);
        }
    }

    /// Pointers are those of the table.
    fn point_at_rows(&mut self) {
        for (register, number) in POINTERS.into_iter().zip(0..self.pointers.len()) {
            self.assembler.load_pointer(register, general::RDI, self.pointers[number]);
        }
    }

    /// All rows of a round, some of them without a jump: the fewer instructions a row has, the more rows are on their way.
    fn rows_at_once(&mut self, round: &Allocated, part: Part) {
        let many = part == Part::Groups && !self.has_addresses();
        for &rows in if many { &[AT_ONCE, 1][..] } else { &[1] } {
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
                self.step_kept_pointers(&round.pointers, false);
            }
            // sub r15, rows; jmp begin
            self.assembler.raw(&[0x49, 0x83, 0xe8 | ROWS & 7, rows]);
            let again = self.assembler.jump(&[0xe9]);
            self.assembler.land(again, begin);
            let behind = self.assembler.code.len();
            self.assembler.land(less, behind);
        }
    }

    /// Where rows of the access of this number are, among those in registers.
    fn addressed(&self, number: usize) -> AddressedRows {
        let count = self.pointers.len();
        let steps = match number {
            0 => [general::R12, general::R13],
            _ => [0, 1].map(|k| POINTERS[2 * count + k]),
        };
        AddressedRows { pointer: POINTERS[number], next: POINTERS[count + number], steps }
    }

    /// An element of a row of eight.
    pub(super) fn element_of_row(&self, number: usize, row: u8, offset: i32) -> Memory {
        self.addressed(number).row(row, offset)
    }
}

/// A jump behind what the rounds of eight rows have done.
enum Behind {
    /// All but what remains behind the last round.
    Rest(usize),
    All(usize),
}

/// The registers that addresses of eight rows are made of.
struct AddressedRows {
    /// The first row.
    pointer: u8,
    /// The one behind it.
    next: u8,
    /// Bytes from row to row, and three times these.
    steps: [u8; 2],
}

impl AddressedRows {
    /// An element of a row.
    fn row(&self, row: u8, offset: i32) -> Memory {
        match row {
            0 => Memory::At { base: self.pointer, offset },
            5 | 7 => steps_behind(self.next, self.steps, row - 1, offset),
            _ => steps_behind(self.pointer, self.steps, row, offset),
        }
    }
}

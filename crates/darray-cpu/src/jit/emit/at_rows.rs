//! Rows of memory that are loaded side by side.

use super::super::allocate::Allocated;
use super::super::encode::{Cache, Decoration, Last, Memory, Opcode, general};
use super::super::instruction;
use super::super::lane::{Chunk, Form, Lane};
use super::super::passes::transposed::chunk_of;
use super::super::target::Target;
use super::{Emitter, LINE, POINTERS};

/// The operand whose rows are at hand.
pub(super) struct AtRows {
    /// Rows from this one on do not ask for the lines ahead.
    pub asking: u8,
    /// The one whose step from row to row r12 has, and three times it r13.
    step: Option<u16>,
    /// The one, and the row of it, that r10 points to.
    row: Option<(u16, u8)>,
}

impl Default for AtRows {
    fn default() -> AtRows {
        AtRows { asking: u8::MAX, step: None, row: None }
    }
}

impl Emitter {
    /// Bytes of an element of an operand.
    pub(super) fn size_of(&self, main: &Allocated, pointer: u16) -> usize {
        let chunk = main.code.iter().find_map(|instruction| match instruction {
            instruction::Instruction::Rows { chunk, .. } if chunk.pointer == pointer => Some(chunk),
            _ => None,
        });
        chunk.map_or(0, |chunk| chunk.dtype.size())
    }

    /// What is known of rows where a tile begins: pointers have moved.
    pub(super) fn next_rows(&mut self, operands: usize) {
        self.at_rows.row = None;
        if operands > 1 {
            self.at_rows.step = None;
        }
    }

    /// r12 becomes the step from row to row of an operand, r13 three times it. Changes r10.
    pub(super) fn step_of_rows(&mut self, pointer: u16) {
        let number = pointer - self.kinds.accesses.start;
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.load_pointer(general::R12, general::R10, number);
        // lea r13, [r12 + 2 * r12]
        self.assembler.raw(&[0x4f, 0x8d, 0x2c, 0x64]);
        (self.at_rows.step, self.at_rows.row) = (Some(pointer), None);
    }

    /// A chunk of rows to a register. The first one of a row asks for the lines ahead.
    pub(super) fn rows(&mut self, register: u8, lane: Lane, chunk: Chunk) {
        let Chunk { pointer, dtype, row, first } = chunk;
        if self.at_rows.step != Some(pointer) {
            self.step_of_rows(pointer);
        }
        let base = self.base_of_row(pointer, row);
        let elements = chunk_of(dtype);
        let (apart, offset) = (elements as u8, (dtype.size() * usize::from(first)) as i32);
        for place in 0..(lane.size() * self.width / 16) as u8 {
            let at = |offset: i32| row_of(base, place, apart, offset);
            if first == 0 && row + place * apart < self.at_rows.asking {
                self.assembler.fetch(at(AHEAD), Cache::SecondLevel);
            }
            let mut from = Last::Memory(at(offset));
            let widen = match Form::of(dtype) {
                Form::Truth => Some(instruction::WIDEN_BYTES),
                Form::Integer { bytes, signed } => Some(instruction::widen(bytes, signed)),
                Form::Half => Some(instruction::WIDEN_HALVES),
                Form::Plain => None,
            };
            if let Some(widen) = widen {
                let scratch = self.target.scratch();
                self.vector_of(16, widen, scratch, 0, from, None);
                from = Last::Register(scratch);
            }
            if place == 0 {
                self.vector_of(16, instruction::move_from(Lane::F32), register, 0, from, None);
            } else {
                let length = lane.size() * self.width;
                let place = Some(place);
                self.vector_of(length, instruction::INSERT, register, register, from, place);
            }
        }
    }

    /// An instruction on vectors of so many bytes.
    fn vector_of(
        &mut self,
        length: usize,
        opcode: Opcode,
        first: u8,
        second: u8,
        last: Last,
        immediate: Option<u8>,
    ) {
        match self.target {
            Target::Avx2 => {
                self.assembler.vex(opcode, length == 32, first, second, last, immediate);
            }
            Target::Avx512 => {
                let more = Decoration { length: length as u8, immediate, ..Decoration::default() };
                self.assembler.vector(opcode, first, second, last, more);
            }
        }
    }

    /// The register that points to a row: r10, but for the first one.
    fn base_of_row(&mut self, pointer: u16, row: u8) -> u8 {
        let number = self.pointers.iter().position(|&kept| kept == pointer);
        let first = POINTERS[number.expect("all pointers are kept")];
        if row == 0 {
            return first;
        }
        if self.at_rows.row != Some((pointer, row)) {
            let (near, more) = if row > 4 { (4, row - 4) } else { (row, 0) };
            self.assembler.address(general::R10, steps_behind(first, STEPS, near, 0));
            if more > 0 {
                self.assembler.address(general::R10, steps_behind(general::R10, STEPS, more, 0));
            }
            self.at_rows.row = Some((pointer, row));
        }
        general::R10
    }
}

/// The row of this place in a vector, of rows so many apart, the first of which a register points to.
fn row_of(base: u8, place: u8, apart: u8, offset: i32) -> Memory {
    match place {
        0 => Memory::At { base, offset },
        _ => steps_behind(base, STEPS, place * apart, offset),
    }
}

/// The registers of a step from row to row and of three times that.
const STEPS: [u8; 2] = [general::R12, general::R13];

/// So many steps behind a register: one of these registers, which have a step and three times that, times a power of two.
pub(super) fn steps_behind(base: u8, [step, thrice]: [u8; 2], steps: u8, offset: i32) -> Memory {
    let (index, scale) = match steps % 3 {
        0 => (thrice, steps / 3),
        _ => (step, steps),
    };
    debug_assert!(matches!(scale, 1 | 2 | 4 | 8), "{steps} steps");
    Memory::Indexed { base, index, scale, offset }
}

/// Bytes from what is loaded to what is asked for: an odd number of lines.
pub(super) const AHEAD: i32 = 17 * LINE;

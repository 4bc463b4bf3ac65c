//! Functions of leaves that are transposed in registers.
//!
//! ```text
//! fn(rdi: pointer table, rdx: leaves, rcx: steps)
//!     pointers to registers; uniform elements to the stack
//!     leaves: {
//!         accumulators = identity
//!         tiles of a leaf: { rows to registers, transposed; code of all columns; pointers += columns }
//!         while the leaf is the second one of two: { accumulators = what waits last combined with them }
//!         accumulators wait behind the others
//!     }
//! ```
//!
//! Which leaves are second ones say the low bits of their number: those that are said to count.

use super::super::allocate::Allocated;
use super::super::encode::{Cache, Decoration, Last, Memory, Opcode, general};
use super::super::instruction;
use super::super::lane::{Chunk, Form, Lane};
use super::super::target::Target;
use super::super::tiles::{COLUMNS, chunk_of};
use super::accumulators::identities;
use super::{Code, Emitted, Emitter, LINE, Note, POINTERS, Part, Pointers};

/// The code of a leaf.
pub(in super::super) struct Tiles<'a> {
    /// Of a tile.
    pub main: &'a Allocated,
    /// What combines values that wait with the accumulators.
    pub combine: &'a Allocated,
    /// The bits of what accumulators begin with, by the numbers of their pointers.
    pub starts: &'a [(u16, u64)],
}

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

/// The function; none where there are too many pointers to keep.
pub(in super::super) fn emit_tiles(
    tiles: &Tiles<'_>,
    groups: u8,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    let Tiles { main, combine, starts } = tiles;
    if main.pointers.len() + starts.len() > POINTERS.len() || !main.holds_as(combine) {
        return None;
    }
    let mut rest = Allocated {
        constants: combine.constants.clone(),
        slots: combine.slots,
        mask_slots: combine.mask_slots,
        ..Allocated::default()
    };
    rest.constants.extend(identities(main, starts)?);
    let code = Code { main, rest: &rest, first: &Allocated::default() };
    let mut emitter = Emitter::new(&code, usize::from(groups) * width, width, target, kinds);
    let start = emitter.assembler.code.len();
    emitter.tiles(tiles, usize::from(groups) * width);
    Some(emitter.finish(start))
}

impl Emitter {
    fn tiles(&mut self, tiles: &Tiles<'_>, points: usize) {
        let Tiles { main, combine, starts } = tiles;
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.pointers.extend(main.pointers.iter().chain(starts.iter().map(|(pointer, _)| pointer)));
        for (register, &pointer) in POINTERS.into_iter().zip(&self.pointers) {
            self.assembler.load_pointer(register, general::RDI, pointer);
        }
        self.uniforms(0, main.uniforms.iter());
        // xor eax, eax; xor esi, esi
        self.assembler.raw(&[0x31, 0xc0, 0x31, 0xf6]);
        if let [one] = main.pointers[..] {
            self.step_of_rows(one);
        }
        let leaf = self.assembler.code.len();
        self.note(Note::Tile(points as u8));
        let identities = (main.constants.len() + combine.constants.len()) as u32;
        self.begin_accumulators(main, identities..);
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.load_pointer(general::R10, general::R10, self.steps());
        self.assembler.store_stack(self.frame.rows + 16, general::R10);
        let tile = self.assembler.code.len();
        self.next_rows(main.pointers.len());
        self.body(main, Part::Groups);
        self.note(Note::Row);
        for &pointer in &main.pointers {
            self.move_kept(pointer, (COLUMNS * self.size_of(main, pointer)) as i32);
        }
        self.again_while(self.frame.rows + 16, tile);
        self.combine_waiting(combine, starts.len(), points, main.constants.len() as u32);
        self.note(Note::Row);
        for stay in &main.held {
            let held = stay.accumulators;
            let to = self.element(held.pointer, held.dtype, held.group);
            self.store(stay.register, Lane::of(held.dtype), to, held.dtype, Part::Groups);
        }
        self.move_waiting(main, points as i32);
        // inc rsi
        self.assembler.raw(&[0x48, 0xff, 0xc6]);
        self.again_while(self.frame.rows, leaf);
        self.leave();
    }

    /// Combines what waits with the accumulators as often as their leaf is the second of two.
    fn combine_waiting(&mut self, combine: &Allocated, items: usize, points: usize, first: u32) {
        self.note(Note::Combine);
        // and rcx, rsi, rcx being the bits that count
        self.assembler.load_stack(general::RCX, self.frame.rows + 8);
        self.assembler.load_pointer(general::RCX, general::RCX, self.steps() + 1);
        self.assembler.raw(&[0x48, 0x21, 0xf1]);
        let again = self.assembler.code.len();
        // test cl, 1; je done
        self.assembler.raw(&[0xf6, 0xc1, 0x01]);
        let done = self.assembler.jump(&[0x0f, 0x84]);
        debug_assert_eq!(combine.pointers.len(), items);
        self.move_waiting(combine, -(points as i32));
        self.first_constant = first;
        self.body(combine, Part::Groups);
        self.first_constant = 0;
        // shr rcx, 1; jmp again
        self.assembler.raw(&[0x48, 0xd1, 0xe9]);
        let jump = self.assembler.jump(&[0xe9]);
        self.assembler.land(jump, again);
        let here = self.assembler.code.len();
        self.assembler.land(done, here);
    }

    /// Moves the pointers of the accumulators, once for each item, by so many points.
    pub(super) fn move_waiting(&mut self, code: &Allocated, points: i32) {
        for stay in code.held.iter().filter(|stay| stay.accumulators.group == 0) {
            let held = stay.accumulators;
            self.move_kept(held.pointer, points * held.dtype.size() as i32);
        }
    }

    /// Moves a pointer that is kept by so many bytes.
    pub(super) fn move_kept(&mut self, pointer: u16, bytes: i32) {
        let number = self.pointers.iter().position(|&kept| kept == pointer);
        let register = POINTERS[number.expect("all pointers are kept")];
        self.assembler.add(register, bytes);
    }

    /// Bytes of an element of an operand.
    pub(super) fn size_of(&self, main: &Allocated, pointer: u16) -> usize {
        let chunk = main.code.iter().find_map(|instruction| match instruction {
            instruction::Instruction::Rows { chunk, .. } if chunk.pointer == pointer => Some(chunk),
            _ => None,
        });
        chunk.map_or(0, |chunk| chunk.dtype.size())
    }

    /// Counts down on the stack, and goes on there unless that gives 0.
    pub(super) fn again_while(&mut self, counter: i32, place: usize) {
        // dec qword [rsp + counter]; jne place
        self.assembler.raw(&[0x48, 0xff, 0x8c, 0x24]);
        self.assembler.raw(&counter.to_le_bytes());
        let jump = self.assembler.jump(&[0x0f, 0x85]);
        self.assembler.land(jump, place);
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
                Form::Byte | Form::Truth => Some(instruction::WIDEN_BYTES),
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

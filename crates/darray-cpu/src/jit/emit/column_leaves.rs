//! Functions of leaves of columns: leaves of eight rows that follow one another and are a whole subtree.
//!
//! ```text
//! fn(rdi: pointer table, rsi: points, rdx: leaves, rcx: steps and the bytes from a vector that waits to the next)
//!     uniform elements to the stack, addresses of rows to registers
//!     leaves: {
//!         r15 = accumulators behind those that wait
//!         rounds: {
//!             accumulators = identity; code of the round, for each of eight rows
//!             as often as the leaf is the second of two: r15 -= a vector; accumulators = what waits there and these
//!             accumulators to memory; r15 as before; rows += a round
//!         }
//!         accesses of the table += eight rows
//!     }
//! ```

use super::super::allocate::Allocated;
use super::super::encode::{Last, Memory, general};
use super::super::lane::Lane;
use super::super::target::Target;
use super::{Code, Emitted, Emitter, Note, POINTERS, Part, Pointers};
use std::iter::repeat;

/// The register that points to accumulators: the last one for pointers.
const WAITING: u8 = POINTERS[POINTERS.len() - 1];

/// What is on the stack: the number of the leaf, bytes between vectors that wait, how many are combined with it, their bytes.
const LEAF: i32 = 0;
const APART: i32 = 8;
const COMBINED: i32 = 16;
const BACK: i32 = 24;

/// The function, of rounds of one group; `code.first` is what combines a vector that waits, through a pointer, with the accumulators,
/// and behind its constants are the bits that these begin with. None where there are too many pointers to keep, or accumulators
/// are in different registers.
pub(in super::super) fn emit_column_leaves(
    code: &Code<'_>,
    pointer: u16,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    let [main, rest, combine] = code.parts();
    if !main.holds_as(rest) || !main.holds_as(combine) || !kinds.past.is_empty() {
        return None;
    }
    let mut emitter = Emitter::new(code, width, width, target, kinds);
    emitter.asks_of_columns();
    let start = emitter.assembler.code.len();
    emitter.pointers.extend(&main.pointers);
    if !emitter.has_addresses() {
        return None;
    }
    emitter.pointers.clear();
    emitter.waiting = Some(pointer);
    emitter.column_leaves(code, pointer);
    Some(emitter.finish(start))
}

impl Emitter {
    fn column_leaves(&mut self, code: &Code<'_>, pointer: u16) {
        self.enter();
        let (step, scratch) = (self.round as u8, self.frame.part);
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.assembler.load_pointer(general::R10, general::RCX, self.steps() + 1);
        self.assembler.store_stack(scratch + APART, general::R10);
        // xor eax, eax; sub rsi, step
        self.assembler.raw(&[0x31, 0xc0, 0x48, 0x83, 0xee, step]);
        self.assembler.store_stack(scratch + LEAF, general::RAX);
        self.uniforms(0, code.uniforms());
        self.keep_pointers(&code.main.pointers);
        self.address_rows();
        let leaf = self.assembler.code.len();
        self.note(Note::ColumnLeaf);
        self.point_at_waiting(pointer);
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        let begin = self.assembler.code.len();
        self.note(Note::Round(step));
        self.eight_rows_combined(code, code.main, Part::Groups);
        self.move_rows(code.main);
        self.next_round(begin);
        // add rsi, step
        self.assembler.raw(&[0x48, 0x83, 0xc6, step]);
        self.number_from(&[code.main]);
        let none = self.begin_group_of_rest();
        self.eight_rows_combined(code, code.rest, Part::Rest);
        let behind = self.assembler.code.len();
        self.assembler.land(none, behind);
        self.number_from(&[]);
        // sub rsi, step
        self.assembler.raw(&[0x48, 0x83, 0xee, step]);
        self.note(Note::Row);
        self.next_leaf_of_rows();
        // inc qword [rsp + leaf]
        self.assembler.raw(&[0x48, 0xff, 0x84, 0x24]);
        self.assembler.raw(&(scratch + LEAF).to_le_bytes());
        self.again_while(self.frame.rows, leaf);
        self.leave();
    }

    /// Points r15 behind the vectors that wait for the leaf, and finds how many are combined with it. Changes rcx and r10.
    fn point_at_waiting(&mut self, pointer: u16) {
        let scratch = self.frame.part;
        self.assembler.load_stack(general::RCX, scratch + LEAF);
        // popcnt r10, rcx; imul r10, [rsp + apart]
        self.assembler.raw(&[0xf3, 0x4c, 0x0f, 0xb8, 0xd1, 0x4c, 0x0f, 0xaf, 0x94, 0x24]);
        self.assembler.raw(&(scratch + APART).to_le_bytes());
        self.assembler.load_pointer(WAITING, general::RDI, pointer);
        // add r15, r10; not rcx; tzcnt rcx, rcx
        self.assembler.raw(&[0x4d, 0x01, 0xd7, 0x48, 0xf7, 0xd1, 0xf3, 0x48, 0x0f, 0xbc, 0xc9]);
        self.assembler.store_stack(scratch + COMBINED, general::RCX);
        // imul rcx, [rsp + apart]
        self.assembler.raw(&[0x48, 0x0f, 0xaf, 0x8c, 0x24]);
        self.assembler.raw(&(scratch + APART).to_le_bytes());
        self.assembler.store_stack(scratch + BACK, general::RCX);
    }

    /// Eight rows of a round from the identity on, combined with what waits for them.
    fn eight_rows_combined(&mut self, code: &Code<'_>, round: &Allocated, part: Part) {
        let scratch = self.frame.part;
        self.begin_accumulators(round, repeat(self.constants - 1));
        self.eight_rows(round, part);
        self.note(Note::Combine);
        self.assembler.load_stack(general::RCX, scratch + COMBINED);
        // test ecx, ecx; je none
        self.assembler.raw(&[0x85, 0xc9]);
        let none = self.assembler.jump(&[0x0f, 0x84]);
        let again = self.assembler.code.len();
        // sub r15, [rsp + apart]
        self.assembler.raw(&[0x4c, 0x2b, 0xbc, 0x24]);
        self.assembler.raw(&(scratch + APART).to_le_bytes());
        self.number_from(&[code.main, code.rest]);
        self.body(code.first, part);
        self.number_from(&[]);
        // dec ecx; jne again
        self.assembler.raw(&[0xff, 0xc9]);
        let jump = self.assembler.jump(&[0x0f, 0x85]);
        self.assembler.land(jump, again);
        let behind = self.assembler.code.len();
        self.assembler.land(none, behind);
        for stay in &round.held {
            let dtype = stay.accumulators.dtype;
            let to = Memory::Element { base: WAITING, scale: dtype.size() as u8, offset: 0 };
            self.store(stay.register, Lane::of(dtype), Last::Memory(to), dtype, part);
        }
        // add r15, [rsp + back]
        self.assembler.raw(&[0x4c, 0x03, 0xbc, 0x24]);
        self.assembler.raw(&(scratch + BACK).to_le_bytes());
    }
}

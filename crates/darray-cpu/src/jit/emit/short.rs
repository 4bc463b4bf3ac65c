//! Functions for rows of a few elements: nothing is loaded or stored from row to row but what is folded.
//!
//! ```text
//! fn(rdi: pointer table, rsi: leaves, rdx: rows of each, rcx: bytes from row to row)
//!     leaves: {
//!         accumulators to registers
//!         rows: { uniform elements to the stack; code of all groups; pointers += steps }
//!         accumulators to memory; the next ones
//!     }
//! ```
//!
//! A function for several leaves side by side takes these once. The rows of a leaf are followed by those of the next one.

use super::super::allocate::{Allocated, Uniform};
use super::super::encode::general;
use super::super::lane::{Held, Op};
use super::super::target::Target;
use super::{Emitter, Note, POINTERS, Pointers};
use smallvec::SmallVec;

impl Emitter {
    /// The function for rows of so many elements of some leaves, whose code is `main`. It keeps all pointers in registers.
    pub(super) fn short(&mut self, main: &Allocated, row: usize, leaves: u8) {
        let tail = row % self.width;
        self.leaves = leaves;
        let in_turn = leaves == 1;
        self.enter();
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        if in_turn {
            self.assembler.store_stack(self.frame.rows, general::RDX);
            self.assembler.store_stack(self.frame.rows + 16, general::RSI);
        }
        // mov rsi, rdx; xor eax, eax
        self.assembler.raw(&[0x48, 0x89, 0xd6, 0x31, 0xc0]);
        self.keep_pointers(&main.pointers);
        if tail > 0 {
            self.last = Some((row / self.width) as u8);
            self.count_tail(tail);
            match self.target {
                Target::Avx2 => self.avx2_tail(),
                Target::Avx512 => self.avx512_tail(),
            }
        }
        let leaf = self.assembler.code.len();
        self.load_accumulators(main);
        let begin = self.assembler.code.len();
        self.note(Note::ShortRow(row as u8, leaves));
        self.uniforms(0, main.uniforms.iter());
        if tail > 0 && !main.uniforms.is_empty() {
            self.count_tail(tail);
        }
        self.body(main, super::Part::Groups);
        self.note(Note::Row);
        self.move_pointers(main, 0);
        // dec rsi; jne begin
        self.assembler.raw(&[0x48, 0xff, 0xce]);
        let again = self.assembler.jump(&[0x0f, 0x85]);
        self.assembler.land(again, begin);
        self.note(Note::Exit);
        self.store_accumulators(main);
        if in_turn {
            let last = self.count_down(self.frame.rows + 16);
            self.next_accumulators(main);
            self.assembler.load_stack(general::RSI, self.frame.rows);
            self.jump_to(leaf);
            let after = self.assembler.code.len();
            self.assembler.land(last, after);
        }
        self.leave();
    }

    /// Moves accumulators in the table to those of the next leaf. Changes r10 and r12.
    fn next_accumulators(&mut self, main: &Allocated) {
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.load_pointer(general::R12, general::R10, 2 * self.steps());
        let mut moved: SmallVec<[u16; 8]> = SmallVec::new();
        for stay in &main.held {
            let pointer = stay.accumulators.pointer;
            if !moved.contains(&pointer) {
                moved.push(pointer);
                self.move_in_table(pointer);
            }
        }
    }

    /// `add [rdi + 8 * pointer], r12`
    fn move_in_table(&mut self, pointer: u16) {
        self.assembler.raw(&[0x4c, 0x01, 0xa7]);
        self.assembler.raw(&(8 * i32::from(pointer)).to_le_bytes());
    }

    /// rcx becomes the number of elements of the last group.
    fn count_tail(&mut self, tail: usize) {
        // mov ecx, tail
        self.assembler.raw(&[0xb9, tail as u8, 0, 0, 0]);
    }

    /// Moves what code reads by the steps from this number on: to the next row by the first ones. Changes r10, r12 and
    /// r13.
    pub(super) fn move_pointers(&mut self, main: &Allocated, steps: u16) {
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        if steps > 0 {
            // add r10, steps
            self.assembler.raw(&[0x49, 0x81, 0xc2]);
            self.assembler.raw(&(8 * i32::from(steps)).to_le_bytes());
        }
        self.step_kept_pointers(&main.pointers, false);
        let accesses = self.kinds.accesses.clone();
        let mut moved: SmallVec<[u16; 8]> = SmallVec::new();
        for &Uniform { pointer, .. } in &main.uniforms {
            let (pointer, _) = self.leaf_of(pointer);
            if accesses.contains(&pointer) && !moved.contains(&pointer) {
                moved.push(pointer);
                let step = pointer - accesses.start;
                self.assembler.load_pointer(general::R12, general::R10, step);
                self.move_in_table(pointer);
            }
        }
        if let Some(position) = self.kinds.position {
            // mov r12, [r10 + step]; mov r13, [rdi + 8 * position]; add [r13], r12
            self.assembler.load_pointer(general::R12, general::R10, self.steps() - 1);
            self.assembler.load_pointer(general::R13, general::RDI, position);
            self.assembler.raw(&[0x4d, 0x01, 0x65, 0]);
        }
    }

    /// A pointer of a leaf to a register. Changes r12 for leaves but the first.
    pub(super) fn load_of_leaf(&mut self, register: u8, pointer: u16) {
        let (pointer, leaf) = self.leaf_of(pointer);
        self.assembler.load_pointer(register, general::RDI, pointer);
        let accesses = self.kinds.accesses.clone();
        let step = match accesses.contains(&pointer) {
            true => pointer - accesses.start,
            // Of accumulators.
            false => self.steps(),
        };
        self.add_steps(register, leaf, self.steps() + step);
    }

    /// rcx becomes the address of a uniform element of a leaf. Changes r12 for leaves but the first.
    pub(super) fn point_at_uniform(&mut self, pointer: u16) {
        let (of_all, leaf) = self.leaf_of(pointer);
        if let Some(kept) = self.kept_pointer(pointer) {
            // mov rcx, the register
            let register = POINTERS[kept];
            self.assembler.raw(&[0x48 | register >> 3 << 2, 0x89, 0xc1 | (register & 7) << 3]);
            return;
        }
        if Some(of_all) != self.kinds.position || leaf == 0 {
            return self.load_of_leaf(general::RCX, pointer);
        }
        self.assembler.load_pointer(general::RCX, general::RDI, of_all);
        self.assembler.load(general::RCX, general::RCX);
        self.add_steps(general::RCX, leaf, 2 * self.steps() - 1);
        // Where the number of rows is in other functions; lea rcx, [rsp + rows]
        self.assembler.store_stack(self.frame.rows, general::RCX);
        self.assembler.raw(&[0x48, 0x8d, 0x8c, 0x24]);
        self.assembler.raw(&self.frame.rows.to_le_bytes());
    }

    /// The pointer of the first leaf, and the leaf.
    pub(super) fn leaf_of(&self, pointer: u16) -> (u16, u8) {
        match self.leaves {
            0 | 1 => (pointer, 0),
            _ => (pointer % LEAF, (pointer / LEAF) as u8),
        }
    }

    /// Steps from row to row: of the accesses and of the first index.
    pub(super) fn steps(&self) -> u16 {
        self.kinds.accesses.len() as u16 + 1
    }

    /// A register moves by so many steps of this number. Changes r12 for any.
    fn add_steps(&mut self, register: u8, count: u8, number: u16) {
        if count > 0 {
            self.assembler.load_stack(general::R12, self.frame.rows + 8);
        }
        (0..count).for_each(|_| self.add_step(register, general::R12, number));
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

/// Pointers of a leaf have the number of those of the first one, and this times the leaf added.
const LEAF: u16 = 1 << 13;

/// Whether pointers of leaves can be told from others.
pub(in super::super) fn may_have_leaves(kinds: &Pointers) -> bool {
    // What folds use stands behind the accesses, in few places.
    kinds.accesses.end < LEAF / 2
}

/// An operation for another leaf, if it is another one there.
pub(in super::super) fn of_leaf(op: Op, leaf: u8, kinds: &Pointers) -> Option<Op> {
    let other = |pointer: u16| pointer + u16::from(leaf) * LEAF;
    match op {
        Op::Load(pointer, dtype, group) => Some(Op::Load(other(pointer), dtype, group)),
        Op::Store(pointer, dtype, group) => Some(Op::Store(other(pointer), dtype, group)),
        Op::Uniform(pointer, dtype)
            if kinds.accesses.contains(&pointer) || kinds.position == Some(pointer) =>
        {
            Some(Op::Uniform(other(pointer), dtype))
        }
        Op::Divisor(pointer, dtype, wanted) if kinds.accesses.contains(&pointer) => {
            Some(Op::Divisor(other(pointer), dtype, wanted))
        }
        Op::Held(held) => Some(Op::Held(Held { pointer: other(held.pointer), ..held })),
        Op::Hold(held) => Some(Op::Hold(Held { pointer: other(held.pointer), ..held })),
        _ => None,
    }
}

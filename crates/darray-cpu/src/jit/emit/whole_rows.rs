//! Functions of whole leaves: of rows that follow one another, each leaf of some of them becomes one value.
//!
//! ```text
//! fn(rdi: pointer table, rsi: elements of a row, rdx: leaves, rcx: steps)
//!     pointers to registers
//!     leaves: {
//!         accumulators = identity
//!         rows of a leaf: {
//!             uniform elements to the stack
//!             rounds: { code of all groups }
//!             for each group, while elements remain: { code of one, whose accumulators take only those }
//!             pointers += steps from row to row
//!         }
//!         lanes of each fold become one, which goes to where its accumulators are said to be; that += its bytes
//!         pointers += steps to the next leaf
//!     }
//! ```
//!
//! Rows that go backwards begin with the 32 elements that are the first ones, the last of them lowest in memory, and what
//! remains in the end are the last elements of such 32.
//!
//! With AVX2, where a mask takes some instructions to make, a group of what remains has code without one, too.

use super::super::allocate::Allocated;
use super::super::encode::{Decoration, Last, Memory, Opcode, general, opcode};
use super::super::instruction;
use super::super::lane::{Held, Lane};
use super::super::run::Folded;
use super::super::target::Target;
use super::accumulators::identities;
use super::{AHEAD, AHEAD_OF_ROWS, Code, Emitted, Emitter, Note, POINTERS, Part, Pointers};

/// The code of a leaf.
pub(in super::super) struct Whole<'a> {
    /// Of a round.
    pub body: &'a Allocated,
    /// Of a group of what remains, by the accumulators that take it.
    pub tails: &'a [Allocated],
    /// What combines the lanes of each fold in the first.
    pub lanes: &'a Allocated,
    /// The bits of what accumulators begin with, by the numbers of their pointers.
    pub starts: &'a [(u16, u64)],
}

/// The function; none where there are too many pointers to keep.
pub(in super::super) fn emit_whole(
    whole: &Whole<'_>,
    groups: u8,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    let body = whole.body;
    if body.pointers.len() > POINTERS.len() || !whole.lanes.holds_as(body) {
        return None;
    }
    // All that is beside the body.
    let mut rest = Allocated::default();
    for other in whole.tails.iter().chain([whole.lanes]) {
        rest.constants.extend(&other.constants);
        rest.slots = rest.slots.max(other.slots);
        rest.mask_slots = rest.mask_slots.max(other.mask_slots);
    }
    rest.constants.extend(identities(body, whole.starts)?);
    let none = Allocated::default();
    let code = Code { main: body, rest: &rest, first: &none };
    let mut emitter = Emitter::new(&code, usize::from(groups) * width, width, target, kinds);
    // Rows follow one another forwards, also where their elements go backwards.
    let in_rows = !(emitter.kinds.back && emitter.kinds.long);
    if body.pointers.len() == 1 && emitter.ahead.abs() == AHEAD && in_rows {
        emitter.ahead = AHEAD_OF_ROWS;
    }
    let start = emitter.assembler.code.len();
    emitter.whole(whole);
    Some(emitter.finish(start))
}

/// The number of the first constant of what is beside the body: they stand behind those of the body, in this order.
fn first_constant(whole: &Whole<'_>, of: &Allocated) -> u32 {
    let before = whole.tails.iter().take_while(|tail| !std::ptr::eq(*tail, of));
    let all = [whole.body].into_iter().chain(before);
    all.map(|code| code.constants.len() as u32).sum()
}

impl Emitter {
    fn whole(&mut self, whole: &Whole<'_>) {
        let body = whole.body;
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.keep_pointers(&body.pointers);
        let leaf = self.assembler.code.len();
        self.note(Note::Leaf);
        self.begin_leaf(whole);
        let row = self.assembler.code.len();
        self.uniforms(0, body.uniforms.iter());
        self.rounds(body);
        self.tails(whole);
        self.note(Note::Row);
        let last = self.count_down(self.frame.rows + 16);
        self.move_pointers(body, 0);
        self.jump_to(row);
        let value = self.assembler.code.len();
        self.assembler.land(last, value);
        self.note(Note::Lanes);
        self.first_constant = first_constant(whole, whole.lanes);
        self.body(whole.lanes, Part::Groups);
        self.first_constant = 0;
        let values = body.held.iter().filter(|held| held.accumulators.group == 0);
        values.for_each(|held| self.store_value(held.register, held.accumulators));
        self.note(Note::Row);
        let last = self.count_down(self.frame.rows);
        self.move_pointers(body, self.steps());
        self.jump_to(leaf);
        let end = self.assembler.code.len();
        self.assembler.land(last, end);
        self.leave();
    }

    /// Accumulators become the identity, and the rows of the leaf are to be counted.
    fn begin_leaf(&mut self, whole: &Whole<'_>) {
        let identities = self.constants - whole.body.held.len() as u32;
        self.begin_accumulators(whole.body, identities..);
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.assembler.load_pointer(general::R10, general::R10, 2 * self.steps());
        self.assembler.store_stack(self.frame.rows + 16, general::R10);
    }

    /// Whole rounds; rcx becomes the number of elements that remain, and rax that of the first of them.
    fn rounds(&mut self, body: &Allocated) {
        let (step, back) = (Folded::LANES as u8, self.kinds.back);
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        let few = if back {
            // mov rcx, step; sub rcx, rsi; jg behind
            self.assembler.raw(&[0xb9, step, 0, 0, 0, 0x48, 0x29, 0xf1]);
            self.assembler.jump(&[0x0f, 0x8f])
        } else {
            // lea rcx, [rsi - step]; test rcx, rcx; jl behind
            self.assembler.raw(&[0x48, 0x8d, 0x4e, step.wrapping_neg(), 0x48, 0x85, 0xc9]);
            self.assembler.jump(&[0x0f, 0x8c])
        };
        let begin = self.assembler.code.len();
        self.note(Note::Round(step));
        self.body(body, Part::Groups);
        let again = if back {
            // sub rax, step; cmp rax, rcx; jge begin
            self.assembler.raw(&[0x48, 0x83, 0xe8, step, 0x48, 0x39, 0xc8]);
            self.assembler.jump(&[0x0f, 0x8d])
        } else {
            // add rax, step; cmp rax, rcx; jle begin
            self.assembler.raw(&[0x48, 0x83, 0xc0, step, 0x48, 0x39, 0xc8]);
            self.assembler.jump(&[0x0f, 0x8e])
        };
        self.assembler.land(again, begin);
        let behind = self.assembler.code.len();
        self.assembler.land(few, behind);
    }

    /// What remains of a row, group by group.
    fn tails(&mut self, whole: &Whole<'_>) {
        self.note(Note::Tail(Folded::LANES as u8));
        self.merged.clone_from(&whole.body.held);
        let mut ends = Vec::with_capacity(whole.tails.len());
        // mov rcx, rsi; and ecx, 31; je end
        self.assembler.raw(&[0x48, 0x89, 0xf1, 0x83, 0xe1, 31]);
        ends.push(self.assembler.jump(&[0x0f, 0x84]));
        match self.target {
            Target::Avx2 => self.avx2_tails(whole, &mut ends),
            Target::Avx512 => self.avx512_tails(whole, &mut ends),
        }
        self.first_constant = 0;
        self.merged.clear();
        let end = self.assembler.code.len();
        ends.into_iter().for_each(|jump| self.assembler.land(jump, end));
    }

    /// rcx has the number of elements. Backwards they are the last ones of the groups from rax on, which are gone through from the
    /// last one. A group that is whole needs no masks; behind one that is not there is none.
    fn avx2_tails(&mut self, whole: &Whole<'_>, ends: &mut Vec<usize>) {
        let (width, back, count) = (self.width as u8, self.kinds.back, whole.tails.len());
        if back {
            // add rax, elements before the last group
            self.assembler.raw(&[0x48, 0x83, 0xc0, width * (count as u8 - 1)]);
        }
        for number in 0..count {
            let tail = &whole.tails[if back { count - 1 - number } else { number }];
            self.first_constant = first_constant(whole, tail);
            if number > 0 {
                if back {
                    // mov ecx, esi; and ecx, 31; sub ecx, elements of the groups behind
                    self.assembler.raw(&[0x89, 0xf1, 0x83, 0xe1, 31]);
                    self.assembler.raw(&[0x83, 0xe9, width * number as u8]);
                } else {
                    // mov rcx, rsi; sub rcx, rax
                    self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
                }
                // jle end
                ends.push(self.assembler.jump(&[0x0f, 0x8e]));
            }
            let mut next = None;
            if number + 1 < count {
                // cmp ecx, width; jl part
                self.assembler.raw(&[0x83, 0xf9, width]);
                let is_part = self.assembler.jump(&[0x0f, 0x8c]);
                self.body(tail, Part::Groups);
                // add or sub rax, width; jmp next
                self.assembler.raw(&[0x48, 0x83, if back { 0xe8 } else { 0xc0 }, width]);
                next = Some(self.assembler.jump(&[0xe9]));
                let part = self.assembler.code.len();
                self.assembler.land(is_part, part);
            }
            if back {
                // neg ecx; add ecx, width
                self.assembler.raw(&[0xf7, 0xd9, 0x83, 0xc1, width]);
            }
            self.avx2_tail();
            if back {
                self.avx2_other_lanes();
            }
            self.body(tail, Part::Rest);
            if let Some(next) = next {
                // jmp end
                ends.push(self.assembler.jump(&[0xe9]));
                let behind = self.assembler.code.len();
                self.assembler.land(next, behind);
            }
        }
    }

    /// rcx has the number of elements. It becomes which lanes there are.
    fn avx512_tails(&mut self, whole: &Whole<'_>, ends: &mut Vec<usize>) {
        let (width, back) = (self.width as u8, self.kinds.back);
        let count = whole.tails.len();
        // mov r10d, -1
        self.assembler.raw(&[0x41, 0xba, 0xff, 0xff, 0xff, 0xff]);
        if back {
            // neg ecx; shl r10d, cl; mov ecx, r10d; add rax, elements before the last group
            self.assembler.raw(&[0xf7, 0xd9, 0x41, 0xd3, 0xe2, 0x44, 0x89, 0xd1]);
            self.assembler.raw(&[0x48, 0x83, 0xc0, width * (count as u8 - 1)]);
        } else {
            // bzhi ecx, r10d, ecx
            let (first_bits, all) = (opcode(0, 2, false, 0xf5), Last::Register(general::R10));
            self.assembler.vex(first_bits, false, general::RCX, general::RCX, all, None);
        }
        for number in 0..count {
            let (mut tail, mut lanes) = (&whole.tails[number], general::RCX);
            if back {
                tail = &whole.tails[count - 1 - number];
                lanes = general::R10;
                // mov r10d, ecx; shr r10d, 32 - width
                self.assembler.raw(&[0x41, 0x89, 0xca, 0x41, 0xc1, 0xea, 32 - width]);
            }
            let lanes = Last::Register(lanes);
            self.assembler.vex(instruction::MASK_FROM_GENERAL, false, 1, 0, lanes, None);
            self.first_constant = first_constant(whole, tail);
            self.body(tail, Part::Rest);
            if number + 1 < count {
                // add or sub rax, width; shr or shl ecx, width; je end
                let (go, shift) = if back { (0xe8, 0xe1) } else { (0xc0, 0xe9) };
                self.assembler.raw(&[0x48, 0x83, go, width, 0xc1, shift, width]);
                ends.push(self.assembler.jump(&[0x0f, 0x84]));
            }
        }
    }

    /// The register that takes what is stored to these accumulators, where only some elements are there.
    pub(super) fn merged_into(&self, held: Held) -> Option<u8> {
        self.merged.iter().find(|stay| stay.accumulators == held).map(|stay| stay.register)
    }

    /// The first lane of a register goes to where the accumulators are said to be, and the next one behind it.
    fn store_value(&mut self, register: u8, held: Held) {
        self.assembler.load_pointer(general::R10, general::RDI, held.pointer);
        let size = held.dtype.size() as u8;
        if size == 1 {
            self.short_vector(instruction::MOVE_4_TO, register, Last::Register(general::RCX));
            // mov [r10], cl
            self.assembler.raw(&[0x41, 0x88, 0x0a]);
        } else {
            let to = Last::Memory(Memory::At { base: general::R10, offset: 0 });
            self.short_vector(instruction::lowest_to(Lane::of(held.dtype)), register, to);
        }
        // add qword [rdi + 8 * pointer], size
        self.assembler.raw(&[0x48, 0x83, 0x87]);
        self.assembler.raw(&(8 * i32::from(held.pointer)).to_le_bytes());
        self.assembler.raw(&[size]);
    }

    /// An instruction on 16 bytes of a vector.
    fn short_vector(&mut self, opcode: Opcode, register: u8, last: Last) {
        match self.target {
            Target::Avx2 => self.assembler.vex(opcode, false, register, 0, last, None),
            Target::Avx512 => {
                let more = Decoration { length: 16, ..Decoration::default() };
                self.assembler.vector(opcode, register, 0, last, more);
            }
        }
    }

    /// Counts down on the stack; gives the jump that is taken from 1.
    pub(super) fn count_down(&mut self, counter: i32) -> usize {
        // dec qword [rsp + counter]; je ..
        self.assembler.raw(&[0x48, 0xff, 0x8c, 0x24]);
        self.assembler.raw(&counter.to_le_bytes());
        self.assembler.jump(&[0x0f, 0x84])
    }

    pub(super) fn jump_to(&mut self, place: usize) {
        let jump = self.assembler.jump(&[0xe9]);
        self.assembler.land(jump, place);
    }
}

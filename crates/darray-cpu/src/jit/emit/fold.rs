//! Functions that fold.
//!
//! ```text
//! fn(rdi: pointer table, rsi: elements, rdx: times, rcx: steps)
//! by lanes, so many times, for a leaf of so many elements: {
//!     uniform elements to the stack
//!     rax = 0
//!     while so many rounds remain as are combined at once { code of these; they wait }
//!     half as many, .., one, if they remain: { code of these; they wait, unless they are the last elements }
//!     if elements remain: { accumulators = identity; code of each group takes what is there }, else what came last
//!     while something waits { accumulators = that combined with them }
//!     lanes of each fold become one, which goes to where its value is said to be; that += its bytes
//!     pointers += steps
//! }
//! by kept points, for the points of a round, of so many times as many rows: {
//!     while so many rows remain as are combined at once { code of these; they wait }
//!     half as many, .., one, if they remain: { code of these; they wait }
//!     accumulators = what waits last; while something waits { accumulators = that combined with them }
//!     accumulators go to where values are said to be
//! }
//! ```
//!
//! r12 counts rounds, r13 points to what waits. A value waits on the stack, by its level: of 2^level rounds.

use super::super::allocate::{Allocated, HeldIn};
use super::super::encode::{Decoration, Last, Memory, Opcode, general, opcode};
use super::super::fold::{WAITING, type_of};
use super::super::instruction;
use super::super::lane::{Held, Lane};
use super::super::target::Target;
use super::{Code, Emitted, Emitter, LINE, Note, POINTERS, Part, Pointers};
use crate::vector::LANES;
use darray_core::DType;

/// The code of some groups of elements.
pub(in super::super) struct Groups {
    pub count: usize,
    /// The body of so many [rounds](Self::rounds) each, in pairs.
    pub parts: Vec<Allocated>,
    pub rounds: Vec<usize>,
    /// What combines a value that waits with the accumulators.
    pub combine: Allocated,
}

impl Groups {
    fn all(&self) -> impl Iterator<Item = &Allocated> {
        self.parts.iter().chain([&self.combine])
    }
}

/// The code of a function.
pub(in super::super) struct Fold<'a> {
    /// By lanes one; by kept points many groups, then few.
    pub sizes: &'a [Groups],
    /// By lanes: of each group of the last round.
    pub tails: &'a [Allocated],
    /// By lanes: what makes one value of the accumulators.
    pub lanes: Option<&'a Allocated>,
    /// By kept points: the body of one group of points, and what combines its values.
    pub rest: Option<&'a [Allocated; 2]>,
    pub held: &'a [HeldIn],
    /// The bits of what items start from, and the pointers of their values.
    pub starts: Vec<u64>,
    pub outs: Vec<u16>,
}

/// Bytes of the values of an item that wait on a level.
const ITEM: i32 = 8 * LANES as i32;

/// Elements of a leaf that is long.
const LONG: i32 = 256;

/// Bytes to a leaf that lies behind another one, at most.
const NEAR: i32 = 8 << 10;

/// Levels of values that wait: a function takes fewer than 2^16 rows.
const LEVELS: i32 = 16;

/// The function; none where there are too many pointers to keep.
pub(in super::super) fn emit_fold(
    fold: &Fold<'_>,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    let main = fold.main();
    if main.pointers.len() > POINTERS.len() || !kinds.past.is_empty() {
        return None;
    }
    let mut rest = Allocated::default();
    for other in fold.others() {
        rest.constants.extend(&other.constants);
        rest.slots = rest.slots.max(other.slots);
        rest.mask_slots = rest.mask_slots.max(other.mask_slots);
    }
    let identity = |stay: &HeldIn| {
        repeated(fold.starts[usize::from(stay.accumulators.pointer)], stay.accumulators.dtype)
    };
    rest.constants.extend(fold.held.iter().map(identity));
    let none = Allocated::default();
    let code = Code { main, rest: &rest, first: &none };
    let mut emitter = Emitter::new(&code, fold.sizes[0].count * width, width, target, kinds);
    let frame = &mut emitter.frame;
    frame.waiting = (frame.bytes + 63) & !63;
    frame.bytes = frame.waiting + LEVELS * ITEM * fold.starts.len() as i32;
    let start = emitter.assembler.code.len();
    match fold.lanes {
        Some(lanes) => emitter.fold_leaves(fold, lanes),
        None => emitter.fold_columns(fold),
    }
    Some(emitter.finish(start))
}

impl<'a> Fold<'a> {
    /// The first part.
    fn main(&self) -> &'a Allocated {
        &self.sizes[0].parts[0]
    }

    /// All other code.
    fn others(&self) -> impl Iterator<Item = &'a Allocated> {
        let parts = self.sizes.iter().flat_map(Groups::all).skip(1).chain(self.tails);
        parts.chain(self.lanes).chain(self.rest.into_iter().flatten())
    }

    /// The number of the first constant of some code.
    fn first_constant(&self, of: &Allocated) -> u32 {
        if std::ptr::eq(of, self.main()) {
            return 0;
        }
        let before = self.others().take_while(|other| !std::ptr::eq(*other, of));
        let all = [self.main()].into_iter().chain(before);
        all.map(|code| code.constants.len() as u32).sum()
    }
}

/// The bits of an element in all of 64, as lanes have it.
fn repeated(bits: u64, dtype: DType) -> u64 {
    match Lane::of(dtype).size() {
        8 => bits,
        _ => (bits & 0xffff_ffff) << 32 | bits & 0xffff_ffff,
    }
}

impl Emitter {
    fn fold_leaves(&mut self, fold: &Fold<'_>, lanes: &Allocated) {
        let (main, combine) = (fold.main(), &fold.sizes[0].combine);
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.keep_pointers(&main.pointers);
        let leaf = self.assembler.code.len();
        self.note(Note::Leaf);
        self.uniforms(0, main.uniforms.iter());
        self.prefetch_next_leaf(&main.pointers);
        // xor eax, eax; xor r12d, r12d
        self.assembler.raw(&[0x31, 0xc0, 0x45, 0x31, 0xe4]);
        let sizes = &fold.sizes[0];
        let mut ended = Vec::new();
        for (number, (part, &rounds)) in sizes.parts.iter().zip(&sizes.rounds).enumerate() {
            let elements = (rounds * LANES) as i32;
            let begin = self.assembler.code.len();
            // lea rcx, [rax + elements]; cmp rcx, rsi; jg behind
            self.assembler.raw(&[0x48, 0x8d, 0x88]);
            self.assembler.raw(&elements.to_le_bytes());
            self.assembler.raw(&[0x48, 0x39, 0xf1]);
            let few = self.assembler.jump(&[0x0f, 0x8f]);
            self.note(Note::Rounds(rounds as u8));
            self.code_of(fold, part, Part::Groups);
            let level = rounds.ilog2() as i32;
            // add rax, elements
            self.assembler.raw(&[0x48, 0x05]);
            self.assembler.raw(&elements.to_le_bytes());
            if number == 0 {
                // mov rcx, r12; inc r12
                self.assembler.raw(&[0x4c, 0x89, 0xe1, 0x49, 0xff, 0xc4]);
                self.wait(fold, combine, level, fold.held);
                self.jump_to(begin);
            } else {
                // cmp rax, rsi; je ended
                self.assembler.raw(&[0x48, 0x39, 0xf0]);
                ended.push(self.assembler.jump(&[0x0f, 0x84]));
                self.point_at_level(fold, level);
                self.keep_waiting(fold.held);
            }
            let behind = self.assembler.code.len();
            self.assembler.land(few, behind);
        }
        // mov rcx, rsi; sub rcx, rax; je whole
        self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
        let whole = self.assembler.jump(&[0x0f, 0x84]);
        self.note(Note::Tail(LANES as u8));
        self.begin_accumulators(fold);
        self.tails(fold);
        self.count_rounds();
        let tailed = self.assembler.jump(&[0xe9]);
        let behind = self.assembler.code.len();
        self.assembler.land(whole, behind);
        self.count_rounds();
        self.next_waiting(fold);
        self.take_waiting(fold.held);
        let taken = self.assembler.jump(&[0xe9]);
        // The last rounds are in the accumulators: those before them wait.
        let behind = self.assembler.code.len();
        ended.into_iter().for_each(|jump| self.assembler.land(jump, behind));
        self.count_rounds();
        // lea rcx, [r12 - 1]; and r12, rcx
        self.assembler.raw(&[0x49, 0x8d, 0x4c, 0x24, 0xff, 0x49, 0x21, 0xcc]);
        let behind = self.assembler.code.len();
        self.assembler.land(tailed, behind);
        self.assembler.land(taken, behind);
        self.combine_all(fold, combine);
        self.note(Note::Lanes);
        self.code_of(fold, lanes, Part::Groups);
        for stay in fold.held.iter().filter(|stay| stay.accumulators.group == 0) {
            let out = fold.outs[usize::from(stay.accumulators.pointer)];
            self.store_value(stay.register, stay.accumulators, out);
        }
        self.note(Note::Row);
        let last = self.count_down(self.frame.rows);
        self.move_pointers(main);
        self.jump_to(leaf);
        let end = self.assembler.code.len();
        self.assembler.land(last, end);
        self.leave();
    }

    /// Where a leaf is long and the next one lies further away, prefetches the first lines of that: code of rounds goes straight on.
    fn prefetch_next_leaf(&mut self, pointers: &[u16]) {
        let accesses = self.kinds.accesses.clone();
        let is_one = |&(_, pointer): &(u8, u16)| {
            self.kinds.ahead.contains(&pointer) && accesses.contains(&pointer)
        };
        let all: Vec<(u8, u16)> =
            POINTERS.into_iter().zip(pointers.iter().copied()).filter(is_one).collect();
        if all.is_empty() {
            return;
        }
        // cmp rsi, LONG; jl few
        self.assembler.raw(&[0x48, 0x81, 0xfe]);
        self.assembler.raw(&LONG.to_le_bytes());
        let few = self.assembler.jump(&[0x0f, 0x8c]);
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        for (register, pointer) in all {
            self.assembler.load_pointer(general::RCX, general::R10, pointer - accesses.start);
            // cmp rcx, NEAR; jle near
            self.assembler.raw(&[0x48, 0x81, 0xf9]);
            self.assembler.raw(&NEAR.to_le_bytes());
            let near = self.assembler.jump(&[0x0f, 0x8e]);
            let next = Memory::Indexed { base: register, index: general::RCX, scale: 1, offset: 0 };
            self.assembler.address(general::RCX, next);
            for offset in (0..self.ahead).step_by(LINE as usize) {
                let line = Memory::At { base: general::RCX, offset };
                self.assembler.fetch(line, self.asks_into);
            }
            let behind = self.assembler.code.len();
            self.assembler.land(near, behind);
        }
        let behind = self.assembler.code.len();
        self.assembler.land(few, behind);
    }

    /// r12 becomes the number of whole rounds.
    fn count_rounds(&mut self) {
        // mov r12, rsi; shr r12, 5
        self.assembler.raw(&[0x49, 0x89, 0xf4, 0x49, 0xc1, 0xec, LANES.ilog2() as u8]);
    }

    fn fold_columns(&mut self, fold: &Fold<'_>) {
        let main = fold.main();
        self.enter();
        self.assembler.store_stack(self.frame.rows, general::RDX);
        self.assembler.store_stack(self.frame.rows + 8, general::RCX);
        self.keep_pointers(&main.pointers);
        self.uniforms(0, main.uniforms.iter());
        // xor eax, eax
        self.assembler.raw(&[0x31, 0xc0]);
        let held = |groups: usize| -> Vec<HeldIn> {
            let below = |stay: &&HeldIn| usize::from(stay.accumulators.group) < groups;
            fold.held.iter().filter(below).copied().collect()
        };
        for size in fold.sizes {
            let points = (size.count * self.width) as i32;
            let begin = self.assembler.code.len();
            // lea rcx, [rax + points]; cmp rcx, rsi; jg fewer
            self.assembler.raw(&[0x48, 0x8d, 0x88]);
            self.assembler.raw(&points.to_le_bytes());
            self.assembler.raw(&[0x48, 0x39, 0xf1]);
            let few = self.assembler.jump(&[0x0f, 0x8f]);
            self.note(Note::Round(points as u8));
            let parts = (&size.parts[..], &size.rounds[..], &size.combine);
            self.rows_of_points_in_pairs(fold, parts, &held(size.count), Part::Groups);
            self.next_points(main, points);
            self.jump_to(begin);
            let behind = self.assembler.code.len();
            self.assembler.land(few, behind);
        }
        if let Some([row, combine]) = fold.rest {
            let begin = self.assembler.code.len();
            let end = self.begin_group_of_rest();
            let parts = (std::slice::from_ref(row), &[1][..], combine);
            self.rows_of_points_in_pairs(fold, parts, &held(1), Part::Rest);
            self.next_points(main, self.width as i32);
            self.jump_to(begin);
            let behind = self.assembler.code.len();
            self.assembler.land(end, behind);
        }
        self.leave();
    }

    /// All rows of the points from rax on, to where their values are said to be.
    fn rows_of_points_in_pairs(
        &mut self,
        fold: &Fold<'_>,
        (parts, rounds, combine): (&[Allocated], &[usize], &Allocated),
        held: &[HeldIn],
        part: Part,
    ) {
        // xor r12d, r12d
        self.assembler.raw(&[0x45, 0x31, 0xe4]);
        for (number, (code, &rows)) in parts.iter().zip(rounds).enumerate() {
            let begin = self.assembler.code.len();
            // lea rcx, [r12 + rows]; cmp rcx, [rsp + count]; jg behind
            self.assembler.raw(&[0x49, 0x8d, 0x4c, 0x24, rows as u8, 0x48, 0x3b, 0x8c, 0x24]);
            self.assembler.raw(&self.frame.rows.to_le_bytes());
            let few = self.assembler.jump(&[0x0f, 0x8f]);
            self.note(Note::Rounds(rows as u8));
            self.code_of(fold, code, part);
            let level = rows.ilog2() as i32;
            if number == 0 {
                // mov rcx, r12; shr rcx, level
                self.assembler.raw(&[0x4c, 0x89, 0xe1, 0x48, 0xc1, 0xe9, level as u8]);
                self.wait(fold, combine, level, held);
            } else {
                self.point_at_level(fold, level);
                self.keep_waiting(held);
            }
            // add r12, rows
            self.assembler.raw(&[0x49, 0x83, 0xc4, rows as u8]);
            if number == 0 {
                self.jump_to(begin);
            }
            let behind = self.assembler.code.len();
            self.assembler.land(few, behind);
        }
        self.next_waiting(fold);
        self.take_waiting(held);
        self.combine_all(fold, combine);
        for stay in held {
            let Held { dtype, group, pointer } = stay.accumulators;
            if part == Part::Rest && dtype.size() < 4 {
                // Elements that are copied one by one are counted: mov rcx, rsi; sub rcx, rax
                self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
                self.at_most_a_group();
            }
            self.assembler.load_pointer(
                general::R10,
                general::RDI,
                fold.outs[usize::from(pointer)],
            );
            let offset = (usize::from(group) * self.width * dtype.size()) as i32;
            let scale = dtype.size() as u8;
            let to = Last::Memory(Memory::Element { base: general::R10, scale, offset });
            self.store(stay.register, Lane::of(dtype), to, dtype, part);
        }
    }

    /// Goes on with the points behind so many: pointers are those of the table.
    fn next_points(&mut self, main: &Allocated, points: i32) {
        for (register, &pointer) in POINTERS.into_iter().zip(&main.pointers) {
            self.assembler.load_pointer(register, general::RDI, pointer);
        }
        // add rax, points
        self.assembler.raw(&[0x48, 0x05]);
        self.assembler.raw(&points.to_le_bytes());
    }

    /// Some code of the function.
    fn code_of(&mut self, fold: &Fold<'_>, code: &Allocated, part: Part) {
        self.first_constant = fold.first_constant(code);
        self.body(code, part);
        self.first_constant = 0;
    }

    /// Has the accumulators wait on a level, for what is behind them; rcx has their number on that level. As right siblings they are
    /// combined with what waits there, and so on.
    fn wait(&mut self, fold: &Fold<'_>, combine: &Allocated, level: i32, held: &[HeldIn]) {
        self.note(Note::Combine);
        self.point_at_level(fold, level);
        let again = self.assembler.code.len();
        // test cl, 1; je done
        self.assembler.raw(&[0xf6, 0xc1, 0x01]);
        let done = self.assembler.jump(&[0x0f, 0x84]);
        self.code_of(fold, combine, Part::Groups);
        // add r13, a level; shr rcx, 1; jmp again
        self.assembler.raw(&[0x49, 0x81, 0xc5]);
        self.assembler.raw(&fold.level().to_le_bytes());
        self.assembler.raw(&[0x48, 0xd1, 0xe9]);
        self.jump_to(again);
        let behind = self.assembler.code.len();
        self.assembler.land(done, behind);
        self.keep_waiting(held);
    }

    /// Combines all that waits, the last one first, in front of the accumulators: r12 has a bit for the level of each.
    fn combine_all(&mut self, fold: &Fold<'_>, combine: &Allocated) {
        self.note(Note::Combine);
        let again = self.assembler.code.len();
        // test r12, r12; je done
        self.assembler.raw(&[0x4d, 0x85, 0xe4]);
        let done = self.assembler.jump(&[0x0f, 0x84]);
        self.next_waiting(fold);
        self.code_of(fold, combine, Part::Groups);
        self.jump_to(again);
        let behind = self.assembler.code.len();
        self.assembler.land(done, behind);
    }

    /// r13 points to what waits on the lowest level that r12 has a bit for, which r12 has no more. Changes rcx and r10.
    fn next_waiting(&mut self, fold: &Fold<'_>) {
        // bsf rcx, r12; lea r10, [r12 - 1]; and r12, r10; imul rcx, rcx, a level
        self.assembler
            .raw(&[0x49, 0x0f, 0xbc, 0xcc, 0x4d, 0x8d, 0x54, 0x24, 0xff, 0x4d, 0x21, 0xd4]);
        self.assembler.raw(&[0x48, 0x69, 0xc9]);
        self.assembler.raw(&fold.level().to_le_bytes());
        self.point_at_level(fold, 0);
        // add r13, rcx
        self.assembler.raw(&[0x49, 0x01, 0xcd]);
    }

    /// r13 points to what waits on a level.
    fn point_at_level(&mut self, fold: &Fold<'_>, level: i32) {
        // lea r13, [rsp + level]
        self.assembler.raw(&[0x4c, 0x8d, 0xac, 0x24]);
        self.assembler.raw(&(self.frame.waiting + level * fold.level()).to_le_bytes());
    }

    fn keep_waiting(&mut self, held: &[HeldIn]) {
        for stay in held {
            let (lane, at) = self.waiting_of(stay.accumulators);
            self.store(stay.register, lane, at, type_of(lane), Part::Groups);
        }
    }

    fn take_waiting(&mut self, held: &[HeldIn]) {
        for stay in held {
            let (lane, at) = self.waiting_of(stay.accumulators);
            self.load(stay.register, lane, at, type_of(lane), Part::Groups);
        }
    }

    fn waiting_of(&self, held: Held) -> (Lane, Last) {
        let lane = Lane::of(held.dtype);
        (lane, self.waiting(WAITING + held.pointer, lane.size(), held.group))
    }

    /// What waits of a group of an item, of lanes of so many bytes.
    pub(super) fn waiting(&self, pointer: u16, size: usize, group: u8) -> Last {
        let bytes = usize::from(group) * self.width * size;
        let offset = i32::from(pointer - WAITING) * ITEM + bytes as i32;
        Last::Memory(Memory::At { base: general::R13, offset })
    }

    /// Accumulators become the identity.
    fn begin_accumulators(&mut self, fold: &Fold<'_>) {
        let first = self.constants - fold.held.len() as u32;
        for (stay, number) in fold.held.iter().zip(first..) {
            let lane = Lane::of(stay.accumulators.dtype);
            match self.target {
                Target::Avx2 => {
                    let from = Last::Memory(Memory::Constant(32 * number));
                    let opcode = instruction::move_from(Lane::F32);
                    self.assembler.vex(opcode, true, stay.register, 0, from, None);
                }
                Target::Avx512 => {
                    let from = Last::Memory(Memory::Constant(8 * number));
                    let more = self.masked(Part::Groups, lane.size());
                    let opcode = instruction::broadcast(lane);
                    self.assembler.vector(opcode, stay.register, 0, from, more);
                }
            }
        }
    }

    /// What remains of a leaf, group by group.
    fn tails(&mut self, fold: &Fold<'_>) {
        self.merged = fold.held.to_vec();
        let mut ends = Vec::with_capacity(fold.tails.len());
        // mov rcx, rsi; and ecx, lanes - 1
        self.assembler.raw(&[0x48, 0x89, 0xf1, 0x83, 0xe1, LANES as u8 - 1]);
        match self.target {
            Target::Avx2 => self.avx2_tails(fold, &mut ends),
            Target::Avx512 => self.avx512_tails(fold, &mut ends),
        }
        self.merged.clear();
        let end = self.assembler.code.len();
        ends.into_iter().for_each(|jump| self.assembler.land(jump, end));
    }

    /// rcx has the number of elements. A group that is whole needs no masks; behind one that is not there is none.
    fn avx2_tails(&mut self, fold: &Fold<'_>, ends: &mut Vec<usize>) {
        let (width, count) = (self.width as u8, fold.tails.len());
        for (number, tail) in fold.tails.iter().enumerate() {
            if number > 0 {
                // mov rcx, rsi; sub rcx, rax; jle end
                self.assembler.raw(&[0x48, 0x89, 0xf1, 0x48, 0x29, 0xc1]);
                ends.push(self.assembler.jump(&[0x0f, 0x8e]));
            }
            let mut next = None;
            if number + 1 < count {
                // cmp ecx, width; jl part
                self.assembler.raw(&[0x83, 0xf9, width]);
                let is_part = self.assembler.jump(&[0x0f, 0x8c]);
                self.code_of(fold, tail, Part::Groups);
                // add rax, width; jmp next
                self.assembler.raw(&[0x48, 0x83, 0xc0, width]);
                next = Some(self.assembler.jump(&[0xe9]));
                let part = self.assembler.code.len();
                self.assembler.land(is_part, part);
            }
            self.avx2_tail();
            self.code_of(fold, tail, Part::Rest);
            if let Some(next) = next {
                ends.push(self.assembler.jump(&[0xe9]));
                let behind = self.assembler.code.len();
                self.assembler.land(next, behind);
            }
        }
    }

    /// rcx has the number of elements. It becomes which lanes there are.
    fn avx512_tails(&mut self, fold: &Fold<'_>, ends: &mut Vec<usize>) {
        let width = self.width as u8;
        // mov r10d, -1
        self.assembler.raw(&[0x41, 0xba, 0xff, 0xff, 0xff, 0xff]);
        // bzhi ecx, r10d, ecx
        let (first_bits, all) = (opcode(0, 2, false, 0xf5), Last::Register(general::R10));
        self.assembler.vex(first_bits, false, general::RCX, general::RCX, all, None);
        for (number, tail) in fold.tails.iter().enumerate() {
            let lanes = Last::Register(general::RCX);
            self.assembler.vex(instruction::MASK_FROM_GENERAL, false, 1, 0, lanes, None);
            self.code_of(fold, tail, Part::Rest);
            if number + 1 < fold.tails.len() {
                // add rax, width; shr ecx, width; je end
                self.assembler.raw(&[0x48, 0x83, 0xc0, width, 0xc1, 0xe9, width]);
                ends.push(self.assembler.jump(&[0x0f, 0x84]));
            }
        }
    }

    /// The register that takes what is stored to these accumulators, where only some elements are there.
    pub(super) fn merged_into(&self, held: Held) -> u8 {
        let stay = self.merged.iter().find(|stay| stay.accumulators == held);
        stay.expect("tails have the accumulators of all").register
    }

    /// The first lane of a register goes to where a value is said to be, and the next one behind it.
    fn store_value(&mut self, register: u8, held: Held, out: u16) {
        self.assembler.load_pointer(general::R10, general::RDI, out);
        let size = held.dtype.size() as u8;
        if size == 1 {
            self.short_vector(instruction::MOVE_4_TO, register, Last::Register(general::RCX));
            // mov [r10], cl
            self.assembler.raw(&[0x41, 0x88, 0x0a]);
        } else {
            let to = Last::Memory(Memory::At { base: general::R10, offset: 0 });
            self.short_vector(instruction::lowest_to(Lane::of(held.dtype)), register, to);
        }
        // add qword [rdi + 8 * out], size
        self.assembler.raw(&[0x48, 0x83, 0x87]);
        self.assembler.raw(&(8 * i32::from(out)).to_le_bytes());
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

    /// Moves what code reads by the steps to the next leaf. Changes r10 and r12.
    fn move_pointers(&mut self, main: &Allocated) {
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        self.step_kept_pointers(&main.pointers, false);
        let accesses = self.kinds.accesses.clone();
        let mut moved: Vec<u16> = Vec::new();
        for uniform in &main.uniforms {
            let pointer = uniform.pointer;
            // Those that are kept are there, too.
            if accesses.contains(&pointer)
                && !moved.contains(&pointer)
                && self.kept_pointer(pointer).is_none()
            {
                moved.push(pointer);
                self.assembler.load_pointer(general::R12, general::R10, pointer - accesses.start);
                // add [rdi + 8 * pointer], r12
                self.assembler.raw(&[0x4c, 0x01, 0xa7]);
                self.assembler.raw(&(8 * i32::from(pointer)).to_le_bytes());
            }
        }
    }

    /// Moves the accesses to their next row. Changes r10.
    pub(super) fn next_row_of_points(&mut self) {
        self.assembler.load_stack(general::R10, self.frame.rows + 8);
        let pointers = std::mem::take(&mut self.pointers);
        self.step_kept_pointers(&pointers, false);
        self.pointers = pointers;
    }

    /// Counts down on the stack; gives the jump that is taken from 1.
    fn count_down(&mut self, counter: i32) -> usize {
        // dec qword [rsp + counter]; je ..
        self.assembler.raw(&[0x48, 0xff, 0x8c, 0x24]);
        self.assembler.raw(&counter.to_le_bytes());
        self.assembler.jump(&[0x0f, 0x84])
    }

    fn jump_to(&mut self, place: usize) {
        let jump = self.assembler.jump(&[0xe9]);
        self.assembler.land(jump, place);
    }
}

impl Fold<'_> {
    /// Bytes of a level of values that wait.
    fn level(&self) -> i32 {
        ITEM * self.starts.len() as i32
    }
}

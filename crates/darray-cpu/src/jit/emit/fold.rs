//! Functions that fold.
//!
//! ```text
//! fn(rdi: pointer table, rsi: elements, rdx: times, rcx: steps)
//! by lanes, so many times, for a leaf of so many elements: {
//!     uniform elements to the stack
//!     rax = 0
//!     while so many rounds remain as are combined at once { code of these; they wait }
//!     half as many, .., one, if they remain: { code of these; they wait, in registers if there are enough }
//!     if elements remain: { accumulators = identity; code of each group takes what is there }, else the shortest of those
//!     the others of those, the shortest first: { accumulators = these combined with them }
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

mod columns;
mod deferred;
mod tails;

use super::super::allocate::{Allocated, HeldIn};
use super::super::encode::{Cache, Decoration, Last, Memory, Opcode, general};
use super::super::instruction;
use super::super::lane::{Held, Lane};
use super::super::target::Target;
use super::{AHEAD_OF_ROWS, Code, Emitted, Emitter, LINE, Note, POINTERS, Part, Pointers};
use crate::processor;
use crate::vector::LANES;
use darray_core::RealType;

/// The code of some groups of elements.
pub(in super::super) struct Groups {
    pub count: usize,
    /// The body of so many [rounds](Self::rounds) each, in pairs.
    pub parts: Vec<Allocated>,
    pub rounds: Vec<usize>,
    /// What combines a value that waits with the accumulators.
    pub combine: Allocated,
    /// The same of each shorter part, where these wait in registers, and what has it in the accumulators.
    pub deferred: Vec<[Allocated; 2]>,
    /// What combines the accumulators of lanes of kept points that are taken together.
    pub lanes: Option<Allocated>,
}

impl Groups {
    fn all(&self) -> impl Iterator<Item = &Allocated> {
        self.parts
            .iter()
            .chain([&self.combine])
            .chain(self.deferred.iter().flatten())
            .chain(&self.lanes)
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
    /// By kept points: that of one group of points.
    pub rest: Option<&'a Groups>,
    pub held: &'a [HeldIn],
    /// The bits of what items start from, and the pointers of their values.
    pub starts: Vec<u64>,
    pub outs: Vec<u16>,
}

/// Elements of a leaf that is long.
const LONG: i32 = 256;

/// Bytes to a leaf that lies behind another one, at most.
const NEAR: i32 = 8 << 10;

/// Levels of values that wait: a function takes fewer than 2^16 rows.
const LEVELS: i32 = 16;

/// The function; none where there are too many pointers to keep, of columns or beside elements that lie backwards.
pub(in super::super) fn emit_fold(
    fold: &Fold<'_>,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Option<Emitted> {
    let main = fold.main();
    let are_kept = main.pointers.len() <= POINTERS.len();
    let needs_all = fold.lanes.is_none() || !kinds.backward.is_empty();
    if needs_all && !are_kept || !kinds.non_temporal.is_empty() {
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
    frame.deferred = (frame.bytes + 63) & !63;
    frame.item = (fold.held.len() / fold.starts.len() * target.bytes()) as i32;
    frame.bytes = frame.deferred + LEVELS * frame.item * fold.starts.len() as i32;
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
        parts.chain(self.lanes).chain(self.rest.into_iter().flat_map(Groups::all))
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
fn repeated(bits: u64, dtype: RealType) -> u64 {
    match Lane::of(dtype).size() {
        8 => bits,
        _ => (bits & 0xffff_ffff) << 32 | bits & 0xffff_ffff,
    }
}

impl Emitter {
    fn fold_leaves(&mut self, fold: &Fold<'_>, lanes: &Allocated) {
        let (main, combine) = (fold.main(), &fold.sizes[0].combine);
        self.folds = true;
        if self.kinds.prefetched.len() == 1 {
            self.ahead = AHEAD_OF_ROWS;
        }
        if processor::is_zen_5() {
            self.asks_into = Cache::FirstLevel;
        }
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
        let elements = |rounds: usize| ((rounds * LANES) as i32).to_le_bytes();
        let (main_rounds, level) = (sizes.rounds[0], sizes.rounds[0].ilog2() as u8);
        let begin = self.assembler.code.len();
        // lea rcx, [rax + elements]; cmp rcx, rsi; jg behind
        self.assembler.raw(&[0x48, 0x8d, 0x88]);
        self.assembler.raw(&elements(main_rounds));
        self.assembler.raw(&[0x48, 0x39, 0xf1]);
        let few = self.assembler.jump(&[0x0f, 0x8f]);
        self.note(Note::Rounds(main_rounds as u8));
        self.code_of(fold, main, Part::Groups);
        // add rax, elements; mov rcx, r12; inc r12
        self.assembler.raw(&[0x48, 0x05]);
        self.assembler.raw(&elements(main_rounds));
        self.assembler.raw(&[0x4c, 0x89, 0xe1, 0x49, 0xff, 0xc4]);
        self.wait(fold, combine, level.into(), fold.held);
        self.jump_to(begin);
        let behind = self.assembler.code.len();
        self.assembler.land(few, behind);
        for (part, &rounds) in sizes.parts.iter().zip(&sizes.rounds).skip(1) {
            let none = self.jump_without(rounds * LANES);
            self.note(Note::Rounds(rounds as u8));
            self.code_of(fold, part, Part::Groups);
            // add rax, elements
            self.assembler.raw(&[0x48, 0x05]);
            self.assembler.raw(&elements(rounds));
            if sizes.deferred.is_empty() {
                self.point_at_level(fold, rounds.ilog2() as i32);
                self.keep_waiting(fold.held);
            }
            let behind = self.assembler.code.len();
            self.assembler.land(none, behind);
        }
        // Without a tail the shortest part is taken as it is.
        self.note(Note::Combine);
        let levels: Vec<usize> =
            sizes.rounds.iter().skip(1).rev().map(|n| n.ilog2() as usize).collect();
        let mut taken = Vec::new();
        let tailed = self.jump_with(LANES - 1);
        for &level in &levels {
            let none = self.jump_without(LANES << level);
            match sizes.deferred.get(level) {
                Some([_, take]) => self.code_of(fold, take, Part::Groups),
                None => {
                    self.point_at_level(fold, level as i32);
                    self.take_waiting(fold.held);
                }
            }
            taken.push(self.assembler.jump(&[0xe9]));
            let behind = self.assembler.code.len();
            self.assembler.land(none, behind);
        }
        self.begin_accumulators(fold);
        let whole = self.assembler.jump(&[0xe9]);
        let behind = self.assembler.code.len();
        self.assembler.land(tailed, behind);
        self.note(Note::Tail(LANES as u8));
        self.begin_accumulators(fold);
        self.tails(fold);
        self.note(Note::Combine);
        for (&level, taken) in levels.iter().zip(taken) {
            let none = self.jump_without(LANES << level);
            let in_registers = sizes.deferred.get(level).map(|[combine, _]| combine);
            if in_registers.is_none() {
                self.point_at_level(fold, level as i32);
            }
            self.code_of(fold, in_registers.unwrap_or(combine), Part::Groups);
            let behind = self.assembler.code.len();
            self.assembler.land(none, behind);
            self.assembler.land(taken, behind);
        }
        let behind = self.assembler.code.len();
        self.assembler.land(whole, behind);
        // mov r12, rsi; shr r12, 5; and r12, -rounds: tails have changed it
        let least = (main_rounds as u8).wrapping_neg();
        self.assembler.raw(&[0x49, 0x89, 0xf4, 0x49, 0xc1, 0xec, LANES.ilog2() as u8]);
        self.assembler.raw(&[0x49, 0x83, 0xe4, least]);
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
            self.kinds.prefetched.contains(&pointer) && accesses.contains(&pointer)
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

    /// Jumps where the number of elements has none of these bits.
    fn jump_without(&mut self, bits: usize) -> usize {
        self.test_elements(bits);
        self.assembler.jump(&[0x0f, 0x84])
    }

    /// Jumps where it has some of them.
    fn jump_with(&mut self, bits: usize) -> usize {
        self.test_elements(bits);
        self.assembler.jump(&[0x0f, 0x85])
    }

    fn test_elements(&mut self, bits: usize) {
        // test esi, bits
        self.assembler.raw(&[0xf7, 0xc6]);
        self.assembler.raw(&(bits as i32).to_le_bytes());
    }

    /// Some code of the function.
    fn code_of(&mut self, fold: &Fold<'_>, code: &Allocated, part: Part) {
        self.first_constant = fold.first_constant(code);
        self.body(code, part);
        self.first_constant = 0;
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
        let uniforms = main.uniforms.iter().map(|uniform| uniform.pointer);
        for pointer in uniforms.chain(main.pointers.iter().copied()) {
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

impl Emitter {
    /// Bytes of a level of values that wait.
    fn level(&self, fold: &Fold<'_>) -> i32 {
        self.frame.item * fold.starts.len() as i32
    }
}

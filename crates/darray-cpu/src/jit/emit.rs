//! A function of machine code around straight-line code.
//!
//! ```text
//! fn(rdi: pointer table, rsi: elements, rdx: rows, rcx: bytes from row to row)
//!     rows and steps to the stack
//!     if rows are shorter than a round, and that was asked for: a loop of its own, see `short_rows`
//! row:
//!     uniform elements to the stack
//!     rax = 0
//!     if rsi >= elements of the jammed groups {
//!         accumulators to registers
//!         the first part of the first round, if rounds overlap
//!         while rsi - rax >= elements of the jammed groups { code of these; rax += elements }
//!         accumulators to memory
//!     }
//!     while rax < rsi { which elements of the next group; code of one, loading and storing only these }
//!     if rows remain { accesses in the table += steps; go to row }
//! calls of the table, to which the code jumps and which jump back
//! ```

mod at_rows;
mod avx2;
mod avx512;
mod backward;
mod elements;
mod fold;
mod non_temporal;
mod patch;
mod points;
mod rounds;
mod short_rows;
mod uniforms;

pub(super) use fold::{Fold, Groups, emit_fold};
pub(super) use points::emit_points;

use super::allocate::{Allocated, HeldIn, Uniform};
use super::encode::{Assembler, Cache, Last, Memory, general};
use super::lane::Lane;
use super::target::Target;
use crate::processor;
use darray_core::RealType;
use smallvec::SmallVec;
use std::ops::Range;

/// Which elements loads and stores touch.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// Whole groups.
    Groups,
    /// Whole groups, stored past the caches.
    GroupsNonTemporal,
    /// The first ones of a group: as many as rcx has.
    Rest,
    /// The same, stored past the caches.
    RestNonTemporal,
}

/// General registers that keep pointers through the loops: rdx, r8, r9, r11, rbx, r14, r15.
const POINTERS: [u8; 7] = [2, 8, 9, 11, 3, 14, 15];

/// Pointers of deferred values are these numbers and those behind them, by items.
pub(super) const DEFERRED: u16 = u16::MAX - 64;

const LINE: i32 = crate::vector::LINE as i32;

/// How far ahead lines are asked for: an odd number of lines, see [`ahead`].
const AHEAD: i32 = ahead(17);
/// The same by code that reads one array and writes one past the caches.
const AHEAD_OF_COPY: i32 = ahead(49);
/// The same by folds of one array.
const AHEAD_OF_ROWS: i32 = ahead(41);
/// The same by folds of points that are short rows of memory: what is asked for later is not there in time.
const AHEAD_OF_SHORT_ROWS: i32 = ahead(97);
/// So many lines in bytes. A round of a loop asks for four lines at most, and begins with an even one: by an even number
/// ahead, loops of one array took longer, see docs/decisions/0030-lines-asked-for-ahead.md.
const fn ahead(lines: i32) -> i32 {
    assert!(lines % 2 == 1, "an even number of lines");
    lines * LINE
}

/// A function as bytes.
pub(super) struct Emitted {
    /// Constants and code.
    pub bytes: Vec<u8>,
    /// Where the code begins.
    pub start: usize,
    /// What the bytes from a position on are for, in order.
    pub notes: Vec<(u32, Note)>,
}

/// What code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// What is done before the loops.
    Entry,
    /// The first part of the first round, of so many elements, where rounds overlap.
    First(u8),
    /// A round of the loop, of so many elements, begins.
    Round(u8),
    /// A group of the tail, of at most so many elements, begins.
    Tail(u8),
    /// See [`Run::origin`](super::run::Run::origin).
    Origin(u16),
    /// A round of so many points begins, each a row of memory.
    RowsOfPoints(u8),
    /// A leaf begins.
    Leaf,
    /// Rounds that are combined at once, so many, begin.
    Rounds(u8),
    /// Values that wait are combined.
    Combine,
    /// The lanes of a leaf become one value.
    Lanes,
    /// What leads to the next row.
    Row,
    /// What is done after the loops.
    Exit,
    /// Calls of the table.
    Calls,
}

/// Which pointers of the table are of what kind.
pub(super) struct Pointers {
    /// What moves from row to row.
    pub accesses: Range<u16>,
    /// See [`Traffic`](super::run::Traffic); for whole groups alone, lines are asked for.
    pub non_temporal: Vec<u16>,
    pub prefetched: Vec<u16>,
    pub backward: Vec<u16>,
    pub counted: Vec<u16>,
    pub short_rows: bool,
    /// Whether rows are gone through in tiles.
    pub tiles: bool,
}

/// The code of a function.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    /// A round of groups; where rounds overlap, the second part of a round and the first of the next.
    pub main: &'a Allocated,
    /// A group of what remains behind the rounds.
    pub rest: &'a Allocated,
    /// The first part of the first round, where rounds overlap; else nothing.
    pub first: &'a Allocated,
}

impl<'a> Code<'a> {
    /// All parts, in the order of the numbers of their uniform elements and constants.
    fn parts(&self) -> [&'a Allocated; 3] {
        [self.main, self.rest, self.first]
    }

    /// The uniform elements of all parts.
    fn uniforms(&self) -> impl Iterator<Item = &'a Uniform> + Clone {
        self.parts().into_iter().flat_map(|part| &part.uniforms)
    }

    fn overlaps(&self) -> bool {
        !self.first.code.is_empty()
    }
}

/// The function, of rounds of `groups` groups of `width` elements.
pub(super) fn emit(
    code: &Code<'_>,
    groups: u8,
    width: usize,
    target: Target,
    kinds: Pointers,
) -> Emitted {
    let round = usize::from(groups) * width;
    // Else a round could begin where no line does: what stands before the first line is less than a round.
    assert!(kinds.non_temporal.is_empty() || round >= 16, "rounds are too short");
    let mut emitter = Emitter::new(code, round, width, target, kinds);
    let start = emitter.assembler.code.len();
    emitter.function(code);
    emitter.finish(start)
}

struct Emitter {
    assembler: Assembler,
    target: Target,
    width: usize,
    /// Elements of a round.
    round: usize,
    /// The pointers of what is loaded for the next round, where rounds overlap.
    next: Vec<u16>,
    /// Pointers that stay in [`POINTERS`].
    pointers: Vec<u16>,
    /// The first of these that move from row to row, with the registers of their steps.
    steps: SmallVec<[(u16, u8); 7]>,
    kinds: Pointers,
    /// How far lines are asked for.
    ahead: i32,
    asks_into: Cache,
    frame: Frame,
    /// Numbers of the first uniform element and constant of the code that is being emitted.
    first_uniform: u32,
    first_constant: u32,
    /// How many constants there are.
    constants: u32,
    /// Number of the constant 0, behind which the numbers of a round's elements are.
    first_position: u32,
    /// Number of the first of the [numbers](backward::numbers) of elements that lie backwards.
    first_reversed: u32,
    /// Accumulators that take only the elements that are there.
    merged: Vec<HeldIn>,
    /// Whether the function is one that folds leaves.
    folds: bool,
    /// Where rows are that are transposed.
    at_rows: at_rows::AtRows,
    /// Calls that are to be put behind the function.
    patches: Vec<patch::Patch>,
    notes: Vec<(u32, Note)>,
}

/// The stack: spilled vectors, spilled masks, uniform elements, rows, steps,
/// what the tail needs, what calls need.
struct Frame {
    masks: i32,
    uniforms: i32,
    rows: i32,
    tail: i32,
    /// A group that goes past the caches in parts.
    part: i32,
    call: i32,
    /// Values that wait in functions that fold, and bytes of the accumulators of an item.
    deferred: i32,
    item: i32,
    bytes: i32,
}

impl Frame {
    fn new(code: &Code<'_>, target: Target) -> Frame {
        let vector = target.bytes() as i32;
        let most = |slots: fn(&Allocated) -> u32| code.parts().into_iter().map(slots).max();
        let (uniform, tail) = match target {
            Target::Avx2 => (vector, avx2::TAIL),
            Target::Avx512 => (8, 0),
        };
        let masks = vector * most(|part| part.slots).unwrap_or(0) as i32;
        let uniforms = masks + 8 * most(|part| part.mask_slots).unwrap_or(0) as i32;
        let count = code.uniforms().count() as i32;
        let rows = uniforms + uniform * count;
        let begin = rows + 24;
        let part = begin + tail;
        let call = (part + non_temporal::GROUP + 63) & !63;
        let bytes = call + if code.main.has_calls { patch::FRAME } else { 0 };
        Frame { masks, uniforms, rows, tail: begin, part, call, deferred: 0, item: 0, bytes }
    }
}

impl Emitter {
    /// The function that begins there.
    fn finish(self, start: usize) -> Emitted {
        Emitted { bytes: self.assembler.code, start, notes: self.notes }
    }

    /// For code whose rounds have so many elements.
    fn new(
        code: &Code<'_>,
        round: usize,
        width: usize,
        target: Target,
        kinds: Pointers,
    ) -> Emitter {
        let constants = code.parts().into_iter().flat_map(|part| &part.constants).copied();
        let count = constants.clone().count();
        let first_position = count.next_multiple_of(8);
        let elements = if code.main.has_positions { round as u64 } else { 0 };
        let pool = match target {
            Target::Avx2 => avx2::pool(constants, elements),
            Target::Avx512 => {
                let width = if kinds.backward.is_empty() { 0 } else { width };
                avx512::pool(constants, first_position, elements, width)
            }
        };
        let copies = !kinds.non_temporal.is_empty() && code.main.pointers.len() == 2;
        // What is around the loops, too.
        let about = code.parts().map(|part| part.code.len()).iter().sum::<usize>() + 64;
        Emitter {
            assembler: Assembler::new(&pool, about),
            target,
            width,
            pointers: Vec::new(),
            steps: SmallVec::new(),
            ahead: if copies { AHEAD_OF_COPY } else { AHEAD },
            // By turns on Zen 4 copies took a sixth less; all else took longer so. On Zen 5 tiles took from run to run up to a
            // quarter longer with the second level.
            asks_into: match copies && processor::is_amd() || kinds.tiles && processor::is_zen_5() {
                true => Cache::FirstLevel,
                false => Cache::SecondLevel,
            },
            kinds,
            frame: Frame::new(code, target),
            round,
            next: code.first.pointers.clone(),
            first_uniform: 0,
            first_constant: 0,
            constants: count as u32,
            first_position: first_position as u32,
            first_reversed: first_position as u32 + elements as u32,
            notes: Vec::with_capacity(
                code.parts().map(|part| part.origins.len()).iter().sum::<usize>() + 8,
            ),
            merged: Vec::new(),
            folds: false,
            at_rows: at_rows::AtRows::default(),
            patches: Vec::new(),
        }
    }

    fn enter(&mut self) {
        self.note(Note::Entry);
        // push rbx, r12, r13, r14, r15, rbp; mov rbp, rsp; and rsp, -64; sub rsp, frame
        self.assembler.raw(&[0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57, 0x55]);
        self.assembler.raw(&[0x48, 0x89, 0xe5, 0x48, 0x83, 0xe4, 0xc0, 0x48, 0x81, 0xec]);
        self.assembler.raw(&self.frame.bytes.to_le_bytes());
    }

    /// As many pointers as there is room for, to [`POINTERS`].
    fn keep_pointers(&mut self, pointers: &[u16]) {
        for (register, &pointer) in POINTERS.into_iter().zip(pointers) {
            self.assembler.load_pointer(register, general::RDI, pointer);
            self.pointers.push(pointer);
        }
    }

    /// Returns, and has the calls of the table behind that.
    fn leave(&mut self) {
        self.note(Note::Exit);
        // vzeroupper; mov rsp, rbp; pop rbp, r15, r14, r13, r12, rbx; ret
        self.assembler.raw(&[0xc5, 0xf8, 0x77, 0x48, 0x89, 0xec, 0x5d]);
        self.assembler.raw(&[0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b, 0xc3]);
        self.note(Note::Calls);
        self.patches();
    }

    fn body(&mut self, allocated: &Allocated, part: Part) {
        let mut begin = 0;
        for &(origin, end) in &allocated.origins {
            self.note(Note::Origin(origin));
            for instruction in &allocated.code[begin..end as usize] {
                match self.target {
                    Target::Avx2 => self.avx2_instruction(instruction, part),
                    Target::Avx512 => self.avx512_instruction(instruction, part),
                }
            }
            begin = end as usize;
        }
    }

    /// Code from here on is for this.
    fn note(&mut self, note: Note) {
        if self.notes.last().is_none_or(|&(_, last)| last != note) {
            self.notes.push((self.assembler.code.len() as u32, note));
        }
    }

    fn load(&mut self, register: u8, lane: Lane, from: Last, dtype: RealType, part: Part) {
        match self.target {
            Target::Avx2 => self.avx2_load(register, lane, from, dtype, part),
            Target::Avx512 => self.avx512_load(register, from, dtype, part),
        }
    }

    fn store(&mut self, register: u8, lane: Lane, to: Last, dtype: RealType, part: Part) {
        match self.target {
            Target::Avx2 => self.avx2_store(register, lane, to, dtype, part),
            Target::Avx512 => self.avx512_store(register, to, dtype, part),
        }
    }

    /// A spilled vector.
    fn slot(&self, number: u32) -> Last {
        Last::Memory(Memory::Stack(self.target.bytes() as i32 * number as i32))
    }
}

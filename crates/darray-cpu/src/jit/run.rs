//! What is compiled together.

use super::neighbours::Neighbours;
use super::target::Target;
use crate::processor;
use darray_codegen::{FoldMode, FoldSource, Instruction, Slot};
use darray_kernel::reducer::Reducer;
use std::ops::Range;

/// Instructions of a list that become one function, and the folds that take their values.
///
/// A function goes through its elements in groups, each from the first instruction to the last fold.
pub(crate) struct Run<'r> {
    pub instructions: &'r [Instruction],
    /// Folds of the elements, after the instructions.
    pub folds: &'r [Folded],
    /// Where a place stands in the pointer table.
    pub pointer: &'r dyn Fn(Place) -> u16,
    /// Where the accesses stand there: what moves from row to row.
    pub accesses: Range<u16>,
    /// Whether a register is read after the run: if so, it is stored.
    pub is_live: &'r dyn Fn(u16) -> bool,
    /// How its elements come and go.
    pub traffic: Traffic,
}

/// How the elements of accesses come from memory and go there, and how many. Accesses are bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// Those that are written past the caches. Their elements have 4 or 8 bytes.
    pub past: u64,
    /// Those whose lines are asked for ahead of the loads, into a cache.
    pub ahead: u64,
    /// In what order it goes through memory.
    pub course: Course,
    /// Those that are only read, by one element after the other towards lower addresses. Their elements have 4 or 8 bytes.
    pub backward: u64,
    /// Those that read what another one reads, a few elements later; nothing writes it.
    pub neighbours: Neighbours,
    /// The axis along which rows of a nest without a fold follow one another, if an element's value depends on its index.
    pub row_axis: Option<u8>,
    /// Cells with that index: from row to row they grow by one. Cells are bits.
    pub counted: u64,
    /// Whether rows of a fold follow one another backwards: then lines are asked for that lie before those at hand.
    pub back: bool,
    /// Whether rows are long: what comes next in memory then lies before a row that goes backwards, not in the next row.
    pub long: bool,
    /// Whether rows of kept points lie behind one another in memory, not in pieces: what comes next is then behind the row.
    pub in_order: bool,
    /// Elements of a row of a fold, where they are so few that a function of its own keeps the accumulators in registers
    /// from row to row; else 0.
    pub short: u8,
    /// Leaves whose short rows are better folded side by side, so that their sums do not wait for each other, at most.
    pub leaves: u8,
    /// Whether there is to be a function of whole leaves, whose accumulators are in registers from the first element to
    /// the value.
    pub whole: bool,
    /// Whether there is to be a function of leaves that are transposed in registers, each point being a row of memory.
    pub tiles: bool,
    /// Of what rows there is to be a function of columns, which takes all rows of a line of kept points before the next line.
    pub columns: Option<RowsOf>,
    /// Whether rows come in pieces, so that what is done between two of them counts: an operator alone is compiled, too.
    pub pieces: bool,
    /// Whether there are many short rows and no fold: a function that goes through them had better read what is the same in all
    /// of a row itself, and has a loop for rows of less than a round.
    pub short_rows: bool,
    /// Elements of a point, where they are so few that one function folds them all and many points are side by
    /// side; else 0.
    pub points: u8,
    /// Of those points, the accesses to whose elements a point is a row of memory: they are transposed in registers.
    pub across: u64,
    /// Whether the function of those points also does what comes after the fold, so that results go where they belong at once.
    pub stores: bool,
}

impl Run<'_> {
    /// The accesses that it writes past the caches.
    pub fn written_past(&self) -> impl Iterator<Item = u16> {
        let past = |access: &u16| is_in(self.traffic.past, *access);
        self.instructions.iter().filter_map(written_access).filter(past)
    }

    /// The accesses whose lines it asks for ahead, where it loads from them: those that go on beside what is written past the
    /// caches Zen 5 fetches in time by itself, those of folds by lanes and of columns Zen 3.
    pub fn asked_for_ahead(&self) -> impl Iterator<Item = u16> {
        let Traffic { past, course, ahead, .. } = self.traffic;
        let go_on = past != 0 && course == Course::LongRows && self.folds.is_empty();
        let by_itself = match self.folds {
            [] => go_on && processor::is_zen_5(),
            _ => processor::is_zen_3(),
        };
        let ahead = if by_itself { 0 } else { ahead };
        (0..64).filter(move |&access| is_in(ahead, access))
    }

    /// What code is for, by the number that its operations carry: an instruction, the registers that are read
    /// after the run, a fold.
    pub fn origin(&self, number: u16) -> String {
        let count = self.instructions.len();
        if let Some(instruction) = self.instructions.get(usize::from(number)) {
            return instruction.to_string();
        }
        match self.folds.iter().find(|fold| self.origin_of(fold) == number) {
            Some(Folded { item, reducer, source, .. }) => {
                format!("f{item} takes {}, {reducer}", source.value)
            }
            None => {
                debug_assert_eq!(usize::from(number), count);
                "registers that are read later".to_string()
            }
        }
    }

    /// The number of what a fold takes, the same in functions for some of the folds.
    pub fn origin_of(&self, fold: &Folded) -> u16 {
        self.instructions.len() as u16 + 1 + fold.item
    }
}

/// In what order a nest goes through its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Course {
    #[default]
    Rows,
    /// Each so long that memory mostly goes on.
    LongRows,
    /// Some columns of some rows before others, as rows are read again.
    Tiles,
}

/// What rows are of that a function of columns goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowsOf {
    Leaf,
    /// Eight rows, so short that several leaves had better be folded by one call.
    ShortLeaf,
    /// They lie as many rows apart as there are lanes.
    Lane,
}

/// Whether an access is among some, which are bits.
pub(crate) fn is_in(accesses: u64, access: u16) -> bool {
    accesses.checked_shr(access.into()).unwrap_or(0) & 1 == 1
}

/// The access whose elements an instruction writes.
pub(crate) fn written_access(instruction: &Instruction) -> Option<u16> {
    match *instruction {
        Instruction::Scatter { access, .. } => Some(access),
        _ => match instruction.writes() {
            Some(Slot::Access(access)) => Some(access),
            _ => None,
        },
    }
}

/// Something in memory that code finds through the pointer table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// An operand of an instruction.
    Slot(Slot),
    /// The global index along an axis of the first element; i64.
    Index(u8),
    /// The accumulators of a fold, by its number: [`Folded::LANES`] of them, or one per element.
    Accumulators(u16),
    /// The indices that go with them; i64.
    AccumulatorIndices(u16),
    /// The index that goes with the first element in folds that keep one; i64. By lanes, an accumulator keeps that of the
    /// first of the [`Folded::LANES`] elements to which the one that it took belongs.
    Position,
}

/// A fold of the elements of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folded {
    /// Its number in the nest.
    pub item: u16,
    pub reducer: Reducer,
    /// What it takes.
    pub source: FoldSource,
    /// Element k is taken by accumulator k modulo [`Folded::LANES`], or, by kept points, by accumulator k.
    pub mode: FoldMode,
}

impl Folded {
    /// Accumulators of a fold by lanes, as many as the standard tree has.
    pub const LANES: usize = 32;

    /// The bits of what accumulators begin with.
    pub fn start(&self) -> u64 {
        self.reducer.start(self.source.dtype, false).0.bits()
    }

    /// Vector registers that its accumulators take, at most: by kept points they are in memory.
    pub fn registers(&self, target: Target) -> usize {
        let vectors = Folded::LANES * 8 / target.bytes();
        match (self.mode, self.reducer.has_index()) {
            (FoldMode::Kept, _) => 0,
            (FoldMode::Lanes, true) => 2 * vectors,
            (FoldMode::Lanes, false) => vectors,
        }
    }
}

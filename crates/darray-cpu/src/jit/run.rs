//! What is compiled together.

use super::passes::neighbours::Neighbours;
use crate::processor;
use darray_codegen::{FoldSource, Instruction, Slot};
use darray_kernel::reducer::Reducer;
use std::ops::Range;

/// Instructions of a list that become one function, and the folds that take their values.
///
/// A function goes through its elements in groups, each from the first instruction to the last fold.
pub(crate) struct Run<'r> {
    pub instructions: &'r [Instruction],
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
    /// Those that are written by non-temporal stores. Their elements have 4 or 8 bytes.
    pub non_temporal: u64,
    /// Those whose lines are prefetched, into a cache.
    pub prefetched: u64,
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
    /// Lanes of kept points whose rows a function that folds goes through together, where the points of all lanes are not one row;
    /// else 0.
    pub lanes: u8,
    /// Whether the function of those points also does what comes after the fold, so that results go where they belong at once.
    pub stores: bool,
}

impl Run<'_> {
    /// The accesses that it writes with non-temporal stores.
    pub fn written_non_temporal(&self) -> impl Iterator<Item = u16> {
        let non_temporal = |access: &u16| is_in(self.traffic.non_temporal, *access);
        self.instructions.iter().filter_map(written_access).filter(non_temporal)
    }

    /// The accesses whose lines it prefetches, where it loads from them: those that go on beside what is written past the
    /// caches Zen 5 fetches in time by itself, those of folds by lanes and of columns Zen 3.
    pub fn prefetched(&self) -> impl Iterator<Item = u16> {
        let Traffic { non_temporal, course, prefetched, .. } = self.traffic;
        let go_on = non_temporal != 0 && course == Course::LongRows;
        let by_itself = go_on && processor::is_zen_5();
        let prefetched = if by_itself { 0 } else { prefetched };
        (0..64).filter(move |&access| is_in(prefetched, access))
    }

    /// What code is for, by the number that its operations carry: an instruction, the registers that are read
    /// after the run, a fold, by its number from a first one on.
    pub fn origin(&self, number: u16, first: u16) -> String {
        let count = self.instructions.len();
        if let Some(instruction) = self.instructions.get(usize::from(number)) {
            return instruction.to_string();
        }
        match usize::from(number).checked_sub(count + 1) {
            None => "registers that are read later".to_string(),
            Some(item) => format!("f{} takes a value", usize::from(first) + item),
        }
    }

    /// The number of what a fold takes.
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
    /// Where the values of a fold go, by its number.
    Folded(u16),
    /// The global index along an axis of the first element; i64.
    Index(u8),
}

/// A fold of the elements of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folded {
    /// Its number in the nest.
    pub item: u16,
    pub reducer: Reducer,
    /// What it takes.
    pub source: FoldSource,
}

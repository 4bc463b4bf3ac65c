//! What nests of large arrays read: software prefetch, and rows that are read again.
//!
//! The hardware fetches ahead within a page at most and begins anew with every row. So machine code prefetches
//! lines itself, each for the access that comes to it first.
//!
//! Rows that several rows of a nest read, as those of a stencil, would come from the second-level cache once for each:
//!
//! ```text
//!            columns 0..128      128..256
//! rows 0..8  first, row by row   second      what these rows share is in the first-level cache
//! rows 8..16 after those         ..          what is prefetched is that of a tile that comes soon
//! ```

use super::Schedule;
use super::summary::{NestSummary, Summary, bit};
use super::tuning::{
    HELD_BYTES, LONG_ROW_BYTES, STENCIL_REACH_BYTES, STENCIL_ROW_BYTES, STENCIL_ROWS,
    stencil_columns,
};
use crate::jit::Course;
use crate::processor::Processor;
use darray_codegen::StrideClass;
use smallvec::SmallVec;

/// What a nest prefetches, and in which order it goes through its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prefetch {
    /// The accesses that come to lines first, as bits.
    pub first: u64,
    /// Rows and columns to go through before others, where rows are read again.
    pub tile: Option<(usize, usize)>,
    /// Bytes of the longest row of those accesses.
    row: usize,
}

impl Prefetch {
    /// That of a nest that goes down along the innermost of its rows, and through these along its vectors.
    pub fn choose(summary: &Summary<'_>, schedule: &Schedule) -> Prefetch {
        let (outer, vector) = (schedule.rows.last(), schedule.vector);
        let is_read = |&access: &usize| {
            let is_unit = schedule.layout.classes[access] == StrideClass::Unit;
            // Elements that are read again are in the second-level cache, if that holds all of them.
            let bytes = bytes_of(summary, access);
            let held = bytes <= HELD_BYTES && bytes < summary.points() * summary.size(access);
            summary.nest.accesses[access].is_load && is_unit && !held
        };
        let read: SmallVec<[usize; 8]> = summary.with_bits().filter(is_read).collect();
        let mut prefetch = Prefetch::default();
        for &access in &read {
            // Along a row, elements lie one behind another.
            let down = outer.map_or(1, |outer| summary.stride(outer.axis, access) as isize);
            let behind = |&other: &usize| Some((other, behind(summary, access, other, down)?));
            let near = |&(_, behind): &(usize, isize)| behind.abs() <= STENCIL_REACH_BYTES;
            let mut others = read.iter().filter_map(behind).filter(near);
            let comes_first = |(other, behind)| behind > 0 || behind == 0 && other >= access;
            if !others.clone().all(comes_first) {
                continue;
            }
            prefetch.first |= bit(access);
            let row = vector.extent * summary.size(access);
            prefetch.row = prefetch.row.max(row);
            let is_short = row <= STENCIL_ROW_BYTES;
            if outer.is_some() && is_short && others.any(|(_, behind)| behind >= down.abs()) {
                prefetch.tile = Some((STENCIL_ROWS, stencil_columns(summary.nest.processor)));
            }
        }
        prefetch
    }

    /// In what order a nest with these non-temporal stores goes through its rows, as far as code for the processor depends on it.
    pub fn course(&self, nest: &NestSummary, non_temporal: u64) -> Course {
        let depends = nest.processor == Processor::Zen5 && non_temporal != 0 && nest.fold.is_none();
        match self.tile {
            _ if !depends => Course::Rows,
            Some(_) => Course::Tiles,
            None if self.row >= LONG_ROW_BYTES => Course::LongRows,
            None => Course::Rows,
        }
    }
}

/// How many bytes an access is behind another that goes through the same array the same way, `down` with every row.
fn behind(summary: &Summary<'_>, first: usize, other: usize, down: isize) -> Option<isize> {
    let is_equal = summary.blocks[first] == summary.blocks[other]
        && summary.strides_of_access(first).eq(summary.strides_of_access(other));
    let behind = (summary.offsets[first] - summary.offsets[other]) as isize;
    (is_equal && down != 0).then_some(behind * down.signum())
}

/// Bytes of the elements that an access is at in all of the nest.
fn bytes_of(summary: &Summary<'_>, access: usize) -> usize {
    let moves = |&(axis, _): &(usize, &usize)| summary.stride(axis as u8, access) != 0;
    let elements = summary.extents.iter().enumerate().filter(moves).map(|(_, &extent)| extent);
    elements.fold(summary.size(access), usize::saturating_mul)
}

#[cfg(test)]
mod tests {
    use super::super::tuning::{STENCIL_ROWS, stencil_columns};
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Course;
    use crate::jit::Target;
    use crate::level::Level;
    use crate::processor::{self, Processor};

    /// The accesses of a sum of three elements that prefetch lines, and the tile: at these rows and columns of
    /// rows of `columns` elements, for nests that touch `from` bytes.
    fn ahead(columns: usize, at: [(usize, usize); 3], from: usize) -> (Vec<u16>, (usize, usize)) {
        let load = |k: usize, (row, column): (usize, usize)| {
            format!("%{k} = load b0[p{} + 1*i0, p{} + 1*i1]", row + 2, column + 2)
        };
        let loads: Vec<String> = at.into_iter().enumerate().map(|(k, at)| load(k, at)).collect();
        let text = format!(
            "kernel params=5 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=0,
                     i1: extent=p1 origin=p2 global=p1 logical=1) {{
                 {} %3 = add.f64 %0 %1 %4 = add.f64 %3 %2 store b1[p2 + 1*i0, p2 + 1*i1] %4 }} }}",
            loads.join(" ")
        );
        // Rows lie as far apart as the widest of the tests.
        let arrays = [
            Array { block: 0, offset: 0, strides: &[8192, 1] },
            Array { block: 1, offset: 0, strides: &[8192, 1] },
        ];
        let target = Target::of(Level::detect());
        let look = |bound: &Bound<'_>| {
            let asked = bound.schedule.traffic.prefetched;
            ((0..64).filter(|access| asked >> access & 1 == 1).collect(), bound.schedule.tile)
        };
        with_bound(&text, &arrays, &[8, columns, 0, 1, 2], target, from, look)
    }

    #[test]
    fn long_rows_go_on() {
        if Target::of(Level::detect()).is_none() {
            eprintln!("this machine has no machine code");
            return;
        }
        let text = "kernel params=4 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
            { for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1)
            { %0 = load b0[p2 + 1*i0, p3 + 1*i1] %1 = add.f64 %0 %0 store b1[p2 + 1*i0, p2 + 1*i1] %1 } }";
        let arrays = [
            Array { block: 0, offset: 0, strides: &[8192, 1] },
            Array { block: 1, offset: 0, strides: &[8192, 1] },
        ];
        let target = Target::of(Level::detect());
        let course = |columns: usize| {
            with_bound(text, &arrays, &[8, columns, 0, 1], target, 0, |bound| {
                bound.schedule.traffic.course
            })
        };
        let long = if processor::is_zen_5() { Course::LongRows } else { Course::Rows };
        assert_eq!([2047, 2048].map(course), [Course::Rows, long]);
    }

    const WHOLE: (usize, usize) = (usize::MAX, usize::MAX);

    #[test]
    fn lines_of_a_stencil_are_asked_for_by_the_lowest_access() {
        if Target::of(Level::detect()).is_none() {
            eprintln!("this machine has no machine code");
            return;
        }
        let down = [(0, 1), (2, 0), (1, 2)];
        let of_tile = stencil_columns(Processor::detect());
        assert_eq!(ahead(1000, down, 0), (vec![1], (STENCIL_ROWS, of_tile)));
        // Of two in the lowest row, the one further along it.
        let level = [(2, 0), (1, 0), (2, 1)];
        assert_eq!(ahead(1000, level, 0), (vec![2], (STENCIL_ROWS, of_tile)));
        assert_eq!(ahead(8000, down, 0), (vec![1], WHOLE), "rows are too long");
        assert_eq!(ahead(1000, [(1, 0), (1, 1), (1, 2)], 0), (vec![2], WHOLE), "one row");
        let both = 2 * 8 * 1000 * 8;
        assert_eq!(ahead(1000, down, both), (vec![1], (STENCIL_ROWS, of_tile)));
        assert_eq!(ahead(1000, down, both + 1), (vec![], WHOLE), "the caches have it");
    }

    #[test]
    fn a_fold_asks_for_lines_ahead() {
        if Target::of(Level::detect()).is_none() {
            eprintln!("this machine has no machine code");
            return;
        }
        let text = "kernel params=4 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 read noalias
            b2: f64 rank 0 write noalias { fold (i0: extent=p0 origin=p1 global=p0 logical=0)
            lanes=32 width=64 rounds=32 alone=8 { %0 = load b0[p1 + p2*i0] %1 = load b1[p1 + p3*i0] %2 = mul.f64 %0 %1 } %3 = sum %2 store b2[] %3 }";
        let asked = |steps: [i64; 2]| {
            let arrays = [
                Array { block: 0, offset: 0, strides: &[1] },
                Array { block: 1, offset: 0, strides: &[1] },
                Array { block: 2, offset: 0, strides: &[] },
            ];
            let params = [1000, 0, steps[0] as usize, steps[1] as usize];
            let target = Target::of(Level::detect());
            with_bound(text, &arrays, &params, target, 0, |bound| bound.schedule.traffic.prefetched)
        };
        assert_eq!(asked([1, 1]), 0b11);
        assert_eq!(asked([1, 2]), 0b01, "elements of the other are not side by side");
    }
}

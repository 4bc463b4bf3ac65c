//! What nests of large arrays read: lines that are asked for ahead, and rows that are read again.
//!
//! The hardware fetches ahead within a page at most and begins anew with every row. So machine code asks for lines
//! itself, for each the access that comes to it first.
//!
//! Rows that several rows of a nest read, as those of a stencil, would come from the second-level cache once for each:
//!
//! ```text
//!            columns 0..128      128..256
//! rows 0..8  first, row by row   second      what these rows share is in the first-level cache
//! rows 8..16 after those         ..          what is asked for ahead is that of a tile that comes soon
//! ```

use super::streaming::Question;
use crate::jit::{Course, is_in};
use crate::processor;
use darray_codegen::bind::Loop;
use darray_codegen::{Nest, StrideClass};
use smallvec::SmallVec;

/// What a nest asks for ahead, and in which order it goes through its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ahead {
    /// The accesses that come to lines first, as bits.
    pub first: u64,
    /// Rows and columns to go through before others, where rows are read again.
    pub tile: Option<(usize, usize)>,
    /// Bytes of the longest row of those accesses.
    row: usize,
}

impl Ahead {
    /// That of a nest that goes down along `outer` and through its rows along `vector`.
    pub fn new(question: &Question<'_>, outer: Option<&Loop>, vector: &Loop) -> Ahead {
        let loads = question.loads();
        let is_read = |&access: &u16| {
            let is_unit = question.layout.classes[access as usize] == StrideClass::Unit;
            // Elements that are read again are in the second-level cache, if that holds all of them.
            let bytes = question.bytes_of(access);
            let held = bytes <= HELD && bytes < question.points * question.size(access);
            is_in(loads, access) && is_unit && !held
        };
        let read: SmallVec<[u16; 8]> = question.accesses().filter(is_read).collect();
        let mut ahead = Ahead::default();
        for &access in &read {
            // Along a row, elements lie one behind another.
            let down = outer.map_or(1, |outer| question.stride(outer.axis, access) as isize);
            let behind = |&other: &u16| Some((other, question.behind(access, other, down)?));
            let near = |&(_, behind): &(u16, isize)| behind.abs() <= REACH;
            let mut others = read.iter().filter_map(behind).filter(near);
            let comes_first = |(other, behind)| behind > 0 || behind == 0 && other >= access;
            if !others.clone().all(comes_first) {
                continue;
            }
            ahead.first |= 1 << access;
            let row = vector.extent * question.size(access);
            ahead.row = ahead.row.max(row);
            let is_short = row <= ROW;
            if outer.is_some() && is_short && others.any(|(_, behind)| behind >= down.abs()) {
                ahead.tile = Some((BAND, columns()));
            }
        }
        ahead
    }

    /// In what order a nest that writes these accesses past the caches goes through its rows, as far as this processor's code
    /// depends on it.
    pub fn course(&self, nest: &Nest, past: u64) -> Course {
        match self.tile {
            _ if !processor::is_zen_5() || past == 0 || nest.fold.is_some() => Course::Rows,
            Some(_) => Course::Tiles,
            None if self.row >= GOES_ON => Course::LongRows,
            None => Course::Rows,
        }
    }
}

/// Bytes of an access that stay in the second-level cache while others go by.
const HELD: usize = 256 << 10;

/// Rows of a tile.
pub(super) const BAND: usize = 8;

/// Columns of a tile: ten rows of doubles take 10 KiB of the first-level cache. On AMD's processors fewer are better: lines that
/// are asked for a tile ahead come too late there, and these are two or four tiles ahead.
pub(super) fn columns() -> usize {
    match processor::is_amd() {
        true if processor::is_zen_5() => 32,
        true => 64,
        false => 128,
    }
}

/// Bytes of a row, at most, so that the second-level cache has those of two bands.
const ROW: usize = 48 << 10;

/// Bytes of a row from which on what begins anew with the next one does not count.
const GOES_ON: usize = 16 << 10;

/// Bytes after which a row that is read again is gone from the second-level cache.
const REACH: isize = 512 << 10;

#[cfg(test)]
mod tests {
    use super::{BAND, columns as of_tile};
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Course;
    use crate::jit::Target;
    use crate::level::Level;
    use crate::processor;

    /// The accesses of a sum of three elements that ask for lines ahead, and the tile: at these rows and columns of
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
            let asked = bound.specialised.traffic.ahead;
            ((0..64).filter(|access| asked >> access & 1 == 1).collect(), bound.tile)
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
                bound.specialised.traffic.course
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
        assert_eq!(ahead(1000, down, 0), (vec![1], (BAND, of_tile())));
        // Of two in the lowest row, the one further along it.
        let level = [(2, 0), (1, 0), (2, 1)];
        assert_eq!(ahead(1000, level, 0), (vec![2], (BAND, of_tile())));
        assert_eq!(ahead(8000, down, 0), (vec![1], WHOLE), "rows are too long");
        assert_eq!(ahead(1000, [(1, 0), (1, 1), (1, 2)], 0), (vec![2], WHOLE), "one row");
        let both = 2 * 8 * 1000 * 8;
        assert_eq!(ahead(1000, down, both), (vec![1], (BAND, of_tile())));
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
            with_bound(text, &arrays, &params, target, 0, |bound| bound.specialised.traffic.ahead)
        };
        assert_eq!(asked([1, 1]), 0b11);
        assert_eq!(asked([1, 2]), 0b01, "elements of the other are not side by side");
    }
}

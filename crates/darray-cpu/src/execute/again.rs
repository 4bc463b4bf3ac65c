//! Rows that a nest reads again, as those of a stencil, which several rows of the nest read.
//!
//! ```text
//!            columns 0..512      512..1024
//! rows 0..4  first, row by row   second      what these rows share is in the first-level cache
//! rows 4..8  third               fourth      what these read first was asked for four rows above
//! ```
//!
//! Row after row, everything would come from the second-level cache once for each row that reads it; and what comes
//! from memory would come late, since the hardware fetches ahead within a page at most.

use super::streaming::{Question, Streamed};
use crate::vector::{LINE, fetch_far};
use darray_codegen::bind::Loop;
use darray_codegen::{Phase, StrideClass};
use smallvec::SmallVec;

/// The accesses that come to such rows first.
#[derive(Debug, Default)]
pub(super) struct Again {
    /// Each with the bytes of an element, and how many bytes ahead of it lines are asked for.
    first: SmallVec<[(u16, usize, isize); 2]>,
    /// Rows and columns to go through before others, where there are such rows.
    pub tile: Option<(usize, usize)>,
}

impl Again {
    /// Those of a nest that goes down along `outer` and through its rows along `vector`.
    pub fn new(question: &Question<'_>, streamed: &Streamed, outer: &Loop, vector: &Loop) -> Again {
        let read = |&access: &u16| {
            question.nest.accesses[access as usize].1 == Phase::Before
                && question.layout.classes[access as usize] == StrideClass::Unit
                && !streamed.contains(access)
        };
        let read: SmallVec<[u16; 8]> = question.accesses().filter(read).collect();
        let mut again = Again::default();
        for &access in &read {
            let down = question.stride(outer.axis, access) as isize;
            let behind = |&other: &u16| Some((other, question.behind(access, other, down)?));
            let near = |&(_, behind): &(u16, isize)| behind.abs() <= REACH;
            let mut others = read.iter().filter_map(behind).filter(near);
            let comes_first = |(other, behind)| behind > 0 || behind == 0 && other >= access;
            if !others.clone().all(comes_first) || !others.any(|(_, behind)| behind >= down.abs()) {
                continue;
            }
            let size = question.size(access);
            let band = if vector.extent * size <= ROW { BAND } else { 1 };
            let rows = again.tile.map_or(band, |(rows, _)| rows.min(band));
            again.tile = Some((rows, COLUMNS));
            let ahead = if band > 1 { BAND as isize * down } else { AHEAD };
            again.first.push((access, size, ahead));
        }
        again
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Blocks of at most so many elements.
    pub fn shorten(&self, block: usize) -> usize {
        if self.is_empty() { block } else { block.min(BLOCK) }
    }

    /// Asks for what the `n` elements at the `places` of the accesses are ahead of.
    #[inline]
    pub fn fetch(&self, n: usize, places: &[*mut u8]) {
        for &(access, size, ahead) in &self.first {
            let mut place = places[access as usize].wrapping_offset(ahead).cast_const();
            for _ in 0..(n * size).div_ceil(LINE) {
                fetch_far(place);
                place = place.wrapping_add(LINE);
            }
        }
    }
}

/// Rows of a tile: six rows of [`COLUMNS`] doubles take 24 KiB of the first-level cache.
const BAND: usize = 4;

/// Columns of a tile.
const COLUMNS: usize = 512;

/// Columns of a block: asking for more lines at once takes longer than they do to come.
const BLOCK: usize = 256;

/// Bytes of a row, at most, so that the second-level cache has those of two bands.
const ROW: usize = 48 << 10;

/// Bytes ahead in longer rows.
const AHEAD: isize = 8 << 10;

/// Bytes after which a row that is read again is gone from the second-level cache.
const REACH: isize = 512 << 10;

#[cfg(test)]
mod tests {
    use super::{AHEAD, BAND, COLUMNS};
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;

    /// The accesses that come to rows first with the bytes that they ask for ahead, and the tiles, of a sum of three
    /// elements of rows of `columns` elements: at these rows and columns.
    fn again(columns: usize, at: [(usize, usize); 3]) -> (Vec<(u16, isize)>, (usize, usize)) {
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
        with_bound(&text, &arrays, &[8, columns, 0, 1, 2], target, 0, |bound| {
            let first = bound.again.first.iter().map(|&(access, _, ahead)| (access, ahead));
            (first.collect(), bound.tile)
        })
    }

    #[test]
    fn rows_of_a_stencil_are_asked_for_by_the_lowest_access() {
        if Target::of(Level::detect()).is_none() {
            eprintln!("this machine has no machine code");
            return;
        }
        let (whole, row) = ((usize::MAX, usize::MAX), 8192 * 8);
        let down = [(0, 1), (2, 0), (1, 2)];
        assert_eq!(again(1000, down), (vec![(1, BAND as isize * row)], (BAND, COLUMNS)));
        // Of two in the lowest row, the one further along it.
        let level = [(2, 0), (1, 0), (2, 1)];
        assert_eq!(again(1000, level), (vec![(2, BAND as isize * row)], (BAND, COLUMNS)));
        assert_eq!(again(8000, down), (vec![(1, AHEAD)], (1, COLUMNS)), "rows are too long");
        assert_eq!(again(1000, [(1, 0), (1, 1), (1, 2)]), (vec![], whole), "one row");
    }
}

//! Where the nests of a kernel by rows have their rows.

use super::super::bind::Bound;
use super::super::run::worker::Worker;
use super::super::schedule::tuning::LONG_PIECE_ROWS;
use darray_codegen::FoldMode;
use darray_codegen::bind::Loop;
use std::ops::Range;

/// A nest of a kernel by rows.
pub(in super::super) struct RowNest<'r> {
    pub bound: &'r Bound<'r>,
    place: Place,
}

/// Where a nest has its rows.
enum Place {
    /// The vector axis.
    Columns,
    /// One of the outer loops: iterations of the loops around it, rows, iterations of those inside.
    Loop { around: usize, rows: usize, inside: usize },
    /// There is one row, or the nest has none.
    One,
    /// It folds over them.
    Folded,
}

impl<'r> RowNest<'r> {
    /// A bound nest of a kernel by rows.
    pub fn new(bound: &'r Bound<'r>) -> RowNest<'r> {
        let axis = bound.nest.rows();
        let kept = axis.is_some_and(|axis| (axis as usize) < bound.nest.kept);
        let is_rows = |l: &Loop| Some(l.axis) == axis;
        let place = match bound.schedule.rows.iter().position(is_rows) {
            _ if !kept && bound.fold.is_some() => Place::Folded,
            Some(at) => {
                let product = |loops: &[Loop]| loops.iter().map(|l| l.extent).product();
                let (around, inside) =
                    (product(&bound.schedule.rows[..at]), product(&bound.schedule.rows[at + 1..]));
                Place::Loop { around, rows: bound.schedule.rows[at].extent, inside }
            }
            None if is_rows(&bound.schedule.vector) => Place::Columns,
            None => Place::One,
        };
        RowNest { bound, place }
    }

    /// Whether it folds over the rows rather than keeping them.
    pub fn is_folded(&self) -> bool {
        matches!(self.place, Place::Folded)
    }

    /// Rows of the tile.
    pub fn rows(&self) -> usize {
        let fold = self.bound.fold.as_ref();
        match self.place {
            Place::Folded => fold.map_or(0, |fold| fold.extents.first().map_or(1, |&rows| rows)),
            Place::Columns => self.bound.schedule.vector.extent,
            Place::Loop { rows, .. } => rows,
            Place::One => 1,
        }
    }

    /// Whether it folds over a domain without elements.
    pub fn is_empty(&self) -> bool {
        self.is_folded() && self.bound.fold.as_ref().is_some_and(|fold| fold.tree.is_empty())
    }

    /// Rows of a leaf, a power of two, if it folds over them; else 1.
    pub fn leaf(&self) -> usize {
        let fold = self.bound.fold.as_ref().filter(|_| self.is_folded());
        fold.and_then(|fold| fold.blocks.first().copied()).unwrap_or(1)
    }

    /// Bytes of a row in the access that has the most.
    pub fn row_bytes(&self) -> usize {
        let bound = self.bound;
        let reduced = bound.fold.as_ref().map_or(1, |fold| fold.points);
        bound.rows() * bound.schedule.vector.extent * reduced / self.rows().max(1) * 8
    }

    /// Rows of a block at least: where a nest goes along them, rows lie side by side, and few of them would be read in
    /// short pieces.
    pub fn least(&self) -> usize {
        let goes_along = match (&self.bound.schedule.fold, &self.place) {
            (None, Place::Columns) => self.bound.rows() > 1,
            (Some(fold), Place::Columns) => fold.mode == FoldMode::Kept,
            _ => false,
        };
        if goes_along { LONG_PIECE_ROWS } else { 1 }
    }

    /// Runs some of the rows that the nest keeps.
    ///
    /// # Safety
    /// As for [`Worker::run`]; the worker is one for the nest.
    pub unsafe fn run(&self, worker: &mut Worker<'_>, range: Range<usize>) {
        let columns = 0..self.bound.schedule.vector.extent;
        // SAFETY: the rows are inside the nest; the caller's contract.
        unsafe {
            match self.place {
                Place::Columns => worker.run(0..self.bound.rows(), range),
                Place::Loop { around, rows, inside } => {
                    for outer in 0..around {
                        let at = |row: usize| (outer * rows + row) * inside;
                        worker.run(at(range.start)..at(range.end), columns.clone());
                    }
                }
                Place::One | Place::Folded => worker.run(0..self.bound.rows(), columns),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG_PIECE_ROWS as LONG, RowNest};
    use crate::execute::testing::{Array, with_bound};

    #[test]
    fn rows_side_by_side_are_taken_in_long_pieces() {
        let text = |body: &str| {
            format!(
                "kernel params=3 scalars=[] by rows b0: f64 rank 2 read noalias b1: f64 rank 1 readwrite noalias
                 b2: f64 rank 2 write noalias {{ {body} }}"
            )
        };
        let [rows, columns] =
            [0, 1].map(|k| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}"));
        let sums = text(&format!(
            "for ({rows}) {{ fold ({columns}) lanes=32 width=64 rounds=32 alone=8 {{
             %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = exp.f64 %0 }} %2 = sum %1 store b1[p2 + 1*i0] %2 }}"
        ));
        let elements = text(&format!(
            "for ({rows}, {columns}) {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] %1 = load b1[p2 + 1*i0]
             %2 = mul.f64 %0 %1 store b2[p2 + 1*i0, p2 + 1*i1] %2 }}"
        ));
        for (text, strides, least) in [
            (&sums, [1, 300], LONG),
            (&sums, [200, 1], 1),
            (&elements, [1, 300], LONG),
            (&elements, [200, 1], 1),
        ] {
            let arrays = [
                Array { block: 0, offset: 0, strides: &strides },
                Array { block: 1, offset: 0, strides: &[1] },
                Array { block: 2, offset: 0, strides: &strides },
            ];
            let found = with_bound(text, &arrays, &[300, 200, 0], None, usize::MAX, |bound| {
                RowNest::new(bound).least()
            });
            assert_eq!(found, least, "{strides:?} {text}");
        }
    }
}

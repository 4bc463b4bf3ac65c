//! Kept points that lie side by side for the body of a fold, and in rows for what comes after it: as those of a transposed
//! array, whose results are in the order of their own.
//!
//! ```text
//! for (i0, i1) { fold (i2) { %0 = load b0[i2, i1, i0] } .. store b1[i0, i1] }
//!     b0   i1 * extent 0 + i0, a point after the other     b1   rows of points along i0, each across memory
//! ```
//!
//! The body goes along all points of a block, as memory does. The results are written row by row.

use super::fold_way::SHORT;
use super::kept_rows::KeptRows;
use super::worker::Worker;
use darray_codegen::bind::Loop;
use darray_codegen::{Nest, Phase, Program};

/// Those of a nest whose last two kept loops are one for the body of its fold alone; `strides(axis)` are the bytes per step of
/// all accesses.
pub(super) fn find<'s>(
    program: &Program,
    nest: &Nest,
    loops: &[Loop],
    strides: impl Fn(u8) -> &'s [i64],
) -> Option<Box<KeptRows>> {
    let [.., outer, inner] = *loops else { return None };
    let fits = (SHORT..LONG).contains(&inner.extent);
    let plain = nest.fold.is_some() && nest.before.is_empty() && !program.by_rows;
    if !fits || !plain || nest.sum_of_products().is_some() {
        return None;
    }
    // Rows that could be written past the caches would have to begin with a line; what stays along a row is read once for
    // a block, so it has to stay from row to row too.
    KeptRows::new((program, nest), [outer, inner], strides, |access| match access.phase {
        Phase::Fold => access.gap == 0 && (access.along == access.size || access.along == 0),
        _ => access.gap == 0 || (access.along != access.size && access.along != 0),
    })
}

impl Worker<'_> {
    /// Does what comes after the fold of `n` points.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest, whose results lie in the memory.
    pub(super) unsafe fn after(&mut self, n: usize) {
        let bound = self.bound;
        let machine = &bound.specialised.machine;
        let Some(rows) = &bound.result_rows else {
            // SAFETY: the caller's contract.
            return unsafe { self.list(&machine.after, n) };
        };
        let first = machine.table.accesses;
        for point in (0..n).step_by(rows.length) {
            for access in 0..bound.bases.len() {
                let offset = bound.to_point(access, point) as isize;
                let place = self.frame.kept[access].wrapping_offset(offset);
                self.frame.pointers[first + access] = place;
            }
            self.point_at_results(point);
            // SAFETY: the row lies inside the block, which begins with a row.
            unsafe { self.list(&machine.after, rows.length.min(n - point)) };
        }
        self.point_at_results(0);
    }

    /// Points what comes after a fold at its results from a point of the block on.
    pub(super) fn point_at_results(&mut self, point: usize) {
        let Some(fold) = &self.bound.fold else { return };
        self.results_from = point;
        let table = self.bound.specialised.machine.table;
        for (number, item) in fold.items.iter().enumerate() {
            let results = self.memory.result(number, 0).from(point, item.size);
            self.frame.pointers[table.results + number] = results.values;
            self.frame.pointers[table.indices + number] = results.indices;
        }
    }
}

/// Points of a row that is long enough by itself.
const LONG: usize = 4096;

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::nest::unit;
    use crate::execute::testing::{Cube, FOLDS};
    use crate::jit::Target;
    use crate::level::Level;

    #[test]
    fn points_are_one_row_for_the_body_and_several_for_the_results() {
        // In memory: 50 planes of 30 rows of 40.
        let reversed = |to: &'static [i64]| Cube {
            extents: [40, 30, 50],
            strides: [1, 40, 1200],
            reduced: &[2],
            to,
        };
        let turned =
            Cube { extents: [40, 50, 30], strides: [1, 1200, 40], reduced: &[1], to: &[30, 1] };
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for fold in FOLDS {
                for (cube, length) in [
                    (&reversed(&[30, 1]), Some(40)),
                    (&turned, Some(40)),
                    // Results with gaps.
                    (&reversed(&[64, 2]), Some(40)),
                    // In the order of the elements: one row of both.
                    (&reversed(&[1, 40]), None),
                    // Rows of results that could be written past the caches.
                    (&reversed(&[1, 50]), None),
                ] {
                    let look = |bound: &Bound<'_>| {
                        let rows = bound.result_rows.as_ref();
                        if let Some(rows) = rows {
                            let blocks = [bound.block, unit(bound, 1), unit(bound, 3)];
                            assert!(
                                blocks.iter().all(|block| block % rows.length == 0),
                                "whole rows"
                            );
                        }
                        rows.map(|rows| rows.length)
                    };
                    let (expected, none) = cube.fold(fold, None, look);
                    let (bits, seen) = cube.fold(fold, Some(target), look);
                    let name = format!("{target:?} {fold:?} {:?} {:?}", cube.strides, cube.to);
                    assert_eq!((none, seen), (None, length), "{name}");
                    assert!(bits == expected, "{name}");
                }
            }
        }
    }
}

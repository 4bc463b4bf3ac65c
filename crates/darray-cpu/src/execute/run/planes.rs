//! Planes of few short rows: a call for the rows of one would be one for little, so the first rows of many planes are run by one
//! call, then the second ones.
//!
//! ```text
//! (100000, 2, 4)    rows 0, 2, 4 .. 254    rows 1, 3, 5 .. 255    rows 256, 258 ..
//! ```

use super::super::bind::Bound;
use smallvec::SmallVec;
use std::ops::Range;

/// Planes whose rows are run together.
pub(in super::super) struct Planes {
    /// Rows of a plane.
    pub rows: usize,
    /// Bytes from plane to plane, access by access.
    pub steps: SmallVec<[isize; 8]>,
    /// Planes that lie so far apart.
    count: usize,
    /// Planes that are run together, at most.
    most: usize,
}

impl Planes {
    /// Those of a bound nest without a fold, if its schedule has any.
    pub fn of(bound: &Bound<'_>) -> Option<Planes> {
        let most = bound.schedule.planes?;
        let [.., around, inner] = bound.schedule.rows[..] else { return None };
        let step = |access: usize| bound.stride(around.axis, access) as isize;
        let steps = (0..bound.bases.len()).map(step).collect();
        Some(Planes { rows: inner.extent, steps, count: around.extent, most })
    }

    /// These planes and how many begin with some rows, unless it is too few, or the first row is within a plane.
    pub fn at(&self, rows: Range<usize>) -> Option<(&Planes, usize)> {
        let (plane, begun) = (rows.start / self.rows, rows.start % self.rows);
        let count = (rows.len() / self.rows).min(self.count - plane % self.count).min(self.most);
        (begun == 0 && count > self.rows).then_some((self, count))
    }
}

#[cfg(test)]
mod tests {
    use super::Planes;
    use crate::execute::schedule::tuning::PLANES_BYTES;
    use crate::execute::testing::{Array, run};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;
    use smallvec::smallvec;

    #[test]
    fn planes_begin_with_a_row_and_end_with_the_axis() {
        let planes = Planes { rows: 3, steps: smallvec![], count: 10, most: 6 };
        let at = |rows| planes.at(rows).map(|(_, count)| count);
        assert_eq!(at(0..90), Some(6));
        assert_eq!(at(15..90), Some(5), "the others are elsewhere");
        assert_eq!(at(21..90), None, "as many as rows");
        assert_eq!(at(1..90), None, "the first plane has begun");
        assert_eq!(at(30..44), Some(4), "the last one is cut");
    }

    /// `b1[i, j, k] = b0[i, k] - b0[j, k]` with any steps, and the same in place.
    #[test]
    fn rows_of_many_planes_are_run_by_one_call() {
        let text = |body: &str| {
            format!(
                "kernel params=4 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank 3 readwrite noalias
                    b2: f64 rank 3 read noalias
                 {{ for (i0: extent=p0 origin=p3 global=p0 logical=0,
                         i1: extent=p1 origin=p3 global=p1 logical=1,
                         i2: extent=p2 origin=p3 global=p2 logical=2) {{
                     %0 = load b0[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2]
                     %1 = load b2[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2]
                     {body} store b1[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2] %9 }} }}"
            )
        };
        let difference = text("%9 = sub.f64 %0 %1");
        let in_place = text(
            "%2 = load b1[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2] %3 = add.f64 %2 %0 %9 = mul.f64 %3 %1",
        );
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for [planes, rows, columns] in [
                [300, 2, 4],
                [211, 2, 5],
                [150, 3, 8],
                [77, 5, 17],
                [40, 8, 9],
                [9, 2, 30],
                [4, 5, 8],
                [3, 3, 8],
            ] {
                let (k, n) = ((rows * columns) as i64, columns as i64);
                let arrays = [
                    // The same in all rows of a plane; backwards from plane to plane; the same in all planes.
                    Array { block: 0, offset: 0, strides: &[n, 0, 1] },
                    Array { block: 1, offset: (planes - 1) * rows * columns, strides: &[-k, n, 1] },
                    Array { block: 0, offset: 0, strides: &[0, n, 1] },
                ];
                for (body, accesses) in [(&difference, 3), (&in_place, 4)] {
                    let params = [planes, rows, columns, 0];
                    let sizes = (planes * rows * columns, planes * rows * columns);
                    let bits = |jit| run(body, &arrays, &params, jit, usize::MAX, sizes, |_| ()).0;
                    let expected = bits(None);
                    let mut found = Vec::new();
                    let ran = PathCounter::during(|| found = bits(Some(target)));
                    let name = format!("{target:?} {planes} {rows} {columns}");
                    assert!(found == expected, "{name}");
                    let most = PLANES_BYTES / (rows * columns * accesses * 8);
                    let together = if planes.min(most) > rows { planes * rows } else { 0 };
                    // What is left over of many is as few as rows, at most.
                    let not = together - ran[PathCounter::RowsOfPlanes as usize];
                    assert!(not <= rows * rows, "{name}: {not} of {together} rows one by one");
                    assert!(together == 0 || not < together, "{name}");
                }
            }
        }
    }
}

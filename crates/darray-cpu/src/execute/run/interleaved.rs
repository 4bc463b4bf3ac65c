//! Copies to or from elements that are side by side in a short loop: all of these are written, or read, for an index of the long one
//! before the next.
//!
//! ```text
//! for (i0: extent 3) { for (i1: extent 1000) { store b1[i0 + 3 * i1] (load b0[i1]) } }     every element three times
//! for (i0: extent 3) { for (i1: extent 1000) { store b1[1000 * i0 + i1] (load b0[i0 + 3 * i1]) } }   a plane of each channel
//! ```
//!
//! Loop by loop, each line would be gone through as often as the short loop has indices, with gaps.

use super::super::bind::Bound;
use super::super::schedule::Interleaved;
use super::super::schedule::summary::Copied;
use super::worker::Worker;
use crate::vector::{self, MOST_INTERLEAVED};
use smallvec::SmallVec;
use std::ops::Range;

impl Worker<'_> {
    /// Copies some rows and some columns of each.
    ///
    /// # Safety
    /// As for [`run`](Worker::run); the nest is interleaved.
    pub(in super::super) unsafe fn interleave(
        &mut self,
        Interleaved { copy: Copied { from, to, size }, is_written }: Interleaved,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        let bound: &Bound<'_> = self.bound;
        let Some(inner) = bound.schedule.rows.last() else { return };
        let mut row = rows.start;
        while row < rows.end {
            let together = (inner.extent - row % inner.extent).min(rows.end - row);
            self.odometer_at(row);
            self.start_row(columns.start);
            let along = |access: usize| bound.stride(bound.schedule.vector.axis, access);
            let first = |access: usize| self.frame.kept[access];
            let row_of = |access: usize, row: i64| {
                first(access).wrapping_offset((row * bound.stride(inner.axis, access)) as isize)
            };
            let rows = 0..together as i64;
            // SAFETY: the caller's contract; elements of one size, of these rows and columns.
            unsafe {
                match is_written {
                    true => {
                        let source = |row| (row_of(from, row).cast_const(), along(from));
                        let sources: SmallVec<[_; MOST_INTERLEAVED]> = rows.map(source).collect();
                        vector::interleave(&sources, (first(to), along(to)), columns.len(), size);
                    }
                    false => {
                        let rows: SmallVec<[*mut u8; MOST_INTERLEAVED]> =
                            rows.map(|row| row_of(to, row)).collect();
                        let from = (first(from).cast_const(), along(from));
                        vector::separate(from, &rows, columns.len(), size);
                    }
                }
            }
            row += together;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::schedule::{Body, Interleaved};
    use crate::execute::testing::{self, Array};

    /// Copies a matrix with these strides to one with those, which have no gaps, and what is known of it.
    fn copy(
        [rows, columns]: [usize; 2],
        from: [i64; 2],
        to: [i64; 2],
    ) -> (Vec<u64>, Option<Interleaved>) {
        let text =
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias
             { for (i0: extent=p0 origin=p2 global=p0 logical=0, i1: extent=p1 origin=p2 global=p1 logical=1) {
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] store b1[p2 + 1*i0, p2 + 1*i1] %0 } }";
        let arrays = [
            Array { block: 0, offset: 0, strides: &from },
            Array { block: 1, offset: 0, strides: &to },
        ];
        let params = [rows, columns, 0];
        let size =
            (1 + (rows - 1) * from[0] as usize + (columns - 1) * from[1] as usize, rows * columns);
        let (bits, seen) =
            testing::run(text, &arrays, &params, None, usize::MAX, size, interleaved);
        (bits, seen[0])
    }

    fn interleaved(bound: &Bound<'_>) -> Option<Interleaved> {
        match bound.schedule.body {
            Body::Interleaved(interleaved) => Some(interleaved),
            _ => None,
        }
    }

    #[test]
    fn elements_of_a_short_loop_are_written_together() {
        for short in 2..=9_usize {
            for (rows, columns) in [(short, 1000), (1000, short), (short, 77)] {
                let (short_first, n) = (rows == short, short as i64);
                let to = if short_first { [1, n] } else { [n, 1] };
                // Each element so often, and a matrix that is transposed.
                let along = if short_first { [0, 1] } else { [1, 0] };
                let across = if short_first { [1000, 1] } else { [1, 1000] };
                for from in [along, across] {
                    let (bits, seen) = copy([rows, columns], from, to);
                    assert_eq!(seen.is_some(), short <= 8, "{short} {from:?}");
                    let at = |i: usize, j: usize, [down, right]: [i64; 2]| {
                        i * down as usize + j * right as usize
                    };
                    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
                        let want = (1.0 / (at(i, j, from) + 3) as f64).to_bits();
                        assert_eq!(bits[at(i, j, to)], want, "{i} {j} of {rows} x {columns}");
                    }
                }
            }
        }
        assert_eq!(copy([3, 1000], [0, 1], [1000, 1]).1, None, "elements are far apart");
    }

    #[test]
    fn elements_of_a_short_loop_are_read_together() {
        for short in 2..=9_usize {
            for long in [700, 77, 9, 8] {
                // As they lie in memory, and with gaps between groups.
                let n = short as i64;
                for step in [n, n + 3] {
                    let (bits, seen) = copy([short, long], [1, step], [long as i64, 1]);
                    let is_read = seen.is_some_and(|copy| !copy.is_written);
                    // Eight and more are transposed.
                    assert_eq!(is_read, short < 8 && long > 8, "{short} x {long}, {step} apart");
                    for (i, j) in (0..short).flat_map(|i| (0..long).map(move |j| (i, j))) {
                        let want = (1.0 / ((i + j * step as usize) + 3) as f64).to_bits();
                        assert_eq!(bits[i * long + j], want, "{i} {j} of {short} x {long}");
                    }
                }
            }
        }
        assert_eq!(copy([3, 1000], [1, 3], [2000, 2]).1, None, "what is written has gaps");
    }

    /// Stores so many values, of places a thousand elements apart, side by side, `step` elements from one index to the next.
    fn store_beside(count: usize, step: usize, n: usize) -> Vec<u64> {
        let loads: String =
            (0..count).map(|k| format!("%{k} = load b0[p{} + 1*i0] ", 2 + k)).collect();
        let stores: String =
            (0..count).map(|k| format!("store b1[p1 + 1*i0, p{}] %{k} ", 2 + count + k)).collect();
        let text = format!(
            "kernel params={} scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 2 write noalias
             {{ for (i0: extent=p0 origin=p1 global=p0 logical=0) {{ {loads} {stores} }} }}",
            2 + 2 * count
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[1] },
            Array { block: 1, offset: 0, strides: &[step as i64, 1] },
        ];
        let (places, beside) = ((0..count).map(|k| 1000 * k), 0..count);
        let params: Vec<usize> = [n, 0].into_iter().chain(places).chain(beside).collect();
        let size = (1000 * count + n, step * n + count);
        testing::run(&text, &arrays, &params, None, usize::MAX, size, |_| ()).0
    }

    #[test]
    fn what_is_stored_side_by_side_is_what_was_stored_one_by_one() {
        for (count, n) in
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 13].map(|count| [(count, 700), (count, 5)]).concat()
        {
            // Without gaps, with gaps, and with elements that the last one stored keeps.
            for step in [count, count + 2, (count / 2).max(1)] {
                let mut expected = vec![0; step * n + count];
                for k in 0..count {
                    for i in 0..n {
                        expected[step * i + k] = (1.0 / (1000 * k + i + 3) as f64).to_bits();
                    }
                }
                let stored = store_beside(count, step, n);
                assert!(stored == expected, "{count} values, {step} apart, {n} times");
            }
        }
    }

    /// Of several outer loops, the innermost one is the short one: rows of it begin anew for each index of the others.
    #[test]
    fn planes_of_a_short_loop_are_written_one_by_one() {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p3 global=p{k} logical={k}");
        let text = format!(
            "kernel params=4 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank 3 write noalias
             {{ for ({}, {}, {}) {{ %0 = load b0[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2]
                store b1[p3 + 1*i0, p3 + 1*i1, p3 + 1*i2] %0 }} }}",
            axis(0),
            axis(1),
            axis(2)
        );
        // Planes apart, so that the outer loops are not one; rows in order, and backwards.
        for (from, offset) in [([900, 300, 1], 0), ([900, 300, -1], 299)] {
            let to = [1000, 1, 3];
            let arrays = [
                Array { block: 0, offset, strides: &from },
                Array { block: 1, offset: 0, strides: &to },
            ];
            let params = [5, 3, 300, 0];
            let (bits, seen) =
                testing::run(&text, &arrays, &params, None, usize::MAX, (5000, 5000), |bound| {
                    (interleaved(bound).is_some(), bound.schedule.rows.len())
                });
            assert_eq!(seen, [(true, 2)]);
            for (i, j, k) in
                (0..5).flat_map(|i| (0..3).flat_map(move |j| (0..300).map(move |k| (i, j, k))))
            {
                let at = |[a, b, c]: [i64; 3]| i * a + j * b + k * c;
                let want = 1.0 / (offset as i64 + at(from) + 3) as f64;
                assert_eq!(bits[at(to) as usize], want.to_bits(), "{i} {j} {k} of {from:?}");
            }
        }
    }
}

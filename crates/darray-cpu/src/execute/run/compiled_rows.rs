//! Nests that are one compiled function: row after row without the block loop in between.
//!
//! While a row's last stores wait for their lines, what is done between two rows waits behind them, and the
//! loads of the next row wait for that. So it had better be little.

use super::super::schedule::tuning::STENCIL_ROWS;
use super::planes::Planes;
use super::worker::Worker;
use crate::jit::Native;
#[cfg(test)]
use crate::jit::PathCounter;
use smallvec::SmallVec;
use std::ops::Range;

impl Worker<'_> {
    /// Runs some rows and some columns of each, tile by tile, by the function of this number, which is
    /// [`before_alone`](super::super::code::machine::Machine::before_alone).
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    pub(in super::super) unsafe fn compiled_rows(
        &mut self,
        number: u32,
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        if rows.is_empty() || columns.is_empty() {
            return;
        }
        let bound = self.bound;
        let machine = &bound.specialised.machine;
        let native = &machine.natives[number as usize];
        let inner = bound.schedule.rows.last();
        let extent = inner.map_or(1, |inner| inner.extent);
        let step = |access: usize| inner.map_or(0, |l| bound.stride(l.axis, access) as isize);
        let steps: SmallVec<[isize; 8]> = (0..bound.bases.len()).map(step).collect();
        let equal = bound.schedule.non_temporal.begins_equal(&steps);
        let (high, wide) = bound.schedule.tile;
        debug_assert!(
            bound.panels.is_empty() || columns.len() <= wide,
            "panels lie elsewhere in every tile"
        );
        let high =
            if bound.schedule.non_temporal.is_by_code() { high.min(STENCIL_ROWS) } else { high };
        let planes = Planes::of(bound);
        let mut row = rows.start;
        while row < rows.end {
            if let Some((planes, count)) = planes.as_ref().and_then(|it| it.at(row..rows.end)) {
                for of_plane in 0..planes.rows {
                    self.odometer_at(row + of_plane);
                    self.start_row(columns.start);
                    let pointers = &mut self.frame.pointers;
                    #[cfg(test)]
                    PathCounter::RowsOfPlanes.add(count);
                    // SAFETY: the caller's contract; these rows are one of each of so many planes.
                    unsafe { native.run_rows(pointers, columns.len(), count, &planes.steps) };
                }
                row += count * planes.rows;
                continue;
            }
            let count = (extent - row % extent).min(rows.end - row).min(high);
            self.odometer_at(row);
            self.start_row(columns.start);
            for column in columns.clone().step_by(wide) {
                let columns = column..column.saturating_add(wide).min(columns.end);
                // SAFETY: tiles are disjoint, the rest is the caller's contract.
                unsafe {
                    if machine.indexed {
                        self.start_row(columns.start);
                        self.list(&machine.before_row, 1);
                        native.run_rows(&mut self.frame.pointers, columns.len(), count, &steps);
                    } else {
                        self.compiled_tile(native, count, equal, &steps, columns);
                    }
                }
            }
            row += count;
        }
    }

    /// Runs some columns of rows that lie so many `steps` apart; the operands are at the first of the columns, and then
    /// behind the last of them.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn compiled_tile(
        &mut self,
        native: &Native,
        count: usize,
        equal: bool,
        steps: &[isize],
        columns: Range<usize>,
    ) {
        let along = &self.bound.schedule.along;
        let wide = columns.len() as isize;
        // SAFETY: the caller's contract.
        unsafe {
            if equal {
                let moved = self.equal_rows(native, count, steps, columns);
                let back = count as isize - 1;
                let step = |k: usize| (wide - moved) * along[k] as isize - back * steps[k];
                return self.step_operands(step);
            }
            for _ in 0..count {
                let moved = self.equal_rows(native, 1, steps, columns.clone());
                self.step_operands(|access| steps[access] - moved * along[access] as isize);
            }
            let back = count as isize;
            self.step_operands(|k| wide * along[k] as isize - back * steps[k]);
        }
    }

    /// Runs some columns of rows that lie so many `steps` apart; the operands are at the first of the columns. What
    /// is written by non-temporal stores begins with a line, at the same column in all of them, but for the first of the
    /// row: cuts move to there, and what comes before the rows' first line is done by itself. Gives how many
    /// columns the operands have moved, in the last row.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    unsafe fn equal_rows(
        &mut self,
        native: &Native,
        count: usize,
        steps: &[isize],
        columns: Range<usize>,
    ) -> isize {
        let bound = self.bound;
        let rest = bound.schedule.vector.extent - columns.start;
        let places = &self.frame.pointers[bound.specialised.machine.table.accesses..];
        let before = bound.schedule.non_temporal.before_line(places, 0).min(rest);
        let end = match columns.len() {
            all if all == rest => rest,
            some => rest.min(some + bound.schedule.non_temporal.before_line(places, some)),
        };
        // SAFETY: the frame is laid out for the machine; the columns lie inside the nest, and the cuts are the same for
        // the columns on both sides.
        unsafe {
            if before > 0 {
                let mut back = 0;
                if columns.start == 0 {
                    native.run_rows(&mut self.frame.pointers, before, count, steps);
                    back = count as isize - 1;
                }
                let along = |access: usize| bound.schedule.along[access] as isize;
                self.step_operands(|k| before as isize * along(k) - back * steps[k]);
            }
            native.run_rows(&mut self.frame.pointers, end - before, count, steps);
        }
        before as isize
    }

    /// Moves the operands that are accesses by so many bytes.
    fn step_operands(&mut self, step: impl Fn(usize) -> isize) {
        let first = self.bound.specialised.machine.table.accesses;
        let pointers = &mut self.frame.pointers[first..first + self.bound.bases.len()];
        for (access, pointer) in pointers.iter_mut().enumerate() {
            *pointer = pointer.wrapping_offset(step(access));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{self, Array};
    use crate::jit::Target;
    use crate::level::Level;

    /// Extents of the domain and its place in an array, which has so many elements of the last axis.
    const EXTENTS: [usize; 3] = [3, 14, 277];
    const PLACE: [usize; 3] = [1, 2, 5];

    /// What a kernel over a part of `b0` writes to `b1`, and which of its nests are one function, where nests are large
    /// that touch so many bytes, and rows of the arrays have so many elements.
    fn run(text: &str, jit: Option<Target>, large: usize, row: usize) -> (Vec<u64>, Vec<bool>) {
        let whole = [5, 17, row];
        let strides = [whole[1] * whole[2], whole[2], 1].map(|step| step as i64);
        let arrays = [0, 1].map(|block| Array { block, offset: 0, strides: &strides });
        let params: Vec<usize> = EXTENTS.into_iter().chain(PLACE).chain([0]).collect();
        let count = whole.iter().product();
        testing::run(text, &arrays, &params, jit, large, (count, count), |bound| {
            let machine = &bound.specialised.machine;
            machine.before_alone.is_some() || machine.fold_function.is_some()
        })
    }

    /// A kernel over `EXTENTS` at `PLACE`, its axes in `kept` loops and `folded` ones.
    fn kernel(kept: &[usize], folded: &[usize], body: &str, tree: &str) -> String {
        let axis = |k: &usize| format!("i{k}: extent=p{k} origin=p6 global=p{k} logical={k}");
        let axes = |list: &[usize]| list.iter().map(axis).collect::<Vec<_>>().join(", ");
        let head =
            "kernel params=7 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank 3 write noalias";
        let to = if kept.is_empty() { "p3, p4, p5" } else { "p3 + 1*i0, p4, p5" };
        let body = match folded {
            [] => body.to_string(),
            _ => {
                format!("fold ({}) {tree} {{ {body} }} %9 = sum %8 store b1[{to}] %9", axes(folded))
            }
        };
        match kept {
            [] => format!("{head} {{ {body} }}"),
            _ => format!("{head} {{ for ({}) {{ {body} }} }}", axes(kept)),
        }
    }

    #[test]
    fn folds_for_many_points_are_one_function() {
        // 70 indices of 1,111 points: groups of points and a rest, whole leaves and a part of one.
        let text = |tree: &str, reducer: &str| {
            format!(
                "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
                 {{ for (i0: extent=p0 origin=p2 global=p0 logical=1) {{
                    fold (i1: extent=p1 origin=p2 global=p1 logical=0)
                    {tree} {{
                    %0 = load b0[p2 + 1*i1, p2 + 1*i0] %1 = mul.f64 %0 %0 }}
                    %2 = {reducer} %1 store b1[p2 + 1*i0] %2 }} }}"
            )
        };
        const POINTS: usize = 1111;
        const INDICES: usize = 70;
        let [lanes, pairs] =
            ["lanes=32 width=64 rounds=32 alone=8", "lanes=1 width=1 rounds=1 alone=8"];
        for (tree, reducer) in [(lanes, "sum"), (pairs, "sum"), (lanes, "max")] {
            let text = text(tree, reducer);
            let arrays = [
                Array { block: 0, offset: 0, strides: &[POINTS as i64, 1] },
                Array { block: 1, offset: 0, strides: &[1] },
            ];
            let params = [POINTS, INDICES, 0];
            let run = |jit: Option<Target>| {
                let elements = (POINTS * INDICES, POINTS);
                let seen = |bound: &Bound<'_>| {
                    let alone = bound.specialised.machine.fold_function.is_some();
                    (alone, bound.schedule.vector.extent)
                };
                let (bits, nests) =
                    testing::run(&text, &arrays, &params, jit, usize::MAX, elements, seen);
                assert_eq!(nests, [(jit.is_some(), POINTS)], "one function, along the points");
                bits
            };
            let expected = run(None);
            assert!(expected.iter().all(|&bits| bits != 0), "{text}");
            for target in Target::ALL.into_iter().filter(|t| t.level() <= Level::detect()) {
                assert!(run(Some(target)) == expected, "{text}");
            }
        }
    }

    #[test]
    fn rows_of_one_function_are_those_of_the_block_loop() {
        let load = "%0 = load b0[p3 + 1*i0, p4 + 1*i1, p5 + 1*i2]";
        let store = "store b1[p3 + 1*i0, p4 + 1*i1, p5 + 1*i2] %8";
        let product = format!("{load} %1 = mul.f64 %0 %0 %8 = add.f64 %1 %0");
        let indexed = format!("{load} %1 = index i2 %2 = to_f64.i64 %1 %8 = mul.f64 %0 %2");
        let indices: String = (0..3).map(|axis| format!("%1{axis} = index i{axis} ")).collect();
        let place = format!(
            "{load} {indices} %2 = mul.i64 %10 %11 %3 = sub.i64 %12 %2 %4 = to_f64.i64 %3 %8 = mul.f64 %0 %4"
        );
        let small = "lanes=32 width=64 rounds=1 alone=2";
        let large = "lanes=32 width=64 rounds=32 alone=8";
        let all = [0, 1, 2];
        let cases = [
            (kernel(&all, &[], &format!("{product} {store}"), ""), true),
            (kernel(&all, &[], &format!("{indexed} {store}"), ""), true),
            (kernel(&all, &[], &format!("{place} {store}"), ""), true),
            (kernel(&[], &all, &product, small), true),
            (kernel(&[], &all, &product, large), true),
            (kernel(&[], &all, &indexed, large), false),
            (kernel(&[0], &[1, 2], &product, small), true),
            (kernel(&[0], &[1, 2], &product, large), true),
        ];
        // Of rows of 288 elements all begin equal in their lines.
        for ((text, alone), row) in cases.iter().flat_map(|case| [(case, 283), (case, 288)]) {
            let (expected, none) = run(text, None, usize::MAX, row);
            assert!(expected.iter().any(|&bits| bits != 0), "{text}");
            assert!(none.iter().all(|&alone| !alone), "{text}");
            for target in Target::ALL.into_iter().filter(|t| t.level() <= Level::detect()) {
                for large in [usize::MAX, 0] {
                    let (written, found) = run(text, Some(target), large, row);
                    assert_eq!(found.contains(&true), *alone, "{text}");
                    assert!(written == expected, "{text}, large from {large}, rows of {row}");
                }
            }
        }
    }
}

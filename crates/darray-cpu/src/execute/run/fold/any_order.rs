//! Folds whose result does not depend on the order, of elements that lie side by side: loops of their own, which do not
//! follow the tree.
//!
//! ```text
//! any, all          of bool: as far as the first element that decides
//! sum               of bool as i64: counts bytes
//! argmin, argmax    the best value, block by block, then where it is in the first block that has it
//! ```
//!
//! `any` and `all` of anything else are folded leaf by leaf as others are, as far as one is [decided](super::decided).

use super::FoldRun;
use crate::execute::bind::fold::AnyOrder;
use crate::execute::code::FoldLoops;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::vector::{Accumulators, Found};
use smallvec::SmallVec;
use std::ops::Range;

impl FoldRun<'_> {
    /// Folds `n` points, each a row, to their results, if that is possible without a walk for each.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub(super) unsafe fn points_in_any_order(&mut self, n: usize) -> bool {
        let (bound, fold) = (self.bound, self.fold);
        let (Some(any_order), &[row]) = (fold.any_order, &fold.extents[..]) else { return false };
        let is_one = fold.tree.slots() == 1 && fold.points > 0;
        let access = usize::from(any_order.access);
        if !is_one {
            return false;
        }
        self.at_block();
        self.point_at(&[0], 0);
        let first = self.frame.pointers[bound.specialised.machine.table.accesses + access];
        let to = self.memory.result(0, 0);
        let start = self.nothing_found(self.place(&[0]));
        #[cfg(test)]
        [PathCounter::RowsInAnyOrder, PathCounter::PointsInAnyOrder]
            .iter()
            .for_each(|ran| ran.add(n));
        for point in 0..n {
            let from = match bound.nest.kept {
                0 => first,
                _ => first.wrapping_offset(
                    (point as i64 * bound.stride(bound.schedule.vector.axis, access)) as isize,
                ),
            };
            // SAFETY: the caller's contract: a row of elements of every point, and its result.
            unsafe {
                let found = (any_order.fold)(start, from, row, start.index);
                write_found(found, &fold.items[0], to.from(point, fold.items[0].size));
            }
        }
        true
    }

    /// What is found among no elements, the first of which would be at a place.
    fn nothing_found(&self, index: i64) -> Found {
        let item = &self.fold.items[0];
        let value = if self.fold.tree.is_empty() { item.empty } else { item.start };
        Found { value, index, decided: false }
    }

    /// Folds all of the tile of a point to its result, if that is possible at once.
    ///
    /// # Safety
    /// The frame is at a block of the bound nest that has the point.
    pub(super) unsafe fn tile_in_any_order(&mut self, point: usize) -> bool {
        let fold = self.fold;
        let is_one = fold.tree.slots() == 1 && fold.points > 0;
        let Some(any_order) = fold.any_order.filter(|_| is_one) else { return false };
        let ranges: SmallVec<[Range<usize>; 4]> = fold.extents.iter().map(|&n| 0..n).collect();
        let to = self.memory.result(0, 0).from(point, fold.items[0].size);
        // SAFETY: the caller's contract; results have room for the whole block.
        unsafe {
            let found = self.in_any_order(any_order, &ranges, point);
            write_found(found, &self.fold.items[0], to);
        }
        true
    }

    /// Folds a leaf to its value, at a position of the stack, if there is a loop that does.
    ///
    /// # Safety
    /// As for [`leaf`](Self::leaf).
    pub(super) unsafe fn leaf_in_any_order(
        &mut self,
        ranges: &[Range<usize>],
        position: usize,
        point: usize,
    ) -> bool {
        let Some(any_order) = self.fold.any_order else { return false };
        // SAFETY: the caller's contract; vectors of the stack hold a value.
        unsafe {
            let found = self.in_any_order(any_order, ranges, point);
            write_found(found, &self.fold.items[0], self.memory.stack(0, position));
        }
        true
    }

    /// Folds the elements of some ranges, as far as they decide.
    unsafe fn in_any_order(
        &mut self,
        any_order: AnyOrder,
        ranges: &[Range<usize>],
        point: usize,
    ) -> Found {
        let (bound, fold) = (self.bound, self.fold);
        if let [row] = ranges
            && !row.is_empty()
        {
            let at = [row.start];
            let found = self.nothing_found(self.place(&at));
            // SAFETY: the caller's range lies inside the reduced extent.
            return unsafe { self.row_in_any_order(any_order, found, (&at, row.len()), point) };
        }
        let mut found = self.nothing_found(self.first_place(ranges));
        // Rows that follow one another are one.
        let mut last = ranges.len() - 1;
        let mut length = ranges[last].len();
        while last > 0
            && ranges[last] == (0..fold.extents[last])
            && fold.position_steps[last - 1]
                == fold.position_steps[last] * fold.extents[last] as i64
            && fold.step(bound, last - 1, any_order.access.into())
                == fold.step(bound, last, any_order.access.into()) * fold.extents[last] as i64
        {
            last -= 1;
            length *= ranges[last].len();
        }
        let mut start: SmallVec<[usize; 4]> = ranges.iter().map(|range| range.start).collect();
        // SAFETY: the caller's ranges lie inside the reduced extents.
        unsafe {
            let row_of = |range: &Range<usize>| range.start..range.end.min(range.start + 1);
            let along = std::iter::once(row_of(&ranges[last]));
            let rows_at: SmallVec<[Range<usize>; 4]> =
                ranges[..last].iter().cloned().chain(along).collect();
            self.rows(&rows_at, |this, at| {
                if found.decided {
                    return;
                }
                start[..=last].copy_from_slice(at);
                found = this.row_in_any_order(any_order, found, (&start, length), point);
            });
        }
        found
    }

    /// Folds so many elements side by side, from these reduced indices on, into what was found before them.
    unsafe fn row_in_any_order(
        &mut self,
        any_order: AnyOrder,
        found: Found,
        (at, length): (&[usize], usize),
        point: usize,
    ) -> Found {
        self.point_at(at, point);
        let accesses = self.bound.specialised.machine.table.accesses;
        let from = self.frame.pointers[accesses + usize::from(any_order.access)];
        #[cfg(test)]
        PathCounter::RowsInAnyOrder.add(1);
        // SAFETY: the caller's elements.
        unsafe { (any_order.fold)(found, from, length, self.place(at)) }
    }
}

/// Writes what was found to where one accumulator of an item is.
///
/// # Safety
/// There is one.
pub(super) unsafe fn write_found(found: Found, item: &FoldLoops, to: Accumulators) {
    // SAFETY: the caller's accumulator holds a value and, of reducers with indices, an index.
    unsafe {
        let value = (&raw const found.value).cast::<u8>();
        value.copy_to_nonoverlapping(to.values, item.size);
        if item.indexed() {
            to.indices.cast::<i64>().write(found.index);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Streaming;
    use crate::execute::launch::launch;
    use crate::execute::testing::{Array, with_arguments};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;
    use crate::workers::Workers;

    /// What a kernel writes to its second block, of bytes that were 0xaa, the first one having `bytes`; and what has been
    /// counted meanwhile on this thread: rows in any order, folds that were decided, walks that ended there, points of one leaf,
    /// points without a walk.
    fn run(
        kernel: &str,
        bytes: &[u8],
        (strides, params): (&[&[i64]], &[usize]),
        jit: Option<Target>,
        threads: usize,
    ) -> (Vec<u8>, [usize; 5]) {
        let array =
            |(block, strides): (usize, &&'static [i64])| Array { block, offset: 0, strides };
        let strides: Vec<&'static [i64]> =
            strides.iter().map(|s| s.to_vec().leak() as &_).collect();
        let arrays: Vec<Array<'_>> = strides.iter().enumerate().map(array).collect();
        with_arguments(kernel, &arrays, params, jit, |compiled, arguments, blocks| {
            let counts = || {
                use PathCounter::{Decided, OneLeaf, PointsInAnyOrder, RowsInAnyOrder, WalksEnded};
                [RowsInAnyOrder, Decided, WalksEnded, OneLeaf, PointsInAnyOrder]
                    .map(PathCounter::count)
            };
            let before = counts();
            assert!(bytes.len() <= 1 << 20);
            // SAFETY: the blocks are a mebibyte each, and nobody else knows them.
            let written = unsafe {
                blocks[0].cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
                blocks[1].cast::<u8>().write_bytes(0xaa, 1 << 12);
                let streaming = Streaming::from(usize::MAX);
                launch(compiled, arguments, &Workers::new(threads, 0), streaming).unwrap();
                (0..1 << 12).map(|k| blocks[1].cast::<u8>().add(k).read()).collect()
            };
            let after = counts();
            (written, std::array::from_fn(|k| after[k] - before[k]))
        })
    }

    /// A fold over the last axes of a matrix: all of it (`kept` 0) or its rows; `fold` is the body and what is folded.
    fn kernel(kept: usize, (from, to): (&str, &str), (body, fold): (&str, &str)) -> String {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
        let tree = "lanes=32 width=64 rounds=32 alone=8";
        let (begin, place, end) = match kept {
            0 => (format!("fold ({}, {})", axis(0), axis(1)), "", ""),
            _ => (format!("for ({}) {{ fold ({})", axis(0), axis(1)), "p2 + 1*i0", "}"),
        };
        format!(
            "kernel params=3 scalars=[] b0: {from} rank 2 read noalias b1: {to} rank {kept} write noalias
             {{ {begin} {tree} {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }} {fold} store b1[{place}] %9 {end} }}"
        )
    }

    fn jits() -> impl Iterator<Item = Option<Target>> {
        let targets = Target::ALL.into_iter().filter(|target| target.level() <= Level::detect());
        targets.map(Some).chain([None])
    }

    #[test]
    fn plain_rows_do_not_follow_the_tree() {
        let mut bools = vec![0u8; 200_000];
        bools[150_123] = 1;
        let any = ("", "%9 = any %0");
        let count = ("%1 = to_i64.bool %0", "%9 = sum %1");
        // Kept axes, what is folded, columns, the step of a row; what is written first, and rows of a thread that is alone.
        for (kept, to, fold, columns, step, value, rows) in [
            // Rows that follow one another are one.
            (0, "bool", any, 2000, 2000, 1u8, 1),
            (0, "bool", any, 2000, 2001, 1, 76),
            (0, "i64", count, 2000, 2000, 1, 1),
            (1, "bool", any, 2000, 2000, 0, 90),
            (1, "i64", count, 2000, 2000, 0, 90),
            // Short ones have other loops.
            (1, "bool", any, 63, 63, 0, 0),
        ] {
            let text = kernel(kept, ("bool", to), fold);
            let name = format!("{kept} {fold:?} {columns} {step}");
            let to = [1i64];
            let layout: (&[&[i64]], &[usize]) = (&[&[step, 1], &to[..kept]], &[90, columns, 0]);
            for jit in jits() {
                let (written, [counted, .., points]) = run(&text, &bools, layout, jit, 1);
                assert_eq!((written[0], counted), (value, rows), "{jit:?} {name}");
                assert_eq!(points, if kept == 1 { rows } else { 0 }, "{jit:?} {name}");
                let same = run(&text, &bools, layout, jit, 3).0 == written;
                assert!(same, "{jit:?} {name}");
                if kept == 1 && step == 2000 {
                    let size = if fold == any { 1 } else { 8 };
                    assert_eq!(written[75 * size], 1, "{jit:?} {name}");
                }
            }
        }
    }

    #[test]
    fn short_rows_that_follow_one_another_are_one() {
        let mut bools = vec![0u8; 160_000];
        bools[3 * 33_333 + 1] = 1;
        let kernel = kernel(0, ("bool", "bool"), ("", "%9 = any %0"));
        for (rows, step, value, counted) in [
            (40_000, 3, 1, 1),
            (33_333, 3, 0, 1),
            (8_000, 3, 0, 1),
            // Gaps.
            (40_000, 4, 1, 0),
        ] {
            let layout: (&[&[i64]], &[usize]) = (&[&[step, 1], &[]], &[rows, 3, 0]);
            for jit in jits() {
                let (written, [in_any_order, ..]) = run(&kernel, &bools, layout, jit, 1);
                assert_eq!((written[0], in_any_order), (value, counted), "{jit:?} {rows} {step}");
                assert_eq!(
                    run(&kernel, &bools, layout, jit, 3).0,
                    written,
                    "{jit:?} {rows} {step}"
                );
            }
        }
    }

    #[test]
    fn the_first_of_the_best_is_found() {
        let (rows, columns) = (9, 1500);
        // The best one several times, in rows 3 and 5, and NaN in row 7, where rows are `step` apart.
        let value = |k: usize, step: usize| match (k / step, k % step) {
            (3, 1499) | (5, 70 | 1200) => 7.0,
            (7, 1000 | 1001) => f64::NAN,
            _ => -((k * 7919 % 1000) as f64),
        };
        let fold = ("", "%8 %9 = argmax %0");
        let to = [1i64];
        for (kept, step) in [(0, 1500), (0, 1501), (1, 1501)] {
            let values = (0..rows * step).map(|k| value(k, step));
            let bytes: Vec<u8> = values.flat_map(f64::to_le_bytes).collect();
            let text = kernel(kept, ("f64", "i64"), fold);
            let layout: (&[&[i64]], &[usize]) =
                (&[&[step as i64, 1], &to[..kept]], &[rows, columns, 0]);
            for jit in jits() {
                for threads in [1, 3] {
                    let (written, [counted, ..]) = run(&text, &bytes, layout, jit, threads);
                    let at = |k: usize| {
                        i64::from_le_bytes(written[8 * k..8 * k + 8].try_into().unwrap())
                    };
                    let name = format!("{jit:?} {kept} {step} {threads}");
                    assert!(counted > 0, "{name}");
                    match kept {
                        0 => assert_eq!(at(0), 7 * 1500 + 1000, "{name}"),
                        _ => assert_eq!([at(3), at(5), at(7)], [1499, 70, 1000], "{name}"),
                    }
                }
            }
        }
    }

    #[test]
    fn the_leaf_that_decides_is_the_last() {
        let numbers: Vec<u8> =
            (0..100_000).flat_map(|k| f64::from(k as u32).to_le_bytes()).collect();
        let above = ("%1 = gt.f64 %0 %0 %2 = eq.f64 %0 %0 %3 = or.bool %1 %2", "%9 = any %3");
        let never = ("%1 = gt.f64 %0 %0", "%9 = any %1");
        let other = ("%1 = gt.f64 %0 %0", "%9 = all %1");
        for (kept, fold, value, decided) in [
            (0, above, 1, 1),
            (0, never, 0, 0),
            (0, other, 0, 1),
            (1, above, 1, 10),
            (1, never, 0, 0),
        ] {
            let text = kernel(kept, ("f64", "bool"), fold);
            let to = [1i64];
            let layout: (&[&[i64]], &[usize]) = (&[&[10_000, 1], &to[..kept]], &[10, 10_000, 0]);
            for jit in jits() {
                let (written, [_, counted, ended, whole, _]) = run(&text, &numbers, layout, jit, 1);
                let name = format!("{jit:?} {kept} {fold:?}");
                assert_eq!((written[0], counted, ended), (value, decided, decided), "{name}");
                // Whole leaves are folded some at a time: of those that decide, the first alone.
                let leaves = if decided > 0 { decided } else { 100 };
                assert!(whole == 0 || whole == leaves, "{name} {whole}");
                for threads in [2, 3] {
                    let (same, [_, counted, ended, whole, _]) =
                        run(&text, &numbers, layout, jit, threads);
                    assert!(same == written, "{name}");
                    if kept == 0 {
                        // The first leaves come before other threads are asked.
                        assert_eq!([counted, ended], [decided; 2], "{name} {threads}");
                        assert!(whole == 0 || whole == leaves, "{name} {threads} {whole}");
                    }
                }
            }
        }
    }

    /// A nest that does more than the fold goes on to the end.
    #[test]
    fn what_else_is_written_is_written() {
        let text =
            "kernel params=2 scalars=[] b0: f64 rank 1 read noalias b1: bool rank 1 write noalias b2: bool rank 0 write noalias
             { fold (i0: extent=p0 origin=p1 global=p0 logical=0)
                lanes=32 width=64 rounds=32 alone=8 {
                %0 = load b0[p1 + 1*i0] %1 = eq.f64 %0 %0 store b1[p1 + 1*i0] %1 }
                %9 = any %1 store b2[] %9 }";
        let numbers = vec![0u8; 4096 * 8];
        for jit in jits() {
            let layout: (&[&[i64]], &[usize]) = (&[&[1], &[1], &[]], &[4096, 0]);
            let (written, [_, decided, ..]) = run(text, &numbers, layout, jit, 1);
            assert_eq!(decided, 0, "{jit:?}");
            assert!(written.iter().all(|&byte| byte == 1), "{jit:?}");
        }
    }
}

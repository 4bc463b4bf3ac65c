//! Runs the [functions](super::points) of points of a few elements on blocks of them.
//!
//! Points that are rows of memory are transposed by a function of its own, in whole rounds; what is left of a block, and what lies
//! otherwise, is copied before so that points are side by side.

use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::machine::{Machine, Points};
use crate::jit::{Across, Folded};
use darray_codegen::Phase;
use smallvec::SmallVec;

impl BoundFold {
    /// The function that folds all points, if there is one, see [`Machine::points`].
    pub fn all_points(&self, machine: &Machine) -> Option<Points> {
        let fits =
            |points: &Points| self.extents[..] == [points.elements] && self.products.is_none();
        machine.points.filter(fits)
    }
}

impl FoldRun<'_> {
    /// Folds `n` kept points by their function.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest; [`all_points`](BoundFold::all_points) gave the function.
    pub(super) unsafe fn compiled_all_points(&mut self, points: Points, n: usize) {
        let Points { number, elements, stores } = points;
        let machine = &self.bound.specialised.machine;
        let table = machine.table;
        let count = self.bound.bases.len();
        let mut places: SmallVec<[i64; Folded::LANES]> =
            (0..elements).map(|element| self.place(&[element])).collect();
        let behind = &mut self.frame.pointers[table.length + elements * count..];
        let (of_places, of_starts) = behind.split_at_mut(elements);
        let pointers = of_places.iter_mut().zip(&mut places);
        pointers.for_each(|(pointer, place)| *pointer = (&raw mut *place).cast());
        for (pointer, item) in of_starts.iter_mut().zip(self.fold.items.iter()) {
            // Only read.
            *pointer = (&raw const item.start).cast_mut().cast();
        }
        let native = &machine.natives[number as usize];
        let mut done = 0;
        if let Some(reads) = native.across() {
            done = self.rounds_across(reads, elements, n);
            if done > 0 {
                self.at_elements(elements, 0, false);
                let steps = self.bound.strides_of(self.bound.vector.axis);
                let steps: SmallVec<[isize; 8]> = steps.iter().map(|&step| step as isize).collect();
                // SAFETY: the caller's contract; `rounds_across` found that as many bytes can be read behind each point.
                unsafe { native.run_across(&mut self.frame.pointers, done, &steps) };
            }
        }
        let packing = &self.fold.packing;
        let most = if packing.is_empty() { n } else { packing.points };
        while done < n {
            let some = most.min(n - done);
            // SAFETY: the range is the leaf; the function's accesses are at elements of the nest, and results have room for
            // the block.
            unsafe {
                self.pack(&std::array::from_fn::<_, 1, _>(|_| 0..elements), done, some);
                self.at_elements(elements, done, true);
                let row = self.bound.row_of(some).max(1);
                for first in (0..some).step_by(row) {
                    if first > 0 {
                        self.next_points(elements, row);
                    }
                    native.run(self.frame.pointers.as_ptr(), row);
                }
            }
            done += some;
        }
        self.stored = stores;
        // For what comes after the fold otherwise.
        self.at_elements(0, 0, false);
    }

    /// How many of `n` points functions can take that are rows of memory: whole rounds. Elements are read beyond the end of short
    /// rows, but not beyond the page where the highest row ends: the last one of a block, or its first one where rows go backwards.
    fn rounds_across(&self, reads: Across, elements: usize, n: usize) -> usize {
        let (bound, fold) = (self.bound, self.fold);
        let whole = n / reads.points * reads.points;
        // Before the first line that is written past the caches.
        if whole < PAST || reads.beyond == 0 {
            return if whole < PAST { 0 } else { whole };
        }
        // All other points lie between the two.
        let are_inside = |points: usize| {
            let mut ends = [0, points - 1].into_iter().flat_map(|point| {
                fold.packing.all().iter().map(move |packed| {
                    let access = packed.access();
                    let row = bound.stride(fold.order[0], access) * elements as i64;
                    let end = bound.to_point(access, point) + row;
                    self.frame.kept[access].wrapping_offset(end as isize) as usize
                })
            });
            // The last byte of the row, and the last one that is read.
            ends.all(|end| (end - 1) / PAGE == (end + reads.beyond - 1) / PAGE)
        };
        let fewer = [whole, whole - reads.points].into_iter().filter(|&points| points > 0);
        fewer.into_iter().find(|&points| are_inside(points)).unwrap_or(0)
    }

    /// Puts the accesses of all elements, what comes after the fold, and the results at a point of the block. What is copied for it
    /// lies in the buffers, if it `is_copied`.
    fn at_elements(&mut self, elements: usize, point: usize, is_copied: bool) {
        let (bound, fold) = (self.bound, self.fold);
        let table = bound.specialised.machine.table;
        let count = bound.bases.len();
        let buffers = self.frame.packed.start();
        let kept = &self.frame.kept;
        let pointers = &mut self.frame.pointers;
        let is_moved = |&access: &usize| bound.nest.accesses[access].1 != Phase::Before;
        for access in (0..count).filter(is_moved) {
            let at = kept[access].wrapping_offset(bound.to_point(access, point) as isize);
            pointers[table.accesses + access] = at;
        }
        for &access in &fold.accesses {
            let access = usize::from(access);
            let packed = fold.packing.of(access).filter(|_| is_copied);
            for element in 0..elements {
                let along = element as i64 * bound.stride(fold.order[0], access);
                let at = pointers[table.accesses + access].wrapping_offset(along as isize);
                let at = packed.map_or(at, |packed| packed.place(buffers, &[element], 0));
                pointers[table.length + element * count + access] = at;
            }
        }
        self.results_at(point);
    }

    /// Puts the results at a point of the block.
    fn results_at(&mut self, point: usize) {
        let table = self.bound.specialised.machine.table;
        for (number, item) in self.fold.items.iter().enumerate() {
            let results = self.memory.result(number, 0).from(point, item.size);
            self.frame.pointers[table.results + number] = results.values;
            self.frame.pointers[table.indices + number] = results.indices;
        }
    }

    /// Moves what such a function reads and writes to the next row of points.
    fn next_points(&mut self, elements: usize, row: usize) {
        let (bound, fold) = (self.bound, self.fold);
        let table = bound.specialised.machine.table;
        let count = bound.bases.len();
        let pointers = &mut self.frame.pointers;
        for &access in &fold.accesses {
            let step = bound.to_point(access.into(), row) as isize;
            for element in 0..elements {
                let pointer = &mut pointers[table.length + element * count + access as usize];
                *pointer = pointer.wrapping_offset(step);
            }
        }
        for (number, item) in fold.items.iter().enumerate() {
            let [values, indices] = [table.results, table.indices].map(|first| first + number);
            pointers[values] = pointers[values].wrapping_add(row * item.size);
            pointers[indices] = pointers[indices].wrapping_add(row * size_of::<i64>());
        }
    }
}

/// Points from which on results that are written past the caches begin a line.
const PAST: usize = 16;

/// Bytes of a page, at least: it can be read as a whole, or not at all.
const PAGE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::PAGE;
    use crate::execute::nest::launch;
    use crate::execute::streaming::Streaming;
    use crate::execute::testing::{self, Array};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;
    use crate::workers::Workers;

    /// A fold of the rows of a matrix, which stores its results or yields them.
    fn rows((dtype, fold): (&str, &str), yields: bool) -> String {
        let (result, to) = if fold.starts_with("arg") { ("%8 %9", "i64") } else { ("%9", dtype) };
        let (rank, role, store, slot) = match yields {
            true => (2, "partial", "yield", "p2, "),
            false => (1, "write", "store", ""),
        };
        format!(
            "kernel params=3 scalars=[] b0: {dtype} rank 2 read noalias b1: {to} rank {rank} {role} noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=0) {{
                fold (i1: extent=p1 origin=p2 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 {{
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] }} {result} = {fold} %0 {store} b1[{slot}p2 + 1*i0] %9 }} }}"
        )
    }

    /// Of a fold of the rows of a matrix that many elements apart: its bits, the points that were rows of memory, and whether
    /// results are written past the caches. The matrix begins at an element of its block; nests that touch `from` bytes are large.
    fn run(
        fold: (&str, &str),
        ([rows, columns], step): ([usize; 2], i64),
        (offset, from): (usize, usize),
        yields: bool,
        jit: Option<Target>,
    ) -> (Vec<u64>, usize, bool) {
        let text = self::rows(fold, yields);
        let strides = [step, 1];
        let results: &[i64] = if yields { &[1, 1] } else { &[1] };
        let arrays = [
            Array { block: 0, offset, strides: &strides },
            Array { block: 1, offset: 3, strides: results },
        ];
        let before = PathCounter::PointsAcross.count();
        let (params, size) = ([rows, columns, 0], (1 << 17, rows + 3));
        let (bits, seen) = testing::run(&text, &arrays, &params, jit, from, size, |bound| {
            bound.streamed.is_by_code()
        });
        (bits, PathCounter::PointsAcross.count() - before, seen[0])
    }

    fn targets() -> impl Iterator<Item = Target> {
        Target::ALL.into_iter().filter(|target| target.level() <= Level::detect())
    }

    /// Points of a round of elements of so many bytes.
    fn round(target: Target, size: usize) -> usize {
        target.bytes() / size
    }

    #[test]
    fn points_that_are_rows_of_memory_are_transposed_in_registers() {
        let folds = [
            ("f64", "sum"),
            ("f64", "max"),
            ("f64", "argmax"),
            ("i64", "min"),
            ("i32", "max"),
            ("i32", "argmin"),
        ];
        for target in targets() {
            for (dtype, fold) in folds {
                for columns in [2, 3, 4, 5, 8, 12, 16, 17, 31] {
                    for step in [columns as i64, columns as i64 + 3] {
                        let run = |from, yields, jit| {
                            run((dtype, fold), ([700, columns], step), (1, from), yields, jit)
                        };
                        let (expected, none, past) = run(usize::MAX, false, None);
                        assert_eq!((none, past), (0, false), "the interpreter");
                        let wide = if fold.starts_with("arg") || dtype != "i32" { 8 } else { 4 };
                        let round = round(target, wide);
                        for yields in [false, true] {
                            let name = format!(
                                "{target:?} {dtype} {fold} {columns} of {step}, yielded: {yields}"
                            );
                            let (bits, points, past) = run(usize::MAX, yields, Some(target));
                            assert!(bits == expected, "{name}");
                            assert!(!past && points == 700 / round * round, "{points} of {name}");
                            // Results begin in the middle of a line: what is before the next one is done by itself.
                            let (bits, points, past) = run(0, yields, Some(target));
                            assert!(bits == expected, "{name}, past the caches");
                            let before = if dtype == "i32" && wide == 4 { 13 } else { 5 };
                            assert!(past == crate::vector::STREAMS, "{name}");
                            let behind = if past { 700 - before } else { 700 };
                            assert_eq!(points, behind / round * round, "{name}, past the caches");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn values_that_no_number_is_left_for_are_no_function() {
        // Behind the fold so many values are alive at once, and each element has as many registers.
        for (values, expected) in [(2, true), (300, false)] {
            let mut after = String::new();
            for k in 0..values {
                after += &format!("%{} = mul.f64 %1 %{} ", k + 2, if k == 0 { 1 } else { k + 1 });
            }
            let (first, mut sum) = (values + 2, 2);
            for k in 0..values - 1 {
                after += &format!("%{} = add.f64 %{sum} %{} ", first + k, k + 3);
                sum = first + k;
            }
            let text = format!(
                "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
                 {{ for (i0: extent=p0 origin=p2 global=p0 logical=0) {{
                    fold (i1: extent=p1 origin=p2 global=p1 logical=1) lanes=32 width=64 rounds=32 alone=8 {{
                    %0 = load b0[p2 + 1*i0, p2 + 1*i1] }} %1 = max %0 {after} store b1[p2 + 1*i0] %{sum} }} }}"
            );
            let arrays = [
                Array { block: 0, offset: 0, strides: &[1, 100] },
                Array { block: 1, offset: 0, strides: &[1] },
            ];
            let run = |jit| {
                let size = (1100 + 254 * 100, 1100);
                testing::run(&text, &arrays, &[1100, 255, 0], jit, usize::MAX, size, |bound| {
                    bound.specialised.machine.points.is_some()
                })
            };
            let (bits, _) = run(None);
            for target in targets() {
                let (found, are_points) = run(Some(target));
                assert!(found == bits, "{target:?} {values}");
                assert_eq!(are_points, [expected], "{target:?} {values}");
            }
        }
    }

    /// Rows of `i32` in the order of memory or against it, the first or the last one so many elements before the end of a block.
    fn at_the_end(columns: usize, is_forward: bool, behind: usize) -> (usize, i64) {
        let highest = (1 << 18) - behind - columns;
        let step = columns as i64;
        if is_forward { (highest - 639 * columns, step) } else { (highest, -step) }
    }

    #[test]
    fn nothing_is_read_beyond_a_page() {
        for target in targets() {
            for columns in [2, 3, 4] {
                let points = |is_forward, behind| {
                    let (offset, step) = at_the_end(columns, is_forward, behind);
                    let run = |jit| {
                        let fold = ("i32", "max");
                        run(fold, ([640, columns], step), (offset, usize::MAX), false, jit)
                    };
                    let (bits, points, _) = run(Some(target));
                    assert!(bits == run(None).0, "{target:?} {columns}");
                    points
                };
                let (less, none) = if columns < 4 { (round(target, 4), 0) } else { (0, 640) };
                let name = format!("{target:?} {columns}");
                assert_eq!((points(true, 0), points(true, 2)), (640 - less, 640), "{name}");
                // The first row is the highest one.
                assert_eq!((points(false, 0), points(false, 2)), (none, 640), "{name}, backwards");
            }
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn no_byte_of_the_next_page_is_touched() {
        /// Lets a page be read, or not.
        fn protect(page: *mut f64, protection: i32) {
            // SAFETY: a page of a block of the test, which nothing of the test lies in.
            assert_eq!(unsafe { libc::mprotect(page.cast(), PAGE, protection) }, 0);
        }
        for target in targets() {
            for (columns, is_forward) in [(2, true), (3, true), (2, false), (3, false)] {
                let (offset, step) = at_the_end(columns, is_forward, 0);
                let text = rows(("i32", "max"), false);
                let (strides, result) = ([step, 1], [1]);
                // The block after the first one is not written, the one after it has the result.
                let arrays = [
                    Array { block: 0, offset, strides: &strides },
                    Array { block: 2, offset: 0, strides: &result },
                ];
                let (params, jit) = ([640, columns, 0], Some(target));
                testing::with_arguments(
                    &text,
                    &arrays,
                    &params,
                    jit,
                    |compiled, arguments, blocks| {
                        let end = blocks[0].wrapping_add((1 << 20) / size_of::<f64>());
                        assert_eq!(end, blocks[1], "blocks that lie side by side");
                        let (workers, streaming) =
                            (Workers::new(1, 0), Streaming::from(usize::MAX));
                        protect(end, libc::PROT_NONE);
                        let launched = launch(compiled, arguments, &workers, streaming);
                        protect(end, libc::PROT_READ | libc::PROT_WRITE);
                        launched.unwrap();
                    },
                );
            }
        }
    }

    #[test]
    fn other_points_are_copied() {
        for target in targets() {
            let points =
                |dtype, shape| run((dtype, "max"), (shape, 4), (0, 0), false, Some(target)).1;
            assert_eq!(points("u8", [700, 4]), 0, "bytes");
            assert_eq!(points("f64", [700, 1]), 0, "one element");
            assert_eq!(points("f64", [40, 4]), 0, "few points");
        }
    }
}

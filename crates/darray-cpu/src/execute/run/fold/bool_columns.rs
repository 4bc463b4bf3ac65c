//! `any`, `all` and counts of columns of bools, where rows of them lie side by side: nothing depends on the order, so nothing
//! follows the tree, whose leaves are eight rows of perhaps a few bytes.

use super::FoldRun;
#[cfg(test)]
use crate::jit::PathCounter;
use crate::vector::{BoolRows, MOST_COLUMNS};

impl FoldRun<'_> {
    /// Folds `n` points to their results, if they are columns of bools and nothing of them was folded before.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub(super) unsafe fn bool_columns(&mut self, n: usize) -> bool {
        let (bound, fold) = (self.bound, self.fold);
        let Some(columns) = fold.bool_columns else { return false };
        debug_assert_eq!(fold.tree.slots(), 1);
        if n > MOST_COLUMNS {
            return false;
        }
        self.at_block();
        self.point_at(&[0], 0);
        let access = usize::from(columns.access);
        let first = self.frame.pointers[bound.specialised.machine.table.accesses + access];
        let rows =
            BoolRows { first, count: fold.points, step: fold.step(bound, 0, access) as isize };
        #[cfg(test)]
        PathCounter::BoolColumns.add(n);
        let to = self.memory.result(0, 0).values;
        // SAFETY: the caller's contract: rows of all points, and results have room for them.
        unsafe {
            match columns.decides {
                Some(value) => {
                    let mut found = [false; MOST_COLUMNS];
                    (columns.loops.find)(rows, &mut found[..n], value);
                    for (k, &found) in found[..n].iter().enumerate() {
                        to.add(k).write(u8::from(found == value));
                    }
                }
                None => {
                    let counts = std::slice::from_raw_parts_mut(to.cast::<i64>(), n);
                    counts.fill(0);
                    (columns.loops.count)(rows, counts);
                }
            }
        }
        true
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

    /// The results of a fold of the columns of a matrix whose rows are so many bytes apart, of which the bools at these places are
    /// true, and how many went this way.
    fn run(
        ([rows, columns], step): ([usize; 2], i64),
        trues: &[usize],
        fold: &str,
        jit: Option<Target>,
        threads: usize,
    ) -> (Vec<u64>, usize) {
        let is_count = fold == COUNT;
        let (to, body) = if is_count { ("i64", "%1 = to_i64.bool %0") } else { ("bool", "") };
        let size = if is_count { 8 } else { 1 };
        let text = format!(
            "kernel params=3 scalars=[] b0: bool rank 2 read noalias b1: {to} rank 1 write noalias
             {{ for (i0: extent=p1 origin=p2 global=p1 logical=1) {{
                fold (i1: extent=p0 origin=p2 global=p0 logical=0) lanes=1 width=1 rounds=1 alone=8
                {{ %0 = load b0[p2 + 1*i1, p2 + 1*i0] {body} }} {fold} store b1[p2 + 1*i0] %9 }} }}"
        );
        let strides = [step, 1];
        let arrays = [
            Array { block: 0, offset: 0, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        with_arguments(&text, &arrays, &[rows, columns, 0], jit, |compiled, arguments, blocks| {
            let before = PathCounter::BoolColumns.count();
            assert!(rows * step as usize <= 1 << 20);
            // SAFETY: the blocks are a mebibyte each, and nobody else knows them.
            let written = unsafe {
                blocks[0].cast::<u8>().write_bytes(0, 1 << 20);
                trues.iter().for_each(|&place| blocks[0].cast::<u8>().add(place).write(1));
                blocks[1].cast::<u8>().write_bytes(0xaa, (columns + 8) * size);
                let streaming = Streaming::from(usize::MAX);
                launch(compiled, arguments, &Workers::new(threads, 0), streaming).unwrap();
                let value = |k: usize| match is_count {
                    true => blocks[1].cast::<i64>().add(k).read() as u64,
                    false => blocks[1].cast::<u8>().add(k).read().into(),
                };
                (0..columns + 8).map(value).collect()
            };
            (written, PathCounter::BoolColumns.count() - before)
        })
    }

    const ANY: &str = "%9 = any %0";
    const ALL: &str = "%9 = all %0";
    const COUNT: &str = "%9 = sum %1";

    #[test]
    fn columns_of_bools_follow_no_tree() {
        for (shape, step, fold, this_way) in [
            ([20_000, 3], 3, ANY, true),
            ([1_000, 31], 31, ANY, true),
            ([10_000, 2], 2, ALL, true),
            ([10_000, 2], 2, COUNT, true),
            ([700, 1000], 1000, COUNT, true),
            ([700, 1000], 1000, ALL, true),
            // Gaps.
            ([20_000, 3], 4, ANY, true),
            ([20_000, 3], 4, COUNT, true),
            // One column, very many, and few elements.
            ([20_000, 1], 1, ANY, false),
            ([100, 5_000], 5_000, ANY, false),
            ([100, 3], 3, ANY, false),
        ] {
            let [rows, columns] = shape;
            // All of the first column, and one of the last.
            let mut trues: Vec<usize> = (0..rows).map(|row| row * step as usize).collect();
            trues.push((rows - 2) * step as usize + columns - 1);
            let expected = |k: usize| match fold {
                ANY => u64::from(k == 0 || k == columns - 1),
                ALL => u64::from(k == 0),
                _ if k == 0 => rows as u64,
                _ => u64::from(k == columns - 1),
            };
            let behind = if fold == COUNT { 0xaaaa_aaaa_aaaa_aaaa } else { 0xaa };
            let expected: Vec<u64> = (0..columns).map(expected).chain([behind; 8]).collect();
            for jit in [None, Target::of(Level::detect())] {
                for threads in [1, 3] {
                    let (written, counted) = run((shape, step), &trues, fold, jit, threads);
                    let name = format!("{jit:?} {shape:?} {step} {fold} {threads}");
                    assert!(written == expected, "{name}");
                    assert_eq!(counted, if this_way { columns } else { 0 }, "{name}");
                }
            }
        }
    }
}

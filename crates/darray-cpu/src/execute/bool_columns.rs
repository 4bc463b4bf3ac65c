//! `any` and `all` of a few columns of bools, rows of which follow one another: nothing depends on the order, so nothing follows
//! the tree, whose leaves are eight rows of a few bytes.

use super::fold::FoldRun;
#[cfg(test)]
use crate::jit::Ran;
use crate::level::Level;
use crate::vector::{FindInColumns, MOST_COLUMNS, find_in_columns};
use darray_codegen::bind::Axes;
use darray_codegen::{Nest, Node, Phase, Program};
use darray_core::DType;

/// Elements from which on it is worth a call.
const LEAST: usize = 1 << 10;

/// How such columns are folded.
#[derive(Clone, Copy)]
pub(super) struct BoolColumns {
    find: FindInColumns,
    /// The access of the nest that is folded.
    access: u16,
    /// The value that decides a column.
    value: bool,
}

impl BoolColumns {
    /// For a fold of the elements of one access as they are, over one axis, whose kept points are one row along an axis, with an
    /// extent: `strides(axis)` are the bytes per step of all accesses.
    pub fn find<'s>(
        program: &Program,
        nest: &Nest,
        axes: &Axes,
        level: Level,
        (points, columns): (u8, usize),
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Option<BoolColumns> {
        let fold = nest.fold.as_ref()?;
        let ([item], &[along]) = (&fold.items[..], &fold.order[..]) else { return None };
        let &[Node::Load { result, access: loaded }] = &fold.nodes[..] else { return None };
        let value = item.reducer.decides()?;
        let buffer = program.accesses[loaded as usize].buffer;
        let is_it = |&(access, phase): &(u16, Phase)| access == loaded && phase == Phase::Fold;
        let access = nest.accesses.iter().position(is_it)?;
        let rows = axes.extents[along as usize];
        let fits = item.value == result
            && program.buffers[buffer as usize].dtype == DType::Bool
            && (2..=MOST_COLUMNS).contains(&columns)
            && (strides(points)[access], strides(along)[access]) == (1, columns as i64)
            && rows * columns >= LEAST
            // What a kernel by rows goes through is shared by its nests row by row.
            && !program.by_rows;
        let find = find_in_columns(level);
        fits.then_some(BoolColumns { find, access: access as u16, value })
    }
}

impl FoldRun<'_> {
    /// Folds `n` points to their results, if they are all columns of bools that are folded so.
    ///
    /// # Safety
    /// The frame is at a block of `n` points of the bound nest.
    pub(super) unsafe fn bool_columns(&mut self, n: usize) -> bool {
        let (bound, fold) = (self.bound, self.fold);
        let Some(way) = fold.bool_columns else { return false };
        if n != bound.vector.extent || self.ready.is_some() || fold.tree.slots() != 1 {
            return false;
        }
        self.at_block();
        self.point_at(&[0], 0);
        let accesses = bound.specialised.machine.table.accesses;
        let from = self.frame.pointers[accesses + usize::from(way.access)];
        #[cfg(test)]
        Ran::BoolColumns.add(n);
        let mut found = [false; MOST_COLUMNS];
        let to = self.memory.result(0, 0).values;
        // SAFETY: the caller's contract: rows of all points follow one another, and results have room for them.
        unsafe {
            (way.find)(from, fold.points, &mut found[..n], way.value);
            for (k, &found) in found[..n].iter().enumerate() {
                to.add(k).write(u8::from(found == way.value));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::nest::launch;
    use crate::execute::streaming::Streaming;
    use crate::execute::testing::{Array, with_arguments};
    use crate::jit::{Ran, Target};
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
    ) -> (Vec<u8>, usize) {
        let text = format!(
            "kernel params=3 scalars=[] b0: bool rank 2 read noalias b1: bool rank 1 write noalias
             {{ for (i0: extent=p1 origin=p2 global=p1 logical=1) {{
                fold (i1: extent=p0 origin=p2 global=p0 logical=0) lanes=1 inner=1024 outer=8 max_leaves=1024
                {{ %0 = load b0[p2 + 1*i1, p2 + 1*i0] }} {fold} store b1[p2 + 1*i0] %9 }} }}"
        );
        let strides = [step, 1];
        let arrays = [
            Array { block: 0, offset: 0, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        with_arguments(&text, &arrays, &[rows, columns, 0], jit, |compiled, arguments, blocks| {
            let before = Ran::BoolColumns.count();
            assert!(rows * step as usize <= 1 << 20);
            // SAFETY: the blocks are a mebibyte each, and nobody else knows them.
            let written = unsafe {
                blocks[0].cast::<u8>().write_bytes(0, 1 << 20);
                trues.iter().for_each(|&place| blocks[0].cast::<u8>().add(place).write(1));
                blocks[1].cast::<u8>().write_bytes(0xaa, columns + 8);
                let streaming = Streaming { from: usize::MAX };
                launch(compiled, arguments, &Workers::new(threads, 0), streaming).unwrap();
                (0..columns + 8).map(|k| blocks[1].cast::<u8>().add(k).read()).collect()
            };
            (written, Ran::BoolColumns.count() - before)
        })
    }

    #[test]
    fn a_few_columns_of_bools_follow_no_tree() {
        let any = "%9 = any %0";
        for (shape, step, fold, this_way) in [
            ([20_000, 3], 3, any, true),
            ([1_000, 31], 31, any, true),
            ([10_000, 2], 2, "%9 = all %0", true),
            // Gaps, one column, many, and few rows.
            ([20_000, 3], 4, any, false),
            ([20_000, 1], 1, any, false),
            ([1_000, 64], 64, any, false),
            ([100, 3], 3, any, false),
        ] {
            let [rows, columns] = shape;
            // All of the first column, and one of the last.
            let mut trues: Vec<usize> = (0..rows).map(|row| row * step as usize).collect();
            trues.push((rows - 2) * step as usize + columns - 1);
            let expected = |k: usize| match fold == any {
                true => u8::from(k == 0 || k == columns - 1),
                false => u8::from(k == 0),
            };
            let expected: Vec<u8> = (0..columns).map(expected).chain([0xaa; 8]).collect();
            for jit in [None, Target::of(Level::detect())] {
                for threads in [1, 3] {
                    let (written, counted) = run((shape, step), &trues, fold, jit, threads);
                    let name = format!("{jit:?} {shape:?} {step} {fold} {threads}");
                    assert_eq!(written, expected, "{name}");
                    assert_eq!(counted, if this_way { columns } else { 0 }, "{name}");
                }
            }
        }
    }
}

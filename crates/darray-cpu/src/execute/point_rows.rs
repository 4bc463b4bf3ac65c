//! Kept points whose rows are short for the body of a fold, and one row for everything else: many rows are a block, so
//! that a step through the reduction tree is one for all of them.
//!
//! ```text
//! for (i0, i2: extent 8) { fold (i1) { %0 = load b0[i0, i1, i2] } .. store b1[i0, i2] }
//!     b1   i0 * 8 + i2, a point after the other     b0   rows of 8 points, as far apart as all of i1 and i2 is long
//! ```

use super::fold_way::SHORT;
use super::kept_rows::KeptRows;
use super::points::few_of_lanes;
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{Nest, Phase, Program};

/// Those of a nest that goes along the last of its kept loops, if its rows are short and the loop around it can be one with it;
/// `strides(axis)` are the bytes per step of all accesses.
pub(super) fn find<'s>(
    program: &Program,
    nest: &Nest,
    axes: &Axes,
    loops: &[Loop],
    strides: impl Fn(u8) -> &'s [i64],
) -> Option<Box<KeptRows>> {
    let fold = nest.fold.as_ref()?;
    let [.., outer, inner] = *loops else { return None };
    if !(2..SHORT).contains(&inner.extent) || outer.extent < FEW_ROWS {
        return None;
    }
    let lanes = fold.tree.lanes();
    let reduced: usize = fold.order.iter().map(|&axis| axes.extents[axis as usize]).product();
    let many = reduced * inner.extent >= FEW_ELEMENTS;
    // Without lanes, or with few elements for each.
    let possible = lanes == 1 || few_of_lanes(nest, axes, SHORT - 1) > 0;
    if !possible || !many || program.by_rows || nest.sum_of_products().is_some() {
        return None;
    }
    KeptRows::new((program, nest), [outer, inner], strides, |access| match access.phase {
        Phase::Fold => access.along == access.size || access.along == 0,
        _ => access.gap == 0,
    })
}

/// Rows that are few: nothing is gained there.
const FEW_ROWS: usize = 4;

/// Elements of a row of points that are few.
const FEW_ELEMENTS: usize = 32;

/// Points of a block, at most.
pub(super) const MOST_POINTS: usize = 128;

#[cfg(test)]
mod tests {
    use crate::execute::testing::{self, Array};
    use crate::jit::{PathCounter, Target};
    use crate::level::Level;

    /// The bits of a fold over the middle one of three axes with these extents, and what it does: points of a row,
    /// of a block, leaves together.
    fn run(
        extents: [usize; 3],
        step: i64,
        fold: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, Option<(usize, usize, usize)>) {
        run_by_leaves(8, extents, step, fold, jit)
    }

    /// The same with leaves of so many indices.
    fn run_by_leaves(
        leaf: usize,
        extents: [usize; 3],
        step: i64,
        fold: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, Option<(usize, usize, usize)>) {
        let result = if fold == "argmax" { "%1 %2" } else { "%1" };
        let [i0, i1, i2] = [(0, 0), (2, 1), (1, 2)]
            .map(|(k, of)| format!("i{k}: extent=p{of} origin=p3 global=p{of} logical={of}"));
        let text = format!(
            "kernel params=4 scalars=[] b0: f64 rank 3 read noalias b1: f64 rank 2 write noalias
             {{ for ({i0}, {i2}) {{ fold ({i1}) lanes=32 inner=1024 outer={leaf} max_leaves=1024 {{
                %0 = load b0[p3 + 1*i0, p3 + 1*i2, p3 + 1*i1] }}
                {result} = {fold} %0 store b1[p3 + 1*i0, p3 + 1*i1] %1 }} }}"
        );
        let [rows, indices, columns] = extents;
        let along = columns as i64 * step;
        let from = [along * indices as i64 + 3, along, step];
        let arrays = [
            Array { block: 0, offset: 0, strides: &from },
            Array { block: 1, offset: 0, strides: &[columns as i64, 1] },
        ];
        let params = [rows, indices, columns, 0];
        let size = (rows * from[0] as usize, rows * columns);
        let (bits, seen) = testing::run(&text, &arrays, &params, jit, usize::MAX, size, |bound| {
            let together = bound.fold.as_ref().unwrap().abreast;
            let rows = bound.point_rows.as_ref()?;
            Some((rows.length, bound.block, together))
        });
        (bits, seen[0])
    }

    #[test]
    fn many_short_rows_of_points_are_a_block() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (columns, block) in [(2, 128), (3, 126), (4, 128), (7, 126), (24, 120)] {
                for fold in ["sum", "max", "argmax"] {
                    // 12 whole leaves and a part of one.
                    let extents = [50, 101, columns];
                    let (expected, none) = run(extents, 1, fold, None);
                    assert_eq!(none, None, "the interpreter goes along the rows");
                    let (bits, seen) = run(extents, 1, fold, Some(target));
                    // Values and indices of longer rows find no registers in AVX2.
                    if fold != "argmax" || columns < 24 {
                        assert_eq!(seen, Some((columns, block, 13)), "{target:?} {fold}");
                    }
                    assert!(bits == expected, "{target:?} {columns} {fold}");
                }
            }
            // Leaves of few rows come one after the other, in each of the rows of points; of more rows, side by side.
            let in_turn = |leaf: usize, fold: &str| {
                let before = PathCounter::LeavesInTurn.count();
                let run = |jit| run_by_leaves(leaf, [50, 202, 3], 1, fold, jit);
                let (bits, seen) = run(Some(target));
                assert!(bits == run(None).0, "{target:?} {fold}, leaves of {leaf}");
                assert_eq!(seen.map(|(columns, ..)| columns), Some(3));
                PathCounter::LeavesInTurn.count() - before
            };
            let counts = [8, 16, 32].map(|leaf| ["sum", "argmax"].map(|fold| in_turn(leaf, fold)));
            assert_eq!(counts, [[50 * 25; 2], [50 * 12; 2], [0; 2]], "{target:?}");
            let seen = |extents, step| run(extents, step, "sum", Some(target)).1;
            assert_eq!(seen([30, 101, 40], 1), None, "long rows");
            assert_eq!(seen([50, 101, 7], 2), None, "gaps");
            assert_eq!(seen([3, 101, 7], 1), None, "few rows");
            assert_eq!(seen([50, 101, 1], 1), None, "one row");
        }
    }
}

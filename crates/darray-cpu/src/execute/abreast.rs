//! Leaves with short rows, several side by side: the sums of one wait for each other, those of several do not.

use super::fold::FoldRun;
use darray_codegen::FoldMode;
use smallvec::SmallVec;
use std::ops::Range;

impl FoldRun<'_> {
    /// The number in the band of the leaf with these ranges, where it is folded together with others: the first of them
    /// folds all.
    ///
    /// # Safety
    /// The frame is at a block of `n` kept points of the bound nest; the ranges are those of a leaf.
    pub(super) unsafe fn abreast(
        &mut self,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
    ) -> Option<usize> {
        let fold = self.fold;
        let count = fold.abreast;
        if count < 2 {
            return None;
        }
        let axis = fold.around()?;
        let block = fold.blocks[axis];
        let leaf = ranges[axis].start / block % count;
        let mut first: SmallVec<[Range<usize>; 4]> = ranges.into();
        let start = ranges[axis].start - leaf * block;
        first[axis] = start..start + block;
        if !self.group.as_ref().is_some_and(|(known, at)| *known == first && *at == point) {
            let row = match fold.mode {
                FoldMode::Kept => n,
                FoldMode::Lanes => ranges[ranges.len() - 1].len(),
            };
            let number = self.bound.specialised.machine.short(row)?;
            let limit = if axis == 0 { self.end } else { usize::MAX };
            // The others may not be whole, not be there yet, or be another thread's.
            let whole = start + count * block <= fold.extents[axis].min(limit);
            let own = self
                .shared
                .is_none_or(|(at, end)| at + (count - 1) * fold.leaves_behind(axis) < end);
            if leaf != 0 || !whole || !own {
                return None;
            }
            // SAFETY: the caller's contract; all leaves lie in the tile.
            unsafe { self.fold_abreast(number, &first, point, n) };
            self.group = Some((first, point));
        }
        Some(leaf)
    }

    /// Folds leaves into the band, the first of which has these ranges.
    unsafe fn fold_abreast(
        &mut self,
        number: u32,
        ranges: &[Range<usize>],
        point: usize,
        n: usize,
    ) {
        let (bound, fold, memory) = (self.bound, self.fold, self.memory);
        let native = &bound.specialised.machine.natives[number as usize];
        let axis = fold.around().expect("`abreast` has it");
        let by_lanes = fold.mode == FoldMode::Lanes;
        let used = if by_lanes { memory.width } else { n };
        let along = if by_lanes { fold.position_steps[axis + 1] } else { 0 };
        let block = fold.blocks[axis] as isize;
        let step = |access: usize| fold.step(bound, axis, access) as isize;
        let mut steps: SmallVec<[isize; 16]> = (0..bound.bases.len()).map(step).collect();
        steps.push(fold.position_steps[axis] as isize);
        let to_leaves: SmallVec<[isize; 16]> = steps.iter().map(|step| step * block).collect();
        steps.extend(to_leaves);
        steps.push((memory.width * 8) as isize);
        let count = ranges[axis].len();
        // SAFETY: the frame is laid out for the machine; leaves lie inside the tile, the band has a vector for each.
        unsafe {
            for leaf in 0..fold.abreast {
                self.start(|item| memory.band(item, leaf), used);
            }
            self.rows(&ranges[..=axis], |this, at| {
                let mut start: SmallVec<[usize; 4]> = SmallVec::from_slice(at);
                start.extend(ranges[axis + 1..].iter().map(|range| range.start));
                this.point_at(&start, point);
                this.point_accumulators(|item| memory.band(item, 0), this.place(&start), along);
                native.run_leaves(&mut this.frame.pointers, count, &steps);
            });
            if by_lanes {
                for leaf in 0..fold.abreast {
                    self.combine_lanes(|item| memory.band(item, leaf));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::bind::Bound;
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;

    /// What is seen of a fold of a matrix with these extents and strides, over its rows (`kept` 1), its columns (2),
    /// or both (0), in machine code for AVX2.
    fn seen<R>(
        kept: usize,
        extents: [usize; 2],
        strides: [i64; 2],
        fold: &str,
        look: impl FnOnce(&Bound<'_>) -> R,
    ) -> R {
        let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
        let (points, rank, lanes) = match kept {
            0 => (format!("fold ({}, {}) innermost", axis(0), axis(1)), 0, ""),
            1 => (format!("for ({}) {{ fold ({}) innermost", axis(0), axis(1)), 1, "p2 + 1*i0"),
            _ => (format!("for ({}) {{ fold ({})", axis(0), axis(1)), 1, "p2 + 1*i0"),
        };
        let at = if kept == 2 { "p2 + 1*i1, p2 + 1*i0" } else { "p2 + 1*i0, p2 + 1*i1" };
        let (result, end) =
            (if fold == "argmax" { "%1 %2" } else { "%1" }, if rank == 1 { "}" } else { "" });
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {rank} write noalias {{
             {points} lanes=32 inner=1024 outer=8 max_leaves=1024 {{ %0 = load b0[{at}] }}
             {result} = {fold} %0 store b1[{lanes}] %1 {end} }}"
        );
        let arrays = [
            Array { block: 0, offset: 8, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1][..rank] },
        ];
        let extents = if kept == 2 { [extents[1], extents[0]] } else { extents };
        let params = [extents[0], extents[1], 0];
        with_bound(&text, &arrays, &params, Some(Target::Avx2), usize::MAX, look)
    }

    #[test]
    fn short_rows_have_functions_of_their_own() {
        if Level::detect() < Level::Avx2 {
            return;
        }
        let short = |row: usize| {
            move |bound: &Bound<'_>| {
                let alone = bound.specialised.machine.short(row).is_some();
                (alone, bound.fold.as_ref().unwrap().abreast)
            }
        };
        assert_eq!(seen(0, [200, 4], [4, 1], "sum", short(4)), (true, 4), "leaves side by side");
        assert_eq!(seen(0, [200, 4], [4, 1], "argmax", short(4)), (true, 4), "with indices");
        assert_eq!(seen(2, [200, 4], [4, 1], "sum", short(4)), (true, 4), "columns");
        assert_eq!(seen(0, [200, 16], [16, 1], "sum", short(16)), (true, 2), "few registers");
        assert_eq!(seen(0, [200, 4], [4, -1], "sum", short(4)), (true, 1), "copied first");
        let copied = |bound: &Bound<'_>| !bound.fold.as_ref().unwrap().packing.is_empty();
        assert!(seen(2, [9000, 4], [4, -1], "sum", copied), "columns, in pieces");
        assert_eq!(seen(0, [4, 40], [40, 1], "sum", short(40)), (false, 1), "long rows");
        assert_eq!(seen(0, [20, 4], [4, 1], "sum", short(4)), (false, 1), "few rows");
    }

    #[test]
    fn points_of_a_few_elements_are_one_function() {
        if Level::detect() < Level::Avx2 {
            return;
        }
        let points = |bound: &Bound<'_>| {
            let fold = bound.fold.as_ref().unwrap();
            (bound.specialised.machine.points.map(|(_, lanes)| lanes), fold.packing.is_empty())
        };
        assert_eq!(seen(1, [200, 4], [4, 1], "sum", points), (Some(4), false), "rows, copied");
        assert_eq!(seen(1, [200, 4], [1, 200], "max", points), (Some(4), true), "side by side");
        assert_eq!(seen(1, [200, 4], [8, 2], "sum", points), (Some(4), false), "with gaps");
        assert_eq!(seen(1, [200, 4], [4, 1], "argmax", points), (None, false), "indices");
        assert_eq!(seen(1, [200, 40], [40, 1], "sum", points).0, None, "lanes with two elements");
        assert_eq!(seen(2, [200, 4], [4, 1], "sum", points).0, None, "one lane");
    }
}

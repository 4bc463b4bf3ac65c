//! Few kept points that lie side by side, each index of the fold right behind the one before: the points of all lanes
//! are one row for the body, and their accumulators one vector.
//!
//! ```text
//! memory        index 0: points 0..n | index 1: points 0..n | ..  | index 32: points 0..n | ..
//! accumulators  lane 0:  points 0..n | lane 1:  points 0..n | ..    lane 0 again
//! ```

use super::bound_fold::BoundFold;
use super::fold::FoldRun;
use super::fold_places::NO_PLACE;
use super::fold_values::keep;
use crate::jit::Folded;
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{Nest, Phase, Program};
use smallvec::SmallVec;
use std::ops::Range;

/// Points that are few: with more, those of one index are long enough for the body.
const FEW: usize = 32;

/// Whether the points of the kept vector axis and the indices of the last reduced one are one row of memory in every
/// access of the fold's body; `strides(axis)` are the bytes per step of all accesses.
pub(super) fn are_joined<'s>(
    program: &Program,
    nest: &Nest,
    axes: &Axes,
    vector: Loop,
    strides: impl Fn(u8) -> &'s [i64],
) -> bool {
    let Some((fold, &last)) = nest.fold.as_ref().and_then(|f| Some((f, f.order.last()?))) else {
        return false;
    };
    let lanes = fold.tree.lanes();
    let few = (2..FEW).contains(&vector.extent) && axes.extents[last as usize] >= lanes;
    if lanes != Folded::LANES || !few {
        return false;
    }
    // What differs from point to point or from index to index lies in memory, or is not there.
    let plain = nest.before.is_empty()
        && ![vector.axis, last].iter().any(|axis| nest.indexed.contains(axis))
        && fold.items.iter().all(|item| item.index.is_none());
    let one_row = |(access, &(number, phase)): (usize, &(u16, Phase))| {
        let buffer = program.accesses[number as usize].buffer;
        let size = program.buffers[buffer as usize].dtype.size() as i64;
        let (point, index) = (strides(vector.axis)[access], strides(last)[access]);
        let is_row = point == size && index == size * vector.extent as i64;
        phase != Phase::Fold || is_row || (point, index) == (0, 0)
    };
    plain && nest.accesses.iter().enumerate().all(one_row)
}

impl BoundFold {
    /// Whether `n` points of a block are all of a row that is [joined](BoundFold::joined).
    pub fn joins(&self, n: usize) -> bool {
        self.joined > 0 && self.joined == n
    }
}

impl FoldRun<'_> {
    /// Folds the elements of a leaf into the accumulators at `position`, for all of `n` points.
    ///
    /// # Safety
    /// The ranges lie inside the reduced extents; the fold [joins](BoundFold::joins) the points of the block.
    pub(super) unsafe fn joined_leaf(
        &mut self,
        position: usize,
        ranges: &[Range<usize>],
        n: usize,
    ) {
        let (fold, memory, last) = (self.fold, self.memory, ranges.len() - 1);
        let (lanes, length) = (fold.band, ranges[last].len());
        // Lanes that no index falls into hold the identity, which changes nothing.
        let used = lanes.min(length).max(1);
        // SAFETY: the ranges lie inside the reduced extents; the band has room for all lanes of the points.
        unsafe {
            self.start(|number| memory.band(number, 0), used * n, NO_PLACE);
            let whole = length / lanes;
            self.rows(ranges, |this, at| {
                at[last] = ranges[last].start;
                this.joined_rows(at, whole, lanes * n);
                at[last] += whole * lanes;
                this.joined_rows(at, 1, length % lanes * n);
            });
            self.combine_joined(used, n);
            for (number, item) in fold.items.iter().enumerate() {
                keep(memory.band(number, 0), memory.stack(number, position), n, item);
            }
        }
    }

    /// Folds `count` rows of `n` elements, the first of which is at these indices.
    unsafe fn joined_rows(&mut self, at: &[usize], count: usize, n: usize) {
        if count == 0 || n == 0 {
            return;
        }
        let (bound, fold, memory) = (self.bound, self.fold, self.memory);
        let machine = &bound.specialised.machine;
        let last = at.len() - 1;
        self.point_at(at, 0);
        // SAFETY: the frame is at the first row; rows lie inside the leaf, blocks have as many elements.
        unsafe {
            self.point_accumulators(|item| memory.band(item, 0), self.place(at));
            if let Some(number) = machine.fold_alone {
                let step = |access| fold.band as isize * fold.step(bound, last, access) as isize;
                let mut steps: SmallVec<[isize; 8]> = (0..bound.bases.len()).map(step).collect();
                steps.push(0);
                machine.natives[number as usize].run_rows(
                    &mut self.frame.pointers,
                    n,
                    count,
                    &steps,
                );
                return;
            }
            for _ in 0..count {
                self.list(&machine.fold_row, 1);
                self.list(&machine.fold, n);
                for (number, item) in self.left_to_fold() {
                    let values = self.frame.pointers[machine.sources[number] as usize];
                    (item.folding.kept)(memory.band(number, 0), values, n, 0);
                }
                self.advance(last, fold.band as i64);
            }
        }
    }

    /// Combines the lanes of every item, of which so many are used, into the first, for `n` points.
    unsafe fn combine_joined(&self, used: usize, n: usize) {
        for (number, item) in self.fold.items.iter().enumerate() {
            let acc = self.memory.band(number, 0);
            let mut width = self.fold.band / 2;
            while width > 0 {
                let count = width.min(used.saturating_sub(width));
                // SAFETY: the vectors of the lower lanes and of the upper ones lie apart.
                unsafe { (item.folding.combine)(acc, acc.from(width * n, item.size), count * n) };
                width /= 2;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::testing::{self, Array};
    use crate::jit::Target;
    use crate::level::Level;
    use darray_codegen::FoldMode;

    /// The bits of sums over the last axis of a matrix with these extents and strides, and how many points were joined.
    fn run(
        [points, indices]: [usize; 2],
        strides: [i64; 2],
        fold: &str,
        jit: Option<Target>,
    ) -> (Vec<u64>, usize) {
        let result = if fold == "argmax" { "%1 %2" } else { "%1" };
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 1 write noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=0) {{
                fold (i1: extent=p1 origin=p2 global=p1 logical=1)
                lanes=32 width=64 rounds=32 alone=8 {{
                %0 = load b0[p2 + 1*i0, p2 + 1*i1] }}
                {result} = {fold} %0 store b1[p2 + 1*i0] %1 }} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &strides },
            Array { block: 1, offset: 0, strides: &[1] },
        ];
        let params = [points, indices, 0];
        let elements = (strides[0] as usize * points).max(strides[1] as usize * indices) + points;
        let size = (elements, points);
        let (bits, seen) = testing::run(&text, &arrays, &params, jit, usize::MAX, size, |bound| {
            let fold = bound.fold.as_ref().unwrap();
            assert!(fold.joined == 0 || fold.mode == FoldMode::Kept);
            fold.joined
        });
        (bits, seen[0])
    }

    #[test]
    fn points_of_all_lanes_are_one_row() {
        let jits = Target::ALL.into_iter().filter(|target| target.level() <= Level::detect());
        let jits: Vec<_> = jits.map(Some).chain([None]).collect();
        for points in [2, 7, 31] {
            // A leaf and a part of one; the last row has 3 lanes.
            let extents = [points, 1024 + 67];
            let mut all = Vec::new();
            for &jit in &jits {
                let (bits, joined) = run(extents, [1, points as i64], "sum", jit);
                assert_eq!(joined, points, "{jit:?}");
                assert!(bits.iter().all(|&bits| bits != 0));
                all.push(bits);
                let (_, indexed) = run(extents, [1, points as i64], "argmax", jit);
                assert_eq!(indexed, 0, "lanes have indices of their own");
            }
            all.dedup();
            assert_eq!(all.len(), 1, "machine code has the interpreter's bits");
        }
        let joined = |extents, strides| run(extents, strides, "sum", None).1;
        assert_eq!(joined([40, 200], [1, 40]), 0, "points are many");
        assert_eq!(joined([8, 200], [2, 16]), 0, "gaps");
        assert_eq!(joined([8, 20], [1, 8]), 0, "few indices");
    }
}

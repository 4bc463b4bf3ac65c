//! Non-temporal stores: those that go past the caches.
//!
//! An ordinary store of a line that is in no cache first reads it from memory. Where a nest touches more than
//! the caches keep, what it writes is gone from them before anybody reads it, so the reading is for nothing.
//!
//! Such stores write whole cache lines. Machine code makes them itself from where a line begins; the elements of a row
//! before that are done by themselves, and parts of lines at the ends of rows are stored element by element. What
//! machine code does not write goes the ordinary way, but for a block that is only copied.

use super::Schedule;
use super::summary::{CodeSummary, Summary, bit};
use super::tuning::{DEAREST_COST, STREAMED_ROW_BYTES};
use crate::jit::{Target, is_in};
use crate::vector;
use darray_codegen::StrideClass;

/// The accesses of a nest that are written so.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct NonTemporal {
    /// Those that are to be, as bits.
    pub(super) wanted: u64,
    /// Those that machine code writes, as bits.
    by_code: u64,
    /// One of them, and the bytes of an element: all begin their lines at the same elements.
    lead: Option<(u16, usize)>,
    /// Those that blocks are copied to, as bits.
    direct: u64,
}

impl NonTemporal {
    /// How they are written, by the code for them.
    pub(super) fn fit(&mut self, summary: &Summary<'_>, code: &CodeSummary) {
        self.by_code = self.wanted & code.non_temporal;
        self.direct = self.wanted & !self.by_code & code.copied;
        let is_lead = |&access: &usize| self.by_code & bit(access) != 0;
        let lead = summary.with_bits().rev().find(is_lead);
        self.lead = lead.map(|access| (access as u16, summary.size(access)));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_code == 0 && self.direct == 0
    }

    /// The accesses, as bits.
    pub fn accesses(&self) -> u64 {
        self.by_code | self.direct
    }

    /// Whether machine code writes some.
    pub fn is_by_code(&self) -> bool {
        self.by_code != 0
    }

    /// Whether rows so many bytes apart, access by access, begin at the same places of the lines that machine code writes.
    pub fn begins_equal(&self, steps: &[isize]) -> bool {
        self.lead.is_none_or(|(access, _)| steps[access as usize] % vector::LINE as isize == 0)
    }

    /// How many elements come before a line begins of what machine code writes, `columns` after where the accesses are at the
    /// `places`.
    pub fn before_line(&self, places: &[*mut u8], columns: usize) -> usize {
        let before = |(access, size): (u16, usize)| {
            let place = places[access as usize].wrapping_add(columns * size);
            // Sizes are powers of two.
            ((place as usize).wrapping_neg() % vector::LINE) >> size.trailing_zeros()
        };
        self.lead.map_or(0, before)
    }

    /// Whether blocks are copied so to an access.
    pub fn is_direct(&self, access: u16) -> bool {
        is_in(self.direct, access)
    }
}

impl Schedule {
    /// The accesses of a large nest that are to be written so, as bits; `stores` says whether machine code may write what comes
    /// after a fold as it folds.
    pub(super) fn wanted_non_temporal(&self, summary: &Summary<'_>, stores: bool) -> u64 {
        let in_one = self.fold.is_none() || stores;
        if !vector::STREAMS || !in_one || summary.nest.cost(DEAREST_COST) > DEAREST_COST {
            return 0;
        }
        // Where less than a row is much, shorter rows do, too.
        let shortest = STREAMED_ROW_BYTES.min(summary.stream_from);
        // Long contiguous runs: no load finds their lines in a cache, no mask leaves elements as they are.
        let may = |&access: &usize| {
            let mut others = (0..summary.blocks.len()).filter(|&other| other != access);
            summary.nest.accesses[access].is_only_written
                && self.layout.classes[access] == StrideClass::Unit
                && self.vector.extent * summary.size(access) >= shortest
                && others.all(|other| summary.blocks[other] != summary.blocks[access])
        };
        summary.with_bits().filter(may).fold(0, |all, access| all | bit(access))
    }

    /// Those of `wanted` whose stores machine code may make itself: they go through lines side by side, so that all
    /// begin one where the first does.
    pub(super) fn in_step(&self, summary: &Summary<'_>, wanted: u64) -> u64 {
        // Where elements begin in their lines, at the start and for each step.
        let places = |access: usize| {
            let start = (summary.blocks[access] as i64).wrapping_add(summary.offsets[access]);
            std::iter::once(start)
                .chain(summary.strides_of_access(access))
                .map(|byte| byte.rem_euclid(vector::LINE as i64))
        };
        // Stores are of whole vectors, which groups of bytes are in wide registers alone. Cuts move by a line, and what is packed
        // goes no further beyond a tile than lines of 4 bytes do.
        let shortest = match summary.nest.target {
            _ if !self.packed.is_empty() => 4,
            Some(Target::Avx512) => 1,
            _ => 2,
        };
        let may = |&access: &usize| {
            let size = summary.size(access) as i64;
            wanted & bit(access) != 0
                && size >= shortest
                && places(access).all(|byte| byte % size == 0)
        };
        // The first of those with the longest elements, which are most of the bytes.
        let longest = |&access: &usize| std::cmp::Reverse(summary.size(access));
        let Some(first) = summary.with_bits().filter(may).min_by_key(longest) else { return 0 };
        let beside = |&access: &usize| {
            summary.size(access) == summary.size(first) && places(access).eq(places(first))
        };
        summary.with_bits().filter(may).filter(beside).fold(0, |all, access| all | bit(access))
    }
}

#[cfg(test)]
mod tests {
    use super::vector;
    use crate::execute::testing::{Array, with_bound};
    use crate::jit::Target;
    use crate::level::Level;

    const N: usize = 1000;

    /// How many accesses of a kernel are streamed: by machine code, and straight. It loads from
    /// `b0` and stores to `b1`, which are the same block where that is `in_place`, and to `b2`, so many elements
    /// behind the start of its block.
    fn streamed(
        body: &str,
        [in_place, jit]: [bool; 2],
        dtype: &str,
        behind: usize,
        from: usize,
    ) -> [usize; 2] {
        let text = format!(
            "kernel params=3 scalars=[] b0: f64 rank 1 read b1: f64 rank 1 write b2: {dtype} rank 1 write
             {{ for (i0: extent=p0 origin=p1 global=p0 logical=0) {{ {body} }} }}"
        );
        let arrays = [
            Array { block: 0, offset: 0, strides: &[1] },
            Array { block: usize::from(!in_place), offset: 0, strides: &[1] },
            Array { block: 2, offset: behind, strides: &[1] },
        ];
        let target = jit.then(|| Target::of(Level::detect())).flatten();
        with_bound(&text, &arrays, &[N, 0, 2], target, from, |bound| {
            let direct =
                (0..4).filter(|&access| bound.schedule.non_temporal.is_direct(access)).count();
            let by_code = bound.schedule.non_temporal.by_code.count_ones() as usize;
            [by_code, direct]
        })
    }

    const COPY: &str = "%0 = load b0[p1 + 1*i0] store b1[p1 + 1*i0] %0";
    const DOUBLE: &str = "%0 = load b0[p1 + 1*i0] %1 = add.f64 %0 %0 store b1[p1 + 1*i0] %1";

    #[test]
    fn long_runs_that_are_only_written_are_streamed() {
        if !vector::STREAMS {
            return;
        }
        let streamed = |body, in_place, from| streamed(body, [in_place, false], "f64", 0, from);
        let exp = "%0 = load b0[p1 + 1*i0] %1 = exp.f64 %0 store b1[p1 + 1*i0] %1";
        let every_second = "%0 = load b0[p1 + 1*i0] store b1[p1 + p2*i0] %0";
        let masked = "%0 = load b0[p1 + 1*i0] %1 = eq.f64 %0 %0 store b1[p1 + 1*i0] %0 if %1";
        assert_eq!(streamed(COPY, false, 0), [0, 1]);
        assert_eq!(streamed(DOUBLE, false, 0), [0, 0], "that is for machine code");
        let both = 16 * N;
        assert_eq!(streamed(COPY, false, both), [0, 1]);
        assert_eq!(streamed(COPY, false, both + 1), [0, 0], "it fits into the caches");
        assert_eq!(streamed(COPY, true, 0), [0, 0], "its lines are there");
        assert_eq!(streamed(exp, false, 0), [0, 0], "the processor is what it waits for");
        assert_eq!(streamed(every_second, false, 0), [0, 0]);
        assert_eq!(streamed(masked, false, 0), [0, 0], "some elements stay");
    }

    #[test]
    fn machine_code_streams_what_goes_through_lines_side_by_side() {
        if !vector::STREAMS || Target::of(Level::detect()).is_none() {
            eprintln!("this machine has no machine code");
            return;
        }
        let streamed = |body: &str, dtype: &str, behind: usize| {
            streamed(body, [false, true], dtype, behind, 0)
        };
        let two =
            |operator: &str| format!("{DOUBLE} %2 = {operator}.f64 %0 %0 store b2[p1 + 1*i0] %2");
        assert_eq!(streamed(COPY, "f64", 0), [1, 0], "it prefetches lines");
        assert_eq!(streamed(DOUBLE, "f64", 0), [1, 0], "an operator alone is compiled for it");
        assert_eq!(streamed(&two("mul"), "f64", 0), [2, 0]);
        assert_eq!(streamed(&two("mul"), "f64", 8), [2, 0], "a line behind");
        assert_eq!(streamed(&two("mul"), "f64", 3), [1, 0], "its lines begin elsewhere");
        assert_eq!(streamed(&two("lt"), "bool", 0), [1, 0], "a line of bytes has more elements");
        let again = format!("{DOUBLE} %2 = sqrt.f64 %1 store b2[p1 + 1*i0] %2");
        assert_eq!(streamed(&again, "f64", 0), [1, 0], "the first is read where it is");
    }
}

//! The choice: loops, then what is packed, how accesses step, and what is wanted of machine code; and what depends on that code.

use super::fold;
use super::loops::{ONCE, WHOLE, lengthen};
use super::neighbours::neighbours;
use super::packing::{Packing, pack};
use super::prefetch::Prefetch;
use super::summary::{CodeSummary, LARGEST, PointsSummary, Summary, bit};
use super::tuning::{self, COPIED_POINTS, STRIP_COLUMNS};
use super::{Body, FoldSchedule, Interleaved, NonTemporal, Schedule};
use crate::jit::{Traffic, is_in};
use crate::vector::{LINE, MOST_INTERLEAVED};
use darray_codegen::bind::{Loop, plan_loops};
use darray_codegen::{FoldMode, Layout, Phase, StrideClass};
use darray_kernel::ir::Role;
use smallvec::SmallVec;

/// Chooses how a nest that has points is gone through. What depends on the code that is wanted, [`fit`](Schedule::fit) adds.
pub(in super::super) fn choose(summary: &Summary<'_>) -> Schedule {
    let nest = summary.nest;
    let in_fold = |access: usize| nest.accesses[access].phase == Phase::Fold;
    let extents = &summary.extents[..nest.kept];
    let mut rows = plan_loops(extents, &nest.alone, in_fold, |axis| summary.strides_of(axis));
    let (vector, fold) = match (&nest.fold, &summary.tree) {
        (Some(of_nest), Some(tree)) => {
            let (vector, fold) = fold::choose(summary, (of_nest, tree), &mut rows);
            (vector, Some(Box::new(fold)))
        }
        _ => (vector_of_rows(summary, &mut rows), None),
    };
    let Packing { packed, tile: packed_tile } = pack(summary, &mut rows, vector);
    let across = fold.as_ref().map_or(&[][..], |fold| &fold.across);
    let copied = packed.iter().map(|one| one.access).chain(across.iter().map(|&k| k.into()));
    let copied = copied.fold(0, |bits, access| bits | bit(access));
    let mode = fold.as_ref().map_or(FoldMode::Kept, |fold| fold.mode);
    let axis = (nest.kept > 0).then_some(vector.axis);
    let mut layout = Layout { vector: axis, classes: SmallVec::new(), mode };
    let mut along: SmallVec<[i64; 8]> = SmallVec::new();
    let mut along_rows: SmallVec<[u16; 8]> = SmallVec::new();
    for (access, of_nest) in nest.accesses.iter().enumerate() {
        let inner = match &nest.fold {
            Some(fold) if of_nest.phase == Phase::Fold && mode == FoldMode::Lanes => {
                fold.order.last().map(|&axis| (axis, summary.extents[usize::from(axis)]))
            }
            _ => axis.map(|axis| (axis, vector.extent)),
        };
        let size = of_nest.size as i64;
        let stride = inner.map_or(0, |(axis, _)| summary.stride(axis, access));
        let is_copied =
            across.contains(&(access as u16)) || packed.iter().any(|one| one.access == access);
        let class = match inner {
            None => StrideClass::Still,
            // One element is contiguous.
            Some((_, 1)) => StrideClass::Unit,
            _ if is_copied || stride == size => StrideClass::Unit,
            _ if stride == 0 => StrideClass::Still,
            _ if is_reversed(summary, fold.as_deref(), access, stride) => StrideClass::Backward,
            _ => StrideClass::Strided,
        };
        layout.classes.push(class);
        let is_alone = inner.is_some_and(|(_, extent)| extent == 1);
        along.push(if is_alone || is_copied { size } else { stride });
        debug_assert!(class != StrideClass::Unit || along[access] == size);
        let is_long = inner.is_some_and(|(_, extent)| extent >= tuning::SHARED_ROW_ELEMENTS);
        if is_long && stride == size && !is_copied {
            along_rows.push(access as u16);
        }
    }
    let mut schedule = Schedule {
        rows,
        vector,
        layout,
        along,
        traffic: Traffic::default(),
        body: Body::Empty,
        block: 1,
        tile: WHOLE,
        planes: None,
        packed,
        non_temporal: NonTemporal::default(),
        is_anywhere: false,
        fold,
    };
    schedule.choose_traffic(summary, &along_rows, copied);
    let strip = schedule.strip(summary).filter(|_| nest.fold.is_none());
    match strip {
        _ if !schedule.packed.is_empty() => schedule.tile = packed_tile,
        // Without other rows it is all of them.
        Some(strip) => {
            schedule.tile = if schedule.rows.is_empty() { WHOLE } else { (usize::MAX, strip) }
        }
        None => {}
    }
    schedule
}

impl Schedule {
    /// What is wanted of machine code, the accesses that are to be written with non-temporal stores, and tiles of stencils.
    fn choose_traffic(&mut self, summary: &Summary<'_>, along_rows: &[u16], copied: u64) {
        let nest = summary.nest;
        let short = short_rows(summary, &self.rows, self.vector);
        let pieces = !self.packed.is_empty() || short.is_some_and(|cost| cost == Cost::Cheap);
        let rows = fold::traffic(summary, self.vector, self.fold.as_deref());
        let is_one = summary.tree.as_ref().is_some_and(|tree| tree.tree.slots() == 1);
        let around = self.rows.last().map(|around| around.axis).filter(|_| nest.fold.is_none());
        let row_axis = around.filter(|axis| nest.indexed.contains(axis));
        let stores = rows.stores && is_one;
        let mut traffic = Traffic { pieces, short_rows: short.is_some(), stores, row_axis, ..rows };
        // What a nest of a kernel by rows writes is read by the next ones.
        let is_large = !nest.by_rows && summary.most_bytes() >= summary.stream_from;
        if is_large && summary.bytes(&self.layout.classes) >= summary.stream_from {
            let mut prefetch = Prefetch::choose(summary, self);
            self.non_temporal.wanted = self.wanted_non_temporal(summary, stores);
            // What is copied reads its lines as they lie.
            prefetch.first &= !(copied & !rows.across);
            let in_order = |&access: &usize| {
                let row = usize::from(rows.points) * summary.size(access);
                summary.stride(self.vector.axis, access) == row as i64
            };
            let is_apart = |access: &usize| is_in(rows.across, *access as u16) && !in_order(access);
            summary.with_bits().filter(is_apart).for_each(|access| prefetch.first &= !bit(access));
            traffic.non_temporal = self.in_step(summary, self.non_temporal.wanted);
            traffic.prefetched = prefetch.first;
            traffic.course = prefetch.course(nest, traffic.non_temporal);
            self.tile = prefetch.tile.filter(|_| nest.fold.is_none()).unwrap_or(WHOLE);
        }
        traffic.neighbours = neighbours(summary, along_rows, traffic.prefetched);
        self.traffic = if nest.target.is_some() { traffic } else { Traffic::default() };
        let near = summary.most_bytes() < tuning::NEAR_BYTES;
        let crosses = self.layout.classes.contains(&StrideClass::Strided);
        self.is_anywhere = !is_large && (near || !crosses) && self.packed.is_empty();
    }

    /// Adds what depends on the code that there is.
    pub fn fit(&mut self, summary: &Summary<'_>, code: &CodeSummary) {
        self.non_temporal.fit(summary, code);
        // What else costs time hides the rest.
        let is_stencil = self.packed.is_empty() && self.strip(summary).is_none();
        if is_stencil && !self.non_temporal.is_by_code() {
            self.tile = WHOLE;
        }
        if let Some(tree) = &summary.tree {
            fold::fit(self, summary, tree, code);
        }
        self.block = match (&self.fold, code.points) {
            (Some(fold), Some(points)) => {
                let is_copied = !fold.across.is_empty() && !points.is_across;
                points_of_block(points).min(if is_copied { COPIED_POINTS } else { usize::MAX })
            }
            (Some(fold), None) if fold.mode == FoldMode::Kept => self.block,
            (fold, _) => {
                let lanes = fold.as_ref().map_or(1, |fold| fold.lanes);
                self.block_length(code, lanes)
            }
        };
        let interleaved = match self.packed.is_empty() && self.non_temporal.is_empty() {
            true => self.interleaved(summary, code),
            false => None,
        };
        self.planes = self.planes(code);
        let is_cut = code.indexed && self.non_temporal.is_by_code();
        self.body = match interleaved {
            _ if code.before == 0 && self.fold.is_some() => Body::Empty,
            Some(interleaved) => Body::Interleaved(interleaved),
            // By indices rows are not cut where lines begin.
            None if code.has_rows && !is_cut => Body::Rows,
            None => Body::Blocks,
        };
    }

    /// Planes whose rows are run together, if a call for the rows of one would be one for little.
    fn planes(&self, code: &CodeSummary) -> Option<usize> {
        let [.., around, inner] = self.rows[..] else { return None };
        let point: usize = self.along.iter().map(|&step| step.unsigned_abs() as usize).sum();
        let plane = (inner.extent * self.vector.extent).saturating_mul(point).max(1);
        let most = (tuning::PLANES_BYTES / plane).min(around.extent);
        // Functions that count the rows of a plane, or make non-temporal stores of whole lines, go on with the next row.
        let goes_on = code.indexed || self.non_temporal.is_by_code();
        let is_whole = self.tile.1 >= self.vector.extent && self.packed.is_empty();
        (most > inner.extent && is_whole && !goes_on).then_some(most)
    }

    /// The columns of a strip, where there are accesses whose lines rows share: of those that go backwards through memory rows do
    /// not.
    fn strip(&self, summary: &Summary<'_>) -> Option<usize> {
        let (mut all, mut most) = (0, 0);
        for (access, &along) in self.along.iter().enumerate() {
            let is_strided = self.layout.classes[access] == StrideClass::Strided;
            if is_strided && along != -(summary.size(access) as i64) {
                let bytes = along.unsigned_abs() as usize;
                (all, most) = (all + bytes, most.max(bytes));
            }
        }
        match most {
            0 => None,
            // Several columns lie in a line.
            1..LINE => {
                let fit = tuning::FIRST_LEVEL_BYTES / all;
                Some(fit.max(STRIP_COLUMNS) / STRIP_COLUMNS * STRIP_COLUMNS)
            }
            _ => Some(STRIP_COLUMNS),
        }
    }

    /// Elements per block: what the registers and streams of a block take stays in the first-level cache.
    fn block_length(&self, code: &CodeSummary, lanes: usize) -> usize {
        if code.registers == 0 {
            let is_alone = code.taken.is_empty() && code.before == 1;
            return if is_alone {
                tuning::LONE_BLOCK_ELEMENTS
            } else {
                tuning::LONG_BLOCK_ELEMENTS
            };
        }
        let streams = self.layout.classes.len() * LARGEST;
        let per_element = (code.registers + code.taken.len()) * code.element + streams;
        let (least, most) = tuning::BLOCK_ELEMENTS;
        let fit = (tuning::FIRST_LEVEL_BYTES / per_element.max(1)).clamp(least, most) / 64 * 64;
        fit.next_multiple_of(lanes)
    }

    /// The copy with elements side by side that the nest is, if it is one.
    fn interleaved(&self, summary: &Summary<'_>, code: &CodeSummary) -> Option<Interleaved> {
        let (inner, vector) = (self.rows.last()?, self.vector);
        let is_short =
            (2..=MOST_INTERLEAVED).contains(&inner.extent) && vector.extent > MOST_INTERLEAVED;
        let copy = code.copy.filter(|_| is_short && summary.nest.fold.is_none())?;
        let is_next = |axis: u8, access: usize| summary.stride(axis, access) == copy.size as i64;
        let is_written = is_next(inner.axis, copy.to);
        let is_read = is_next(inner.axis, copy.from) && is_next(vector.axis, copy.to);
        (is_written || is_read).then_some(Interleaved { copy, is_written })
    }
}

/// Points of a block that a function folds which takes all of their elements.
fn points_of_block(points: PointsSummary) -> usize {
    let is_one = points.is_one_element || points.is_across;
    if points.stores && is_one { tuning::STORED_POINT_BLOCK } else { tuning::POINT_BLOCK }
}

/// The loop that vectors of a nest without a fold go along, which is no longer among the rows.
fn vector_of_rows(summary: &Summary<'_>, rows: &mut SmallVec<[Loop; 4]>) -> Loop {
    let vector = rows.pop().unwrap_or(ONCE);
    let (cheap, dear) = tuning::FEWEST_ELEMENTS;
    let is_best = match short_rows(summary, rows, vector) {
        Some(Cost::Cheap) => vector.extent >= cheap,
        Some(Cost::Dear) => vector.extent >= dear,
        None => false,
    };
    if is_best {
        return vector;
    }
    rows.push(vector);
    lengthen(rows);
    rows.pop().unwrap_or(ONCE)
}

/// Whether operators of an element take time to speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cost {
    Cheap,
    Dear,
}

/// Whether a nest without a fold has many short rows along a loop inside these, and machine code can go along all accesses: what is
/// done between two rows takes longer than a row, unless one function goes through all of them. So
///
/// ```text
/// a copy, an operator alone     has such a function, too; for one long row a loop of the table is as good
/// a[i, j] + b[i]                b[i] is read by the function, not fetched before each row
/// rows of some elements         are rows, though columns would be longer
/// ```
fn short_rows(summary: &Summary<'_>, rows: &[Loop], vector: Loop) -> Option<Cost> {
    let nest = summary.nest;
    let count: usize = rows.iter().map(|around| around.extent).product();
    let are_short = (2..=tuning::SHORT_ROW_ELEMENTS).contains(&vector.extent);
    if nest.target.is_none() || nest.fold.is_some() || !are_short || count < tuning::MANY_ROWS {
        return None;
    }
    let goes_along = |(access, &stride): (usize, &i64)| {
        stride == 0
            || stride == summary.size(access) as i64
            || is_reversed(summary, None, access, stride)
    };
    if !summary.strides_of(vector.axis).iter().enumerate().all(goes_along) {
        return None;
    }
    let is_cheap = nest.cost(tuning::CHEAP_COST + 1) <= tuning::CHEAP_COST;
    // What is computed of an index once a row is not computed in a function of many rows if it is dear: there is a call for each.
    let is_called = !is_cheap
        && vector.extent < tuning::CALLED_ELEMENTS
        && rows.iter().any(|around| nest.indexed.contains(&around.axis));
    (!is_called).then_some(if is_cheap { Cost::Cheap } else { Cost::Dear })
}

/// Whether machine code of a nest without a fold, or of leaves, is to load what an access reads at this stride, in bytes, backwards, and
/// to reverse it in registers. Else it is copied to a block first.
fn is_reversed(
    summary: &Summary<'_>,
    fold: Option<&FoldSchedule>,
    access: usize,
    stride: i64,
) -> bool {
    let nest = summary.nest;
    let of_nest = &nest.accesses[access];
    stride == -(of_nest.size as i64)
        && of_nest.size >= 4
        && bit(access) != 0
        && nest.target.is_some()
        && of_nest.role == Role::Read
        && fold.is_none_or(|fold| fold.reverses(summary, access))
}

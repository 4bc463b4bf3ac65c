//! Running folds along an axis.

mod lanes;

use super::side;
use crate::level::Level;
use crate::memory::Located;
use crate::rectangle::Side;
use crate::workers::Workers;
use darray_device::builtin::{Scan, ScanPart, carries_extents};
use darray_device::{Block, Fault};
use lanes::{Grid, Job, Lanes};
use smallvec::SmallVec;
use std::ops::Range;

/// Most lanes together where they are neighbours in memory.
const VECTOR: usize = 512;

/// Threads that share lanes whose elements do not wait for each other, at least: block by block, memory is gone through twice.
const FEWEST: usize = 4;

/// Simple operations that an element takes, about.
const STEP: usize = 2;

/// A checked scan.
///
/// The array is cut into *lanes*, one per index of the other axes. Lanes of the axis along which the
/// output lies closest go together. Which lanes go together, and which blocks a thread takes, changes
/// no bits.
pub(crate) struct Running {
    call: Scan,
    out: Side,
    operand: Side,
    loops: Lanes,
    /// The axis whose indices are lanes that go together.
    across: Option<usize>,
    /// Most lanes together.
    width: usize,
}

// SAFETY: threads write disjoint lanes or blocks of the output or of the carries, and what they read
// is written by no other thread.
unsafe impl Sync for Running {}

/// The operand of the part that runs.
struct Operand<'s>(&'s Side);

// SAFETY: as for `Running`.
unsafe impl Sync for Operand<'_> {}

impl Running {
    /// Checks sizes and views.
    pub fn new(
        call: Scan,
        locate: &impl Fn(Block) -> Result<Located, Fault>,
    ) -> Result<Running, Fault> {
        let (reducer, dtype) = (call.reducer, call.dtype);
        let loops = Lanes::find(reducer, dtype)
            .ok_or_else(|| Fault::Execution(format!("scan {reducer} of {dtype}")))?;
        let out = side(&call.out, &call.extents, dtype, locate)?;
        let operand = side(&call.operand, &call.operand_extents(), dtype, locate)?;
        let others = (0..call.extents.len()).filter(|&a| a != call.axis && call.extents[a] > 1);
        let across = others.min_by_key(|&axis| out.strides[axis].abs());
        let near = across.is_some_and(|axis| out.strides[axis] == dtype.size() as i64);
        let width = if near { VECTOR } else { lanes::JAM };
        Ok(Running { call, out, operand, loops, across, width })
    }

    /// Runs it.
    pub fn run(self, workers: &Workers, _: Level) -> Result<(), Fault> {
        let elements: usize = self.call.extents.iter().product();
        if elements == 0 {
            return Ok(());
        }
        let (threads, part) = (workers.threads_for(elements.saturating_mul(STEP)), self.call.part);
        let few = threads <= self.groups() || !self.loops.waits && threads < FEWEST;
        if part != ScanPart::Whole || few || self.call.blocks() == 1 {
            self.run_part(part, self.call.first, &self.operand, workers, threads);
            return Ok(());
        }
        // Few lanes for many threads: block by block, as over several tiles.
        let extents = carries_extents(self.call.blocks(), self.call.axis, &self.call.extents);
        let size = self.call.dtype.size();
        let mut space = vec![0u64; (extents.iter().product::<usize>() * size).div_ceil(8)];
        let carries = Side::row_major(space.as_mut_ptr().cast(), &extents, size);
        self.run_part(ScanPart::Blocks, true, &self.operand, workers, threads);
        self.run_part(ScanPart::Carry, true, &carries, workers, threads);
        self.run_part(ScanPart::Add, true, &carries, workers, threads);
        Ok(())
    }

    /// One part over all lanes, on so many threads.
    fn run_part(
        &self,
        part: ScanPart,
        first: bool,
        operand: &Side,
        workers: &Workers,
        threads: usize,
    ) {
        let (groups, blocks) = (self.groups(), self.call.blocks());
        let independent = matches!(part, ScanPart::Blocks | ScanPart::Add);
        let chunks = if independent { threads.div_ceil(groups).min(blocks) } else { 1 };
        let units = groups * chunks;
        let threads = threads.min(units);
        let operand = Operand(operand);
        let work = |thread: usize| {
            for unit in units * thread / threads..units * (thread + 1) / threads {
                let (group, chunk) = (unit / chunks, unit % chunks);
                let range = blocks * chunk / chunks..blocks * (chunk + 1) / chunks;
                // SAFETY: the lanes and blocks lie inside the checked sides; each unit once.
                unsafe { self.run_unit(part, first, &operand, group, range) };
            }
        };
        workers.split(threads, work);
    }

    /// One part for one group of lanes and some of their blocks.
    unsafe fn run_unit(
        &self,
        part: ScanPart,
        first: bool,
        operand: &Operand<'_>,
        group: usize,
        blocks: Range<usize>,
    ) {
        let Scan { axis, block, ref extents, .. } = self.call;
        let (lane, lanes) = self.lanes(group);
        let start = blocks.start * block;
        let out = grid(&self.out, &lane, axis, self.across, start);
        let from = match part.has_carries() {
            true => {
                let across = self.across.map(|a| if a < axis { a + 1 } else { a });
                grid(operand.0, &carry_lane(&lane, axis), 0, across, blocks.start)
            }
            false => grid(operand.0, &lane, axis, self.across, start),
        };
        let n = (blocks.end * block).min(extents[axis]) - start;
        let job = Job { out, from, n, block, lanes, first: first && blocks.start == 0 };
        let run = match part {
            ScanPart::Whole => self.loops.whole,
            ScanPart::Blocks => self.loops.blocks,
            ScanPart::Carry => self.loops.carry,
            ScanPart::Add => self.loops.add,
        };
        // SAFETY: the caller's contract.
        unsafe { run(&job) }
    }

    /// Groups of lanes that go together.
    fn groups(&self) -> usize {
        let counts = self.call.extents.iter().enumerate().map(|(axis, &n)| match Some(axis) {
            a if a == self.across => n.div_ceil(self.width),
            _ if axis == self.call.axis => 1,
            _ => n,
        });
        counts.product()
    }

    /// The first lane of a group, with index 0 along the scanned axis, and how many there are.
    fn lanes(&self, group: usize) -> (SmallVec<[usize; 4]>, usize) {
        let extents = &self.call.extents;
        let mut lane: SmallVec<[usize; 4]> = SmallVec::from_elem(0, extents.len());
        let (mut rest, mut count) = (group, 1);
        for axis in (0..extents.len()).rev().filter(|&axis| axis != self.call.axis) {
            let together = if Some(axis) == self.across { self.width } else { 1 };
            let groups = extents[axis].div_ceil(together);
            lane[axis] = rest % groups * together;
            rest /= groups;
            count = count.max(together.min(extents[axis] - lane[axis]));
        }
        (lane, count)
    }
}

/// Where a group of lanes lies in a side, from index `start` along the scanned axis on.
fn grid(side: &Side, lane: &[usize], along: usize, across: Option<usize>, start: usize) -> Grid {
    let at = lane.iter().zip(&side.strides).map(|(&i, &s)| i as i64 * s).sum::<i64>();
    let at = at + start as i64 * side.strides[along];
    Grid {
        pointer: side.pointer.wrapping_offset(at as isize),
        along: side.strides[along],
        across: across.map_or(0, |axis| side.strides[axis]),
    }
}

/// A lane's index in the carries.
fn carry_lane(lane: &[usize], axis: usize) -> SmallVec<[usize; 4]> {
    let others = lane.iter().enumerate().filter(|&(a, _)| a != axis);
    std::iter::once(0).chain(others.map(|(_, &i)| i)).collect()
}

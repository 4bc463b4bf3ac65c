//! Where entries leave values for the next ones.

use super::bound::BoundNest;
use crate::cuda::plan::kernel_plan::KernelPlan;
use crate::cuda::plan::variant::NestVariant;
use crate::layout::FoldMode;
use darray_kernel::ir::Value;
use smallvec::SmallVec;

/// What workspace addresses are multiples of.
const ALIGNMENT: u64 = 256;

/// Where a nest keeps values between its entries, in bytes from the start of the workspace.
pub(crate) struct Scratch {
    spills: SmallVec<[(Value, u64); 2]>,
    items: SmallVec<[(u64, u64); 4]>,
    /// Values of pieces from one parallel point to the next, and from one piece to the next.
    pub point_step: u64,
    pub piece_step: u64,
    pub end: u64,
}

impl Scratch {
    /// Of a nest of a kernel.
    pub fn new(
        plan: &KernelPlan,
        nest: usize,
        bound: &BoundNest,
        variant: &NestVariant,
    ) -> Scratch {
        let program = &plan.program;
        let mut end = (plan.cells * 8).next_multiple_of(ALIGNMENT);
        let mut reserve = |bytes: u64| {
            let at = end;
            end = (end + bytes).next_multiple_of(ALIGNMENT);
            at
        };
        let points = bound.points as u64;
        let spills = plan.plans[nest].spilled();
        let spills = spills.iter().map(|&value| (value, reserve(points * 8))).collect();
        let mut items = SmallVec::new();
        let pieces = bound.fold.as_ref().map_or(0, |fold| fold.pieces as u64);
        let list = program.nests[nest].fold.iter().flat_map(|fold| &fold.items);
        for item in list.filter(|_| pieces > 1) {
            let size = program.dtypes[item.value.0 as usize].size() as u64;
            let values = reserve(points * pieces * size);
            let indices = item.index.map_or(0, |_| reserve(points * pieces * 8));
            items.push((values, indices));
        }
        let kept = variant.fold.as_ref().is_some_and(|fold| fold.mode == FoldMode::Kept);
        let (point_step, piece_step) = if kept { (1, points) } else { (pieces, 1) };
        Scratch { spills, items, point_step, piece_step, end }
    }

    /// Values of pieces of an item of the fold.
    pub fn value(&self, item: u16) -> u64 {
        self.items[item as usize].0
    }

    /// Indices of pieces of an item of the fold.
    pub fn index(&self, item: u16) -> u64 {
        self.items[item as usize].1
    }

    /// A value of the outer level, one per parallel point.
    pub fn spill(&self, value: Value) -> u64 {
        let known = self.spills.iter().find(|(v, _)| *v == value);
        known.expect("only spilled values are asked for").1
    }
}

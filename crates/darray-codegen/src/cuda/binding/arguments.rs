//! The bytes of an entry's argument structure.

use super::bindings::Bindings;
use super::bound::{Bound, BoundNest};
use super::folds::BoundFold;
use super::workspace::Scratch;
use crate::cuda::plan::entries::Plan;
use crate::cuda::plan::fields::Field;
use crate::cuda::plan::kernel_plan::KernelPlan;
use crate::cuda::plan::variant::NestVariant;

/// Where an entry of a nest works.
pub(crate) struct Place<'b> {
    pub kernel: &'b KernelPlan,
    pub bindings: &'b Bindings<'b>,
    pub bound: &'b Bound,
    pub nest: &'b BoundNest,
    pub variant: &'b NestVariant,
    /// See [`Field::Units`].
    pub units: u64,
    /// Address of the workspace.
    pub workspace: u64,
}

impl Place<'_> {
    /// The bits of a field.
    pub fn value(&self, plan: &Plan, field: Field) -> u64 {
        let nest = self.nest;
        let reduced = |k: u8| {
            let fold = nest.fold.as_ref().expect("a fold has reduced axes");
            &fold.axes[k as usize]
        };
        let fold = |of: fn(&BoundFold) -> u64| nest.fold.as_ref().map_or(0, of);
        let scratch = || Scratch::new(self.kernel, plan.nest, nest, self.variant);
        match field {
            Field::Base(access) => self.bound.bases[access as usize],
            Field::Cells => self.workspace,
            Field::Scalar(index) => self.bindings.scalars[index as usize],
            Field::Units => self.units,
            Field::Points => nest.points as u64,
            Field::Extent(l) => {
                let vectors = l as usize + 1 == nest.loops.len() && nest.row.width > 1;
                (if vectors { nest.row.count } else { nest.loops[l as usize].extent }) as u64
            }
            Field::Head => nest.row.head as u64,
            Field::Covered => nest.covered() as u64,
            Field::RestOfRow => (nest.row_extent() - nest.covered()) as u64,
            Field::Rest => (nest.rows() * (nest.row_extent() - nest.covered())) as u64,
            Field::Stride(pattern, dim) => {
                nest.strides.pattern(pattern as usize)[dim as usize] as u64
            }
            Field::Origin(axis) => nest.origins[axis as usize] as u64,
            Field::Reduced(k) => reduced(k).extent as u64,
            Field::Leaf(k) => reduced(k).leaf as u64,
            Field::Inside(k) => reduced(k).inside as u64,
            Field::Piece(k) => reduced(k).piece as u64,
            Field::Pieces(k) => reduced(k).pieces as u64,
            Field::First(k) => reduced(k).first as u64,
            Field::Whole(k) => reduced(k).whole as u64,
            Field::PieceCount => fold(|fold| fold.pieces as u64),
            Field::Columns => fold(|fold| fold.columns as u64),
            Field::Position => fold(|fold| fold.position as u64),
            Field::PositionStep(k) => reduced(k).position as u64,
            Field::Value(item) => self.workspace + scratch().value(item),
            Field::Index(item) => self.workspace + scratch().index(item),
            Field::PointStep => scratch().point_step,
            Field::PieceStep => scratch().piece_step,
            Field::Slot(access) => nest.slots[access as usize] as u64,
            Field::Spill(value) => self.workspace + scratch().spill(value),
        }
    }
}

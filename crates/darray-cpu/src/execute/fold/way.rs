//! Along what the fold of a nest goes, decided for each launch, by strides and extents.

use super::super::bind::lengthen;
use super::super::compiled::Compiled;
use super::super::short_rows::ShortRows;
use super::any_order::AnyOrder;
use super::bool_columns::BoolColumns;
use super::points::{MANY, most_elements};
use crate::jit::Traffic;
use crate::vector::LANES;
use darray_codegen::bind::{Axes, Loop};
use darray_codegen::{FoldMode, Nest, Phase, Program};
use darray_kernel::tree::TileTree;
use smallvec::SmallVec;

/// See the [module](self).
pub(in super::super) struct FoldWay {
    /// Along what the body goes.
    pub mode: FoldMode,
    pub any_order: Option<AnyOrder>,
    pub bool_columns: Option<BoolColumns>,
    /// Elements of each kept point, where they are so few that one function folds all of them; else 0.
    pub points: u8,
    /// Of those, the accesses whose elements of different points do not lie side by side.
    pub across: SmallVec<[u16; 4]>,
}

impl FoldWay {
    /// The way of a nest, and the kept loop that a block is of, which is no longer among the loops: `strides(axis)` are the bytes
    /// per step of all accesses. `with_points` says whether there may be a function for points of a few elements.
    pub fn choose<'s>(
        compiled: &Compiled,
        number: usize,
        (axes, tree): (&Axes, Option<&TileTree>),
        loops: &mut SmallVec<[Loop; 4]>,
        with_points: bool,
        strides: impl Fn(u8) -> &'s [i64],
    ) -> (FoldWay, Loop) {
        let only = Loop { axis: 0, extent: 1 };
        let (program, nest) = (&compiled.program, &compiled.program.nests[number]);
        let mut way = FoldWay {
            mode: FoldMode::Kept,
            any_order: None,
            bool_columns: None,
            points: 0,
            across: SmallVec::new(),
        };
        let (Some(fold), Some(tree)) = (&nest.fold, tree) else {
            let vector = loops.pop().unwrap_or(only);
            if ShortRows::find(compiled, nest, (loops, &vector), &strides)
                .is_some_and(|rows| rows.are_best())
            {
                return (way, vector);
            }
            loops.push(vector);
            lengthen(loops);
            return (way, loops.pop().unwrap_or(only));
        };
        // Lanes and the points behind them are one row.
        if tree.lanes() == 1 || axes.group.behind == 1 {
            lengthen(loops);
        }
        let vector = loops.pop().unwrap_or(only);
        let along = fold.order.last().map(|&axis| strides(axis));
        let kept = strides(vector.axis);
        // Accesses that move less along the kept axis than along the reduced one, and the opposite.
        let phases = nest.accesses.iter().map(|&(_, phase)| phase);
        let pairs = phases.zip(kept).zip(along.unwrap_or(kept));
        let votes = pairs.filter(|((phase, _), _)| *phase == Phase::Fold).map(|((_, &k), &r)| {
            (k != 0 && r != 0) as i32 * (r.unsigned_abs().cmp(&k.unsigned_abs()) as i32)
        });
        let votes = votes.sum::<i32>();
        if compiled.jit.is_some() && with_points && vector.extent >= MANY {
            way.points = elements_of_points(nest, axes, tree, (vector, votes));
        }
        way.mode = match (tree.lanes(), votes) {
            _ if way.points > 0 => FoldMode::Kept,
            _ if nest.kept == 0 => FoldMode::Lanes,
            (1, _) | (_, 1..) => FoldMode::Kept,
            _ => FoldMode::Lanes,
        };
        if way.points > 0 {
            let size = |access: usize| {
                let buffer = program.accesses[nest.accesses[access].0 as usize].buffer;
                program.buffers[buffer as usize].dtype.size() as i64
            };
            let lies_across = |&access: &usize| {
                let stride = kept[access];
                nest.accesses[access].1 == Phase::Fold && stride != 0 && stride != size(access)
            };
            let across = (0..nest.accesses.len()).filter(lies_across);
            way.across = across.map(|access| access as u16).collect();
            return (way, vector);
        }
        if way.mode == FoldMode::Lanes {
            way.any_order = AnyOrder::find(program, nest, axes, compiled.level, &strides);
        }
        if way.mode == FoldMode::Kept && loops.is_empty() && nest.kept > 0 && tree.slots() == 1 {
            let points = (vector.axis, vector.extent);
            way.bool_columns =
                BoolColumns::find(program, nest, axes, compiled.level, points, &strides);
        }
        (way, vector)
    }

    /// What code for this way knows of rows; `strides(axis)` are the bytes per step of all accesses.
    pub fn traffic<'s>(
        &self,
        (program, nest): (&Program, &Nest),
        strides: impl Fn(u8) -> &'s [i64],
    ) -> Traffic {
        if self.points == 0 {
            return Traffic::default();
        }
        let last = nest.fold.as_ref().and_then(|fold| fold.order.last()).copied().unwrap_or(0);
        // Of bytes copies are better, as only 4 of a point are loaded at once.
        let is_row = |&access: &u16| {
            let buffer = program.accesses[nest.accesses[usize::from(access)].0 as usize].buffer;
            let size = program.buffers[buffer as usize].dtype.size();
            strides(last)[usize::from(access)] == size as i64 && size > 1 && access < 64
        };
        let bits = self
            .across
            .iter()
            .fold(0u64, |bits, access| bits | 1u64.checked_shl((*access).into()).unwrap_or(0));
        let across = if self.across.iter().all(is_row) { bits } else { 0 };
        Traffic { points: self.points, across, stores: true, ..Traffic::default() }
    }
}

/// Elements of each kept point, if they are few and points many, so that a function is best that folds them all at once; else 0.
fn elements_of_points(
    nest: &Nest,
    axes: &Axes,
    tree: &TileTree,
    (vector, votes): (Loop, i32),
) -> u8 {
    let Some(fold) = &nest.fold else { return 0 };
    let [axis] = fold.order[..] else { return 0 };
    let extent = axes.extents[axis as usize];
    let one_leaf =
        tree.is_whole() && axes.blocks(fold).first().is_some_and(|&block| extent <= block);
    let indexed = fold.items.iter().any(|item| item.index.is_some());
    // Rows that are not short are better folded by themselves.
    let most = match votes {
        ..=0 => SHORT - 1,
        1.. => most_elements(vector.extent),
    };
    let most = if indexed { most.min(tree.lanes()) } else { most };
    let lanes = tree.lanes() == LANES;
    if one_leaf && lanes && (1..=most).contains(&extent) { extent as u8 } else { 0 }
}

/// Elements of a row that are not few: a round.
const SHORT: usize = 32;

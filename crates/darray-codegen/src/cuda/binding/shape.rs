//! How many threads run an entry.

use super::bound::BoundNest;
use super::folds::shared_bytes;
use crate::cuda::plan::entries::{Plan, Role};
use crate::cuda::plan::variant::{BLOCK, Combiner, NestVariant};
use crate::layout::FoldMode;
use crate::program::Program;

/// How many threads run an entry.
pub(crate) struct Shape {
    pub units: u64,
    pub grid: u32,
    pub block: u32,
    pub shared: u32,
}

pub(crate) fn shape(
    program: &Program,
    plan: &Plan,
    nest: &BoundNest,
    variant: &NestVariant,
) -> Shape {
    let points = nest.points as u64;
    let (units, threads) = match (plan.role, &variant.fold) {
        (Role::Single, _) => return Shape { units: 1, grid: 1, block: 1, shared: 0 },
        (Role::Leaves { .. }, Some(fold)) => {
            let bound = nest.fold.as_ref().expect("a fold's arguments");
            let (units, threads) = (points * bound.pieces as u64, fold.threads());
            if fold.mode == FoldMode::Kept && threads > 1 {
                let columns = bound.columns as u32;
                let of_block = BLOCK / (columns * threads) * columns;
                let grid = units.div_ceil(of_block.into()).clamp(1, MOST_BLOCKS) as u32;
                return Shape { units, grid, block: of_block * threads, shared: 0 };
            }
            (units, units * u64::from(threads))
        }
        (Role::Combine, Some(fold)) if fold.combiner != Combiner::Thread => {
            let of_block = fold.combiner.points();
            let grid = points.div_ceil(of_block.into()).min(MOST_BLOCKS) as u32;
            let body = program.nests[plan.nest].fold.as_ref().zip(nest.fold.as_ref());
            let bytes = body.map_or(0, |(body, fold)| shared_bytes(body, fold.pieces));
            let shared = if fold.shared { of_block * bytes as u32 } else { 0 };
            return Shape { units: points, grid, block: BLOCK, shared };
        }
        (Role::Points, _) => {
            let units = if nest.row.width > 1 { nest.rows() * nest.row.count } else { nest.points };
            (units as u64, units as u64)
        }
        _ => (points, points),
    };
    // Few threads are spread over many processors.
    let block = if threads < FEW { BLOCK / 4 } else { BLOCK };
    let grid = threads.div_ceil(block as u64).clamp(1, MOST_BLOCKS) as u32;
    Shape { units, grid, block, shared: 0 }
}

/// Blocks of a grid, at most; longer loops go round. Several for every place that a device has for
/// a block.
const MOST_BLOCKS: u64 = 4096;

/// Threads that are too few for blocks of full size.
const FEW: u64 = 1 << 16;

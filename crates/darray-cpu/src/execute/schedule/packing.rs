//! Loads that go down the columns of an array while the nest goes along rows, as of a transposed matrix: they are packed, that is
//! copied to where they lie side by side, a tile of the nest at a time.

use super::summary::Summary;
use super::tuning::{COLUMNS_BEYOND, NEAR_BYTES, PACKED_BYTES, PACKED_ROW_BYTES, SQUARE_ELEMENTS};
use crate::vector::LINE;
use darray_codegen::Phase;
use darray_codegen::bind::Loop;
use darray_kernel::ir::Role;
use smallvec::SmallVec;

/// A load that is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Packed {
    pub access: usize,
    /// Bytes of an element.
    pub size: usize,
    /// Bytes from row to row of its buffer.
    pub row: usize,
    /// Whether the next tile is prefetched.
    pub prefetches: bool,
}

/// What is packed, and the rows and columns of a tile. Rows are of the innermost of the outer loops.
pub(super) struct Packing {
    pub packed: SmallVec<[Packed; 1]>,
    pub tile: (usize, usize),
}

/// What is packed of a nest without a fold; the loop along which it lies side by side in memory becomes the innermost of the `rows`.
pub(super) fn pack(summary: &Summary<'_>, rows: &mut SmallVec<[Loop; 4]>, vector: Loop) -> Packing {
    let nest = summary.nest;
    let mut packing = Packing { packed: SmallVec::new(), tile: super::loops::WHOLE };
    // Rows of a kernel by rows come in parts.
    if nest.fold.is_some() || nest.by_rows || rows.is_empty() || vector.extent < SQUARE_ELEMENTS {
        return packing;
    }
    let is_written = |block: usize| {
        let mut all = nest.accesses.iter().zip(&summary.blocks);
        all.any(|(access, &other)| other == block && access.role != Role::Read)
    };
    let crosses = |&access: &usize| {
        let (of_nest, along) = (&nest.accesses[access], summary.stride(vector.axis, access));
        let crosses = along != 0 && along.unsigned_abs() != of_nest.size as u64;
        let is_read = of_nest.phase == Phase::Before && of_nest.role == Role::Read;
        is_read && crosses && of_nest.has_squares && !is_written(summary.blocks[access])
    };
    let crossing = || (0..nest.accesses.len()).filter(crosses);
    let lies_along = |row: &Loop, access: usize| {
        summary.stride(row.axis, access).unsigned_abs() == summary.size(access) as u64
            && row.extent >= SQUARE_ELEMENTS
    };
    let is_inner = |row: &Loop| crossing().any(|access| lies_along(row, access));
    let Some(inner) = rows.iter().rposition(is_inner) else { return packing };
    let inner = rows.remove(inner);
    rows.push(inner);
    let found: SmallVec<[usize; 4]> =
        crossing().filter(|&access| lies_along(&inner, access)).collect();
    let sizes = || found.iter().map(|&access| summary.size(access));
    let columns = (PACKED_ROW_BYTES / sizes().min().unwrap_or(1)).min(vector.extent);
    let fit = PACKED_BYTES / (sizes().sum::<usize>() * columns);
    let high = fit.clamp(SQUARE_ELEMENTS, inner.extent.max(SQUARE_ELEMENTS));
    packing.tile = (high / SQUARE_ELEMENTS * SQUARE_ELEMENTS, columns);
    let points = vector.extent * rows.iter().map(|row| row.extent).product::<usize>();
    packing.packed = found
        .iter()
        .map(|&access| {
            let size = summary.size(access);
            // An odd number of lines, so that rows do not compete for the same lines of the cache.
            let row = (((columns + COLUMNS_BEYOND) * size).div_ceil(LINE) | 1) * LINE;
            // The tile to the right is the next one.
            Packed { access, size, row, prefetches: points * size > NEAR_BYTES }
        })
        .collect();
    packing
}

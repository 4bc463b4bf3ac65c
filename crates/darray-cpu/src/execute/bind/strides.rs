//! Strides that say more about memory than those of the arrays: a schedule is chosen from these.
//!
//! ```text
//! kept axes               are gone through in any order: forwards, if a view goes backwards
//! reduced axes of one     no step along them is taken: as if rows followed one another
//! ```

use super::super::schedule::summary::NestSummary;
use darray_codegen::Phase;
use darray_codegen::bind::{Addresses, Axes};

/// Turns the kept axes around along which what a nest accesses goes backwards, or what its fold does.
pub(in super::super) fn turn_around(nest: &NestSummary, axes: &Axes, addresses: &mut Addresses) {
    if nest.by_rows || addresses.strides.iter().all(|&stride| stride >= 0) {
        return;
    }
    let count = nest.accesses.len();
    for axis in (0..nest.kept).filter(|&axis| !nest.indexed.contains(&(axis as u8))) {
        let strides = &mut addresses.strides[axis * count..][..count];
        let in_fold = |access: usize| nest.accesses[access].phase == Phase::Fold;
        let all = || strides.iter().copied().enumerate().filter(|&(_, stride)| stride != 0);
        let folded = all().any(|(access, _)| in_fold(access));
        // Of a fold, only what lies side by side: else the order of points makes no difference but to the results.
        let backward = |(access, stride): (usize, i64)| {
            let size = nest.accesses[access].size as i64;
            stride < 0 && (!folded || stride == -size)
        };
        if !all().filter(|&(access, _)| !folded || in_fold(access)).all(backward) {
            continue;
        }
        let last = axes.extents[axis].saturating_sub(1) as i64;
        for (stride, offset) in strides.iter_mut().zip(&mut addresses.offsets) {
            *offset += last * *stride;
            *stride = -*stride;
        }
    }
}

/// Gives reduced axes of one index the strides of arrays whose rows follow one another. Theirs may be zero, and would hide
/// that the elements of the other reduced axes lie side by side.
pub(in super::super) fn follow_on(nest: &NestSummary, axes: &Axes, addresses: &mut Addresses) {
    let Some(fold) = &nest.fold else { return };
    let (count, extent) = (nest.accesses.len(), |axis: u8| axes.extents[usize::from(axis)]);
    if !fold.order.iter().any(|&axis| extent(axis) == 1) {
        return;
    }
    for (access, of_nest) in nest.accesses.iter().enumerate() {
        let at = |axis: u8| usize::from(axis) * count + access;
        if of_nest.phase != Phase::Fold
            || fold.order.iter().all(|&axis| extent(axis) == 1 || addresses.strides[at(axis)] == 0)
        {
            continue;
        }
        let mut row = of_nest.size as i64;
        for &axis in fold.order.iter().rev() {
            if extent(axis) == 1 {
                addresses.strides[at(axis)] = row;
            }
            row = addresses.strides[at(axis)] * extent(axis) as i64;
        }
    }
}

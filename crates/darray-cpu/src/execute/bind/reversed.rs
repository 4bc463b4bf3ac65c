//! Views that go backwards through memory.
//!
//! Kept points can be gone through in any order, so they are taken forwards.

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

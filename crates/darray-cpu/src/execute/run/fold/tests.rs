//! Folds of cubes have the bits of the portable loops, in every direction.

use crate::execute::bind::Bound;
use crate::execute::testing::{Cube, FOLDS};
use crate::jit::Target;
use crate::level::Level;
use darray_codegen::FoldMode;

/// Strides of axes that lie in memory in this order, the last one side by side, with a gap of some elements behind each row.
fn strides(extents: [usize; 3], order: [usize; 3], gap: usize) -> [i64; 3] {
    let (mut strides, mut step) = ([0; 3], 1);
    for &axis in order.iter().rev() {
        strides[axis] = step;
        step = step * extents[axis] as i64 + gap as i64;
    }
    strides
}

#[test]
fn machine_code_has_the_bits_of_portable_loops() {
    const REDUCED: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
    const ORDERS: [[usize; 3]; 4] = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]];
    let targets = || Target::ALL.into_iter().filter(|target| target.level() <= Level::detect());
    let mut modes = [0; 2];
    let cubes =
        [[2, 3, 5], [17, 9, 33], [3, 70, 40], [70, 3, 8], [1, 1030, 2], [40, 1, 130], [5, 64, 7]];
    for (case, extents) in cubes.into_iter().enumerate() {
        for (at, reduced) in REDUCED.into_iter().enumerate() {
            let order = ORDERS[(case + at) % 4];
            let (mut to, mut step) = (Vec::new(), 1);
            for axis in (0..3).rev().filter(|axis| !reduced.contains(axis)) {
                to.insert(0, step);
                step *= extents[axis] as i64;
            }
            for gap in [0, 3] {
                let strides = strides(extents, order, gap);
                let cube = Cube { extents, strides, reduced, to: &to };
                for fold in FOLDS {
                    let mode =
                        |bound: &Bound<'_>| bound.schedule.fold.as_ref().map(|fold| fold.mode);
                    let (expected, _) = cube.fold(fold, None, mode);
                    for target in targets() {
                        let (bits, mode) = cube.fold(fold, Some(target), mode);
                        let is_the_same = bits == expected;
                        assert!(
                            is_the_same,
                            "{target:?} {fold:?} {extents:?} {reduced:?} {strides:?}"
                        );
                        modes[(mode == Some(FoldMode::Kept)) as usize] += 1;
                    }
                }
            }
        }
    }
    assert!(targets().next().is_none() || modes.iter().all(|&times| times > 100), "{modes:?}");
}

/// What the sum of elements of a type gives, with vectors along what.
fn sum_of(
    extents: [usize; 3],
    strides: [i64; 3],
    reduced: &[usize],
    to: &[i64],
) -> Option<FoldMode> {
    let cube = Cube { extents, strides, reduced, to };
    let mode = |bound: &Bound<'_>| bound.schedule.fold.as_ref().map(|fold| fold.mode);
    cube.fold(FOLDS[0], Target::ALL.into_iter().next(), mode).1
}

#[test]
fn vectors_go_along_what_lies_side_by_side() {
    if Level::detect() < Target::ALL[0].level() {
        return;
    }
    assert_eq!(
        sum_of([1, 90, 300], [27_000, 300, 1], &[2], &[90, 1]),
        Some(FoldMode::Lanes),
        "rows"
    );
    assert_eq!(
        sum_of([1, 90, 300], [27_000, 300, 1], &[1], &[300, 1]),
        Some(FoldMode::Kept),
        "columns"
    );
    assert_eq!(
        sum_of([1, 90, 300], [27_000, 1, 90], &[2], &[90, 1]),
        Some(FoldMode::Kept),
        "turned"
    );
    assert_eq!(
        sum_of([1, 90, 300], [27_000, 300, 1], &[0, 1, 2], &[]),
        Some(FoldMode::Lanes),
        "all"
    );
}

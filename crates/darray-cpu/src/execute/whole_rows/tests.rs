//! Which leaves functions of whole leaves fold, against the interpreter.

use crate::execute::bind::Bound;
use crate::execute::testing::{self, Array, Cube, FOLDS};
use crate::jit::{PathCounter, Target};
use crate::level::Level;

/// The bits of a fold of a matrix with these extents and strides over its rows (`kept` 1) or all of it (0), and how many
/// leaves functions of whole leaves folded.
fn run(
    kept: usize,
    extents: [usize; 2],
    strides: [i64; 2],
    fold: (&str, &str),
    jit: Option<Target>,
) -> (Vec<u64>, usize) {
    run_on(1, kept, extents, strides, fold, jit)
}

/// The same on so many threads, of which this one is looked at.
fn run_on(
    threads: usize,
    kept: usize,
    extents: [usize; 2],
    strides: [i64; 2],
    (body, fold): (&str, &str),
    jit: Option<Target>,
) -> (Vec<u64>, usize) {
    let axis = |k: usize| format!("i{k}: extent=p{k} origin=p2 global=p{k} logical={k}");
    let tree = "lanes=32 width=64 rounds=32 alone=8";
    let (begin, to, end) = match kept {
        0 => (format!("fold ({}, {})", axis(0), axis(1)), "", ""),
        _ => (format!("for ({}) {{ fold ({})", axis(0), axis(1)), "p2 + 1*i0", "}"),
    };
    let text = format!(
        "kernel params=3 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank {kept} write noalias
         {{ {begin} {tree} {{ %0 = load b0[p2 + 1*i0, p2 + 1*i1] {body} }} {fold} store b1[{to}] %9 {end} }}"
    );
    let back = extents.iter().zip(strides).filter(|&(_, step)| step < 0);
    let offset = back.map(|(&extent, step)| (extent - 1) * step.unsigned_abs() as usize).sum();
    let reach = extents
        .iter()
        .zip(strides)
        .map(|(&extent, step)| (extent - 1) * step.unsigned_abs() as usize);
    let elements = reach.sum::<usize>() + 1;
    let arrays = [
        Array { block: 0, offset, strides: &strides },
        Array { block: 1, offset: 0, strides: &[1][..kept] },
    ];
    let params = [extents[0], extents[1], 0];
    let points = if kept == 0 { 1 } else { extents[0] };
    let before = PathCounter::WholeLeaves.count();
    let (launch, elements) = ((&arrays[..], &params[..]), (elements, points));
    let (bits, _) = testing::run_on(threads, &text, launch, jit, usize::MAX, elements, |_| ());
    (bits, PathCounter::WholeLeaves.count() - before)
}

const SUM: (&str, &str) = ("%1 = sub.f64 %0 %0 %2 = sub.f64 %0 %1", "%9 = sum %2");
const MAX: (&str, &str) = ("", "%9 = max %0");
const SQUARES: (&str, &str) = ("%1 = mul.f64 %0 %0", "%9 = sum %1");
const EXPONENTIALS: (&str, &str) = ("%1 = exp.f64 %0", "%9 = sum %1");
const TWO: (&str, &str) = ("", "%7 = sum %0, %8 = max %0 %9 = sub.f64 %7 %8");
const THREE: (&str, &str) = (
    "%1 = sqrt.f64 %0 %2 = lt.f64 %0 %1",
    "%7 = sum %1, %8 = min %0, %6 = any %2 %5 = sub.f64 %7 %8 %9 = select.f64 %6 %5 %7",
);
const FOUR: (&str, &str) = (
    "%1 = neg.f64 %0",
    "%7 = sum %0, %8 = max %0, %6 = sum %1, %5 = prod %0 %4 = sub.f64 %7 %5 %3 = sub.f64 %8 %6 %9 = sub.f64 %4 %3",
);
const FIVE: (&str, &str) = (
    "%1 = neg.f64 %0",
    "%7 = sum %0, %8 = max %0, %6 = min %0, %5 = sum %1, %4 = prod %0 %9 = sub.f64 %7 %4",
);
const SCALED: (&str, &str) = ("%1 = load b0[p2 + 1*i0, p2] %2 = mul.f64 %0 %1", "%9 = sum %2");
const PLACES: (&str, &str) = ("", "%8 %7 = argmax %0 %9 = to_f64.i64 %7");

/// Kept axes, extents, strides, what is folded, and how many whole leaves that is for each target.
type Case = (usize, [usize; 2], [i64; 2], (&'static str, &'static str), [usize; 2]);

/// The targets of this machine, each with what is expected of it.
fn targets<T>(expected: [T; 2]) -> impl Iterator<Item = (Target, T)> {
    let is_here = |(target, _): &(Target, T)| target.level() <= Level::detect();
    Target::ALL.into_iter().zip(expected).filter(is_here)
}

#[test]
fn leaves_of_rows_are_folded_whole() {
    let cases: [Case; 30] = [
        // Rows of one leaf, with and without a rest, and of several.
        (1, [200, 128], [128, 1], SUM, [200; 2]),
        (1, [200, 100], [103, 1], SUM, [200; 2]),
        (1, [200, 33], [33, 1], MAX, [200; 2]),
        (1, [200, 64], [64, 1], SUM, [200; 2]),
        (1, [20, 5000], [5003, 1], MAX, [100; 2]),
        (1, [3, 5000], [5000, 1], SUM, [15; 2]),
        // All: leaves of 8 rows, and of one.
        (0, [103, 340], [340, 1], SUM, [13; 2]),
        (0, [3, 40_000], [40_000, 1], MAX, [0; 2]),
        (0, [1, 70_000], [70_000, 1], SUM, [69; 2]),
        (0, [70, 1000], [1001, 1], MAX, [9; 2]),
        // Backwards.
        (1, [200, 100], [103, -1], SUM, [200; 2]),
        (1, [200, 33], [33, -1], MAX, [0, 200]),
        (1, [20, 5000], [5003, -1], SUM, [100; 2]),
        (0, [103, 340], [340, -1], SUM, [13; 2]),
        (0, [200, 128], [-128, 1], SUM, [25; 2]),
        // Products that are not in the cache.
        (1, [1100, 128], [110, 1], SQUARES, [1100; 2]),
        // What has other ways: gaps, products without a rest, short rows, few elements.
        (1, [200, 100], [200, 2], SUM, [0; 2]),
        (1, [200, 128], [128, 1], SQUARES, [0; 2]),
        (1, [1000, 128], [120, 1], SQUARES, [0; 2]),
        (1, [200, 100], [128, 1], SQUARES, [200; 2]),
        (1, [400, 31], [31, 1], SUM, [0; 2]),
        (1, [20, 100], [100, 1], SUM, [0; 2]),
        // Several folds: with AVX2 one after the other, if what they take is not dear.
        (1, [200, 100], [100, 1], TWO, [200; 2]),
        (1, [20, 5000], [5003, 1], THREE, [0, 100]),
        (1, [200, 100], [103, -1], THREE, [0, 200]),
        (0, [1, 70_000], [70_000, 1], THREE, [0, 69]),
        (0, [103, 340], [340, 1], TWO, [13; 2]),
        (1, [200, 100], [101, 1], FOUR, [200; 2]),
        // What the functions do not take.
        (1, [200, 100], [100, 1], FIVE, [0; 2]),
        (1, [200, 100], [100, 1], PLACES, [0; 2]),
    ];
    for (kept, extents, strides, fold, expected) in cases {
        let (bits, none) = run(kept, extents, strides, fold, None);
        assert_eq!(none, 0, "the interpreter has none");
        for (target, leaves) in targets(expected) {
            let (found, whole) = run(kept, extents, strides, fold, Some(target));
            let name = format!("{target:?} {kept} {extents:?} {strides:?} {fold:?}");
            assert_eq!(whole, leaves, "{name}");
            assert!(found == bits, "{name}");
        }
    }
}

#[test]
fn whole_subtrees_are_steps_of_a_walk() {
    // Of 68 whole leaves two subtrees of 32 and one of 4, and the last leaf; of 12 leaves of rows 8 and 4.
    for (extents, strides, fold, expected) in [
        ([1, 70_000], [70_000, 1], SUM, [3, 3]),
        ([1, 70_000], [70_000, 1], THREE, [0, 3]),
        ([103, 340], [340, 1], MAX, [2, 2]),
        ([103, 340], [340, 1], FOUR, [2, 2]),
        ([103, 340], [340, -1], SUM, [2, 2]),
        ([200, 128], [-128, 1], SUM, [2, 2]),
        // Leaves of several columns, and bodies without such a function.
        ([3, 40_000], [40_000, 1], MAX, [0, 0]),
        ([1, 70_000], [70_000, 1], FIVE, [0, 0]),
    ] {
        let (bits, _) = run(0, extents, strides, fold, None);
        for (target, expected) in targets(expected) {
            let before = PathCounter::WholeSubtrees.count();
            let (found, _) = run(0, extents, strides, fold, Some(target));
            let name = format!("{target:?} {extents:?} {strides:?} {fold:?}");
            assert_eq!(PathCounter::WholeSubtrees.count() - before, expected, "{name}");
            assert!(found == bits, "{name}");
        }
    }
}

#[test]
fn threads_fold_parts_by_subtrees() {
    // Of 113 leaves of eight rows one of two threads has 56, subtrees of 32, 16 and 8, the other 57, the last one by itself; of
    // argmax one row for each.
    let (extents, strides) = ([900, 128], [130, 1]);
    let counts =
        || [PathCounter::WholeSubtrees, PathCounter::RowsInAnyOrder].map(PathCounter::count);
    for (fold, expected) in [
        (SUM, [[6, 0], [6, 0]]),
        (MAX, [[6, 0], [6, 0]]),
        (FOUR, [[6, 0], [6, 0]]),
        (THREE, [[0, 0], [6, 0]]),
        (FIVE, [[0, 0], [0, 0]]),
        (PLACES, [[0, 900], [0, 900]]),
    ] {
        let (bits, _) = run(0, extents, strides, fold, None);
        for (target, expected) in targets(expected) {
            for threads in [2, 3, 7, 100] {
                let before = counts();
                let (found, _) = run_on(threads, 0, extents, strides, fold, Some(target));
                let name = format!("{target:?} {fold:?}, {threads} threads");
                if threads == 2 {
                    let after = counts();
                    assert_eq!([0, 1].map(|k| after[k] - before[k]), expected, "{name}");
                }
                assert!(found == bits, "{name}");
            }
        }
    }
}

#[test]
fn one_leaf_has_no_tree() {
    // Rows of one leaf and of two, each with an element that all of it takes.
    for (extents, expected) in [([200, 100], 200), ([20, 1500], 0)] {
        for jit in targets([(); 2]).map(|(target, ())| Some(target)).chain([None]) {
            let before = PathCounter::OneLeaf.count();
            let (bits, _) = run(1, extents, [extents[1] as i64, 1], SCALED, jit);
            assert_eq!(PathCounter::OneLeaf.count() - before, expected, "{jit:?} {extents:?}");
            assert!(bits == run(1, extents, [extents[1] as i64, 1], SCALED, None).0);
        }
    }
}

#[test]
fn long_bodies_are_folded_as_before() {
    for (target, ()) in targets([(); 2]) {
        let (bits, whole) = run(1, [200, 100], [100, 1], EXPONENTIALS, Some(target));
        assert_eq!(whole, 0);
        assert!(bits == run(1, [200, 100], [100, 1], EXPONENTIALS, None).0);
    }
}

#[test]
fn a_leaf_of_all_points_comes_before_the_next_one() {
    let cube = |extents: [usize; 3], strides: [i64; 3]| Cube {
        extents,
        strides,
        reduced: &[0, 2],
        to: &[1],
    };
    for (target, ()) in targets([(); 2]) {
        for fold in FOLDS {
            for (cube, by_leaf) in [
                // Two leaves of 8 rows and one of 3, of 70 elements each.
                (cube([19, 30, 70], [2100, 70, 1]), true),
                (cube([19, 30, 64], [30 * 65, 65, 1]), true),
                (cube([8, 30, 70], [2100, 70, 1]), false),
                // Rows of a leaf beside one another.
                (cube([19, 30, 70], [70, 19 * 70, 1]), false),
                // Bands of leaves.
                (cube([19, 3, 1100], [3300, 1100, 1]), false),
            ] {
                let look = |bound: &Bound<'_>| {
                    let whole = bound.specialised.machine.whole().is_some();
                    (bound.fold.as_ref().unwrap().by_leaf, whole)
                };
                let (expected, (none, _)) = cube.fold(fold, None, look);
                let (bits, (seen, whole)) = cube.fold(fold, Some(target), look);
                let name = format!("{target:?} {fold:?} {:?}", cube.extents);
                assert_eq!((none, seen), (false, by_leaf && whole), "{name}");
                assert!(whole || fold.0 != "f64" || fold.1 == "argmax", "{name}");
                assert!(bits == expected, "{name}");
            }
        }
    }
}

#[test]
fn what_a_fold_stores_backwards_stays_in_its_place() {
    // What remains of the last leaf is not whole vectors.
    for n in [5001, 4999, 4102] {
        let stored = [
            ("bool", 1, "%1 = mul.f64 %0 %0 %2 = lt.f64 %1 %0", [0, 1]),
            ("f16", 2, "%2 = to_f16.f64 %0", [0, 1]),
            ("f64", 8, "%2 = mul.f64 %0 %0", [1, 1]),
        ];
        for (dtype, size, value, expected) in stored {
            let text = format!(
                "kernel params=2 scalars=[] b0: f64 rank 1 read noalias b1: {dtype} rank 1 write noalias b2: f64 rank 0 write noalias
                 {{ fold (i0: extent=p0 origin=p1 global=p0 logical=0) lanes=32 width=64 rounds=32 alone=8
                 {{ %0 = load b0[p1 + 1*i0] {value} store b1[p1 + 1*i0] %2 }}
                 %3 = sum %0 store b2[] %3 }}"
            );
            let arrays = [
                Array { block: 0, offset: n - 1, strides: &[-1] },
                Array { block: 1, offset: n + 63, strides: &[-1] },
                Array { block: 2, offset: 0, strides: &[] },
            ];
            let written = ((n + 128) * size).div_ceil(8);
            let run =
                |jit| testing::run(&text, &arrays, &[n, 0], jit, usize::MAX, (n, written), |_| ());
            let (bits, _) = run(None);
            for (target, expected) in targets(expected) {
                let before = PathCounter::WholeLeaves.count();
                let name = format!("{target:?} {dtype} {n}");
                assert!(run(Some(target)).0 == bits, "{name}");
                assert_eq!((PathCounter::WholeLeaves.count() - before).min(1), expected, "{name}");
            }
        }
    }
}

//! Functions of leaves that are transposed against the reducers.

use super::super::run::Traffic;
use super::super::{COLUMNS, Native, Target};
use super::{bytes, fold_function, samples, scalar, targets};
use darray_codegen::FoldMode;
use darray_core::{DType, Scalar};
use darray_kernel::reducer::Reducer;

type Item = (Reducer, DType);

fn function(target: Target, item: Item) -> Native {
    fold_function(target, item, (FoldMode::Kept, Traffic { tiles: true, ..Traffic::default() }))
}

/// The values of subtrees of so many leaves of a row, of `leaf` elements each.
fn expected(
    (reducer, dtype): Item,
    row: &[Scalar],
    leaf: usize,
    subtrees: &[usize],
) -> Vec<Scalar> {
    let combine = |a: Scalar, b: Scalar| reducer.combine((a, 0), (b, 0)).0;
    let mut leaves = row.chunks(leaf).map(|leaf| {
        let start = reducer.start(dtype, false).0;
        leaf.iter().fold(start, |value, &element| combine(value, element))
    });
    let subtree = |&count: &usize| {
        let mut values: Vec<Scalar> = leaves.by_ref().take(count).collect();
        while values.len() > 1 {
            values = values.chunks(2).map(|pair| combine(pair[0], pair[1])).collect();
        }
        values[0]
    };
    subtrees.iter().map(subtree).collect()
}

/// Folds leaves of `tiles` each, of which those of subtrees are combined, and those beyond are not; `counted` are the bits of a
/// leaf's number that count.
fn check(
    target: Target,
    item: Item,
    native: &Native,
    tiles: usize,
    subtrees: &[usize],
    counted: isize,
) {
    let points = native.points_of_tiles().expect("it was asked");
    let (dtype, size, leaf) = (item.1, item.1.size(), tiles * COLUMNS);
    let leaves = subtrees.iter().sum::<usize>();
    let (row, all) = (leaves * leaf + 3, samples(dtype));
    let finite: Vec<Scalar> = all.iter().copied().filter(|x| x.to_f64().is_finite()).collect();
    // What is not a number hides the others.
    let of = |point: usize, k: usize| match point % 3 {
        0 => all[(k * 7 + k / 50 + point) % all.len()],
        _ => finite[(k * 5 + k / 50 + point) % finite.len()],
    };
    let elements: Vec<Vec<Scalar>> =
        (0..points).map(|point| (0..row).map(|k| of(point, k)).collect()).collect();
    let memory = bytes(elements.iter().flatten().copied());
    let mut values = vec![0xaau8; (subtrees.len() + 16) * points * size];
    let mut pointers = [
        memory.as_ptr().cast_mut(),
        values.as_mut_ptr(),
        std::ptr::null_mut(),
        std::ptr::null_mut(),
    ];
    let steps = [(row * size) as isize, 0, tiles as isize, counted];
    // SAFETY: the machine has the target's instructions; there are so many rows of so many leaves, and room for the values.
    unsafe { native.run_tiles(&mut pointers, leaves, &steps) };
    for (point, elements) in elements.iter().enumerate() {
        let want = expected(item, &elements[..leaves * leaf], leaf, subtrees);
        for (k, &want) in want.iter().enumerate() {
            let got = scalar(&values, dtype, k * points + point);
            let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
            let what =
                format!("{target:?} {item:?}, {tiles} tiles, {subtrees:?}, point {point}, {k}");
            assert!(got == want || nan, "{what}: {got:?} for {want:?}");
        }
    }
}

#[test]
fn leaves_that_are_transposed_are_folded_as_the_reducers_do() {
    let mut checked = 0;
    for target in targets() {
        let items = Reducer::ALL.iter().flat_map(|r| DType::ALL.map(|dtype| (*r, dtype)));
        for item in items.filter(|(reducer, dtype)| reducer.result(*dtype).is_some()) {
            let native = function(target, item);
            let can = !item.0.has_index();
            assert_eq!(native.points_of_tiles().is_some(), can, "{target:?} {item:?}");
            if !can {
                continue;
            }
            for tiles in [1, 3] {
                check(target, item, &native, tiles, &[1], -1);
                check(target, item, &native, tiles, &[8, 4, 1], -1);
                check(target, item, &native, tiles, &[4], 3);
                // None are combined, and no more than four.
                check(target, item, &native, tiles, &[1; 5], 0);
                check(target, item, &native, tiles, &[4, 4, 2], 3);
                checked += 5;
            }
        }
    }
    assert!(checked >= 170 * targets().len(), "{checked} runs");
}

//! Functions of columns against the loops of the reducers.

use super::super::run::Traffic;
use super::super::{Native, Target};
use super::{bytes, fold_function, samples, scalar, targets};
use crate::vector::{Accumulators, find_folding};
use darray_codegen::FoldMode;
use darray_core::DType;
use darray_kernel::reducer::Reducer;

fn function(target: Target, item: (Reducer, DType)) -> Native {
    fold_function(target, item, (FoldMode::Kept, Traffic { columns: true, ..Traffic::default() }))
}

fn check(target: Target, item: (Reducer, DType), native: &Native, n: usize, rows: usize) {
    let ((reducer, dtype), row) = (item, n + 5);
    let mut all = samples(dtype);
    // What is not a number hides the others.
    all.retain(|sample| n.is_multiple_of(3) || sample.to_f64().is_finite());
    let memory = bytes((0..rows * row).map(|i| all[(i * 7 + i / 50) % all.len()]));
    let size = dtype.size();
    let start = reducer.start(dtype, false).0;
    // Behind the accumulators are others.
    let [mut want, mut got] = [0, 1].map(|_| bytes((0..n + 20).map(|_| start)));
    let loops = find_folding(reducer, dtype, target.level()).expect("it is defined");
    let acc = Accumulators { values: want.as_mut_ptr(), indices: std::ptr::null_mut() };
    for row in memory.chunks(row * size) {
        // SAFETY: as many elements and accumulators as said; there are no indices.
        unsafe { (loops.kept)(acc, row.as_ptr(), n, 0) };
    }
    let mut pointers = [memory.as_ptr().cast_mut(), got.as_mut_ptr()];
    let before = pointers;
    let step = row * size;
    // The first rows find anything, the others what these have left.
    got[..n * size].fill(0x55);
    let first = rows.div_ceil(2);
    // SAFETY: the machine has the target's instructions; there are so many rows and accumulators.
    unsafe { native.run_columns(&mut pointers, n, first, &[step as isize, 0, 1]) };
    assert_eq!(pointers, before);
    if rows > first {
        pointers[0] = pointers[0].wrapping_add(first * step);
        // SAFETY: as above.
        unsafe { native.run_columns(&mut pointers, n, rows - first, &[step as isize, 0, 0]) };
    }
    for k in 0..n + 20 {
        let [got, want] = [&got, &want].map(|bytes| scalar(bytes, dtype, k));
        let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
        let what = format!("{target:?} {item:?}, {rows} rows of {n}, point {k}");
        assert!(got == want || nan, "{what}: {got:?} for {want:?}");
    }
}

#[test]
fn columns_are_folded_as_the_reducers_do() {
    let mut checked = 0;
    for target in targets() {
        for (&reducer, dtype) in
            Reducer::ALL.iter().flat_map(|reducer| DType::ALL.map(|dtype| (reducer, dtype)))
        {
            if reducer.result(dtype).is_none() {
                continue;
            }
            let native = function(target, (reducer, dtype));
            let can = !reducer.has_index();
            assert_eq!(native.has_columns(), can, "{target:?} {reducer} of {dtype}");
            if !can {
                continue;
            }
            for n in (1..70).chain([128, 1000]) {
                for rows in [1, 2, 8] {
                    check(target, (reducer, dtype), &native, n, rows);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 3000 * targets().len(), "{checked} runs");
}

//! Functions of columns against the loops of the reducers.

use super::super::run::{Folded, Place, RowsOf, Run, Traffic};
use super::super::{Native, Target};
use super::{bytes, fold_function, instruction, samples, scalar, targets};
use crate::vector::{Accumulators, find_folding};
use darray_codegen::{FoldMode, FoldSource, Slot};
use darray_core::{DType, Scalar};
use darray_kernel::operator::Operator;
use darray_kernel::reducer::Reducer;

fn function(target: Target, item: (Reducer, DType)) -> Native {
    fold_function(
        target,
        item,
        (FoldMode::Kept, Traffic { columns: Some(RowsOf::ShortLeaf), ..Traffic::default() }),
    )
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
                // First some rows, then as many or one less: eight have code of their own.
                for rows in [1, 2, 16, 17] {
                    check(target, (reducer, dtype), &native, n, rows);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 3000 * targets().len(), "{checked} runs");
}

/// Leaves of eight rows of `n` points, folded and combined by one function, against the loops of the reducers.
fn check_leaves(target: Target, item: (Reducer, DType), native: &Native, n: usize, leaves: usize) {
    let ((reducer, dtype), row) = (item, n + 5);
    let all: Vec<Scalar> =
        samples(dtype).into_iter().filter(|sample| sample.to_f64().is_finite()).collect();
    let memory = bytes((0..8 * leaves * row).map(|i| all[(i * 7 + i / 50) % all.len()]));
    let (size, start) = (dtype.size(), reducer.start(dtype, false).0);
    let loops = find_folding(reducer, dtype, target.level()).expect("it is defined");
    let acc = |values: &mut Vec<u8>| Accumulators {
        values: values.as_mut_ptr(),
        indices: std::ptr::null_mut(),
    };
    let mut values: Vec<Vec<u8>> = memory
        .chunks(8 * row * size)
        .map(|leaf| {
            let mut value = bytes((0..n).map(|_| start));
            for row in leaf.chunks(row * size) {
                // SAFETY: as many elements and accumulators as said; there are no indices.
                unsafe { (loops.kept)(acc(&mut value), row.as_ptr(), n, 0) };
            }
            value
        })
        .collect();
    while values.len() > 1 {
        let pairs = values.chunks(2).map(|pair| {
            let [mut first, mut second] = [0, 1].map(|k| pair[k].clone());
            // SAFETY: as above.
            unsafe { (loops.combine)(acc(&mut first), acc(&mut second), n) };
            first
        });
        values = pairs.collect();
    }
    // Vectors that wait lie apart; behind the last one is nothing of theirs.
    let (apart, depth) = ((n + 3) * 8, leaves.ilog2() as usize + 1);
    let mut got = vec![0x55; depth * apart + 64];
    let mut pointers = [memory.as_ptr().cast_mut(), got.as_mut_ptr()];
    let step = (row * size) as isize;
    // SAFETY: the machine has the target's instructions; there are so many rows and vectors.
    unsafe { native.run_column_leaves(&mut pointers, n, leaves, &[step, 0, 1, apart as isize]) };
    assert_eq!(pointers[0], memory.as_ptr().cast_mut().wrapping_offset(8 * leaves as isize * step));
    let what = format!("{target:?} {item:?}, {leaves} leaves of {n}");
    for k in 0..n {
        let [got, want] = [&got, &values[0]].map(|bytes| scalar(bytes, dtype, k));
        let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
        assert!(got == want || nan, "{what}, point {k}: {got:?} for {want:?}");
    }
    for level in 0..depth {
        assert!(
            got[level * apart + n * size..][..3 * 8].iter().all(|&byte| byte == 0x55),
            "{what}"
        );
    }
}

#[test]
fn leaves_of_columns_are_folded_and_combined_as_the_reducers_do() {
    let Some(target) = targets().into_iter().find(|&target| target == Target::Avx512) else {
        return;
    };
    let mut checked = 0;
    for (&reducer, dtype) in
        Reducer::ALL.iter().flat_map(|reducer| DType::ALL.map(|dtype| (reducer, dtype)))
    {
        if reducer.result(dtype).is_none() {
            continue;
        }
        let native = function(target, (reducer, dtype));
        assert_eq!(native.has_column_leaves(), !reducer.has_index(), "{reducer} of {dtype}");
        if !native.has_column_leaves() {
            continue;
        }
        for n in [64, 65, 71, 72, 128, 333] {
            for leaves in [2, 4, 16] {
                check_leaves(target, (reducer, dtype), &native, n, leaves);
                checked += 1;
            }
        }
    }
    assert!(checked >= 300, "{checked} runs");
}

/// Sums of products of so many arrays, whose rows lie apart by different distances.
fn products(target: Target, dtype: DType, arrays: u16, (n, rows): (usize, usize)) {
    let place = |place: Place| match place {
        Place::Slot(Slot::Access(access)) => access,
        Place::Accumulators(0) => arrays,
        other => panic!("{other:?} is not in the table"),
    };
    let product = |k: u16| {
        let first = if k == 1 { Slot::Access(0) } else { Slot::Register(k - 2) };
        let args = [first, Slot::Access(k)];
        instruction(Operator::Mul, &[dtype; 2], &args, 0, Slot::Register(k - 1))
    };
    let value = if arrays == 1 { Slot::Access(0) } else { Slot::Register(arrays - 2) };
    let source = FoldSource { value, dtype };
    let run = Run {
        instructions: &(1..arrays).map(product).collect::<Vec<_>>(),
        folds: &[Folded { item: 0, reducer: Reducer::Sum, source, mode: FoldMode::Kept }],
        pointer: &place,
        accesses: 0..arrays,
        is_live: &|_| false,
        traffic: Traffic { columns: Some(RowsOf::Lane), ahead: 1, ..Traffic::default() },
    };
    let native = Native::new(&run, target).expect("memory for code");
    // Sums of products of these are exact.
    let steps: Vec<usize> = (0..arrays.into()).map(|k| n + 3 * k).collect();
    let element = |k: usize, i: usize| ((i * (k + 3) + i / 7) % 5) as i64;
    let scalars = |values: &mut dyn Iterator<Item = i64>| {
        bytes(values.map(|value| Scalar::from(value).cast(dtype)))
    };
    let factors: Vec<Vec<u8>> = (0..arrays.into())
        .map(|k| scalars(&mut (0..rows * steps[k] + 8).map(|i| element(k, i))))
        .collect();
    let mut sums = scalars(&mut (0..n + 8).map(|_| 77));
    let mut pointers: Vec<*mut u8> = factors.iter().map(|all| all.as_ptr().cast_mut()).collect();
    pointers.push(sums.as_mut_ptr());
    let mut apart: Vec<isize> = steps.iter().map(|step| (step * dtype.size()) as isize).collect();
    apart.extend([0, 1]);
    // SAFETY: the machine has the target's instructions; there are so many rows and accumulators.
    unsafe { native.run_columns(&mut pointers, n, rows, &apart) };
    for point in 0..n + 8 {
        let of_row = |row: usize| -> i64 {
            (0..steps.len()).map(|k| element(k, row * steps[k] + point)).product()
        };
        let want = if point < n { (0..rows).map(of_row).sum() } else { 77 };
        let name = format!("{target:?} {dtype} {arrays}: {rows} rows of {n}, {point}");
        assert_eq!(scalar(&sums, dtype, point).to_i64(), want, "{name}");
    }
}

#[test]
fn products_of_columns_are_summed() {
    for target in targets() {
        for (dtype, arrays) in [DType::F64, DType::F32]
            .into_iter()
            .flat_map(|dtype| (1..=4).map(move |arrays| (dtype, arrays)))
        {
            for n in [1, 7, 8, 16, 21, 40, 133] {
                for rows in [1, 7, 8, 9] {
                    products(target, dtype, arrays, (n, rows));
                }
            }
        }
    }
}

/// Sums of `(a - s) * b` over leaves of eight rows, `b` of other elements than `a`, its rows in descending order; `s` is one element.
fn leaves_of_products(target: Target, dtypes: [DType; 2], n: usize, leaves: usize) {
    let wide = dtypes[0];
    let place = |place: Place| match place {
        Place::Slot(Slot::Access(access)) => access,
        Place::Slot(Slot::Cell(0)) => 2,
        Place::Accumulators(0) => 3,
        other => panic!("{other:?} is not in the table"),
    };
    let [a, b, c] = [0, 1, 2].map(Slot::Register);
    let less = instruction(Operator::Sub, &[wide; 2], &[Slot::Access(0), Slot::Cell(0)], 0b10, a);
    let cast = instruction(Operator::cast_to(wide), &[dtypes[1]], &[Slot::Access(1)], 0, b);
    let same = dtypes[1] == wide;
    let factor = if same { Slot::Access(1) } else { b };
    let product = instruction(Operator::Mul, &[wide; 2], &[a, factor], 0, c);
    let list = if same { vec![less, product] } else { vec![less, cast, product] };
    let source = FoldSource { value: c, dtype: wide };
    let run = Run {
        instructions: &list,
        folds: &[Folded { item: 0, reducer: Reducer::Sum, source, mode: FoldMode::Kept }],
        pointer: &place,
        accesses: 0..2,
        is_live: &|_| false,
        traffic: Traffic { columns: Some(RowsOf::ShortLeaf), ahead: 3, ..Traffic::default() },
    };
    let native = Native::new(&run, target).expect("memory for code");
    assert_eq!(native.has_column_leaves(), target == Target::Avx512, "{dtypes:?}");
    if !native.has_column_leaves() {
        return;
    }
    let (rows, element) = (8 * leaves, |k: usize, i: usize| ((i * (k + 3) + i / 7) % 5) as i64);
    let factors = [0, 1].map(|k| {
        let values = (0..rows * (n + 3 * k)).map(|i| Scalar::from(element(k, i)).cast(dtypes[k]));
        bytes(values)
    });
    let cell = bytes([Scalar::from(2_i64).cast(wide)].into_iter());
    let (size, apart) = (dtypes[1].size(), 8 * (n + 1));
    let last = (rows - 1) * (n + 3) * size;
    let mut sums = vec![0; (leaves.ilog2() as usize + 1) * apart];
    let mut pointers = [
        factors[0].as_ptr().cast_mut(),
        factors[1].as_ptr().cast_mut().wrapping_add(last),
        cell.as_ptr().cast_mut(),
        sums.as_mut_ptr(),
    ];
    let down = -(((n + 3) * size) as isize);
    let steps = [(n * wide.size()) as isize, down, 0, 1, apart as isize];
    // SAFETY: the machine has the target's instructions; there are so many rows and vectors.
    unsafe { native.run_column_leaves(&mut pointers, n, leaves, &steps) };
    for point in 0..n {
        let of_row = |row: usize| {
            (element(0, row * n + point) - 2) * element(1, (rows - 1 - row) * (n + 3) + point)
        };
        let want: i64 = (0..rows).map(of_row).sum();
        let got = scalar(&sums, wide, point).to_i64();
        assert_eq!(got, want, "{dtypes:?}: {leaves} leaves of {n}, point {point}");
    }
}

#[test]
fn leaves_of_several_arrays_are_folded_together() {
    use DType::{F32, F64, I32};
    for target in targets() {
        for dtypes in [[F64, F64], [F64, F32], [F32, F32], [F64, I32]] {
            for n in [64, 67, 200] {
                for leaves in [2, 4, 8] {
                    leaves_of_products(target, dtypes, n, leaves);
                }
            }
        }
    }
}

//! Functions of whole leaves against the loops of the reducers.

use super::super::run::{Folded, Place, Run, Traffic};
use super::super::{Native, Target};
use super::{bytes, fold_function, instruction, samples, scalar, targets};
use crate::vector::{Accumulators, find_folding};
use darray_codegen::{FoldMode, FoldSource, Instruction, Slot};
use darray_core::{DType, Scalar};
use darray_kernel::operator::Operator;
use darray_kernel::reducer::Reducer;

/// Leaves of each run.
const LEAVES: usize = 3;

fn function(target: Target, item: (Reducer, DType), traffic: Traffic) -> Native {
    fold_function(target, item, (FoldMode::Lanes, Traffic { whole: true, ..traffic }))
}

/// The values of leaves of some rows by the loops of the reducer; `at` gives where an index of a row of all is.
fn expected(
    target: Target,
    (reducer, dtype): (Reducer, DType),
    elements: &[Scalar],
    (n, rows): (usize, usize),
    at: impl Fn(usize, usize) -> usize,
) -> Vec<Scalar> {
    let loops = find_folding(reducer, dtype, target.level()).expect("it is defined");
    let leaf = |leaf: usize| {
        let start = reducer.start(dtype, false).0;
        let mut values = bytes((0..Folded::LANES).map(|_| start));
        let acc = Accumulators { values: values.as_mut_ptr(), indices: std::ptr::null_mut() };
        for row in leaf * rows..(leaf + 1) * rows {
            let row = bytes((0..n).map(|i| elements[at(row, i)]));
            // SAFETY: as many elements and accumulators as said; there are no indices.
            unsafe { (loops.lanes)(acc, row.as_ptr(), n, Folded::LANES, 0, 0) };
        }
        // SAFETY: as above.
        unsafe { (loops.halves)(acc, Folded::LANES) };
        scalar(&values, dtype, 0)
    };
    (0..LEAVES).map(leaf).collect()
}

/// The values that a function gives, of each of its folds, `rows` of `n` elements being a leaf.
fn check(
    target: Target,
    (reducers, dtype): (&[Reducer], DType),
    native: &Native,
    (n, rows): (usize, usize),
    back: bool,
) {
    let row = n + 5;
    let mut all = samples(dtype);
    if dtype == DType::F64 {
        // Of another sign and with other bits.
        all.insert(3, Scalar::from(f64::from_bits(0xfff8_0000_0000_0101)));
    }
    // What is not a number hides the others.
    all.retain(|sample| n.is_multiple_of(3) || sample.to_f64().is_finite());
    let elements: Vec<Scalar> =
        (0..LEAVES * rows * row).map(|i| all[(i * 7 + i / 50) % all.len()]).collect();
    let at = |r: usize, i: usize| r * row + if back { n - 1 - i } else { i };
    let memory = bytes(elements.iter().copied());
    let size = dtype.size();
    let mut values = vec![vec![0xaau8; (LEAVES + 8) * size]; reducers.len()];
    let first = if back { n as isize - Folded::LANES as isize } else { 0 };
    let from = memory.as_ptr().wrapping_offset(first * size as isize).cast_mut();
    let mut pointers = vec![from];
    pointers.extend(values.iter_mut().map(|values| values.as_mut_ptr()));
    let step = (row * size) as isize;
    let steps = [step, 0, step, 0, rows as isize];
    // SAFETY: the machine has the target's instructions; there are so many leaves, and room for their values.
    unsafe { native.run_whole(&mut pointers, 0, (n, LEAVES, false), &steps) };
    for (values, &reducer) in values.iter().zip(reducers) {
        let want = expected(target, (reducer, dtype), &elements, (n, rows), at);
        let what = format!("{target:?} {reducer} of {dtype}, {rows} rows of {n}, backwards {back}");
        for (k, &want) in want.iter().enumerate() {
            let got = scalar(values, dtype, k);
            // A NaN of several shows in the bits of sums, but not of the smallest and of the largest.
            let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
            let is_same = match reducer {
                Reducer::Min | Reducer::Max => got.bits() == want.bits(),
                _ => got == want || nan,
            };
            assert!(is_same, "{what}, leaf {k}: {got:?} for {want:?}");
        }
        assert!(values[LEAVES * size..].iter().all(|&byte| byte == 0xaa), "beyond the values");
    }
}

#[test]
fn whole_leaves_are_folded_as_the_reducers_do() {
    let mut checked = 0;
    for target in targets() {
        for (&reducer, dtype) in
            Reducer::ALL.iter().flat_map(|reducer| DType::ALL.map(|dtype| (reducer, dtype)))
        {
            if reducer.result(dtype).is_none() {
                continue;
            }
            for back in [false, true] {
                let native =
                    function(target, (reducer, dtype), Traffic { back, ..Traffic::default() });
                // AVX2 has no tails backwards for elements of one or two bytes.
                let can = !reducer.has_index()
                    && (!back || dtype.size() >= 4 || target == Target::Avx512);
                assert_eq!(native.has_whole(), can, "{target:?} {reducer} of {dtype}, {back}");
                if !can {
                    continue;
                }
                for n in (1..100).chain([128, 1000]) {
                    for rows in [1, 3] {
                        check(target, (&[reducer], dtype), &native, (n, rows), back);
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked >= 3000 * targets().len(), "{checked} runs");
}

/// The function for two folds of the same elements, behind some instructions.
fn function_of_two(
    target: Target,
    dtype: DType,
    reducers: [Reducer; 2],
    instructions: &[Instruction],
) -> Native {
    let source = FoldSource { value: Slot::Access(0), dtype };
    let fold = |item: u16| {
        let reducer = reducers[usize::from(item)];
        Folded { item, reducer, source, mode: FoldMode::Lanes }
    };
    let pointer = |place: Place| match place {
        Place::Slot(Slot::Access(0)) => 0,
        Place::Accumulators(item) => 1 + item,
        other => panic!("{other:?} is not in the table"),
    };
    let run = Run {
        instructions,
        folds: &[fold(0), fold(1)],
        pointer: &pointer,
        accesses: 0..1,
        is_live: &|_| false,
        traffic: Traffic { whole: true, ..Traffic::default() },
    };
    Native::new(&run, target).expect("memory for code")
}

#[test]
fn two_folds_are_functions_of_whole_leaves() {
    let mut checked = 0;
    for target in targets() {
        for dtype in DType::ALL {
            let defined =
                |reducer: &&Reducer| reducer.result(dtype).is_some() && !reducer.has_index();
            let all: Vec<Reducer> = Reducer::ALL.iter().filter(defined).copied().collect();
            for reducers in all.windows(2).map(|pair| [pair[0], pair[1]]) {
                let native = function_of_two(target, dtype, reducers, &[]);
                // Of elements of 8 bytes the accumulators of one take eight registers.
                let are_long = matches!(dtype, DType::F64 | DType::I64);
                let functions = if target == Target::Avx2 && are_long { 2 } else { 1 };
                assert_eq!(native.whole.len(), functions, "{target:?} {reducers:?} of {dtype}");
                for n in [1, 7, 31, 32, 33, 61, 64, 95, 100, 1100] {
                    check(target, (&reducers, dtype), &native, (n, 3), false);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 70 * targets().len(), "{checked} runs");
}

/// The second of two functions would read what the first one stored.
#[test]
fn one_function_at_most_stores() {
    let of = DType::F64;
    let store = instruction(Operator::Neg, &[of], &[Slot::Access(0)], 0, Slot::Access(0));
    for target in targets() {
        let functions = |code: &[Instruction]| {
            function_of_two(target, of, [Reducer::Sum, Reducer::Max], code).whole.len()
        };
        let expected = if target == Target::Avx2 { [2, 0] } else { [1, 1] };
        assert_eq!(
            [functions(&[]), functions(std::slice::from_ref(&store))],
            expected,
            "{target:?}"
        );
    }
}

/// What a fold is decided by is not looked for in leaves behind it, where the values of all make one.
#[test]
fn functions_of_folds_that_are_decided_are_left_out() {
    if !targets().contains(&Target::Avx2) {
        return;
    }
    let of = DType::F64;
    let is_nan = instruction(Operator::Ne, &[of, of], &[Slot::Access(0); 2], 0, Slot::Register(0));
    let pointer = |place: Place| match place {
        Place::Slot(Slot::Access(0)) => 0,
        Place::Accumulators(item) => 1 + item,
        other => panic!("{other:?} is not in the table"),
    };
    let fold = |item: u16, reducer: Reducer, value: Slot, dtype: DType| {
        let source = FoldSource { value, dtype };
        Folded { item, reducer, source, mode: FoldMode::Lanes }
    };
    for decided in [Reducer::Any, Reducer::All] {
        let run = Run {
            instructions: std::slice::from_ref(&is_nan),
            folds: &[
                fold(0, Reducer::Max, Slot::Access(0), of),
                fold(1, decided, Slot::Register(0), DType::Bool),
            ],
            pointer: &pointer,
            accesses: 0..1,
            is_live: &|_| false,
            traffic: Traffic { whole: true, ..Traffic::default() },
        };
        let native = Native::new(&run, Target::Avx2).expect("memory for code");
        assert_eq!(native.whole.len(), 2);
        // One leaf at a time, and eight; all of one of them are NaN, and none of the others.
        for (n, leaves, odd, together) in [(3000, 4, 1, 1), (256, 20, 3, 8)] {
            let mut elements: Vec<f64> = (0..n * leaves).map(|i| i as f64).collect();
            elements[odd * n..(odd + 1) * n].fill(f64::NAN);
            for one in [false, true] {
                let (mut largest, mut found) = (vec![0f64; leaves], vec![0xaau8; leaves + 8]);
                let from = elements.as_mut_ptr().cast::<u8>();
                let mut pointers = [from, largest.as_mut_ptr().cast(), found.as_mut_ptr()];
                let step = 8 * n as isize;
                let steps = [step, 0, step, 0, 1];
                // SAFETY: the machine has the target's instructions; there are so many leaves, and room for their values.
                unsafe { native.run_whole(&mut pointers, 0, (n, leaves, one), &steps) };
                for (leaf, &largest) in largest.iter().enumerate() {
                    let last = (leaf * n + n - 1) as f64;
                    assert!(if leaf == odd { largest.is_nan() } else { largest == last });
                }
                // Without the first leaves that decide, and those folded with them, each has its own.
                let of = |leaf: usize| u8::from(leaf == odd);
                let decides = |leaf: &usize| (of(*leaf) == 1) == (decided == Reducer::Any);
                let first = (0..leaves).find(decides).expect("one decides");
                let behind = (first / together + 1) * together;
                let expected = |leaf: usize| match one && leaf >= behind {
                    true => u8::from(decided == Reducer::Any),
                    false => of(leaf),
                };
                let expected: Vec<u8> = (0..leaves).map(expected).collect();
                assert_eq!(found[..leaves], expected, "{decided}, {n}, {one}");
                assert_eq!(found[leaves..], [0xaa; 8], "beyond the values");
            }
        }
    }
}

/// Rows that go backwards ask for lines of the next row, which lies forwards, unless they are long.
#[test]
fn long_rows_backwards_ask_for_lines_before_them() {
    let target = Target::Avx512;
    if !targets().contains(&target) {
        return;
    }
    let distance = |back: bool, long: bool| {
        let traffic = Traffic { ahead: 1, back, long, ..Traffic::default() };
        let native = function(target, (Reducer::Sum, DType::F64), traffic);
        let whole = native.whole.first().expect("rows are whole leaves");
        // prefetcht1 [base + 8 * rax + distance]
        let first = |bytes: &&[u8]| bytes[..3] == [0x0f, 0x18, 0x94];
        let asks = whole.memory.code().windows(8).find(first).expect("it asks for lines");
        i32::from_le_bytes(asks[4..].try_into().expect("four bytes"))
    };
    let all =
        [(false, false), (true, false), (true, true)].map(|(back, long)| distance(back, long));
    assert_eq!(all, [41, 41, -17].map(|lines| 64 * lines));
}

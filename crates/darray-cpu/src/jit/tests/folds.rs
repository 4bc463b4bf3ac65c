//! Folds of a run against the loops of the reducers.

use super::super::run::Traffic;
use super::super::{Folded, Native, Place, Run, Target};
use super::{bytes, samples, scalar, targets};
use crate::vector::{Accumulators, Folding, find_folding};
use darray_codegen::{FoldMode, FoldSource, Slot};
use darray_core::DType;
use darray_kernel::reducer::Reducer;

/// Folds of a run against the loops of the reducers: every length up to several rounds, by lanes and by kept
/// points, one alone and several together, with registers for the accumulators and without.
#[test]
fn folds_take_elements_as_the_reducers_do() {
    let mut checked = 0;
    for target in targets() {
        let defined = |&(reducer, dtype): &(Reducer, DType)| reducer.result(dtype).is_some();
        let pairs = Reducer::ALL.iter().flat_map(|&r| DType::ALL.map(|dtype| (r, dtype)));
        let all: Vec<(Reducer, DType)> = pairs.filter(defined).collect();
        for (k, &first) in all.iter().enumerate() {
            let second = all[(k * 7 + 3) % all.len()];
            for n in (0..100).chain([128, 1000]) {
                for mode in [FoldMode::Lanes, FoldMode::Kept] {
                    check_folds(target, &[first], n, mode);
                    check_folds(target, &[first, second], n, mode);
                    checked += 1;
                }
            }
        }
    }
    let least = 3000 * targets().len();
    assert!(checked >= least, "{checked} folds");
}

/// The index of the first element.
static POSITION: i64 = 41;

/// Accumulators of a fold with a spare one behind, and its elements.
struct Folds {
    loops: Folding,
    dtype: DType,
    elements: Vec<u8>,
    values: Vec<u8>,
    indices: Vec<i64>,
}

impl Folds {
    fn new(target: Target, (reducer, dtype): (Reducer, DType), n: usize, mode: FoldMode) -> Folds {
        let all = samples(dtype);
        let accumulators = if mode == FoldMode::Lanes { Folded::LANES } else { n };
        let (start, _) = reducer.start(dtype, false);
        Folds {
            loops: find_folding(reducer, dtype, target.level()).expect("it is defined"),
            dtype,
            elements: bytes((0..n + 1).map(|i| all[(i * 7 + i / 50) % all.len()])),
            values: bytes((0..accumulators + 1).map(|_| start)),
            indices: vec![POSITION; accumulators + 1],
        }
    }

    fn accumulators(&mut self) -> Accumulators {
        let (values, indices) = (self.values.as_mut_ptr(), self.indices.as_mut_ptr().cast());
        Accumulators { values, indices }
    }
}

fn check_folds(target: Target, items: &[(Reducer, DType)], n: usize, mode: FoldMode) {
    let folded = |(k, &(reducer, dtype)): (usize, &(Reducer, DType))| {
        let source = FoldSource { value: Slot::Access(k as u16), dtype };
        Folded { item: k as u16, reducer, source, mode }
    };
    let folds: Vec<Folded> = items.iter().enumerate().map(folded).collect();
    let make = || items.iter().map(|&item| Folds::new(target, item, n, mode)).collect();
    let (mut want, mut got): (Vec<Folds>, Vec<Folds>) = (make(), make());
    // Of a lane's elements, code says where the first lane's are.
    let of_lane = |k: usize| if mode == FoldMode::Lanes { k as i64 } else { 0 };
    for fold in &mut want {
        fold.indices.iter_mut().enumerate().for_each(|(k, index)| *index += of_lane(k));
        let (acc, from) = (fold.accumulators(), fold.elements.as_ptr());
        // SAFETY: as many elements and accumulators as said.
        unsafe {
            match mode {
                FoldMode::Lanes => {
                    (fold.loops.lanes)(acc, from, n, Folded::LANES, POSITION, 1);
                }
                FoldMode::Kept => (fold.loops.kept)(acc, from, n, POSITION),
            }
        }
    }
    // Position, then elements, accumulators and indices of each fold.
    let pointer = |place: Place| match place {
        Place::Position => 0,
        Place::Slot(Slot::Access(k)) => 1 + 3 * k,
        Place::Accumulators(k) => 2 + 3 * k,
        Place::AccumulatorIndices(k) => 3 + 3 * k,
        other => panic!("{other:?} is not in the table"),
    };
    let run = Run {
        instructions: &[],
        folds: &folds,
        pointer: &pointer,
        accesses: 0..0,
        is_live: &|_| false,
        traffic: Traffic::default(),
    };
    let mut pointers: Vec<*mut u8> = vec![(&raw const POSITION).cast_mut().cast()];
    for fold in &mut got {
        let Accumulators { values, indices } = fold.accumulators();
        pointers.extend([fold.elements.as_ptr().cast_mut(), values, indices]);
    }
    // SAFETY: the machine has the target's instructions; as many elements and accumulators as said.
    unsafe { Native::new(&run, target).expect("memory for code").run(pointers.as_ptr(), n) };
    for (want, got) in want.iter().zip(&got) {
        for k in 0..want.indices.len() {
            let [a, b] = [want, got].map(|fold| scalar(&fold.values, fold.dtype, k));
            let nan = a.to_f64().is_nan() && b.to_f64().is_nan();
            let what = format!("{items:?} {mode:?}, {n} elements, accumulator {k}");
            assert!(a == b || nan, "{what}: {b:?} for {a:?}");
            assert_eq!(want.indices[k], got.indices[k] + of_lane(k), "{what}");
        }
    }
}

//! Functions that fold, against the tree's own leaves.

use super::super::run::{Folded, Place, Run, Traffic};
use super::super::{Native, Target};
use super::{instruction, targets};
use darray_codegen::{FoldMode, FoldSource, Instruction, Slot};
use darray_core::RealType;
use darray_kernel::operator::Operator;
use darray_kernel::reducer::Reducer;
use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};
use iced_x86::{Decoder, DecoderOptions, Mnemonic};

/// Sums that round.
fn elements(count: usize) -> Vec<f64> {
    (0..count).map(|k| 1.0 / (k % 1013 + 3) as f64).collect()
}

/// The function of the sum of the elements of an access, or of their squares.
fn function(target: Target, mode: FoldMode, squares: bool) -> Native {
    function_of(Reducer::Sum, target, mode, squares)
}

fn function_of(reducer: Reducer, target: Target, mode: FoldMode, squares: bool) -> Native {
    function_for(reducer, target, (mode, Traffic::default()), squares)
}

fn function_for(
    reducer: Reducer,
    target: Target,
    (mode, traffic): (FoldMode, Traffic),
    squares: bool,
) -> Native {
    let args = [Slot::Access(0); 2];
    let square = [instruction(Operator::Mul, &[RealType::F64; 2], &args, 0, Slot::Register(0))];
    let instructions: &[Instruction] = if squares { &square } else { &[] };
    let value = if squares { Slot::Register(0) } else { Slot::Access(0) };
    let source = FoldSource { value, dtype: RealType::F64 };
    let fold = Folded { item: 0, reducer, source };
    let pointer = |place: Place| match place {
        Place::Slot(Slot::Access(0)) => 0,
        Place::Folded(0) => 1,
        other => panic!("{other:?} is not in the table"),
    };
    let run = Run { instructions, pointer: &pointer, accesses: 0..1, is_live: &|_| false, traffic };
    Native::of_fold(&run, &[fold], mode, target).expect("a function")
}

/// What the tree makes of a leaf of the elements with these numbers, in front of so many kept ones.
fn expected(behind: usize, values: impl Iterator<Item = f64>) -> u64 {
    let values: Vec<f64> = values.collect();
    let axis = ReducedAxis { origin: 0, extent: values.len(), global: values.len() };
    let rule = TreeRule { rounds: 1 << 12, alone: 1 << 12, ..TreeRule::STANDARD };
    let tree = TileTree::new(rule, Group { axes: 1, behind }, &[axis]);
    let all = 0..values.len();
    tree.fold_leaf(&[all], -0.0, |index| values[index[0]], |a, b| a + b).to_bits()
}

#[test]
fn leaves_are_those_of_the_tree() {
    let from = elements(2 * 1100);
    for target in targets() {
        for squares in [false, true] {
            let function = function(target, FoldMode::Lanes, squares);
            let value = |x: f64| if squares { x * x } else { x };
            for n in (1..300).chain([511, 512, 513, 1000, 1024]) {
                let mut to = [0.0_f64; 3];
                let mut pointers = [from.as_ptr() as *mut u8, to.as_mut_ptr().cast()];
                // SAFETY: there are as many elements of two leaves, and room for their values.
                unsafe { function.run_fold(&mut pointers, n, 2, &[8 * n as isize]) };
                let leaves =
                    [0, 1].map(|leaf| expected(1, from[leaf * n..][..n].iter().map(|&x| value(x))));
                assert_eq!(to.map(f64::to_bits), [leaves[0], leaves[1], 0], "{target:?} {n}");
            }
        }
    }
}

/// Some pointers are loaded at each use, and moved in their table.
#[test]
fn leaves_of_more_accesses_than_registers_are_those_of_the_tree() {
    const ACCESSES: usize = 11;
    let from = elements(2 * 1100 + ACCESSES);
    let double = RealType::F64;
    let add = |k: usize| {
        let sum = if k == 1 { Slot::Access(0) } else { Slot::Register(0) };
        instruction(
            Operator::Add,
            &[double; 2],
            &[sum, Slot::Access(k as u16)],
            0,
            Slot::Register(0),
        )
    };
    let instructions: Vec<Instruction> = (1..ACCESSES).map(add).collect();
    let source = FoldSource { value: Slot::Register(0), dtype: double };
    let fold = Folded { item: 0, reducer: Reducer::Sum, source };
    let pointer = |place: Place| match place {
        Place::Slot(Slot::Access(access)) => access,
        Place::Folded(0) => ACCESSES as u16,
        other => panic!("{other:?} is not in the table"),
    };
    for target in targets() {
        // What lies backwards needs a register that is free where all pointers are kept.
        let traffic = Traffic { backward: 1, ..Traffic::default() };
        let run = Run {
            instructions: &instructions,
            pointer: &pointer,
            accesses: 0..ACCESSES as u16,
            is_live: &|_| false,
            traffic,
        };
        assert!(Native::of_fold(&run, &[fold], FoldMode::Lanes, target).is_none());
        let run = Run {
            instructions: &instructions,
            pointer: &pointer,
            accesses: 0..ACCESSES as u16,
            is_live: &|_| false,
            traffic: Traffic::default(),
        };
        let function = Native::of_fold(&run, &[fold], FoldMode::Lanes, target).expect("a function");
        for n in [1, 7, 8, 31, 32, 33, 100, 255, 256, 257, 511, 512, 1000, 1100] {
            let mut to = [0.0_f64; 3];
            let at = |access: usize| from[access..].as_ptr() as *mut u8;
            let mut pointers: Vec<*mut u8> = (0..ACCESSES).map(at).collect();
            pointers.push(to.as_mut_ptr().cast());
            let steps = [8 * n as isize; ACCESSES];
            // SAFETY: there are as many elements of two leaves behind each access, and room for their values.
            unsafe { function.run_fold(&mut pointers, n, 2, &steps) };
            let sum =
                |k: usize| from[k + 1..][..ACCESSES - 1].iter().fold(from[k], |sum, x| sum + x);
            let leaves = [0, 1].map(|leaf| expected(1, (leaf * n..(leaf + 1) * n).map(sum)));
            assert_eq!(to.map(f64::to_bits), [leaves[0], leaves[1], 0], "{target:?} {n}");
        }
    }
}

/// All elements are there before the first is used, so that some are put aside.
#[test]
fn leaves_whose_values_are_more_than_registers_are_those_of_the_tree() {
    for accesses in [5_usize, 7, 12, 18] {
        let from = elements(2 * 1100 + accesses);
        let double = RealType::F64;
        let product = |k: usize| {
            let args =
                [Slot::Access((k % accesses) as u16), Slot::Access(((k + 1) % accesses) as u16)];
            instruction(Operator::Mul, &[double; 2], &args, 0, Slot::Register(k as u16))
        };
        let count = 14;
        let add = |k: usize| {
            let args = [Slot::Register(0), Slot::Register(k as u16)];
            instruction(Operator::Add, &[double; 2], &args, 0, Slot::Register(0))
        };
        let instructions: Vec<Instruction> =
            (0..count).map(product).chain((1..count).map(add)).collect();
        let source = FoldSource { value: Slot::Register(0), dtype: double };
        let fold = Folded { item: 0, reducer: Reducer::Sum, source };
        let pointer = |place: Place| match place {
            Place::Slot(Slot::Access(access)) => access,
            Place::Folded(0) => accesses as u16,
            other => panic!("{other:?} is not in the table"),
        };
        for target in targets() {
            let run = Run {
                instructions: &instructions,
                pointer: &pointer,
                accesses: 0..accesses as u16,
                is_live: &|_| false,
                traffic: Traffic::default(),
            };
            let function =
                Native::of_fold(&run, &[fold], FoldMode::Lanes, target).expect("a function");
            for n in [1, 7, 8, 25, 31, 32, 33, 64, 100, 255, 256, 257, 512, 1000, 1100] {
                let mut to = [0.0_f64; 3];
                let at = |access: usize| from[access..].as_ptr() as *mut u8;
                let mut pointers: Vec<*mut u8> = (0..accesses).map(at).collect();
                pointers.push(to.as_mut_ptr().cast());
                let steps = vec![8 * n as isize; accesses];
                // SAFETY: there are as many elements of two leaves behind each access, and room for their values.
                unsafe { function.run_fold(&mut pointers, n, 2, &steps) };
                let value = |at: usize| {
                    let element = |k: usize| from[at + k % accesses];
                    let products = (0..count).map(|k| element(k) * element(k + 1));
                    products.reduce(|sum, product| sum + product).expect("several")
                };
                let leaves = [0, 1].map(|leaf| expected(1, (leaf * n..(leaf + 1) * n).map(value)));
                assert_eq!(
                    to.map(f64::to_bits),
                    [leaves[0], leaves[1], 0],
                    "{target:?} {accesses} {n}"
                );
            }
        }
    }
}

#[test]
fn columns_are_pairs_of_rows() {
    const ROW: usize = 70;
    let from = elements(300 * ROW);
    for target in targets() {
        for squares in [false, true] {
            let function = function(target, FoldMode::Kept, squares);
            let value = |x: f64| if squares { x * x } else { x };
            for rows in (1..40).chain([63, 64, 65, 200, 300]) {
                for points in [1, 3, 4, 7, 8, 9, 16, 33, ROW] {
                    let mut to = [0.0_f64; ROW + 1];
                    let mut pointers = [from.as_ptr() as *mut u8, to.as_mut_ptr().cast()];
                    // SAFETY: there are as many rows, and room for the values of the points.
                    unsafe { function.run_fold(&mut pointers, points, rows, &[8 * ROW as isize]) };
                    for (point, sum) in to.iter().enumerate() {
                        let column = (0..rows).map(|row| value(from[row * ROW + point % ROW]));
                        let wanted = if point < points { expected(64, column) } else { 0 };
                        assert_eq!(sum.to_bits(), wanted, "{target:?} {rows} {points} {point}");
                    }
                }
            }
        }
    }
}

#[test]
fn lanes_of_columns_are_taken_together() {
    const ROW: usize = 40;
    let from = elements(16 * 66 * ROW);
    for target in targets() {
        // Registers of AVX2 do not have accumulators of 16 lanes.
        let most = if target == Target::Avx512 { 16 } else { 8 };
        let cases = [(2, 32), (4, 20), (4, 16), (8, 11), (8, 8), (16, 5)];
        for (lanes, points) in cases.into_iter().filter(|&(lanes, _)| lanes <= most) {
            let traffic = Traffic { lanes, ..Traffic::default() };
            let function = function_for(Reducer::Sum, target, (FoldMode::Kept, traffic), true);
            for rounds in (1..40).chain([63, 64, 65]) {
                let mut to = [0.0_f64; ROW];
                let mut pointers = [from.as_ptr() as *mut u8, to.as_mut_ptr().cast()];
                // SAFETY: there is a row of each lane for each round, and room for the values of the points.
                unsafe { function.run_fold(&mut pointers, points, rounds, &[8 * ROW as isize]) };
                for (point, sum) in to.iter().enumerate() {
                    let rows = rounds * usize::from(lanes);
                    let square = |row: usize| from[row * ROW + point].powi(2);
                    let wanted = match point < points {
                        true => expected(points, (0..rows).map(square)),
                        false => 0,
                    };
                    let case = format!("{target:?} {lanes} lanes, {rounds} rounds, {point}");
                    assert_eq!(sum.to_bits(), wanted, "{case}");
                }
            }
        }
    }
}

/// Of four items registers of AVX2 do not have all accumulators: there are functions for some of them, one behind the other.
#[test]
fn items_without_registers_have_functions_of_their_own() {
    let reducers = [Reducer::Sum, Reducer::Max, Reducer::Prod, Reducer::Min];
    let value = Slot::Access(0);
    let folded = |item: u16| Folded {
        item,
        reducer: reducers[usize::from(item)],
        source: FoldSource { value, dtype: RealType::F64 },
    };
    let items = [0, 1, 2, 3].map(folded);
    let pointer = |place: Place| match place {
        Place::Slot(Slot::Access(0)) => 0,
        Place::Folded(item) => 1 + item,
        other => panic!("{other:?} is not in the table"),
    };
    let run = Run {
        instructions: &[],
        pointer: &pointer,
        accesses: 0..1,
        is_live: &|_| false,
        traffic: Traffic::default(),
    };
    let from = elements(2 * 1100);
    for target in targets() {
        for mode in [FoldMode::Lanes, FoldMode::Kept] {
            let native = Native::of_fold(&run, &items, mode, target).expect("functions");
            let count = native.listings(&run, target).len();
            let wanted = match (target, mode) {
                (Target::Avx2, FoldMode::Lanes) => 4,
                _ => 1,
            };
            assert_eq!(count, wanted, "{target:?} {mode:?}");
            for (n, times) in [(100, 2), (33, 7), (1000, 2)] {
                let room = n.max(times);
                let of = |native: &Native, outs: &[u16]| {
                    let mut to = vec![vec![0.0_f64; room]; 4];
                    let mut pointers = vec![from.as_ptr() as *mut u8; 5];
                    for &out in outs {
                        pointers[1 + usize::from(out)] = to[usize::from(out)].as_mut_ptr().cast();
                    }
                    let steps = [8 * n as isize];
                    // SAFETY: there are as many elements of leaves, or rows, and room for their values.
                    unsafe { native.run_fold(&mut pointers, n, times, &steps) };
                    to
                };
                let all = of(&native, &[0, 1, 2, 3]);
                for item in 0..4 {
                    let fold = [Folded { item: 0, ..folded(item) }];
                    let pointer = |place: Place| match place {
                        Place::Folded(_) => 1 + item,
                        other => pointer(other),
                    };
                    let run = Run { pointer: &pointer, accesses: 0..1, ..run };
                    let alone = Native::of_fold(&run, &fold, mode, target).expect("a function");
                    let wanted = of(&alone, &[item]);
                    assert_eq!(
                        all[usize::from(item)],
                        wanted[usize::from(item)],
                        "{target:?} {mode:?} {n} {times} {item}"
                    );
                }
            }
        }
    }
}

/// A maximum is lowered to a comparison, too, which AVX-512 does not need: three operations combine two values.
#[test]
fn nothing_is_computed_in_vain() {
    for mode in [FoldMode::Lanes, FoldMode::Kept] {
        let native = function_of(Reducer::Max, Target::Avx512, mode, false);
        let all = Decoder::new(64, native.memory.code(), DecoderOptions::NONE);
        let mnemonics: Vec<Mnemonic> = all
            .into_iter()
            .skip_while(|one| one.mnemonic() != Mnemonic::Push)
            .map(|one| one.mnemonic())
            .collect();
        let count = |wanted: Mnemonic| mnemonics.iter().filter(|&&one| one == wanted).count();
        assert_eq!(count(Mnemonic::Vcmppd) + count(Mnemonic::Vporq), 0, "{mode:?}");
        assert!(count(Mnemonic::Vpternlogq) >= 28, "{mode:?}");
        assert_eq!(count(Mnemonic::Vmaxpd), 2 * count(Mnemonic::Vpternlogq), "{mode:?}");
    }
}

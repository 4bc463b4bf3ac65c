//! Functions that fold, against the tree's own leaves.

use super::super::run::{Folded, Place, Run, Traffic};
use super::super::{Native, Target};
use super::{instruction, targets};
use darray_codegen::{FoldMode, FoldSource, Instruction, Slot};
use darray_core::DType;
use darray_kernel::operator::Operator;
use darray_kernel::reducer::Reducer;
use darray_kernel::tree::{Group, ReducedAxis, TileTree, TreeRule};

/// Sums that round.
fn elements(count: usize) -> Vec<f64> {
    (0..count).map(|k| 1.0 / (k % 1013 + 3) as f64).collect()
}

/// The function of the sum of the elements of an access, or of their squares.
fn function(target: Target, mode: FoldMode, squares: bool) -> Native {
    let args = [Slot::Access(0); 2];
    let square = [instruction(Operator::Mul, &[DType::F64; 2], &args, 0, Slot::Register(0))];
    let instructions: &[Instruction] = if squares { &square } else { &[] };
    let value = if squares { Slot::Register(0) } else { Slot::Access(0) };
    let source = FoldSource { value, dtype: DType::F64 };
    let fold = Folded { item: 0, reducer: Reducer::Sum, source };
    let pointer = |place: Place| match place {
        Place::Slot(Slot::Access(0)) => 0,
        Place::Folded(0) => 1,
        other => panic!("{other:?} is not in the table"),
    };
    let run = Run {
        instructions,
        pointer: &pointer,
        accesses: 0..1,
        is_live: &|_| false,
        traffic: Traffic::default(),
    };
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

//! The loop for rows of less than a round against the one for all rows.

use super::super::Native;
use super::super::run::Traffic;
use super::{compile_for, instruction, targets};
use darray_codegen::{Instruction, Slot};
use darray_core::RealType;
use darray_kernel::operator::Operator;

/// Bytes of an access.
const BYTES: usize = 8192;

/// What a function leaves of three arrays, the last of which it writes, on some rows, one behind the other; `steps` are bytes from row to row.
fn run(native: &Native, (n, rows): (usize, usize), steps: [usize; 3]) -> (Vec<u8>, [usize; 3]) {
    // Numbers of every type, small ones for bools.
    let mut arrays: Vec<u8> = (0..3 * BYTES).map(|k| (k * 7919 % 251 % 2) as u8).collect();
    let first = arrays.as_mut_ptr();
    let mut pointers = [0, 1, 2].map(|k| first.wrapping_add(k * BYTES));
    let steps = steps.map(|step| step as isize);
    // SAFETY: this machine has the instructions; rows lie in the arrays.
    unsafe { native.run_rows(&mut pointers, n, rows, &steps) };
    let moved = [0, 1, 2].map(|k| pointers[k] as usize - first as usize - k * BYTES);
    (arrays, moved)
}

/// Instructions whose second operand is an array like the others, or an element for each row; and the types of all three.
fn lists() -> Vec<(Vec<Instruction>, [RealType; 3], bool)> {
    use RealType::{BF16, Bool, F16, F32, F64, I32, I64, U8};
    let (from, other, to) = (Slot::Access(0), Slot::Access(1), Slot::Access(2));
    let mut lists = Vec::new();
    for uniform in [false, true] {
        let mut add = |operator: Operator, dtype: RealType, out: RealType| {
            let one =
                instruction(operator, &[dtype; 2], &[from, other], u8::from(uniform) << 1, to);
            lists.push((vec![one], [dtype, dtype, out], uniform));
        };
        for dtype in [F64, F32, I64, I32] {
            add(Operator::Add, dtype, dtype);
            add(Operator::Gt, dtype, Bool);
        }
        add(Operator::And, Bool, Bool);
        for dtype in [I64, I32] {
            add(Operator::FloorDivide, dtype, dtype);
        }
        let register = Slot::Register;
        for (narrow, wide) in [(F16, F32), (BF16, F32), (U8, I32)] {
            let [widen, cut] = [wide, narrow].map(Operator::cast_to);
            let with = [register(0), other];
            let list = vec![
                instruction(widen, &[narrow], &[from], 0, register(0)),
                instruction(Operator::Add, &[wide; 2], &with, u8::from(uniform) << 1, register(1)),
                instruction(cut, &[wide], &[register(1)], 0, to),
            ];
            lists.push((list, [narrow, wide, narrow], uniform));
        }
    }
    lists
}

#[test]
fn short_rows_are_those_of_the_other_loop() {
    for target in targets() {
        for (list, dtypes, uniform) in lists() {
            let natives = [false, true].map(|short_rows| {
                compile_for(&list, target, Traffic { short_rows, ..Traffic::default() })
            });
            for n in (0..20).chain([31, 32, 33, 63, 64, 65, 127, 128, 129]) {
                let mut steps = dtypes.map(|dtype| n * dtype.size());
                if uniform {
                    steps[1] = dtypes[1].size();
                }
                for rows in [1, 2, 3, 7] {
                    let [expected, seen] =
                        natives.each_ref().map(|native| run(native, (n, rows), steps));
                    assert!(seen.0 == expected.0, "{target:?} {list:?} {n} {rows}");
                    assert_eq!(seen.1, expected.1, "{target:?} {list:?} {n} {rows}: moved");
                }
            }
        }
    }
}

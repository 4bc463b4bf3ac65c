//! Rows of one function, and the lines that it asks for ahead.

use super::super::Native;
use super::super::emit::Note;
use super::super::run::{Course, Traffic};
use super::{compile_for, instruction, targets};
use crate::processor;
use darray_codegen::{Instruction, Slot};
use darray_core::RealType;
use darray_kernel::operator::Operator;

/// A function that prefetches lines does so once for each line of a round, in the main loop alone.
#[test]
fn a_round_asks_for_each_line_once() {
    for target in targets() {
        let [f64, f32] = [RealType::F64, RealType::F32].map(|dtype| {
            [0, 1].map(|ahead| {
                let from = [Slot::Access(0)];
                let double = instruction(Operator::Neg, &[dtype], &from, 0, Slot::Access(1));
                let traffic = Traffic { prefetched: ahead, ..Traffic::default() };
                let native = compile_for(&[double], target, traffic);
                // prefetcht1 [base + ..]
                let asks = |bytes: &&[u8]| bytes[..2] == [0x0f, 0x18] && bytes[2] >> 3 & 7 == 2;
                let asks = native.memory.code().windows(3).filter(asks).count();
                let rounds = native.notes.iter().filter_map(|&(_, note)| match note {
                    Note::Round(elements) => Some(usize::from(elements)),
                    _ => None,
                });
                (asks, rounds.sum::<usize>() * dtype.size() / 64)
            })
        });
        for [without, with] in [f64, f32] {
            assert_eq!(without.0, 0, "{target:?}");
            assert_eq!(with.0, with.1, "{target:?}: lines of a round");
        }
    }
}

/// Copies past the caches ask for lines further ahead than other code.
#[test]
fn copies_ask_further_ahead() {
    let args = [Slot::Access(0), Slot::Access(1)];
    let neg = instruction(Operator::Neg, &[RealType::F64], &args[..1], 0, Slot::Access(1));
    let add = instruction(Operator::Add, &[RealType::F64; 2], &args, 0, Slot::Access(2));
    for target in targets() {
        // The cache and the distance of the first line that is asked for.
        let asks = |native: Native| {
            // prefetcht0 or prefetcht1 [base + 8 * rax + distance]
            let first =
                |bytes: &&[u8]| bytes[..2] == [0x0f, 0x18] && matches!(bytes[2], 0x8c | 0x94);
            let asks = native.memory.code().windows(8).find(first)?;
            let distance = i32::from_le_bytes(asks[4..].try_into().expect("four bytes"));
            Some((asks[2] >> 3 & 7, distance / 64))
        };
        // In tiles of rows: Zen 5 does not ask for what only goes on, and for all of these into the first level.
        let writes = |code: &Instruction, non_temporal: u64| {
            let traffic = Traffic {
                prefetched: 1,
                non_temporal,
                course: Course::Tiles,
                ..Traffic::default()
            };
            asks(compile_for(std::slice::from_ref(code), target, traffic))
                .expect("it asks for lines")
        };
        let all = [writes(&neg, 0), writes(&neg, 0b10), writes(&add, 0b100)];
        let copy = if processor::is_amd() { 1 } else { 2 };
        let other = if processor::is_zen_5() { 1 } else { 2 };
        assert_eq!(all, [(other, 17), (copy, 49), (other, 17)], "{target:?}");
    }
}

/// What goes on beside what is written by non-temporal stores is not asked for on Zen 5.
#[test]
fn long_rows_are_asked_for_where_that_pays() {
    let args = [Slot::Access(0), Slot::Access(1)];
    let neg = instruction(Operator::Neg, &[RealType::F64], &args[..1], 0, Slot::Access(1));
    for target in targets() {
        let asks = |non_temporal: u64, course: Course| {
            let traffic = Traffic { prefetched: 1, non_temporal, course, ..Traffic::default() };
            let native = compile_for(std::slice::from_ref(&neg), target, traffic);
            native.memory.code().windows(2).any(|bytes| bytes == [0x0f, 0x18])
        };
        assert!(asks(0, Course::LongRows) && asks(0b10, Course::Rows), "{target:?}");
        assert!(asks(0b10, Course::Tiles), "{target:?}");
        assert_eq!(asks(0b10, Course::LongRows), !processor::is_zen_5(), "{target:?}");
    }
}

/// Rows are those of a function that is called for each, also where an operand is the same in all of a row. Only then
/// are pointers read again for each row; the table is told of every step.
#[test]
fn rows_follow_one_another() {
    const N: usize = 37;
    let inputs = [RealType::F64, RealType::F64];
    let args = [Slot::Access(0), Slot::Access(1)];
    for (target, uniform) in
        targets().into_iter().flat_map(|target| [(target, true), (target, false)])
    {
        let scale =
            instruction(Operator::Mul, &inputs, &args, u8::from(uniform) << 1, Slot::Access(2));
        let native = compile_for(std::slice::from_ref(&scale), target, Traffic::default());
        // add [rdi + ..], rcx
        let steps = native.memory.code().windows(3).filter(|bytes| *bytes == [0x48, 0x01, 0x8f]);
        assert_eq!(steps.count(), if uniform { 3 } else { 0 }, "{target:?}");
        let from: Vec<f64> = (0..3 * 40).map(f64::from).collect();
        let factors: Vec<f64> = (0..3 * 40).map(|k| f64::from(k % 7)).collect();
        let mut to = vec![0.0; 3 * 50];
        let mut pointers: Vec<*mut u8> =
            vec![from.as_ptr() as *mut u8, factors.as_ptr() as *mut u8, to.as_mut_ptr().cast()];
        let (first, steps) = (pointers.clone(), [40 * 8, if uniform { 8 } else { 320 }, 50 * 8]);
        // SAFETY: three rows of each, so far apart.
        unsafe { native.run_rows(&mut pointers, N, 3, &steps) };
        for (k, &value) in to.iter().enumerate() {
            let (row, column) = (k / 50, k % 50);
            let factor = if uniform { factors[row] } else { factors[row * 40 + column % 40] };
            let want = if column < N { from[row * 40 + column] * factor } else { 0.0 };
            assert_eq!(value, want, "{target:?}: row {row}, column {column}");
        }
        let moved: Vec<isize> =
            pointers.iter().zip(&first).map(|(now, then)| *now as isize - *then as isize).collect();
        assert_eq!(moved, steps.map(|step| 2 * step), "{target:?}");
    }
}

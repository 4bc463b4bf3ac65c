//! The order in which a round comes to lines, and what is stored past the caches behind the rounds.

use super::super::Native;
use super::super::emit::Note;
use super::super::run::Traffic;
use super::{compile_for, instruction, targets};
use darray_codegen::{Instruction, Slot};
use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;
use iced_x86::{Decoder, DecoderOptions, Mnemonic, OpKind};
use std::ops::Range;

/// The bytes of a part of the code.
fn part(native: &Native, is_part: impl Fn(Note) -> bool) -> Range<usize> {
    let begin = native.notes.iter().position(|&(_, note)| is_part(note)).expect("the part");
    let others = |&&(_, note): &&(u32, Note)| !matches!(note, Note::Origin(_));
    let end = native.notes[begin + 1..].iter().find(others).expect("something behind it").0;
    native.notes[begin].0 as usize..end as usize
}

/// What the code there does, in order: `l` for a vector that is loaded, `s` for one that is stored, `p` for one that is stored
/// past the caches, `e` for such an element.
fn accesses(native: &Native, range: Range<usize>) -> String {
    let code = &native.memory.code()[range];
    let kind = |one: iced_x86::Instruction| match one.mnemonic() {
        Mnemonic::Vmovntpd | Mnemonic::Vmovntps => Some('p'),
        Mnemonic::Movnti => Some('e'),
        Mnemonic::Vmovupd | Mnemonic::Vmovups | Mnemonic::Vmovdqu
            if one.op0_kind() == OpKind::Memory =>
        {
            Some('s')
        }
        Mnemonic::Vmovupd | Mnemonic::Vmovups if one.op1_kind() == OpKind::Memory => Some('l'),
        _ => None,
    };
    Decoder::new(64, code, DecoderOptions::NONE).into_iter().filter_map(kind).collect()
}

fn sum() -> [Instruction; 1] {
    let args = [Slot::Access(0), Slot::Access(1)];
    [instruction(Operator::Add, &[RealType::F64; 2], &args, 0, Slot::Access(2))]
}

/// Where several loads read one stream, a round is done group by group; where each has its own, load by load.
#[test]
fn loads_of_the_same_lines_come_together() {
    for target in targets() {
        let round = |ahead: u64| {
            let native =
                compile_for(&sum(), target, Traffic { prefetched: ahead, ..Traffic::default() });
            accesses(&native, part(&native, |note| matches!(note, Note::Round(_))))
        };
        assert_eq!([round(0b01), round(0b11)], ["llsllsllslls", "llllllllssss"], "{target:?}");
    }
}

/// What remains behind the rounds goes past the caches by whole groups where these lie as vectors may, else by elements.
#[test]
fn whole_groups_of_a_rest_are_stored_at_once() {
    for target in targets() {
        let traffic = Traffic { non_temporal: 0b100, ..Traffic::default() };
        let native = compile_for(&sum(), target, traffic);
        let rest = accesses(&native, part(&native, |note| matches!(note, Note::Tail(_))));
        assert!(rest.replace('l', "").ends_with("pse"), "{target:?}: {rest}");
        // A group of f64 that become f32 is less than a line.
        let narrow =
            instruction(Operator::ToF32, &[RealType::F64], &[Slot::Access(0)], 0, Slot::Access(1));
        let traffic = Traffic { non_temporal: 0b10, ..Traffic::default() };
        let native = compile_for(&[narrow], target, traffic);
        let from: Vec<f64> = (0..200).map(|k| f64::from(k) + 0.5).collect();
        let mut to = vec![0.0_f32; 300];
        let first = to.as_ptr().align_offset(64);
        let (few, all) =
            ((1..16).flat_map(|at| [(at, 15), (at, 16 - at)]), (0..200).map(|n| (0, n)));
        for (at, n) in few.chain(all) {
            to.fill(-1.0);
            let place = first + at;
            let pointers =
                [from.as_ptr() as *mut u8, to[place..].as_mut_ptr().cast(), std::ptr::null_mut()];
            // SAFETY: there are as many elements; they begin a line, or there are less than 16.
            unsafe { native.run(pointers.as_ptr(), n) };
            for (k, &value) in to.iter().enumerate() {
                let want =
                    if (place..place + n).contains(&k) { (k - place) as f32 + 0.5 } else { -1.0 };
                assert_eq!(value, want, "{target:?}: {n} elements from {at} on, element {k}");
            }
        }
    }
}

/// Elements of one and two bytes go past the caches where a group of them is a vector and a round begins where a line does; parts of
/// groups do not.
#[test]
fn narrow_elements_are_stored_past_the_caches_by_groups() {
    use RealType::{BF16, Bool, F16, F32, I16, I32, U8};
    for target in targets() {
        for (to, from) in [(F16, F32), (BF16, F32), (I16, I32), (U8, I32), (Bool, I32)] {
            let (first, second) = (Slot::Access(0), Slot::Access(1));
            let double = instruction(Operator::Add, &[from; 2], &[first; 2], 0, Slot::Register(0));
            let narrow =
                instruction(Operator::cast_to(to), &[from], &[Slot::Register(0)], 0, second);
            let traffic = Traffic { non_temporal: 0b10, ..Traffic::default() };
            let native = compile_for(&[double, narrow], target, traffic);
            let round = accesses(&native, part(&native, |note| matches!(note, Note::Round(_))));
            let is_vector = target.bytes() / 4 * to.size() >= 16;
            let case = format!("{target:?} {to}: {round}");
            assert_eq!(round.contains('p'), is_vector, "{case}");
            let number = |k: usize| Scalar::from((k % 100) as i64);
            let values = super::bytes((0..300).map(|k| number(k).cast(from)));
            let size = to.size();
            let mut written = vec![0xaau8; 300 * size + 64];
            let line = written.as_ptr().align_offset(64);
            let few = (1..64 / size).map(|at| (at, 64 / size - at));
            for (at, n) in few.chain((0..250).map(|n| (0, n))) {
                written.fill(0xaa);
                let place = line + at * size;
                let pointers = [
                    values.as_ptr().cast_mut(),
                    written[place..].as_mut_ptr(),
                    std::ptr::null_mut(),
                ];
                // SAFETY: there are as many elements; they begin a line, or are less than one.
                unsafe { native.run(pointers.as_ptr(), n) };
                let want = super::bytes(
                    (0..n).map(|k| Operator::Add.apply(&[number(k).cast(from); 2]).cast(to)),
                );
                assert!(written[place..place + n * size] == want, "{case}, {n} from {at} on");
                let around = written[..place].iter().chain(&written[place + n * size..]);
                assert!(
                    around.into_iter().all(|&byte| byte == 0xaa),
                    "{case}, beside {n} from {at} on"
                );
            }
        }
    }
}

//! Loads that come from registers where another access has loaded the same elements.

use super::super::emit::Note;
use super::super::run::Traffic;
use super::super::{Native, Neighbour, Neighbours};
use super::{bytes, compile_for, instruction, targets};
use darray_codegen::{Instruction, Slot};
use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;
use iced_x86::{Decoder, DecoderOptions, Mnemonic};

/// `(b - c) - a` of three accesses, whose elements are widened or negated first, to a fourth.
fn differences(dtype: RealType, to: RealType) -> Vec<Instruction> {
    let widen = |from: u16, register: u16| {
        let args = [Slot::Access(from)];
        let operator = match to {
            RealType::F64 => Operator::ToF64,
            _ => Operator::Neg,
        };
        instruction(operator, &[dtype], &args, 0, Slot::Register(register))
    };
    let sub = |a: Slot, b: Slot, out| instruction(Operator::Sub, &[to; 2], &[a, b], 0, out);
    let [a, b, c, d] = [0, 1, 2, 3].map(Slot::Register);
    vec![widen(1, 1), widen(2, 2), sub(b, c, d), widen(0, 0), sub(d, a, Slot::Access(3))]
}

fn neighbours(behind: [u8; 2]) -> Neighbours {
    let mut neighbours = Neighbours::default();
    neighbours.add(Neighbour { access: 1, first: 0, behind: behind[0] });
    neighbours.add(Neighbour { access: 2, first: 0, behind: behind[1] });
    neighbours
}

/// How many vectors are made of two others, and groups of a round of so many elements each.
fn windows(native: &Native, width: usize) -> (usize, usize) {
    let code = native.memory.code();
    let code = &code[native.start..];
    let is_window = |one: &iced_x86::Instruction| {
        matches!(one.mnemonic(), Mnemonic::Valignq | Mnemonic::Valignd)
    };
    let all = Decoder::new(64, code, DecoderOptions::NONE).into_iter().filter(is_window).count();
    let elements = native.notes.iter().find_map(|&(_, note)| match note {
        Note::Round(elements) => Some(usize::from(elements)),
        _ => None,
    });
    (all, elements.expect("a round") / width)
}

#[test]
fn neighbours_are_windows_of_what_is_loaded() {
    let types =
        [RealType::F64, RealType::F32, RealType::I64, RealType::I32].map(|dtype| (dtype, dtype));
    let types = types.into_iter().chain([(RealType::F32, RealType::F64)]);
    for (target, (dtype, to)) in
        targets().into_iter().flat_map(|t| types.clone().map(move |d| (t, d)))
    {
        let width = target.bytes() / to.size();
        let values = (0..600).map(|k| Scalar::from(((k * k) % 251) as f64 + 0.125).cast(dtype));
        let from = bytes(values);
        for behind in [[1, 2], [2, 1], [1, 7], [3, 5], [7, 8], [1, 15], [9, 40]] {
            let code = differences(dtype, to);
            let traffic = Traffic { neighbours: neighbours(behind), ..Traffic::default() };
            let [shared, plain] =
                [traffic, Traffic::default()].map(|traffic| compile_for(&code, target, traffic));
            let (made, groups) = windows(&shared, width);
            let near = behind.iter().filter(|&&behind| usize::from(behind) < width).count();
            let wanted = if target.shares_loads() { near * (groups - 1) } else { 0 };
            assert_eq!(made, wanted, "{target:?}: {dtype} {behind:?}");
            assert_eq!(windows(&plain, width).0, 0);
            for n in [1, 7, 31, 32, 33, 63, 64, 65, 100, 500] {
                let run = |native: &Native| {
                    let mut out = vec![0u8; (n + 8) * to.size()];
                    let place = |behind: u8| {
                        from[(64 - usize::from(behind)) * dtype.size()..].as_ptr().cast_mut()
                    };
                    let pointers = [place(0), place(behind[0]), place(behind[1]), out.as_mut_ptr()];
                    // SAFETY: the machine has the target's instructions; each has `n` elements.
                    unsafe { native.run(pointers.as_ptr(), n) };
                    out
                };
                assert_eq!(run(&shared), run(&plain), "{target:?}: {dtype} {behind:?}, {n}");
            }
        }
    }
}

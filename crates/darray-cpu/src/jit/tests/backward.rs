//! Elements that lie backwards against the same elements put in order before.

use super::super::Native;
use super::super::emit::Note;
use super::super::run::{Place, Run, Traffic};
use super::super::target::Target;
use super::{can_compile, instruction, targets};
use darray_codegen::{Instruction, Slot, StrideClass};
use darray_core::RealType;
use darray_kernel::operator::Operator;
use iced_x86::{Decoder, DecoderOptions, Mnemonic};

/// Accesses: those that are read, then those that are written.
const ACCESSES: u16 = 12;

/// The function of a list.
fn compile(list: &[Instruction], traffic: Traffic, target: Target) -> Native {
    let run = Run {
        instructions: list,
        pointer: &|place| match place {
            Place::Slot(Slot::Access(access)) => access,
            other => panic!("{other:?} is not in memory"),
        },
        accesses: 0..ACCESSES,
        is_live: &|_| false,
        traffic,
    };
    Native::new(&run, target).expect("memory for code")
}

fn load(access: u16, dtype: RealType, register: u16) -> Instruction {
    Instruction::Gather { access, dtype, out: Slot::Register(register) }
}

#[derive(Clone, Copy, PartialEq)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Elements of some accesses, each of which begins a line.
struct Arrays {
    lines: Vec<Line>,
}

/// Lines of an array.
const LINES: usize = 64;

impl Arrays {
    fn new() -> Arrays {
        // Floats between one and two, of 4 and of 8 bytes.
        let word = |k: usize| {
            0x3ff0_0000_3f80_0000 + (k as u64 * 0x9e37_79b9) % (1 << 20) * (1 + (1 << 32))
        };
        let lines = LINES * usize::from(ACCESSES);
        Arrays {
            lines: (0..lines)
                .map(|line| Line(std::array::from_fn(|k| word(8 * line + k))))
                .collect(),
        }
    }

    fn at(&mut self, access: usize) -> *mut u8 {
        // SAFETY: the lines of an access are within the vector.
        unsafe { self.lines.as_mut_ptr().add(LINES * access).cast() }
    }

    /// Reverses the first `n` elements of so many bytes.
    fn reverse(&mut self, access: usize, n: usize, size: usize) {
        // SAFETY: so many elements are within the lines of the access.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.at(access), n * size) };
        bytes.reverse();
        bytes.chunks_mut(size).for_each(<[u8]>::reverse);
    }
}

/// What a list leaves in all arrays for `n` elements of each of some rows, four lines apart: as it is, or where the accesses in
/// `backward`, with the bytes of their elements, are read from the last element of a row to the first.
fn run(
    list: &[Instruction],
    (n, rows): (usize, usize),
    (traffic, target): (Traffic, Target),
    backward: &[(usize, usize)],
) -> Vec<Line> {
    let mut arrays = Arrays::new();
    let bits = backward.iter().fold(0, |bits, &(access, _)| bits | 1 << access);
    let native = compile(list, Traffic { backward: bits, ..traffic }, target);
    let mut pointers: Vec<*mut u8> = (0..usize::from(ACCESSES)).map(|k| arrays.at(k)).collect();
    for &(access, size) in backward {
        arrays.reverse(access, rows * n, size);
        pointers[access] = pointers[access].wrapping_add((rows * n).saturating_sub(1) * size);
    }
    let size = |access: usize| match backward.iter().find(|&&(other, _)| other == access) {
        Some(&(_, size)) => -(size as isize),
        None => 8,
    };
    let steps: Vec<isize> =
        (0..usize::from(ACCESSES)).map(|access| n as isize * size(access)).collect();
    // SAFETY: this machine has the instructions, and every access has so many elements.
    unsafe { native.run_rows(&mut pointers, n, rows, &steps) };
    for &(access, size) in backward {
        arrays.reverse(access, rows * n, size);
    }
    arrays.lines
}

#[test]
fn elements_that_lie_backwards_are_those_in_order() {
    let of = Slot::Register;
    let sub = |dtype: RealType, args: [Slot; 2], out: Slot| {
        instruction(Operator::Sub, &[dtype; 2], &args, 0, out)
    };
    let dtypes = [RealType::F64, RealType::F32, RealType::I64, RealType::I32];
    for (target, dtype) in targets().into_iter().flat_map(|target| dtypes.map(|of| (target, of))) {
        let size = dtype.size();
        let list = [
            load(0, dtype, 0),
            load(1, dtype, 1),
            sub(dtype, [of(0), of(1)], of(2)),
            sub(dtype, [of(2), Slot::Access(2)], Slot::Access(3)),
        ];
        // Rows are 8 bytes an element apart where they are in order.
        let rows = if size == 8 { 3 } else { 1 };
        for n in 1..=100 {
            for traffic in [Traffic::default(), Traffic { prefetched: 0b100, ..Traffic::default() }]
            {
                let expected = run(&list, (n, rows), (traffic, target), &[]);
                for backward in [&[(0, size)][..], &[(1, size)], &[(0, size), (1, size)]] {
                    let seen = run(&list, (n, rows), (traffic, target), backward);
                    assert!(seen == expected, "{target:?} {n} of {dtype:?}, {backward:?}");
                }
            }
        }
    }
}

#[test]
fn elements_of_two_sizes_lie_backwards() {
    let list = [
        load(0, RealType::F32, 0),
        instruction(Operator::ToF64, &[RealType::F32], &[Slot::Register(0)], 0, Slot::Register(1)),
        load(1, RealType::F64, 2),
        instruction(
            Operator::Mul,
            &[RealType::F64; 2],
            &[Slot::Register(1), Slot::Register(2)],
            0,
            Slot::Access(2),
        ),
    ];
    for (target, n) in targets().into_iter().flat_map(|target| (1..=100).map(move |n| (target, n)))
    {
        let plain = (Traffic::default(), target);
        let expected = run(&list, (n, 1), plain, &[]);
        assert!(run(&list, (n, 1), plain, &[(0, 4), (1, 8)]) == expected, "{target:?} {n}");
    }
}

/// Where rounds overlap, a round loads for the next one.
#[test]
fn rounds_that_overlap_read_backwards() {
    let register = Slot::Register;
    let unary = |operator: Operator, from: u16, to: Slot| {
        instruction(operator, &[RealType::F64], &[register(from)], 0, to)
    };
    let mut list = vec![load(0, RealType::F64, 0)];
    for at in 0..3 {
        list.push(unary(Operator::Exp, 2 * at, register(2 * at + 1)));
        list.push(unary(Operator::Ln, 2 * at + 1, register(2 * at + 2)));
    }
    // Loaded again.
    let args = [register(6), register(0)];
    list.push(instruction(Operator::Sub, &[RealType::F64; 2], &args, 0, Slot::Access(1)));
    let traffic = Traffic { prefetched: 1 << 2, ..Traffic::default() };
    for target in targets() {
        let native = compile(&list, Traffic { backward: 1, ..traffic }, target);
        let overlap = native.notes.iter().any(|(_, note)| matches!(note, Note::First(_)));
        assert_eq!(overlap, target == Target::Avx512);
        for n in 1..=100 {
            let expected = run(&list, (n, 2), (traffic, target), &[]);
            let seen = run(&list, (n, 2), (traffic, target), &[(0, 8)]);
            assert!(seen == expected, "{target:?} {n}");
        }
    }
}

/// What is stored past the caches behind the rounds uses the same registers; more pointers than are kept come from the table.
#[test]
fn many_accesses_are_read_backwards_between_stores_past_the_caches() {
    let mut list = Vec::new();
    for access in 0..9 {
        list.push(load(access, RealType::F64, access));
    }
    for (out, access) in [(9, 0), (10, 3), (11, 6)] {
        let args = [access, access + 1].map(Slot::Register);
        let sum = Slot::Register(20 + out);
        list.push(instruction(Operator::Add, &[RealType::F64; 2], &args, 0, sum));
        let args = [sum, Slot::Register(access + 2)];
        list.push(instruction(Operator::Sub, &[RealType::F64; 2], &args, 0, Slot::Access(out)));
    }
    let backward: Vec<(usize, usize)> = (0..9).map(|access| (access, 8)).collect();
    // Past the caches rows begin with a line.
    let cases = [(0, 1), (0, 3), (0b1110 << 8, 1)];
    for (target, (non_temporal, rows)) in
        targets().into_iter().flat_map(|it| cases.map(|case| (it, case)))
    {
        for n in 1..=100 {
            let traffic = Traffic { non_temporal, ..Traffic::default() };
            let expected = run(&list, (n, rows), (traffic, target), &[]);
            for short_rows in [false, true] {
                let traffic = Traffic { short_rows, ..traffic };
                for backward in [&[][..], &backward] {
                    let seen = run(&list, (n, rows), (traffic, target), backward);
                    let how =
                        format!("{target:?}, past the caches: {non_temporal:b}, {short_rows}");
                    assert!(seen == expected, "{n}, {how}");
                }
            }
        }
    }
}

/// A group of a round is one instruction, or with AVX-512 two: the numbers of the lanes, and the elements in their order.
#[test]
fn a_round_reverses_as_it_loads() {
    let list = |dtype: RealType| {
        let negated =
            instruction(Operator::Neg, &[dtype], &[Slot::Register(0)], 0, Slot::Access(1));
        [load(0, dtype, 0), negated]
    };
    let classes = [StrideClass::Backward, StrideClass::Unit];
    assert!(list(RealType::F64).iter().all(|one| can_compile(one, &classes, &[])));
    let f16 = Instruction::Gather { access: 0, dtype: RealType::F16, out: Slot::Register(0) };
    assert!(!can_compile(&f16, &classes, &[]));
    let count = |backward: u64, dtype: RealType, target: Target| {
        let native = compile(&list(dtype), Traffic { backward, ..Traffic::default() }, target);
        let code = Decoder::new(64, native.memory.code(), DecoderOptions::NONE).into_iter();
        let permutes = [Mnemonic::Vpermq, Mnemonic::Vpermd, Mnemonic::Vpermpd, Mnemonic::Vpermilps];
        code.filter(|one| permutes.contains(&one.mnemonic())).count()
    };
    for target in targets() {
        // Four groups of a round, and what remains: that with AVX2 has its mask reversed, too.
        let (doubles, floats) = if target == Target::Avx2 { (6, 12) } else { (5, 5) };
        assert_eq!(count(1, RealType::F64, target), doubles, "{target:?}");
        assert_eq!(count(1, RealType::F32, target), floats, "{target:?}");
        assert_eq!(
            count(0, RealType::F64, target) + count(0, RealType::F32, target),
            0,
            "{target:?}"
        );
    }
}

//! Every row of the operator table against its primitive, on every target of the machine.

mod backward;
mod exponentials;
mod fold;
mod lines;
mod logarithms;
mod neighbours;
mod rows;
mod short_rows;

use super::lane::Op;
use super::run::Traffic;
use super::{Native, Place, Run, Target, can_compile, lower};
use crate::level::Level;
use darray_codegen::Instruction;
use darray_codegen::{Primitive, Slot};
use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;

/// The targets whose instructions this machine has.
fn targets() -> Vec<Target> {
    let targets: Vec<Target> =
        Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()).collect();
    if targets.len() < 2 {
        eprintln!("this machine runs machine code for {targets:?} alone");
    }
    targets
}

/// How many operations of each kind the code of an operator has.
fn operations<const N: usize>(
    (operator, dtype): (Operator, RealType),
    target: Target,
    kinds: [Op; N],
) -> [usize; N] {
    let slots = [Slot::Access(0), Slot::Access(1)];
    let instructions = [instruction(operator, &[dtype], &slots[..1], 0, slots[1])];
    let run = Run {
        instructions: &instructions,
        pointer: &pointer,
        accesses: 0..2,
        is_live: &|_| false,
        traffic: Traffic::default(),
    };
    let nodes = lower::lower(&run, target).used();
    kinds.map(|kind| nodes.iter().filter(|node| node.op == kind).count())
}

fn samples(dtype: RealType) -> Vec<Scalar> {
    let mut floats: Vec<f64> =
        vec![0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, 1e-300, 1e-40, 1e300, 710.0];
    floats.extend([
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        5e-324,
        0.1,
        1e19,
        -1e19,
        255.5,
        254.999_999_999_999_97,
        2_147_483_647.5,
        -2_147_483_648.5,
        3e9,
        9.3e18,
        2f64.powi(64).next_down(),
        2f64.powi(64),
    ]);
    let mut x = 1.2345e-12;
    while x < 1e13 {
        floats.extend([x, -x]);
        x *= 7.737;
    }
    match dtype {
        RealType::F64 => floats.into_iter().map(Scalar::from).collect(),
        RealType::F16 | RealType::BF16 => {
            floats.into_iter().map(|x| Scalar::from(x).cast(dtype)).collect()
        }
        RealType::F32 => floats.into_iter().map(|x| Scalar::from(x as f32)).collect(),
        RealType::Bool => vec![true.into(), false.into(), true.into()],
        _ => {
            let all = [0, 1, -1, 2, 7, -8, 100, 255, 256, i32::MAX as i64, i32::MIN as i64];
            let all = all.into_iter().chain([i64::MAX, i64::MIN, 1 << 40]);
            all.map(|x| Scalar::from(x).cast(dtype)).collect()
        }
    }
}

fn bytes(scalars: impl Iterator<Item = Scalar>) -> Vec<u8> {
    scalars.flat_map(|s| s.bits().to_le_bytes()[..s.dtype().size()].to_vec()).collect()
}

/// Runs one operator on `n` elements; operands of `uniform` have one.
fn run(
    target: Target,
    operator: Operator,
    inputs: &[RealType],
    output: RealType,
    args: &[Vec<u8>],
    uniform: u8,
    n: usize,
) -> Vec<u8> {
    let slots: Vec<Slot> = (0..args.len()).map(|k| Slot::Access(k as u16)).collect();
    let instruction =
        instruction(operator, inputs, &slots, uniform, Slot::Access(args.len() as u16));
    let native = compile(&[instruction], target);
    let mut out = vec![0xaau8; n * output.size() + 64];
    let mut pointers: Vec<*mut u8> = args.iter().map(|a| a.as_ptr().cast_mut()).collect();
    pointers.push(out.as_mut_ptr());
    // SAFETY: the machine has the target's instructions; operands have `n` elements.
    unsafe { native.run(pointers.as_ptr(), n) };
    let beyond = &out[n * output.size()..];
    assert!(beyond.iter().all(|&b| b == 0xaa), "{operator} wrote beyond its end on {target:?}");
    out.truncate(n * output.size());
    out
}

fn scalar(bytes: &[u8], dtype: RealType, at: usize) -> Scalar {
    let mut word = [0; 8];
    word[..dtype.size()].copy_from_slice(&bytes[at * dtype.size()..(at + 1) * dtype.size()]);
    Scalar::from_bits(dtype, u64::from_le_bytes(word))
}

/// The instruction of an operator, from accesses to an access.
fn instruction(
    operator: Operator,
    inputs: &[RealType],
    args: &[Slot],
    uniform: u8,
    out: Slot,
) -> Instruction {
    Instruction::Compute {
        primitive: Primitive::Apply(operator),
        dtype: inputs[inputs.len() - 1],
        args: args.iter().copied().collect(),
        uniform,
        out,
    }
}

fn pointer(place: Place) -> u16 {
    match place {
        Place::Slot(Slot::Access(k)) => k,
        other => panic!("{other:?} is not in memory"),
    }
}

/// A run that leaves nothing in registers.
fn compile(instructions: &[Instruction], target: Target) -> Native {
    compile_for(instructions, target, Traffic::default())
}

fn compile_for(instructions: &[Instruction], target: Target, traffic: Traffic) -> Native {
    let run = Run { instructions, pointer: &pointer, accesses: 0..3, is_live: &|_| false, traffic };
    Native::new(&run, target).expect("memory for code")
}

/// A run through a register: its second operator sees what the first leaves there, whatever that was made of.
#[test]
fn every_function_can_be_followed_by_every_conversion() {
    let targets = targets();
    let mut runs = 0;
    let unary = |operator: &&Operator| operator.row().arity == 1;
    for &first in Operator::ALL.iter().filter(unary) {
        for row in first.row().signatures {
            for &second in Operator::ALL.iter().filter(unary) {
                let Some(then) = second.signature(&[row.output]) else { continue };
                let run = [
                    instruction(first, row.inputs, &[Slot::Access(0)], 0, Slot::Register(0)),
                    instruction(second, then.inputs, &[Slot::Register(0)], 0, Slot::Access(1)),
                ];
                assert!(run.iter().all(|instruction| can_compile(instruction, &[], &[])));
                let args = samples(row.inputs[0]);
                let from = bytes(args.iter().copied());
                let n = args.len();
                for &target in &targets {
                    runs += 1;
                    let mut out = vec![0u8; n * then.output.size()];
                    let native = compile(&run, target);
                    let pointers = [from.as_ptr().cast_mut(), out.as_mut_ptr()];
                    // SAFETY: the machine has the target's instructions; both have `n` elements.
                    unsafe { native.run(pointers.as_ptr(), n) };
                    for (i, &arg) in args.iter().enumerate() {
                        let want = second.apply(&[first.apply(&[arg])]);
                        let got = scalar(&out, then.output, i);
                        let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
                        assert!(
                            got == want || nan,
                            "{target:?}: {second} of {first} of {arg:?}: {got:?} for {want:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(runs >= 1000 * targets.len(), "{runs} runs");
}

/// More values at a time than there are registers, of vectors and of masks.
#[test]
fn values_beyond_the_registers_go_to_the_stack_and_back() {
    use RealType::{Bool, F64};
    const VALUES: u16 = 210;
    let register = |k: u16| Slot::Register(k);
    let (a, b) = (Slot::Access(0), Slot::Access(1));
    let mut run = Vec::new();
    // r[k] = (r[k - 1] * b) + a, m[k] = r[k] < b, then everything once more from the first to the last.
    for k in 0..VALUES {
        let before = if k == 0 { a } else { register(k - 1) };
        run.push(instruction(Operator::Mul, &[F64; 2], &[before, b], 0, register(k)));
        run.push(instruction(Operator::Add, &[F64; 2], &[register(k), a], 0, register(k)));
        run.push(instruction(Operator::Lt, &[F64; 2], &[register(k), b], 0, register(VALUES + k)));
    }
    run.push(instruction(Operator::Add, &[F64; 2], &[a, b], 0, register(2 * VALUES)));
    for k in 0..VALUES {
        let sum = register(2 * VALUES);
        let masked = register(2 * VALUES + 1);
        let inputs = [Bool, F64, F64];
        run.push(instruction(
            Operator::Select,
            &inputs,
            &[register(VALUES + k), register(k), sum],
            0,
            masked,
        ));
        run.push(instruction(Operator::Sub, &[F64; 2], &[masked, sum], 0, sum));
    }
    run.push(instruction(Operator::Neg, &[F64], &[register(2 * VALUES)], 0, Slot::Access(2)));
    let n = 53;
    let x: Vec<f64> = (0..n).map(|i| (i as f64 - 20.0) * 0.37).collect();
    let y: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
    for target in targets() {
        let mut out = vec![0f64; n];
        let native = compile(&run, target);
        let pointers =
            [x.as_ptr().cast_mut().cast(), y.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
        // SAFETY: the machine has the target's instructions; all have `n` elements.
        unsafe { native.run(pointers.as_ptr(), n) };
        for i in 0..n {
            let (a, b) = (x[i], y[i]);
            let mut values = Vec::new();
            for k in 0..usize::from(VALUES) {
                let before = if k == 0 { a } else { values[k - 1] };
                values.push(before * b + a);
            }
            let mut sum = a + b;
            for value in values {
                sum = (if value < b { value } else { sum }) - sum;
            }
            assert_eq!(out[i].to_bits(), (-sum).to_bits(), "element {i} on {target:?}");
        }
    }
}

/// Runs one operator on all targets that have it, and compares with its primitive.
fn check(operator: Operator, inputs: &[RealType], args: &[Vec<Scalar>], uniform: u8) -> usize {
    let output = operator.result(inputs).unwrap();
    let n = args.iter().map(Vec::len).max().unwrap();
    let operands: Vec<Vec<u8>> = args.iter().map(|arg| bytes(arg.iter().copied())).collect();
    let mut runs = 0;
    for target in targets() {
        let slots = vec![Slot::Access(0); inputs.len()];
        let code = instruction(operator, inputs, &slots, 0, Slot::Access(0));
        assert!(can_compile(&code, &[], &[]), "{operator} {inputs:?} is left out by {target:?}");
        runs += 1;
        let got = run(target, operator, inputs, output, &operands, uniform, n);
        for i in 0..n {
            let at = |k: usize| args[k][if uniform >> k & 1 == 1 { 0 } else { i }];
            let args: Vec<Scalar> = (0..inputs.len()).map(at).collect();
            let want = operator.apply(&args);
            let got = scalar(&got, output, i);
            let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
            assert!(
                got == want || nan,
                "{target:?}: {operator} {args:?}, uniform {uniform:b}: {got:?} for {want:?}"
            );
        }
    }
    runs
}

#[test]
fn every_row_gives_the_bits_of_its_primitive() {
    let mut runs = 0;
    for &operator in Operator::ALL {
        for signature in operator.row().signatures {
            let inputs = signature.inputs;
            let all: Vec<Vec<Scalar>> = inputs.iter().map(|&d| samples(d)).collect();
            // Operand `k` goes round faster than the one before.
            let n = 1003.min(3 + all.iter().map(Vec::len).product::<usize>());
            let operand = |k: usize, i: usize| all[k][(i / (1 + 7 * k) + i * k) % all[k].len()];
            for uniform in 0..(1u8 << inputs.len()) - 1 {
                let args: Vec<Vec<Scalar>> = (0..inputs.len())
                    .map(|k| match uniform >> k & 1 {
                        1 => vec![operand(k, 5)],
                        _ => (0..n).map(|i| operand(k, i)).collect(),
                    })
                    .collect();
                runs += check(operator, inputs, &args, uniform);
            }
        }
    }
    assert!(runs >= 250 * targets().len(), "{runs} runs");
}

/// Numbers of all sizes, and many that divide each other or nearly so.
#[test]
fn division_is_exact_for_numbers_of_all_sizes() {
    use Operator::{FloorDivide, Fmod, MulHigh, Power, Rem, ShiftLeft, ShiftRight};
    let mut state = 7u64;
    let mut random = || {
        // Knuth's multiplier.
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state ^ state >> 29).rotate_left(17)
    };
    let mut pairs: Vec<(i64, i64)> = Vec::new();
    for _ in 0..6000 {
        let [a, b, r] = [0; 3].map(|_| random());
        let (a, b) = ((a >> (r & 63)) as i64, (b >> (r >> 6 & 63)) as i64);
        let (a, b) = (if r >> 12 & 1 == 1 { a } else { a.wrapping_neg() }, b);
        let near = b.wrapping_mul(a >> (r >> 13 & 31)).wrapping_add((r >> 18) as i64 % 3);
        pairs.extend([
            (a, b),
            (near, b),
            (near, b.wrapping_neg()),
            (a, (r >> 20 & 127) as i64 - 9),
        ]);
    }
    for dtype in [RealType::I64, RealType::U64, RealType::I32, RealType::F64, RealType::F32] {
        let [a, b] = [0, 1].map(|k| {
            let number = |&(a, b): &(i64, i64)| Scalar::from(if k == 0 { a } else { b });
            pairs.iter().map(|pair| number(pair).cast(dtype)).collect::<Vec<_>>()
        });
        for operator in [FloorDivide, Fmod, Rem, Power, MulHigh, ShiftLeft, ShiftRight] {
            if operator.signature(&[dtype; 2]).is_some() {
                check(operator, &[dtype; 2], &[a.clone(), b.clone()], 0);
            }
        }
    }
    // Quotients from tiny to beyond the digits of the format.
    for dtype in [RealType::F64, RealType::F32] {
        let float = |bits: u64| match dtype {
            RealType::F64 => Scalar::from(f64::from_bits(bits)),
            _ => Scalar::from(f32::from_bits(bits as u32)),
        };
        let a: Vec<Scalar> = (0..6000).map(|_| float(random())).collect();
        let near = |(k, &a): (usize, &Scalar)| {
            let by = [3.0, 7.0, 1e3, 4503599627370497.0, 0.1][k % 5];
            Scalar::from(a.to_f64() / by).cast(dtype)
        };
        let b: Vec<Scalar> = a.iter().enumerate().map(near).collect();
        let other: Vec<Scalar> = (0..6000).map(|_| float(random())).collect();
        for operator in [FloorDivide, Fmod, Rem] {
            check(operator, &[dtype; 2], &[a.clone(), b.clone()], 0);
            check(operator, &[dtype; 2], &[a.clone(), other.clone()], 0);
        }
    }
}

/// Every number of elements up to several rounds, of every pair of types: nothing is left out, nothing beyond
/// the end is touched.
#[test]
fn every_length_of_every_conversion_is_exact() {
    use Operator::{ToBF16, ToBool, ToF16, ToF32, ToF64, ToI32, ToI64, ToU8, ToU32, ToU64};
    for target in targets() {
        for operator in [ToBool, ToU8, ToI32, ToU32, ToI64, ToU64, ToF16, ToBF16, ToF32, ToF64] {
            for signature in operator.row().signatures {
                let (inputs, output) = (signature.inputs, signature.output);
                let all = samples(inputs[0]);
                for n in 0..70 {
                    let args: Vec<Scalar> = (0..n).map(|i| all[i * 5 % all.len()]).collect();
                    let from = bytes(args.iter().copied());
                    let got = run(target, operator, inputs, output, &[from], 0, n);
                    for (i, &arg) in args.iter().enumerate() {
                        let (got, want) = (scalar(&got, output, i), operator.apply(&[arg]));
                        let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
                        assert!(got == want || nan, "{target:?}: {operator} of {arg:?}: {got:?}");
                    }
                }
            }
        }
    }
}

//! Every row of the operator table against its primitive, on every target of the machine.

use super::*;
use crate::level::Level;
use darray_codegen::Primitive;
use darray_core::{DType, Scalar};
use darray_kernel::operator::Operator;

/// The targets whose instructions this machine has.
fn targets() -> Vec<Target> {
    let targets = [Target::Avx2, Target::Avx512];
    let targets: Vec<Target> =
        targets.into_iter().filter(|target| target.level() <= Level::detect()).collect();
    if targets.len() < 2 {
        eprintln!("this machine runs machine code for {targets:?} alone");
    }
    targets
}

fn samples(dtype: DType) -> Vec<Scalar> {
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
        3e9,
    ]);
    let mut x = 1.2345e-12;
    while x < 1e13 {
        floats.extend([x, -x]);
        x *= 7.737;
    }
    match dtype {
        DType::F64 => floats.into_iter().map(Scalar::from).collect(),
        DType::F32 => floats.into_iter().map(|x| Scalar::from(x as f32)).collect(),
        DType::Bool => vec![true.into(), false.into(), true.into()],
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
    inputs: &[DType],
    output: DType,
    args: &[Vec<u8>],
    uniform: u8,
    n: usize,
) -> Vec<u8> {
    let slots: Vec<Slot> = (0..args.len()).map(|k| Slot::Access(k as u16)).collect();
    let instruction =
        instruction(operator, inputs, &slots, uniform, Slot::Access(args.len() as u16));
    let native = Native::new(&[instruction], target, pointer, |_| false).unwrap();
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

fn scalar(bytes: &[u8], dtype: DType, at: usize) -> Scalar {
    let mut word = [0; 8];
    word[..dtype.size()].copy_from_slice(&bytes[at * dtype.size()..(at + 1) * dtype.size()]);
    Scalar::from_bits(dtype, u64::from_le_bytes(word))
}

/// The instruction of an operator, from accesses to an access.
fn instruction(
    operator: Operator,
    inputs: &[DType],
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

fn pointer(slot: Slot) -> u16 {
    match slot {
        Slot::Access(k) => k,
        other => panic!("{other:?} is not in memory"),
    }
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
                if !run.iter().all(can_compile) {
                    continue;
                }
                runs += 1;
                let args = samples(row.inputs[0]);
                let from = bytes(args.iter().copied());
                let n = args.len();
                for &target in &targets {
                    let mut out = vec![0u8; n * then.output.size()];
                    let native = Native::new(&run, target, pointer, |_| false).unwrap();
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
    assert!(runs > 1000, "{runs} runs");
}

/// More values at a time than there are registers, of vectors and of masks.
#[test]
fn values_beyond_the_registers_go_to_the_stack_and_back() {
    use DType::{Bool, F64};
    const VALUES: u16 = 40;
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
        let native = Native::new(&run, target, pointer, |_| false).unwrap();
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

#[test]
fn every_row_that_compiles_gives_the_bits_of_its_primitive() {
    let targets = targets();
    let mut compiled = 0;
    let mut left_out = Vec::new();
    for &operator in Operator::ALL {
        for signature in operator.row().signatures {
            let (inputs, output) = (signature.inputs, signature.output);
            let slots = vec![Slot::Access(0); inputs.len()];
            if !can_compile(&instruction(operator, inputs, &slots, 0, Slot::Access(0))) {
                left_out.push(operator.name());
                continue;
            }
            compiled += 1;
            let all: Vec<Vec<Scalar>> = inputs.iter().map(|&d| samples(d)).collect();
            // Operand `k` goes round faster than the one before.
            let n = 1003.min(3 + all.iter().map(Vec::len).product::<usize>());
            let operand = |k: usize, i: usize| all[k][(i / (1 + 7 * k) + i * k) % all[k].len()];
            for uniform in 0..(1u8 << inputs.len()) - 1 {
                let args: Vec<Vec<u8>> = (0..inputs.len())
                    .map(|k| match uniform >> k & 1 {
                        1 => bytes([operand(k, 5), operand(k, 5)].into_iter()),
                        _ => bytes((0..n).map(|i| operand(k, i))),
                    })
                    .collect();
                for &target in &targets {
                    let got = run(target, operator, inputs, output, &args, uniform, n);
                    for i in 0..n {
                        let args: Vec<Scalar> = (0..inputs.len())
                            .map(|k| operand(k, if uniform >> k & 1 == 1 { 5 } else { i }))
                            .collect();
                        let want = operator.apply(&args);
                        let got = scalar(&got, output, i);
                        let nan = got.to_f64().is_nan() && want.to_f64().is_nan();
                        assert!(
                            got == want || nan,
                            "{target:?}: {operator} {args:?}, uniform {uniform:b}: {got:?} for {want:?}"
                        );
                    }
                }
            }
        }
    }
    left_out.dedup();
    assert!(compiled > 250, "{compiled} rows");
    let reasons = [
        "sin",
        "cos",
        "tan",
        "pow",
        "rem",
        "fmod",
        "floor_divide",
        "mul_high",
        "shift_left",
        "shift_right",
        "reciprocal",
    ];
    for name in left_out {
        assert!(reasons.contains(&name), "{name} is left out");
    }
}

/// Every number of elements up to several rounds, of every pair of types: nothing is left out, nothing beyond
/// the end is touched.
#[test]
fn every_length_of_every_conversion_is_exact() {
    use Operator::{ToBool, ToF32, ToF64, ToI32, ToI64, ToU8};
    for target in targets() {
        for operator in [ToBool, ToU8, ToI32, ToI64, ToF32, ToF64] {
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

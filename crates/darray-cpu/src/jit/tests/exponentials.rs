//! Exponentials close to what overflows, into the denormals, and of arguments far beyond both.

use super::super::Target;
use super::super::lane::Op;
use super::{bytes, operations, run, scalar, targets};
use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;

const EXPONENTIALS: [Operator; 2] = [Operator::Exp, Operator::Exp2];

fn number(dtype: RealType, x: f64) -> Scalar {
    match dtype {
        RealType::F64 => Scalar::from_bits(dtype, x.to_bits()),
        _ => Scalar::from_bits(dtype, u64::from((x as f32).to_bits())),
    }
}

fn assert_bits_of_the_table(operator: Operator, dtype: RealType, args: &[Scalar]) -> Vec<Scalar> {
    let want: Vec<Scalar> = args.iter().map(|&arg| operator.apply(&[arg])).collect();
    for target in targets() {
        let all = [bytes(args.iter().copied())];
        let got = run(target, operator, &[dtype], dtype, &all, 0, args.len());
        for (k, (arg, want)) in args.iter().zip(&want).enumerate() {
            let got = scalar(&got, dtype, k);
            assert_eq!(got.bits(), want.bits(), "{target:?}: {operator}({arg:?})");
        }
    }
    want
}

#[test]
fn exponentials_are_exact_to_the_last_denormal() {
    for (operator, dtype, [from, to]) in [
        (Operator::Exp, RealType::F64, [-750.0, 712.0]),
        (Operator::Exp, RealType::F32, [-106.0, 90.0]),
        (Operator::Exp2, RealType::F64, [-1082.0, 1027.0]),
        (Operator::Exp2, RealType::F32, [-157.0, 131.0]),
    ] {
        let step = (to - from) / 29_989.0;
        let args: Vec<Scalar> =
            (0..30_000).map(|k| number(dtype, from + step * f64::from(k))).collect();
        let values = assert_bits_of_the_table(operator, dtype, &args);
        let least =
            if dtype == RealType::F64 { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE as f64 };
        let is_denormal = |value: &&Scalar| value.to_f64() > 0.0 && value.to_f64() < least;
        let denormal = values.iter().filter(is_denormal).count();
        let infinite = values.iter().filter(|value| value.to_f64().is_infinite()).count();
        assert!(denormal > 500 && infinite > 40, "{operator} {dtype}: {denormal}, {infinite}");
    }
}

/// Beyond the bounds of arguments, what a whole number leaves of one is anything.
#[test]
fn exponentials_of_huge_arguments_are_zero_or_infinite() {
    for (operator, dtype) in
        EXPONENTIALS.into_iter().flat_map(|of| [(of, RealType::F64), (of, RealType::F32)])
    {
        let greatest = if dtype == RealType::F64 { 1024 } else { 128 };
        let mut args = Vec::new();
        for power in 11..greatest {
            let x = 2f64.powi(power);
            args.extend(
                [1.0, 1.25, std::f64::consts::SQRT_2, 1.999].map(|by| number(dtype, x * by)),
            );
        }
        args.extend([f64::INFINITY, f64::MAX].map(|x| number(dtype, x)));
        let negative = args.iter().map(|arg| number(dtype, -arg.to_f64()));
        let args: Vec<Scalar> = args.iter().copied().chain(negative).collect();
        for (arg, value) in args.iter().zip(assert_bits_of_the_table(operator, dtype, &args)) {
            let want = if arg.to_f64() > 0.0 { f64::INFINITY } else { 0.0 };
            assert_eq!((value.to_f64(), value.to_f64().is_sign_negative()), (want, false));
        }
    }
}

/// NaN gives itself, with its sign and what else it says.
#[test]
fn exponentials_of_what_is_no_number_are_that() {
    for (operator, dtype) in
        EXPONENTIALS.into_iter().flat_map(|of| [(of, RealType::F64), (of, RealType::F32)])
    {
        let (quiet, sign, mantissa) = match dtype {
            RealType::F64 => (f64::NAN.to_bits(), 1 << 63, 52),
            _ => (u64::from(f32::NAN.to_bits()), 1 << 31, 23),
        };
        let args: Vec<Scalar> = (0..40_u64)
            .map(|k| {
                let says = 0x123_4567_89ab_cdef_u64.wrapping_mul(k) % (1 << (mantissa - 1));
                Scalar::from_bits(dtype, quiet | says | if k % 2 == 1 { sign } else { 0 })
            })
            .collect();
        let values = assert_bits_of_the_table(operator, dtype, &args);
        for (arg, value) in args.iter().zip(values) {
            assert_eq!(arg.bits(), value.bits(), "{operator} {dtype}");
        }
    }
}

#[test]
fn avx_512_keeps_what_is_left_of_arguments_small_rather_than_the_arguments() {
    for (operator, dtype) in
        EXPONENTIALS.into_iter().flat_map(|of| [(of, RealType::F64), (of, RealType::F32)])
    {
        let kinds = [Op::Limit, Op::Scale, Op::Min, Op::Max];
        let of = |target| operations((operator, dtype), target, kinds);
        assert_eq!(of(Target::Avx512), [1, 1, 0, 0], "{operator} of {dtype}");
        assert_eq!(of(Target::Avx2), [0, 0, 1, 1], "{operator} of {dtype}");
    }
}

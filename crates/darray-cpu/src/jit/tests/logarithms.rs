//! Logarithms where one power of two ends and the next begins, of denormals, and of what has none.

use super::super::Target;
use super::super::lane::Op;
use super::{bytes, operations, run, scalar, targets};
use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator;

/// The bits of the numbers around those where the reduction changes, in all magnitudes, and special ones.
fn arguments(dtype: RealType) -> Vec<Scalar> {
    let (mantissa, magnitudes, size) = match dtype {
        RealType::F64 => (52, 2047, 64),
        _ => (23, 255, 32),
    };
    // sqrt(2), 4/3 and 1, by which functions cut; nearest in the bits.
    let cuts = [0x6a09e667f3bcd_u64, 0x5555555555555, 0].map(|cut| cut >> (52 - mantissa));
    let mut all: Vec<u64> = Vec::new();
    for magnitude in 0..=magnitudes {
        for cut in cuts {
            let number = magnitude << mantissa | cut;
            all.extend((0..5).map(|k| (number + k).saturating_sub(2)));
        }
    }
    // Denormals of every length.
    all.extend((0..mantissa).flat_map(|bit| [1 << bit, 3 << bit, (1 << bit) - 1]));
    let negative: Vec<u64> = all.iter().step_by(7).map(|bits| bits | 1 << (size - 1)).collect();
    all.extend(negative);
    all.iter().map(|&bits| Scalar::from_bits(dtype, bits)).collect()
}

const LOGARITHMS: [Operator; 4] = [Operator::Ln, Operator::Log2, Operator::Log10, Operator::Log1p];

#[test]
fn logarithms_have_the_bits_of_the_table() {
    for dtype in [RealType::F64, RealType::F32] {
        let args = arguments(dtype);
        let is_special = |arg: &&Scalar| !arg.to_f64().is_finite() || arg.to_f64() <= 0.0;
        assert!(args.iter().filter(is_special).count() > 100);
        for (target, operator) in
            targets().into_iter().flat_map(|target| LOGARITHMS.map(|operator| (target, operator)))
        {
            let all = [bytes(args.iter().copied())];
            let got = run(target, operator, &[dtype], dtype, &all, 0, args.len());
            for (k, &arg) in args.iter().enumerate() {
                let (got, want) = (scalar(&got, dtype, k), operator.apply(&[arg]));
                assert_eq!(got.bits(), want.bits(), "{target:?}: {operator}({arg:?})");
            }
        }
    }
}

#[test]
fn avx_512_has_operations_for_the_parts_of_numbers_and_for_special_ones() {
    let dtypes = [RealType::F64, RealType::F32];
    for (operator, dtype) in LOGARITHMS.into_iter().flat_map(|one| dtypes.map(|of| (one, of))) {
        let kinds = [Op::Exponent, Op::Significand, Op::Special];
        let of = |target| operations((operator, dtype), target, kinds);
        // What log1p takes the logarithm of is never denormal.
        let parts = if operator == Operator::Log1p { [0, 0, 1] } else { [1; 3] };
        assert_eq!(of(Target::Avx512), parts, "{operator} of {dtype}");
        assert_eq!(of(Target::Avx2), [0; 3], "{operator} of {dtype}");
    }
}

//! Exponentials close to what overflows, and into the denormals.

use super::{bytes, run, scalar, targets};
use darray_core::{DType, Scalar};
use darray_kernel::operator::Operator;

#[test]
fn exponentials_are_exact_to_the_last_denormal() {
    for (dtype, range) in [(DType::F64, [-750.0, 712.0]), (DType::F32, [-106.0, 90.0])] {
        let [from, to] = range;
        let step = (to - from) / 29_989.0;
        let number = |x: f64| match dtype {
            DType::F64 => Scalar::from_bits(dtype, x.to_bits()),
            _ => Scalar::from_bits(dtype, u64::from((x as f32).to_bits())),
        };
        let args: Vec<Scalar> = (0..30_000).map(|k| number(from + step * f64::from(k))).collect();
        let inputs = &[dtype][..];
        let (mut denormal, mut infinite) = (0, 0);
        for target in targets() {
            let all = [bytes(args.iter().copied())];
            let got = run(target, Operator::Exp, inputs, dtype, &all, 0, args.len());
            for (k, &arg) in args.iter().enumerate() {
                let (got, want) = (scalar(&got, dtype, k), Operator::Exp.apply(&[arg]));
                assert_eq!(got.bits(), want.bits(), "{target:?}: exp({arg:?})");
                let least =
                    if dtype == DType::F64 { f64::MIN_POSITIVE } else { f32::MIN_POSITIVE as f64 };
                denormal += usize::from(got.to_f64() > 0.0 && got.to_f64() < least);
                infinite += usize::from(got.to_f64().is_infinite());
            }
        }
        assert!(targets().is_empty() || denormal > 500 && infinite > 50, "{denormal}, {infinite}");
    }
}

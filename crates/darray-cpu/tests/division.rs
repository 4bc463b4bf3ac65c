//! Integers divided by one that all elements share, in machine code: as the operators say, for all kinds of values.
#![cfg(target_arch = "x86_64")]

use darray_core::{RealType, Scalar};
use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_differential::{Case, run};
use darray_interpreter::{BufferArg, Launch};
use darray_kernel::ir::Kernel;
use darray_kernel::operator::Operator;

/// Dividends for a divisor: ends of the range, small ones, those around multiples, and some of every size.
fn dividends(divisor: i128, (least, largest): (i128, i128)) -> Vec<i128> {
    let mut all: Vec<i128> = (-9..=9).collect();
    let ends = [least, largest, 1 << 53, -(1 << 53), 1 << 31, 1 << 63];
    for end in ends {
        all.extend((-2..=2).map(|near| end + near));
    }
    let mut mixed = 0x243f_6a88_85a3_08d3u64 ^ divisor as u64;
    for k in 0..240 {
        mixed = mixed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let some = (mixed as i64 >> (k % 64)) as i128;
        all.extend([some, (mixed >> (k % 64)).into()]);
        // Around a multiple of the divisor, up to those at the ends of the range.
        let multiple = if divisor == 0 { some } else { some - some % divisor };
        all.extend((-1..=1).map(|near| multiple + near));
        if divisor != 0 {
            let last = largest - largest % divisor;
            all.push(last - (k as i128 % 5) * divisor - k as i128 % 3 + 1);
        }
    }
    all.retain(|value| (least..=largest).contains(value));
    all
}

fn divisors((least, largest): (i128, i128)) -> Vec<i128> {
    let mut all: Vec<i128> = (-20..=20).chain([1000, 1 << 24]).collect();
    for end in [least, largest] {
        all.extend((-3..=3).map(|near| end + near));
        all.extend([end / 2, end / 2 + 1, end / 3, end / 3 + 1]);
    }
    for shift in (6..64).step_by(3) {
        let power = 1i128 << shift;
        all.extend([power - 1, power, power + 1, -power, 1 - power, power / 3 * 2 + 1]);
    }
    all.retain(|value| (least..=largest).contains(value));
    all
}

const DTYPES: [RealType; 4] = [RealType::U8, RealType::I32, RealType::I64, RealType::U64];

#[test]
fn integers_are_divided_by_a_scalar_as_the_operators_say() {
    let levels = [Level::Avx2, Level::Avx512].into_iter().filter(|&l| l <= Level::detect());
    for (level, dtype) in levels.flat_map(|level| DTYPES.map(|dtype| (level, dtype))) {
        let options = CpuOptions { jit: Some(level), ..CpuOptions::default() };
        let device = CpuDevices::new(1, options).remove(0);
        let range = match dtype {
            RealType::U8 => (0, 255),
            RealType::I32 => (i32::MIN.into(), i32::MAX.into()),
            RealType::U64 => (0, u64::MAX.into()),
            _ => (i64::MIN.into(), i64::MAX.into()),
        };
        for operator in [Operator::FloorDivide, Operator::Rem, Operator::Fmod] {
            let compute = dtype.compute();
            let divided = match dtype.is_narrow() {
                true => format!(
                    "%3 = to_{compute} %0 %4 = to_{compute} %1 %5 = {operator}.{compute} %4 %3 %2 = to_{dtype} %5"
                ),
                false => format!("%2 = {operator}.{dtype} %1 %0"),
            };
            let text = format!(
                "kernel params=2 scalars=[] b0: {dtype} rank 1 read noalias b1: {dtype} rank 0 read noalias b2: {dtype} rank 1 write noalias
                 {{ %0 = load b1[] for (i0: extent=p0 origin=p1 global=p0 logical=0) {{
                    %1 = load b0[p1 + 1*i0] {divided} store b2[p1 + 1*i0] %2 }} }}"
            );
            let kernel = Kernel::parse(&text).unwrap();
            let all = if dtype == RealType::U8 { (0..256).collect() } else { divisors(range) };
            for divisor in all {
                let dividends: Vec<i128> = match dtype {
                    RealType::U8 => (0..256).collect(),
                    _ => dividends(divisor, range),
                };
                let of = |value: i128| Scalar::from_bits(dtype, value as u64);
                let count = dividends.len() as i64;
                let from: Vec<Scalar> = dividends.iter().map(|&a| of(a)).collect();
                let buffers = vec![
                    BufferArg::new(0, 0, [1]),
                    BufferArg::new(1, 0, []),
                    BufferArg::new(2, 0, [1]),
                ];
                let case = Case {
                    kernel: kernel.clone(),
                    launch: Launch { buffers, params: vec![count, 0], scalars: Vec::new() },
                    memory: vec![from.clone(), vec![of(divisor)], from.clone()],
                };
                let memory = run(&*device, &case).unwrap();
                for (&a, &found) in from.iter().zip(&memory[2]) {
                    let args = [a, of(divisor)].map(|x| x.cast(compute));
                    let expected = operator.apply(&args).cast(dtype);
                    assert_eq!(found, expected, "{level:?} {a:?} {operator} {divisor}");
                }
            }
        }
        let native = device.stats().native;
        assert!(native.whole > 0 && native.none == 0, "{native:?}");
    }
}

//! Matrices that the lanes of a warp multiply.

use super::bench::{Bench, Random};

const TEXT: &str = include_str!("matrices.ptx");

/// An element is a chain of fused multiply-adds in the order of the summed axis.
#[test]
fn a_step_of_matrices_is_a_chain() {
    let mut random = Random(3);
    let mut numbers = |count: usize| -> Vec<f64> {
        let number = |bits: u64| {
            // Sizes from 2^-20 to 2^20, and zeros of both signs.
            let size = f64::from_bits((1003 + bits % 41) << 52 | bits >> 12);
            let sign = if bits & 64 == 0 { 1.0 } else { -1.0 };
            if bits & 0x700 == 0 { 0.0 * sign } else { size * sign }
        };
        (0..count).map(|_| number(random.next())).collect()
    };
    for _ in 0..20 {
        let (a, b, c) = (numbers(128), numbers(64), numbers(128));
        let mut bench = Bench::new(TEXT);
        let (x, y, s) = (bench.buffer(&a), bench.buffer(&b), bench.buffer(&c));
        let out = bench.buffer(&[7f64; 128]);
        bench.run("multiply", 1, 32, &[&x, &y, &s, &out]).unwrap();
        let found = bench.read::<f64>(&out);
        for (at, found) in found.iter().enumerate() {
            let (row, column) = (at / 8, at % 8);
            let chain = |sum: f64, k: usize| a[row * 8 + k].mul_add(b[k * 8 + column], sum);
            let expected = (0..8).fold(c[at], chain);
            assert_eq!(found.to_bits(), expected.to_bits(), "{row} {column}");
        }
    }
}

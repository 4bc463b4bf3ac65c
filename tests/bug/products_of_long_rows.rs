//! An element of a matrix product was one chain of additions, so that its error grew with the inner extent: per cents of sums
//! of a million products of f32.

use darray::DArray;

const INNER: usize = 1_000_000;

/// The largest error of a product's elements, in units of half an ulp of one times the sum of absolute products. Factors are whole
/// numbers over a power of two, `[row or column][index]`, so that sums are exact in 128 bits.
fn error(left: &[Vec<i64>], right: &[Vec<i64>], bits: i32, product: &[f64]) -> f64 {
    let scale = 2f64.powi(-2 * bits);
    let mut worst = 0f64;
    for (number, &found) in product.iter().enumerate() {
        let (row, column) = (&left[number / right.len()], &right[number % right.len()]);
        let products = || row.iter().zip(column).map(|(&a, &b)| i128::from(a) * i128::from(b));
        let exact: i128 = products().sum();
        let size: i128 = products().map(i128::abs).sum();
        // The result is a whole number of these units but for a last bit that no bound here depends on.
        let error = (found / scale) as i128 - exact;
        worst = worst.max(error.unsigned_abs() as f64 / size as f64);
    }
    worst
}

/// Whole numbers below `2^bits` that look random (SplitMix64).
fn uniform(seed: u64, bits: i32) -> Vec<i64> {
    let number = |index: u64| {
        let mut x = (seed << 32 | index).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) >> (64 - bits)) as i64
    };
    (0..INNER as u64).map(number).collect()
}

/// Rows of one kind: 0.1 everywhere, positive numbers, numbers of both signs.
fn rows(kind: usize, seeds: std::ops::Range<u64>, bits: i32) -> Vec<Vec<i64>> {
    let row = |seed| match kind {
        0 => vec![(0.1 * 2f64.powi(bits)).round() as i64; INNER],
        1 => uniform(seed, bits),
        _ => uniform(seed, bits).into_iter().map(|x| x - (1 << (bits - 1))).collect(),
    };
    seeds.map(row).collect()
}

fn array(rows: &[Vec<i64>], bits: i32) -> DArray<f64> {
    let numbers = rows.iter().flatten().map(|&x| x as f64 * 2f64.powi(-bits)).collect();
    DArray::from_shape_vec((rows.len() as i64, INNER as i64), numbers)
}

#[test]
fn products_with_a_long_inner_extent_are_as_exact_as_those_of_short_ones() {
    // OpenBLAS 0.3 of NumPy 2 has 260, 16 and 0.036 such units for f32, and 237, 22 and 0.024 for f64.
    let bounds = [64.0, 4.0, 0.03];
    for (kind, bound) in bounds.into_iter().enumerate() {
        // The factors of f32 have 24 bits, those of f64 53: fewer, so that sums of their products fit into 127.
        for bits in [24, 52] {
            let (left, right) = (rows(kind, 1..3, bits), rows(kind, 3..6, bits));
            let (a, b) = (array(&left, bits), array(&right, bits));
            let products = match bits {
                24 => {
                    let (a, b) = (a.cast::<f32>(), b.cast::<f32>());
                    let by_rows = b.t().copy();
                    vec![a.matmul(&by_rows), a.inner(&b), a.dot(&b.t()), a.tensordot(&by_rows, 1)]
                        .into_iter()
                        .map(|product| product.cast::<f64>().to_vec())
                        .collect::<Vec<_>>()
                }
                _ => vec![a.matmul(&b.t().copy()).to_vec(), a.inner(&b).to_vec()],
            };
            let unit = if bits == 24 { 2f64.powi(-24) } else { 2f64.powi(-53) };
            for product in &products {
                assert_eq!(product, &products[0], "one product by several names");
            }
            let found = error(&left, &right, bits, &products[0]) / unit;
            assert!(found <= bound, "kind {kind} of {bits} bits: {found} units, at most {bound}");
        }
    }
}

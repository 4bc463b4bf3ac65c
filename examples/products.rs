//! Long vectors reduced to a number: a sum and a dot product.

use darray::{DArray, Float, default_rng};

/// Two random vectors.
pub fn vectors<T: Float>(n: usize) -> (DArray<T>, DArray<T>) {
    let mut random = default_rng(29);
    (random.random(n).cast(), random.random(n).cast())
}

/// The sum of the elements.
pub fn sum<T: Float>(x: &DArray<T>) -> DArray<T> {
    x.sum()
}

/// The sum of the products.
pub fn dot<T: Float>(x: &DArray<T>, y: &DArray<T>) -> DArray<T> {
    x.dot(y)
}

#[allow(dead_code)]
fn main() {
    let n = 100_000;
    let (x, y) = vectors::<f64>(n);
    let (mean, product) = (sum(&x).item() / n as f64, dot(&x, &y).item() / n as f64);
    println!("mean {mean:.4}, mean of the products {product:.4}");

    // Uniform in [0, 1), and independent.
    assert!((mean - 0.5).abs() < 0.01 && (product - 0.25).abs() < 0.01);
}

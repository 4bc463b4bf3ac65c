//! Logistic regression by gradient ascent.

use darray::{DArray, Float, default_rng};

/// Features of a sample.
pub const FEATURES: usize = 32;

/// `n` random samples, one a row, and their classes, 0 or 1, drawn by chance.
pub fn samples<T: Float>(n: usize) -> (DArray<T>, DArray<T>) {
    let mut random = default_rng(3);
    let x = random.random((n, FEATURES)) * 2.0 - 1.0;
    let y = random.random(n).ge(0.5);
    (x.cast(), y.cast())
}

/// The probability of class 1 for each sample.
pub fn predict<T: Float>(x: &DArray<T>, w: &DArray<T>) -> DArray<T> {
    1 / (1 + (-x.dot(w)).exp())
}

/// The weights after one step up the gradient of the likelihood.
pub fn step<T: Float>(x: &DArray<T>, y: &DArray<T>, w: &DArray<T>, rate: f64) -> DArray<T> {
    let error = y - predict(x, w);
    w + T::from(rate) * x.t().dot(&error)
}

#[allow(dead_code)]
fn main() {
    // Classes that a plane through zero divides.
    let (x, _) = samples::<f64>(2000);
    let plane = default_rng(4).random(FEATURES) - 0.5;
    let y = x.dot(&plane).gt(0.0);
    let mut w = DArray::zeros(FEATURES);
    for _ in 0..200 {
        w = step(&x, &y.cast(), &w, 0.01);
    }
    let right = predict(&x, &w).gt(0.5).eq(&y).cast::<f64>().mean(..).item();
    println!("{:.1} % of the samples classified", 100.0 * right);
    assert!(right > 0.97);
}

//! Layer normalisation: each row with mean 0 and variance 1, then scaled and shifted by column.

use darray::{DArray, Float, axis, default_rng};

/// Added to variances.
const EPSILON: f64 = 1e-5;

/// Scales and shifts of columns.
pub struct Layer<T: Float> {
    /// Factors.
    pub scale: DArray<T>,
    /// What is added.
    pub shift: DArray<T>,
}

impl<T: Float> Layer<T> {
    /// `n` random rows of `4 n` numbers and the layer for them.
    pub fn new(n: usize) -> (DArray<T>, Layer<T>) {
        let mut random = default_rng(2);
        let x = random.random((n, 4 * n)).cast();
        let mut draw = || random.random(4 * n).cast();
        (x, Layer { scale: draw(), shift: draw() })
    }

    /// The rows normalised.
    pub fn apply(&self, x: &DArray<T>) -> DArray<T> {
        let mean = x.mean(axis(1).keepdims());
        let variance = x.var(axis(1).keepdims());
        (x - mean) / (variance + T::from(EPSILON)).sqrt() * &self.scale + &self.shift
    }
}

#[allow(dead_code)]
fn main() {
    let (x, _) = Layer::<f64>::new(50);
    let plain = Layer { scale: DArray::ones(200), shift: DArray::zeros(200) };
    let y = plain.apply(&x);
    let (mean, deviation) = (y.mean(1).abs().max(..).item(), y.std(1));
    println!("means up to {mean:.1e}, deviations {:.6}", deviation.mean(..).item());
    assert!(mean < 1e-12 && (deviation - 1.0).abs().max(..).item() < 1e-3);
}

//! A network of two layers that learns to tell ten classes apart: forward, backward and a step down the gradient.

use darray::{DArray, Float, axis, default_rng, s};

/// Features of a sample, hidden units, classes.
pub const SIZES: [usize; 3] = [64, 128, 10];

/// How far a step goes.
const RATE: f64 = 0.1;

/// Weights and shifts of both layers, and the last loss.
pub struct Network<T: Float> {
    /// Weights of the first layer.
    pub w1: DArray<T>,
    /// Shifts of the first layer.
    pub b1: DArray<T>,
    /// Weights of the second layer.
    pub w2: DArray<T>,
    /// Shifts of the second layer.
    pub b2: DArray<T>,
    /// The loss before the last step, a 0-d array.
    pub loss: DArray<T>,
}

/// `n` random samples, one a row, and their classes by chance: a one in each row.
pub fn samples<T: Float>(n: usize) -> (DArray<T>, DArray<T>) {
    let mut random = default_rng(11);
    let x = random.random((n, SIZES[0])) - 0.5;
    let class = (random.random(n) * SIZES[2]).floor();
    let y = class.slice(s![.., None]).eq(DArray::<f64>::arange(SIZES[2]));
    (x.cast(), y.cast())
}

impl<T: Float> Network<T> {
    /// Random weights.
    pub fn random() -> Network<T> {
        let [features, hidden, classes] = SIZES;
        let mut random = default_rng(12);
        let mut draw = |shape: (usize, usize)| ((random.random(shape) - 0.5) * 0.2).cast();
        let (w1, w2) = (draw((features, hidden)), draw((hidden, classes)));
        let (b1, b2) = (DArray::zeros(hidden), DArray::zeros(classes));
        Network { w1, b1, w2, b2, loss: DArray::zeros(()) }
    }

    /// One step with all samples.
    pub fn step(&mut self, x: &DArray<T>, y: &DArray<T>) {
        let n = x.shape()[0];
        let rate = T::from(RATE);
        let z1 = x.matmul(&self.w1) + &self.b1;
        let h = z1.maximum(0);
        let z2 = h.matmul(&self.w2) + &self.b2;
        let powers = (&z2 - z2.max(axis(1).keepdims())).exp();
        let p = &powers / powers.sum(axis(1).keepdims());
        self.loss = -(y * (&p + T::from(1e-12)).ln()).sum(..) / n;
        let dz2 = (p - y) / n;
        let dw2 = h.t().matmul(&dz2);
        let db2 = dz2.sum(0);
        let dh = dz2.matmul(&self.w2.t());
        let dz1 = dh * z1.gt(0).cast::<T>();
        let dw1 = x.t().matmul(&dz1);
        let db1 = dz1.sum(0);
        self.w1 -= rate * dw1;
        self.b1 -= rate * db1;
        self.w2 -= rate * dw2;
        self.b2 -= rate * db2;
    }
}

#[allow(dead_code)]
fn main() {
    let (x, y) = samples::<f64>(100);
    let mut network = Network::random();
    network.step(&x, &y);
    let before = network.loss.item();
    (0..200).for_each(|_| network.step(&x, &y));
    let after = network.loss.item();
    println!("loss {before:.4} before, {after:.4} after");

    // Ten classes by chance at first, and better than chance then.
    assert!((before - 10f64.ln()).abs() < 0.1 && after < before - 0.1);
}

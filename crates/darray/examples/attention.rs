//! Self-attention of several heads, with a residual and a normalisation.

use darray::{DArray, Float, axis, default_rng};

/// Sequences, heads, and numbers of a token in each head.
pub const SIZES: [usize; 3] = [2, 4, 32];

/// The matrices of queries, keys and values, one for each head.
pub struct Attention<T: Float> {
    /// Of queries.
    pub queries: DArray<T>,
    /// Of keys.
    pub keys: DArray<T>,
    /// Of values.
    pub values: DArray<T>,
}

impl<T: Float> Attention<T> {
    /// Random sequences of `n` tokens, and random matrices for them.
    pub fn new(n: usize) -> (DArray<T>, Attention<T>) {
        let [sequences, heads, width] = SIZES;
        let mut random = default_rng(8);
        let mut draw = || ((random.random((heads, width, width)) - 0.5) * 0.3).cast();
        let attention = Attention { queries: draw(), keys: draw(), values: draw() };
        (random.random((sequences, heads, n, width)).cast(), attention)
    }

    /// How much each token looks at each other, as parts of one.
    pub fn weights(&self, x: &DArray<T>) -> DArray<T> {
        let (q, k) = (x.matmul(&self.queries), x.matmul(&self.keys));
        let scores = q.matmul(&k.swap_axes(-1, -2)) / T::from((SIZES[2] as f64).sqrt());
        let powers = (&scores - scores.max(axis(-1).keepdims())).exp();
        &powers / powers.sum(axis(-1).keepdims())
    }

    /// The tokens with what they looked at, normalised.
    pub fn apply(&self, x: &DArray<T>) -> DArray<T> {
        let y = self.weights(x).matmul(&x.matmul(&self.values)) + x;
        let deviation = y.std(axis(-1).keepdims());
        (&y - y.mean(axis(-1).keepdims())) / (deviation + T::from(1e-5))
    }
}

#[allow(dead_code)]
fn main() {
    let (x, attention) = Attention::<f64>::new(30);
    let (weights, y) = (attention.weights(&x), attention.apply(&x));
    println!("weights {:.5} to {:.5}", weights.min(..).item(), weights.max(..).item());
    assert!((weights.sum(-1) - 1.0).abs().max(..).item() < 1e-12);

    // No token knows its place: the other way round they become the same the other way round.
    let turned = attention.apply(&x.flip(2)).flip(2);
    assert!((turned - y).abs().max(..).item() < 1e-12);
}

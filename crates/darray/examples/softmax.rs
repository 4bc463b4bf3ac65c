//! Softmax of each row.

use darray::{DArray, Float, axis, default_rng};

/// `n` rows of `4 n` random numbers.
pub fn rows<T: Float>(n: usize) -> DArray<T> {
    default_rng(2).random((n, 4 * n)).cast()
}

/// Powers of `e` as parts of their sum, row by row.
pub fn softmax<T: Float>(x: &DArray<T>) -> DArray<T> {
    let powers = (x - x.max(axis(1).keepdims())).exp();
    &powers / powers.sum(axis(1).keepdims())
}

#[allow(dead_code)]
fn main() {
    let x = rows::<f64>(50);
    let y = softmax(&x);
    println!("largest part {:.5}", y.max(..).item());

    // Parts of one each, the larger for the larger; a number more everywhere changes nothing.
    assert!((y.sum(1) - 1.0).abs().max(..).item() < 1e-12);
    assert!(y.argmax(1).eq(x.argmax(1)).all(..).item());
    assert!((softmax(&(&x + 1000.0)) - y).abs().max(..).item() < 1e-12);
}

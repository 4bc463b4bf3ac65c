//! Jacobi's method for a dense, diagonally dominant system.

use darray::{DArray, Float, NewAxis, default_rng, s};

/// A random system of `n` equations: the matrix without its diagonal, the diagonal, and the right
/// side.
pub fn system<T: Float>(n: usize) -> (DArray<T>, DArray<T>, DArray<T>) {
    let mut random = default_rng(7);
    let i = DArray::<i64>::arange(n);
    let off_diagonal = i.slice(s![.., NewAxis]).ne(&i);
    let rest = off_diagonal.select(random.random((n, n)), 0.0);
    let b = random.random(n);
    (rest.cast(), DArray::full(n, n), b.cast())
}

/// The next iterate: every equation solved for its own unknown.
pub fn step<T: Float>(
    rest: &DArray<T>,
    diagonal: &DArray<T>,
    b: &DArray<T>,
    x: &DArray<T>,
) -> DArray<T> {
    (b - rest.dot(x)) / diagonal
}

#[allow(dead_code)]
fn main() {
    let (rest, diagonal, b) = system::<f64>(200);
    let mut x = DArray::zeros(200);
    for _ in 0..60 {
        x = step(&rest, &diagonal, &b, &x);
    }
    println!("sum of the solution {:.10}", x.sum(..).item());

    let residual = &b - (rest.dot(&x) + diagonal * &x);
    assert!(residual.abs().max(..).item() < 1e-12);
}

//! Systems of linear equations.

use super::{Float, sum, wide};

/// The sum of Jacobi's iterate.
pub(crate) fn jacobi<T: Float>(rest: &[T], diagonal: &[T], b: &[T], iterations: usize) -> f64 {
    let n = b.len();
    let mut x = vec![T::zero(); n];
    for _ in 0..iterations {
        let row = |i: usize| (0..n).fold(T::zero(), |total, j| total + rest[i * n + j] * x[j]);
        x = (0..n).map(|i| (b[i] - row(i)) / diagonal[i]).collect();
    }
    sum(&x)
}

/// The norm of the residual of conjugate gradients for the five-point Laplacian of a grid of `n` by
/// `n`.
pub(crate) fn conjugate_gradients<T: Float>(b: &[T], n: usize, iterations: usize) -> f64 {
    let dot = |a: &[T], b: &[T]| a.iter().zip(b).fold(T::zero(), |total, (&a, &b)| total + a * b);
    let (mut r, mut p) = (b.to_vec(), b.to_vec());
    let mut rs = dot(b, b);
    for _ in 0..iterations {
        let ap: Vec<T> = (0..n * n).map(|at| laplacian(&p, n, at)).collect();
        let alpha = rs / dot(&p, &ap);
        for (r, &ap) in r.iter_mut().zip(&ap) {
            *r = *r - alpha * ap;
        }
        let next = dot(&r, &r);
        for (p, &r) in p.iter_mut().zip(&r) {
            *p = r + next / rs * *p;
        }
        rs = next;
    }
    wide(rs).sqrt()
}

/// Four times a cell less its neighbours, of which there are fewer at the border.
fn laplacian<T: Float>(p: &[T], n: usize, at: usize) -> T {
    let (y, x) = (at / n, at % n);
    let mut value = p[at] + p[at] + p[at] + p[at];
    if y > 0 {
        value = value - p[at - n];
    }
    if y + 1 < n {
        value = value - p[at + n];
    }
    if x > 0 {
        value = value - p[at - 1];
    }
    if x + 1 < n {
        value = value - p[at + 1];
    }
    value
}

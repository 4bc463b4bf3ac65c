//! Systems of linear equations.

use super::{Float, sum, wide, wides};

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
    let (mut r, mut p) = (b.to_vec(), b.to_vec());
    let mut rs = dot(b, b);
    for _ in 0..iterations {
        let ap = laplacians(&p, n);
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

fn dot<T: Float>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::zero(), |total, (&a, &b)| total + a * b)
}

/// The Laplacian of a whole grid.
fn laplacians<T: Float>(p: &[T], n: usize) -> Vec<T> {
    (0..n * n).map(|at| laplacian(p, n, at)).collect()
}

/// Iterate, residual and product of residuals of stabilised biconjugate gradients for a grid of `n` by `n`.
pub(crate) fn bicgstab<T: Float>(b: &[T], n: usize, iterations: usize) -> Vec<Vec<f64>> {
    let (mut x, mut r, mut p) = (vec![T::zero(); n * n], b.to_vec(), b.to_vec());
    let mut rho = dot(b, b);
    for _ in 0..iterations {
        let v = laplacians(&p, n);
        let alpha = rho / dot(b, &v);
        let s: Vec<T> = r.iter().zip(&v).map(|(&r, &v)| r - alpha * v).collect();
        let t = laplacians(&s, n);
        let omega = dot(&t, &s) / dot(&t, &t);
        for at in 0..n * n {
            x[at] = x[at] + alpha * p[at] + omega * s[at];
            r[at] = s[at] - omega * t[at];
        }
        let next = dot(b, &r);
        let beta = next / rho * (alpha / omega);
        for at in 0..n * n {
            p[at] = r[at] + beta * (p[at] - omega * v[at]);
        }
        rho = next;
    }
    wides([&x, &r, &[rho]])
}

/// Iterate, residual and product of residuals of conjugate gradients squared for a grid of `n` by `n`.
pub(crate) fn cgs<T: Float>(b: &[T], n: usize, iterations: usize) -> Vec<Vec<f64>> {
    let mut x = vec![T::zero(); n * n];
    let (mut r, mut p, mut u) = (b.to_vec(), b.to_vec(), b.to_vec());
    let mut rho = dot(b, b);
    for _ in 0..iterations {
        let v = laplacians(&p, n);
        let alpha = rho / dot(b, &v);
        let q: Vec<T> = u.iter().zip(&v).map(|(&u, &v)| u - alpha * v).collect();
        let both: Vec<T> = u.iter().zip(&q).map(|(&u, &q)| u + q).collect();
        let product = laplacians(&both, n);
        for at in 0..n * n {
            x[at] = x[at] + alpha * both[at];
            r[at] = r[at] - alpha * product[at];
        }
        let next = dot(b, &r);
        let beta = next / rho;
        for at in 0..n * n {
            u[at] = r[at] + beta * q[at];
            p[at] = u[at] + beta * (q[at] + beta * p[at]);
        }
        rho = next;
    }
    wides([&x, &r, &[rho]])
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

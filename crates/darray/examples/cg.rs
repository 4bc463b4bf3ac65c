//! Conjugate gradients: matrix-free for the five-point Laplacian, and with the same matrix stored.

use darray::{DArray, Float, NewAxis, default_rng, s};

/// Solves `A x = b` for a symmetric positive definite `A`, one iteration at a time.
pub struct Solver<T: Float> {
    /// The iterate.
    pub x: DArray<T>,
    /// The residual.
    pub r: DArray<T>,
    /// The direction of search.
    pub p: DArray<T>,
    /// The residual's square, a 0-d array that nothing waits for.
    pub rs: DArray<T>,
}

impl<T: Float> Solver<T> {
    /// Begins at zero.
    pub fn new(b: &DArray<T>) -> Solver<T> {
        let rs = (b * b).sum(..);
        Solver { x: DArray::zeros(b.shape()), r: b.clone(), p: b.clone(), rs }
    }

    /// One iteration; `a` multiplies by the matrix.
    pub fn step(&mut self, a: impl Fn(&DArray<T>) -> DArray<T>) {
        let ap = a(&self.p);
        let alpha = &self.rs / (&self.p * &ap).sum(..);
        self.x = &self.x + &alpha * &self.p;
        self.r = &self.r - &alpha * &ap;
        let rs = (&self.r * &self.r).sum(..);
        self.p = &self.r + (&rs / &self.rs) * &self.p;
        self.rs = rs;
    }
}

/// The five-point Laplacian of a square grid with zeros around it.
pub struct Laplacian<T: Float> {
    /// The grid within a border that stays zero.
    pub padded: DArray<T>,
}

impl<T: Float> Laplacian<T> {
    /// For a grid of `n` by `n`.
    pub fn new(n: usize) -> Laplacian<T> {
        Laplacian { padded: DArray::zeros((n + 2, n + 2)) }
    }

    /// Four times each cell less its four neighbours.
    pub fn apply(&self, p: &DArray<T>) -> DArray<T> {
        let padded = &self.padded;
        padded.slice(s![1..-1, 1..-1]).assign(p);
        let across = padded.slice(s![..-2, 1..-1])
            + padded.slice(s![2.., 1..-1])
            + padded.slice(s![1..-1, ..-2])
            + padded.slice(s![1..-1, 2..]);
        4 * p - across
    }
}

/// The matrix of [`Laplacian`] for the grid read row by row.
pub fn matrix<T: Float>(n: usize) -> DArray<T> {
    let i = DArray::<i64>::arange(n * n);
    let row = (&i / n as f64).cast::<i64>();
    let column = &i - &row * n as i64;
    let across = |v: &DArray<i64>| (v.slice(s![.., NewAxis]) - v).abs();
    let distance = across(&row) + across(&column);
    let neighbours = distance.eq(1).select(-1.0, 0.0);
    distance.eq(0).select(4.0, neighbours).cast()
}

/// The right side of the system of a grid of `n` by `n`.
pub fn right_side<T: Float>(n: usize) -> DArray<T> {
    default_rng(5).random((n, n)).cast()
}

#[allow(dead_code)]
fn main() {
    let n = 20;
    let b = right_side::<f64>(n);
    let mut free = Solver::new(&b);
    let flat = b.reshape(n * n);
    let mut dense = Solver::new(&flat);
    let (laplacian, a) = (Laplacian::new(n), matrix::<f64>(n));
    for _ in 0..60 {
        free.step(|p| laplacian.apply(p));
        dense.step(|p| a.dot(p));
    }
    println!("norm of the residual {:.3e}", free.rs.sqrt().item());

    assert!((&b - laplacian.apply(&free.x)).abs().max(..).item() < 1e-6);
    assert!((free.x.reshape(n * n) - dense.x).abs().max(..).item() < 1e-6);
}

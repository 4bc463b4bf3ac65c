//! Stabilised biconjugate gradients (van der Vorst, 1992), matrix-free for the five-point Laplacian.

use darray::{DArray, Float, default_rng, s};

/// Solves `A x = b`, one iteration at a time.
pub struct Solver<T: Float> {
    /// The iterate.
    pub x: DArray<T>,
    /// The residual.
    pub r: DArray<T>,
    /// The first residual.
    shadow: DArray<T>,
    /// The direction of search.
    p: DArray<T>,
    /// The product of both residuals, a 0-d array that nothing waits for.
    pub rho: DArray<T>,
    /// The grid within a border that stays zero.
    padded: DArray<T>,
}

impl<T: Float> Solver<T> {
    /// Begins at zero.
    pub fn new(b: &DArray<T>) -> Solver<T> {
        let [height, width] = b.dims();
        Solver {
            x: DArray::zeros((height, width)),
            r: b.clone(),
            shadow: b.clone(),
            p: b.clone(),
            rho: (b * b).sum(..),
            padded: DArray::zeros((height + 2, width + 2)),
        }
    }

    /// Four times each cell less its four neighbours.
    pub fn laplacian(&self, p: &DArray<T>) -> DArray<T> {
        let padded = &self.padded;
        padded.slice(s![1..-1, 1..-1]).assign(p);
        4 * p
            - padded.slice(s![..-2, 1..-1])
            - padded.slice(s![2.., 1..-1])
            - padded.slice(s![1..-1, ..-2])
            - padded.slice(s![1..-1, 2..])
    }

    /// One iteration.
    pub fn step(&mut self) {
        let v = self.laplacian(&self.p);
        let alpha = &self.rho / (&self.shadow * &v).sum(..);
        let s = &self.r - &alpha * &v;
        let t = self.laplacian(&s);
        let omega = (&t * &s).sum(..) / (&t * &t).sum(..);
        self.x = &self.x + &alpha * &self.p + &omega * &s;
        self.r = s - &omega * t;
        let rho = (&self.shadow * &self.r).sum(..);
        let beta = (&rho / &self.rho) * (&alpha / &omega);
        self.p = &self.r + beta * (&self.p - omega * v);
        self.rho = rho;
    }
}

/// The right side of the system of a grid of `n` by `n`.
pub fn right_side<T: Float>(n: usize) -> DArray<T> {
    default_rng(5).random((n, n)).cast()
}

#[allow(dead_code)]
fn main() {
    let b = right_side::<f64>(20);
    let mut solver = Solver::new(&b);
    (0..60).for_each(|_| solver.step());
    let rest = (&b - solver.laplacian(&solver.x)).abs().max(..).item();
    println!("largest rest {rest:.3e}");
    assert!(rest < 1e-6);
}

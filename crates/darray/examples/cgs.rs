//! Conjugate gradients squared (Sonneveld, 1989), matrix-free for the five-point Laplacian.

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
    /// The residual with the direction before.
    u: DArray<T>,
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
            u: b.clone(),
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
        let q = &self.u - &alpha * v;
        let both = &self.u + &q;
        self.x = &self.x + &alpha * &both;
        self.r = &self.r - alpha * self.laplacian(&both);
        let rho = (&self.shadow * &self.r).sum(..);
        let beta = &rho / &self.rho;
        self.u = &self.r + &beta * &q;
        self.p = &self.u + &beta * (q + &beta * &self.p);
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
    (0..40).for_each(|_| solver.step());
    let rest = (&b - solver.laplacian(&solver.x)).abs().max(..).item();
    println!("largest rest {rest:.3e}");
    assert!(rest < 1e-6);
}

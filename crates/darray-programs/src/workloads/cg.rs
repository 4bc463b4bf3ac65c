//! Conjugate gradients.

use super::sum;
use crate::examples::cg::{Laplacian, Solver, matrix, right_side};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result, s};

/// Conjugate gradients with the Laplacian as a function, or as a matrix where there is one.
pub(crate) struct Gradients<T: Float> {
    n: usize,
    b: DArray<T>,
    laplacian: Laplacian<T>,
    /// The matrix, and another with a heavier diagonal.
    matrices: Option<[DArray<T>; 2]>,
}

impl<T: Float> Gradients<T> {
    pub(crate) fn new(n: usize, dense: bool) -> Gradients<T> {
        let b = right_side(n);
        let b = if dense { b.reshape(n * n) } else { b };
        let matrices = dense.then(|| {
            let matrix = matrix::<T>(n);
            let heavier = matrix.gt(0).select(T::from(4.5), &matrix);
            [matrix, heavier]
        });
        Gradients { n, b, laplacian: Laplacian::new(n), matrices }
    }

    /// The matrix times `p`.
    fn product(&self, p: &DArray<T>, variant: Variant) -> DArray<T> {
        match (&self.matrices, variant) {
            (Some([_, heavier]), Variant::Constants) => heavier.dot(p),
            (Some([matrix, _]), _) => matrix.dot(p),
            (None, Variant::Original | Variant::OneMore) => self.laplacian.apply(p),
            (None, _) => varied(&self.laplacian, p, variant),
        }
    }
}

/// The Laplacian in another form.
fn varied<T: Float>(laplacian: &Laplacian<T>, p: &DArray<T>, variant: Variant) -> DArray<T> {
    let padded = &laplacian.padded;
    padded.slice(s![1..-1, 1..-1]).assign(p);
    let (up, down) = (padded.slice(s![..-2, 1..-1]), padded.slice(s![2.., 1..-1]));
    let (left, right) = (padded.slice(s![1..-1, ..-2]), padded.slice(s![1..-1, 2..]));
    match variant {
        Variant::Reordered => p * 4 - right - left - down - up,
        _ => T::from(4.5) * p - up - down - left - right,
    }
}

/// The step with the residual before the iterate.
fn reordered<T: Float>(solver: &mut Solver<T>, a: impl Fn(&DArray<T>) -> DArray<T>) {
    let ap = a(&solver.p);
    let alpha = &solver.rs / (&ap * &solver.p).sum(..);
    solver.r = &solver.r - &ap * &alpha;
    solver.x = &solver.p * &alpha + &solver.x;
    let rs = (&solver.r * &solver.r).sum(..);
    solver.p = &solver.p * (&rs / &solver.rs) + &solver.r;
    solver.rs = rs;
}

impl<T: Float> Workload for Gradients<T> {
    const LOOPS: bool = true;
    type State = Solver<T>;

    fn prepare(&self) -> Solver<T> {
        Solver::new(&self.b)
    }

    fn iterate(&self, solver: &mut Solver<T>, variant: Variant) {
        let product = |p: &DArray<T>| self.product(p, variant);
        match variant {
            Variant::Reordered => reordered(solver, product),
            _ => solver.step(product),
        }
        if variant == Variant::OneMore {
            solver.x = &solver.x + 1;
        }
    }

    fn checksum(&self, solver: &Solver<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(&solver.rs)?.sqrt()])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        vec![oracles::conjugate_gradients(&self.b.to_vec(), self.n, iterations)]
    }
}

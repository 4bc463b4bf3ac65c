//! Solvers of linear equations.

use super::{Steps, wide};
use crate::examples::{bicgstab, cgs, multigrid};
use crate::oracles::{self, Float};
use crate::workload::Workload;
use darray::DArray;

/// Equations in `n + 1` by `n + 1` cells: a single one is solved before the second factor of a step is known.
pub(crate) fn bicgstab<T: Float>(n: usize) -> impl Workload {
    let n = n.saturating_add(1);
    Steps::new(
        move || bicgstab::Solver::new(&bicgstab::right_side::<T>(n)),
        bicgstab::Solver::step,
        |solver| wide([&solver.x, &solver.r, &solver.rho]),
        move |iterations| oracles::bicgstab(&bicgstab::right_side::<T>(n).to_vec(), n, iterations),
    )
}

/// Equations in `n` by `n` cells.
pub(crate) fn cgs<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || cgs::Solver::new(&cgs::right_side::<T>(n)),
        cgs::Solver::step,
        |solver| wide([&solver.x, &solver.r, &solver.rho]),
        move |iterations| oracles::cgs(&cgs::right_side::<T>(n).to_vec(), n, iterations),
    )
}

/// Poisson's equation in at least `n` by `n` cells, a cycle a step.
pub(crate) fn multigrid<T: Float>(n: usize) -> impl Workload {
    let side = multigrid::side(n);
    Steps::new(
        move || [DArray::zeros((side, side)), multigrid::sources::<T>(side)],
        |[u, f]| multigrid::v_cycle(u, f, 1.0 / (u.shape()[0] - 1) as f64),
        |[u, _]| wide([u]),
        move |iterations| {
            let sources = multigrid::sources::<T>(side).to_vec();
            oracles::multigrid(sources, side, iterations)
        },
    )
}

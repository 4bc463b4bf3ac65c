//! Poisson's equation in a square by V-cycles of geometric multigrid, on one grid within the other.

use darray::{DArray, Float, default_rng, s};

/// Jacobi's sweeps before and after a coarser grid is asked, and on the coarsest.
const SWEEPS: usize = 2;
const COARSEST_SWEEPS: usize = 8;

/// How much of the old value a sweep keeps.
const KEPT: f64 = 0.2;

/// Cells along each axis, borders included, of the smallest grid that has `n` inner ones and halves evenly.
pub fn side(n: usize) -> usize {
    (n + 1).next_power_of_two() + 1
}

/// Random sources, and none at the border.
pub fn sources<T: Float>(side: usize) -> DArray<T> {
    let f = DArray::zeros((side, side));
    f.slice(s![1..-1, 1..-1]).assign(default_rng(7).random((side - 2, side - 2)).cast());
    f
}

/// Improves the solution `u` for the sources `f` in a square whose cells are `h` wide.
pub fn v_cycle<T: Float>(u: &DArray<T>, f: &DArray<T>, h: f64) {
    if u.shape()[0] <= 5 {
        return smooth(u, f, h, COARSEST_SWEEPS);
    }
    smooth(u, f, h, SWEEPS);
    let coarse = restricted(&residual(u, f, h));
    let error = DArray::zeros(coarse.shape());
    v_cycle(&error, &coarse, 2.0 * h);
    u.add_assign(prolonged(&error, u.shape()[0]));
    smooth(u, f, h, SWEEPS);
}

/// Sweeps of Jacobi's method, damped.
fn smooth<T: Float>(u: &DArray<T>, f: &DArray<T>, h: f64, sweeps: usize) {
    let k = T::from;
    let inner = u.slice(s![1..-1, 1..-1]);
    for _ in 0..sweeps {
        let around = u.slice(s![..-2, 1..-1])
            + u.slice(s![2.., 1..-1])
            + u.slice(s![1..-1, ..-2])
            + u.slice(s![1..-1, 2..]);
        let sources = k(h * h) * f.slice(s![1..-1, 1..-1]);
        inner.assign(k(KEPT) * &inner + k((1.0 - KEPT) * 0.25) * (around + sources));
    }
}

/// What the solution lacks.
pub fn residual<T: Float>(u: &DArray<T>, f: &DArray<T>, h: f64) -> DArray<T> {
    let r = DArray::zeros(u.shape());
    let laplacian = 4 * u.slice(s![1..-1, 1..-1])
        - u.slice(s![..-2, 1..-1])
        - u.slice(s![2.., 1..-1])
        - u.slice(s![1..-1, ..-2])
        - u.slice(s![1..-1, 2..]);
    r.slice(s![1..-1, 1..-1]).assign(f.slice(s![1..-1, 1..-1]) - laplacian / T::from(h * h));
    r
}

/// On the coarser grid: means over nine cells, the middle one four times, those beside it twice.
fn restricted<T: Float>(r: &DArray<T>) -> DArray<T> {
    let side = (r.shape()[0] - 1) / 2 + 1;
    let coarse = DArray::zeros((side, side));
    let edges = r.slice(s![1..-3;2, 2..-2;2])
        + r.slice(s![3..-1;2, 2..-2;2])
        + r.slice(s![2..-2;2, 1..-3;2])
        + r.slice(s![2..-2;2, 3..-1;2]);
    let corners = r.slice(s![1..-3;2, 1..-3;2])
        + r.slice(s![1..-3;2, 3..-1;2])
        + r.slice(s![3..-1;2, 1..-3;2])
        + r.slice(s![3..-1;2, 3..-1;2]);
    let [middle, edge, corner] = [0.25, 0.125, 0.0625].map(T::from);
    let means = middle * r.slice(s![2..-2;2, 2..-2;2]) + edge * edges + corner * corners;
    coarse.slice(s![1..-1, 1..-1]).assign(means);
    coarse
}

/// On the finer grid: means of the coarse cells beside.
fn prolonged<T: Float>(e: &DArray<T>, side: usize) -> DArray<T> {
    let fine = DArray::zeros((side, side));
    let [half, quarter] = [0.5, 0.25].map(T::from);
    fine.slice(s![..;2, ..;2]).assign(e);
    fine.slice(s![1..;2, ..;2]).assign(half * (e.slice(s![..-1]) + e.slice(s![1..])));
    fine.slice(s![..;2, 1..;2]).assign(half * (e.slice(s![.., ..-1]) + e.slice(s![.., 1..])));
    fine.slice(s![1..;2, 1..;2]).assign(
        quarter
            * (e.slice(s![..-1, ..-1])
                + e.slice(s![1.., ..-1])
                + e.slice(s![..-1, 1..])
                + e.slice(s![1.., 1..])),
    );
    fine
}

#[allow(dead_code)]
fn main() {
    let side = side(63);
    let (f, h) = (sources::<f64>(side), 1.0 / (side - 1) as f64);
    let u = DArray::zeros((side, side));
    let rest = || residual(&u, &f, h).abs().max(..).item();
    let before = rest();
    for cycle in 1..=8 {
        v_cycle(&u, &f, h);
        println!("cycle {cycle}: largest rest {:.3e}", rest());
    }

    // Each cycle leaves less than a fifth, however fine the grid is.
    assert!(rest() < before / 5f64.powi(8));
}

//! V-cycles, cell by cell.

use super::{Float, Plane, real, wides};

/// The solution after so many cycles from zero.
pub(crate) fn multigrid<T: Float>(f: Vec<T>, side: usize, iterations: usize) -> Vec<Vec<f64>> {
    let f = Plane { width: side, cells: f };
    let mut u = zeros(side);
    (0..iterations).for_each(|_| cycle(&mut u, &f, 1.0 / (side - 1) as f64));
    wides([&u.cells])
}

fn zeros<T: Float>(side: usize) -> Plane<T> {
    Plane { width: side, cells: vec![T::zero(); side * side] }
}

/// The inner cells.
fn inner(side: usize) -> impl Iterator<Item = [usize; 2]> {
    (1..side - 1).flat_map(move |y| (1..side - 1).map(move |x| [y, x]))
}

fn cycle<T: Float>(u: &mut Plane<T>, f: &Plane<T>, h: f64) {
    let side = u.width;
    if side <= 5 {
        return smooth(u, f, h, 8);
    }
    smooth(u, f, h, 2);
    let mut rest = zeros::<T>(side);
    for [y, x] in inner(side) {
        let laplacian = real::<T>(4.0) * u[[y, x]]
            - u[[y - 1, x]]
            - u[[y + 1, x]]
            - u[[y, x - 1]]
            - u[[y, x + 1]];
        rest[[y, x]] = f[[y, x]] - laplacian / real::<T>(h * h);
    }
    let half = (side - 1) / 2 + 1;
    let (mut coarse, mut error) = (zeros(half), zeros(half));
    for [y, x] in inner(half) {
        let (low, row, high) = (2 * y - 1, 2 * y, 2 * y + 1);
        let (left, column, right) = (2 * x - 1, 2 * x, 2 * x + 1);
        let edges =
            rest[[low, column]] + rest[[high, column]] + rest[[row, left]] + rest[[row, right]];
        let corners =
            rest[[low, left]] + rest[[low, right]] + rest[[high, left]] + rest[[high, right]];
        coarse[[y, x]] = real::<T>(0.25) * rest[[row, column]]
            + real::<T>(0.125) * edges
            + real::<T>(0.0625) * corners;
    }
    cycle(&mut error, &coarse, 2.0 * h);
    for y in 0..side {
        for x in 0..side {
            let (row, column) = (y / 2, x / 2);
            let at = |down: usize, right: usize| error[[row + down, column + right]];
            let fine = match (y % 2, x % 2) {
                (0, 0) => at(0, 0),
                (1, 0) => real::<T>(0.5) * (at(0, 0) + at(1, 0)),
                (0, 1) => real::<T>(0.5) * (at(0, 0) + at(0, 1)),
                _ => real::<T>(0.25) * (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)),
            };
            u[[y, x]] = u[[y, x]] + fine;
        }
    }
    smooth(u, f, h, 2);
}

fn smooth<T: Float>(u: &mut Plane<T>, f: &Plane<T>, h: f64, sweeps: usize) {
    for _ in 0..sweeps {
        let old = u.clone();
        for [y, x] in inner(u.width) {
            let around = old[[y - 1, x]] + old[[y + 1, x]] + old[[y, x - 1]] + old[[y, x + 1]];
            let sources = real::<T>(h * h) * f[[y, x]];
            u[[y, x]] =
                real::<T>(0.2) * old[[y, x]] + real::<T>((1.0 - 0.2) * 0.25) * (around + sources);
        }
    }
}

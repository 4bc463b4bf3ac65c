//! Grids in two and three dimensions.

use super::{Float, real, square_sum, sum};

/// The sum of a square grid of `side` rows, borders included.
pub(crate) fn stencil<T: Float>(mut grid: Vec<T>, side: usize, iterations: usize) -> f64 {
    for _ in 0..iterations {
        let old = grid.clone();
        for y in 1..side - 1 {
            for x in 1..side - 1 {
                let at = y * side + x;
                let cells = [old[at], old[at - side], old[at + 1], old[at - 1], old[at + side]];
                grid[at] = real::<T>(0.2) * cells.into_iter().fold(T::zero(), |a, b| a + b);
            }
        }
    }
    sum(&grid)
}

/// The sum of a cube of `side` cells along each axis, borders included.
pub(crate) fn stencil27<T: Float>(mut cube: Vec<T>, side: usize, iterations: usize) -> f64 {
    let index = |z: usize, y: usize, x: usize| (z * side + y) * side + x;
    for _ in 0..iterations {
        let old = cube.clone();
        for z in 1..side - 1 {
            for y in 1..side - 1 {
                for x in 1..side - 1 {
                    let mut total = T::zero();
                    for near in z - 1..=z + 1 {
                        for row in y - 1..=y + 1 {
                            for cell in x - 1..=x + 1 {
                                total = total + old[index(near, row, cell)];
                            }
                        }
                    }
                    cube[index(z, y, x)] = total / real::<T>(27.0);
                }
            }
        }
    }
    sum(&cube)
}

/// Sum and sum of squares of a cube of `side` cells along each axis.
pub(crate) fn heat3d<T: Float>(mut cube: Vec<T>, side: usize, iterations: usize) -> Vec<f64> {
    for _ in 0..iterations {
        let old = cube.clone();
        for at in 0..cube.len() {
            let place = [at / (side * side), at / side % side, at % side];
            if place.iter().any(|&p| p == 0 || p == side - 1) {
                continue;
            }
            let twice = old[at] + old[at];
            let mut change = T::zero();
            for stride in [side * side, side, 1] {
                change = change + (old[at + stride] - twice + old[at - stride]);
            }
            cube[at] = real::<T>(0.125) * change + old[at];
        }
    }
    vec![sum(&cube), square_sum(&cube)]
}

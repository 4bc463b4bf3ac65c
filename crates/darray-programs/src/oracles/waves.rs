//! Fields in planes and layers: electromagnetic waves, diffusion.

use super::{Float, Plane, real, wides};

/// Both electric fields and the magnetic one of `side` by `side` points after so many steps.
pub(crate) fn fdtd2d<T: Float>(
    fields: [Vec<T>; 3],
    side: usize,
    iterations: usize,
) -> Vec<Vec<f64>> {
    let [mut ex, mut ey, mut hz] = fields.map(|cells| Plane { width: side, cells });
    for time in 0..iterations {
        for y in 0..side {
            for x in 0..side {
                ey[[y, x]] = match y {
                    0 => real(time as f64),
                    _ => ey[[y, x]] - real::<T>(0.5) * (hz[[y, x]] - hz[[y - 1, x]]),
                };
                if x > 0 {
                    ex[[y, x]] = ex[[y, x]] - real::<T>(0.5) * (hz[[y, x]] - hz[[y, x - 1]]);
                }
            }
        }
        for y in 0..side - 1 {
            for x in 0..side - 1 {
                let around = ex[[y, x + 1]] - ex[[y, x]] + ey[[y + 1, x]] - ey[[y, x]];
                hz[[y, x]] = hz[[y, x]] - real::<T>(0.7) * around;
            }
        }
    }
    wides([&ex.cells, &ey.cells, &hz.cells])
}

/// The field of `n` by `n` columns and two around them, in `n` layers, after so many steps.
pub(crate) fn hdiff<T: Float>(
    mut field: Vec<T>,
    coefficient: &[T],
    n: usize,
    iterations: usize,
) -> Vec<Vec<f64>> {
    let at = |y: usize, x: usize, z: usize| (y * (n + 4) + x) * n + z;
    for _ in 0..iterations {
        let old = field.clone();
        let laplacian = |y: usize, x: usize, z: usize| {
            let around = old[at(y + 1, x, z)]
                + old[at(y - 1, x, z)]
                + old[at(y, x + 1, z)]
                + old[at(y, x - 1, z)];
            real::<T>(4.0) * old[at(y, x, z)] - around
        };
        // From one cell to the next, and nothing uphill.
        let flux = |[y, x]: [usize; 2], [next_y, next_x]: [usize; 2], z: usize| {
            let flux = laplacian(next_y, next_x, z) - laplacian(y, x, z);
            let rise = old[at(next_y, next_x, z)] - old[at(y, x, z)];
            if flux * rise > T::zero() { T::zero() } else { flux }
        };
        for y in 2..n + 2 {
            for x in 2..n + 2 {
                for z in 0..n {
                    let across = [flux([y, x], [y + 1, x], z), flux([y - 1, x], [y, x], z)];
                    let along = [flux([y, x], [y, x + 1], z), flux([y, x - 1], [y, x], z)];
                    let change = across[0] - across[1] + along[0] - along[1];
                    let weight = coefficient[((y - 2) * n + x - 2) * n + z];
                    field[at(y, x, z)] = real::<T>(0.9) * (old[at(y, x, z)] - weight * change);
                }
            }
        }
    }
    wides([&field])
}

//! Air in which a bubble rises, border by border of each cell.

use super::{Float, real, wides};

/// Density, heat and pressure of the air at rest, by height.
pub(crate) type Rest<T> = [Vec<T>; 3];

/// Four fields of `n` rows of `2 n` cells, and two cells around, after so many steps.
pub(crate) fn miniweather<T: Float>(
    state: Vec<T>,
    rows: &Rest<T>,
    between: &Rest<T>,
    n: usize,
    iterations: usize,
) -> Vec<Vec<f64>> {
    let (dx, dz) = (2e4 / (2 * n) as f64, 1e4 / n as f64);
    let dt = 0.3 * dx.min(dz) / 450.0;
    let air = Air { n, rows, between, sizes: [dx, dz] };
    let mut state = state;
    for step in 0..iterations {
        for axis in [step % 2, 1 - step % 2] {
            let mut now = state.clone();
            let mut first = air.stage(&state, &mut now, dt / 3.0, axis);
            let mut second = air.stage(&state, &mut first, dt / 2.0, axis);
            state = air.stage(&state, &mut second, dt, axis);
        }
    }
    wides([&state])
}

struct Air<'a, T> {
    n: usize,
    rows: &'a Rest<T>,
    between: &'a Rest<T>,
    sizes: [f64; 2],
}

impl<T: Float> Air<'_, T> {
    fn at(&self, field: usize, z: usize, x: usize) -> usize {
        (field * (self.n + 4) + z) * (2 * self.n + 4) + x
    }

    /// The inner cells of `from` and what `now` changes, along the axis 0 or upward.
    fn stage(&self, from: &[T], now: &mut [T], dt: f64, axis: usize) -> Vec<T> {
        if axis == 0 {
            self.around(now)
        } else {
            self.ground(now)
        }
        let mut next = vec![T::zero(); from.len()];
        for z in 2..self.n + 2 {
            for x in 2..2 * self.n + 2 {
                let (low, high) = match axis {
                    0 => (self.flux(now, z, x, dt, axis), self.flux(now, z, x + 1, dt, axis)),
                    _ => (self.flux(now, z, x, dt, axis), self.flux(now, z + 1, x, dt, axis)),
                };
                for field in 0..4 {
                    let mut change = -(high[field] - low[field]) / real::<T>(self.sizes[axis]);
                    if axis == 1 && field == 2 {
                        change = change - real::<T>(9.8) * now[self.at(0, z, x)];
                    }
                    let at = self.at(field, z, x);
                    next[at] = from[at] + real::<T>(dt) * change;
                }
            }
        }
        next
    }

    /// The region goes around.
    fn around(&self, s: &mut [T]) {
        let width = 2 * self.n;
        for field in 0..4 {
            for z in 0..self.n + 4 {
                for x in 0..2 {
                    s[self.at(field, z, x)] = s[self.at(field, z, x + width)];
                    s[self.at(field, z, width + 2 + x)] = s[self.at(field, z, x + 2)];
                }
            }
        }
    }

    /// Nothing goes through the ground or the top.
    fn ground(&self, s: &mut [T]) {
        let density = &self.rows[0];
        for x in 0..2 * self.n + 4 {
            for (outer, inner) in
                [(0, 2), (1, 2), (self.n + 2, self.n + 1), (self.n + 3, self.n + 1)]
            {
                for field in 0..4 {
                    let value = s[self.at(field, inner, x)];
                    s[self.at(field, outer, x)] = match field {
                        1 => value / density[inner] * density[outer],
                        2 => T::zero(),
                        _ => value,
                    };
                }
            }
        }
    }

    /// What flows into a cell from the one before it along an axis.
    fn flux(&self, s: &[T], z: usize, x: usize, dt: f64, axis: usize) -> [T; 4] {
        let k = real::<T>;
        let (mut values, mut third) = ([T::zero(); 4], [T::zero(); 4]);
        for field in 0..4 {
            let [a, b, c, d] = [0, 1, 2, 3].map(|offset| match axis {
                0 => s[self.at(field, z, x + offset - 2)],
                _ => s[self.at(field, z + offset - 2, x)],
            });
            values[field] =
                -a / k(12.0) + k(7.0) * b / k(12.0) + k(7.0) * c / k(12.0) - d / k(12.0);
            third[field] = -a + k(3.0) * b - k(3.0) * c + d;
        }
        let [density, heat, pressure] = match axis {
            0 => [self.rows[0][z], self.rows[1][z], T::zero()],
            _ => [0, 1, 2].map(|part| self.between[part][z - 2]),
        };
        let r = values[0] + density;
        let (u, mut w, t) = (values[1] / r, values[2] / r, (values[3] + heat) / r);
        let p = k(27.56294109297259) * (r * t).powf(k(1.400278940027894)) - pressure;
        if axis == 1 && (z == 2 || z == self.n + 2) {
            w = T::zero();
            third[0] = T::zero();
        }
        let damping = k(-0.05 * self.sizes[axis] / (16.0 * dt));
        let flow = r * if axis == 0 { u } else { w };
        let mut flux = [flow, flow * u, flow * w, flow * t];
        flux[1 + axis] = flux[1 + axis] + p;
        [0, 1, 2, 3].map(|field| flux[field] - damping * third[field])
    }
}

//! Flow in a square cavity whose lid moves: explicit steps for the velocities, and for the pressure sweeps over Poisson's
//! equation, each of which reads a copy of the pressure before it (NPBench's `cavity_flow`).

use darray::{DArray, Float, default_rng, s};

const DENSITY: f64 = 1.0;
const VISCOSITY: f64 = 0.1;

/// Sweeps over the pressure in a step.
pub const SWEEPS: usize = 50;

/// Velocities and pressure on a square grid; rows go up, and the last one is the lid.
pub struct Cavity<T: Float> {
    /// Velocity along rows.
    pub u: DArray<T>,
    /// Velocity across rows.
    pub v: DArray<T>,
    /// Pressure.
    pub p: DArray<T>,
    /// The right side of the equation for the pressure.
    pub b: DArray<T>,
    /// The distance of grid points along rows and across, and the time of a step.
    sizes: [f64; 3],
}

impl<T: Float> Cavity<T> {
    /// At rest, with `n` by `n` points within the walls.
    pub fn new(n: usize) -> Cavity<T> {
        let side = n + 2;
        let zeros = || DArray::zeros((side, side));
        let (distance, points) = (2.0 / (side - 1) as f64, (side - 1) as f64);
        let sizes = [distance, distance, 0.1 / (points * points)];
        Cavity { u: zeros(), v: zeros(), p: zeros(), b: zeros(), sizes }
    }

    /// In slow motion.
    pub fn stirred(n: usize) -> Cavity<T> {
        let mut random = default_rng(1);
        let mut draw = || (random.random((n + 2, n + 2)) * 1e-3).cast();
        Cavity { u: draw(), v: draw(), p: draw(), ..Cavity::new(n) }
    }

    /// One step, with so many sweeps over the pressure.
    pub fn step(&self, sweeps: usize) {
        let Cavity { u, v, p, b, sizes: [dx, dy, dt] } = self;
        let (dx, dy, dt, rho, nu) = (*dx, *dy, *dt, DENSITY, VISCOSITY);
        let k = T::from;
        let (un, vn) = (u.copy(), v.copy());
        center(b).assign(
            k(rho)
                * (k(1.0 / dt)
                    * ((east(u) - west(u)) / k(2.0 * dx) + (north(v) - south(v)) / k(2.0 * dy))
                    - ((east(u) - west(u)) / k(2.0 * dx)).square()
                    - 2 * ((north(u) - south(u)) / k(2.0 * dy) * (east(v) - west(v))
                        / k(2.0 * dx))
                    - ((north(v) - south(v)) / k(2.0 * dy)).square()),
        );
        self.relax(sweeps);
        center(u).assign(
            center(&un)
                - center(&un) * k(dt / dx) * (center(&un) - west(&un))
                - center(&vn) * k(dt / dy) * (center(&un) - south(&un))
                - k(dt / (2.0 * rho * dx)) * (east(p) - west(p))
                + k(nu)
                    * (k(dt / (dx * dx)) * (east(&un) - 2 * center(&un) + west(&un))
                        + k(dt / (dy * dy)) * (north(&un) - 2 * center(&un) + south(&un))),
        );
        center(v).assign(
            center(&vn)
                - center(&un) * k(dt / dx) * (center(&vn) - west(&vn))
                - center(&vn) * k(dt / dy) * (center(&vn) - south(&vn))
                - k(dt / (2.0 * rho * dy)) * (north(p) - south(p))
                + k(nu)
                    * (k(dt / (dx * dx)) * (east(&vn) - 2 * center(&vn) + west(&vn))
                        + k(dt / (dy * dy)) * (north(&vn) - 2 * center(&vn) + south(&vn))),
        );
        for wall in [s![0, ..], s![.., 0], s![.., -1]] {
            u.slice(wall).assign(0);
        }
        u.slice(s![-1, ..]).assign(1);
        for wall in [s![0, ..], s![-1, ..], s![.., 0], s![.., -1]] {
            v.slice(wall).assign(0);
        }
    }

    /// Sweeps over the pressure. It does not change across the walls, and is zero at the lid.
    fn relax(&self, sweeps: usize) {
        let Cavity { p, b, sizes: [dx, dy, _], .. } = self;
        let (k, dx2, dy2) = (T::from, dx * dx, dy * dy);
        for _ in 0..sweeps {
            let pn = p.copy();
            center(p).assign(
                ((east(&pn) + west(&pn)) * k(dy2) + (north(&pn) + south(&pn)) * k(dx2))
                    / k(2.0 * (dx2 + dy2))
                    - k(dx2 * dy2 / (2.0 * (dx2 + dy2))) * center(b),
            );
            p.slice(s![.., -1]).assign(p.slice(s![.., -2]));
            p.slice(s![0, ..]).assign(p.slice(s![1, ..]));
            p.slice(s![.., 0]).assign(p.slice(s![.., 1]));
            p.slice(s![-1, ..]).assign(0);
        }
    }
}

fn center<T: Float>(a: &DArray<T>) -> DArray<T> {
    a.slice(s![1..-1, 1..-1])
}

fn east<T: Float>(a: &DArray<T>) -> DArray<T> {
    a.slice(s![1..-1, 2..])
}

fn west<T: Float>(a: &DArray<T>) -> DArray<T> {
    a.slice(s![1..-1, ..-2])
}

fn north<T: Float>(a: &DArray<T>) -> DArray<T> {
    a.slice(s![2.., 1..-1])
}

fn south<T: Float>(a: &DArray<T>) -> DArray<T> {
    a.slice(s![..-2, 1..-1])
}

#[allow(dead_code)]
fn main() {
    let cavity = Cavity::<f64>::new(15);
    (0..1000).for_each(|_| cavity.step(SWEEPS));
    let (middle, left) = (cavity.u.slice(s![.., 8]), cavity.v.slice(s![8, ..8]));
    println!("velocities {:.4} to {:.4}", middle.min(..).item(), middle.get([15]));

    // The lid takes the water along, which comes back below and rises on the left.
    assert!(middle.get([15]) > 0.1 && middle.min(..).item() < -0.01);
    assert!(left.max(..).item() > 0.01 && cavity.u.max(..).item() == 1.0);
}

//! Flow through a channel that a force drives: what leaves on the right comes in on the left (NPBench's `channel_flow`).

use darray::{DArray, Float, Ix, default_rng, s};

const DENSITY: f64 = 1.0;
const VISCOSITY: f64 = 0.1;

/// What drives the water along the channel.
const FORCE: f64 = 1.0;

/// Sweeps over the pressure in a step.
pub const SWEEPS: usize = 50;

/// Velocities and pressure on a grid; the first and the last row are walls.
pub struct Channel<T: Float> {
    /// Velocity along the channel.
    pub u: DArray<T>,
    /// Velocity across.
    pub v: DArray<T>,
    /// Pressure.
    pub p: DArray<T>,
    /// How much faster the water became in the last step, as a part of its speed: a 0-d array.
    pub change: DArray<T>,
    /// The distance of grid points along the channel and across, and the time of a step.
    sizes: [f64; 3],
}

/// Columns with those to the west and to the east of them: the inner ones, the last and the first.
fn columns() -> [[Ix; 3]; 3] {
    let at = |west: isize, column: isize, east: isize| [west, column, east].map(Ix::from);
    let inner = Ix::Range { start: Some(1), end: Some(-1), step: 1 };
    [[Ix::from(..-2), inner, Ix::from(2..)], at(-2, -1, 0), at(-1, 0, 1)]
}

impl<T: Float> Channel<T> {
    /// At rest, with `n` by `n` points within the borders.
    pub fn new(n: usize) -> Channel<T> {
        let side = n + 2;
        let zeros = || DArray::zeros((side, side));
        let (distance, points) = (2.0 / (side - 1) as f64, (side - 1) as f64);
        let sizes = [distance, distance, 0.1 / (points * points)];
        let p = DArray::ones((side, side));
        Channel { u: zeros(), v: zeros(), p, change: DArray::ones(()), sizes }
    }

    /// In slow motion.
    pub fn stirred(n: usize) -> Channel<T> {
        let mut random = default_rng(2);
        let mut draw = || (random.random((n + 2, n + 2)) * 1e-3).cast();
        Channel { u: draw(), v: draw(), p: draw(), ..Channel::new(n) }
    }

    /// One step, with so many sweeps over the pressure.
    pub fn step(&mut self, sweeps: usize) {
        let Channel { u, v, p, sizes: [dx, dy, dt], .. } = &*self;
        let (dx, dy, dt, rho, nu) = (*dx, *dy, *dt, DENSITY, VISCOSITY);
        let k = T::from;
        let (un, vn) = (u.copy(), v.copy());
        let b = self.sources();
        self.relax(&b, sweeps);
        for [w, c, e] in columns() {
            let (center, west, east) = (row(c), row(w), row(e));
            let (south, north) = (below(c), above(c));
            center(u).assign(
                center(&un)
                    - center(&un) * k(dt / dx) * (center(&un) - west(&un))
                    - center(&vn) * k(dt / dy) * (center(&un) - south(&un))
                    - k(dt / (2.0 * rho * dx)) * (east(p) - west(p))
                    + k(nu)
                        * (k(dt / (dx * dx)) * (east(&un) - 2 * center(&un) + west(&un))
                            + k(dt / (dy * dy)) * (north(&un) - 2 * center(&un) + south(&un)))
                    + k(FORCE * dt),
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
        }
        for wall in [0, -1] {
            u.at(wall).assign(0);
            v.at(wall).assign(0);
        }
        self.change = (u.sum(..) - un.sum(..)) / u.sum(..);
    }

    /// The right side of the equation for the pressure.
    fn sources(&self) -> DArray<T> {
        let Channel { u, v, sizes: [dx, dy, dt], .. } = self;
        let k = T::from;
        let (dx2, dy2) = (k(2.0 * dx), k(2.0 * dy));
        let b = DArray::zeros(u.shape());
        for [w, c, e] in columns() {
            let (west, east, south, north) = (row(w), row(e), below(c), above(c));
            row(c)(&b).assign(
                k(DENSITY)
                    * (k(1.0 / dt) * ((east(u) - west(u)) / dx2 + (north(v) - south(v)) / dy2)
                        - ((east(u) - west(u)) / dx2).square()
                        - 2 * ((north(u) - south(u)) / dy2 * (east(v) - west(v)) / dx2)
                        - ((north(v) - south(v)) / dy2).square()),
            );
        }
        b
    }

    /// Sweeps over the pressure, which does not change across the walls.
    fn relax(&self, b: &DArray<T>, sweeps: usize) {
        let Channel { p, sizes: [dx, dy, _], .. } = self;
        let (k, dx2, dy2) = (T::from, dx * dx, dy * dy);
        for _ in 0..sweeps {
            let pn = p.copy();
            for [w, c, e] in columns() {
                let (west, east, south, north) = (row(w), row(e), below(c), above(c));
                row(c)(p).assign(
                    ((east(&pn) + west(&pn)) * k(dy2) + (north(&pn) + south(&pn)) * k(dx2))
                        / k(2.0 * (dx2 + dy2))
                        - k(dx2 * dy2 / (2.0 * (dx2 + dy2))) * row(c)(b),
                );
            }
            p.at(-1).assign(p.at(-2));
            p.at(0).assign(p.at(1));
        }
    }
}

/// These columns within the walls.
fn row<T: Float>(columns: Ix) -> impl Fn(&DArray<T>) -> DArray<T> {
    move |a| a.slice(s![1..-1, columns])
}

/// The same one row further down.
fn below<T: Float>(columns: Ix) -> impl Fn(&DArray<T>) -> DArray<T> {
    move |a| a.slice(s![..-2, columns])
}

/// The same one row further up.
fn above<T: Float>(columns: Ix) -> impl Fn(&DArray<T>) -> DArray<T> {
    move |a| a.slice(s![2.., columns])
}

#[allow(dead_code)]
fn main() {
    let mut channel = Channel::<f64>::new(19);
    let mut steps = 0;
    while channel.change.abs().item() > 1e-3 {
        channel.step(SWEEPS);
        steps += 1;
    }
    let profile = channel.u.slice(s![.., 0]);
    println!("{steps} steps, velocity in the middle {:.4}", profile.get([10]));

    // The same along the channel, fastest in the middle, and at rest at the walls.
    assert!((&channel.u - profile.slice(s![.., None])).abs().max(..).item() < 1e-12);
    assert!((&profile - profile.flip(0)).abs().max(..).item() < 1e-12);
    assert!(profile.argmax(..).item() == 10 && profile.get([0]) == 0.0);
}

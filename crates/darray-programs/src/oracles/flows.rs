//! Flows of water, cell by cell.

use super::{Float, Plane, real, wides};

/// Where the water is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// In a cavity whose lid moves.
    Cavity,
    /// In a channel that is endless, with a force along it.
    Channel,
}

impl Flow {
    /// The columns that change, each between its neighbours.
    fn columns(self, side: usize) -> Vec<[usize; 3]> {
        let mut columns: Vec<_> = (1..side - 1).map(|x| [x - 1, x, x + 1]).collect();
        if self == Flow::Channel {
            columns.extend([[side - 2, side - 1, 0], [side - 1, 0, 1]]);
        }
        columns
    }
}

/// Velocities and pressure of a square of `side` points after so many sweeps in each of so many steps; of a channel also
/// by which part its speed changed last.
pub(crate) fn flow<T: Float>(
    arrays: [Vec<T>; 3],
    side: usize,
    flow: Flow,
    [sweeps, iterations]: [usize; 2],
) -> Vec<Vec<f64>> {
    let [mut u, mut v, mut p] = arrays.map(|cells| Plane { width: side, cells });
    let (columns, last) = (flow.columns(side), side - 1);
    let d = 2.0 / last as f64;
    let dt = 0.1 / (last * last) as f64;
    let (two, twice_d) = (real::<T>(2.0), real::<T>(2.0 * d));
    let mut change = real::<T>(1.0);
    for _ in 0..iterations {
        let (un, vn) = (u.clone(), v.clone());
        let mut b = Plane { width: side, cells: vec![T::zero(); side * side] };
        for y in 1..last {
            for &[w, x, e] in &columns {
                let slope = |high: T, low: T| (high - low) / twice_d;
                let (du, dv) = (slope(u[[y, e]], u[[y, w]]), slope(v[[y + 1, x]], v[[y - 1, x]]));
                let cross = slope(u[[y + 1, x]], u[[y - 1, x]]) * (v[[y, e]] - v[[y, w]]) / twice_d;
                b[[y, x]] = real::<T>(1.0 / dt) * (du + dv) - du * du - two * cross - dv * dv;
            }
        }
        for _ in 0..sweeps {
            relax(&mut p, &b, &columns, d);
            border(&mut p, flow);
        }
        for y in 1..last {
            for &[w, x, e] in &columns {
                let here = (un[[y, x]], vn[[y, x]]);
                let moved = |a: &Plane<T>, slope: T| {
                    let (c, [west, east]) = (a[[y, x]], [a[[y, w]], a[[y, e]]]);
                    let [south, north] = [a[[y - 1, x]], a[[y + 1, x]]];
                    let spread = real::<T>(dt / (d * d)) * (east - two * c + west)
                        + real::<T>(dt / (d * d)) * (north - two * c + south);
                    c - here.0 * real::<T>(dt / d) * (c - west)
                        - here.1 * real::<T>(dt / d) * (c - south)
                        - real::<T>(dt / (2.0 * d)) * slope
                        + real::<T>(0.1) * spread
                };
                u[[y, x]] = moved(&un, p[[y, e]] - p[[y, w]]);
                v[[y, x]] = moved(&vn, p[[y + 1, x]] - p[[y - 1, x]]);
                if flow == Flow::Channel {
                    u[[y, x]] = u[[y, x]] + real::<T>(dt);
                }
            }
        }
        for at in 0..side {
            let mut walls = vec![[0, at], [last, at]];
            if flow == Flow::Cavity {
                walls.extend([[at, 0], [at, last]]);
            }
            for wall in walls {
                u[wall] = T::zero();
                v[wall] = T::zero();
            }
        }
        if flow == Flow::Cavity {
            (0..side).for_each(|x| u[[last, x]] = T::one());
        }
        let total = |a: &Plane<T>| a.cells.iter().fold(T::zero(), |sum, &v| sum + v);
        change = (total(&u) - total(&un)) / total(&u);
    }
    let mut results = wides([&u.cells, &v.cells, &p.cells]);
    if flow == Flow::Channel {
        results.extend(wides([&[change]]));
    }
    results
}

/// One sweep over the pressure within the walls.
fn relax<T: Float>(p: &mut Plane<T>, b: &Plane<T>, columns: &[[usize; 3]], d: f64) {
    let (pn, d2) = (p.clone(), d * d);
    for y in 1..p.width - 1 {
        for &[w, x, e] in columns {
            let along = (pn[[y, e]] + pn[[y, w]]) * real::<T>(d2);
            let across = (pn[[y + 1, x]] + pn[[y - 1, x]]) * real::<T>(d2);
            let source = real::<T>(d2 * d2 / (2.0 * (d2 + d2))) * b[[y, x]];
            p[[y, x]] = (along + across) / real::<T>(2.0 * (d2 + d2)) - source;
        }
    }
}

/// The pressure at the walls.
fn border<T: Float>(p: &mut Plane<T>, flow: Flow) {
    let last = p.width - 1;
    for at in 0..=last {
        match flow {
            Flow::Cavity => p[[at, last]] = p[[at, last - 1]],
            Flow::Channel => p[[last, at]] = p[[last - 1, at]],
        }
    }
    (0..=last).for_each(|at| p[[0, at]] = p[[1, at]]);
    if flow == Flow::Cavity {
        (0..=last).for_each(|at| p[[at, 0]] = p[[at, 1]]);
        (0..=last).for_each(|at| p[[last, at]] = T::zero());
    }
}

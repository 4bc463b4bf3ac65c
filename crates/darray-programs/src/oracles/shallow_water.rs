//! Water over a hill, border by border of each cell.

use super::{Float, Plane, real, wides};

/// The height of the ground at the borders along rows and across, and in cells.
type Hill<T> = [Plane<T>; 3];

/// Level and momenta on both sides of a border, or what flows across it.
type Parts<T> = [T; 3];

/// Level and momenta of `n` by `n` cells and the two around them, after so many steps.
pub(crate) fn shallow_water<T: Float>(
    q: [Vec<T>; 3],
    [along, across, cells]: [Vec<T>; 3],
    n: usize,
    iterations: usize,
) -> Vec<Vec<f64>> {
    let plane = |width, cells| Plane { width, cells };
    let hill = [plane(n + 1, along), plane(n, across), plane(n, cells)];
    let mut q = q.map(|cells| plane(n + 4, cells));
    let inner = || (2..n + 2).flat_map(|y| (2..n + 2).map(move |x| [y, x]));
    let ground = |[y, x]: [usize; 2]| hill[2][[y - 2, x - 2]];
    for _ in 0..iterations {
        extend(&mut q, n);
        let (changes, speed) = changes(&q, &hill, n);
        let dt = real::<T>(0.2 * (1.0 / n as f64)) / most(speed, real(1e-6));
        let mut half = q.clone();
        for (at, change) in inner().zip(changes) {
            (0..3).for_each(|part| half[part][at] = half[part][at] + dt * change[part]);
            half[0][at] = most(half[0][at], ground(at));
        }
        extend(&mut half, n);
        for (at, change) in inner().zip(self::changes(&half, &hill, n).0) {
            for part in 0..3 {
                let both = q[part][at] + half[part][at];
                q[part][at] = real::<T>(0.5) * (both + dt * change[part]);
            }
            q[0][at] = most(q[0][at], ground(at));
        }
    }
    wides([&q[0].cells, &q[1].cells, &q[2].cells])
}

fn most<T: Float>(a: T, b: T) -> T {
    if a > b { a } else { b }
}

fn least<T: Float>(a: T, b: T) -> T {
    if a < b { a } else { b }
}

fn extend<T: Float>(q: &mut [Plane<T>; 3], n: usize) {
    for q in q {
        for y in 0..n + 4 {
            for x in 0..n + 4 {
                q[[y, x]] = q[[y.clamp(2, n + 1), x.clamp(2, n + 1)]];
            }
        }
    }
}

/// What a second changes in each inner cell, and the fastest wave.
fn changes<T: Float>(q: &[Plane<T>; 3], hill: &Hill<T>, n: usize) -> (Vec<Parts<T>>, T) {
    let mut fastest = T::zero();
    // The border before a cell along an axis, whose cells are counted from the second one around.
    let mut flux = |y: usize, x: usize, axis: usize| {
        let at = |offset: isize| match axis {
            0 => [y, x.wrapping_add_signed(offset)],
            _ => [y.wrapping_add_signed(offset), x],
        };
        let [low, high] = [(-1, 1), (0, -1)].map(|(cell, sign)| {
            [0, 1, 2].map(|part| {
                let [before, here, after] = [cell - 1, cell, cell + 1].map(|o| q[part][at(o)]);
                let slope = limited(here - before, after - here);
                if sign > 0 { here + slope } else { here - slope }
            })
        });
        let (flow, speed) = border_flux(low, high, hill[axis][[y - 2, x - 2]], axis);
        fastest = most(fastest, speed);
        flow
    };
    let mut changes = Vec::new();
    let dx = real::<T>(1.0 / n as f64);
    let g = real::<T>(9.81);
    for y in 2..n + 2 {
        for x in 2..n + 2 {
            let [west, east] = [flux(y, x, 0), flux(y, x + 1, 0)];
            let [south, north] = [flux(y, x, 1), flux(y + 1, x, 1)];
            let mut change = [0, 1, 2]
                .map(|part| (west[part] - east[part]) / dx + (south[part] - north[part]) / dx);
            let (row, column) = (y - 2, x - 2);
            let weight = g * (q[0][[y, x]] - hill[2][[row, column]]);
            let rise = hill[0][[row, column + 1]] - hill[0][[row, column]];
            change[1] = change[1] - weight * rise / dx;
            let rise = hill[1][[row + 1, column]] - hill[1][[row, column]];
            change[2] = change[2] - weight * rise / dx;
            changes.push(change);
        }
    }
    (changes, fastest)
}

fn limited<T: Float>(back: T, forward: T) -> T {
    let ratio = if forward == T::zero() { T::zero() } else { back / forward };
    let (theta, two) = (real::<T>(1.3), real::<T>(2.0));
    let slope = least(least(theta * ratio, (T::one() + ratio) / two), theta);
    most(slope, T::zero()) * forward / two
}

/// What flows across a border on ground of the height `b`, and the faster wave.
fn border_flux<T: Float>(low: Parts<T>, high: Parts<T>, b: T, axis: usize) -> (Parts<T>, T) {
    let g = real::<T>(9.81);
    let side = |[w, hu, hv]: Parts<T>| {
        let h = most(w - b, T::zero());
        let h4 = h * h * (h * h);
        let factor = real::<T>(2f64.sqrt()) * h / (h4 + most(h4, real(1e-12))).sqrt();
        let is_dry = h < real(1e-4);
        let [u, v] = [hu, hv].map(|m| if is_dry { T::zero() } else { m * factor });
        let q = [h + b, h * u, h * v];
        let speed = [u, v][axis];
        let mut flow = [q[1 + axis], q[1] * speed, q[2] * speed];
        flow[1 + axis] = flow[1 + axis] + real::<T>(0.5 * 9.81) * h * h;
        (q, flow, speed, (g * h).sqrt())
    };
    let (qm, fm, um, cm) = side(low);
    let (qp, fp, up, cp) = side(high);
    let fast = most(most(um + cm, up + cp), T::zero());
    let slow = least(least(um - cm, up - cp), T::zero());
    let width = fast - slow;
    let flow = [0, 1, 2].map(|part| match width < real(1e-12) {
        true => T::zero(),
        false => {
            let flow = fast * fm[part] - slow * fp[part] + fast * slow * (qp[part] - qm[part]);
            flow / width
        }
    });
    (flow, most(fast, -slow))
}

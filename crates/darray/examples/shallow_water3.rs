//! Water over a hill that it leaves dry, by the scheme of `shallow_water`, with an array each for the level and both momenta.

use darray::{DArray, Float, s};

const GRAVITY: f64 = 9.81;

/// Less water than this does not move.
const DRY: f64 = 1e-4;

/// How steep slopes may be.
const THETA: f64 = 1.3;

/// The level and the momenta along rows and across.
pub type Water<T> = [DArray<T>; 3];

/// The state after a step. `hill` has its height at the borders of cells along rows and columns, and in cells.
pub fn step<T: Float>(q: &Water<T>, hill: &[DArray<T>; 3]) {
    let dx = 1.0 / hill[2].shape()[0] as f64;
    let inner = s![2..-2, 2..-2];
    q.iter().for_each(extend);
    let (change, speed) = changes(q, hill, dx);
    let dt = T::from(0.2 * dx) / speed.maximum(T::from(1e-6));
    let half = q.each_ref().map(|q| q.copy());
    for (half, change) in half.iter().zip(change) {
        half.slice(&inner).add_assign(&dt * change);
    }
    fill(&half[0], &hill[2]);
    half.iter().for_each(extend);
    let (change, _) = changes(&half, hill, dx);
    for ((q, half), change) in q.iter().zip(&half).zip(change) {
        q.slice(&inner)
            .assign(T::from(0.5) * (q.slice(&inner) + half.slice(&inner) + &dt * change));
    }
    fill(&q[0], &hill[2]);
}

/// No level is below the ground.
fn fill<T: Float>(level: &DArray<T>, cells: &DArray<T>) {
    let level = level.slice(s![2..-2, 2..-2]);
    level.assign(level.maximum(cells));
}

/// The cells around repeat the outermost ones.
fn extend<T: Float>(q: &DArray<T>) {
    q.slice(s![.., ..2]).assign(q.slice(s![.., 2..3]));
    q.slice(s![.., -2..]).assign(q.slice(s![.., -3..-2]));
    q.slice(s![..2]).assign(q.slice(s![2..3]));
    q.slice(s![-2..]).assign(q.slice(s![-3..-2]));
}

/// What a second changes, and the speed of the fastest wave.
fn changes<T: Float>(
    q: &Water<T>,
    [along, across, cells]: &[DArray<T>; 3],
    dx: f64,
) -> (Water<T>, DArray<T>) {
    let dx = T::from(dx);
    let (x, speed_x) = flux(q.each_ref().map(left_and_right), along, 1);
    let (y, speed_y) = flux(q.each_ref().map(below_and_above), across, 2);
    let [level, mut u, mut v] = [0, 1, 2].map(|part| {
        let (x, y) = (&x[part], &y[part]);
        (x.slice(s![.., ..-1]) - x.slice(s![.., 1..])) / dx
            + (y.slice(s![..-1]) - y.slice(s![1..])) / dx
    });
    let weight = T::from(GRAVITY) * (q[0].slice(s![2..-2, 2..-2]) - cells);
    u -= &weight * (along.slice(s![.., 1..]) - along.slice(s![.., ..-1])) / dx;
    v -= &weight * (across.slice(s![1..]) - across.slice(s![..-1])) / dx;
    ([level, u, v], speed_x.maximum(speed_y))
}

/// The values on both sides of the borders along rows.
fn left_and_right<T: Float>(q: &DArray<T>) -> [DArray<T>; 2] {
    let c = q.slice(s![2..-2, 1..-1]);
    let slope = limited(&c - q.slice(s![2..-2, ..-2]), q.slice(s![2..-2, 2..]) - &c);
    let left = c.slice(s![.., ..-1]) + slope.slice(s![.., ..-1]);
    [left, c.slice(s![.., 1..]) - slope.slice(s![.., 1..])]
}

/// The values on both sides of the borders along columns.
fn below_and_above<T: Float>(q: &DArray<T>) -> [DArray<T>; 2] {
    let c = q.slice(s![1..-1, 2..-2]);
    let slope = limited(&c - q.slice(s![..-2, 2..-2]), q.slice(s![2.., 2..-2]) - &c);
    let below = c.slice(s![..-1]) + slope.slice(s![..-1]);
    [below, c.slice(s![1..]) - slope.slice(s![1..])]
}

/// Half of the difference across a cell: the least of three, or none where both have other signs.
fn limited<T: Float>(back: DArray<T>, forward: DArray<T>) -> DArray<T> {
    let theta = T::from(THETA);
    let ratio = forward.eq(0).select(T::zero(), &back / &forward);
    let least = (theta * &ratio).minimum((1 + &ratio) / 2).minimum(theta);
    least.maximum(0) * forward / 2
}

/// What flows across borders at the height `b`, by the momentum of number `normal`, and the fastest wave.
fn flux<T: Float>(q: [[DArray<T>; 2]; 3], b: &DArray<T>, normal: usize) -> (Water<T>, DArray<T>) {
    let k = T::from;
    let side = |w: DArray<T>, hu: DArray<T>, hv: DArray<T>| {
        let h = (w - b).maximum(0);
        let h4 = h.square().square();
        let factor = k(2f64.sqrt()) * &h / (&h4 + h4.maximum(k(1e-12))).sqrt();
        let dry = h.lt(k(DRY));
        let [u, v] = [hu, hv].map(|momentum| dry.select(T::zero(), momentum * &factor));
        let q = [&h + b, &h * &u, &h * &v];
        let speed = if normal == 1 { u } else { v };
        let mut flow = [q[normal].alias(), &q[1] * &speed, &q[2] * &speed];
        flow[normal] += k(0.5 * GRAVITY) * &h * &h;
        (q, flow, speed, (k(GRAVITY) * h).sqrt())
    };
    let [[wm, wp], [hum, hup], [hvm, hvp]] = q;
    let (qm, fm, um, cm) = side(wm, hum, hvm);
    let (qp, fp, up, cp) = side(wp, hup, hvp);
    let fast = (&um + &cm).maximum(&up + &cp).maximum(0);
    let slow = (um - cm).minimum(up - cp).minimum(0);
    let width = &fast - &slow;
    let still = width.lt(k(1e-12));
    let flow = [0, 1, 2].map(|part| {
        let flow = &fast * &fm[part] - &slow * &fp[part] + &fast * &slow * (&qp[part] - &qm[part]);
        still.select(T::zero(), flow / &width)
    });
    (flow, fast.maximum(-slow).max(..))
}

#[allow(dead_code)]
fn main() {
    // A lake with flat ground is at rest, and a drop in its middle spreads evenly.
    let n = 31;
    let ground = [(n, n + 1), (n + 1, n), (n, n)].map(|shape| DArray::<f64>::zeros(shape));
    let water = [1.0, 0.0, 0.0].map(|value| DArray::full((n + 4, n + 4), value));
    (0..3).for_each(|_| step(&water, &ground));
    assert!((&water[0] - 1.0).abs().max(..).item() < 1e-15);

    water[0].set([17, 17], 2.0);
    (0..12).for_each(|_| step(&water, &ground));
    let level = water[0].slice(s![2..-2, 2..-2]);
    println!("levels {:.4} to {:.4}", level.min(..).item(), level.max(..).item());
    assert!((&level - level.t()).abs().max(..).item() < 1e-12);
    assert!((&level - level.flip(0)).abs().max(..).item() < 1e-12);
    assert!((level.mean(..).item() - 1.0 - 1.0 / (n * n) as f64).abs() < 1e-12);
}

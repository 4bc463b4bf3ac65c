//! Water over a hill that it leaves dry: the shallow water equations by a second-order central-upwind scheme (Kurganov and
//! Petrova, 2007) with limited slopes, in two stages a step. One array has the level and both momenta.

use darray::{DArray, Float, s};

const GRAVITY: f64 = 9.81;

/// Less water than this does not move.
const DRY: f64 = 1e-4;

/// How steep slopes may be.
const THETA: f64 = 1.3;

/// The hill in a square of `n` by `n` cells: its height at the borders of cells along rows and columns, and in cells.
pub fn hill<T: Float>(n: usize) -> [DArray<T>; 3] {
    let borders = DArray::<f64>::arange(n + 1) / n;
    let middles = (DArray::<f64>::arange(n) + 0.5) / n;
    let height = |x: &DArray, y: &DArray| {
        let distance = (x - 0.5).square() + (y - 0.6).square();
        0.9 * (-40.0 * distance).exp()
    };
    let along = height(&borders, &middles.slice(s![.., None]));
    let across = height(&middles, &borders.slice(s![.., None]));
    let cells = (along.slice(s![.., 1..]) + along.slice(s![.., ..-1])) / 2;
    [along, across, cells].map(|heights| heights.cast())
}

/// Water at rest, higher on the left: level and momenta, `[3, n + 4, n + 4]` with two cells around that repeat the outermost.
pub fn dam<T: Float>(n: usize) -> DArray<T> {
    let [.., cells] = hill::<f64>(n);
    let x = (DArray::<f64>::arange(n) + 0.5) / n;
    let level = x.lt(0.3).select(1.0, 0.5).maximum(cells);
    let q = DArray::zeros((3, n + 4, n + 4));
    q.slice(s![0, 2..-2, 2..-2]).assign(level.cast::<T>());
    q
}

/// The state after a step whose length follows from how fast waves are.
pub fn step<T: Float>(q: &DArray<T>, hill: &[DArray<T>; 3]) {
    let dx = 1.0 / hill[2].shape()[0] as f64;
    let inner = s![.., 2..-2, 2..-2];
    extend(q);
    let (change, speed) = changes(q, hill, dx);
    let dt = T::from(0.2 * dx) / speed.maximum(T::from(1e-6));
    let half = q.copy();
    half.slice(&inner).add_assign(&dt * change);
    fill(&half, hill);
    extend(&half);
    let (change, _) = changes(&half, hill, dx);
    q.slice(&inner).assign(T::from(0.5) * (q.slice(&inner) + half.slice(&inner) + &dt * change));
    fill(q, hill);
}

/// No level is below the ground.
fn fill<T: Float>(q: &DArray<T>, [.., cells]: &[DArray<T>; 3]) {
    let level = q.slice(s![0, 2..-2, 2..-2]);
    level.assign(level.maximum(cells));
}

/// The cells around repeat the outermost ones.
fn extend<T: Float>(q: &DArray<T>) {
    q.slice(s![.., .., ..2]).assign(q.slice(s![.., .., 2..3]));
    q.slice(s![.., .., -2..]).assign(q.slice(s![.., .., -3..-2]));
    q.slice(s![.., ..2]).assign(q.slice(s![.., 2..3]));
    q.slice(s![.., -2..]).assign(q.slice(s![.., -3..-2]));
}

/// What a second changes, and the speed of the fastest wave.
fn changes<T: Float>(
    q: &DArray<T>,
    [along, across, cells]: &[DArray<T>; 3],
    dx: f64,
) -> (DArray<T>, DArray<T>) {
    let dx = T::from(dx);
    let c = q.slice(s![.., 2..-2, 1..-1]);
    let slope = limited(&c - q.slice(s![.., 2..-2, ..-2]), q.slice(s![.., 2..-2, 2..]) - &c);
    let left = c.slice(s![.., .., ..-1]) + slope.slice(s![.., .., ..-1]);
    let right = c.slice(s![.., .., 1..]) - slope.slice(s![.., .., 1..]);
    let (x, speed_x) = flux(left, right, along, 1);
    let c = q.slice(s![.., 1..-1, 2..-2]);
    let slope = limited(&c - q.slice(s![.., ..-2, 2..-2]), q.slice(s![.., 2.., 2..-2]) - &c);
    let below = c.slice(s![.., ..-1]) + slope.slice(s![.., ..-1]);
    let above = c.slice(s![.., 1..]) - slope.slice(s![.., 1..]);
    let (y, speed_y) = flux(below, above, across, 2);
    let change = (x.slice(s![.., .., ..-1]) - x.slice(s![.., .., 1..])) / dx
        + (y.slice(s![.., ..-1]) - y.slice(s![.., 1..])) / dx;
    let weight = T::from(GRAVITY) * (q.slice(s![0, 2..-2, 2..-2]) - cells);
    let push = &weight * (along.slice(s![.., 1..]) - along.slice(s![.., ..-1])) / dx;
    change.slice(s![1]).sub_assign(push);
    let push = &weight * (across.slice(s![1..]) - across.slice(s![..-1])) / dx;
    change.slice(s![2]).sub_assign(push);
    (change, speed_x.maximum(speed_y))
}

/// Half of the difference across a cell: the least of three, or none where both have other signs.
fn limited<T: Float>(back: DArray<T>, forward: DArray<T>) -> DArray<T> {
    let theta = T::from(THETA);
    let ratio = forward.eq(0).select(T::zero(), &back / &forward);
    let least = (theta * &ratio).minimum((1 + &ratio) / 2).minimum(theta);
    least.maximum(0) * forward / 2
}

/// What flows from `low` to `high` across borders at the height `b`, by the momentum of number `normal`, and the fastest wave.
fn flux<T: Float>(
    low: DArray<T>,
    high: DArray<T>,
    b: &DArray<T>,
    normal: usize,
) -> (DArray<T>, DArray<T>) {
    let k = T::from;
    let side = |q: DArray<T>| {
        let h = (q.at(0) - b).maximum(0);
        let h4 = h.square().square();
        let velocity =
            q.slice(s![1..]) * (k(2f64.sqrt()) * &h / (&h4 + h4.maximum(k(1e-12))).sqrt());
        let velocity = h.lt(k(DRY)).select(T::zero(), velocity);
        q.at(0).assign(&h + b);
        q.slice(s![1..]).assign(&h * &velocity);
        let u = velocity.at(normal - 1);
        let flow = &q * &u;
        flow.at(0).assign(q.at(normal));
        flow.at(normal).add_assign(k(0.5 * GRAVITY) * &h * &h);
        (q, flow, u, (k(GRAVITY) * h).sqrt())
    };
    let (qm, fm, um, cm) = side(low);
    let (qp, fp, up, cp) = side(high);
    let fast = (&um + &cm).maximum(&up + &cp).maximum(0);
    let slow = (um - cm).minimum(up - cp).minimum(0);
    let width = &fast - &slow;
    let flow = (&fast * fm - &slow * fp + &fast * &slow * (qp - qm)) / &width;
    let still = width.lt(k(1e-12));
    (still.select(T::zero(), flow), fast.maximum(-slow).max(..))
}

#[allow(dead_code)]
fn main() {
    let n = 40;
    let (q, hill) = (dam::<f64>(n), hill(n));
    let water = || (q.slice(s![0, 2..-2, 2..-2]) - &hill[2]).sum(..).item() / (n * n) as f64;
    let before = water();
    (0..60).for_each(|_| step(&q, &hill));
    let after = water();
    let top = q.slice(s![0, 2..-2, 2..-2]).max(..).item();
    println!("water {before:.6} before, {after:.6} after, highest level {top:.4}");

    // Water flows to the right; none has left yet, and none comes from nothing, but for what the hill's foot rounds.
    assert!((after - before).abs() < 1e-3 * before && top <= 1.0 + 1e-9);
    assert!(q.slice(s![1]).max(..).item() > 0.1);
}

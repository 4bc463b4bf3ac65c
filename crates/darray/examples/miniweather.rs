//! A warm bubble that rises in the air: the compressible equations of miniWeather (Norman, 2020) in one array of four fields,
//! by fluxes of fourth order with some damping, in three stages along each axis.

use darray::{DArray, Float, s};

/// The constant of the equation of state, and its power.
const C0: f64 = 27.56294109297259;
const GAMMA: f64 = 1.400278940027894;
const GRAVITY: f64 = 9.8;

/// Pressure and potential temperature at the ground.
const P0: f64 = 1e5;
const T0: f64 = 300.0;

/// The gas constant and the heat capacity of air.
const RD: f64 = 287.0;
const CP: f64 = 1004.0;

/// Width and height of the region, and the speed of the fastest wave.
const WIDTH: f64 = 2e4;
const HEIGHT: f64 = 1e4;
const SPEED: f64 = 450.0;

/// How much of what no wave resolves is damped.
const DAMPING: f64 = 0.05;

/// The air at rest as it is at some heights, one a row: columns of one element each.
pub struct Rest<T: Float> {
    /// Density.
    pub density: DArray<T>,
    /// Density times potential temperature.
    pub heat: DArray<T>,
    /// Pressure.
    pub pressure: DArray<T>,
}

impl<T: Float> Rest<T> {
    fn at(z: DArray<f64>) -> Rest<T> {
        let pressure = P0 * (1.0 - GRAVITY / (CP * T0) * z).pow(CP / RD);
        let heat = (pressure / C0).pow(1.0 / GAMMA);
        let pressure = C0 * heat.pow(GAMMA);
        let density = &heat / T0;
        let column = |a: DArray<f64>| a.slice(s![.., None]).cast();
        Rest { density: column(density), heat: column(heat), pressure: column(pressure) }
    }
}

/// Air in a region that is twice as wide as high, and goes around.
pub struct Air<T: Float> {
    /// What density, momenta along and upward, and heat are more than at rest; two cells more on each side.
    pub state: DArray<T>,
    /// At rest, at the heights of the rows.
    pub rows: Rest<T>,
    /// At rest, at the heights between the rows.
    pub between: Rest<T>,
    /// The extents of a cell and the time of a step.
    sizes: [f64; 3],
    /// Whether the next step begins with the horizontal axis.
    horizontal: bool,
}

impl<T: Float> Air<T> {
    /// A warm bubble in `n` rows of `2 n` cells.
    pub fn new(n: usize) -> Air<T> {
        let (dx, dz) = (WIDTH / (2 * n) as f64, HEIGHT / n as f64);
        let (x, z) = (DArray::<f64>::arange(2 * n) + 0.5, DArray::<f64>::arange(n) + 0.5);
        let rows = Rest::at((DArray::<f64>::arange(n + 4) - 1.5) * dz);
        let between = Rest::at(DArray::<f64>::arange(n + 1) * dz);
        let distance =
            ((dx * x - 1e4) / 5e3).square() + ((dz * z.slice(s![.., None]) - 3e3) / 2e3).square();
        let bubble = (3.0 * (-distance).exp()).cast::<T>();
        let state = DArray::zeros((4, n + 4, 2 * n + 4));
        state.slice(s![3, 2..-2, 2..-2]).assign(bubble * rows.density.slice(s![2..-2]));
        let sizes = [dx, dz, 0.3 * dx.min(dz) / SPEED];
        Air { state, rows, between, sizes, horizontal: true }
    }

    /// One step along both axes, in turns.
    pub fn step(&mut self) {
        let dt = self.sizes[2];
        for horizontal in [self.horizontal, !self.horizontal] {
            let first = self.stage(&self.state, &self.state, dt / 3.0, horizontal);
            let second = self.stage(&self.state, &first, dt / 2.0, horizontal);
            self.state = self.stage(&self.state, &second, dt, horizontal);
        }
        self.horizontal = !self.horizontal;
    }

    /// `from`, and what the state `now` changes in a time.
    fn stage(&self, from: &DArray<T>, now: &DArray<T>, dt: f64, horizontal: bool) -> DArray<T> {
        let change = if horizontal { self.along(now, dt) } else { self.upward(now, dt) };
        let next = DArray::zeros(from.shape());
        let inner = s![.., 2..-2, 2..-2];
        next.slice(&inner).assign(from.slice(&inner) + T::from(dt) * change);
        next
    }

    /// What flows along changes.
    fn along(&self, s: &DArray<T>, dt: f64) -> DArray<T> {
        let (k, dx) = (T::from, self.sizes[0]);
        s.slice(s![.., .., ..2]).assign(s.slice(s![.., .., -4..-2]));
        s.slice(s![.., .., -2..]).assign(s.slice(s![.., .., 2..4]));
        let damping = k(-DAMPING * dx / (16.0 * dt));
        let (values, third) = borders([
            s.slice(s![.., 2..-2, ..-3]),
            s.slice(s![.., 2..-2, 1..-2]),
            s.slice(s![.., 2..-2, 2..-1]),
            s.slice(s![.., 2..-2, 3..]),
        ]);
        let r = values.at(0) + self.rows.density.slice(s![2..-2]);
        let u = values.at(1) / &r;
        let w = values.at(2) / &r;
        let t = (values.at(3) + self.rows.heat.slice(s![2..-2])) / &r;
        let p = k(C0) * (&r * &t).pow(k(GAMMA));
        let flux = DArray::<T>::zeros(values.shape());
        flux.at(0).assign(&r * &u - damping * third.at(0));
        flux.at(1).assign(&r * &u * &u + p - damping * third.at(1));
        flux.at(2).assign(&r * &u * w - damping * third.at(2));
        flux.at(3).assign(r * u * t - damping * third.at(3));
        -(flux.slice(s![.., .., 1..]) - flux.slice(s![.., .., ..-1])) / k(dx)
    }

    /// What flows upward changes, and the weight.
    fn upward(&self, s: &DArray<T>, dt: f64) -> DArray<T> {
        let (k, dz) = (T::from, self.sizes[1]);
        let density = &self.rows.density;
        s.slice(s![.., ..2]).assign(s.slice(s![.., 2..3]));
        s.slice(s![.., -2..]).assign(s.slice(s![.., -3..-2]));
        s.slice(s![2, ..2]).assign(0);
        s.slice(s![2, -2..]).assign(0);
        let [low, high] =
            [s![2..3], s![-3..-2]].map(|row| s.at(1).slice(&row) / density.slice(&row));
        s.slice(s![1, ..2]).assign(low * density.slice(s![..2]));
        s.slice(s![1, -2..]).assign(high * density.slice(s![-2..]));
        let damping = k(-DAMPING * dz / (16.0 * dt));
        let (values, third) = borders([
            s.slice(s![.., ..-3, 2..-2]),
            s.slice(s![.., 1..-2, 2..-2]),
            s.slice(s![.., 2..-1, 2..-2]),
            s.slice(s![.., 3.., 2..-2]),
        ]);
        let r = values.at(0) + &self.between.density;
        let u = values.at(1) / &r;
        let w = values.at(2) / &r;
        let t = (values.at(3) + &self.between.heat) / &r;
        let p = k(C0) * (&r * &t).pow(k(GAMMA)) - &self.between.pressure;
        for ground in [0, -1] {
            w.at(ground).assign(0);
            third.slice(s![0, ground]).assign(0);
        }
        let flux = DArray::<T>::zeros(values.shape());
        flux.at(0).assign(&r * &w - damping * third.at(0));
        flux.at(1).assign(&r * &w * u - damping * third.at(1));
        flux.at(2).assign(&r * &w * &w + p - damping * third.at(2));
        flux.at(3).assign(r * w * t - damping * third.at(3));
        let change = -(flux.slice(s![.., 1..]) - flux.slice(s![.., ..-1])) / k(dz);
        change.at(2).sub_assign(k(GRAVITY) * s.slice(s![0, 2..-2, 2..-2]));
        change
    }
}

/// Values at the borders between the two cells in the middle of four, and third differences.
fn borders<T: Float>([a, b, c, d]: [DArray<T>; 4]) -> (DArray<T>, DArray<T>) {
    let third = -&a + 3 * &b - 3 * &c + &d;
    (-a / 12 + 7 * b / 12 + 7 * c / 12 - d / 12, third)
}

#[allow(dead_code)]
fn main() {
    let mut air = Air::<f64>::new(20);
    (0..200).for_each(|_| air.step());
    let [density, upward] = [0, 2].map(|field| air.state.slice(s![field, 2..-2, 2..-2]));
    let (mass, fastest) = (density.sum(..).item(), upward.argmax(..).item());
    println!("air gained {mass:.1e}, upward momentum {:.4}", upward.max(..).item());

    // Warm air goes up in the middle, where it becomes lighter, and no air is lost.
    assert!(mass.abs() < 1e-9 && upward.max(..).item() > 0.1);
    assert!((10..30).contains(&(fastest % 40)) && density.get([5, 20]) < 0.0);
}

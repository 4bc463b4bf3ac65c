//! Prices of European options: a chain of element-wise operations.

use darray::{DArray, Float, default_rng};

/// Riskless rate.
pub const RATE: f64 = 0.02;

/// Volatility of the underlying.
pub const VOLATILITY: f64 = 0.3;

/// The cumulative normal distribution (Abramowitz and Stegun, 26.2.17).
pub fn normal<T: Float>(d: &DArray<T>) -> DArray<T> {
    let c = T::from;
    let k = 1 / (1 + c(0.2316419) * d.abs());
    let series = c(1.781477937) + &k * (c(-1.821255978) + &k * c(1.330274429));
    let series = &k * (c(0.31938153) + &k * (c(-0.356563782) + &k * series));
    let tail = c(0.3989422804) * (c(-0.5) * d * d).exp() * series;
    d.gt(0).select(1 - &tail, &tail)
}

/// Call and put prices for spot prices `s`, strikes `x` and years to expiry `t`.
pub fn black_scholes<T: Float>(
    s: &DArray<T>,
    x: &DArray<T>,
    t: &DArray<T>,
    rate: f64,
    volatility: f64,
) -> (DArray<T>, DArray<T>) {
    let c = T::from;
    let deviation = c(volatility) * t.sqrt();
    let drift = c(rate + 0.5 * volatility * volatility) * t;
    let d1 = ((s / x).ln() + drift) / &deviation;
    let d2 = &d1 - &deviation;
    let (n1, n2) = (normal(&d1), normal(&d2));
    let discounted = x * (c(-rate) * t).exp();
    (s * &n1 - &discounted * &n2, &discounted * (1 - &n2) - s * (1 - &n1))
}

/// `n` random options: spot prices, strikes, years to expiry.
pub fn options<T: Float>(n: usize) -> (DArray<T>, DArray<T>, DArray<T>) {
    let mut random = default_rng(42);
    let s = random.random(n) * 25.0 + 5.0;
    let x = random.random(n) * 99.0 + 1.0;
    let t = random.random(n) * 9.75 + 0.25;
    (s.cast(), x.cast(), t.cast())
}

#[allow(dead_code)]
fn main() {
    let (s, x, t) = options::<f64>(100_000);
    let (call, put) = black_scholes(&s, &x, &t, RATE, VOLATILITY);
    println!("sum of calls {:.4}, sum of puts {:.4}", call.sum(..).item(), put.sum(..).item());

    // Put-call parity: call - put = s - x exp(-rt).
    let parity = (call - put) - (&s - x * (-RATE * &t).exp());
    assert!(parity.abs().max(..).item() < 1e-9);
}

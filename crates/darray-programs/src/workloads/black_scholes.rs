//! European options, priced anew in every iteration.

use super::sum;
use crate::examples::black_scholes::{RATE, VOLATILITY, black_scholes, normal, options};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result};

/// The options: spot prices, strikes, years to expiry.
pub(crate) struct Options<T: Float> {
    s: DArray<T>,
    x: DArray<T>,
    t: DArray<T>,
}

impl<T: Float> Options<T> {
    pub(crate) fn new(n: usize) -> Options<T> {
        let (s, x, t) = options(n);
        Options { s, x, t }
    }

    /// The same formulas, each with its terms the other way round and the put before the call.
    fn reordered(&self) -> (DArray<T>, DArray<T>) {
        let Options { s, x, t } = self;
        let discounted = (T::from(-RATE) * t).exp() * x;
        let deviation = t.sqrt() * T::from(VOLATILITY);
        let drift = t * T::from(RATE + 0.5 * VOLATILITY * VOLATILITY);
        let d1 = (drift + (s / x).ln()) / &deviation;
        let d2 = &d1 - &deviation;
        let (n2, n1) = (normal(&d2), normal(&d1));
        let put = (1 - &n2) * &discounted - (1 - &n1) * s;
        (&n1 * s - &n2 * &discounted, put)
    }
}

impl<T: Float> Workload for Options<T> {
    const LOOPS: bool = false;
    type State = Option<(DArray<T>, DArray<T>)>;

    fn prepare(&self) -> Self::State {
        None
    }

    fn iterate(&self, prices: &mut Self::State, variant: Variant) {
        let priced = |rate, volatility| black_scholes(&self.s, &self.x, &self.t, rate, volatility);
        *prices = Some(match variant {
            Variant::Original => priced(RATE, VOLATILITY),
            Variant::Reordered => self.reordered(),
            Variant::OneMore => {
                let (call, put) = priced(RATE, VOLATILITY);
                (call + 1, put)
            }
            Variant::Constants => priced(0.05, 0.2),
        });
    }

    fn checksum(&self, prices: &Self::State) -> Result<Vec<f64>> {
        prices.iter().flat_map(|(call, put)| [sum(call), sum(put)]).collect()
    }

    fn oracle(&self, _: usize) -> Vec<f64> {
        let [s, x, t] = [&self.s, &self.x, &self.t].map(|input| input.to_vec());
        oracles::black_scholes(&s, &x, &t, [RATE, VOLATILITY])
    }
}

//! Programs that are a function from state to state, by what they are about. They have no variants.

mod flows;
mod grids;
mod networks;
mod pixels;
mod solvers;

pub(crate) use flows::{cavity_flow, channel_flow, miniweather, shallow_water, shallow_water3};
pub(crate) use grids::{fdtd2d, hdiff};
pub(crate) use networks::{adam, attention, layernorm, mlp, softmax};
pub(crate) use pixels::{fft_butterflies, filter5x5, game_of_life};
pub(crate) use solvers::{bicgstab, cgs, multigrid};

use crate::workload::{Variant, Workload};
use darray::{DArray, Element, Fallible, Result};

/// A start, a step, the results among the state, and the results after so many steps by plain loops.
pub(crate) struct Steps<S> {
    start: Box<dyn Fn() -> S>,
    step: Box<dyn Fn(&mut S)>,
    results: fn(&S) -> Vec<DArray<f64>>,
    oracle: Box<dyn Fn(usize) -> Vec<Vec<f64>>>,
}

impl<S> Steps<S> {
    fn new(
        start: impl Fn() -> S + 'static,
        step: impl Fn(&mut S) + 'static,
        results: fn(&S) -> Vec<DArray<f64>>,
        oracle: impl Fn(usize) -> Vec<Vec<f64>> + 'static,
    ) -> Steps<S> {
        Steps { start: Box::new(start), step: Box::new(step), results, oracle: Box::new(oracle) }
    }
}

impl<S: 'static> Workload for Steps<S> {
    const LOOPS: bool = true;
    const VARIANTS: &'static [Variant] = &[Variant::Original];
    type State = S;

    fn prepare(&self) -> S {
        (self.start)()
    }

    fn iterate(&self, state: &mut S, _: Variant) {
        (self.step)(state);
    }

    /// The sums of the positive elements of each result, and of its negative ones, so that nothing cancels.
    fn checksum(&self, state: &S) -> Result<Vec<f64>> {
        let results = (self.results)(state);
        let signs = results.iter().flat_map(|result| [result.maximum(0.0), result.minimum(0.0)]);
        signs.map(|elements| elements.sum(..).try_item()).collect()
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        let results = (self.oracle)(iterations);
        let signs =
            results.iter().flat_map(|result| [(result, f64::max as Of), (result, f64::min)]);
        signs.map(|(result, of)| result.iter().map(|&v| of(v, 0.0)).sum()).collect()
    }
}

/// A function of two numbers.
type Of = fn(f64, f64) -> f64;

/// Results as f64.
fn wide<T: Element, const N: usize>(results: [&DArray<T>; N]) -> Vec<DArray<f64>> {
    results.iter().map(|result| result.cast()).collect()
}

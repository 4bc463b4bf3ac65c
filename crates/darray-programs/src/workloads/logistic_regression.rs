//! Logistic regression.

use crate::examples::logistic_regression::{FEATURES, samples, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Fallible, Result};

/// What a step goes along the gradient.
const RATE: f64 = 1e-5;

/// The samples and their classes.
pub(crate) struct Samples<T: Float> {
    x: DArray<T>,
    y: DArray<T>,
}

impl<T: Float> Samples<T> {
    pub(crate) fn new(n: usize) -> Samples<T> {
        let (x, y) = samples(n);
        Samples { x, y }
    }
}

/// The step with the terms of its sums the other way round.
fn reordered<T: Float>(x: &DArray<T>, y: &DArray<T>, w: &DArray<T>) -> DArray<T> {
    let error = y - 1 / ((-x.dot(w)).exp() + 1);
    x.t().dot(&error) * T::from(RATE) + w
}

impl<T: Float> Workload for Samples<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        DArray::zeros(FEATURES)
    }

    fn iterate(&self, w: &mut DArray<T>, variant: Variant) {
        let Samples { x, y } = self;
        *w = match variant {
            Variant::Original => step(x, y, w, RATE),
            Variant::Reordered => reordered(x, y, w),
            Variant::OneMore => step(x, y, w, RATE) * T::from(0.999),
            Variant::Constants => step(x, y, w, 2e-5),
        };
    }

    fn checksum(&self, w: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![w.abs().cast::<f64>().sum(..).try_item()?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        vec![oracles::logistic_regression(&self.x.to_vec(), &self.y.to_vec(), RATE, iterations)]
    }
}

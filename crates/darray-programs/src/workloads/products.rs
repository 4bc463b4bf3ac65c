//! The sum of a vector, and the dot product of two.

use super::sum as total;
use crate::examples::products::{dot, sum, vectors};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result};

/// The vectors, and whether they are multiplied or the first is summed.
pub(crate) struct Vectors<T: Float> {
    x: DArray<T>,
    y: DArray<T>,
    multiplied: bool,
}

impl<T: Float> Vectors<T> {
    pub(crate) fn new(n: usize, multiplied: bool) -> Vectors<T> {
        let (x, y) = vectors(n);
        Vectors { x, y, multiplied }
    }
}

impl<T: Float> Workload for Vectors<T> {
    const LOOPS: bool = false;
    type State = Option<DArray<T>>;

    fn prepare(&self) -> Self::State {
        None
    }

    fn iterate(&self, state: &mut Self::State, variant: Variant) {
        let Vectors { x, y, multiplied } = self;
        *state = Some(match (multiplied, variant) {
            (true, Variant::Reordered) => dot(y, x),
            (true, Variant::OneMore) => dot(&(x + 1), y),
            (true, _) => dot(x, y),
            (false, Variant::OneMore) => sum(&(x + 1)),
            (false, _) => sum(x),
        });
    }

    fn checksum(&self, state: &Self::State) -> Result<Vec<f64>> {
        state.iter().map(total).collect()
    }

    fn oracle(&self, _: usize) -> Vec<f64> {
        let y = if self.multiplied { self.y.to_vec() } else { Vec::new() };
        vec![oracles::product(&self.x.to_vec(), &y)]
    }
}

//! Products of complex vectors.

use super::sum;
use crate::examples::products::{complex_vectors, product_and_sum};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result};

/// The vectors.
pub(crate) struct ComplexVectors<T: Float> {
    vectors: [DArray<T::WithComplex>; 3],
}

impl<T: Float> ComplexVectors<T> {
    pub(crate) fn new(n: usize) -> ComplexVectors<T> {
        ComplexVectors { vectors: complex_vectors::<T>(n) }
    }
}

impl<T: Float> Workload for ComplexVectors<T> {
    const LOOPS: bool = false;
    type State = Option<DArray<T::WithComplex>>;

    fn prepare(&self) -> Self::State {
        None
    }

    fn iterate(&self, state: &mut Self::State, variant: Variant) {
        let [z, w, c] = &self.vectors;
        *state = Some(match variant {
            Variant::Reordered => c + w * z,
            Variant::OneMore => product_and_sum([z, w, c]) + 1,
            _ => product_and_sum([z, w, c]),
        });
    }

    fn checksum(&self, state: &Self::State) -> Result<Vec<f64>> {
        let parts = state.iter().flat_map(|z| [z.real(), z.imag()]);
        parts.map(|part| sum(&part)).collect()
    }

    fn oracle(&self, _: usize) -> Vec<f64> {
        let [z, w, c] = [0, 1, 2].map(|at: usize| self.vectors[at].to_vec());
        oracles::complex_product::<T>(&z, &w, &c)
    }
}

//! A Julia set.

use crate::examples::julia::{C, constant, plane, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{Complex, DArray, Fallible, Result};

/// The points of the plane.
pub(crate) struct Julia<T: Float> {
    z: DArray<T::WithComplex>,
}

impl<T: Float> Julia<T> {
    pub(crate) fn new(n: usize) -> Julia<T> {
        Julia { z: plane::<T>(n) }
    }
}

/// The step in another form.
fn varied<T: Float>(
    z: &DArray<T::WithComplex>,
    steps: &DArray<i64>,
    variant: Variant,
) -> (DArray<T::WithComplex>, DArray<i64>) {
    let constants = variant == Variant::Constants;
    let (bound, c) = if constants { (5, Complex::new(-0.4, 0.6)) } else { (4, C) };
    let next = z * z + constant::<T>(c);
    let inside = z.norm_sqr().lt(bound);
    let steps = &inside + steps;
    (inside.select(&next, z), steps)
}

impl<T: Float> Workload for Julia<T> {
    const LOOPS: bool = true;
    type State = (DArray<T::WithComplex>, DArray<i64>);

    fn prepare(&self) -> Self::State {
        (self.z.copy(), DArray::zeros(self.z.shape()))
    }

    fn iterate(&self, state: &mut Self::State, variant: Variant) {
        let (z, steps) = &*state;
        *state = match variant {
            Variant::Original => step::<T>(z, steps),
            Variant::OneMore => {
                let (z, steps) = step::<T>(z, steps);
                (z, steps.abs())
            }
            _ => varied::<T>(z, steps, variant),
        };
    }

    fn checksum(&self, (_, steps): &Self::State) -> Result<Vec<f64>> {
        Ok(vec![steps.sum(..).try_item()? as f64])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        vec![oracles::julia::<T>(&self.z.to_vec(), C, iterations)]
    }
}

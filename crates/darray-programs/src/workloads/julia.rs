//! A Julia set.

use crate::examples::julia::{C, plane, step};
use crate::oracles;
use crate::workload::{Variant, Workload};
use darray::{Complex, ComplexArray, ComplexPart, DArray, Result};

/// The points of the plane.
pub(crate) struct Julia<T: ComplexPart> {
    z: ComplexArray<T>,
}

impl<T: ComplexPart> Julia<T> {
    pub(crate) fn new(n: usize) -> Julia<T> {
        Julia { z: plane(n) }
    }
}

/// The step in another form.
fn varied<T: ComplexPart>(
    z: &ComplexArray<T>,
    steps: &DArray<i64>,
    variant: Variant,
) -> (ComplexArray<T>, DArray<i64>) {
    let constants = variant == Variant::Constants;
    let (bound, c) = if constants { (5.0, Complex::new(-0.4, 0.6)) } else { (4.0, C) };
    let next = c + z * z;
    let inside = z.norm_sqr().lt(bound);
    let steps = &inside + steps;
    (inside.select_complex(&next, z), steps)
}

impl<T: ComplexPart> Workload for Julia<T> {
    const LOOPS: bool = true;
    type State = (ComplexArray<T>, DArray<i64>);

    fn prepare(&self) -> Self::State {
        (self.z.copy(), DArray::zeros(self.z.shape()))
    }

    fn iterate(&self, state: &mut Self::State, variant: Variant) {
        let (z, steps) = &*state;
        *state = match variant {
            Variant::Original => step(z, steps),
            Variant::OneMore => {
                let (z, steps) = step(z, steps);
                (z, steps.abs())
            }
            _ => varied(z, steps, variant),
        };
    }

    fn checksum(&self, (_, steps): &Self::State) -> Result<Vec<f64>> {
        Ok(vec![steps.sum().try_item()? as f64])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        vec![oracles::julia(&self.z.to_vec(), C, iterations)]
    }
}

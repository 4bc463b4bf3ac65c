//! The Mandelbrot set.

use crate::examples::mandelbrot::{Pair, plane, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Fallible, Result};

/// The points of the plane.
pub(crate) struct Plane<T: Float> {
    n: usize,
    c: Pair<T>,
}

impl<T: Float> Plane<T> {
    pub(crate) fn new(n: usize) -> Plane<T> {
        Plane { n, c: plane(n) }
    }
}

/// The step in another form.
fn varied<T: Float>(
    c: &Pair<T>,
    z: &Pair<T>,
    steps: &DArray<i64>,
    variant: Variant,
) -> (Pair<T>, DArray<i64>) {
    let (x, y) = z;
    let (y2, x2) = (y * y, x * x);
    let bound = if variant == Variant::Constants { 5 } else { 4 };
    let inside = (&y2 + &x2).lt(bound);
    let y = inside.select(&c.1 + 2 * x * y, y);
    let x = inside.select(&c.0 + (x2 - y2), x);
    ((x, y), &inside + steps)
}

impl<T: Float> Workload for Plane<T> {
    const LOOPS: bool = true;
    type State = (Pair<T>, DArray<i64>);

    fn prepare(&self) -> Self::State {
        let shape = (self.n, self.n);
        ((DArray::zeros(shape), DArray::zeros(shape)), DArray::zeros(shape))
    }

    fn iterate(&self, state: &mut Self::State, variant: Variant) {
        let (z, steps) = &*state;
        *state = match variant {
            Variant::Original => step(&self.c, z, steps),
            Variant::OneMore => {
                let ((x, y), steps) = step(&self.c, z, steps);
                ((x, y.abs()), steps)
            }
            _ => varied(&self.c, z, steps, variant),
        };
    }

    fn checksum(&self, (_, steps): &Self::State) -> Result<Vec<f64>> {
        Ok(vec![steps.sum(..).try_item()? as f64])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        let (re, im) = &self.c;
        vec![oracles::mandelbrot(&re.to_vec(), &im.to_vec(), iterations)]
    }
}

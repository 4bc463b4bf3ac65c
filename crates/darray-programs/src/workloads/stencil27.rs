//! The 27-point stencil, written back in place.

use super::sum;
use crate::examples::stencil27::{init_cube, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result, s};
use std::marker::PhantomData;

/// A cube of this many cells along each axis.
pub(crate) struct Cube<T> {
    n: usize,
    element: PhantomData<T>,
}

impl<T: Float> Cube<T> {
    pub(crate) fn new(n: usize) -> Cube<T> {
        Cube { n, element: PhantomData }
    }
}

/// The step in another form.
fn varied<T: Float>(cube: &DArray<T>, variant: Variant) {
    let n = cube.shape()[0] - 2;
    let mut sum = DArray::<T>::zeros((n, n, n));
    for neighbour in 0..27 {
        // The same cells, the last first.
        let at = if variant == Variant::Reordered { 26 - neighbour } else { neighbour };
        let (z, y, x) = (at / 9, at / 3 % 3, at % 3);
        sum += cube.slice(s![z..z + n, y..y + n, x..x + n]);
    }
    let mean = match variant {
        Variant::Constants => sum / 28,
        Variant::OneMore => sum / 27 + T::from(0.5),
        _ => sum / 27,
    };
    cube.slice(s![1..-1, 1..-1, 1..-1]).assign(mean);
}

impl<T: Float> Workload for Cube<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        init_cube(self.n)
    }

    fn iterate(&self, cube: &mut DArray<T>, variant: Variant) {
        match variant {
            Variant::Original => step(cube),
            _ => varied(cube, variant),
        }
    }

    fn checksum(&self, cube: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(cube)?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        vec![oracles::stencil27(init_cube::<T>(self.n).to_vec(), self.n + 2, iterations)]
    }
}

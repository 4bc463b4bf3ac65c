//! The 5-point stencil, written back in place.

use super::sum;
use crate::examples::stencil::{init_grid, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result, s};
use std::marker::PhantomData;

/// A square grid of this many rows.
pub(crate) struct Grid<T> {
    n: usize,
    element: PhantomData<T>,
}

impl<T: Float> Grid<T> {
    pub(crate) fn new(n: usize) -> Grid<T> {
        Grid { n, element: PhantomData }
    }
}

/// The step in another form.
fn varied<T: Float>(grid: &DArray<T>, variant: Variant) {
    let center = grid.slice(s![1..-1, 1..-1]);
    let south = grid.slice(s![2.., 1..-1]);
    let west = grid.slice(s![1..-1, ..-2]);
    let east = grid.slice(s![1..-1, 2..]);
    let north = grid.slice(s![..-2, 1..-1]);
    let work = match variant {
        Variant::Reordered => (south + west + &center + north + east) * T::from(0.2),
        Variant::OneMore => T::from(0.2) * (&center + north + east + west + south) + 1,
        _ => T::from(0.19) * (&center + north + east + west + south),
    };
    center.assign(&work);
}

impl<T: Float> Workload for Grid<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        init_grid(self.n)
    }

    fn iterate(&self, grid: &mut DArray<T>, variant: Variant) {
        match variant {
            Variant::Original => step(grid),
            _ => varied(grid, variant),
        }
    }

    fn checksum(&self, grid: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(grid)?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        vec![oracles::stencil(init_grid::<T>(self.n).to_vec(), self.n + 2, iterations)]
    }
}

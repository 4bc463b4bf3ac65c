//! Heat in a cube, between two arrays.

use super::{square_sum, sum};
use crate::examples::heat3d::{init_cube, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result, s};
use std::marker::PhantomData;

/// A cube of this many cells along each axis.
pub(crate) struct Heat<T> {
    n: usize,
    element: PhantomData<T>,
}

impl<T: Float> Heat<T> {
    pub(crate) fn new(n: usize) -> Heat<T> {
        Heat { n, element: PhantomData }
    }
}

/// The step in another form.
fn varied<T: Float>(from: &DArray<T>, to: &DArray<T>, variant: Variant) {
    let center = from.slice(s![1..-1, 1..-1, 1..-1]);
    let second = |after: DArray<T>, before: DArray<T>| after - 2 * &center + before;
    let up = second(from.slice(s![1..-1, 1..-1, ..-2]), from.slice(s![1..-1, 1..-1, 2..]));
    let along = second(from.slice(s![1..-1, ..-2, 1..-1]), from.slice(s![1..-1, 2.., 1..-1]));
    let across = second(from.slice(s![..-2, 1..-1, 1..-1]), from.slice(s![2.., 1..-1, 1..-1]));
    let sum = up + along + across;
    let next = match variant {
        Variant::Reordered => &center + sum * T::from(0.125),
        Variant::OneMore => (T::from(0.125) * sum + &center) * T::from(0.999),
        _ => T::from(0.1) * sum + &center,
    };
    to.slice(s![1..-1, 1..-1, 1..-1]).assign(next);
}

impl<T: Float> Workload for Heat<T> {
    const LOOPS: bool = true;
    type State = [DArray<T>; 2];

    fn prepare(&self) -> Self::State {
        [init_cube(self.n), init_cube(self.n)]
    }

    fn iterate(&self, cubes: &mut Self::State, variant: Variant) {
        let [from, to] = &*cubes;
        match variant {
            Variant::Original => step(from, to),
            _ => varied(from, to, variant),
        }
        cubes.swap(0, 1);
    }

    fn checksum(&self, cubes: &Self::State) -> Result<Vec<f64>> {
        Ok(vec![sum(&cubes[0])?, square_sum(&cubes[0])?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        oracles::heat3d(init_cube::<T>(self.n).to_vec(), self.n, iterations)
    }
}

//! A smoothed image, anew in every iteration.

use super::sum;
use crate::examples::linear_filter::{image, linear_filter};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result, s};

/// The image, of `n` by `n` pixels without its border.
pub(crate) struct Filter<T: Float> {
    n: usize,
    image: DArray<T>,
}

impl<T: Float> Filter<T> {
    pub(crate) fn new(n: usize) -> Filter<T> {
        Filter { n, image: image(n + 2) }
    }

    /// The sum of the nine, the last first, times a constant.
    fn reordered(&self, factor: f64) -> DArray<T> {
        let n = self.n;
        let mut sum = DArray::<T>::zeros((n, n, 3));
        for y in [2, 1, 0] {
            for x in [2, 1, 0] {
                sum += self.image.slice(s![y..y + n, x..x + n, ..]);
            }
        }
        sum * T::from(factor)
    }
}

impl<T: Float> Workload for Filter<T> {
    const LOOPS: bool = false;
    type State = Option<DArray<T>>;

    fn prepare(&self) -> Self::State {
        None
    }

    fn iterate(&self, result: &mut Self::State, variant: Variant) {
        *result = Some(match variant {
            Variant::Original => linear_filter(&self.image),
            Variant::Reordered => self.reordered(1.0 / 9.0),
            Variant::OneMore => linear_filter(&self.image) + 1,
            Variant::Constants => self.reordered(1.0 / 8.0),
        });
    }

    fn checksum(&self, result: &Self::State) -> Result<Vec<f64>> {
        result.iter().map(sum).collect()
    }

    fn oracle(&self, _: usize) -> Vec<f64> {
        vec![oracles::linear_filter(&self.image.to_vec(), self.n + 2)]
    }
}

//! An image in sepia, anew in every iteration.

use super::sum;
use crate::examples::sepia::{WEIGHTS, image, sepia};
use crate::oracles;
use crate::workload::{Variant, Workload};
use darray::{DArray, Float, Result, s};

/// The image.
pub(crate) struct Sepia<T: Float> {
    image: DArray<T>,
}

impl<T: Float> Sepia<T> {
    pub(crate) fn new(n: usize) -> Sepia<T> {
        Sepia { image: image(n) }
    }

    /// The blue channel first, and the terms of each the other way round.
    fn reordered(&self) -> DArray<T> {
        let [blue, green, red] = [2, 1, 0].map(|channel| self.image.slice(s![.., .., channel]));
        let result = DArray::zeros(self.image.shape());
        for channel in [2, 1, 0] {
            let [r, g, b] = WEIGHTS[channel];
            let tone = &blue * b + &green * g + &red * r;
            result.slice(s![.., .., channel]).assign(tone.minimum(255.0));
        }
        result
    }

    /// A result that is a little brighter in red.
    fn one_more(&self) -> DArray<T> {
        let [red, green, blue] = [0, 1, 2].map(|channel| self.image.slice(s![.., .., channel]));
        let result = DArray::zeros(self.image.shape());
        for (channel, [r, g, b]) in WEIGHTS.into_iter().enumerate() {
            let mut tone = r * &red + g * &green + b * &blue;
            if channel == 0 {
                tone += 1.0;
            }
            result.slice(s![.., .., channel]).assign(tone.minimum(255.0));
        }
        result
    }
}

impl<T: Float> Workload for Sepia<T> {
    const LOOPS: bool = false;
    type State = Option<DArray<T>>;

    fn prepare(&self) -> Self::State {
        None
    }

    fn iterate(&self, result: &mut Self::State, variant: Variant) {
        *result = Some(match variant {
            Variant::Original => sepia(&self.image, &WEIGHTS),
            Variant::Reordered => self.reordered(),
            Variant::OneMore => self.one_more(),
            Variant::Constants => sepia(&self.image, &WEIGHTS.map(|row| row.map(|w| 0.9 * w))),
        });
    }

    fn checksum(&self, result: &Self::State) -> Result<Vec<f64>> {
        result.iter().map(sum).collect()
    }

    fn oracle(&self, _: usize) -> Vec<f64> {
        vec![oracles::sepia(&self.image.to_vec())]
    }
}

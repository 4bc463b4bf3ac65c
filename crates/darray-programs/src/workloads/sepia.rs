//! An image in sepia, anew in every iteration.

use super::sum;
use crate::examples::sepia::{WEIGHTS, image, sepia};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result, s};

/// The image.
pub(crate) struct Sepia<T: Float> {
    image: DArray<T>,
}

impl<T: Float> Sepia<T> {
    pub(crate) fn new(n: usize) -> Sepia<T> {
        Sepia { image: image(n) }
    }

    /// The tones of the result in another form.
    fn varied(&self, variant: Variant) -> DArray<T> {
        let [blue, green, red] = [2, 1, 0].map(|channel| self.image.slice(s![.., .., channel]));
        let tone = |weights: [f64; 3]| {
            let [r, g, b] = weights.map(T::from);
            (&blue * b + &green * g + &red * r).minimum(255)
        };
        let [mut third, second, first] = [2, 1, 0].map(|channel| tone(WEIGHTS[channel]));
        if variant == Variant::OneMore {
            third += 1;
        }
        DArray::stack(&[first, second, third], -1)
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
            Variant::Reordered | Variant::OneMore => self.varied(variant),
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

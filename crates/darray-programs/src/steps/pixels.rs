//! Images, cells, and Fourier transforms.

use super::{Steps, wide};
use crate::examples::fft_butterflies::{self, Transform};
use crate::examples::{filter5x5, game_of_life};
use crate::oracles::{self, Float};
use crate::workload::Workload;

/// An image of `n` by `n` pixels.
pub(crate) fn filter5x5<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || filter5x5::image::<T>(n),
        |image| *image = filter5x5::filtered(image),
        |image| wide([image]),
        move |iterations| oracles::filter5x5(filter5x5::image::<T>(n).to_vec(), n, iterations),
    )
}

/// `n` by `n` cells.
pub(crate) fn game_of_life(n: usize) -> impl Workload {
    Steps::new(
        move || game_of_life::cells(n),
        |cells| game_of_life::step(cells),
        |cells| wide([cells]),
        move |iterations| oracles::game_of_life(game_of_life::cells(n).to_vec(), n + 2, iterations),
    )
}

/// At least `n` numbers, transformed again and again.
pub(crate) fn fft_butterflies<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || {
            let numbers = fft_butterflies::numbers::<T>(n);
            let transform = Transform::new(numbers[0].len());
            (numbers, transform)
        },
        |(numbers, transform)| *numbers = transform.apply(numbers),
        |(numbers, _)| wide(numbers.each_ref()),
        move |iterations| {
            let numbers = fft_butterflies::numbers::<T>(n).map(|part| part.to_vec());
            oracles::fourier(numbers, iterations)
        },
    )
}

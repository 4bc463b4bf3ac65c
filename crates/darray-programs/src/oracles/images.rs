//! Images, three values per pixel.

use super::{Float, real, sum};

/// The sum of the image in sepia.
pub(crate) fn sepia<T: Float>(image: &[T]) -> f64 {
    let white = real::<T>(255.0);
    let tone = |pixel: &[T], weights: [f64; 3]| {
        let mixed = weights.iter().zip(pixel).fold(T::zero(), |t, (&w, &p)| t + real::<T>(w) * p);
        if mixed > white { white } else { mixed }
    };
    let mut result = Vec::with_capacity(image.len());
    for pixel in image.chunks(3) {
        result.push(tone(pixel, [0.393, 0.769, 0.189]));
        result.push(tone(pixel, [0.349, 0.686, 0.168]));
        result.push(tone(pixel, [0.272, 0.534, 0.131]));
    }
    sum(&result)
}

/// The sum of the smoothed image; `side` is the rows of the image.
pub(crate) fn linear_filter<T: Float>(image: &[T], side: usize) -> f64 {
    let mut result = Vec::new();
    for y in 1..side - 1 {
        for x in 1..side - 1 {
            for channel in 0..3 {
                let mut total = T::zero();
                for row in y - 1..=y + 1 {
                    for column in x - 1..=x + 1 {
                        total = total + image[(row * side + column) * 3 + channel];
                    }
                }
                result.push(total / real::<T>(9.0));
            }
        }
    }
    sum(&result)
}

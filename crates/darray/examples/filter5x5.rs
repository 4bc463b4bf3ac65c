//! Outliers of an image, each replaced by the mean of the 25 pixels around it.

use darray::{DArray, Float, PadMode, default_rng, s};

/// Deviations from which a pixel counts as an outlier.
const DEVIATIONS: f64 = 1.5;

/// `n` by `n` random pixels.
pub fn image<T: Float>(n: usize) -> DArray<T> {
    default_rng(31).random((n, n)).cast()
}

/// The image without outliers; beyond its border it goes on as at the border.
pub fn filtered<T: Float>(image: &DArray<T>) -> DArray<T> {
    let [height, width] = image.dims();
    let padded = image.pad(2, PadMode::Edge);
    let mut sum = DArray::<T>::zeros((height, width));
    let mut squares = DArray::<T>::zeros((height, width));
    for y in 0..5 {
        for x in 0..5 {
            let pixels = padded.slice(s![y..y + height, x..x + width]);
            sum += &pixels;
            squares += &pixels * &pixels;
        }
    }
    let mean = sum / 25;
    let deviation = (squares / 25 - &mean * &mean).maximum(0).sqrt();
    let is_outlier = (image - &mean).abs().gt(T::from(DEVIATIONS) * deviation);
    is_outlier.select(mean, image)
}

#[allow(dead_code)]
fn main() {
    // A grey image with one white pixel.
    let image = DArray::<f64>::full((20, 20), 0.5);
    image.set([10, 7], 1.0);
    let clean = filtered(&image);
    println!("the white pixel becomes {:.3}", clean.get([10, 7]));
    assert!((clean.get([10, 7]) - (24.0 * 0.5 + 1.0) / 25.0).abs() < 1e-12);
    assert!(clean.ne(0.5).sum(..).item() == 1);
}

//! An image smoothed: every pixel becomes the mean of the nine pixels around it.

use darray::{DArray, Float, default_rng, s};

/// An image of `n` by `n` random pixels: red, green and blue along the last axis, 0 to 255.
pub fn image<T: Float>(n: usize) -> DArray<T> {
    (default_rng(11).random((n, n, 3)) * 256.0).cast::<i64>().cast()
}

/// The smoothed image, without the pixels of the border, which have fewer than eight neighbours.
pub fn linear_filter<T: Float>(image: &DArray<T>) -> DArray<T> {
    let (height, width) = (image.shape()[0] - 2, image.shape()[1] - 2);
    let mut sum = DArray::<T>::zeros((height, width, 3));
    for y in 0..3 {
        for x in 0..3 {
            sum += image.slice(s![y..y + height, x..x + width, ..]);
        }
    }
    sum / 9
}

#[allow(dead_code)]
fn main() {
    let image = image::<f64>(200);
    let smooth = linear_filter(&image);
    let spread = |image: &DArray<f64>| {
        let mean = image.mean(..);
        ((image - &mean) * (image - &mean)).mean(..).sqrt().item()
    };
    let (before, after) = (spread(&image), spread(&smooth));
    println!("standard deviation {before:.2} before, {after:.2} after");

    // The mean of nine independent values varies a third as much.
    assert!((before / after - 3.0).abs() < 0.1);
}

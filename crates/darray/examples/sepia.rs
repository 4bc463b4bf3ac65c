//! An image made to look old: every channel of the result mixes the channels of the image. With a path it is written
//! there.

use darray::{DArray, Float, default_rng, s};

/// How much of red, green and blue is in each channel of the result.
pub const WEIGHTS: [[f64; 3]; 3] =
    [[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]];

/// An image of `n` by `n` random pixels: red, green and blue along the last axis, 0 to 255.
pub fn image<T: Float>(n: usize) -> DArray<T> {
    (default_rng(11).random((n, n, 3)) * 256.0).cast::<i64>().cast()
}

/// The image in sepia.
pub fn sepia<T: Float>(image: &DArray<T>, weights: &[[f64; 3]; 3]) -> DArray<T> {
    let [red, green, blue] = [0, 1, 2].map(|channel| image.slice(s![.., .., channel]));
    let tones = weights.map(|weights| {
        let [r, g, b] = weights.map(T::from);
        (r * &red + g * &green + b * &blue).minimum(255)
    });
    DArray::stack(&tones, -1)
}

#[allow(dead_code)]
fn main() {
    let image = image::<f64>(200);
    let old = sepia(&image, &WEIGHTS);
    println!("mean of the channels {}", old.mean([0, 1]));
    if let Some(path) = std::env::args().nth(1) {
        old.cast::<u8>().save_rgb_png(path).expect("a picture");
    }

    // Reddish at every pixel, and white is as bright as can be.
    assert!(old.slice(s![.., .., 0]).ge(old.slice(s![.., .., 2])).all(..).item());
    let white = sepia(&DArray::<f64>::full((1, 1, 3), 255.0), &WEIGHTS);
    assert_eq!(white.slice(s![0, 0, 0]).item(), 255.0);
}

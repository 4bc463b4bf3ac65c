//! Fourier transforms by butterflies (Stockham's order), on pairs of reals.

use darray::{DArray, Float, default_rng, s};
use std::f64::consts::PI;

/// A transform of a power of two.
pub struct Transform<T: Float> {
    /// Cosines and sines of each stage, one a row.
    twiddles: Vec<[DArray<T>; 2]>,
}

/// Real and imaginary parts of random numbers, of which there are the least power of two that is not below `n`.
pub fn numbers<T: Float>(n: usize) -> [DArray<T>; 2] {
    let mut random = default_rng(6);
    let n = n.next_power_of_two();
    [random.random(n).cast(), random.random(n).cast()]
}

impl<T: Float> Transform<T> {
    /// Of `n` numbers, a power of two.
    pub fn new(n: usize) -> Transform<T> {
        let stage = |log: u32| {
            let length = 1 << log;
            let angles = DArray::<f64>::arange(length) * (-PI / length as f64);
            let column = |a: DArray<f64>| a.slice(s![.., None]).cast();
            [column(angles.cos()), column(angles.sin())]
        };
        Transform { twiddles: (0..n.ilog2()).map(stage).collect() }
    }

    /// The transform, divided by the root of the length.
    pub fn apply(&self, [re, im]: &[DArray<T>; 2]) -> [DArray<T>; 2] {
        let n = re.len();
        let (mut re, mut im) = (re.alias(), im.alias());
        for (stage, [cos, sin]) in self.twiddles.iter().enumerate() {
            let length = 1 << stage;
            let shape = (length, 2, n / (2 * length));
            let (x, y) = (re.reshape(shape), im.reshape(shape));
            let (even_re, even_im) = (x.slice(s![.., 0]), y.slice(s![.., 0]));
            let (odd_re, odd_im) = (x.slice(s![.., 1]), y.slice(s![.., 1]));
            let turned_re = &odd_re * cos - &odd_im * sin;
            let turned_im = odd_re * sin + odd_im * cos;
            re = DArray::stack([&even_re + &turned_re, even_re - turned_re], 0).reshape(n);
            im = DArray::stack([&even_im + &turned_im, even_im - turned_im], 0).reshape(n);
        }
        let scale = T::from(1.0 / (n as f64).sqrt());
        [re * scale, im * scale]
    }
}

#[allow(dead_code)]
fn main() {
    let n = 256;
    let transform = Transform::<f64>::new(n);
    let x = numbers(n);
    let fourth = (0..3).fold(transform.apply(&x), |x, _| transform.apply(&x));
    let apart = (&fourth[0] - &x[0]).abs().max(..).item();
    println!("four times the transform is what it was, {apart:.1e} apart");
    assert!(apart < 1e-12);

    // A wave of three periods has one frequency.
    let wave = (DArray::<f64>::arange(n) * (2.0 * PI * 3.0 / n as f64)).cos();
    let [re, _] = transform.apply(&[wave, DArray::zeros(n)]);
    assert!((re.get([3]) - 8.0).abs() < 1e-12 && re.abs().gt(1e-9).sum(..).item() == 2);
}

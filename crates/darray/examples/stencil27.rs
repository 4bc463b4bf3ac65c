//! A stencil of 27 points in three dimensions, written back in place.

use darray::{DArray, Float, s};

/// A cube of `n` by `n` by `n` cold cells within its borders, one face of which is hot.
pub fn init_cube<T: Float>(n: usize) -> DArray<T> {
    let cube = DArray::zeros((n + 2, n + 2, n + 2));
    cube.slice(s![0, .., ..]).assign(100);
    cube
}

/// Every cell becomes the mean of the 27 cells around it, itself among them.
pub fn step<T: Float>(cube: &DArray<T>) {
    let n = cube.shape()[0] - 2;
    let mut sum = DArray::<T>::zeros((n, n, n));
    for z in 0..3 {
        for y in 0..3 {
            for x in 0..3 {
                sum += cube.slice(s![z..z + n, y..y + n, x..x + n]);
            }
        }
    }
    cube.slice(s![1..-1, 1..-1, 1..-1]).assign(sum / 27);
}

#[allow(dead_code)]
fn main() {
    let cube = init_cube::<f64>(20);
    for _ in 0..50 {
        step(&cube);
    }
    println!("sum of the cube after 50 steps {:.4}", cube.sum(..).item());

    // Heat has come in from the hot face and falls off away from it.
    let line = cube.slice(s![.., 10, 10]).to_vec();
    assert!(line.windows(2).all(|pair| pair[0] > pair[1]));
}

//! Heat in a cube: the heat equation with explicit steps between two arrays.

use darray::{DArray, Float, s};

/// A cube of `n` by `n` by `n` cells, cold but for a hot block in the middle.
pub fn init_cube<T: Float>(n: usize) -> DArray<T> {
    let cube = DArray::zeros((n, n, n));
    let middle = n / 3..n - n / 3;
    cube.slice(s![middle.clone(), middle.clone(), middle]).assign(100);
    cube
}

/// The temperatures after one step; those of the outermost cells stay.
pub fn step<T: Float>(from: &DArray<T>, to: &DArray<T>) {
    let center = from.slice(s![1..-1, 1..-1, 1..-1]);
    let across =
        from.slice(s![2.., 1..-1, 1..-1]) - 2 * &center + from.slice(s![..-2, 1..-1, 1..-1]);
    let along =
        from.slice(s![1..-1, 2.., 1..-1]) - 2 * &center + from.slice(s![1..-1, ..-2, 1..-1]);
    let up = from.slice(s![1..-1, 1..-1, 2..]) - 2 * &center + from.slice(s![1..-1, 1..-1, ..-2]);
    to.slice(s![1..-1, 1..-1, 1..-1]).assign(T::from(0.125) * (across + along + up) + center);
}

#[allow(dead_code)]
fn main() {
    let cube = init_cube::<f64>(31);
    let other = cube.clone();
    let before = cube.sum(..).item();
    for _ in 0..10 {
        step(&cube, &other);
        step(&other, &cube);
    }
    let after = cube.sum(..).item();
    println!("warmest cell {:.4}, heat {after:.4}", cube.max(..).item());

    // Heat spreads and some of it leaves through the outermost cells, which stay cold.
    assert!(cube.max(..).item() < 100.0 && cube.min(..).item() >= 0.0);
    assert!(after < before && after > 0.9 * before);
}

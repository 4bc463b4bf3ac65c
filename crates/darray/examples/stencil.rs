//! Five-point stencil that is written back in place: heat spreading from the top border. With a path the picture of
//! the grid is written there.

use darray::image::Colormap;
use darray::{DArray, Float, s};

/// A grid of `n` by `n` cold cells within its borders.
pub fn init_grid<T: Float>(n: usize) -> DArray<T> {
    let grid = DArray::zeros((n + 2, n + 2));
    grid.slice(s![.., 0]).assign(T::from(-273.15));
    grid.slice(s![.., -1]).assign(T::from(-273.15));
    grid.slice(s![-1, ..]).assign(T::from(-273.15));
    grid.slice(s![0, ..]).assign(40);
    grid
}

/// Every cell becomes a fifth of the sum of itself and its four neighbours.
pub fn step<T: Float>(grid: &DArray<T>) {
    let center = grid.slice(s![1..-1, 1..-1]);
    let north = grid.slice(s![..-2, 1..-1]);
    let east = grid.slice(s![1..-1, 2..]);
    let west = grid.slice(s![1..-1, ..-2]);
    let south = grid.slice(s![2.., 1..-1]);
    let sum = &center + north + east + west + south;
    let work = T::from(0.2) * sum;
    center.assign(&work);
}

#[allow(dead_code)]
fn main() {
    let grid = init_grid::<f64>(100);
    for _ in 0..100 {
        step(&grid);
    }
    println!("sum of the grid after 100 steps {:.4}", grid.sum(..).item());
    if let Some(path) = std::env::args().nth(1) {
        grid.save_png(path, Colormap::Inferno).expect("a picture");
    }

    // Heat has come in from the top, and nothing is hotter or colder than the borders.
    let inside = grid.slice(s![1..-1, 1..-1]);
    assert!(inside.max(..).item() < 40.0 && inside.min(..).item() > -273.15);
    assert!(grid.slice(s![1, 50]).item() > grid.slice(s![2, 50]).item());
}

//! Horizontal diffusion in a weather model: a Laplacian of a Laplacian whose fluxes are limited (NPBench's `hdiff`).

use darray::{DArray, Float, default_rng, s};

/// Random numbers in `n` layers, which lie along the last axis: a field with two cells more around each, and coefficients.
pub fn fields<T: Float>(n: usize) -> [DArray<T>; 2] {
    let mut random = default_rng(42);
    [n + 4, n].map(|side| random.random((side, side, n)).cast())
}

/// The field after diffusion, without the two cells around.
pub fn diffused<T: Float>(field: &DArray<T>, coefficient: &DArray<T>) -> DArray<T> {
    let laplacian = 4 * field.slice(s![1..-1, 1..-1])
        - (field.slice(s![2.., 1..-1])
            + field.slice(s![..-2, 1..-1])
            + field.slice(s![1..-1, 2..])
            + field.slice(s![1..-1, ..-2]));
    let flux = laplacian.slice(s![1.., 1..-1]) - laplacian.slice(s![..-1, 1..-1]);
    let rise = field.slice(s![2..-1, 2..-2]) - field.slice(s![1..-2, 2..-2]);
    let across = (&flux * rise).gt(0).select(T::zero(), flux);
    let flux = laplacian.slice(s![1..-1, 1..]) - laplacian.slice(s![1..-1, ..-1]);
    let rise = field.slice(s![2..-2, 2..-1]) - field.slice(s![2..-2, 1..-2]);
    let along = (&flux * rise).gt(0).select(T::zero(), flux);
    field.slice(s![2..-2, 2..-2])
        - coefficient
            * (across.slice(s![1..]) - across.slice(s![..-1]) + along.slice(s![.., 1..])
                - along.slice(s![.., ..-1]))
}

/// Replaces the inner field by the one after diffusion, damped.
pub fn step<T: Float>(field: &DArray<T>, coefficient: &DArray<T>) {
    field.slice(s![2..-2, 2..-2]).assign(T::from(0.9) * diffused(field, coefficient));
}

#[allow(dead_code)]
fn main() {
    let [field, _] = fields::<f64>(30);
    let coefficient = DArray::full((30, 30, 30), 0.01);
    let inner = field.slice(s![2..-2, 2..-2]);
    let spread = |a: &DArray<f64>| a.std(..).item();
    let (before, after) = (spread(&inner), spread(&diffused(&field, &coefficient)));
    println!("standard deviation {before:.4} before, {after:.4} after");

    // Diffusion smooths, and does nothing to a field that rises evenly.
    assert!(after < before);
    let slope = DArray::from_fn((34, 34, 2), |i| (i[0] + 2 * i[1]) as f64);
    let same = diffused(&slope, &DArray::full((30, 30, 2), 0.01));
    assert!((same - slope.slice(s![2..-2, 2..-2])).abs().max(..).item() == 0.0);
}

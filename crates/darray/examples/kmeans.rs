//! Clusters of points by k-means.

use darray::{DArray, Float, NewAxis, default_rng, s};

/// Clusters that are looked for.
pub const CLUSTERS: usize = 8;

/// `n` random points in four dimensions, one a row.
pub fn points<T: Float>(n: usize) -> DArray<T> {
    default_rng(23).random((n, 4)).cast()
}

/// The cluster of each point: that of the nearest center.
pub fn assign<T: Float>(points: &DArray<T>, centers: &DArray<T>) -> DArray<i64> {
    let offset = points.slice(s![.., NewAxis, ..]) - centers;
    (&offset * &offset).sum(2).argmin(1)
}

/// The clusters of the points, and the mean of each as its center; an empty one stays where it is.
pub fn step<T: Float>(points: &DArray<T>, centers: &DArray<T>) -> (DArray<i64>, DArray<T>) {
    let nearest = assign(points, centers);
    let clusters = DArray::<i64>::arange(centers.shape()[0]);
    let member = nearest.slice(s![.., NewAxis]).eq(&clusters).cast::<T>();
    let count = member.sum(0).slice(s![.., NewAxis]);
    let occupied = count.gt(0);
    let mean = member.t().dot(points) / count;
    (nearest, occupied.select(mean, centers))
}

#[allow(dead_code)]
fn main() {
    // Points around the corners of a square in turn.
    let corners = DArray::from_fn((1000, 2), |i| (10 * (i[0] >> i[1] & 1)) as f64);
    let points = corners + default_rng(1).random((1000, 2));
    let mut centers = points.slice(s![..4, ..]).copy();
    let mut nearest = assign(&points, &centers);
    for _ in 0..5 {
        (nearest, centers) = step(&points, &centers);
    }
    println!("centers\n{centers}");

    // Each corner is a cluster, and its center is half a unit off.
    assert!((0..4).all(|cluster| nearest.eq(cluster).sum(..).item() == 250));
    assert!((centers % 10.0 - 0.5).abs().max(..).item() < 0.1);
}

//! Clusters of points.

use super::{square_sum, sum};
use crate::examples::kmeans::{CLUSTERS, points, step};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, NewAxis, Result, s};

/// The points; the first ones are the centers at the start.
pub(crate) struct Points<T: Float> {
    points: DArray<T>,
}

impl<T: Float> Points<T> {
    pub(crate) fn new(n: usize) -> Points<T> {
        Points { points: points(n) }
    }
}

/// The step in another form.
fn varied<T: Float>(points: &DArray<T>, centers: &DArray<T>, variant: Variant) -> DArray<T> {
    let offset = centers - points.slice(s![.., NewAxis, ..]);
    let nearest = (&offset * &offset).sum(2).argmin(1);
    let clusters = DArray::<i64>::arange(centers.shape()[0]);
    let member = clusters.eq(nearest.slice(s![.., NewAxis])).cast::<T>();
    let count = member.sum(0).slice(s![.., NewAxis]);
    let occupied = count.gt(if variant == Variant::Constants { 1 } else { 0 });
    occupied.select(member.t().dot(points) / &count, centers)
}

impl<T: Float> Workload for Points<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        self.points.slice(s![..CLUSTERS, ..]).copy()
    }

    fn iterate(&self, centers: &mut DArray<T>, variant: Variant) {
        let (points, now) = (&self.points, &*centers);
        *centers = match variant {
            Variant::Original => step(points, now).1,
            Variant::OneMore => step(points, now).1 * T::from(0.999),
            _ => varied(points, now, variant),
        };
    }

    fn checksum(&self, centers: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(centers)?, square_sum(centers)?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        oracles::kmeans(&self.points.to_vec(), self.points.shape()[1], CLUSTERS, iterations)
    }
}

//! Fields on grids.

use super::{Steps, wide};
use crate::examples::fdtd2d::Fields;
use crate::examples::hdiff;
use crate::oracles::{self, Float};
use crate::workload::Workload;

/// Waves in `n` by `n` points.
pub(crate) fn fdtd2d<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || Fields::<T>::new(n),
        Fields::step,
        |fields| wide([&fields.ex, &fields.ey, &fields.hz]),
        move |iterations| {
            let Fields { ex, ey, hz, .. } = Fields::<T>::new(n);
            oracles::fdtd2d([ex, ey, hz].map(|field| field.to_vec()), n, iterations)
        },
    )
}

/// Diffusion in `n` by `n` columns of `n` layers.
pub(crate) fn hdiff<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || hdiff::fields::<T>(n),
        |[field, coefficient]| hdiff::step(field, coefficient),
        |[field, _]| wide([field]),
        move |iterations| {
            let [field, coefficient] = hdiff::fields::<T>(n).map(|array| array.to_vec());
            oracles::hdiff(field, &coefficient, n, iterations)
        },
    )
}

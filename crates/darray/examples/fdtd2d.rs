//! Electromagnetic waves in a plane: finite differences in time of both fields in turns (PolyBench's `fdtd-2d`).

use darray::{DArray, Float, s};

/// The fields: the electric one along rows and columns, the magnetic one upright.
pub struct Fields<T: Float> {
    /// The electric field along columns.
    pub ex: DArray<T>,
    /// The electric field along rows.
    pub ey: DArray<T>,
    /// The magnetic field.
    pub hz: DArray<T>,
    /// Steps so far.
    time: usize,
}

impl<T: Float> Fields<T> {
    /// Fields that grow from the upper left corner of `n` by `n` points.
    pub fn new(n: usize) -> Fields<T> {
        let i = DArray::<f64>::arange(n);
        let field = |k: f64| (i.slice(s![.., None]) * (&i + k) / n).cast();
        Fields { ex: field(1.0), ey: field(2.0), hz: field(3.0), time: 0 }
    }

    /// One step, in which the time comes in at the first row.
    pub fn step(&mut self) {
        let Fields { ex, ey, hz, time } = self;
        let half = T::from(0.5);
        ey.at(0).assign(T::from(*time as f64));
        ey.slice(s![1..]).sub_assign(half * (hz.slice(s![1..]) - hz.slice(s![..-1])));
        ex.slice(s![.., 1..]).sub_assign(half * (hz.slice(s![.., 1..]) - hz.slice(s![.., ..-1])));
        hz.slice(s![..-1, ..-1]).sub_assign(
            T::from(0.7)
                * (ex.slice(s![..-1, 1..]) - ex.slice(s![..-1, ..-1]) + ey.slice(s![1.., ..-1])
                    - ey.slice(s![..-1, ..-1])),
        );
        *time += 1;
    }
}

#[allow(dead_code)]
fn main() {
    let zeros = || DArray::<f64>::zeros((50, 50));
    let mut fields = Fields { ex: zeros(), ey: zeros(), hz: zeros(), time: 0 };
    (0..20).for_each(|_| fields.step());
    let front = fields.hz.abs().max(1);
    println!("magnetic field of the first rows {:.4}", front.slice(s![..4]));

    // A wave goes one row a step, and is the same in every column but the last.
    assert!(front.get([18]) > 0.0 && front.slice(s![20..]).max(..).item() == 0.0);
    let first = fields.hz.slice(s![.., ..1]);
    assert!((fields.hz.slice(s![.., ..20]) - first).abs().max(..).item() < 1e-12);
}

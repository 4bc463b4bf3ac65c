//! Flows of water and air.

use super::{Steps, wide};
use crate::examples::cavity_flow::{self, Cavity};
use crate::examples::channel_flow::Channel;
use crate::examples::miniweather::{Air, Rest};
use crate::examples::{shallow_water, shallow_water3};
use crate::oracles::{self, Float, Flow};
use crate::workload::Workload;
use darray::DArray;

/// Water in a cavity of `n` by `n` points.
pub(crate) fn cavity_flow<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || Cavity::<T>::stirred(n),
        |cavity| cavity.step(cavity_flow::SWEEPS),
        |cavity| wide([&cavity.u, &cavity.v, &cavity.p]),
        move |iterations| {
            let Cavity { u, v, p, .. } = Cavity::<T>::stirred(n);
            let arrays = [u, v, p].map(|a| a.to_vec());
            oracles::flow(arrays, n + 2, Flow::Cavity, [cavity_flow::SWEEPS, iterations])
        },
    )
}

/// Water in a channel of `n` by `n` points, with so many sweeps over the pressure a step.
pub(crate) fn channel_flow<T: Float>(n: usize, sweeps: usize) -> impl Workload {
    Steps::new(
        move || Channel::<T>::stirred(n),
        move |channel| channel.step(sweeps),
        |channel| wide([&channel.u, &channel.v, &channel.p, &channel.change]),
        move |iterations| {
            let Channel { u, v, p, .. } = Channel::<T>::stirred(n);
            let arrays = [u, v, p].map(|a| a.to_vec());
            oracles::flow(arrays, n + 2, Flow::Channel, [sweeps, iterations])
        },
    )
}

/// The level and the momenta of water as arrays of their own.
fn parts<T: Float>(q: &DArray<T>) -> [DArray<T>; 3] {
    [0, 1, 2].map(|part| q.at(part).copy())
}

/// What the water behind a dam becomes.
fn broken_dam<T: Float>(n: usize, iterations: usize) -> Vec<Vec<f64>> {
    let q = parts(&shallow_water::dam::<T>(n)).map(|part| part.to_vec());
    let hill = shallow_water::hill::<T>(n).map(|heights| heights.to_vec());
    oracles::shallow_water(q, hill, n, iterations)
}

/// Water in `n` by `n` cells, in one array.
pub(crate) fn shallow_water<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || (shallow_water::dam::<T>(n), shallow_water::hill(n)),
        |(q, hill)| shallow_water::step(q, hill),
        |(q, _)| wide(parts(q).each_ref()),
        move |iterations| broken_dam::<T>(n, iterations),
    )
}

/// Water in `n` by `n` cells, in three arrays.
pub(crate) fn shallow_water3<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || (parts(&shallow_water::dam::<T>(n)), shallow_water::hill(n)),
        |(q, hill)| shallow_water3::step(q, hill),
        |(q, _)| wide(q.each_ref()),
        move |iterations| broken_dam::<T>(n, iterations),
    )
}

/// Air in `n` rows.
pub(crate) fn miniweather<T: Float>(n: usize) -> impl Workload {
    Steps::new(
        move || Air::<T>::new(n),
        Air::step,
        |air| wide([&air.state]),
        move |iterations| {
            let Air { state, rows, between, .. } = Air::<T>::new(n);
            let [rows, between] = [rows, between].map(|Rest { density, heat, pressure }| {
                [density, heat, pressure].map(|column| column.to_vec())
            });
            oracles::miniweather(state.to_vec(), &rows, &between, n, iterations)
        },
    )
}

//! Bodies that attract each other.

use super::square_sum;
use crate::examples::nbody::Bodies;
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, NewAxis, Result, s};
use std::marker::PhantomData;

/// The time of a step.
const TIME: f64 = 0.01;

/// This many bodies.
pub(crate) struct Attraction<T> {
    n: usize,
    element: PhantomData<T>,
}

impl<T: Float> Attraction<T> {
    pub(crate) fn new(n: usize) -> Attraction<T> {
        Attraction { n, element: PhantomData }
    }
}

/// The step with its axes and terms in another order.
fn reordered<T: Float>(bodies: &mut Bodies<T>) {
    let [dz, dy, dx] = [2, 1, 0].map(|axis| {
        let x = &bodies.position[axis];
        x - x.slice(s![.., NewAxis])
    });
    let squared = &dz * &dz + &dy * &dy + &dx * &dx + T::from(0.01);
    let pull = &bodies.mass / (squared.sqrt() * &squared);
    let acceleration = [dx, dy, dz].map(|d| (&pull * d).sum(1));
    for axis in [2, 1, 0] {
        bodies.velocity[axis] += &acceleration[axis] * T::from(TIME);
        bodies.position[axis] += &bodies.velocity[axis] * T::from(TIME);
    }
}

impl<T: Float> Workload for Attraction<T> {
    const LOOPS: bool = true;
    type State = Bodies<T>;

    fn prepare(&self) -> Bodies<T> {
        Bodies::new(self.n)
    }

    fn iterate(&self, bodies: &mut Bodies<T>, variant: Variant) {
        match variant {
            Variant::Original => bodies.step(TIME),
            Variant::Reordered => reordered(bodies),
            Variant::OneMore => {
                bodies.step(TIME);
                bodies.velocity[0] *= T::from(0.999);
            }
            Variant::Constants => bodies.step(2.0 * TIME),
        }
    }

    fn checksum(&self, bodies: &Bodies<T>) -> Result<Vec<f64>> {
        let sum = |vectors: &[DArray<T>; 3]| -> Result<f64> {
            vectors.iter().map(square_sum).sum::<Result<f64>>()
        };
        Ok(vec![sum(&bodies.position)?, sum(&bodies.velocity)?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        let Bodies { position, velocity, mass } = Bodies::<T>::new(self.n);
        let vectors = |arrays: [DArray<T>; 3]| arrays.map(|array| array.to_vec());
        oracles::nbody(vectors(position), vectors(velocity), &mass.to_vec(), TIME, iterations)
    }
}

//! Jacobi's method.

use super::sum;
use crate::examples::jacobi::{step, system};
use crate::oracles::{self, Float};
use crate::workload::{Variant, Workload};
use darray::{DArray, Result};

/// The system of equations.
pub(crate) struct Equations<T: Float> {
    rest: DArray<T>,
    diagonal: DArray<T>,
    b: DArray<T>,
    /// The diagonal with the other sign, for the step whose difference is taken the other way round.
    negative: DArray<T>,
    /// Another diagonal.
    heavier: DArray<T>,
}

impl<T: Float> Equations<T> {
    pub(crate) fn new(n: usize) -> Equations<T> {
        let (rest, diagonal, b) = system(n);
        let (negative, heavier) = (-&diagonal, T::from(1.5) * &diagonal);
        Equations { rest, diagonal, b, negative, heavier }
    }
}

impl<T: Float> Workload for Equations<T> {
    const LOOPS: bool = true;
    type State = DArray<T>;

    fn prepare(&self) -> DArray<T> {
        DArray::zeros(self.b.shape())
    }

    fn iterate(&self, x: &mut DArray<T>, variant: Variant) {
        let Equations { rest, diagonal, b, negative, heavier } = self;
        *x = match variant {
            Variant::Original => step(rest, diagonal, b, x),
            Variant::Reordered => (rest.dot(x) - b) / negative,
            Variant::OneMore => step(rest, diagonal, b, x) + T::from(0.5),
            Variant::Constants => step(rest, heavier, b, x),
        };
    }

    fn checksum(&self, x: &DArray<T>) -> Result<Vec<f64>> {
        Ok(vec![sum(x)?])
    }

    fn oracle(&self, iterations: usize) -> Vec<f64> {
        let [rest, diagonal, b] = [&self.rest, &self.diagonal, &self.b].map(|input| input.to_vec());
        vec![oracles::jacobi(&rest, &diagonal, &b, iterations)]
    }
}

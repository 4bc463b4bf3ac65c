//! Adam (Kingma and Ba, 2015) for the ten arrays of parameters of a network.

use darray::{DArray, Float, default_rng};

const RATE: f64 = 1e-3;
const DECAYS: [f64; 2] = [0.9, 0.999];
const EPSILON: f64 = 1e-8;

/// Parameters, their gradients, and the means of those and of their squares.
pub struct Adam<T: Float> {
    /// Parameters.
    pub parameters: Vec<DArray<T>>,
    /// The gradient of each.
    pub gradients: Vec<DArray<T>>,
    means: Vec<DArray<T>>,
    squares: Vec<DArray<T>>,
    /// Steps so far.
    steps: i32,
}

impl<T: Float> Adam<T> {
    /// Weights and shifts of five layers of about `n` units, random as their gradients.
    pub fn new(n: usize) -> Adam<T> {
        let half = n.div_ceil(2);
        let mut random = default_rng(4);
        let mut draw = || -> Vec<DArray<T>> {
            let weights = [(n, n), (n, 2 * n), (2 * n, n), (n, half), (half, 10)];
            let shapes =
                weights.into_iter().flat_map(|(rows, columns)| [(rows, columns), (rows, 1)]);
            shapes.map(|shape| (random.random(shape) - 0.5).cast()).collect()
        };
        Adam::of(draw(), draw())
    }

    /// These parameters, with gradients that stay.
    pub fn of(parameters: Vec<DArray<T>>, gradients: Vec<DArray<T>>) -> Adam<T> {
        let zeros = || parameters.iter().map(|p| DArray::zeros(p.shape())).collect();
        let (means, squares) = (zeros(), zeros());
        Adam { parameters, gradients, means, squares, steps: 0 }
    }

    /// One step.
    pub fn step(&mut self) {
        self.steps += 1;
        let k = T::from;
        let [b1, b2] = DECAYS;
        for at in 0..self.parameters.len() {
            let g = &self.gradients[at];
            let m = k(b1) * &self.means[at] + k(1.0 - b1) * g;
            let v = k(b2) * &self.squares[at] + k(1.0 - b2) * g * g;
            let mean = &m / k(1.0 - b1.powi(self.steps));
            let square = &v / k(1.0 - b2.powi(self.steps));
            self.parameters[at] -= k(RATE) * mean / (square.sqrt() + k(EPSILON));
            (self.means[at], self.squares[at]) = (m, v);
        }
    }
}

#[allow(dead_code)]
fn main() {
    let mut adam = Adam::<f64>::new(10);
    let before = adam.parameters.clone();
    (0..10).for_each(|_| adam.step());

    // With gradients that stay each step is as long as the rate says, against the gradient.
    for ((after, before), gradient) in adam.parameters.iter().zip(before).zip(&adam.gradients) {
        let expected = before - 10.0 * RATE * gradient.sign();
        assert!((after - expected).abs().max(..).item() < 1e-5);
    }
    println!("{} arrays, first {:.4}", adam.parameters.len(), adam.parameters[0].get([0, 0]));
}

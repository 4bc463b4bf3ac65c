//! Random loops over few arrays, each of which is replaced by reductions and broadcasts of the others.

use darray::Fallible;
use darray::Result;
use darray::prelude::*;
use darray_testkit::Random;

/// Iterations, none of which is flushed.
const ITERATIONS: usize = 120;

/// Shapes of arrays of about a megabyte: rows that are short, long, and neither.
const SHAPES: [[usize; 2]; 5] = [[300, 500], [1000, 200], [40, 4000], [3000, 64], [700, 700]];

/// What the loop of a seed comes to: the bits of its arrays.
///
/// # Errors
/// If reading an array fails.
pub fn run_loop(seed: u64) -> Result<Vec<Vec<u64>>> {
    let mut random = Random::new(seed);
    let shape = random.pick(&SHAPES);
    let mut arrays: Vec<DArray<f64>> =
        (0..random.between(2, 4)).map(|number| default_rng(number as u64).random(shape)).collect();
    let steps: Vec<Step> = (0..random.between(2, 7)).map(|_| Step::draw(&mut random)).collect();
    for _ in 0..ITERATIONS {
        let mut temporary = None;
        steps.iter().for_each(|step| step.take(&mut arrays, &mut temporary));
        if let Some(temporary) = temporary {
            arrays[0] = temporary.tanh() + &arrays[0] * 0.1;
        }
    }
    let bits = |array: &DArray<f64>| {
        let bits = |value: f64| if value.is_nan() { 0 } else { value.to_bits() };
        Ok(array.try_to_vec()?.into_iter().map(bits).collect())
    };
    arrays.iter().map(bits).collect()
}

/// A few statements of an iteration. What it draws stands for all iterations.
struct Step {
    kind: usize,
    reduction: usize,
    axis: isize,
    /// Arrays, counted from the first one round.
    arrays: [usize; 3],
    /// Whether it reads the temporary array rather than the last of these, if there is one.
    of_temporary: bool,
}

impl Step {
    fn draw(random: &mut Random) -> Step {
        Step {
            kind: random.below(12),
            reduction: random.below(7),
            axis: random.below(2) as isize,
            arrays: [(); 3].map(|()| random.below(12)),
            of_temporary: random.chance(33),
        }
    }

    /// One number a row or column of an array, or one of all.
    fn reduce(&self, array: &DArray<f64>, other: &DArray<f64>) -> DArray<f64> {
        let axis = axis(self.axis).keepdims();
        match self.reduction {
            0 => array.sum(axis),
            1 => array.max(axis),
            2 => array.mean(axis),
            3 => array.norm(axis),
            4 => array.var(axis),
            5 => array.sum(..),
            _ => (array * other).sum(axis),
        }
    }

    fn take(&self, arrays: &mut [DArray<f64>], temporary: &mut Option<DArray<f64>>) {
        let [to, other, from] = self.arrays.map(|array| array % arrays.len());
        let read = match temporary {
            Some(temporary) if self.of_temporary => temporary.alias(),
            _ => arrays[from].alias(),
        };
        let reduced = self.reduce(&read, &arrays[other]);
        match self.kind {
            0 => arrays[to] = &arrays[to] / (1.0 + reduced.abs()),
            1 => arrays[to] = &arrays[to] - 0.1 * reduced.tanh(),
            2 => arrays[to] = (&arrays[to] - &read * 0.5).tanh(),
            3 => *temporary = Some(&arrays[to] - reduced.sin()),
            4 => {
                let e = (-read.abs()).exp();
                arrays[to] = &e / e.sum(axis(self.axis).keepdims()) + 0.1;
            }
            5 => {
                let mut updated = arrays[to].alias();
                updated *= 0.9;
                updated += reduced.tanh();
            }
            6 => arrays[to].assign(&read / (1.0 + read.abs()) + reduced.cos() * 0.1),
            7 => {
                let copy = arrays[to].clone();
                let mut updated = arrays[to].alias();
                updated += 0.5;
                arrays[other] = copy * 0.9;
            }
            8 => arrays[to] = read.gt(&reduced).select(&read * 0.5, reduced.tanh() + 0.1),
            9 => arrays[to] = arrays[to].roll(1, self.axis) * 0.5 + read.tanh(),
            10 => arrays.swap(to, other),
            _ => *temporary = Some(&read * 2.0 + reduced.tanh()),
        }
    }
}

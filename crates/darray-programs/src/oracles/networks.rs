//! Layers of networks and how they learn, number by number.

use super::{Float, real, wides};

/// A matrix in row-major order, and its columns.
type Matrix<'a, T> = (&'a [T], usize);

/// Rows through softmax, so many times.
pub(crate) fn softmax<T: Float>(mut x: Vec<T>, width: usize, iterations: usize) -> Vec<Vec<f64>> {
    for _ in 0..iterations {
        x.chunks_mut(width).for_each(to_parts);
    }
    wides([&x])
}

/// Powers of `e` as parts of their sum.
fn to_parts<T: Float>(row: &mut [T]) {
    let most = row.iter().fold(row[0], |most, &x| if x > most { x } else { most });
    row.iter_mut().for_each(|x| *x = (*x - most).exp());
    let sum = total(row);
    row.iter_mut().for_each(|x| *x = *x / sum);
}

fn total<T: Float>(row: &[T]) -> T {
    row.iter().fold(T::zero(), |sum, &x| sum + x)
}

/// Mean and variance.
fn moments<T: Float>(row: &[T]) -> (T, T) {
    let count = real::<T>(row.len() as f64);
    let mean = total(row) / count;
    let squares: Vec<T> = row.iter().map(|&x| (x - mean) * (x - mean)).collect();
    (mean, total(&squares) / count)
}

/// Rows normalised, scaled and shifted, so many times.
pub(crate) fn layernorm<T: Float>(
    mut x: Vec<T>,
    scale: &[T],
    shift: &[T],
    iterations: usize,
) -> Vec<Vec<f64>> {
    let rows = x.len() / scale.len();
    for row in (0..iterations).flat_map(|_| 0..rows) {
        let row = &mut x[row * scale.len()..][..scale.len()];
        let (mean, variance) = moments(row);
        let deviation = (variance + real::<T>(1e-5)).sqrt();
        for ((x, &scale), &shift) in row.iter_mut().zip(scale).zip(shift) {
            *x = (*x - mean) / deviation * scale + shift;
        }
    }
    wides([&x])
}

fn product<T: Float>((a, inner): Matrix<T>, (b, width): Matrix<T>) -> Vec<T> {
    let row =
        |a: &[T], x: usize| (0..inner).fold(T::zero(), |sum, i| sum + a[i] * b[i * width + x]);
    a.chunks(inner).flat_map(|a| (0..width).map(move |x| row(a, x))).collect()
}

fn transposed<T: Float>((a, width): Matrix<T>) -> Vec<T> {
    let height = a.len() / width;
    (0..a.len()).map(|at| a[at % height * width + at / height]).collect()
}

/// Sequences of tokens through attention, so many times; `matrices` are of queries, keys and values, `width` by `width` for each head.
pub(crate) fn attention<T: Float>(
    mut x: Vec<T>,
    matrices: &[Vec<T>; 3],
    [heads, tokens, width]: [usize; 3],
    iterations: usize,
) -> Vec<Vec<f64>> {
    for _ in 0..iterations {
        for (at, x) in x.chunks_mut(tokens * width).enumerate() {
            let head = at % heads * width * width;
            let [q, k, v] = [0, 1, 2].map(|which| {
                product((x, width), (&matrices[which][head..][..width * width], width))
            });
            let mut weights = product((&q, width), (&transposed((&k, width)), tokens));
            let root = real::<T>((width as f64).sqrt());
            weights.iter_mut().for_each(|w| *w = *w / root);
            weights.chunks_mut(tokens).for_each(to_parts);
            let seen = product((&weights, tokens), (&v, width));
            x.iter_mut().zip(seen).for_each(|(x, seen)| *x = seen + *x);
            for token in x.chunks_mut(width) {
                let (mean, variance) = moments(token);
                let deviation = variance.sqrt() + real::<T>(1e-5);
                token.iter_mut().for_each(|x| *x = (*x - mean) / deviation);
            }
        }
    }
    wides([&x])
}

/// Weights and shifts of two layers and the last loss after so many steps.
pub(crate) fn mlp<T: Float>(
    (x, y): (&[T], &[T]),
    [mut w1, mut w2]: [Vec<T>; 2],
    [features, hidden, classes]: [usize; 3],
    iterations: usize,
) -> Vec<Vec<f64>> {
    let (mut b1, mut b2) = (vec![T::zero(); hidden], vec![T::zero(); classes]);
    let count = real::<T>((x.len() / features) as f64);
    let mut loss = T::zero();
    let column_sums = |a: &[T], width: usize| -> Vec<T> {
        let column = |x: usize| a.chunks(width).fold(T::zero(), |sum, row| sum + row[x]);
        (0..width).map(column).collect()
    };
    let descend = |from: &mut [T], slope: &[T]| {
        from.iter_mut().zip(slope).for_each(|(w, &d)| *w = *w - real::<T>(0.1) * d);
    };
    for _ in 0..iterations {
        let mut z1 = product((x, features), (&w1, hidden));
        z1.iter_mut().enumerate().for_each(|(at, z)| *z = *z + b1[at % hidden]);
        let h: Vec<T> = z1.iter().map(|&z| if z > T::zero() { z } else { T::zero() }).collect();
        let mut p = product((&h, hidden), (&w2, classes));
        p.iter_mut().enumerate().for_each(|(at, z)| *z = *z + b2[at % classes]);
        p.chunks_mut(classes).for_each(to_parts);
        let terms: Vec<T> =
            p.iter().zip(y).map(|(&p, &y)| y * (p + real::<T>(1e-12)).ln()).collect();
        loss = -total(&terms) / count;
        let dz2: Vec<T> = p.iter().zip(y).map(|(&p, &y)| (p - y) / count).collect();
        let dw2 = product((&transposed((&h, hidden)), h.len() / hidden), (&dz2, classes));
        let dh = product((&dz2, classes), (&transposed((&w2, classes)), hidden));
        let passed = |(&dh, &z): (&T, &T)| if z > T::zero() { dh } else { T::zero() };
        let dz1: Vec<T> = dh.iter().zip(&z1).map(passed).collect();
        let dw1 = product((&transposed((x, features)), h.len() / hidden), (&dz1, hidden));
        descend(&mut w1, &dw1);
        descend(&mut b1, &column_sums(&dz1, hidden));
        descend(&mut w2, &dw2);
        descend(&mut b2, &column_sums(&dz2, classes));
    }
    wides([&w1, &b1, &w2, &b2, &[loss]])
}

/// One array of parameters after so many steps.
pub(crate) fn adam<T: Float>(
    mut parameters: Vec<T>,
    gradient: &[T],
    iterations: usize,
) -> Vec<f64> {
    let k = real::<T>;
    for (p, &g) in parameters.iter_mut().zip(gradient) {
        let (mut m, mut v) = (T::zero(), T::zero());
        for step in 1..=iterations as i32 {
            m = k(0.9) * m + k(1.0 - 0.9) * g;
            v = k(0.999) * v + k(1.0 - 0.999) * g * g;
            let mean = m / k(1.0 - 0.9f64.powi(step));
            let square = v / k(1.0 - 0.999f64.powi(step));
            *p = *p - k(1e-3) * mean / (square.sqrt() + k(1e-8));
        }
    }
    wides([&parameters]).remove(0)
}

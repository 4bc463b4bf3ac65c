//! Programs over independent elements, points and samples.

use super::{Float, real, square_sum, sum, wide};

/// The sums of the prices of calls and puts.
pub(crate) fn black_scholes<T: Float>(s: &[T], x: &[T], t: &[T], constants: [f64; 2]) -> Vec<f64> {
    let [rate, volatility] = constants.map(real::<T>);
    let (one, half) = (T::one(), real::<T>(0.5));
    let normal = |d: T| {
        let k = one / (one + real::<T>(0.2316419) * d.abs());
        let terms = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
        let series =
            terms.iter().rev().fold(T::zero(), |series, &term| k * (real::<T>(term) + series));
        let tail = real::<T>(0.3989422804) * (-half * d * d).exp() * series;
        if d > T::zero() { one - tail } else { tail }
    };
    let (mut calls, mut puts) = (Vec::new(), Vec::new());
    for ((&s, &x), &t) in s.iter().zip(x).zip(t) {
        let deviation = volatility * t.sqrt();
        let d1 = ((s / x).ln() + (rate + half * volatility * volatility) * t) / deviation;
        let (n1, n2) = (normal(d1), normal(d1 - deviation));
        let discounted = x * (-rate * t).exp();
        calls.push(s * n1 - discounted * n2);
        puts.push(discounted * (one - n2) - s * (one - n1));
    }
    vec![sum(&calls), sum(&puts)]
}

/// The sum of the products of two vectors, or of the first alone where the second is empty.
pub(crate) fn product<T: Float>(x: &[T], y: &[T]) -> f64 {
    match y {
        [] => sum(x),
        _ => x.iter().zip(y).map(|(&x, &y)| wide(x) * wide(y)).sum(),
    }
}

/// The steps that all points take together: `re` are the columns' real parts, `im` the rows' imaginary
/// parts.
pub(crate) fn mandelbrot<T: Float>(re: &[T], im: &[T], iterations: usize) -> f64 {
    let mut steps = 0;
    for &ci in im {
        for &cr in re {
            let (mut x, mut y) = (T::zero(), T::zero());
            for _ in 0..iterations {
                let (x2, y2) = (x * x, y * y);
                if x2 + y2 >= real(4.0) {
                    break;
                }
                (x, y) = (x2 - y2 + cr, real::<T>(2.0) * x * y + ci);
                steps += 1;
            }
        }
    }
    steps as f64
}

/// The sum of the weights without their signs.
pub(crate) fn logistic_regression<T: Float>(x: &[T], y: &[T], rate: f64, iterations: usize) -> f64 {
    let features = x.len() / y.len();
    let mut w = vec![T::zero(); features];
    for _ in 0..iterations {
        let mut gradient = vec![T::zero(); features];
        for (sample, &class) in x.chunks(features).zip(y) {
            let score = sample.iter().zip(&w).fold(T::zero(), |score, (&x, &w)| score + x * w);
            let error = class - T::one() / (T::one() + (-score).exp());
            for (g, &x) in gradient.iter_mut().zip(sample) {
                *g = *g + x * error;
            }
        }
        for (w, g) in w.iter_mut().zip(gradient) {
            *w = *w + real::<T>(rate) * g;
        }
    }
    w.iter().map(|&w| sum(&[w.abs()])).sum()
}

/// The sums of the squares of all coordinates and of all velocities.
pub(crate) fn nbody<T: Float>(
    mut position: [Vec<T>; 3],
    mut velocity: [Vec<T>; 3],
    mass: &[T],
    time: f64,
    iterations: usize,
) -> Vec<f64> {
    let n = mass.len();
    let time = real::<T>(time);
    for _ in 0..iterations {
        for i in 0..n {
            for j in 0..n {
                let distance = [0, 1, 2].map(|axis| position[axis][j] - position[axis][i]);
                let squared = distance.iter().fold(real::<T>(0.01), |total, &d| total + d * d);
                let pull = mass[j] / (squared * squared.sqrt());
                for axis in 0..3 {
                    velocity[axis][i] = velocity[axis][i] + time * distance[axis] * pull;
                }
            }
        }
        for axis in 0..3 {
            for i in 0..n {
                position[axis][i] = position[axis][i] + time * velocity[axis][i];
            }
        }
    }
    vec![position.iter().map(|x| square_sum(x)).sum(), velocity.iter().map(|v| square_sum(v)).sum()]
}

/// Sum and sum of squares of the centers' coordinates; the first points are the first centers.
pub(crate) fn kmeans<T: Float>(
    points: &[T],
    dimensions: usize,
    clusters: usize,
    iterations: usize,
) -> Vec<f64> {
    let clusters = clusters.min(points.len() / dimensions);
    let mut centers = points[..clusters * dimensions].to_vec();
    for _ in 0..iterations {
        let mut totals = vec![T::zero(); centers.len()];
        let mut members = vec![0; clusters];
        for point in points.chunks(dimensions) {
            let mut nearest = (0, real(f64::INFINITY));
            for (cluster, center) in centers.chunks(dimensions).enumerate() {
                let squares = point.iter().zip(center).map(|(&p, &c)| (p - c) * (p - c));
                let distance = squares.fold(T::zero(), |total, square| total + square);
                if distance < nearest.1 {
                    nearest = (cluster, distance);
                }
            }
            members[nearest.0] += 1;
            let total = &mut totals[nearest.0 * dimensions..][..dimensions];
            total.iter_mut().zip(point).for_each(|(total, &p)| *total = *total + p);
        }
        for (at, center) in centers.iter_mut().enumerate() {
            if members[at / dimensions] > 0 {
                *center = totals[at] / real::<T>(members[at / dimensions] as f64);
            }
        }
    }
    vec![sum(&centers), square_sum(&centers)]
}

//! Distributions: their formulas on NumPy's draws, and their statistics.

use crate::devices::everywhere;
use darray::{DArray, Generator, default_rng};

#[test]
fn numbers_are_their_formulas_of_numpys_draws() {
    everywhere(|_| {
        let mut checked = 0;
        for line in include_str!("../numpy/distributions.txt").lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let start = if words[0] == "philox" { Generator::philox } else { default_rng };
            let rng = || start(words[1].parse().unwrap());
            let n: usize = words[2].parse().unwrap();
            if n != 0 {
                continue;
            }
            let uniform = rng().uniform(-2.5, 1e3, (4, 500)).to_vec();
            let integers = rng().integers(-7, 1_000_000_000_000, 2000).to_vec();
            let normal = rng().standard_normal((2, 20, 50)).to_vec();
            let exponential = rng().standard_exponential(2000).to_vec();
            let prefix = format!("{} {} ", words[0], words[1]);
            let same = |line: &&str| line.starts_with(&prefix);
            for line in include_str!("../numpy/distributions.txt").lines().filter(same) {
                let words: Vec<&str> = line.split(' ').collect();
                let n: usize = words[2].parse().unwrap();
                assert_eq!(uniform[n], words[3].parse::<f64>().unwrap(), "{line}");
                assert_eq!(integers[n], words[4].parse::<i64>().unwrap(), "{line}");
                assert_near(normal[n], words[5].parse().unwrap(), line);
                assert_near(exponential[n], words[6].parse().unwrap(), line);
                checked += 1;
            }
        }
        assert_eq!(checked, 176);
    });
}

fn assert_near(found: f64, wanted: f64, line: &str) {
    assert!((found - wanted).abs() <= 4e-15 * wanted.abs(), "{found:?} {wanted:?}: {line}");
}

#[test]
fn scaled_distributions_are_those_of_the_standard_ones() {
    let rng = || Generator::philox(3);
    let standard = rng().standard_normal(500).to_vec();
    let scaled: Vec<f64> = standard.iter().map(|z| z * 0.25 + -3.0).collect();
    assert_eq!(rng().normal(-3.0, 0.25, 500).to_vec(), scaled);
    let standard = rng().standard_exponential(500).to_vec();
    let scaled: Vec<f64> = standard.iter().map(|x| x * 7.5).collect();
    assert_eq!(rng().exponential(7.5, 500).to_vec(), scaled);
    assert_eq!(rng().normal(2.0, 0.0, 3).to_vec(), [2.0; 3]);
    assert_eq!(rng().uniform(4.0, 4.0, 2).to_vec(), [4.0; 2]);
    assert_eq!(rng().integers(i64::MIN, i64::MAX, 1).to_vec().len(), 1);
    assert_eq!(rng().integers(5, 6, 100).to_vec(), [5; 100]);
    let single: DArray<f32> = rng().try_standard_normal_as(100).unwrap();
    assert_eq!(single.to_vec(), rng().standard_normal(100).cast::<f32>().to_vec());
}

#[test]
fn every_distribution_takes_one_draw_for_each_element() {
    let mut rng = default_rng(1);
    let _ = rng.standard_normal((2, 3));
    let _ = rng.standard_exponential(5);
    let _ = rng.integers(0, 10, (1, 4));
    let _ = rng.uniform(0.0, 2.0, 1);
    let _ = rng.normal(0.0, 1.0, 0);
    assert_eq!(rng.random(4).to_vec(), default_rng(1).random(20).to_vec()[16..]);
}

#[test]
fn wrong_arguments_are_refused_and_do_not_move_the_stream() {
    let mut rng = default_rng(1);
    let message = |error: darray::Error| error.to_string();
    for (found, wanted) in [
        (rng.try_uniform(1.0, 0.5, 3).map_err(message), "uniform: high 0.5 is below low 1.0"),
        (
            rng.try_uniform(-1e308, 1e308, 3).map_err(message),
            "uniform: the range from -1e308 to 1e308 is not finite",
        ),
        (
            rng.try_uniform(f64::NAN, 1.0, 3).map_err(message),
            "uniform: the range from NaN to 1.0 is not finite",
        ),
        (rng.try_normal(0.0, -0.0, 3).map_err(message), "normal: the deviation -0.0 is negative"),
        (rng.try_exponential(-2.0, 3).map_err(message), "exponential: the mean -2.0 is negative"),
        (rng.try_normal(0.0, 1.0, -3).map_err(message), "normal: extent -3 is negative"),
        (
            rng.try_integers(4, -4, 3).map(|x| x.cast()).map_err(message),
            "integers: no integer in 4..-4",
        ),
    ] {
        let found = found.unwrap_err();
        assert!(found.starts_with(wanted) && found.contains("distributions.rs:"), "{found}");
    }
    assert_eq!(rng.random(2).to_vec(), default_rng(1).random(2).to_vec());
}

/// As many as fit a test; deviations of a hundredth show.
const COUNT: usize = 400_000;

/// The largest distance between the distribution of `numbers` and `distribution`, times the root
/// of their number (Kolmogorov and Smirnov): above 1.95 once in 1,000 times.
fn distance(mut numbers: Vec<f64>, distribution: fn(f64) -> f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len() as f64;
    let distance = numbers.iter().enumerate().map(|(k, &x)| {
        let p = distribution(x);
        (p - k as f64 / count).abs().max(((k + 1) as f64 / count - p).abs())
    });
    distance.fold(0.0, f64::max) * count.sqrt()
}

const LIMIT: f64 = 1.95;

fn uniform(x: f64) -> f64 {
    x.clamp(0.0, 1.0)
}

fn exponential(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { 1.0 - (-x).exp() }
}

/// The normal distribution: the integral of its density by Simpson's rule.
fn normal(x: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
    let (steps, end) = (40, x.clamp(-8.0, 8.0));
    let h = end / steps as f64;
    let weight = |k: usize| if k == 0 || k == steps { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
    0.5 + (0..=steps).map(|k| weight(k) * density(h * k as f64)).sum::<f64>() * h / 3.0
}

#[test]
fn distributions_are_those_that_they_say() {
    for start in [Generator::pcg64, Generator::philox] {
        for seed in [1, 2] {
            let mut rng = start(seed);
            let u = distance(rng.random(COUNT).to_vec(), uniform);
            let singles = rng.random_as::<f32>(COUNT).cast::<f64>();
            let s = distance(singles.to_vec(), uniform);
            let z = distance(rng.standard_normal(COUNT).to_vec(), normal);
            let e = distance(rng.standard_exponential(COUNT).to_vec(), exponential);
            println!("{u:.2} {s:.2} {z:.2} {e:.2}");
            assert!([u, s, z, e].iter().all(|&d| d < LIMIT), "{seed}: {u} {s} {z} {e}");
        }
    }
}

/// What would be wrong does not pass.
#[test]
fn the_distance_sees_small_errors() {
    let rng = || default_rng(1);
    let z = rng().standard_normal(COUNT);
    assert!(distance(z.to_vec(), normal) < LIMIT);
    assert!(distance((&z * 1.02).to_vec(), normal) > LIMIT);
    assert!(distance((&z + 0.01).to_vec(), normal) > LIMIT);
    assert!(distance(z.abs().to_vec(), normal) > LIMIT);
    let e = rng().standard_exponential(COUNT);
    assert!(distance((&e * 1.02).to_vec(), exponential) > LIMIT);
    let u = rng().random(COUNT);
    assert!(distance((&u * 0.99).to_vec(), uniform) > LIMIT);
}

#[test]
fn moments_and_neighbours() {
    for start in [Generator::pcg64, Generator::philox] {
        let z = start(7).standard_normal(COUNT);
        let moment = |power: i32| z.powi(power).mean(..).item();
        // Four standard errors: the variances of z^1 .. z^4 are 1, 2, 15 and 96.
        for (power, wanted, variance) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
        {
            let error = (variance / COUNT as f64).sqrt();
            let found: f64 = moment(power);
            assert!((found - wanted).abs() < 4.0 * error, "{power}: {found}");
        }
        let values = z.to_vec();
        let lag: f64 = values.windows(2).map(|w| w[0] * w[1]).sum::<f64>() / COUNT as f64;
        assert!(lag.abs() < 4.0 / (COUNT as f64).sqrt(), "{lag}");
        // Beyond 3 and 4 lie 2.6998e-3 and 6.334e-5 of all.
        for (beyond, share) in [(3.0, 2.6998e-3), (4.0, 6.334e-5)] {
            let wanted = share * COUNT as f64;
            let found = values.iter().filter(|x| x.abs() > beyond).count() as f64;
            assert!((found - wanted).abs() < 4.0 * wanted.sqrt(), "{beyond}: {found} {wanted}");
        }
    }
}

#[test]
fn integers_are_equally_likely() {
    for (start, low, high) in
        [(Generator::pcg64 as fn(u64) -> Generator, -3i64, 4), (Generator::philox, 0, 1000)]
    {
        let mut counts = vec![0.0; (high - low) as usize];
        for integer in start(11).integers(low, high, COUNT).to_vec() {
            counts[(integer - low) as usize] += 1.0;
        }
        let each = COUNT as f64 / counts.len() as f64;
        let square: f64 = counts.iter().map(|c| (c - each) * (c - each) / each).sum();
        // The mean and five standard deviations of chi-square.
        let freedom = (counts.len() - 1) as f64;
        assert!(square < freedom + 5.0 * (2.0 * freedom).sqrt(), "{square} for {freedom}");
        assert!(square > freedom - 5.0 * (2.0 * freedom).sqrt(), "{square} for {freedom}");
    }
}

//! Functions of complex arrays beside true values and NumPy's, and reductions beside plain loops.
//!
//! `complex_references.txt` is written by `tests/ulp/complex.py`: a line per argument, with a function, a type,
//! and as bits the parts of the argument and of the result.

use crate::complex::{C, c};
use crate::devices::everywhere;
use darray::{Complex, ComplexNumber, ComplexPart, DArray, Norm, Runtime, axes, axis, s};
use std::collections::BTreeMap;

const REFERENCES: &str = include_str!("../complex_references.txt");

/// A function by NumPy's name, and how many ulps the documentation promises of each part.
type Named<Z> = (&'static str, fn(&DArray<Z>) -> DArray<Z>, u64);

fn functions<Z: ComplexNumber>() -> [Named<Z>; 17] {
    [
        ("exp", DArray::exp, 4),
        ("log", DArray::ln, 4),
        ("log10", DArray::log10, 4),
        ("log2", DArray::log2, 4),
        ("sqrt", DArray::sqrt, 4),
        ("sin", DArray::sin, 4),
        ("cos", DArray::cos, 4),
        ("tan", DArray::tan, 8),
        ("sinh", DArray::sinh, 4),
        ("cosh", DArray::cosh, 4),
        ("tanh", DArray::tanh, 8),
        ("arcsin", DArray::asin, 6),
        ("arccos", DArray::acos, 6),
        ("arctan", DArray::atan, 6),
        ("arcsinh", DArray::asinh, 6),
        ("arccosh", DArray::acosh, 6),
        ("arctanh", DArray::atanh, 6),
    ]
}

/// Arguments and results of every function of a type, as the bits of their parts.
fn references(dtype: &str) -> BTreeMap<&'static str, Vec<[u64; 4]>> {
    let mut functions: BTreeMap<&str, Vec<[u64; 4]>> = BTreeMap::new();
    for line in REFERENCES.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[1] == dtype {
            let bits = |word: &str| u64::from_str_radix(word, 16).expect("bits");
            let numbers = [2, 3, 4, 5].map(|at| bits(words[at]));
            functions.entry(words[0]).or_default().push(numbers);
        }
    }
    functions
}

/// How many numbers of the type lie between two; none may be passed for zeros, infinities and NaN.
fn distance<T: num_traits::Float>(found: T, wanted: T, bits: fn(T) -> u64) -> u64 {
    let special = wanted == T::zero() || !wanted.is_finite();
    match (found.is_nan(), wanted.is_nan()) {
        (true, true) => 0,
        (false, false) if special && found.is_finite() && wanted != T::zero() => {
            // Next to what overflows.
            bits(wanted).abs_diff(bits(found))
        }
        (false, false) if found.is_sign_negative() == wanted.is_sign_negative() => {
            bits(wanted).abs_diff(bits(found))
        }
        _ => u64::MAX,
    }
}

fn check<T: ComplexPart + num_traits::Float>(
    dtype: &str,
    from_bits: fn(u64) -> T,
    to_bits: fn(T) -> u64,
) {
    let references = references(dtype);
    let mut checked = 0;
    for (name, function, limit) in functions::<T::WithComplex>() {
        let lines = &references[name];
        let part = |at: usize| lines.iter().map(move |line| from_bits(line[at]));
        let z = part(0).zip(part(1)).map(|(re, im)| T::WithComplex::of_parts(re, im)).collect();
        let results = function(&DArray::from_vec(z)).to_vec();
        for (line, found) in lines.iter().zip(results) {
            let [x, y, re, im] = line.map(from_bits);
            // Results are the nearest numbers to the true values.
            let [found_re, found_im] = found.parts();
            let far = distance(found_re, re, to_bits).max(distance(found_im, im, to_bits));
            assert!(
                far <= limit + 1,
                "{name} of {x:?} {y:?} is {found:?}, not {re:?} {im:?}, {far} numbers away"
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 17 * (40 + 49), "references");
}

#[test]
fn functions_are_as_accurate_as_documented() {
    everywhere(|_| {
        check::<f64>("f64", f64::from_bits, f64::to_bits);
        check::<f32>("f32", |bits| f32::from_bits(bits as u32), |x| u64::from(x.to_bits()));
    });
}

fn random(n: usize) -> Vec<C> {
    let mut random = darray::default_rng(7);
    let (re, im) = (random.random(n).to_vec(), random.random(n).to_vec());
    re.into_iter().zip(im).map(|(re, im)| c(2.0 * re - 1.0, 2.0 * im - 1.0)).collect()
}

#[track_caller]
fn assert_near(found: &[C], expected: &[C]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).norm() <= 1e-13 * b.norm().max(1e-3), "{a} is not {b}");
    }
}

#[test]
fn powers_are_products_and_exponentials() {
    everywhere(|_| {
        let n = random(50);
        let z = DArray::from_vec(n.clone());
        for k in [-7, -2, -1, 0, 1, 2, 3, 8, 13] {
            let expected: Vec<C> = n.iter().map(|z| z.powi(k)).collect();
            assert_near(&z.powi(k).to_vec(), &expected);
            assert_eq!(z.pow(i64::from(k)).to_vec(), z.powi(k).to_vec());
        }
        let each = |f: &dyn Fn(&C) -> C| n.iter().map(f).collect::<Vec<C>>();
        assert_near(&z.pow(-1.5).to_vec(), &each(&|z| z.powf(-1.5)));
        assert_near(&z.pow(c(0.5, 2.0)).to_vec(), &each(&|z| z.powc(c(0.5, 2.0))));
        assert_near(&z.pow(&z).to_vec(), &each(&|z| z.powc(*z)));
        assert_near(&z.pow(z.real()).to_vec(), &each(&|z| z.powf(z.re)));
        assert_near(&z.square().to_vec(), &each(&|z| z * z));
        // np.power of 0 and to 0.
        let special = DArray::from_vec(vec![c(0.0, 0.0), c(f64::NAN, 0.0)]);
        let text = |w: DArray<Complex<f64>>| w.to_string();
        assert_eq!(text(special.pow(c(0.0, 0.0))), "[1.+0.j 1.+0.j]");
        let zero = special.slice(s![..1]);
        let exponents = [c(0.0, 0.0), c(1.0, 1.0), c(0.0, 1.0), c(-1.0, 1.0), c(2.5, 0.0)];
        let powers = zero.pow(DArray::from_vec(exponents.to_vec()));
        assert_eq!(text(powers), "[ 1. +0.j  0. +0.j nan+nanj nan+nanj  0. +0.j]");
        assert_eq!(text(zero.pow(DArray::from_vec(vec![-0.5, 0.5]))), "[nan+nanj  0. +0.j]");
        // So also by whole scalars, which are products.
        for exponent in [-1i64, -2, -99] {
            assert_eq!(text(zero.pow(exponent)), "[nan+nanj]");
            assert_eq!(text(zero.pow(c(exponent as f64, 0.0))), "[nan+nanj]");
            assert_eq!(text(zero.pow(DArray::from_vec(vec![exponent]))), "[nan+nanj]");
        }
        assert_eq!(text(zero.pow(3)), "[0.+0.j]");
    });
}

#[test]
fn distances_and_angles_are_those_of_the_parts() {
    everywhere(|_| {
        let n = random(37);
        let z = DArray::from_vec(n.clone());
        assert_eq!(z.abs().to_vec(), z.real().hypot(z.imag()).to_vec());
        assert_eq!(z.arg().to_vec(), z.imag().atan2(z.real()).to_vec());
        let squares: Vec<f64> = n.iter().map(|z| z.re * z.re + z.im * z.im).collect();
        assert_eq!(z.norm_sqr().to_vec(), squares);
        assert_eq!(z.conj().to_vec(), n.iter().map(C::conj).collect::<Vec<C>>());
    });
}

#[test]
fn reductions_are_those_of_numpy() {
    everywhere(|_| {
        let n = random(3 * 7 * 5);
        let z = DArray::from_shape_vec((3, 7, 5), n.clone());
        let total: C = n.iter().sum();
        let count = n.len() as f64;
        assert_near(&[z.sum(..).item(), z.mean(..).item()], &[total, total / count]);
        assert_near(&[z.prod(..).item()], &[n.iter().product()]);
        let spread = n.iter().map(|z| (z - total / count).norm_sqr()).sum::<f64>();
        assert!((z.var(..).item() - spread / count).abs() < 1e-14);
        assert!((z.std(axes(..).ddof(1)).item() - (spread / (count - 1.0)).sqrt()).abs() < 1e-14);
        let norm = n.iter().map(C::norm_sqr).sum::<f64>().sqrt();
        assert!((z.norm(..).item() - norm).abs() < 1e-14);
        let largest = n.iter().map(|z| z.re.hypot(z.im)).fold(0.0, f64::max);
        assert!((z.norm(axes(..).ord(Norm::Inf)).item() - largest).abs() < 1e-15);
        for axis in 0..3isize {
            let expected = (0..z.shape()[axis as usize] as isize).map(|k| {
                let mut index = vec![darray::Ix::from(..); 3];
                index[axis as usize] = darray::Ix::from(k);
                z.slice(index)
            });
            let (sum, product) = expected.fold((None, None), |(sum, product), row| {
                let sum = sum.map_or_else(|| row.copy(), |sum: DArray<Complex<f64>>| sum + &row);
                let product =
                    product.map_or_else(|| row.copy(), |p: DArray<Complex<f64>>| p * &row);
                (Some(sum), Some(product))
            });
            assert_near(&z.sum(axis).to_vec(), &sum.unwrap().to_vec());
            assert_near(&z.prod(axis).to_vec(), &product.unwrap().to_vec());
        }
        assert_eq!(z.prod(axes([0, -1]).keepdims()).shape(), [1, 7, 1]);
        assert_near(&z.prod([0, 2]).prod(..).to_vec(), &[z.prod(..).item()]);
        assert_eq!(z.slice(s![..0]).prod(..).item(), c(1.0, 0.0));
        assert_eq!(z.slice(s![..0]).sum(0).shape(), [7, 5]);
        // The product of one element is a number of its own.
        let one = DArray::from_vec(vec![c(2.0, 1.0)]);
        one.prod(..).assign(0.0);
        assert_eq!(one.item(), c(2.0, 1.0));
        let sums = z.cumsum(..);
        assert_near(&[sums.slice(s![-1]).item()], &[total]);
        assert_near(&sums.slice(s![..2]).to_vec(), &[n[0], n[0] + n[1]]);
        assert_eq!(z.cumsum(1).shape(), [3, 7, 5]);
    });
}

#[test]
fn products_are_those_of_numpy() {
    everywhere(|_| {
        let n = random(12);
        let a = DArray::from_shape_vec((3, 4), n.clone());
        let b = a.t().conj();
        let mut expected = vec![c(0.0, 0.0); 9];
        for (at, sum) in expected.iter_mut().enumerate() {
            for k in 0..4 {
                *sum += n[at / 3 * 4 + k] * n[at % 3 * 4 + k].conj();
            }
        }
        assert_near(&a.matmul(&b).to_vec(), &expected);
        assert_near(&a.dot(&b).to_vec(), &expected);
        assert_near(&[a.matmul(&b).trace().item()], &[c(a.norm_sqr().sum(..).item(), 0.0)]);
        let x = a.slice(s![0]);
        assert_near(&[x.vdot(&x).item()], &[c(x.norm_sqr().sum(..).item(), 0.0)]);
        assert_near(&[x.dot(&x).item()], &[n[..4].iter().map(|z| z * z).sum()]);
        assert_near(&a.dot(&x.conj()).slice(s![..1]).to_vec(), &[expected[0]]);
        let wide: DArray<Complex<f64>> = a.cast::<Complex<f32>>().dot(&b);
        let cast = a.cast::<Complex<f32>>().cast::<Complex<f64>>();
        assert_eq!(wide.to_vec(), cast.dot(&b).to_vec());
        let mut expected = vec![c(0.0, 0.0); 9];
        let n = cast.to_vec();
        for (at, sum) in expected.iter_mut().enumerate() {
            for k in 0..4 {
                *sum += n[at / 3 * 4 + k] * b.slice(s![k as isize, (at % 3) as isize]).item();
            }
        }
        assert_near(&wide.to_vec(), &expected);
    });
}

/// What NumPy gives where a part is large, or nothing is left to divide by.
#[test]
fn the_ends_of_the_range_are_those_of_numpy() {
    everywhere(|_| {
        let text = |z: DArray<Complex<f64>>| z.to_string();
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let z = DArray::from_vec(vec![c(30.0, inf), c(22.0, inf), c(-30.0, nan), c(inf, inf)]);
        assert_eq!(text(z.tanh()), "[nan+nanj nan+nanj nan+nanj  1. +0.j]");
        let z = DArray::from_vec(vec![c(inf, 30.0), c(1.0, 30.0), c(1.0, -30.0)]);
        assert_eq!(text(z.slice(s![..1]).tan()), "[nan+nanj]");
        assert_eq!(z.slice(s![1..]).tan().imag().to_vec(), [1.0, -1.0]);
        let z = DArray::from_vec(vec![c(1.0, 2.0)]);
        assert_eq!(z.powi(-1000).to_vec()[0].norm_sqr(), 0.0);
        assert_eq!(z.powi(i32::MIN).to_vec()[0].norm_sqr(), 0.0);
        let large = z.powi(1000).to_vec()[0];
        assert_eq!((large.re.abs(), large.im.abs()), (inf, inf));
        let z = DArray::from_parts(DArray::<f64>::arange(3), DArray::ones(3));
        assert_eq!(z.var(axis(0).ddof(2)).item(), 2.0);
        assert_eq!((z.var(axis(0).ddof(3)).item(), z.std(axis(0).ddof(4)).item()), (inf, inf));
        let constant = DArray::from_parts(DArray::<f64>::ones(3), DArray::ones(3));
        assert!(constant.var(axis(0).ddof(3)).item().is_nan());
    });
}

#[test]
fn arrangements_move_both_parts() {
    everywhere(|_| {
        let n = random(6);
        let z = DArray::from_shape_vec((2, 3), n.clone());
        let at = |places: [usize; 6]| places.map(|at| n[at]);
        assert_eq!(z.t().to_vec(), at([0, 3, 1, 4, 2, 5]));
        assert_eq!(z.permute(&[1, 0]).to_vec(), z.swap_axes(0, 1).to_vec());
        assert_eq!(z.flip(1).to_vec(), at([2, 1, 0, 5, 4, 3]));
        assert_eq!(z.roll(1, ..).to_vec(), at([5, 0, 1, 2, 3, 4]));
        assert_eq!(z.reshape(6).slice(s![..;-1]).to_vec(), at([5, 4, 3, 2, 1, 0]));
        assert_eq!(z.take(&DArray::from_vec(vec![-1, 0]), ..).to_vec(), [n[5], n[0]]);
        assert_eq!(z.take(&DArray::from_vec(vec![1, 0]), 0).to_vec(), at([3, 4, 5, 0, 1, 2]));
        let (top, below) = (z.slice(s![0]), z.slice(s![1]));
        assert_eq!(DArray::stack([&top, &below], 0).to_vec(), n);
        assert_eq!(DArray::concatenate([&top, &below], 0).to_vec(), n);
        let padded = z.slice(s![0]).pad(1, darray::PadMode::constant(7.0));
        assert_eq!(padded.to_vec(), [c(7.0, 0.0), n[0], n[1], n[2], c(7.0, 0.0)]);
        assert_eq!(top.broadcast_to((2, 3)).to_vec(), at([0, 1, 2, 0, 1, 2]));
        let x = z.clone();
        x.t().slice(s![0]).assign(0.0);
        assert_eq!(z.to_vec(), n, "a clone is a value");
        assert_eq!(x.slice(s![.., 0]).to_vec(), [c(0.0, 0.0); 2]);
    });
}

#[test]
fn both_parts_are_reduced_by_one_kernel() {
    let runtime = Runtime::builder().threads(1).build().unwrap();
    runtime.scope(|| {
        let z = DArray::from_vec(random(1000));
        runtime.sync();
        let before = runtime.stats().kernels;
        let sum = (&z * &z).sum(..);
        runtime.sync();
        assert_eq!(runtime.stats().kernels - before, 1);
        assert_near(&[sum.item()], &[random(1000).iter().map(|z| z * z).sum()]);
    });
}

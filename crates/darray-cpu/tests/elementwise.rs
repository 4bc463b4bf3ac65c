//! Kernels built by hand, run on one device.

mod by_hand;

use by_hand::{Builder, Host};
use darray_core::{RealType, Scalar};
use darray_kernel::operator::Operator::{Add, Mul};

#[test]
fn one_axis_with_scalar_and_tails() {
    let host = Host::new();
    for n in [1usize, 3, 31, 32, 33, 127, 128, 129, 1000, 5000] {
        let mut b = Builder::new();
        let axis = b.axis(n);
        let (x, y) = (b.buffer(RealType::F64, 1), b.buffer(RealType::F64, 1));
        let factor = b.scalar(2.5f64.into());
        let load = b.load(x, &[axis]);
        let product = b.apply(Mul, &[factor, load]);
        let sum = b.apply(Add, &[product, load]);
        b.store(y, &[axis], sum);
        let input: Vec<f64> = (0..n).map(|k| k as f64 * 0.1).collect();
        let out = host.run(b, vec![by_hand::bytes(&input), vec![0; n * 8]]);
        let expected: Vec<f64> = input.iter().map(|v| 2.5 * v + v).collect();
        assert_eq!(by_hand::f64s(&out[1]), expected, "n = {n}");
    }
    assert_eq!(host.device.stats().launches, 10);
    assert_eq!(host.device.stats().compiled, 1, "sizes are no part of the code");
}

#[test]
fn arguments_that_do_not_fit_are_faults() {
    let host = Host::new();
    let mut b = Builder::new();
    let axis = b.axis(10);
    let x = b.buffer(RealType::F64, 1);
    let load = b.load(x, &[axis]);
    b.store(x, &[axis], load);
    let fault = host.try_run(b, vec![vec![0; 9 * 8]]).unwrap_err();
    assert_eq!(fault.to_string(), "buffer 0 is accessed at elements 0..=9 of 9");
}

#[test]
fn zero_dimensional_operations() {
    let host = Host::new();
    let mut b = Builder::new();
    let (x, y) = (b.buffer(RealType::I64, 0), b.buffer(RealType::I64, 0));
    let two = b.constant(Scalar::from(2i64));
    let load = b.load(x, &[]);
    let product = b.apply(Mul, &[two, load]);
    b.store(y, &[], product);
    let out = host.run(b, vec![by_hand::bytes(&[21i64]), vec![0; 8]]);
    assert_eq!(out[1], by_hand::bytes(&[42i64]));
}

//! In scientific notation, digits that other elements need were filled up with zeros, where NumPy
//! prints those of the exact value. The texts are NumPy's.

use darray::DArray;

#[test]
fn scientific_notation_shows_exact_digits() {
    let x = DArray::from_vec(vec![7.610146e-8f32, 1.5e-7, 1.1667076e-7]);
    assert_eq!(x.to_string(), "[7.6101458e-08 1.5000001e-07 1.1667076e-07]");
    let x = DArray::from_vec(vec![1e-4f32, 1e8, 1.0 / 3.0]);
    assert_eq!(x.to_string(), "[9.9999997e-05 1.0000000e+08 3.3333334e-01]");
    let x = DArray::from_vec(vec![5e-324, 123456789.0]);
    assert_eq!(x.to_string(), "[4.94065646e-324 1.23456789e+008]");
    assert_eq!(DArray::from_vec(vec![1e-5, -2e10]).to_string(), "[ 1.e-05 -2.e+10]");
}

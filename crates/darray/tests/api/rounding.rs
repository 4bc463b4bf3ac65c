//! Rounding to decimals, as NumPy's `round(x, decimals)`; `tests/cases` has its results by the hundred.

use crate::devices::everywhere;
use darray::{DArray, DType, DynArray, Mode, Runtime, np};

#[test]
fn floats_are_scaled_rounded_and_scaled_back() {
    everywhere(|_| {
        let x = DArray::from_vec(vec![2.675, 1.005, -0.004, 0.125, 25.0, f64::NAN, f64::INFINITY]);
        let text = |decimals| format!("{:?}", x.round_to(decimals).to_vec());
        assert_eq!(text(2), "[2.68, 1.0, -0.0, 0.12, 25.0, NaN, inf]");
        assert_eq!(text(0), "[3.0, 1.0, -0.0, 0.0, 25.0, NaN, inf]");
        assert_eq!(text(-1), "[0.0, 0.0, -0.0, 0.0, 20.0, NaN, inf]");
        assert_eq!(text(309), "[NaN, NaN, NaN, NaN, NaN, NaN, NaN]", "10^309 is infinite");
        assert_eq!(text(i32::MIN), "[NaN, NaN, NaN, NaN, NaN, NaN, NaN]");
        let single = DArray::from_vec(vec![2.675f32, 0.125, 16777216.0]);
        assert_eq!(single.round_to(2).to_vec(), [2.68, 0.12, 16777216.0]);
        assert_eq!(np::round_to(x.slice(darray::s![..2]), 1).to_vec(), [2.7, 1.0]);
    });
}

#[test]
fn integers_keep_their_type() {
    everywhere(|_| {
        let bytes = DArray::from_vec(vec![4u8, 15, 25, 255]);
        assert_eq!(bytes.round_to(3).to_vec(), [4, 15, 25, 255]);
        assert_eq!(bytes.round_to(-1).to_vec(), [0, 20, 20, 255], "260 saturates");
        assert_eq!(bytes.round_to(-3).to_vec(), [0; 4]);
        let n = DArray::from_vec(vec![-15i64, 1234567, i64::MAX]);
        assert_eq!(n.round_to(0).to_vec(), n.to_vec());
        assert_eq!(n.round_to(-4).to_vec(), [0, 1230000, i64::MAX]);
        let mask = DynArray::from(DArray::from_vec(vec![true]));
        assert_eq!(mask.round_to(1).unwrap().dtype(), DType::Bool);
    });
}

#[test]
fn rounding_is_one_kernel() {
    let rt = Runtime::builder().threads(1).mode(Mode::Fused).build().unwrap();
    rt.scope(|| {
        let x = DArray::<f64>::arange(1000);
        rt.sync();
        rt.reset_stats();
        let y = (&x / 7.0).round_to(2);
        assert_eq!(y.slice(darray::s![1]).item(), 0.14);
        assert_eq!(rt.stats().kernels, 1);
    });
}

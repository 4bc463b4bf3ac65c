//! `usize::MAX` as an index was -1, and the bound after `isize::MAX` overflowed.

use darray::{DArray, Fallible, s};

#[test]
fn a_huge_index_is_out_of_range() {
    let x = DArray::<i64>::arange(3);
    let error = x.try_slice(s![usize::MAX]).expect_err("out of range");
    assert!(error.to_string().contains("is out of range for axis 0 of extent 3"), "{error}");
}

#[test]
fn huge_bounds_clamp() {
    let x = DArray::<i64>::arange(3);
    assert_eq!(x.slice(s![..usize::MAX]).to_vec(), [0, 1, 2]);
    assert_eq!(x.slice(s![1..=usize::MAX]).to_vec(), [1, 2]);
    assert_eq!(x.slice(s![1..=isize::MAX]).to_vec(), [1, 2]);
    assert_eq!(x.slice(s![usize::MAX..]).to_vec(), []);
    assert_eq!(x.slice(s![i64::MIN..2]).to_vec(), [0, 1]);
}

#[test]
fn what_an_isize_cannot_hold_is_not_shown_as_another_number() {
    let error = DArray::<i64>::arange(3).try_slice(s![usize::MAX]).expect_err("out of range");
    let text = "an index of 9223372036854775807 or more is out of range for axis 0 of extent 3";
    assert!(error.to_string().contains(text), "{error}");
}

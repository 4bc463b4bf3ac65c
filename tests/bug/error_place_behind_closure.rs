//! A place taken inside a closure is the closure's, not the caller's.

use darray::{DArray, DynArray, Fallible, s};

#[test]
fn a_bad_slice_names_the_line_that_asked_for_it() {
    let array = DArray::<f64>::ones((2, 3));
    let line = line!() + 1;
    let typed = array.try_slice(s![5, ..]).expect_err("out of range");
    assert!(typed.to_string().contains(&format!("{}:{line}:", file!())), "{typed}");
    let line = line!() + 1;
    let untyped = DynArray::from(array).slice(s![.., 7]).expect_err("out of range");
    assert!(untyped.to_string().contains(&format!("{}:{line}:", file!())), "{untyped}");
}

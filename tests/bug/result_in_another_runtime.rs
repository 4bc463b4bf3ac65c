//! The index of a reduction over no axis was made in the current runtime, not the array's.

use darray::{DArray, Fallible, Runtime};

#[test]
fn argmax_of_0d_stays_in_its_runtime() {
    let runtime = Runtime::builder().build().expect("a runtime");
    let x = runtime.scope(|| DArray::<f64>::full((), 5.0));
    for index in [x.argmax(..), x.argmin(..)] {
        assert!(index.runtime() == &runtime);
        assert_eq!((index + &x).item(), 5.0);
    }
}

#[test]
fn products_of_two_runtimes_are_refused_by_their_name() {
    let runtime = Runtime::builder().build().expect("a runtime");
    let (x, y) = (runtime.scope(|| DArray::<f64>::ones(3)), DArray::<f64>::ones(3));
    let error = x.try_dot(&y).expect_err("two runtimes");
    assert!(error.to_string().starts_with("dot: the operands belong to two runtimes"), "{error}");
}

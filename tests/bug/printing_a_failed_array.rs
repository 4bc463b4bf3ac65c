//! Printing an array whose computation had failed printed the error between brackets, and the program went on.

use darray::{DArray, DynArray, Fallible, Runtime};
use darray_suite::message;
use darray_testkit::faulty_cpus;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn panic_text(f: impl FnOnce()) -> String {
    message(&*catch_unwind(AssertUnwindSafe(f)).expect_err("it panics"))
}

/// Calls `check` with arrays whose computation has failed: of two axes, of none, of two axes and large.
fn failed(check: impl Fn(DArray<f64>)) {
    let faulty = faulty_cpus(2);
    let runtime = Runtime::builder().devices(faulty.devices()).build().expect("a runtime");
    runtime.scope(|| {
        faulty.fail("matmul", "the pivot is zero");
        let (small, large) = (DArray::<f64>::ones((2, 3)), DArray::<f64>::ones((60, 60)));
        check(small.dot(&small.t()));
        check(small.dot(&small.t()).sum(..));
        check(large.dot(&large));
    });
}

/// The failed operation and the line that recorded it are named.
fn is_named(text: &str) {
    let (what, place) = (text.starts_with("dot: the pivot is zero"), file!());
    assert!(what && text.contains(&format!("(at {place}:")), "{text}");
}

#[test]
fn it_panics_and_the_twin_returns_the_error() {
    failed(|x| {
        is_named(&panic_text(|| drop(x.to_string())));
        is_named(&panic_text(|| drop(format!("{x:.2}"))));
        is_named(&x.try_to_string().unwrap_err().to_string());
        let z = DArray::from_parts(DArray::zeros(x.shape()), x.clone());
        is_named(&panic_text(|| drop(z.to_string())));
        is_named(&z.try_to_string().unwrap_err().to_string());
        let x = DynArray::from(x);
        is_named(&panic_text(|| drop(x.to_string())));
        is_named(&x.try_to_string().unwrap_err().to_string());
    });
}

/// What is for finding errors makes none.
#[test]
fn what_is_for_debugging_says_what_failed() {
    failed(|x| {
        let text = format!("{x:?}");
        let (handle, error) = text.split_once('<').expect("an element type");
        assert!(handle == "DArray" && error.contains("] <dot: the pivot is zero"), "{text}");
        let text = panic_text(|| panic!("x is {x:?}"));
        assert!(text.contains("] <dot: the pivot is zero"), "{text}");
    });
}

/// A panic within a panic ends the process.
#[test]
fn in_the_message_of_a_panic_the_error_stands_in_place_of_the_elements() {
    failed(|x| {
        let text = panic_text(|| panic!("x is {x}"));
        assert!(text.starts_with("x is <dot: the pivot is zero"), "{text}");
    });
}

#[test]
fn the_twin_gives_what_is_printed() {
    let x = DArray::<f64>::arange(3000).reshape((30, 100));
    assert_eq!(x.try_to_string().unwrap(), x.to_string());
    assert_eq!(x.sum(..).try_to_string().unwrap(), "4498500.0");
    let z = DArray::from_parts(x.clone(), x);
    assert_eq!(z.try_to_string().unwrap(), z.to_string());
}

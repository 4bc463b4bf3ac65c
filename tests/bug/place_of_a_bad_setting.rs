//! The error of a setting with a wrong value named a line of the library.

use darray::{DArray, DynArray, Fallible, Runtime, default_rng};
use std::process::Command;

#[test]
fn a_bad_setting_names_the_line_that_needed_the_runtime() {
    if std::env::var_os("DARRAY_MODE").is_some_and(|mode| mode == "fast") {
        return with_a_bad_setting();
    }
    let test = "place_of_a_bad_setting::a_bad_setting_names_the_line_that_needed_the_runtime";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", test])
        .env("DARRAY_MODE", "fast")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
}

/// Only the first of these makes the global runtime, but each is refused it.
fn with_a_bad_setting() {
    let said = "runtime: DARRAY_MODE=\"fast\": accepted: fused, task, unfused";
    let check = |error: darray::Error, line: u32| {
        let expected = format!("{said} (at {}:{line}:", file!());
        assert!(error.to_string().starts_with(&expected), "{error}");
    };
    check(DArray::<f64>::try_zeros(3).unwrap_err(), line!());
    check(DArray::try_from_vec(vec![1.0]).unwrap_err(), line!());
    check(DArray::<f64>::try_eye(2, 2, 0).unwrap_err(), line!());
    check(DArray::<f64>::try_empty(2).unwrap_err(), line!());
    check(DArray::try_linspace(0.0, 1.0, 3).unwrap_err(), line!());
    check(DArray::try_from_fn(3, |_| 0.5).unwrap_err(), line!());
    check(default_rng(1).try_random(3).unwrap_err(), line!());
    check(DynArray::from_bytes(1, darray::DType::U8, vec![1]).unwrap_err(), line!());
    check(Runtime::builder_from_env().err().unwrap(), line!());
    check(Runtime::try_current().unwrap_err(), line!());
    let line = line!() + 1;
    let text = darray_suite::shown(|| drop(darray::np::zeros(2)));
    assert!(text.starts_with(&format!("{said} (at {}:{line}:", file!())), "{text}");
}

//! `unwrap` of an error printed the fields of a private struct, and not the error's text. (The other crates' errors
//! are looked at by `xtask`'s check of that name.)

use darray::{DArray, Fallible, np};
use darray_suite::message;
use std::panic::catch_unwind;

#[test]
fn unwrap_prints_the_text() {
    let error = np::load("no/such/file.npy").unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("load: no/such/file.npy: No such file"), "{text}");
    assert_eq!(format!("{error:?}"), text);
    assert_eq!(format!("{error:#?}"), text);
    let reshape = || drop(DArray::<f64>::ones(3).try_reshape(2).unwrap());
    let unwrapped = message(&*catch_unwind(reshape).expect_err("it panics"));
    let wanted = "cannot reshape [3] (3 elements) to [2] (2 elements)";
    assert!(unwrapped.contains(wanted) && !unwrapped.contains("Error"), "{unwrapped}");
    let setting = darray_core::settings::SettingError {
        name: "DARRAY_WINDOW",
        value: "0".to_string(),
        accepted: "a number",
    };
    assert_eq!(format!("{setting:?}"), "DARRAY_WINDOW=\"0\": accepted: a number");
}

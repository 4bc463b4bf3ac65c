//! `np::copyto` was recorded as `assign_where`, so that its errors and reports named another function.

use darray::{DArray, np};

#[test]
fn errors_name_copyto() {
    let panic = std::panic::catch_unwind(|| {
        np::copyto(&DArray::<f64>::ones(3), 0.0, &DArray::<bool>::ones(2));
    });
    let text = *panic.unwrap_err().downcast::<String>().expect("a text");
    assert!(text.starts_with("copyto: shapes [3] and [2] do not broadcast"), "{text}");
    assert!(text.contains("names_of_copyto.rs"), "{text}");
}

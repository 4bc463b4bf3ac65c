//! `np::copyto` was recorded as `assign_where`, so that its errors and reports named another function.

use darray::{DArray, np};
use darray_suite::shown;

#[test]
fn errors_name_copyto() {
    let text = shown(|| np::copyto(DArray::<f64>::ones(3), 0.0, DArray::<bool>::ones(2)));
    assert!(text.starts_with("copyto: shapes [3] and [2] do not broadcast"), "{text}");
    assert!(text.contains("names_of_copyto.rs"), "{text}");
}

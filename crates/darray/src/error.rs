//! From `Result` to panic at the user's line.

use darray_core::Result;

/// The value, or a panic with the error's text at the caller's line.
#[track_caller]
pub(crate) fn expect_at_caller<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

//! Tests that mean to cause panics.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// Runs a test without the messages of the panics that it catches; its own failure keeps its message.
/// Panics of other tests are silent for as long: the tests of the binary take turns.
///
/// # Panics
/// If the test does.
pub fn quietly(test: impl FnOnce()) {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(AssertUnwindSafe(test));
    panic::set_hook(hook);
    if let Err(failure) = result {
        panic!("{}", message(&*failure));
    }
}

/// What a panic says.
pub fn message(panic: &(dyn Any + Send)) -> String {
    let owned = panic.downcast_ref::<String>().cloned();
    owned.or(panic.downcast_ref::<&str>().map(|text| text.to_string())).unwrap_or_default()
}

/// What a program gives, or the text of the error or panic with which it ends.
///
/// # Errors
/// That text; of an error with its place.
pub fn attempted<T>(program: impl FnOnce() -> T) -> Result<T, String> {
    match panic::catch_unwind(AssertUnwindSafe(|| darray::attempt(program))) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(message(&*panic)),
    }
}

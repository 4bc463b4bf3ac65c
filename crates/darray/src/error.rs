//! From `Result` to panic at the user's line, and back.

use darray_core::{Error, Place, Result};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    /// How many calls of [`attempt`] run on this thread.
    static ATTEMPTS: Cell<usize> = const { Cell::new(0) };
}

/// The value, or a panic with the error's text at the caller's line. Within [`attempt`] the error goes there without a panic's message.
#[track_caller]
pub(crate) fn expect_at_caller<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => fail(error),
    }
}

#[cold]
#[track_caller]
fn fail(error: Error) -> ! {
    if ATTEMPTS.get() > 0 && !std::thread::panicking() {
        resume_unwind(Box::new(error));
    }
    // The panic's message begins with its place.
    if error.place() == Place::caller() {
        panic!("{}: {}", error.operation(), error.kind());
    }
    panic!("{error}")
}

/// What the closure gives, or the error of the first operation in it that fails: for expressions whose operators and functions would panic.
///
/// The error of an operation ends the closure there, without a message; other panics go on. Arrays that the closure has written to stay as they are then. What fails when it
/// is computed, and not when it is written down, is an error where it is read: within the closure if it is read there.
///
/// It unwinds, so a program that is built with `panic = "abort"` does not compile with it; the methods of [`Fallible`](crate::Fallible) and of
/// [`DynArray`](crate::DynArray) return their errors.
///
/// # Errors
///
/// That of the operation, as its `try_` form returns it.
///
/// ```
/// use darray::{DArray, attempt};
/// let (x, y) = (DArray::from([1.0, 2.0]), DArray::from([1.0, 2.0, 3.0]));
/// let error = attempt(|| (&x + 1.0) * &y).unwrap_err();
/// assert!(error.to_string().starts_with("multiply: shapes [2] and [3] do not broadcast (at "));
/// assert_eq!(attempt(|| (&x + 1.0).sum(..).item()).unwrap(), 5.0);
/// ```
pub fn attempt<T>(f: impl FnOnce() -> T) -> Result<T> {
    const {
        assert!(
            cfg!(panic = "unwind"),
            "`attempt` needs panics that unwind: take the `try_` methods"
        );
    }

    /// Counts the call, also where the closure panics.
    struct Running;

    impl Drop for Running {
        fn drop(&mut self) {
            ATTEMPTS.set(ATTEMPTS.get() - 1);
        }
    }

    ATTEMPTS.set(ATTEMPTS.get() + 1);
    let running = Running;
    let result = catch_unwind(AssertUnwindSafe(f));
    drop(running);
    result.or_else(|payload| match payload.downcast::<Error>() {
        Ok(error) => Err(*error),
        Err(other) => resume_unwind(other),
    })
}

//! What a panic shows: its message and its place.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static PLACE: Cell<Option<String>> = const { Cell::new(None) };
}

/// The message of the panic with which this ends, and behind it its place as errors have it, `(at file:line:column)`, where the message does not name that
/// already.
///
/// # Panics
/// If this does not panic.
#[track_caller]
pub fn shown(f: impl FnOnce()) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            PLACE.set(info.location().map(|place| place.to_string()));
            before(info);
        }));
    });
    let panic = catch_unwind(AssertUnwindSafe(f)).expect_err("it panics");
    let owned = panic.downcast_ref::<String>().cloned();
    let text = owned.or(panic.downcast_ref::<&str>().map(|text| text.to_string()));
    let (text, place) = (text.unwrap_or_default(), PLACE.take().expect("the hook runs"));
    let place = format!(" (at {place})");
    assert!(!text.contains(&place), "the place stands twice: {text}");
    if text.contains(" (at ") { text } else { text + &place }
}

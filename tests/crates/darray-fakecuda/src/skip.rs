//! Tests that this machine cannot run.

use std::fmt;
use std::io::Write;

/// With this variable of the environment at 1, tests that need NVRTC fail without it. It is none of darray's settings.
const REQUIRE_NVRTC: &str = "TESTS_REQUIRE_NVRTC";

/// Says that this test is skipped, and why: past the test harness, which hides what passing tests print.
pub fn skipped(why: impl fmt::Display) {
    let thread = std::thread::current();
    let _ = writeln!(std::io::stderr(), "SKIPPED {}: {why}", thread.name().unwrap_or("a test"));
}

/// Says that this test is skipped since NVRTC cannot be loaded.
///
/// # Panics
/// Where NVRTC is required: with `TESTS_REQUIRE_NVRTC=1`.
pub fn without_nvrtc(error: impl fmt::Display) {
    let required = std::env::var_os(REQUIRE_NVRTC).is_some_and(|value| value == "1");
    assert!(!required, "{REQUIRE_NVRTC}=1, and there is no NVRTC: {error}");
    skipped(error);
}

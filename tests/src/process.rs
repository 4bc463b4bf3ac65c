//! Tests that need a process of their own.

use std::process::Command;

/// Set in a process that a test runs in.
const ALONE: &str = "TEST_IS_ALONE";

/// Runs a program in a process of its own, after this command of the shell, such as `ulimit -v 1000`: the test of this name, which
/// calls this, again.
///
/// # Panics
/// If it does.
pub fn alone(test: &str, before: &str, program: fn()) {
    if std::env::var_os(ALONE).is_some() {
        return program();
    }
    let output = Command::new("sh")
        .args(["-c", &format!("{before} && exec \"$0\" --exact --nocapture \"$1\"")])
        .arg(std::env::current_exe().expect("the path of the test"))
        .arg(test)
        .env(ALONE, "1")
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
}

/// Bytes of this process that are resident.
///
/// # Panics
/// Where there is no `/proc`.
pub fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux tells of memory");
    let pages = text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.expect("a number of pages") * 4096
}

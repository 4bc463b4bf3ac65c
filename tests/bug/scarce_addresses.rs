//! Where a process may have few addresses, CPU devices asked for too many, and then had none at all.

use darray::{DArray, ErrorKind, Runtime};
use std::process::Command;

/// Runs a test of this file in a process that may have 4,096,000,000 bytes of addresses.
fn confined(test: &str) {
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 4000000 && exec \"$0\" --exact --ignored --nocapture \"$1\""])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("scarce_addresses::{test}"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
}

#[test]
#[cfg(target_os = "linux")]
fn programs_run_where_addresses_are_scarce() {
    confined("on_one_device");
    confined("on_three_devices");
    confined("as_much_as_was_asked_for");
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_short_is_said() {
    confined("more_than_there_is");
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn on_one_device() {
    let x = DArray::<f64>::ones(5_000_000);
    let y = &x + 1.0;
    Runtime::current().sync();
    assert_eq!((x.sum().item(), y.sum().item()), (5e6, 1e7));
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn on_three_devices() {
    let runtime = Runtime::builder().cpu_devices(3).build().unwrap();
    assert_eq!(runtime.scope(|| DArray::<f64>::ones(5_000_000).cumsum().max().item()), 5e6);
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn as_much_as_was_asked_for() {
    let runtime = Runtime::builder().memory_limit(2_500_000_000).build().unwrap();
    let _entered = runtime.enter();
    // Untouched pages are no memory, so this asks for addresses alone.
    let x = DArray::<u8>::zeros(2_300_000_000u64 as i64);
    x.slice(darray::s![..1]).assign(1);
    assert_eq!(x.slice(darray::s![..2]).to_vec(), [1, 0]);
}

#[test]
#[ignore = "run by another test, in a process of its own"]
fn more_than_there_is() {
    let x = DArray::<f64>::ones(1_000_000_000);
    let y = &x + 1.0;
    let error = y.as_dyn().to_bytes().unwrap_err();
    let ErrorKind::OutOfMemory { limit, .. } = *error.kind() else { panic!("{error}") };
    assert!((1 << 28..4_096_000_000).contains(&limit), "{error}");
    let text = error.to_string();
    assert!(text.contains("the process may not reserve more addresses"), "{text}");
    assert!(text.contains("ulimit -v") && text.contains("DARRAY_MEMORY_LIMIT"), "{text}");
    assert_eq!(DArray::<f64>::ones(1000).sum().item(), 1000.0, "others go on");
}

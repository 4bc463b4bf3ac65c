//! Where a process may have few addresses, CPU devices asked for too many, and then had none at all.
#![cfg(target_os = "linux")]

use darray::{DArray, ErrorKind, Runtime};
use std::process::Command;

/// Set in a process that may have few addresses.
const CONFINED: &str = "TEST_IS_CONFINED";

/// Runs a program in a process that may have 4,096,000,000 bytes of addresses: this test again.
fn confined(test: &str, program: fn()) {
    if std::env::var_os(CONFINED).is_some() {
        return program();
    }
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 4000000 && exec \"$0\" --exact --nocapture \"$1\""])
        .arg(std::env::current_exe().unwrap())
        .arg(format!("scarce_addresses::{test}"))
        .env(CONFINED, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}\n{errors}");
}

#[test]
fn one_device_has_memory() {
    confined("one_device_has_memory", || {
        let x = DArray::<f64>::ones(5_000_000);
        let y = &x + 1.0;
        Runtime::current().sync();
        assert_eq!((x.sum().item(), y.sum().item()), (5e6, 1e7));
    });
}

#[test]
fn three_devices_have_memory() {
    confined("three_devices_have_memory", || {
        let runtime = Runtime::builder().cpu_devices(3).build().unwrap();
        assert_eq!(runtime.scope(|| DArray::<f64>::ones(5_000_000).cumsum().max().item()), 5e6);
    });
}

#[test]
fn a_limit_that_fits_is_had_in_full() {
    confined("a_limit_that_fits_is_had_in_full", || {
        let runtime = Runtime::builder().memory_limit(2_500_000_000).build().unwrap();
        let _entered = runtime.enter();
        // Bytes that nothing touches are no memory: this asks for addresses alone.
        let x = DArray::<u8>::empty(2_300_000_000i64);
        x.slice(darray::s![..1]).assign(1);
        assert_eq!(x.slice(darray::s![..1]).to_vec(), [1]);
    });
}

#[test]
fn what_is_short_is_said() {
    confined("what_is_short_is_said", || {
        let x = DArray::<f64>::ones(1_000_000_000);
        let y = &x + 1.0;
        let error = y.as_dyn().to_bytes().unwrap_err();
        let ErrorKind::OutOfMemory { limit, addresses, .. } = *error.kind() else {
            panic!("{error}")
        };
        assert!(addresses && (1 << 28..4_096_000_000).contains(&limit), "{error}");
        let text = error.to_string();
        assert!(text.contains("the process may not reserve more addresses"), "{text}");
        assert!(text.contains("ulimit -v") && text.contains("DARRAY_MEMORY_LIMIT"), "{text}");
        assert_eq!(DArray::<f64>::ones(1000).sum().item(), 1000.0, "others go on");
    });
}

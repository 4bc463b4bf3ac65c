//! More devices or threads than a setting allows were tried, until the process was aborted.

use darray::Runtime;

#[test]
fn counts_are_bounded_as_settings_are() {
    let text = |error: darray::Error| error.to_string().split(" (at ").next().unwrap().to_string();
    let error = Runtime::builder().cpu_devices(100_000).build().unwrap_err();
    assert_eq!(text(error), "runtime: 100000 devices, at most 64");
    let error = Runtime::builder().cuda(&[0; 65]).build().unwrap_err();
    assert_eq!(text(error), "runtime: 65 devices, at most 64");
    let error = Runtime::builder().threads(1_000_000).build().unwrap_err();
    assert_eq!(text(error), "runtime: 1000000 threads, at most 1024");
    let error = Runtime::builder().window(usize::MAX).build().unwrap_err();
    assert_eq!(text(error), format!("runtime: {} tasks of a window, at most 65536", usize::MAX));
    assert!(Runtime::builder().cpu_devices(64).threads(1).window(65536).build().is_ok());
}

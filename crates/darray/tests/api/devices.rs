//! The runtimes on which every test runs.

use darray::{Mode, Runtime};

/// Runs a test with fused and unfused execution, on one device and on four, on the CPU and on
/// interpreting devices.
pub fn everywhere(test: impl Fn(&Runtime)) {
    let builders = [
        Runtime::builder().reference(true).mode(Mode::Unfused).window(1),
        Runtime::builder().reference(true).cpu_devices(3),
        Runtime::builder().threads(1),
        Runtime::builder().threads(1).mode(Mode::Unfused),
        Runtime::builder().threads(2).cpu_devices(4).grid(&[2, 2]),
    ];
    for builder in builders {
        let runtime = builder.build().unwrap();
        runtime.scope(|| test(&runtime));
        runtime.sync();
    }
}

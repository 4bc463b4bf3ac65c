//! The runtimes on which every test runs.

use darray::{Mode, Runtime};
use darray_testdevices::ReferenceDevice;

/// Runs a test with fused and unfused execution, on one device and on four, on the CPU and on
/// interpreting devices.
pub fn everywhere(test: impl Fn(&Runtime)) {
    let interpreting = |count| Runtime::builder().devices(ReferenceDevice::set(count, u64::MAX));
    let builders = [
        interpreting(1).mode(Mode::Unfused).window(1),
        interpreting(3),
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

//! A device kept every failure for good: a program that meets failures and goes on filled memory with their messages.

use darray::task::Task;
use darray::{CudaLaunch, DArray, Fallible, Runtime};
use darray_core::settings::Settings;
use darray_cpu::{CpuDevices, CpuOptions};
use darray_cuda::{CudaDevices, CudaOptions};
use darray_device::Device;
use darray_suite::fake_or_skip;
use darray_testdevices::ReferenceDevice;
use darray_testdevices::{AdversarialDevice, Adversity};
use std::sync::Arc;

/// Three hundred rounds in each of which something fails, that somebody is told of, and something goes well.
fn rounds(devices: Vec<Arc<dyn Device>>, task: bool) {
    let runtime = Runtime::builder().devices(devices.clone()).build().expect("a runtime");
    let faults = || devices.iter().map(|device| device.stats().faults).sum::<u64>();
    let mut most = 0;
    runtime.scope(|| {
        for round in 0..300 {
            let error = if task {
                let refuse = Task::new("refuse", |_| Err("x".repeat(10_000)));
                let lost: DArray<f64> = refuse.launch().create(8);
                (&lost + 1.0).try_to_vec().unwrap_err()
            } else {
                let rows = DArray::<f64>::arange(8).take(&DArray::<i64>::full(3, 8 + round), ..);
                (rows + 1.0).try_to_vec().unwrap_err()
            };
            assert!(!error.to_string().is_empty());
            assert_eq!(DArray::<f64>::ones(8).sum(..).item(), 8.0);
            let told = Runtime::current().try_sync();
            assert!(told.is_err(), "{round}");
            most = most.max(faults());
        }
    });
    assert_eq!(most, 0, "failures that everybody was told of");
}

#[test]
fn a_failure_that_was_handed_on_is_gone() {
    rounds(CpuDevices::new(1, CpuOptions::default()), true);
    rounds(CpuDevices::new(2, CpuOptions::default()), false);
    rounds(ReferenceDevice::set(2, 1 << 30), false);
    let late =
        AdversarialDevice::set(CpuDevices::new(2, CpuOptions::default()), Adversity::default());
    rounds(late, false);
}

#[test]
fn a_failure_of_a_gpu_that_was_handed_on_is_gone() {
    let Some(fake) = fake_or_skip(env!("CARGO_TARGET_TMPDIR")) else { return };
    for launch in [CudaLaunch::Streams, CudaLaunch::Graphs] {
        fake.start("devices=2");
        let options = CudaOptions {
            gpus: vec![0, 1],
            driver: Some(fake.path().to_path_buf()),
            nvrtc: Settings::global().expect("settings").nvrtc.clone(),
            launch,
            memory_limit: Some(64 << 20),
            ..CudaOptions::default()
        };
        rounds(CudaDevices::new(options).expect("devices"), false);
    }
}

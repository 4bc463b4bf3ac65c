//! Random kernels: every instruction set, with and without threads, machine code and stores past the
//! caches, bit-equal to the reference interpreter.

use darray_cpu::{CpuDevices, CpuOptions, Level};
use darray_device::Device;
use darray_device::differential::run;
use darray_kernel::interpret::interpret;
use darray_kernel::random_kernel::{Options, first_difference, random_kernel};
use std::sync::Arc;

fn devices() -> Vec<Arc<dyn Device>> {
    let levels = Level::ALL.into_iter().filter(|&level| level <= Level::detect());
    let with = |level, threads, jit, stream_from| {
        let level = Some(level);
        let options = CpuOptions {
            level,
            threads,
            jit,
            stream_from,
            least_parallel: 1,
            ..CpuOptions::default()
        };
        CpuDevices::new(1, options).remove(0)
    };
    let variants = |level| {
        [
            with(level, 1, None, usize::MAX),
            with(level, 2, Some(level), usize::MAX),
            with(level, 1, Some(level), 0),
            with(level, 2, None, 0),
        ]
    };
    levels.flat_map(variants).collect()
}

#[test]
fn random_kernels_equal_the_reference() {
    check(0..3000, &Options::default());
}

#[test]
fn long_axes_equal_the_reference() {
    check(0..60, &Options { longest: 20_000, iterations: 60_000, ..Options::default() });
}

fn check(seeds: std::ops::Range<u64>, options: &Options) {
    let devices = devices();
    for seed in seeds {
        let case = random_kernel(seed, options);
        let mut expected = case.memory.clone();
        interpret(&case.kernel, &case.launch, &mut expected).unwrap();
        for device in &devices {
            let name = &device.describe().name;
            let found = run(&**device, &case)
                .unwrap_or_else(|fault| panic!("seed {seed} on {name}: {fault}\n{}", case.kernel));
            if let Some(difference) = first_difference(&expected, &found) {
                panic!("seed {seed} on {name}: {difference:?}\n{}\n{:?}", case.kernel, case.launch);
            }
        }
    }
    for device in &devices {
        assert_eq!(device.stats().bytes_in_use, 0);
    }
}

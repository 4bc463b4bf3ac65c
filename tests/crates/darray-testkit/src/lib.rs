//! Random array programs, an independent oracle for them, and the means to run them on darray.
//!
//! - [`program`]: programs as values, printed as the Rust that a user would have written.
//! - [`generate`]: the program of a seed.
//! - [`Oracle`]: evaluates a program over ndarray, with a bound where roundings may differ.
//! - [`run`]: runs a program on a runtime of darray.
//! - [`shrink`]: the part of a failing program that makes it fail.
//! - [`tiny`]: small blocks.
//! - [`faulty_cpus`], [`reordering_cpus`]: CPU devices that fail on demand, or run what is queued in any legal order.
//! - [`Campaign`]: many programs under many configurations, and what they covered.

mod campaign;
mod generate;
pub mod oracle;
pub mod program;
mod random;
mod run;
mod shrink;

use darray::testing::Testing;
use darray_cpu::{CpuDevices, CpuOptions};
use darray_device::Device;
use darray_kernel::tree::TreeRule;
use darray_testdevices::{AdversarialDevice, Adversity, FaultyDevices};
use std::sync::Arc;

pub use campaign::{Backend, Campaign, Configuration, Coverage, Failure, Machine, Options, Trial};
pub use generate::{Scale, generate};
pub use oracle::Oracle;
pub use random::Random;
pub use run::{Difference, Found, admitted, run, same};
pub use shrink::shrink;

/// Small blocks, so that small arrays lie in several tiles and fold in several leaves, and are not small enough to be launched together.
pub fn tiny() -> Testing {
    Testing { tree_rule: TreeRule::TINY, largest_in_turn: Some(16), ..Testing::default() }
}

/// So many CPU devices with one thread each, whose builtins fail on demand.
pub fn faulty_cpus(count: usize) -> FaultyDevices {
    FaultyDevices::over(CpuDevices::new(count, one_thread()))
}

/// So many CPU devices with one thread each, which delay commands and run them in any legal order, by a seed.
pub fn reordering_cpus(count: usize, seed: u64) -> Vec<Arc<dyn Device>> {
    let adversity = Adversity { seed, ..Adversity::default() };
    AdversarialDevice::set(CpuDevices::new(count, one_thread()), adversity)
}

/// One thread a device.
fn one_thread() -> CpuOptions {
    CpuOptions { threads: 1, ..CpuOptions::default() }
}

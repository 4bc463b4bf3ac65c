//! CUDA devices for tests that run over the fake driver and on real GPUs alike.

use crate::{Fake, Gpu, Turn, fake_or_skip};
use darray::RuntimeBuilder;
use darray_testkit::Machine;
use std::path::Path;

/// CUDA devices.
#[derive(Debug)]
pub enum Cuda {
    /// Over the fake driver.
    Fake(Turn),
    /// Of the driver that the settings name.
    Real(&'static Gpu),
}

/// The GPUs of the driver that the setting `DARRAY_CUDA_DRIVER` names, else the fake driver, as in
/// [`fake_or_skip`].
///
/// # Panics
/// As there, or if the driver that is named cannot be loaded or finds no GPU.
pub fn cuda_or_skip(folder: impl AsRef<Path>) -> Option<Cuda> {
    match Gpu::find().unwrap_or_else(|error| panic!("{error}")) {
        Some(gpu) => Some(Cuda::Real(Box::leak(Box::new(gpu)))),
        None => fake_or_skip(folder).map(Cuda::Fake),
    }
}

impl Cuda {
    /// The fake driver; none where GPUs are real.
    pub fn fake(&self) -> Option<&Fake> {
        match self {
            Cuda::Fake(turn) => Some(turn),
            Cuda::Real(_) => None,
        }
    }

    /// The fake driver, for a test that only it can be asked; where GPUs are real the test says that it is skipped.
    pub fn fake_or_skip(&self) -> Option<&Fake> {
        if self.fake().is_none() {
            darray_fakecuda::skipped("only the fake driver can be asked");
        }
        self.fake()
    }

    /// Starts the fake driver anew with these settings; a real one has none.
    ///
    /// # Panics
    /// If it does not know them.
    pub fn start(&self, settings: &str) {
        if let Cuda::Fake(fake) = self {
            fake.start(settings);
        }
    }

    /// The choice of devices on these GPUs, which share those that there are.
    pub fn devices(&self, builder: RuntimeBuilder, gpus: &[usize]) -> RuntimeBuilder {
        match self {
            Cuda::Fake(fake) => fake.devices(builder, gpus),
            Cuda::Real(gpu) => gpu.devices(builder, gpus),
        }
    }

    /// As a machine of campaigns; they end before this does.
    pub fn machine(&self) -> &'static dyn Machine {
        match self {
            Cuda::Fake(turn) => turn.machine(),
            Cuda::Real(gpu) => *gpu,
        }
    }

    /// That the devices, which are gone, gave everything back, and that the driver saw nothing wrong; what a fake
    /// driver sees.
    ///
    /// # Errors
    /// What is left or wrong.
    pub fn look_behind(&self) -> Result<(), String> {
        self.machine().look_behind()
    }
}

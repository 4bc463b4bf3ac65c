//! The GPUs of this machine, through its own driver.

use darray::{CudaLaunch, RuntimeBuilder};
use darray_core::settings::Settings;
use darray_cuda::{CudaError, Driver};
use darray_testkit::Machine;

/// The GPUs behind the driver that the settings name.
#[derive(Debug)]
pub struct Gpu {
    count: usize,
}

impl Gpu {
    /// The driver that the setting `DARRAY_CUDA_DRIVER` names; none if it names none.
    ///
    /// # Errors
    /// It cannot be loaded, or finds no GPU.
    pub fn find() -> Result<Option<Gpu>, CudaError> {
        let Ok(Settings { cuda_driver: Some(file), .. }) = Settings::global() else {
            return Ok(None);
        };
        match Driver::load(Some(file))?.device_count()? {
            0 => Err(CudaError::Unsupported(format!("{} finds no GPU", file.display()))),
            count => Ok(Some(Gpu { count })),
        }
    }
}

impl Gpu {
    /// The choice of devices on these GPUs, which share those that there are.
    pub fn devices(&self, builder: RuntimeBuilder, gpus: &[usize]) -> RuntimeBuilder {
        let gpus: Vec<usize> = gpus.iter().map(|gpu| gpu % self.count).collect();
        let settings = Settings::global().expect("looked at before");
        let builder = builder.cuda(&gpus);
        let builder = settings.cuda_driver.iter().fold(builder, |b, file| b.cuda_driver(file));
        let builder = settings.nvrtc.iter().fold(builder, |b, folder| b.nvrtc(folder));
        settings.kernel_cache.iter().fold(builder, |b, folder| b.kernel_cache(folder))
    }
}

impl Machine for Gpu {
    fn choose(&self, builder: RuntimeBuilder, devices: usize, seed: u64) -> RuntimeBuilder {
        let gpus: Vec<usize> = (0..devices).collect();
        self.devices(builder, &gpus).cuda_launch(launch(seed))
    }

    fn look_behind(&self) -> Result<(), String> {
        Ok(())
    }
}

/// How work is launched, by seed.
pub(crate) fn launch(seed: u64) -> CudaLaunch {
    [CudaLaunch::Streams, CudaLaunch::Graphs][seed as usize % 2]
}

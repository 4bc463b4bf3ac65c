//! Making devices.

use super::graphs::launcher::Launcher;
use super::group::Group;
use super::options::CudaOptions;
use super::{CudaDevice, lock};
use crate::error::CudaError;
use darray_core::settings::{CudaLaunch, CudaProducts};
use darray_device::Device;
use std::sync::{Arc, Mutex, MutexGuard};

/// Makes logical CUDA devices.
#[derive(Debug)]
pub struct CudaDevices;

impl CudaDevices {
    /// One device for each of `options.gpus`, with memories of their own, that can copy from each
    /// other.
    ///
    /// # Errors
    /// A library is absent, or a GPU, or a call of the driver fails.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(options: CudaOptions) -> Result<Vec<Arc<dyn Device>>, CudaError> {
        let shared = Arc::new(Shared::new(&options)?);
        let device =
            |index| Arc::new(CudaDevice { shared: shared.clone(), index }) as Arc<dyn Device>;
        Ok((0..shared.group.devices.len()).map(device).collect())
    }
}

/// What the devices share.
pub(super) struct Shared {
    /// Holds back the work of plans that repeat, if it is to be launched as graphs. Goes before the
    /// devices.
    launcher: Option<Mutex<Launcher>>,
    pub group: Group,
}

impl Shared {
    fn new(options: &CudaOptions) -> Result<Shared, CudaError> {
        if (options.launch, options.products) == (CudaLaunch::Graphs, CudaProducts::Cublas) {
            let why =
                "products by cuBLAS are queued on streams: they cannot be part of CUDA graphs";
            return Err(CudaError::Unsupported(why.to_string()));
        }
        let group = Group::new(options)?;
        let graphs = match options.launch {
            CudaLaunch::Auto => options.products == CudaProducts::Darray,
            CudaLaunch::Streams => false,
            CudaLaunch::Graphs => true,
        };
        let launcher = match group.devices.first().filter(|_| graphs) {
            Some(first) => {
                first.context().bind()?;
                let queues = group.devices.iter().map(|device| device.timelines().len()).sum();
                Some(Mutex::new(Launcher::new(first.context(), queues)?))
            }
            None => None,
        };
        Ok(Shared { launcher, group })
    }

    /// Whether small blocks that are given back are kept for their queue. Not where there are several devices:
    /// a copy into such a block would wait for an allocation that is long past.
    pub fn keeps_small(&self) -> bool {
        self.launcher.is_none() && self.group.devices.len() == 1
    }

    /// Whether small blocks, or all, are kept for what comes later on their queue.
    pub fn keeps_blocks(&self) -> bool {
        self.launcher.is_some() || self.keeps_small()
    }

    /// What holds work back, for one caller at a time; none where all work goes to streams.
    pub fn launcher(&self) -> Option<MutexGuard<'_, Launcher>> {
        self.launcher.as_ref().map(lock)
    }
}

//! Codes of kernels: compiled at the first use, given back when no plan uses the kernel any more.

use crate::devices::DeviceSet;
use darray_device::Code;
use darray_kernel::ir::Kernel;
use hashbrown::HashMap;
use std::sync::{Arc, OnceLock};

/// The codes of one kernel, per device; given back to the devices when dropped.
///
/// What is queued at that time still runs: see [`darray_device::Device::forget`].
pub(crate) struct KernelCodes {
    devices: Arc<DeviceSet>,
    codes: Box<[OnceLock<Code>]>,
}

impl KernelCodes {
    fn new(devices: &Arc<DeviceSet>) -> KernelCodes {
        let codes = (0..devices.len()).map(|_| OnceLock::new()).collect();
        KernelCodes { devices: devices.clone(), codes }
    }

    /// The code on a device, if it was compiled.
    pub(crate) fn get(&self, device: usize) -> Option<Code> {
        self.codes[device].get().copied()
    }

    /// Notes the code on a device, which has none yet.
    pub(crate) fn set(&self, device: usize, code: Code) {
        debug_assert!(self.get(device).is_none());
        self.codes[device].get_or_init(|| code);
    }
}

impl Drop for KernelCodes {
    fn drop(&mut self) {
        for (device, code) in self.codes.iter().enumerate() {
            code.get().into_iter().for_each(|&code| self.devices.device(device).forget(code));
        }
    }
}

/// The codes of all kernels in use.
///
/// ```text
/// prepared plan 1 --> codes of kernel a <--+
/// prepared plan 2 --> codes of kernel b <--+-- table
///                     codes of kernel c <--+       in no plan: dropped by the next sweep
/// ```
pub(crate) struct CodeTable {
    devices: Arc<DeviceSet>,
    known: HashMap<Arc<Kernel>, Arc<KernelCodes>>,
    sweep_at: usize,
}

/// Kernels in no plan that are kept for those who come back to them: plans of a group that is run
/// task by task are made each time.
const SPARE: usize = 1024;

impl CodeTable {
    pub(crate) fn new(devices: &Arc<DeviceSet>) -> CodeTable {
        CodeTable { devices: devices.clone(), known: HashMap::new(), sweep_at: SPARE }
    }

    /// The codes of a kernel.
    pub(crate) fn of(&mut self, kernel: &Arc<Kernel>) -> Arc<KernelCodes> {
        if let Some(codes) = self.known.get(kernel) {
            return codes.clone();
        }
        if self.known.len() >= self.sweep_at {
            self.sweep();
        }
        let codes = Arc::new(KernelCodes::new(&self.devices));
        self.known.insert(kernel.clone(), codes.clone());
        codes
    }

    /// Gives back the codes of kernels that are in no plan.
    pub(crate) fn sweep(&mut self) {
        self.known.retain(|_, codes| Arc::strong_count(codes) > 1);
        self.sweep_at = SPARE + 2 * self.known.len();
    }
}

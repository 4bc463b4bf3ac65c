//! Devices and their primary contexts.

use super::call::check;
use super::library::Driver;
use crate::CudaError;
use cudarc::driver::sys::{self, CUdevice_attribute, CUresult};
use std::cell::Cell;
use std::sync::Arc;

/// A GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// The driver's number of it, from 0.
    pub ordinal: usize,
    /// E.g. `NVIDIA H200`.
    pub name: String,
    /// Compute capability: 90 for sm_90.
    pub capability: u32,
    /// Bytes of memory.
    pub memory: u64,
}

/// The primary context of a GPU, retained.
#[derive(Debug)]
pub(crate) struct Context {
    raw: sys::CUcontext,
    device: sys::CUdevice,
    pub(crate) card: Card,
    pub(crate) multiprocessors: usize,
}

// SAFETY: contexts may be used from any thread that binds them.
unsafe impl Send for Context {}
// SAFETY: as above; the driver locks what it must.
unsafe impl Sync for Context {}

impl Card {
    /// A GPU by its number, and the driver's handle of it.
    fn find(driver: Driver, ordinal: usize) -> Result<(Card, sys::CUdevice), CudaError> {
        let count = driver.device_count()?;
        if ordinal >= count {
            return Err(CudaError::Unsupported(format!(
                "cuda:{ordinal} is asked for, and the driver has {count} device(s)"
            )));
        }
        let (mut device, mut memory) = (0, 0usize);
        let mut name = [0u8; 256];
        // SAFETY: the driver stores numbers and at most 256 characters.
        unsafe {
            check("cuDeviceGet", sys::cuDeviceGet(&mut device, ordinal as i32))?;
            check("cuDeviceTotalMem", sys::cuDeviceTotalMem_v2(&mut memory, device))?;
            let length = name.len() as i32 - 1;
            let result = sys::cuDeviceGetName(name.as_mut_ptr().cast(), length, device);
            check("cuDeviceGetName", result)?;
        }
        let major =
            attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor =
            attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        let end = name.iter().position(|&c| c == 0).unwrap_or(name.len());
        let card = Card {
            ordinal,
            name: String::from_utf8_lossy(&name[..end]).into_owned(),
            capability: 10 * major + minor,
            memory: memory as u64,
        };
        Ok((card, device))
    }

    /// All GPUs of the machine.
    ///
    /// # Errors
    /// The driver's.
    pub fn all(driver: Driver) -> Result<Vec<Card>, CudaError> {
        let numbers = 0..driver.device_count()?;
        numbers.map(|ordinal| Card::find(driver, ordinal).map(|found| found.0)).collect()
    }
}

thread_local! {
    /// What this crate last made current here.
    static CURRENT: Cell<sys::CUcontext> = const { Cell::new(std::ptr::null_mut()) };
    /// How many plans this thread carries out, one within the other.
    static PLANS: Cell<u32> = const { Cell::new(0) };
    /// Whether nobody else can have made another context current here since.
    static CERTAIN: Cell<bool> = const { Cell::new(false) };
}

fn set_current(context: sys::CUcontext) -> Result<(), CudaError> {
    // SAFETY: a retained context, or one that was current here, or none.
    check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(context) })?;
    CURRENT.set(context);
    CERTAIN.set(true);
    Ok(())
}

/// Until [`leave`], nothing runs on this thread that could make another context current, but where
/// [`doubt`] says so: what is bound is not bound again.
pub(crate) fn enter() {
    PLANS.set(PLANS.get() + 1);
    doubt();
}

/// Ends what [`enter`] began.
pub(crate) fn leave() {
    PLANS.set(PLANS.get().saturating_sub(1));
}

/// Another context may be current on this thread than the one that was bound last.
pub(crate) fn doubt() {
    CERTAIN.set(false);
}

/// Whether what was bound last is current.
fn is_certain() -> bool {
    CERTAIN.get() && PLANS.get() > 0
}

fn attribute(device: sys::CUdevice, attribute: CUdevice_attribute) -> Result<u32, CudaError> {
    let mut value = 0;
    // SAFETY: the driver stores one number.
    let result = unsafe { sys::cuDeviceGetAttribute(&mut value, attribute, device) };
    check("cuDeviceGetAttribute", result).map(|()| value as u32)
}

impl Context {
    /// Retains the context of a GPU.
    pub fn retain(driver: Driver, ordinal: usize) -> Result<Arc<Context>, CudaError> {
        let (card, device) = Card::find(driver, ordinal)?;
        if attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? == 0 {
            let message = format!("cuda:{ordinal} has no stream-ordered memory pools");
            return Err(CudaError::Unsupported(message));
        }
        let multiprocessors =
            attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the driver stores one handle, which `drop` releases.
        check("cuDevicePrimaryCtxRetain", unsafe {
            sys::cuDevicePrimaryCtxRetain(&mut raw, device)
        })?;
        Ok(Arc::new(Context { raw, device, card, multiprocessors: multiprocessors as usize }))
    }

    /// Makes this the current context of the thread.
    pub fn bind(&self) -> Result<(), CudaError> {
        if CURRENT.get() == self.raw && is_certain() {
            return Ok(());
        }
        set_current(self.raw)
    }

    /// Does something with this as the current context, and makes the one before, which may be another
    /// program's, current again.
    pub fn visit(&self, f: impl FnOnce()) {
        let mut before = CURRENT.get();
        if !is_certain() {
            // SAFETY: the driver stores one handle.
            let _ = unsafe { sys::cuCtxGetCurrent(&mut before) };
        }
        if before == self.raw {
            return f();
        }
        let _ = self.bind();
        f();
        // What comes next relies on it.
        if set_current(before).is_err() {
            let _ = set_current(before);
        }
    }

    /// Lets kernels of this context read memory of another device, if the machine can and this device does not
    /// reach as many others as it can. The memory's pool must let this device in as well.
    pub fn enable_peer(&self, other: &Context) -> Result<bool, CudaError> {
        if self.card.ordinal == other.card.ordinal {
            return Ok(true);
        }
        let mut possible = 0;
        // SAFETY: the driver stores one number.
        check("cuDeviceCanAccessPeer", unsafe {
            sys::cuDeviceCanAccessPeer(&mut possible, self.device, other.device)
        })?;
        if possible == 0 {
            return Ok(false);
        }
        self.bind()?;
        // SAFETY: both contexts are retained.
        match unsafe { sys::cuCtxEnablePeerAccess(other.raw, 0) } {
            CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => Ok(true),
            CUresult::CUDA_ERROR_TOO_MANY_PEERS => Ok(false),
            result => check("cuCtxEnablePeerAccess", result).map(|()| true),
        }
    }

    pub(super) fn raw(&self) -> sys::CUcontext {
        self.raw
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if CURRENT.get() == self.raw {
            CURRENT.set(std::ptr::null_mut());
        }
        // SAFETY: retained once by `retain`; nothing is left that uses it.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

#[cfg(test)]
mod tests {
    use super::{Context, sys};
    use crate::driver::Driver;
    use darray_fakecuda::FakeCuda;

    fn current() -> sys::CUcontext {
        let mut found = std::ptr::null_mut();
        // SAFETY: the driver stores one handle.
        assert_eq!(unsafe { sys::cuCtxGetCurrent(&mut found) }, sys::CUresult::CUDA_SUCCESS);
        found
    }

    #[test]
    fn a_visit_leaves_what_was_current() {
        let fake = FakeCuda::load().expect("the fake driver is built");
        fake.configure("devices=2").unwrap();
        let driver = Driver::load(Some(fake.path())).unwrap();
        let [near, far] = [0, 1].map(|ordinal| Context::retain(driver, ordinal).unwrap());
        near.visit(|| assert_eq!(current(), near.raw));
        assert!(current().is_null(), "nothing was current");
        // Another part of the program binds its own.
        // SAFETY: a retained context.
        let bound = unsafe { sys::cuCtxSetCurrent(far.raw) };
        assert_eq!(bound, sys::CUresult::CUDA_SUCCESS);
        near.visit(|| assert_eq!(current(), near.raw));
        assert_eq!(current(), far.raw);
    }
}

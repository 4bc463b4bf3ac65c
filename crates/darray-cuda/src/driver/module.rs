//! Modules and their kernels.

use super::call::check;
use super::context::Context;
use super::stream::Stream;
use crate::CudaError;
use cudarc::driver::sys;
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// Loaded code.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    raw: sys::CUmodule,
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    raw: sys::CUfunction,
    _module: Arc<Module>,
}

// SAFETY: modules may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}
// SAFETY: functions may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Module {
    /// Loads a cubin, or a PTX text that ends with a zero byte, into a context, which is bound.
    pub fn load(context: &Arc<Context>, image: &[u8]) -> Result<Arc<Module>, CudaError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the image is whole; the driver stores one handle, which `drop` unloads.
        check("cuModuleLoadData", unsafe {
            sys::cuModuleLoadData(&mut raw, image.as_ptr().cast())
        })?;
        Ok(Arc::new(Module { context: context.clone(), raw }))
    }

    /// A kernel by its name.
    pub fn function(self: &Arc<Module>, name: &str) -> Result<Function, CudaError> {
        let text = CString::new(name).map_err(|e| CudaError::Unsupported(e.to_string()))?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the module lives; the driver stores one handle.
        check("cuModuleGetFunction", unsafe {
            sys::cuModuleGetFunction(&mut raw, self.raw, text.as_ptr())
        })?;
        Ok(Function { raw, _module: self.clone() })
    }
}

impl Function {
    /// Whether both are one kernel.
    pub fn is(&self, other: &Function) -> bool {
        self.raw == other.raw
    }

    pub(super) fn raw(&self) -> sys::CUfunction {
        self.raw
    }

    /// Queues a run of a kernel whose one parameter is a structure of these bytes.
    ///
    /// # Safety
    /// The bytes are what the kernel expects; every address in them is valid when it runs.
    pub unsafe fn launch(
        &self,
        grid: u32,
        block: u32,
        shared: u32,
        stream: &Stream,
        parameter: &[u8],
    ) -> Result<(), CudaError> {
        let mut parameters = [parameter.as_ptr().cast_mut().cast::<c_void>()];
        // SAFETY: the driver reads the parameter before it returns; the rest is the caller's
        // contract.
        check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(
                self.raw,
                grid,
                1,
                1,
                block,
                1,
                1,
                shared,
                stream.raw(),
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        self.context.visit(|| {
            // SAFETY: loaded by `load`; no function of it is left.
            let _ = unsafe { sys::cuModuleUnload(self.raw) };
        });
    }
}

//! Modules and their kernels.

use super::call::check;
use super::context::Context;
use super::stream::Stream;
use crate::CudaError;
use cudarc::driver::sys;
use smallvec::SmallVec;
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// Loaded code.
#[derive(Debug)]
pub(crate) struct Module {
    context: Arc<Context>,
    raw: sys::CUmodule,
}

/// How many threads run a kernel.
///
/// ```
/// use darray_cuda::Grid;
/// let grid = Grid::over(1000, 256);
/// assert_eq!((grid.blocks, grid.threads, grid.shared), ([4, 1, 1], [256, 1, 1], 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Blocks of threads, along three axes.
    pub blocks: [u32; 3],
    /// Threads of a block, along three axes.
    pub threads: [u32; 3],
    /// Bytes of shared memory of a block, beside what the kernel declares.
    pub shared: u32,
}

/// What a kernel is called with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Parameters<'p> {
    /// One structure of these bytes.
    One(&'p [u8]),
    /// Any number, each in the first bytes of a word.
    Words(&'p [u64]),
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

    /// Queues a run.
    ///
    /// # Safety
    /// The parameters are what the kernel expects; every address in them is valid when it runs.
    pub unsafe fn launch(
        &self,
        grid: Grid,
        stream: &Stream,
        parameters: Parameters<'_>,
    ) -> Result<(), CudaError> {
        let ([x, y, z], [tx, ty, tz], shared) = (grid.blocks, grid.threads, grid.shared);
        let mut addresses = parameters.addresses();
        // SAFETY: the driver reads the parameters before it returns; the rest is the caller's
        // contract.
        check("cuLaunchKernel", unsafe {
            sys::cuLaunchKernel(
                self.raw,
                x,
                y,
                z,
                tx,
                ty,
                tz,
                shared,
                stream.raw(),
                addresses.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        })
    }
}

impl Grid {
    /// So many blocks of so many threads.
    ///
    /// ```
    /// assert_eq!(darray_cuda::Grid::new(3, 32).blocks, [3, 1, 1]);
    /// ```
    pub fn new(blocks: u32, threads: u32) -> Grid {
        Grid { blocks: [blocks, 1, 1], threads: [threads, 1, 1], shared: 0 }
    }

    /// A thread for each of so many items, in blocks of so many threads; one block at least.
    ///
    /// # Panics
    ///
    /// If blocks have no threads, or if there are more blocks than a launch can have.
    ///
    /// ```
    /// assert_eq!(darray_cuda::Grid::over(0, 128), darray_cuda::Grid::new(1, 128));
    /// ```
    pub fn over(items: usize, threads: u32) -> Grid {
        let blocks = items.div_ceil(threads as usize).max(1);
        assert!(blocks <= i32::MAX as usize, "{items} items in blocks of {threads} threads");
        Grid::new(blocks as u32, threads)
    }
}

impl From<(u32, u32, u32)> for Grid {
    fn from((blocks, threads, shared): (u32, u32, u32)) -> Grid {
        Grid { shared, ..Grid::new(blocks, threads) }
    }
}

impl Parameters<'_> {
    /// Where each begins, as the driver wants to know it.
    pub(super) fn addresses(&self) -> SmallVec<[*mut c_void; 8]> {
        match self {
            Parameters::One(bytes) => SmallVec::from_slice(&[bytes.as_ptr().cast_mut().cast()]),
            Parameters::Words(words) => {
                words.iter().map(|word| std::ptr::from_ref(word).cast_mut().cast()).collect()
            }
        }
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

//! Host memory that devices copy from and to while the host goes on.

use super::call::check;
use super::context::Context;
use crate::CudaError;
use cudarc::driver::sys;
use std::sync::Arc;

/// The memory is pinned for every context.
const PORTABLE: u32 = sys::CU_MEMHOSTALLOC_PORTABLE;

/// Page-locked host memory.
#[derive(Debug)]
pub(crate) struct Pinned {
    context: Arc<Context>,
    pointer: *mut u8,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Pinned {}

impl Pinned {
    /// Memory of a context, which is bound then; zeroed.
    pub fn new(context: &Arc<Context>, bytes: usize) -> Result<Pinned, CudaError> {
        let mut pointer = std::ptr::null_mut();
        let size = bytes.max(1);
        context.bind()?;
        // SAFETY: the driver stores one address, which `drop` frees.
        check("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut pointer, size, PORTABLE) })?;
        let pointer = pointer.cast::<u8>();
        // SAFETY: fresh memory of this size; the copies of `slice` want it initialised.
        unsafe { pointer.write_bytes(0, size) };
        Ok(Pinned { context: context.clone(), pointer, bytes: size })
    }

    /// Size.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// The bytes. No device copies to them now.
    pub fn slice(&self) -> &[u8] {
        // SAFETY: initialised memory of this size, of which this is the owner.
        unsafe { std::slice::from_raw_parts(self.pointer, self.bytes) }
    }

    /// The bytes. No device copies from or to them now.
    pub fn slice_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `slice`.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.bytes) }
    }

    /// Its first byte.
    pub fn pointer(&self) -> *mut u8 {
        self.pointer
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.context.visit(|| {
            // SAFETY: allocated by `new`; the owner keeps it until its copies have run.
            let _ = unsafe { sys::cuMemFreeHost(self.pointer.cast()) };
        });
    }
}

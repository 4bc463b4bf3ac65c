//! Stream-ordered memory.

use super::call::check;
use super::context::Context;
use super::stream::Stream;
use crate::CudaError;
use cudarc::driver::sys;
use std::ffi::c_void;
use std::sync::Arc;

/// A pool of device memory that keeps what is given back.
#[derive(Debug)]
pub(crate) struct Pool {
    context: Arc<Context>,
    raw: sys::CUmemoryPool,
}

// SAFETY: pools may be used from any thread.
unsafe impl Send for Pool {}
// SAFETY: as above; the driver locks what it must.
unsafe impl Sync for Pool {}

impl Pool {
    /// A pool in a device's memory; the device's context is bound.
    pub fn new(context: &Arc<Context>) -> Result<Pool, CudaError> {
        // SAFETY: a structure of numbers, of enumerations that have a 0, and of a null pointer.
        let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
        properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.location = location(context);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the driver reads the structure and stores one handle, which `drop` destroys.
        check("cuMemPoolCreate", unsafe { sys::cuMemPoolCreate(&mut raw, &properties) })?;
        let pool = Pool { context: context.clone(), raw };
        let mut threshold = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let value = (&raw mut threshold).cast::<c_void>();
        // SAFETY: the attribute is a 64-bit number.
        check("cuMemPoolSetAttribute", unsafe {
            sys::cuMemPoolSetAttribute(pool.raw, attribute, value)
        })?;
        Ok(pool)
    }

    /// Lets another device read and write the pool's memory.
    pub fn admit(&self, peer: &Context) -> Result<(), CudaError> {
        let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = sys::CUmemAccessDesc { location: location(peer), flags };
        // SAFETY: the driver reads one structure.
        check("cuMemPoolSetAccess", unsafe { sys::cuMemPoolSetAccess(self.raw, &access, 1) })
    }

    /// Memory for what is queued on `stream` from now on.
    pub fn allocate(&self, bytes: u64, stream: &Stream) -> Result<u64, CudaError> {
        let mut address = 0;
        let size = bytes.max(1) as usize;
        // SAFETY: the driver stores one address.
        check("cuMemAllocFromPoolAsync", unsafe {
            sys::cuMemAllocFromPoolAsync(&mut address, size, self.raw, stream.raw())
        })?;
        Ok(address)
    }

    /// Gives memory back behind what is queued on `stream`.
    pub fn free(&self, address: u64, stream: &Stream) -> Result<(), CudaError> {
        // SAFETY: the address is from `allocate` and is given back once.
        check("cuMemFreeAsync", unsafe { sys::cuMemFreeAsync(address, stream.raw()) })
    }

    /// Bytes that the pool has of the device, used or not.
    pub fn reserved(&self) -> Result<u64, CudaError> {
        let mut bytes = 0u64;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
        let value = (&raw mut bytes).cast::<c_void>();
        // SAFETY: the attribute is a 64-bit number.
        check("cuMemPoolGetAttribute", unsafe {
            sys::cuMemPoolGetAttribute(self.raw, attribute, value)
        })?;
        Ok(bytes)
    }

    /// Gives what is not in use back to the device.
    pub fn trim(&self) -> Result<(), CudaError> {
        // SAFETY: the pool lives.
        check("cuMemPoolTrimTo", unsafe { sys::cuMemPoolTrimTo(self.raw, 0) })
    }
}

fn location(context: &Context) -> sys::CUmemLocation {
    let type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    sys::CUmemLocation { type_, id: context.card.ordinal as i32 }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.context.visit(|| {
            // SAFETY: created by `new`; its memory was given back or dies with it.
            let _ = unsafe { sys::cuMemPoolDestroy(self.raw) };
        });
    }
}

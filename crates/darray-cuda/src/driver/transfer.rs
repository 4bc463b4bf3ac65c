//! Copies of contiguous bytes.

use super::call::check;
use super::context::Context;
use super::pinned::Pinned;
use super::stream::Stream;
use crate::CudaError;
use cudarc::driver::sys;

/// Bytes from one place of a device to another.
pub(crate) fn copy(to: u64, from: u64, bytes: usize, stream: &Stream) -> Result<(), CudaError> {
    // SAFETY: the caller's ranges lie inside blocks of the stream's device.
    check("cuMemcpyDtoDAsync", unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, stream.raw()) })
}

/// Bytes from one device to another that has access to it.
pub(crate) fn peer_copy(
    (to, to_context): (u64, &Context),
    (from, from_context): (u64, &Context),
    bytes: usize,
    stream: &Stream,
) -> Result<(), CudaError> {
    // SAFETY: the caller's ranges lie inside blocks of these devices.
    check("cuMemcpyPeerAsync", unsafe {
        let (to_context, from_context) = (to_context.raw(), from_context.raw());
        sys::cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream.raw())
    })
}

/// The first bytes of pinned memory, to a device. The memory stays until the copy has run.
pub(crate) fn upload(
    to: u64,
    from: &Pinned,
    bytes: usize,
    stream: &Stream,
) -> Result<(), CudaError> {
    assert!(bytes <= from.len(), "pinned memory of {} holds {bytes} bytes", from.len());
    // SAFETY: the target lies inside a block, the source was checked.
    unsafe { upload_from(to, from.pointer(), bytes, stream) }
}

/// Bytes of pinned memory, to a device.
///
/// # Safety
/// Both have these bytes until the copy has run.
pub(crate) unsafe fn upload_from(
    to: u64,
    from: *const u8,
    bytes: usize,
    stream: &Stream,
) -> Result<(), CudaError> {
    // SAFETY: the caller's contract.
    check("cuMemcpyHtoDAsync", unsafe {
        sys::cuMemcpyHtoDAsync_v2(to, from.cast(), bytes, stream.raw())
    })
}

/// Bytes of a device, to the front of pinned memory. The memory stays until the copy has run.
pub(crate) fn download(
    to: &Pinned,
    from: u64,
    bytes: usize,
    stream: &Stream,
) -> Result<(), CudaError> {
    assert!(bytes <= to.len(), "pinned memory of {} holds {bytes} bytes", to.len());
    // SAFETY: the source lies inside a block, the target was checked.
    unsafe { download_to(to.pointer(), from, bytes, stream) }
}

/// Bytes of a device, to pinned memory.
///
/// # Safety
/// Both have these bytes until the copy has run.
pub(crate) unsafe fn download_to(
    to: *mut u8,
    from: u64,
    bytes: usize,
    stream: &Stream,
) -> Result<(), CudaError> {
    // SAFETY: the caller's contract.
    check("cuMemcpyDtoHAsync", unsafe {
        sys::cuMemcpyDtoHAsync_v2(to.cast(), from, bytes, stream.raw())
    })
}

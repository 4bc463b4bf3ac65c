//! Streams.

use super::call::check;
use super::context::Context;
use super::event::Event;
use crate::CudaError;
use cudarc::driver::sys::{self, CUstream_flags};
use std::sync::Arc;

/// An in-order queue of a context, apart from the default stream.
#[derive(Debug)]
pub(crate) struct Stream {
    context: Arc<Context>,
    raw: sys::CUstream,
}

// SAFETY: streams may be used from any thread.
unsafe impl Send for Stream {}
// SAFETY: as above; the driver locks what it must.
unsafe impl Sync for Stream {}

impl Stream {
    /// A stream of a context, which is bound.
    pub fn new(context: &Arc<Context>) -> Result<Stream, CudaError> {
        let mut raw = std::ptr::null_mut();
        let flags = CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the driver stores one handle, which `drop` destroys.
        check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut raw, flags) })?;
        Ok(Stream { context: context.clone(), raw })
    }

    /// The handle, for libraries that queue work of their own.
    pub fn handle(&self) -> *mut std::ffi::c_void {
        self.raw.cast()
    }

    /// Sets an event to the point behind everything that is queued here.
    pub fn record(&self, event: &Event) -> Result<(), CudaError> {
        // SAFETY: both live and are of one context.
        check("cuEventRecord", unsafe { sys::cuEventRecord(event.raw(), self.raw) })
    }

    /// What is queued from now on runs behind the event, which may be of another device.
    pub fn wait(&self, event: &Event) -> Result<(), CudaError> {
        // SAFETY: both live.
        check("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(self.raw, event.raw(), 0) })
    }

    /// What is queued from now on runs behind everything that is queued on `other`, which may be of
    /// another device. This stream's context is bound then.
    pub fn follow(&self, other: &Stream) -> Result<(), CudaError> {
        other.context.bind()?;
        let event = Event::new(&other.context)?;
        other.record(&event)?;
        self.context.bind()?;
        self.wait(&event)
    }

    /// Blocks until everything has run.
    pub fn synchronize(&self) -> Result<(), CudaError> {
        // SAFETY: the stream lives.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.raw) })
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.raw
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.context.visit(|| {
            // SAFETY: created by `new`; what is queued still runs.
            let _ = unsafe { sys::cuStreamDestroy_v2(self.raw) };
        });
    }
}

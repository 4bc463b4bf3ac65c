//! Events: points on streams.

use super::call::check;
use super::context::Context;
use crate::CudaError;
use cudarc::driver::sys::{self, CUevent_flags, CUresult};
use std::sync::Arc;

/// A point on a stream, recorded by [`Stream::record`](super::Stream::record).
#[derive(Debug)]
pub(crate) struct Event {
    context: Arc<Context>,
    raw: sys::CUevent,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// An event of a context, which is bound; not recorded yet.
    pub fn new(context: &Arc<Context>) -> Result<Event, CudaError> {
        let mut raw = std::ptr::null_mut();
        let flags = CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: the driver stores one handle, which `drop` destroys.
        check("cuEventCreate", unsafe { sys::cuEventCreate(&mut raw, flags) })?;
        Ok(Event { context: context.clone(), raw })
    }

    /// Whether everything before the point has run.
    pub fn is_reached(&self) -> Result<bool, CudaError> {
        // SAFETY: the event lives.
        match unsafe { sys::cuEventQuery(self.raw) } {
            CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => check("cuEventQuery", result).map(|()| true),
        }
    }

    /// Blocks until everything before the point has run.
    pub fn wait(&self) -> Result<(), CudaError> {
        // SAFETY: the event lives.
        check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(self.raw) })
    }

    pub(super) fn raw(&self) -> sys::CUevent {
        self.raw
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.context.visit(|| {
            // SAFETY: created by `new`; streams that wait for it keep what they need.
            let _ = unsafe { sys::cuEventDestroy_v2(self.raw) };
        });
    }
}

//! Pinned host memory, used again and again.

use super::lock;
use crate::driver::{Context, Pinned};
use crate::error::CudaError;
use darray_device::HostBuffer;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

/// Bytes that are kept for later transfers.
const KEPT: usize = 256 << 20;
/// The smallest piece of pinned memory.
const LEAST: usize = 64 << 10;

/// Pinned memory that nobody uses now.
#[derive(Clone, Default)]
pub(super) struct Staging(Arc<Mutex<Vec<Pinned>>>);

/// Pinned memory in use; given back by drop.
pub(super) struct Lease {
    pinned: Option<Pinned>,
    staging: Staging,
}

/// Bytes that the GPU has put into pinned memory, and the host buffer that they are for.
pub(super) struct Landing {
    pub from: Lease,
    pub bytes: usize,
    pub to: HostBuffer,
    pub at: usize,
}

impl Staging {
    /// At least this many bytes. If there are none, the context is bound.
    pub fn take(&self, context: &Arc<Context>, bytes: usize) -> Result<Lease, CudaError> {
        let size = bytes.max(LEAST).checked_next_power_of_two().unwrap_or(bytes);
        let mut free = lock(&self.0);
        let fitting = free.iter().position(|pinned| pinned.len() == size);
        let pinned = match fitting {
            Some(at) => free.swap_remove(at),
            None => {
                drop(free);
                Pinned::new(context, size)?
            }
        };
        Ok(Lease { pinned: Some(pinned), staging: self.clone() })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(pinned) = self.pinned.take() else { return };
        let mut free = lock(&self.staging.0);
        let kept: usize = free.iter().map(|pinned| pinned.len()).sum();
        if kept + pinned.len() <= KEPT {
            free.push(pinned);
        }
    }
}

impl Deref for Lease {
    type Target = Pinned;

    fn deref(&self) -> &Pinned {
        self.pinned.as_ref().expect("pinned memory until drop")
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Pinned {
        self.pinned.as_mut().expect("pinned memory until drop")
    }
}

impl Landing {
    /// Copies the bytes to where they are for. The transfer was checked when it was submitted.
    pub fn land(self) {
        let is_put = lock(&self.to).put(self.at, &self.from.slice()[..self.bytes]);
        debug_assert!(is_put);
    }
}

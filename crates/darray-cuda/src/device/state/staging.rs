//! Pinned host memory, used again and again.

use crate::device::lock;
use crate::driver::{Context, Event, Pinned, Stream};
use crate::error::CudaError;
use darray_device::HostBuffer;
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex};

/// Bytes that are kept for later transfers.
const KEPT: usize = 256 << 20;
/// The smallest piece of pinned memory.
const LEAST: usize = 64 << 10;
/// Bytes of a long transfer that go together.
pub(in crate::device) const PIECE: usize = 16 << 20;
/// Pieces of a transfer that are in flight at a time, at most.
const MOST_IN_FLIGHT: usize = 4;

/// Pinned memory that nobody uses now.
#[derive(Clone, Default)]
pub(in crate::device) struct Staging(Arc<Mutex<Vec<Pinned>>>);

/// Pinned memory in use; given back by drop.
pub(in crate::device) struct Lease {
    pinned: Option<Pinned>,
    staging: Staging,
}

/// Bytes that the GPU has put into pinned memory, and the host buffer that they are for.
pub(in crate::device) struct Landing {
    pub from: Lease,
    pub bytes: usize,
    pub to: HostBuffer,
    pub at: usize,
}

/// The pieces of a transfer that are in flight, the oldest first.
pub(in crate::device) struct InFlight<T> {
    pieces: SmallVec<[(T, Option<Event>); MOST_IN_FLIGHT]>,
    /// Whether there are so many that some are waited for.
    long: bool,
    /// Of a piece that has arrived.
    free: Option<Event>,
}

impl<T> InFlight<T> {
    /// None of so many yet.
    pub fn of(count: usize) -> InFlight<T> {
        InFlight { pieces: SmallVec::new(), long: count > MOST_IN_FLIGHT, free: None }
    }

    /// If there are as many as may be: the oldest, when it has arrived.
    pub fn next(&mut self) -> Result<Option<T>, CudaError> {
        if self.pieces.len() < MOST_IN_FLIGHT {
            return Ok(None);
        }
        if let (_, Some(event)) = &self.pieces[0] {
            event.wait()?;
        }
        let (piece, event) = self.pieces.remove(0);
        self.free = event;
        Ok(Some(piece))
    }

    /// One more, which is kept from now on.
    pub fn push(&mut self, piece: T) -> &T {
        self.pieces.push((piece, None));
        &self.pieces[self.pieces.len() - 1].0
    }

    /// The last one has arrived when all that is queued on the stream now has run. The context is bound.
    pub fn mark(
        &mut self,
        context: &Arc<Context>,
        stream: Option<&Stream>,
    ) -> Result<(), CudaError> {
        let (Some(stream), true) = (stream, self.long) else { return Ok(()) };
        let Some((_, event)) = self.pieces.last_mut() else { return Ok(()) };
        let free = match self.free.take() {
            Some(free) => free,
            None => Event::new(context)?,
        };
        stream.record(event.insert(free))
    }

    /// Those that may not have arrived yet.
    pub fn pieces(self) -> impl Iterator<Item = T> {
        self.pieces.into_iter().map(|(piece, _)| piece)
    }
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

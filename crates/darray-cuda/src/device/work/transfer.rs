//! Copies, uploads and downloads.
//!
//! Between the host and a GPU bytes go through pinned memory. A long transfer goes in pieces, a few of which are in flight at
//! a time: pinning memory takes longer than copying it.
//!
//! ```text
//! host:     copy 0 | copy 1 | copy 2 | copy 3 | wait for 0, copy 4 | ...
//! stream:          |  to the GPU 0  |  to the GPU 1  |  ...
//! ```

use super::Run;
use super::rectangle::{Pair, address, bytes, pieces, row_major};
use super::route::Route;
use crate::device::state::logical::Logical;
use crate::device::state::staging::{InFlight, Landing};
use crate::driver::{self, Stream};
use crate::error::CudaError;
use darray_device::{Fault, HostBuffer, Rect};

impl Run<'_> {
    /// Within the device, or from a peer.
    pub(in crate::device) fn copy(&mut self, from: &Rect, to: &Rect) -> Result<(), Fault> {
        if from.extents != to.extents || from.dtype != to.dtype {
            return Err(Fault::Execution(format!(
                "copy of {:?} {} to {:?} {}",
                from.extents, from.dtype, to.extents, to.dtype
            )));
        }
        self.check_own(to.block.device)?;
        let source = address(from, self.group.locate(from.block)?)?;
        let target = address(to, self.own.memory.locate(to.block)?)?;
        if from.extents.contains(&0) {
            return Ok(());
        }
        let peer = self.group.device(from.block.device)?;
        let pair = Pair::new(&to.extents, &to.strides, &from.strides);
        let size = to.dtype.size();
        let queued = if self.group.is_fetched(from, peer, self.own) {
            return self.staged(from, source, to, target);
        } else if !pair.is_contiguous() {
            self.strided((target, source), &pair, size, self.own, &self.route)
        } else {
            self.route.peer_copy((target, self.own), (source, peer), bytes(to))
        };
        queued.map_err(CudaError::execution)
    }

    /// Host bytes to a rectangle. All but the last pieces have arrived when it returns.
    pub(in crate::device) fn upload(&mut self, from: &[u8], to: &Rect) -> Result<(), Fault> {
        self.check_own(to.block.device)?;
        let target = address(to, self.own.memory.locate(to.block)?)?;
        let count = bytes(to);
        if from.len() != count {
            let found = from.len();
            return Err(Fault::Execution(format!("upload of {found} bytes to {count}")));
        }
        if count == 0 {
            return Ok(());
        }
        let (most, stream) = self.in_pieces();
        let parts = pieces(to, most);
        let mut in_flight = InFlight::of(parts.len());
        let mut rest = from;
        let queue = || {
            for part in parts {
                let (piece, behind) = rest.split_at(bytes(&part));
                rest = behind;
                drop(in_flight.next()?);
                let mut pinned = self.group.staging.take(self.own.context(), piece.len())?;
                pinned.slice_mut()[..piece.len()].copy_from_slice(piece);
                let pinned = in_flight.push(pinned);
                self.scatter(pinned, &part, part_of(target, to, &part))?;
                in_flight.mark(self.own.context(), stream)?;
            }
            Ok(())
        };
        let result = queue();
        in_flight.pieces().for_each(|pinned| self.submission.hold(pinned));
        result.map_err(CudaError::execution)
    }

    /// A rectangle to host bytes, the last pieces of which arrive when the event is looked at.
    pub(in crate::device) fn download(
        &mut self,
        from: &Rect,
        to: &HostBuffer,
        at: usize,
    ) -> Result<(), Fault> {
        self.check_own(from.block.device)?;
        let source = address(from, self.own.memory.locate(from.block)?)?;
        let count = bytes(from);
        let room = crate::device::lock(to).byte_capacity();
        if at.checked_add(count).is_none_or(|end| end > room) {
            return Err(Fault::no_room(at, count, room));
        }
        if count == 0 {
            return Ok(());
        }
        let (most, stream) = self.in_pieces();
        let parts = pieces(from, most);
        let mut in_flight: InFlight<Landing> = InFlight::of(parts.len());
        let mut next = at;
        let queue = || {
            for part in parts {
                let (count, source) = (bytes(&part), part_of(source, from, &part));
                if let Some(landing) = in_flight.next()? {
                    landing.land();
                }
                let pinned = self.group.staging.take(self.own.context(), count)?;
                let landing = Landing { from: pinned, bytes: count, to: to.clone(), at: next };
                let pinned = &in_flight.push(landing).from;
                self.gather(&part, source, pinned, (self.own, &self.route))?;
                in_flight.mark(self.own.context(), stream)?;
                next += count;
            }
            Ok(())
        };
        let result = queue();
        in_flight.pieces().for_each(|landing| match &result {
            Ok(()) => self.submission.land(landing),
            Err(_) => self.submission.hold(landing.from),
        });
        result.map_err(CudaError::execution)
    }

    /// Bytes of a piece at most, and the stream that takes them. What is held back cannot be waited for, so it is one piece.
    fn in_pieces(&self) -> (usize, Option<&Stream>) {
        match &self.route {
            Route::Stream(stream) => (self.group.piece, Some(stream)),
            Route::Batch(..) => (usize::MAX, None),
        }
    }

    /// From a GPU whose memory this one does not reach: through the host.
    ///
    /// ```text
    /// peer's fetch stream:  behind what the copy waits for there:  gather, to the host --+
    /// this queue's stream:                                                               +-> scatter
    /// ```
    ///
    /// A copy that does not come first in its submission waits for all that the queue knows of the peer.
    fn staged(&mut self, from: &Rect, source: u64, to: &Rect, target: u64) -> Result<(), Fault> {
        let stream = match &self.route {
            Route::Stream(stream) => *stream,
            Route::Batch(..) => return self.staged_in_batch(from, source, to, target),
        };
        let peer = self.group.device(from.block.device)?;
        let context = peer.context();
        let waits = match self.apart.take() {
            Some(apart) => apart,
            None => {
                let mut known = self.known.clone();
                known.join(&self.learned);
                self.group.waits_of(peer, &known)?
            }
        };
        let fetch = peer.fetch.stream();
        let parts = pieces(from, self.group.piece).into_iter().zip(pieces(to, self.group.piece));
        let mut in_flight = InFlight::of(parts.len());
        let queue = || {
            context.bind()?;
            let known = peer.fetch.follow(&waits)?;
            for (near, far) in parts {
                drop(in_flight.next()?);
                context.bind()?;
                let pinned = self.group.staging.take(context, bytes(&near))?;
                let pinned = in_flight.push(pinned);
                let source = part_of(source, from, &near);
                self.gather(&near, source, pinned, (peer, &Route::Stream(fetch)))?;
                stream.follow(fetch)?;
                self.learned.join(&known);
                self.scatter(pinned, &far, part_of(target, to, &far))?;
                in_flight.mark(self.own.context(), Some(stream))?;
            }
            Ok(())
        };
        let result = queue();
        let rebound = self.own.context().bind();
        if result.is_err() {
            // The peer may be at work on the host's memory.
            let _ = fetch.synchronize();
        }
        in_flight.pieces().for_each(|pinned| self.submission.hold(pinned));
        result.and(rebound).map_err(CudaError::execution)
    }

    /// As [`staged`](Self::staged) in a batch, where the nodes of a queue may be of several devices.
    fn staged_in_batch(
        &mut self,
        from: &Rect,
        source: u64,
        to: &Rect,
        target: u64,
    ) -> Result<(), Fault> {
        let peer = self.group.device(from.block.device)?;
        let pinned = self.group.staging.take(peer.context(), bytes(from));
        let pinned = pinned.map_err(CudaError::execution)?;
        let result = self.gather(from, source, &pinned, (peer, &self.route));
        let result = result.and_then(|()| self.scatter(&pinned, to, target));
        self.submission.hold(pinned);
        result.map_err(CudaError::execution)
    }

    /// Queues the way from pinned memory to a rectangle of this device.
    fn scatter(&self, from: &driver::Pinned, to: &Rect, target: u64) -> Result<(), CudaError> {
        let pair = Pair::new(&to.extents, &to.strides, &row_major(&to.extents));
        let (count, size, route) = (bytes(to), to.dtype.size(), &self.route);
        if pair.is_contiguous() {
            return route.upload(self.own, target, from, count);
        }
        route.with_space(self.group, self.own, count as u64, |space| {
            route.upload(self.own, space, from, count)?;
            self.strided((target, space), &pair, size, self.own, route)
        })
    }

    /// Queues the way from a rectangle of a device, which is bound, to pinned memory.
    fn gather(
        &self,
        from: &Rect,
        source: u64,
        to: &driver::Pinned,
        (device, route): (&Logical, &Route<'_>),
    ) -> Result<(), CudaError> {
        let pair = Pair::new(&from.extents, &row_major(&from.extents), &from.strides);
        let count = bytes(from);
        if pair.is_contiguous() {
            return route.download(device, to, source, count);
        }
        let size = from.dtype.size();
        route.with_space(self.group, device, count as u64, |space| {
            self.strided((space, source), &pair, size, device, route)?;
            route.download(device, to, space, count)
        })
    }
}

/// The address of a part of a rectangle that begins at `whole`.
fn part_of(whole: u64, rect: &Rect, part: &Rect) -> u64 {
    whole.wrapping_add_signed((part.offset - rect.offset) * rect.dtype.size() as i64)
}

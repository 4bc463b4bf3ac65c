//! Copies, uploads and downloads.

use super::Run;
use super::logical::Logical;
use super::rectangle::{Pair, address, bytes, row_major};
use super::route::Route;
use super::staging::Landing;
use crate::driver;
use crate::error::CudaError;
use darray_device::{Fault, HostBuffer, Rect};

impl Run<'_> {
    /// Within the device, or from a peer.
    pub(super) fn copy(&mut self, from: &Rect, to: &Rect) -> Result<(), Fault> {
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
        let (near, far) = (self.own.context(), peer.context());
        let pair = Pair::new(&to.extents, &to.strides, &from.strides);
        let size = to.dtype.size();
        let queued = if !self.group.reaches(near.card.ordinal, far.card.ordinal) {
            return self.staged(from, source, to, target);
        } else if !pair.is_contiguous() {
            self.strided((target, source), &pair, size, self.own, &self.route)
        } else {
            self.route.peer_copy((target, self.own), (source, peer), bytes(to))
        };
        queued.map_err(CudaError::execution)
    }

    /// Host bytes to a rectangle.
    pub(super) fn upload(&mut self, from: &[u8], to: &Rect) -> Result<(), Fault> {
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
        let context = self.own.context();
        let mut pinned = self.group.staging.take(context, count).map_err(CudaError::execution)?;
        pinned.slice_mut()[..count].copy_from_slice(from);
        let result = self.scatter(&pinned, to, target);
        self.submission.hold(pinned);
        result.map_err(CudaError::execution)
    }

    /// A rectangle to host bytes, which arrive when the event is looked at.
    pub(super) fn download(
        &mut self,
        from: &Rect,
        to: &HostBuffer,
        at: usize,
    ) -> Result<(), Fault> {
        self.check_own(from.block.device)?;
        let source = address(from, self.own.memory.locate(from.block)?)?;
        let count = bytes(from);
        let room = super::lock(to).room();
        if at.checked_add(count).is_none_or(|end| end > room) {
            return Err(Fault::no_room(at, count, room));
        }
        if count == 0 {
            return Ok(());
        }
        let context = self.own.context();
        let pinned = self.group.staging.take(context, count).map_err(CudaError::execution)?;
        let result = self.gather(from, source, &pinned, (self.own, &self.route));
        if result.is_err() {
            self.submission.hold(pinned);
        } else {
            let landing = Landing { from: pinned, bytes: count, to: to.clone(), at };
            self.submission.land(landing);
        }
        result.map_err(CudaError::execution)
    }

    /// From a GPU whose memory this one does not reach: through the host.
    ///
    /// ```text
    /// peer's fetch stream:  behind this queue's waits for the peer: gather, to the host --+
    /// this queue's stream:                                                                +-> scatter
    /// ```
    fn staged(&mut self, from: &Rect, source: u64, to: &Rect, target: u64) -> Result<(), Fault> {
        let stream = match &self.route {
            Route::Stream(stream) => *stream,
            Route::Batch(..) => return self.staged_in_batch(from, source, to, target),
        };
        let peer = self.group.device(from.block.device)?;
        let context = peer.context();
        let waits = self.group.waits_of(peer, self.known)?;
        let fetch = peer.fetch.stream();
        let mut pinned = None;
        let mut queue = || {
            context.bind()?;
            peer.fetch.follow(&waits)?;
            let pinned = pinned.insert(self.group.staging.take(context, bytes(from))?);
            self.gather(from, source, pinned, (peer, &Route::Stream(fetch)))?;
            stream.follow(fetch)?;
            self.scatter(pinned, to, target)
        };
        let result = queue();
        let rebound = self.own.context().bind();
        if result.is_err() {
            // The peer may be at work on the host's memory.
            let _ = fetch.synchronize();
        }
        pinned.into_iter().for_each(|lease| self.submission.hold(lease));
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

//! Streams: queues of work.

use super::Driver;
use super::code::{Answer, Code};
use super::graph::CaptureState;
use super::operation::Operation;
use super::race::Clock;
use std::collections::VecDeque;

/// How a stream orders itself with the legacy stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It waits for all blocking streams, and they wait for it.
    Legacy,
    /// As said.
    Blocking,
    /// It has nothing to do with the legacy stream.
    NonBlocking,
}

/// A stream.
#[derive(Debug)]
pub struct Stream {
    /// Its device.
    pub device: usize,
    /// How it orders itself with the legacy stream.
    pub kind: Kind,
    /// Its priority.
    pub priority: i32,
    /// Work that has not been completed, first come first.
    pub queue: VecDeque<Queued>,
    /// Whether a host function of it is running.
    pub busy: bool,
    /// What it captures.
    pub capture: Option<CaptureState>,
    /// Whether its handle is void: it goes once its work has been completed.
    pub destroyed: bool,
}

/// Work in a stream.
#[derive(Debug)]
pub struct Queued {
    /// The order in which work was submitted.
    pub sequence: u64,
    /// What is to be done.
    pub operation: Operation,
    /// What the host knew to be done when it was submitted.
    pub known: Clock,
}

/// Handle of the stream that is meant by no stream.
const LEGACY: u64 = 1;
/// Handle of the stream that each thread has for itself; here all threads share it.
const PER_THREAD: u64 = 2;

impl Stream {
    /// An empty stream.
    pub fn new(device: usize, kind: Kind, priority: i32) -> Stream {
        let queue = VecDeque::new();
        let (busy, capture, destroyed) = (false, None, false);
        Stream { device, kind, priority, queue, busy, capture, destroyed }
    }

    /// Whether all of its work has been completed.
    pub fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.busy
    }
}

impl Driver {
    /// A stream and its handle.
    pub fn add_stream(&mut self, stream: Stream) -> u64 {
        let handle = self.handle();
        self.streams.insert(handle, stream);
        handle
    }

    /// The stream that a handle means to a thread whose context is of `device`.
    pub fn stream(&self, handle: u64, device: Option<usize>) -> Answer<u64> {
        match handle {
            0 | LEGACY | PER_THREAD => {
                let device = device.ok_or(Code::INVALID_CONTEXT)?;
                Ok(self.devices[device].streams[usize::from(handle == PER_THREAD)])
            }
            _ => match self.streams.get(&handle) {
                Some(stream) if !stream.destroyed => Ok(handle),
                _ => Err(Code::INVALID_HANDLE),
            },
        }
    }

    /// Appends work to a stream, or to the graph that it captures.
    pub fn submit(&mut self, stream: u64, operation: Operation) -> Answer {
        let device = self.streams[&stream].device;
        self.check(device)?;
        if let Some(joined) = self.streams[&stream].capture.clone() {
            return self.capture(stream, joined, operation);
        }
        if self.streams[&stream].kind == Kind::Legacy && self.blocking_capture(device) {
            return Err(Code::CAPTURE_IMPLICIT);
        }
        let sequence = self.sequence();
        self.counters.operations += 1;
        if let Some(stream) = self.streams.get_mut(&stream) {
            let known = if self.config.races { self.races.submitted() } else { Clock::new() };
            stream.queue.push_back(Queued { sequence, operation, known });
        }
        if self.is_lazy() {
            return Ok(());
        }
        while self.step() {}
        self.check(device)
    }

    /// Whether a stream captures that the legacy stream would wait for.
    fn blocking_capture(&self, device: usize) -> bool {
        self.streams.values().any(|stream| {
            stream.device == device && stream.kind == Kind::Blocking && stream.capture.is_some()
        })
    }

    /// Whether the work at the head of a stream must wait for the legacy stream, or the legacy
    /// stream for others.
    pub fn waits_for_legacy(&self, stream: &Stream, sequence: u64) -> bool {
        let earlier = |other: &Stream| {
            (other.busy && other.device == stream.device)
                || other.queue.front().is_some_and(|queued| queued.sequence < sequence)
        };
        match stream.kind {
            Kind::NonBlocking => false,
            Kind::Blocking => {
                let legacy = self.devices[stream.device].streams[0];
                self.streams.get(&legacy).is_some_and(earlier)
            }
            Kind::Legacy => self
                .streams
                .values()
                .filter(|other| other.device == stream.device && other.kind == Kind::Blocking)
                .any(earlier),
        }
    }
}

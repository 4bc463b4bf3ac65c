//! CUDA devices: logical devices over physical GPUs.

mod builtin;
mod clock;
mod copy_kernel;
mod group;
mod launch;
mod logical;
mod memory;
mod physical;
mod rectangle;
mod staging;
mod timeline;
mod transfer;

pub use group::{CudaDevices, CudaOptions};

use clock::Clock;
use darray_device::{
    Block, Code, Command, CommandFault, Describe, Device, DeviceStats, Event, Fault, Queue,
};
use darray_kernel::ir::Kernel;
use group::Group;
use launch::Compiled;
use logical::Logical;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use timeline::Submission;

/// One logical CUDA device.
///
/// Rules:
/// - Queue 0 computes, queue 1 copies: two streams. A submission is a stretch of its queue's stream,
///   with a CUDA event at its end.
/// - What the host finds wrong with a command (a block that was given back, an access outside) fails
///   the submission at that command. What the GPU finds wrong is known when the event is looked at; the
///   fault then names the commands that ran, and the GPU is lost to all its devices.
/// - Bytes of a download reach their host buffer when the event is looked at.
/// - All events that a submission waits for are of devices of the same group.
/// - A stream waits for an event only if nothing that it waited for before is behind that event.
/// - Memory goes back on a queue that is behind all uses of it, or, where there is none, on a stream that
///   waits for the uses.
struct CudaDevice {
    group: Arc<Group>,
    index: usize,
}

impl CudaDevice {
    fn own(&self) -> &Logical {
        &self.group.devices[self.index]
    }

    /// Queues one command.
    fn run(&self, run: &mut Run<'_>, command: &Command) -> Result<(), Fault> {
        match command {
            Command::Launch { code, args } => run.launch(*code, args),
            Command::Builtin { name, args } => run.builtin(name, args),
            Command::Copy { from, to } => run.copy(from, to),
            Command::Upload { from, to } => run.upload(from, to),
            Command::Download { from, to, at } => run.download(from, to, *at),
        }
    }
}

/// A submission that is being queued.
struct Run<'r> {
    group: &'r Group,
    own: &'r Logical,
    stream: &'r crate::driver::Stream,
    /// What the stream is behind.
    known: &'r Clock,
    submission: Submission,
}

impl Device for CudaDevice {
    fn describe(&self) -> &Describe {
        &self.own().describe
    }

    fn compile(&self, kernel: &Kernel) -> Result<Code, Fault> {
        self.own().codes.hold(kernel, || Compiled::new(kernel, self.group.math))
    }

    fn forget(&self, code: Code) {
        // Submissions in flight keep what they launched.
        self.own().codes.forget(code);
    }

    fn allocate(&self, queue: Queue, bytes: u64) -> Result<Block, Fault> {
        let own = self.own();
        let timeline = own.timeline(queue)?;
        own.context().bind().map_err(|e| e.execution())?;
        own.memory
            .allocate(bytes, timeline.stream(), || self.group.trim(own.context().card.ordinal))
    }

    fn release(&self, queue: Queue, block: Block, after: &[Event]) {
        let own = self.own();
        let Ok(timeline) = own.timeline(queue) else { return };
        let _ = own.context().bind();
        // A block that is used by nobody knows whom is kept.
        let Ok(waits) = self.group.waits(after) else { return };
        let mut queues = std::iter::once(timeline).chain(own.timelines());
        let behind = queues.find(|timeline| waits.are_known_to(&timeline.known()));
        let stream = behind.map_or(own.reclaim.stream(), |timeline| timeline.stream());
        if behind.is_none() && own.reclaim.follow(&waits).is_err() {
            // Nothing may run on memory that is given back: wait here, if the device can.
            waits.block();
        }
        own.memory.release(block, stream);
    }

    fn submit(&self, queue: Queue, after: &[Event], work: Vec<Command>) -> Result<Event, Fault> {
        let own = self.own();
        let timeline = own.timeline(queue)?;
        let waits = self.group.waits(after)?;
        own.context().bind().map_err(|e| e.execution())?;
        let ticket = timeline.submit(&waits, |stream, known, submission| {
            let mut run = Run { group: &self.group, own, stream, known, submission };
            for (number, command) in work.iter().enumerate() {
                run.submission.describe(command);
                if let Err(fault) = self.run(&mut run, command) {
                    run.submission.fault = Some(CommandFault { command: number as u32, fault });
                    break;
                }
            }
            run.submission
        })?;
        Ok(Event { device: own.id, queue, ticket })
    }

    fn poll(&self, event: Event) -> Poll<Result<(), CommandFault>> {
        let own = self.own();
        let Ok(timeline) = self.group.timeline(event) else { return Poll::Ready(unknown(event)) };
        let _ = own.context().bind();
        timeline.poll(event.ticket)
    }

    fn wait(&self, event: Event) -> Result<(), CommandFault> {
        let own = self.own();
        let Ok(timeline) = self.group.timeline(event) else { return unknown(event) };
        let _ = own.context().bind();
        timeline.wait(event.ticket)
    }

    fn is_apart(&self) -> bool {
        true
    }

    fn settle(&self) {
        self.group.settle(self.own().context().card.ordinal);
    }

    fn stats(&self) -> DeviceStats {
        let own = self.own();
        let mut stats = DeviceStats {
            launches: own.launches.load(Ordering::Relaxed),
            builtins: own.builtins.load(Ordering::Relaxed),
            ..DeviceStats::default()
        };
        own.codes.count(&mut stats);
        let _ = own.context().bind();
        own.memory.count(&mut stats);
        stats
    }
}

fn unknown(event: Event) -> Result<(), CommandFault> {
    let fault = Fault::Execution(format!("{event:?} is not of this group of CUDA devices"));
    Err(CommandFault { command: 0, fault })
}

/// A panic while a lock was held leaves nothing half-done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

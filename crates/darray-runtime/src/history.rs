//! What is in flight on a block, and which waits follow from it.

use darray_device::{DeviceId, Event, Queue};
use smallvec::SmallVec;

/// Events, at most one a queue: a later one of the same queue stands for the earlier.
pub(crate) type Events = SmallVec<[Event; 2]>;

/// Every kind of wait that the executor makes. Each is needed; tests leave one out to show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitKind {
    /// A kernel reads what a copy brings.
    KernelAfterCopy,
    /// A kernel overwrites what a copy still reads or writes.
    KernelOverwrite,
    /// A copy reads what a kernel or another copy produces.
    CopyAfterProducer,
    /// A copy overwrites what a kernel or another copy still uses.
    CopyOverwrite,
    /// A download reads what a kernel or a copy produces.
    DownloadAfterProducer,
    /// A block goes back to its device behind everything that uses it.
    ReleaseAfterUse,
    /// A queue uses a block that was allocated on another queue.
    UseAfterAllocation,
    /// The host looks at downloaded bytes.
    ReadAfterDownload,
}

impl WaitKind {
    /// Every kind.
    pub const ALL: [WaitKind; 8] = [
        WaitKind::KernelAfterCopy,
        WaitKind::KernelOverwrite,
        WaitKind::CopyAfterProducer,
        WaitKind::CopyOverwrite,
        WaitKind::DownloadAfterProducer,
        WaitKind::ReleaseAfterUse,
        WaitKind::UseAfterAllocation,
        WaitKind::ReadAfterDownload,
    ];
}

/// What a submission does with a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A kernel or builtin reads it.
    KernelRead,
    /// A kernel or builtin writes it (and may read it).
    KernelWrite,
    /// A copy reads it.
    CopyRead,
    /// A copy or upload writes it.
    CopyWrite,
    /// A download reads it.
    Download,
}

impl Use {
    pub(crate) fn writes(self) -> bool {
        matches!(self, Use::KernelWrite | Use::CopyWrite)
    }

    /// Which wait orders this behind the writers of the block, and which behind its readers.
    pub(crate) fn wait(self) -> WaitKind {
        match self {
            Use::KernelRead => WaitKind::KernelAfterCopy,
            Use::KernelWrite => WaitKind::KernelOverwrite,
            Use::CopyRead => WaitKind::CopyAfterProducer,
            Use::CopyWrite => WaitKind::CopyOverwrite,
            Use::Download => WaitKind::DownloadAfterProducer,
        }
    }
}

/// The work on one block that later work must be ordered behind.
///
/// Rules: a write is ordered behind everything noted, so it replaces the notes; a read is ordered
/// behind the writers and is added to the readers. The lists therefore stay as short as there are
/// queues.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// The queue on which the block was allocated, until another use is noted.
    pub(crate) allocated_on: (DeviceId, Queue),
    pub(crate) writers: Events,
    pub(crate) readers: Events,
}

impl History {
    pub(crate) fn new(device: DeviceId, queue: Queue) -> History {
        History { allocated_on: (device, queue), writers: Events::new(), readers: Events::new() }
    }

    /// Whether nothing but the allocation has happened.
    pub(crate) fn is_fresh(&self) -> bool {
        self.writers.is_empty() && self.readers.is_empty()
    }

    /// Notes a submission.
    pub(crate) fn note(&mut self, by: Use, event: Event) {
        if by.writes() {
            self.writers.clear();
            self.readers.clear();
            self.writers.push(event);
        } else {
            add(&mut self.readers, event);
        }
    }

    /// What a use is ordered behind.
    pub(crate) fn before(&self, by: Use) -> impl Iterator<Item = Event> + '_ {
        let readers = if by.writes() { &self.readers[..] } else { &[] };
        self.writers.iter().chain(readers).copied()
    }
}

/// Adds an event, in the place of an earlier one of its queue.
pub(crate) fn add(events: &mut Events, event: Event) {
    let same = |e: &&mut Event| e.device == event.device && e.queue == event.queue;
    match events.iter_mut().find(same) {
        Some(known) => known.ticket = known.ticket.max(event.ticket),
        None => events.push(event),
    }
}

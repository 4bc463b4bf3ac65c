//! What is in flight on a block, and which waits follow from it.

use crate::geometry::{Rectangle, SubStore};
use darray_device::{DeviceId, Event, Queue};
use darray_ir::Privilege;
use smallvec::SmallVec;

/// Where kernels run.
pub(crate) const COMPUTE: Queue = Queue(0);

/// Events, at most one a queue: a later one of the same queue stands for the earlier.
pub(crate) type Events = SmallVec<[Event; 2]>;

/// Every kind of wait that the executor makes.
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

#[cfg(feature = "testing")]
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

/// Which waits are made: all of them. Only with the feature `testing` a kind can be left out, to show that it is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    #[cfg(feature = "testing")]
    left_out: Option<WaitKind>,
}

impl Waits {
    /// All but those of this kind. Results are then wrong.
    #[cfg(feature = "testing")]
    pub fn without(kind: WaitKind) -> Waits {
        Waits { left_out: Some(kind) }
    }

    /// Whether those of this kind are left out.
    #[cfg(feature = "testing")]
    pub(crate) fn lack(self, kind: WaitKind) -> bool {
        self.left_out == Some(kind)
    }

    /// Whether those of this kind are left out: none is.
    #[cfg(not(feature = "testing"))]
    pub(crate) fn lack(self, _kind: WaitKind) -> bool {
        false
    }
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
    /// What a launch does with an array of this privilege.
    pub(crate) fn of(privilege: Privilege) -> Use {
        if privilege.writes() { Use::KernelWrite } else { Use::KernelRead }
    }

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
/// Rules: work on a part of the block is ordered behind earlier work on parts that overlap, if one of
/// both writes, and always behind the allocation. A write therefore stands for what was noted of its
/// part before, and of reads of one part on one queue the last stands for all. A list that grows long
/// is shortened: what was done to parts then counts as done to the whole block.
#[derive(Clone, Debug)]
pub(crate) struct History {
    /// The queue on which the block was allocated.
    pub(crate) allocated_on: (DeviceId, Queue),
    /// The first ticket of that queue behind the allocation; 0 where everything is in order anyway and nothing is noted.
    pub(crate) allocation: u64,
    /// None where one queue does everything in order.
    uses: SmallVec<[Noted; 2]>,
}

/// Work on a part of a block, a rectangle of the store's elements; none: the whole block.
#[derive(Clone, Debug)]
struct Noted {
    event: Event,
    writes: bool,
    part: Option<Box<Rectangle>>,
}

/// Uses of a block that are kept apart, at most.
const MOST_USES: usize = 64;

impl History {
    pub(crate) fn new(device: DeviceId, queue: Queue, allocation: u64) -> History {
        History { allocated_on: (device, queue), allocation, uses: SmallVec::new() }
    }

    /// Of a block of the only device, whose one queue does everything in order.
    pub(crate) fn in_order() -> History {
        History::new(DeviceId(0), COMPUTE, 0)
    }

    /// Notes a submission that uses all of the block.
    pub(crate) fn note(&mut self, by: Use, event: Event) {
        if by.writes() && self.allocation != 0 {
            self.uses.clear();
            self.uses.push(Noted { event, writes: true, part: None });
            return;
        }
        self.note_part(by, None, event);
    }

    /// Notes a submission that uses a part.
    pub(crate) fn note_part(&mut self, by: Use, part: Option<&Rectangle>, event: Event) {
        if self.allocation == 0 {
            return;
        }
        let within = |noted: &Noted| match (part, &noted.part) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(part), Some(other)) => part.contains(other),
        };
        let covers = |noted: &Noted| match (part, &noted.part) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(part), Some(other)) => other.contains(part),
        };
        let same_queue = |e: Event| (e.device, e.queue) == (event.device, event.queue);
        let writes = by.writes();
        if !writes && self.uses.iter().any(|n| n.event == event && covers(n)) {
            return;
        }
        self.uses.retain(|n| !within(n) || !(writes || !n.writes && same_queue(n.event)));
        if self.uses.len() == MOST_USES {
            self.shorten();
        }
        self.uses.push(Noted { event, writes, part: part.cloned().map(Box::new) });
    }

    /// Notes a submission that uses a sub-store.
    pub(crate) fn note_sub(&mut self, by: Use, sub: &SubStore, event: Event) {
        sub.rectangles.iter().for_each(|part| self.note_part(by, Some(part), event));
    }

    /// What a use of all of the block is ordered behind, beside the allocation.
    pub(crate) fn before(&self, by: Use) -> impl Iterator<Item = Event> + '_ {
        self.before_part(by, None)
    }

    /// What a use of a part is ordered behind, beside the allocation.
    pub(crate) fn before_part<'h>(
        &'h self,
        by: Use,
        part: Option<&'h Rectangle>,
    ) -> impl Iterator<Item = Event> + 'h {
        let meets = move |noted: &&Noted| match (part, &noted.part) {
            (Some(part), Some(other)) => part.meets(other),
            _ => true,
        };
        let orders = move |noted: &&Noted| noted.writes || by.writes();
        self.uses.iter().filter(orders).filter(meets).map(|noted| noted.event)
    }

    /// One note a queue for the reads and one for the writes, of the whole block.
    fn shorten(&mut self) {
        let mut writes = Events::new();
        let mut reads = Events::new();
        for noted in self.uses.drain(..) {
            add(if noted.writes { &mut writes } else { &mut reads }, noted.event);
        }
        let whole = |writes| move |event| Noted { event, writes, part: None };
        self.uses.extend(writes.into_iter().map(whole(true)));
        self.uses.extend(reads.into_iter().map(whole(false)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Span;

    fn event(queue: u16, ticket: u64) -> Event {
        Event { device: DeviceId(0), queue: Queue(queue), ticket }
    }

    fn rows(lo: i64, hi: i64) -> Rectangle {
        Rectangle { spans: SmallVec::from_slice(&[Span { lo, hi }]) }
    }

    fn behind(history: &History, by: Use, part: Option<&Rectangle>) -> Vec<(u16, u64)> {
        history.before_part(by, part).map(|e| (e.queue.0, e.ticket)).collect()
    }

    #[test]
    fn only_uses_of_parts_that_overlap_are_ordered() {
        let mut history = History::new(DeviceId(0), Queue(0), 1);
        history.note_part(Use::CopyWrite, Some(&rows(0, 4)), event(1, 1));
        history.note_part(Use::KernelRead, Some(&rows(6, 9)), event(0, 1));
        assert_eq!(behind(&history, Use::KernelRead, Some(&rows(3, 5))), [(1, 1)]);
        assert_eq!(behind(&history, Use::KernelRead, Some(&rows(4, 9))), []);
        assert_eq!(behind(&history, Use::KernelWrite, Some(&rows(4, 9))), [(0, 1)]);
        assert_eq!(behind(&history, Use::CopyWrite, None), [(1, 1), (0, 1)]);
        // A write stands for what was noted of its part.
        history.note_part(Use::KernelWrite, Some(&rows(0, 7)), event(0, 2));
        assert_eq!(behind(&history, Use::CopyRead, Some(&rows(3, 5))), [(0, 2)]);
        assert_eq!(behind(&history, Use::CopyWrite, Some(&rows(7, 8))), [(0, 1)]);
        history.note(Use::KernelWrite, event(0, 3));
        assert_eq!(behind(&history, Use::CopyWrite, None), [(0, 3)]);
    }

    #[test]
    fn long_lists_are_shortened_and_forget_nothing() {
        let mut history = History::new(DeviceId(0), Queue(0), 1);
        for at in 0..3 * MOST_USES as i64 {
            let by = if at % 2 == 0 { Use::CopyWrite } else { Use::KernelRead };
            let queue = (at % 3) as u16;
            history.note_part(by, Some(&rows(2 * at, 2 * at + 1)), event(queue, at as u64));
            assert!(history.uses.len() <= MOST_USES);
            for part in 0..=at {
                let before = behind(&history, Use::CopyWrite, Some(&rows(2 * part, 2 * part + 1)));
                let queue = (part % 3) as u16;
                assert!(before.iter().any(|(q, ticket)| *q == queue && *ticket >= part as u64));
            }
        }
    }
}

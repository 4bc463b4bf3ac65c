//! The devices of a runtime with their queues, and the waits between them.

use crate::devices::history::add;
use crate::devices::{COMPUTE, Events, History, Use, WaitKind, Waits};
use crate::geometry::{Rectangle, SubStore};
use darray_device::{Block, Command, Device, DeviceId, DeviceStats, Event, Fault, Queue};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The devices of a runtime.
///
/// Rules: kernels and builtins run on queue 0 of a device; copies, uploads and downloads on its
/// queue 1 where it has one. Device `d` of the set has `DeviceId(d)`.
pub(crate) struct DeviceSet {
    devices: Vec<Arc<dyn Device>>,
    copy_queues: Vec<Queue>,
    synchronous: bool,
    /// Whether any two commands can be unordered at all.
    several_queues: bool,
    is_one: bool,
    /// The last tickets, by device and queue.
    last: Vec<[AtomicU64; 2]>,
    waits: Waits,
}

/// While the work of a plan that repeats is queued.
pub(crate) struct Repeating(Arc<DeviceSet>);

impl Drop for Repeating {
    fn drop(&mut self) {
        self.0.devices.iter().for_each(|device| device.end());
    }
}

impl DeviceSet {
    pub(crate) fn new(devices: Vec<Arc<dyn Device>>, waits: Waits) -> DeviceSet {
        let copy_queue = |d: &Arc<dyn Device>| Queue((d.describe().queues > 1) as u16);
        let copy_queues: Vec<Queue> = devices.iter().map(copy_queue).collect();
        let synchronous = devices.iter().all(|device| device.is_synchronous());
        let several = devices.len() > 1 || copy_queues.contains(&Queue(1));
        let several_queues = several && !synchronous;
        let is_one = !several && !devices[0].is_apart();
        let last = devices.iter().map(|_| Default::default()).collect();
        DeviceSet { devices, copy_queues, synchronous, several_queues, is_one, last, waits }
    }

    pub(crate) fn len(&self) -> usize {
        self.devices.len()
    }

    pub(crate) fn device(&self, device: usize) -> &dyn Device {
        &*self.devices[device]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Device> {
        self.devices.iter().map(|d| &**d)
    }

    pub(crate) fn copy_queue(&self, device: usize) -> Queue {
        self.copy_queues[device]
    }

    /// The queue on which new memory of a store is allocated for a task. What the task only reads is copied there first: so that the
    /// copy does not come behind kernels that are queued already, it is the queue of copies.
    pub(crate) fn first_queue(&self, device: usize, is_only_read: bool) -> Queue {
        if is_only_read { self.copy_queue(device) } else { COMPUTE }
    }

    /// Whether histories of blocks must be kept: with one queue everything is in order already, and so it is on
    /// devices that are synchronous.
    #[inline]
    pub(crate) fn several_queues(&self) -> bool {
        self.several_queues
    }

    /// Whether all that was submitted has happened.
    #[inline]
    pub(crate) fn is_synchronous(&self) -> bool {
        self.synchronous
    }

    /// Whether there is one device with one queue, in the host's memory: everything happens in the order of
    /// submission, and nothing is moved for want of memory.
    #[inline]
    pub(crate) fn is_one(&self) -> bool {
        self.is_one
    }

    pub(crate) fn skips(&self, kind: WaitKind) -> bool {
        self.waits.lack(kind)
    }

    /// Says that what follows, until the result is dropped, is the work of a plan that repeats.
    pub(crate) fn repeat(self: &Arc<DeviceSet>, plan: u64) -> Option<Repeating> {
        let begun = self.devices.iter().filter(|device| device.begin(plan)).count();
        (begun > 0).then(|| Repeating(self.clone()))
    }

    /// What the devices count, together.
    pub(crate) fn stats(&self) -> DeviceStats {
        let each = self.devices.iter().map(|device| device.stats());
        each.fold(DeviceStats::default(), |sum, device| sum.plus(&device))
    }

    /// Adds to `after` what a submission to `queue` must wait for before it uses all of a block.
    pub(crate) fn order(
        &self,
        history: &History,
        by: Use,
        device: usize,
        queue: Queue,
        after: &mut Events,
    ) {
        self.order_part(history, by, None, device, queue, after);
    }

    /// Adds to `after` what a submission to `queue` must wait for before it uses a part of a block; none:
    /// all of it.
    pub(crate) fn order_part(
        &self,
        history: &History,
        by: Use,
        part: Option<&Rectangle>,
        device: usize,
        queue: Queue,
        after: &mut Events,
    ) {
        if !self.several_queues {
            return;
        }
        let own = (DeviceId(device as u16), queue);
        if history.allocated_on != own && !self.skips(WaitKind::UseAfterAllocation) {
            self.behind_allocation(history).into_iter().for_each(|e| add(after, e));
        }
        if !self.skips(by.wait()) {
            let others = history.before_part(by, part).filter(|e| (e.device, e.queue) != own);
            others.for_each(|e| add(after, e));
        }
    }

    /// The ticket of a queue's next submission, which is the first behind what is allocated there now; 0 where
    /// nothing need be ordered.
    pub(crate) fn allocated(&self, device: usize, queue: Queue) -> u64 {
        if self.several_queues { self.last(device, queue).load(Ordering::Relaxed) + 1 } else { 0 }
    }

    /// Submits commands, by the holder of the runtime's lock. All that is submitted to the devices comes through here.
    pub(crate) fn submit(
        &self,
        device: usize,
        queue: Queue,
        after: &[Event],
        work: &[Command],
    ) -> Result<Event, Fault> {
        let event = self.devices[device].submit(queue, after, work)?;
        self.last(device, queue).store(event.ticket, Ordering::Relaxed);
        Ok(event)
    }

    fn last(&self, device: usize, queue: Queue) -> &AtomicU64 {
        &self.last[device][queue.0 as usize]
    }

    /// A point of the allocating queue behind which others may use a block.
    fn behind_allocation(&self, history: &History) -> Option<Event> {
        let ((device, queue), ticket) = (history.allocated_on, history.allocation);
        let owner = device.0 as usize;
        if self.last(owner, queue).load(Ordering::Relaxed) < ticket {
            return self.submit(owner, queue, &[], &[]).ok();
        }
        Some(Event { device, queue, ticket })
    }

    /// Adds to `after` what a submission to `queue` must wait for before it uses a sub-store in a block.
    pub(crate) fn order_sub(
        &self,
        history: &History,
        by: Use,
        sub: &SubStore,
        device: usize,
        queue: Queue,
        after: &mut Events,
    ) {
        for part in &sub.rectangles {
            self.order_part(history, by, Some(part), device, queue, after);
        }
    }

    /// Gives a block back behind everything that uses it.
    pub(crate) fn release_block(&self, block: Block, history: &History) {
        let mut after = Events::new();
        if self.several_queues && !self.skips(WaitKind::ReleaseAfterUse) {
            history.before(Use::CopyWrite).for_each(|e| add(&mut after, e));
        }
        // The end of its own queue is behind what was submitted there.
        if let [event] = after[..]
            && (event.device, event.queue) == history.allocated_on
        {
            after.clear();
        }
        let (_, allocated_on) = history.allocated_on;
        self.devices[block.device.0 as usize].release(allocated_on, block, &after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use darray_cpu::{CpuDevices, CpuOptions};
    use darray_testdevices::{AdversarialDevice, Adversity};

    fn cpus(count: usize) -> Vec<Arc<dyn Device>> {
        CpuDevices::new(count, CpuOptions::default())
    }

    #[test]
    fn only_what_may_happen_later_needs_an_order() {
        assert!(!DeviceSet::new(cpus(2), Waits::default()).several_queues());
        let late = AdversarialDevice::set(cpus(2), Adversity::default());
        assert!(DeviceSet::new(late, Waits::default()).several_queues());
    }

    #[test]
    fn the_first_submission_behind_an_allocation_stands_for_it() {
        let late = AdversarialDevice::set(cpus(2), Adversity::default());
        let set = DeviceSet::new(late, Waits::default());
        let behind = |allocation| {
            let history = History::new(DeviceId(1), COMPUTE, allocation);
            set.behind_allocation(&history).map(|event| event.ticket)
        };
        let submit = || set.submit(1, COMPUTE, &[], &[]).map(|event| event.ticket);
        let first = set.allocated(1, COMPUTE);
        assert_eq!([submit(), submit()], [Ok(1), Ok(2)]);
        let second = set.allocated(1, COMPUTE);
        assert_eq!(behind(first), Some(1));
        assert_eq!(behind(second), Some(3), "nothing was submitted behind it, so this is");
        assert_eq!((submit(), behind(second)), (Ok(4), Some(3)));
    }
}

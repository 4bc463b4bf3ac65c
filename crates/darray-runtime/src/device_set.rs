//! The devices of a runtime with their queues, and the waits between them.

use crate::history::{Events, History, Use, WaitKind, add};
use crate::instance::Instance;
use crate::rectangle::Rectangle;
use crate::sub_store::SubStore;
use darray_device::{Block, Device, DeviceId, DeviceStats, Event, Queue};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

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
    /// By device and queue.
    allocations: Mutex<Vec<[Allocations; 2]>>,
    skip_wait: Option<WaitKind>,
}

/// While the work of a plan that repeats is queued.
pub(crate) struct Repeating(Arc<DeviceSet>);

impl Drop for Repeating {
    fn drop(&mut self) {
        self.0.devices.iter().for_each(|device| device.end());
    }
}

/// Allocations on a queue, and points of it that are behind them.
///
/// ```text
/// queue:  allocation 1   allocation 2   submission e1   allocation 3   submission e2
/// points: (2, e1), (3, e2)
/// ```
#[derive(Default)]
struct Allocations {
    count: u64,
    points: VecDeque<(u64, Event)>,
}

/// Points that are kept; where an earlier one is gone, a later one stands for it.
const MOST_POINTS: usize = 64;

impl Allocations {
    fn add(&mut self, event: Event) {
        if self.points.back().is_none_or(|(count, _)| *count < self.count) {
            self.points.push_back((self.count, event));
        }
        if self.points.len() > MOST_POINTS {
            self.points.pop_front();
        }
    }

    /// The first point known behind an allocation.
    fn behind(&self, allocation: u64) -> Option<Event> {
        let first = self.points.partition_point(|(count, _)| *count < allocation);
        self.points.get(first).map(|(_, event)| *event)
    }
}

/// Where kernels run.
pub(crate) const COMPUTE: Queue = Queue(0);

impl DeviceSet {
    pub(crate) fn new(devices: Vec<Arc<dyn Device>>, skip_wait: Option<WaitKind>) -> DeviceSet {
        let copy_queue = |d: &Arc<dyn Device>| Queue((d.describe().queues > 1) as u16);
        let copy_queues: Vec<Queue> = devices.iter().map(copy_queue).collect();
        let synchronous = devices.iter().all(|device| device.is_synchronous());
        let several = devices.len() > 1 || copy_queues.contains(&Queue(1));
        let several_queues = several && !synchronous;
        let is_one = !several && !devices[0].is_apart();
        let allocations = Mutex::new(devices.iter().map(|_| Default::default()).collect());
        DeviceSet {
            devices,
            copy_queues,
            synchronous,
            several_queues,
            is_one,
            allocations,
            skip_wait,
        }
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
        self.skip_wait == Some(kind)
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

    /// Counts an allocation on a queue, and gives its number.
    pub(crate) fn allocated(&self, device: usize, queue: Queue) -> u64 {
        if !self.several_queues {
            return 0;
        }
        let allocations = &mut self.allocations()[device][queue.0 as usize];
        allocations.count += 1;
        allocations.count
    }

    /// Notes a submission.
    pub(crate) fn submitted(&self, event: Event) {
        if self.several_queues {
            self.allocations()[event.device.0 as usize][event.queue.0 as usize].add(event);
        }
    }

    /// A point of the allocating queue behind which others may use a block.
    fn behind_allocation(&self, history: &History) -> Option<Event> {
        let (owner, queue) = history.allocated_on;
        let mut allocations = self.allocations();
        let allocations = &mut allocations[owner.0 as usize][queue.0 as usize];
        if allocations.behind(history.allocation).is_none() {
            let mark = self.devices[owner.0 as usize].submit(queue, &[], &[]);
            mark.into_iter().for_each(|event| allocations.add(event));
        }
        allocations.behind(history.allocation)
    }

    fn allocations(&self) -> MutexGuard<'_, Vec<[Allocations; 2]>> {
        self.allocations.lock().unwrap_or_else(|e| e.into_inner())
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

    /// Gives an instance's memory back behind everything that uses it.
    pub(crate) fn release(&self, instance: Instance) {
        self.release_block(instance.block, &instance.history);
    }

    /// Gives a block back behind everything that uses it.
    pub(crate) fn release_block(&self, block: Block, history: &History) {
        let mut after = Events::new();
        if self.several_queues && !self.skips(WaitKind::ReleaseAfterUse) {
            history.before(Use::CopyWrite).for_each(|e| add(&mut after, e));
        }
        let (_, allocated_on) = history.allocated_on;
        self.devices[block.device.0 as usize].release(allocated_on, block, &after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_happen_later_needs_an_order() {
        use darray_device::adversarial::{AdversarialDevice, Adversity};
        let cpus = || darray_cpu::CpuDevices::new(2, darray_cpu::CpuOptions::default());
        assert!(!DeviceSet::new(cpus(), None).several_queues());
        let late = AdversarialDevice::set(cpus(), Adversity::default());
        assert!(DeviceSet::new(late, None).several_queues());
    }

    #[test]
    fn the_first_submission_behind_an_allocation_stands_for_it() {
        let event = |ticket| Event { device: DeviceId(0), queue: COMPUTE, ticket };
        let mut allocations = Allocations { count: 2, ..Allocations::default() };
        assert_eq!(allocations.behind(1), None);
        allocations.add(event(1));
        allocations.add(event(2));
        allocations.count = 3;
        assert_eq!(allocations.behind(3), None);
        allocations.add(event(7));
        let found = [1, 2, 3].map(|number| allocations.behind(number).map(|e| e.ticket));
        assert_eq!(found, [Some(1), Some(1), Some(7)]);
        for number in 4..200 {
            allocations.count = number;
            allocations.add(event(10 * number));
            assert!(allocations.points.len() <= MOST_POINTS);
            assert!(allocations.behind(1).is_some(), "a later point stands for it");
        }
    }
}

//! The devices of a runtime with their queues, and the waits between them.

use crate::history::{Events, History, Use, WaitKind, add};
use crate::instance::Instance;
use darray_device::{Block, Device, DeviceId, Event, GraphStats, Queue};
use std::sync::Arc;

/// The devices of a runtime.
///
/// Rules: kernels and builtins run on queue 0 of a device; copies, uploads and downloads on its
/// queue 1 where it has one. Device `d` of the set has `DeviceId(d)`.
pub(crate) struct DeviceSet {
    devices: Vec<Arc<dyn Device>>,
    copy_queues: Vec<Queue>,
    /// Whether any two commands can be unordered at all.
    several_queues: bool,
    skip_wait: Option<WaitKind>,
}

/// While the work of a plan that repeats is queued.
pub(crate) struct Repeating(Arc<DeviceSet>);

impl Drop for Repeating {
    fn drop(&mut self) {
        self.0.devices.iter().for_each(|device| device.end());
    }
}

/// Where kernels run.
pub(crate) const COMPUTE: Queue = Queue(0);

impl DeviceSet {
    pub(crate) fn new(devices: Vec<Arc<dyn Device>>, skip_wait: Option<WaitKind>) -> DeviceSet {
        let copy_queue = |d: &Arc<dyn Device>| Queue((d.describe().queues > 1) as u16);
        let copy_queues: Vec<Queue> = devices.iter().map(copy_queue).collect();
        let several_queues = devices.len() > 1 || copy_queues.contains(&Queue(1));
        DeviceSet { devices, copy_queues, several_queues, skip_wait }
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

    /// Whether histories of blocks must be kept: with one queue everything is in order already.
    #[inline]
    pub(crate) fn several_queues(&self) -> bool {
        self.several_queues
    }

    pub(crate) fn skips(&self, kind: WaitKind) -> bool {
        self.skip_wait == Some(kind)
    }

    /// Says that what follows, until the result is dropped, is the work of a plan that repeats.
    pub(crate) fn repeat(self: &Arc<DeviceSet>, plan: u64) -> Option<Repeating> {
        let begun = self.devices.iter().filter(|device| device.begin(plan)).count();
        (begun > 0).then(|| Repeating(self.clone()))
    }

    /// What the devices recorded and replayed.
    pub(crate) fn graphs(&self) -> GraphStats {
        let each = self.devices.iter().map(|device| device.stats().graphs);
        each.fold(GraphStats::default(), |sum, graphs| sum.plus(&graphs))
    }

    /// Adds to `after` what a submission to `queue` must wait for before it uses a block.
    pub(crate) fn order(
        &self,
        history: &History,
        by: Use,
        device: usize,
        queue: Queue,
        after: &mut Events,
    ) {
        if !self.several_queues {
            return;
        }
        if history.is_fresh() {
            let event = self.allocation(history, device, queue);
            event.into_iter().for_each(|e| add(after, e));
        } else if !self.skips(by.wait()) {
            for event in history.before(by) {
                if (event.device, event.queue) != (DeviceId(device as u16), queue) {
                    add(after, event);
                }
            }
        }
    }

    /// The point on the allocating queue behind which another queue may use a fresh block.
    fn allocation(&self, history: &History, device: usize, queue: Queue) -> Option<Event> {
        let (owner, allocated_on) = history.allocated_on;
        if (owner, allocated_on) == (DeviceId(device as u16), queue)
            || self.skips(WaitKind::UseAfterAllocation)
        {
            return None;
        }
        self.devices[owner.0 as usize].submit(allocated_on, &[], Vec::new()).ok()
    }

    /// Gives an instance's memory back behind everything that uses it.
    pub(crate) fn release(&self, instance: Instance) {
        self.release_block(instance.block, &instance.history);
    }

    /// Gives a block back behind everything that uses it.
    pub(crate) fn release_block(&self, block: Block, history: &History) {
        let device = block.device.0 as usize;
        let mut after = Events::new();
        if self.several_queues && !self.skips(WaitKind::ReleaseAfterUse) {
            if history.is_fresh() {
                after.extend(self.allocation(history, device, COMPUTE));
            } else {
                history.before(Use::CopyWrite).for_each(|e| add(&mut after, e));
                after.retain(|e| (e.device, e.queue) != (block.device, COMPUTE));
            }
        }
        self.devices[device].release(COMPUTE, block, &after);
    }
}

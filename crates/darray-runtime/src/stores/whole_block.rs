//! Where all of a store's data lies, known without a look at its replicas.

use crate::devices::{COMPUTE, History, Use};
use darray_device::{Block, DeviceId, Event};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// The block with all of a store's data on the first device, as the holder of the runtime's lock knows it.
///
/// It spares the lock of the replicas where only this is asked, as it is on one device for most arrays of a task, and
/// the replica of an array that ends before anybody asks for more.
///
/// ```text
/// made, or its data was given back:        Nothing
/// made, and all is written before it is read: Scratch
/// all of it overwritten on the only device: Alone(block)   no replica says so; only its first queue uses it
/// replicas locked:                          Unknown        they say so now
/// replicas seen to hold all of it:          Seen(block)
/// ```
#[derive(Debug, Default)]
pub(crate) struct WholeBlock {
    state: AtomicU8,
    handle: AtomicU64,
    bytes: AtomicU64,
    /// Of a block alone: the first ticket behind its allocation, as a [`History`] has it, and those of the last
    /// submission that wrote it and of the last behind that one which read it; 0 for none.
    allocation: AtomicU64,
    written: AtomicU64,
    read: AtomicU64,
}

const UNKNOWN: u8 = 0;
const NOTHING: u8 = 1;
const SCRATCH: u8 = 2;
const SEEN: u8 = 3;
const ALONE: u8 = 4;

impl WholeBlock {
    /// Of a store that no device has anything of.
    pub(crate) fn nothing() -> WholeBlock {
        WholeBlock { state: AtomicU8::new(NOTHING), ..WholeBlock::default() }
    }

    /// Whether the block is known.
    #[inline]
    pub(crate) fn is_known(&self) -> bool {
        self.state() >= SEEN
    }

    /// The block, where it is known.
    #[inline]
    pub(crate) fn get(&self) -> Option<Block> {
        if self.is_known() { Some(self.block()) } else { None }
    }

    /// Whether no device has anything of the store.
    #[inline]
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self.state(), NOTHING | SCRATCH)
    }

    /// Whether the replicas are to be asked what devices have.
    #[inline]
    pub(crate) fn has_replicas(&self) -> bool {
        matches!(self.state(), UNKNOWN | SEEN)
    }

    /// Whether no device has anything of the store, and nobody reads of it what was not written before.
    #[inline]
    pub(crate) fn is_scratch(&self) -> bool {
        self.state() == SCRATCH
    }

    /// Nobody reads of the store, of which no device has anything, what was not written before.
    #[inline]
    pub(crate) fn set_scratch(&self) {
        debug_assert!(self.is_nothing(), "what a device has may be read");
        self.state.store(SCRATCH, Ordering::Relaxed);
    }

    /// No device has anything of the store.
    #[inline]
    pub(crate) fn set_nothing(&self) {
        self.state.store(NOTHING, Ordering::Relaxed);
    }

    /// The replicas say that all of the data lies there.
    #[inline]
    pub(crate) fn set_seen(&self, block: Block) {
        self.set(SEEN, block);
    }

    /// All of the data lies there, and no replica says so. The block was allocated on the first queue, before this
    /// ticket of it.
    #[inline]
    pub(crate) fn set_alone(&self, block: Block, allocation: u64) {
        debug_assert!(self.is_nothing(), "replicas would say otherwise");
        self.allocation.store(allocation, Ordering::Relaxed);
        self.written.store(0, Ordering::Relaxed);
        self.read.store(0, Ordering::Relaxed);
        self.set(ALONE, block);
    }

    /// Whether all of the data lies in a block that no replica tells of.
    #[inline]
    pub(crate) fn is_alone(&self) -> bool {
        self.state() == ALONE
    }

    /// Notes a submission to the first queue that uses a block alone. Says whether it is one.
    #[inline]
    pub(crate) fn note(&self, by: Use, ticket: u64) -> bool {
        let alone = self.is_alone();
        if alone && by.writes() {
            self.written.store(ticket, Ordering::Relaxed);
            self.read.store(0, Ordering::Relaxed);
        } else if alone {
            self.read.store(ticket, Ordering::Relaxed);
        }
        alone
    }

    /// What is known is forgotten. Gives the block that no replica tells of, and what is in flight on it.
    #[inline]
    pub(crate) fn forget(&self) -> Option<(Block, History)> {
        let state = self.state();
        self.state.store(UNKNOWN, Ordering::Relaxed);
        (state == ALONE).then(|| (self.block(), self.history()))
    }

    fn history(&self) -> History {
        let [allocation, written, read] = [&self.allocation, &self.written, &self.read]
            .map(|ticket| ticket.load(Ordering::Relaxed));
        let mut history = History::new(DeviceId(0), COMPUTE, allocation);
        for (by, ticket) in [(Use::KernelWrite, written), (Use::KernelRead, read)] {
            if ticket > 0 {
                history.note(by, Event { device: DeviceId(0), queue: COMPUTE, ticket });
            }
        }
        history
    }

    /// The block that no replica tells of, which is nobody's then.
    #[inline]
    pub(crate) fn take_alone(&self) -> Option<Block> {
        if self.state() != ALONE {
            return None;
        }
        self.set_nothing();
        Some(self.block())
    }

    fn set(&self, state: u8, block: Block) {
        self.handle.store(block.handle, Ordering::Relaxed);
        self.bytes.store(block.bytes, Ordering::Relaxed);
        self.state.store(state, Ordering::Relaxed);
    }

    #[inline]
    fn state(&self) -> u8 {
        self.state.load(Ordering::Relaxed)
    }

    /// The block that was known last: where all of the data lies only while it [is known](Self::is_known).
    #[inline]
    pub(crate) fn block(&self) -> Block {
        let [handle, bytes] = [&self.handle, &self.bytes].map(|n| n.load(Ordering::Relaxed));
        Block { device: DeviceId(0), handle, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Waits;
    use crate::devices::DeviceSet;
    use crate::stores::{Store, StoreOwner, Valid};
    use crate::{Emission, Runtime, RuntimeOptions, StoreRef};
    use darray_core::{Map, Place, RealType, Shape};
    use darray_cpu::{CpuDevices, CpuOptions};
    use darray_device::Device;
    use darray_ir::{Privilege, TaskOp};
    use std::sync::Arc;

    fn devices() -> Arc<DeviceSet> {
        Arc::new(DeviceSet::new(CpuDevices::new(1, CpuOptions::default()), Waits::default()))
    }

    fn in_use(devices: &DeviceSet) -> u64 {
        devices.iter().map(|device| Device::stats(device).bytes_in_use).sum()
    }

    /// A store whose data lies where no replica tells of.
    fn alone(devices: &Arc<DeviceSet>) -> (Store, Block) {
        let store = Store::new(0, RealType::F64, &Shape::new(&[2, 3]), false, devices.clone());
        assert_eq!(store.whole_block(), None);
        let block = devices.device(0).allocate(COMPUTE, 48).expect("memory");
        store.whole().set_alone(block, 0);
        assert_eq!(store.whole_block(), Some(block));
        (store, block)
    }

    #[test]
    fn who_locks_the_replicas_finds_what_was_known_without_them() {
        let devices = devices();
        let (store, block) = alone(&devices);
        {
            let replica = &store.replicas()[0];
            let instance = replica.instance.as_ref().expect("it has been told");
            assert_eq!((instance.block, instance.origin), (block, 0));
            assert_eq!((&instance.strides[..], &replica.valid), (&[3, 1][..], &Valid::Whole));
        }
        assert!(!store.whole().is_known(), "replicas may have been changed");
        assert_eq!(store.whole().take_alone(), None, "a replica tells of it");
        assert_eq!(store.whole_block(), Some(block));
        drop(store);
        assert_eq!(in_use(&devices), 0);
    }

    #[test]
    fn replicas_are_told_what_is_in_flight() {
        let (store, _) = alone(&devices());
        let behind = |by: Use| {
            let replicas = store.replicas();
            let history = &replicas[0].instance.as_ref().expect("it has been told").history;
            let tickets = history.before(by).map(|event| event.ticket).collect::<Vec<_>>();
            (history.allocation, tickets)
        };
        let block = store.whole().take_alone().expect("no replica tells of it");
        store.whole().set_alone(block, 4);
        let noted = [(Use::KernelRead, 5), (Use::KernelWrite, 6), (Use::KernelRead, 7)];
        assert!(noted.iter().all(|&(by, ticket)| store.whole().note(by, ticket)));
        assert_eq!(behind(Use::CopyRead), (4, vec![6]));
        assert_eq!(behind(Use::CopyWrite), (4, vec![6, 7]));
        assert!(!store.whole().note(Use::KernelRead, 8), "the replica is to be told");
    }

    #[test]
    fn a_block_that_no_replica_tells_of_is_given_back_once() {
        let devices = devices();
        let (store, _) = alone(&devices);
        drop(store);
        assert_eq!(in_use(&devices), 0);
        let (mut store, block) = alone(&devices);
        assert_eq!(store.whole().take_alone(), Some(block));
        assert!(store.whole().is_nothing() && store.whole_block().is_none());
        store.give_back();
        assert_eq!(in_use(&devices), 48, "it is who took it that has it");
        devices.device(0).release(COMPUTE, block, &[]);
    }

    #[test]
    fn what_the_only_device_writes_and_reads_gets_no_replica() {
        let rt = Runtime::new(CpuDevices::new(1, CpuOptions::default()), RuntimeOptions::default());
        let shape = Shape::new(&[3]);
        let map = Map::identity(&shape);
        let [ones, sum] = [0, 1].map(|_| StoreOwner::new(rt.new_store(RealType::F64, &shape)));
        let emit = |op, args: &[_], scalars: &[_]| {
            let (name, place) = ("test", Place::caller());
            rt.emit(Emission { op, name, domain: &shape, args, scalars, place });
            rt.flush();
        };
        let (to, from) = (StoreRef::from(sum.store()), StoreRef::from(ones.store()));
        emit(TaskOp::Fill, &[(from, &map, Privilege::Write)], &[1.0.into()]);
        let args = [(to, &map, Privilege::Write), (from, &map, Privilege::Read)];
        emit(TaskOp::Copy, &args, &[]);
        for store in [&ones, &sum] {
            let block = store.whole().take_alone().expect("no replica tells of it");
            store.whole().set_alone(block, 0);
        }
        let bytes = rt.read::<u8>(&sum, &map, &shape, "to_vec", Place::caller()).expect("no fault");
        assert_eq!(bytes, [1f64; 3].map(f64::to_le_bytes).concat());
    }
}

//! Memory for stores, and whose it is when they end.

use crate::devices::{COMPUTE, History};
use crate::engine::{Engine, StepFault};
use crate::geometry::Rectangle;
use crate::stores::{Instance, Replica, Store, Valid};
use darray_core::{RealType, Shape};
use darray_device::{Block, DeviceId, Fault, Queue};
use std::sync::Arc;

impl Engine {
    /// A block for `shape` elements of an array; evicts before it gives up.
    pub(crate) fn allocate(
        &mut self,
        device: usize,
        queue: Queue,
        shape: &Shape,
        dtype: RealType,
    ) -> Result<(Block, History), StepFault> {
        let block = self.allocate_block(device, queue, shape, dtype)?;
        let number = self.devices.allocated(device, queue);
        Ok((block, History::new(DeviceId(device as u16), queue, number)))
    }

    fn allocate_block(
        &mut self,
        device: usize,
        queue: Queue,
        shape: &Shape,
        dtype: RealType,
    ) -> Result<Block, StepFault> {
        let bytes = (shape.size() * dtype.size()).max(1) as u64;
        if let Some(block) = self.idle.take(device, bytes) {
            return Ok(block);
        }
        self.idle.give_back(&self.devices, device);
        let allocated = self.devices.device(device).allocate(queue, bytes);
        allocated.or_else(|fault| self.insist(fault, (device, queue), shape, dtype))
    }

    /// Asks again for memory, after a fault.
    #[cold]
    fn insist(
        &mut self,
        fault: Fault,
        (device, queue): (usize, Queue),
        shape: &Shape,
        dtype: RealType,
    ) -> Result<Block, StepFault> {
        let bytes = (shape.size() * dtype.size()).max(1) as u64;
        let devices = self.devices.clone();
        let target = devices.device(device);
        let again = match fault {
            Fault::OutOfMemory { .. } => self.make_space(device, queue, bytes),
            _ => target.allocate(queue, bytes),
        };
        again.map_err(|fault| {
            let live = self.live(device);
            StepFault::new(fault, &target.describe().name, (shape, dtype), live)
        })
    }

    /// Gives the memory of what has ended back to its device, or to the next array of its size.
    #[inline]
    pub(crate) fn release(&mut self, instance: &Instance) {
        if !self.idle.put(&self.devices, instance.block) {
            self.devices.release_block(instance.block, &instance.history);
        }
    }

    /// For a step that [`is_whole`](Self::is_whole): memory for a store, which is there as a whole or, where the step
    /// writes it, may be overwritten. Of what is written, [it is known](crate::stores::WholeBlock::is_known) then.
    #[inline]
    pub(crate) fn make_whole(&mut self, store: &Arc<Store>, writes: bool) -> Result<(), StepFault> {
        let whole = store.whole();
        if whole.is_alone() || whole.is_known() && (self.devices.is_one() || !writes) {
            return Ok(());
        }
        if !writes || !whole.is_nothing() {
            return self.find_whole(store, writes);
        }
        let block = self.allocate_block(0, COMPUTE, store.shape(), store.dtype())?;
        whole.set_alone(block, self.devices.allocated(0, COMPUTE));
        self.resides(store);
        Ok(())
    }

    /// Memory for a store of which no device has anything: with what was staged of it, and zeros elsewhere.
    #[cold]
    pub(crate) fn clear(&mut self, store: &Arc<Store>) -> Result<(), StepFault> {
        let whole = Rectangle::whole(store.shape());
        let mut replicas = store.replicas();
        self.ensure_instance(store, &mut replicas, 0, &whole, false, COMPUTE)?;
        self.make_valid(store, &mut replicas, 0, &whole)
    }

    /// As [`make_whole`](Self::make_whole), by a look at the replicas.
    fn find_whole(&mut self, store: &Arc<Store>, writes: bool) -> Result<(), StepFault> {
        if !writes && store.whole_block().is_some() {
            return Ok(());
        }
        let mut replicas = store.replicas();
        let block = match &replicas[0].instance {
            Some(instance) => instance.block,
            None => {
                let shape = store.shape();
                let (block, history) = self.allocate(0, COMPUTE, shape, store.dtype())?;
                self.resides(store);
                // The only device gives every store its whole rectangle at once.
                replicas[0].instance = Some(Instance::whole(block, shape, history));
                block
            }
        };
        if writes {
            self.overwritten(store, &mut replicas);
            drop(replicas);
            store.whole().set_seen(block);
        }
        Ok(())
    }

    /// Notes that a step that [`is_whole`](Self::is_whole) writes a store. What is to be overwritten is read by
    /// nobody before: if the step fails, it carries the failure.
    #[inline]
    pub(crate) fn overwritten(&self, store: &Store, replicas: &mut [Replica]) {
        replicas[0].valid = Valid::Whole;
        if self.tracks {
            store.staged().clear();
        }
    }

    /// A block of which nothing is read or written.
    pub(crate) fn spare(&mut self, device: usize) -> Result<Block, StepFault> {
        if let Some(block) = self.spare[device] {
            return Ok(block);
        }
        let shape = Shape::new(&[64]);
        let (block, _) = self.allocate(device, COMPUTE, &shape, RealType::MASK)?;
        self.spare[device] = Some(block);
        Ok(block)
    }
}

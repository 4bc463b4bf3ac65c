//! Eviction: space on a device that is full.

use crate::engine::{Engine, StepFault};
use crate::geometry::{Rectangle, RectangleSet};
use crate::stores::{Instance, Replica, Store};
use darray_core::LiveArray;
use darray_device::{Block, Fault, Queue};
use std::sync::Arc;

/// Takes what a device holds of a store from there, and says whether it did.
type Eviction = fn(&mut Engine, usize, &Arc<Store>) -> bool;

impl Engine {
    /// Asks a device that is full for memory again, after each of these as long as it is full: what is
    /// queued gives memory back; replicas go that other devices or the host hold too, the oldest store's
    /// first; replicas are moved to the host, where that is other memory. Stores that the running step
    /// uses stay where they are.
    pub(crate) fn make_space(
        &mut self,
        device: usize,
        queue: Queue,
        bytes: u64,
    ) -> Result<Block, Fault> {
        let devices = self.devices.clone();
        let target = devices.device(device);
        self.settle(device);
        let mut result = target.allocate(queue, bytes);
        let resident = self.residents.alive();
        let evictions: &[Eviction] = match target.is_apart() {
            true => &[Engine::drop_replica, Engine::stage],
            false => &[Engine::drop_replica],
        };
        for evict in evictions {
            for store in &resident {
                if !matches!(result, Err(Fault::OutOfMemory { .. })) {
                    return result;
                }
                if !self.protected.contains(&store.id()) && evict(self, device, store) {
                    self.settle(device);
                    result = target.allocate(queue, bytes);
                }
            }
        }
        result
    }

    /// Waits for what is queued; its failures reach the stores that they concern.
    fn settle(&self, device: usize) {
        if self.devices.several_queues() {
            for end in self.ends() {
                let _ = self.devices.device(end.device.0 as usize).wait(end);
            }
            self.devices.device(device).settle();
        }
    }

    /// Drops what a device holds of a store, if all of it is held elsewhere too.
    fn drop_replica(&mut self, device: usize, store: &Arc<Store>) -> bool {
        let Some(mut replicas) = store.try_replicas() else { return false };
        if replicas[device].instance.is_none() || !only_here(&replicas, device, store).is_empty() {
            return false;
        }
        self.give_back(std::mem::take(&mut replicas[device]));
        self.counters.evictions += 1;
        true
    }

    /// Moves what only a device holds of a store to the host; not if that fails.
    fn stage(&mut self, device: usize, store: &Arc<Store>) -> bool {
        let Some(mut replicas) = store.try_replicas() else { return false };
        let only_here = only_here(&replicas, device, store);
        let Some(instance) = &mut replicas[device].instance else { return false };
        let mut parts = Vec::new();
        for rectangle in only_here {
            let from = instance.rect(store.dtype(), &rectangle);
            let around = [rectangle.clone()];
            let queued = self.download::<u8>(instance, device, from, rectangle.clone(), &around);
            let Ok(piece) = queued else { return false };
            let done = self.devices.device(device).wait(piece.event());
            let done = done.map_err(|fault| fault.fault).and_then(|()| piece.check());
            if let Err(fault) = done {
                // Nobody is told of it again.
                if let Some(origin) = self.origin.get() {
                    self.failed(&StepFault::Execution(fault.to_string()).error(&origin));
                }
                return false;
            }
            parts.push((rectangle, piece.take()));
        }
        for (rectangle, bytes) in parts {
            self.counters.bytes_read -= bytes.len() as u64;
            store.staged().insert(device, rectangle, bytes);
        }
        self.give_back(std::mem::take(&mut replicas[device]));
        self.counters.staged += 1;
        true
    }

    fn give_back(&self, replica: Replica) {
        if let Some(Instance { block, history, .. }) = replica.instance {
            self.devices.release_block(block, &history);
        }
    }

    /// Brings what only the host holds of a store back to the devices that held it.
    pub(crate) fn restore(&mut self, store: &Arc<Store>) -> Result<(), StepFault> {
        let staged: Vec<(usize, Rectangle)> =
            store.staged().rectangles().map(|(device, r)| (device, r.clone())).collect();
        if staged.is_empty() {
            return Ok(());
        }
        let mut replicas = store.replicas();
        for (device, rectangle) in staged {
            let held = |replica: &Replica| replica.valid.missing(&rectangle).is_empty();
            if !replicas.iter().any(held) {
                let queue = self.devices.copy_queue(device);
                self.ensure_instance(store, &mut replicas, device, &rectangle, false, queue)?;
                self.make_valid(store, &mut replicas, device, &rectangle)?;
            }
        }
        Ok(())
    }

    /// The arrays with data on a device, the largest first.
    pub(crate) fn live(&mut self, device: usize) -> Vec<LiveArray> {
        let array = |store: &Arc<Store>| {
            let replicas = store.try_replicas()?;
            let bytes = replicas[device].instance.as_ref()?.block.bytes;
            Some(LiveArray { shape: store.shape().clone(), dtype: store.dtype().into(), bytes })
        };
        let mut live: Vec<LiveArray> = self.residents.alive().iter().filter_map(array).collect();
        live.sort_by_key(|array| std::cmp::Reverse(array.bytes));
        live
    }
}

/// What a device holds of a store that neither another device nor the host holds.
fn only_here(replicas: &[Replica], device: usize, store: &Store) -> Vec<Rectangle> {
    let mut elsewhere = RectangleSet::default();
    for (_, replica) in replicas.iter().enumerate().filter(|(other, _)| *other != device) {
        replica.valid.rectangles(store.shape()).iter().for_each(|r| elsewhere.insert(r));
    }
    store.staged().rectangles().for_each(|(_, rectangle)| elsewhere.insert(rectangle));
    let held = replicas[device].valid.rectangles(store.shape());
    held.iter().flat_map(|rectangle| elsewhere.missing(rectangle)).collect()
}

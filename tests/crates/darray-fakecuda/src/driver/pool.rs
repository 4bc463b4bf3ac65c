//! Pools of stream-ordered memory: what they hold and what they keep.

use super::Driver;
use super::code::{Answer, Code};
use super::heap::{Owner, State};
use super::operation::Operation;

/// A pool.
///
/// `used <= reserved`: bytes that were freed stay reserved until something synchronises and the
/// threshold is exceeded, until the pool is trimmed, or until other allocations need them.
#[derive(Debug)]
pub struct Pool {
    /// The device of its memory.
    pub device: usize,
    /// Bytes that are allocated.
    pub used: u64,
    /// Bytes that are taken from the device.
    pub reserved: u64,
    /// The most bytes that were ever used.
    pub used_high: u64,
    /// The most bytes that were ever reserved.
    pub reserved_high: u64,
    /// Bytes that may stay reserved when something synchronises.
    pub threshold: u64,
    /// Most bytes that it may reserve; 0 for no limit.
    pub most: u64,
    /// Other devices that may reach its memory.
    pub readers: Vec<usize>,
    /// What the switches of reuse were set to.
    pub switches: [u64; 4],
}

impl Pool {
    /// An empty pool.
    pub fn new(device: usize, most: u64) -> Pool {
        let (used, reserved, used_high, reserved_high, threshold) = (0, 0, 0, 0, 0);
        let (readers, switches) = (Vec::new(), [1; 4]);
        Pool {
            device,
            used,
            reserved,
            used_high,
            reserved_high,
            threshold,
            most,
            readers,
            switches,
        }
    }

    fn take(&mut self, bytes: u64) {
        self.used += bytes;
        self.reserved = self.reserved.max(self.used);
        self.used_high = self.used_high.max(self.used);
        self.reserved_high = self.reserved_high.max(self.reserved);
    }
}

impl Driver {
    /// New memory of a pool, which can be used once the stream comes to it.
    pub fn allocate_from(&mut self, pool: u64, bytes: u64, stream: u64) -> Answer<u64> {
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        if self.streams[&stream].capture.is_some() {
            return Err(self.spoil(stream, Code::CAPTURE_UNSUPPORTED));
        }
        // Memory whose release waits in the same stream can be used again behind it.
        let freed = self.freed_in(stream, pool);
        let found = self.pools.get(&pool).ok_or(Code::INVALID_HANDLE)?;
        let device = found.device;
        let wanted = (found.used + bytes).saturating_sub(freed);
        if found.most != 0 && wanted > found.most {
            return Err(Code::OUT_OF_MEMORY);
        }
        let grows = wanted.saturating_sub(found.reserved);
        self.make_room(device, grows)?;
        let heap = &mut self.devices[device].heap;
        let allocated = heap.allocate(bytes, Owner::Pool(pool), State::Pending);
        let address = allocated.ok_or(Code::OUT_OF_MEMORY)?;
        if let Some(found) = self.pools.get_mut(&pool) {
            found.take(bytes);
        }
        self.counters.allocations += 1;
        self.submit(stream, Operation::Allocate { address })?;
        Ok(address)
    }

    /// Bytes of a pool whose release waits in a stream.
    fn freed_in(&self, stream: u64, pool: u64) -> u64 {
        let addresses =
            self.streams[&stream].queue.iter().filter_map(|queued| match queued.operation {
                Operation::Free { address } => Some(address),
                _ => None,
            });
        let device = self.pools.get(&pool).map_or(0, |pool| pool.device);
        let heap = &self.devices[device].heap;
        let allocations = addresses.filter_map(|address| heap.holding(address));
        allocations.filter(|found| found.owner == Owner::Pool(pool)).map(|found| found.bytes).sum()
    }

    /// Pools give back what is above their thresholds, as they do whenever something synchronises.
    pub fn release_cached(&mut self, device: usize) {
        for pool in self.pools.values_mut().filter(|pool| pool.device == device) {
            pool.reserved = pool.used.max(pool.reserved.min(pool.threshold));
        }
    }

    /// Whether a pool lets a device reach an address.
    pub fn pool_grants(&self, owner: usize, address: u64, device: usize) -> bool {
        let Some(found) = self.devices[owner].heap.holding(address) else { return false };
        match found.owner {
            Owner::Pool(pool) => {
                self.pools.get(&pool).is_some_and(|pool| pool.readers.contains(&device))
            }
            Owner::Plain | Owner::Module => false,
        }
    }
}

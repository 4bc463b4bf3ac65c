//! The blocks of one device.

use super::lock;
use crate::driver::{Context, Pool, Stream};
use crate::error::CudaError;
use darray_device::{Block, DeviceId, DeviceStats, Fault};
use hashbrown::HashMap;
use std::sync::{Arc, Mutex};

/// Stream-ordered blocks within a limit.
///
/// A block counts as in use until it is released, though its memory is free only when its queue gets
/// there.
pub(super) struct Memory {
    device: DeviceId,
    limit: u64,
    pool: Pool,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    blocks: HashMap<u64, Located>,
    handles: u64,
    in_use: u64,
    peak: u64,
}

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Located {
    pub address: u64,
    pub bytes: u64,
}

impl Memory {
    /// No memory yet; the context is bound.
    pub fn new(device: DeviceId, context: &Arc<Context>, limit: u64) -> Result<Memory, CudaError> {
        Ok(Memory { device, limit, pool: Pool::new(context)?, table: Mutex::default() })
    }

    /// The pool, for memory that one submission needs.
    pub fn pool(&self) -> &Pool {
        &self.pool
    }

    /// A block for what is queued later on `stream`. `trim` is called if the GPU has no memory left.
    pub fn allocate(
        &self,
        bytes: u64,
        stream: &Stream,
        trim: impl FnOnce(),
    ) -> Result<Block, Fault> {
        let mut table = lock(&self.table);
        let (in_use, limit) = (table.in_use, self.limit);
        let full = Fault::OutOfMemory { requested: bytes, in_use, limit };
        if in_use.checked_add(bytes).is_none_or(|sum| sum > limit) {
            return Err(full);
        }
        let allocated = self.pool.allocate(bytes, stream).or_else(|error| {
            if !error.is_out_of_memory() {
                return Err(error);
            }
            trim();
            self.pool.allocate(bytes, stream)
        });
        let address = match allocated {
            Ok(address) => address,
            Err(error) if error.is_out_of_memory() => return Err(full),
            Err(error) => return Err(error.execution()),
        };
        table.in_use += bytes;
        table.peak = table.peak.max(table.in_use);
        table.handles += 1;
        let handle = table.handles;
        table.blocks.insert(handle, Located { address, bytes });
        Ok(Block { device: self.device, handle, bytes })
    }

    /// Gives a block back behind what is queued on `stream`.
    pub fn release(&self, block: Block, stream: &Stream) {
        let mut table = lock(&self.table);
        let Some(located) = table.blocks.remove(&block.handle) else { return };
        table.in_use -= located.bytes;
        self.give_back(located.address, stream);
    }

    /// Gives every block back, once nothing runs.
    pub fn clear(&self, stream: &Stream) {
        let mut table = lock(&self.table);
        table.in_use = 0;
        table.blocks.drain().for_each(|(_, located)| self.give_back(located.address, stream));
    }

    /// Where a block lies that was not released.
    pub fn locate(&self, block: Block) -> Result<Located, Fault> {
        let released =
            || Fault::Execution(format!("block {} is used after it was given back", block.handle));
        lock(&self.table).blocks.get(&block.handle).copied().ok_or_else(released)
    }

    /// Fills in the counters of memory.
    pub fn count(&self, stats: &mut DeviceStats) {
        let table = lock(&self.table);
        stats.bytes_in_use = table.in_use;
        stats.bytes_peak = table.peak;
        stats.bytes_pooled = self.pool.reserved().unwrap_or(0).saturating_sub(table.in_use);
    }

    /// Memory is given back once: a driver that reports a failure may have taken it all the same, and
    /// may have given it to somebody else since. What it did not take goes with the pool.
    fn give_back(&self, address: u64, stream: &Stream) {
        let _ = self.pool.free(address, stream);
    }
}

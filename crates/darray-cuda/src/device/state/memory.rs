//! The blocks of one device.

use crate::device::lock;
use crate::driver::{Context, Pool, Stream};
use crate::error::CudaError;
use darray_device::{Block, DeviceId, DeviceStats, Event, Fault, Queue};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex};

/// Stream-ordered blocks within a limit.
///
/// A block counts as in use until it is released, though its memory is free only when its queue gets
/// there. Memory that is given back is kept for the next block of its size and queue, if it is small or work is
/// recorded: it needs no call of the driver, and the same work gets the same addresses again.
pub(in crate::device) struct Memory {
    device: DeviceId,
    limit: u64,
    pool: Pool,
    table: Mutex<Table>,
}

/// Bytes of a block that is kept where no work is recorded: the call of the driver that it saves takes as long
/// as the GPU needs to use more.
pub(in crate::device) const SMALL: u64 = 1 << 20;

#[derive(Default)]
struct Table {
    places: Vec<Place>,
    /// Which of the places are free.
    free: Vec<u32>,
    in_use: u64,
    peak: u64,
    spares: Vec<Spare>,
    /// Bytes of the spares.
    spare: u64,
}

/// Where it is noted where a block lies. A handle is a place and which of its blocks it is, counted from 1.
///
/// ```text
/// handle 2 << 32 | 7:    the second block of place 7
/// ```
struct Place {
    turn: u32,
    block: Option<Located>,
}

/// Memory without a use.
pub(in crate::device) struct Spare {
    pub address: u64,
    pub bytes: u64,
    /// Where it was given back: what comes later on this queue may use it,
    pub queue: (DeviceId, Queue),
    /// behind these events of other queues;
    pub after: SmallVec<[Event; 2]>,
    /// and what comes on other queues may, if there is an event of its own queue that stands for where
    /// it was given back.
    pub point: Option<Event>,
}

impl Spare {
    /// What its next use on a queue comes behind.
    pub fn before(&self, queue: (DeviceId, Queue)) -> SmallVec<[Event; 4]> {
        let point = self.point.filter(|_| self.queue != queue);
        self.after.iter().copied().chain(point).collect()
    }
}

/// Where a block lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::device) struct Located {
    pub address: u64,
    pub bytes: u64,
    /// The last event of its queue when it was allocated: what it lay behind then is behind later ones
    /// only.
    pub since: Event,
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

    /// That there is space for a block, unless the limit forbids it.
    pub fn admit(&self, bytes: u64) -> Result<(), Fault> {
        lock(&self.table).admit(bytes, self.limit)
    }

    /// Memory from the pool as a block, which was admitted.
    pub fn enter(&self, address: u64, bytes: u64, since: Event) -> Block {
        lock(&self.table).enter(self.device, Located { address, bytes, since })
    }

    /// Forgets a block; its memory is still to be given back.
    pub fn leave(&self, block: Block) -> Option<Located> {
        lock(&self.table).leave(block)
    }

    /// Forgets a block, and keeps its memory for later.
    pub fn retire(&self, block: Block, spare: impl FnOnce(Located) -> Spare) {
        let mut table = lock(&self.table);
        if let Some(located) = table.leave(block) {
            table.keep(spare(located));
        }
    }

    /// Keeps memory for later.
    pub fn spare(&self, spare: Spare) {
        lock(&self.table).keep(spare);
    }

    /// Keeps memory for later; gives the oldest of more than `count` pieces, and those that there is no space for.
    pub fn keep(&self, spare: Spare, count: usize) -> Vec<Spare> {
        let mut table = lock(&self.table);
        table.keep(spare);
        let room = self.limit.saturating_sub(table.in_use);
        if table.spares.len() <= count && table.spare <= room {
            return Vec::new();
        }
        drop(table);
        self.surplus(count, 0)
    }

    /// A block of memory that was kept, for what comes next on the queue of `since`, if it is free there.
    pub fn again(&self, bytes: u64, since: Event) -> Result<Option<Block>, Fault> {
        let mut table = lock(&self.table);
        let Some(at) = table.last_spare(bytes, (since.device, since.queue)) else {
            return Ok(None);
        };
        if !table.spares[at].after.is_empty() {
            return Ok(None);
        }
        table.admit(bytes, self.limit)?;
        let Spare { address, .. } = table.take_spare(at);
        Ok(Some(table.enter(self.device, Located { address, bytes, since })))
    }

    /// Memory of exactly this size: the last that was given back on this queue, or the first on
    /// another.
    pub fn reuse(&self, bytes: u64, queue: (DeviceId, Queue)) -> Option<Spare> {
        let mut table = lock(&self.table);
        let other = |spare: &Spare| spare.bytes == bytes && spare.point.is_some();
        let own = table.last_spare(bytes, queue);
        let at = own.or_else(|| table.spares.iter().position(other))?;
        Some(table.take_spare(at))
    }

    /// The oldest spares without which at most `count` are left, and space for `bytes` bytes more within
    /// the limit.
    pub fn surplus(&self, count: usize, bytes: u64) -> Vec<Spare> {
        let mut table = lock(&self.table);
        let room = self.limit.saturating_sub(table.in_use.saturating_add(bytes));
        let mut number = table.spares.len().saturating_sub(count);
        let mut left = table.spare - table.spares[..number].iter().map(|s| s.bytes).sum::<u64>();
        while left > room {
            left -= table.spares[number].bytes;
            number += 1;
        }
        table.spare = left;
        table.spares.drain(..number).collect()
    }

    /// The spares of which something is said.
    pub fn take_spares(&self, mut is_taken: impl FnMut(&Spare) -> bool) -> Vec<Spare> {
        let mut table = lock(&self.table);
        let taken: Vec<Spare> = table.spares.extract_if(.., |spare| is_taken(spare)).collect();
        table.spare -= taken.iter().map(|spare| spare.bytes).sum::<u64>();
        taken
    }

    /// A block for what is queued later on `stream`. `trim` is called if the GPU has no memory left.
    pub fn allocate(
        &self,
        bytes: u64,
        since: Event,
        stream: &Stream,
        trim: impl FnOnce(),
    ) -> Result<Block, Fault> {
        self.admit(bytes)?;
        let allocated = self.pool.allocate(bytes, stream).or_else(|error| {
            if !error.is_out_of_memory() {
                return Err(error);
            }
            trim();
            self.pool.allocate(bytes, stream)
        });
        let address = match allocated {
            Ok(address) => address,
            Err(error) if error.is_out_of_memory() => return Err(self.full(bytes)),
            Err(error) => return Err(error.execution()),
        };
        Ok(self.enter(address, bytes, since))
    }

    /// That the GPU has no memory left for a block.
    pub fn full(&self, bytes: u64) -> Fault {
        lock(&self.table).full(bytes, self.limit)
    }

    /// Gives a block back behind what is queued on `stream`.
    pub fn release(&self, block: Block, stream: &Stream) {
        if let Some(located) = self.leave(block) {
            self.give_back(located.address, stream);
        }
    }

    /// Gives memory back to the pool, behind what is queued on `stream`.
    ///
    /// That is done once: a driver that reports a failure may have taken it all the same, and may have
    /// given it to somebody else since. What it did not take goes with the pool.
    pub fn give_back(&self, address: u64, stream: &Stream) {
        let _ = self.pool.free(address, stream);
    }

    /// Gives every block back, once nothing runs.
    pub fn clear(&self, stream: &Stream) {
        let mut table = lock(&self.table);
        (table.in_use, table.spare) = (0, 0);
        table.free.clear();
        let blocks = table.places.drain(..).filter_map(|place| Some(place.block?.address));
        let blocks: Vec<u64> = blocks.collect();
        let spares = table.spares.drain(..).map(|spare| spare.address);
        for address in blocks.into_iter().chain(spares) {
            self.give_back(address, stream);
        }
    }

    /// Where a block lies that was not released.
    pub fn locate(&self, block: Block) -> Result<Located, Fault> {
        let released =
            || Fault::Execution(format!("block {} is used after it was given back", block.handle));
        lock(&self.table).find(block).ok_or_else(released)
    }

    /// Fills in the counters of memory.
    pub fn count(&self, stats: &mut DeviceStats) {
        let table = lock(&self.table);
        stats.bytes_in_use = table.in_use;
        stats.bytes_peak = table.peak;
        stats.bytes_pooled = self.pool.reserved().unwrap_or(0).saturating_sub(table.in_use);
    }
}

impl Table {
    fn admit(&self, bytes: u64, limit: u64) -> Result<(), Fault> {
        let fits = self.in_use.checked_add(bytes).is_some_and(|sum| sum <= limit);
        if fits { Ok(()) } else { Err(self.full(bytes, limit)) }
    }

    fn full(&self, bytes: u64, limit: u64) -> Fault {
        Fault::OutOfMemory { requested: bytes, in_use: self.in_use, limit }
    }

    /// Memory of exactly this size: the last that was given back on this queue.
    fn last_spare(&self, bytes: u64, queue: (DeviceId, Queue)) -> Option<usize> {
        let fits = |spare: &Spare| (spare.bytes, spare.queue) == (bytes, queue);
        self.spares.iter().rposition(fits)
    }

    fn take_spare(&mut self, at: usize) -> Spare {
        let spare = self.spares.remove(at);
        self.spare -= spare.bytes;
        spare
    }

    fn enter(&mut self, device: DeviceId, located: Located) -> Block {
        let bytes = located.bytes;
        self.in_use += bytes;
        self.peak = self.peak.max(self.in_use);
        let at = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place { turn: 0, block: None });
            self.places.len() as u32 - 1
        });
        let place = &mut self.places[at as usize];
        place.turn += 1;
        place.block = Some(located);
        Block { device, handle: u64::from(place.turn) << 32 | u64::from(at), bytes }
    }

    fn find(&self, block: Block) -> Option<Located> {
        let (turn, at) = ((block.handle >> 32) as u32, block.handle as u32);
        self.places.get(at as usize).filter(|place| place.turn == turn)?.block
    }

    fn leave(&mut self, block: Block) -> Option<Located> {
        let located = self.find(block)?;
        let at = block.handle as u32;
        let place = &mut self.places[at as usize];
        place.block = None;
        // No handle comes again: after four billion blocks a place has no number for another one.
        if place.turn < u32::MAX {
            self.free.push(at);
        }
        self.in_use -= located.bytes;
        Some(located)
    }

    fn keep(&mut self, spare: Spare) {
        self.spare += spare.bytes;
        self.spares.push(spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_whose_numbers_are_used_up_gets_no_other_block() {
        let (mut table, device) = (Table::default(), DeviceId(0));
        let since = Event { device, queue: Queue(0), ticket: 1 };
        let enter =
            |table: &mut Table| table.enter(device, Located { address: 64, bytes: 8, since });
        let first = enter(&mut table);
        table.places[0].turn = u32::MAX - 1;
        assert!(table.find(first).is_none());
        let known = |table: &Table, block: Block| table.find(block).is_some();
        table.places[0].block = None;
        table.free.push(0);
        let last = enter(&mut table);
        assert_eq!(last.handle, u64::from(u32::MAX) << 32);
        assert!(known(&table, last) && table.leave(last).is_some());
        let next = enter(&mut table);
        assert_eq!(next.handle, 1 << 32 | 1, "another place");
        assert!(known(&table, next) && !known(&table, last) && !known(&table, first));
    }
}

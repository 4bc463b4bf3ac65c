//! Memory of one device: an [`arena`] of its own, a [`pool`] of reusable pieces of it, and the
//! table that turns opaque block handles into addresses. Tests surround blocks with guards.

mod arena;
mod bounds;
#[cfg(feature = "testing")]
mod guards;
mod pool;
mod scratch;
mod slabs;
mod spans;
mod storage;
mod touched;

pub(crate) use arena::advise;
pub use bounds::{BoundedBy, MemoryBound};
#[cfg(feature = "testing")]
pub use scratch::kept_scratch;
pub(crate) use scratch::{Bits, Scratch};
pub(crate) use storage::Storage;

use darray_device::{Block, DeviceId, DeviceStats, Fault};
#[cfg(feature = "testing")]
use guards::Guards;
use pool::{Piece, Pool, most_held};

/// Memory of one device.
///
/// Rules:
/// - A handle is never used twice: it carries the generation of its table entry, so a stale or
///   foreign handle is a fault, not another block.
/// - `bytes_in_use` counts bytes as they were asked for.
/// - Of blocks and what is kept for others, at most an eighth more than the limit is resident, or a huge page.
#[derive(Debug)]
pub(crate) struct Memory {
    device: DeviceId,
    pool: Pool,
    entries: Vec<Entry>,
    vacant: Vec<u32>,
    in_use: u64,
    peak: u64,
    limit: u64,
    /// What surrounds the blocks.
    #[cfg(feature = "testing")]
    guards: Option<Guards>,
}

#[derive(Debug)]
struct Entry {
    generation: u32,
    live: Option<Live>,
}

#[derive(Clone, Copy, Debug)]
struct Live {
    piece: Piece,
    /// Where the block begins in the piece.
    offset: usize,
    bytes: u64,
}

/// The address of a block. Valid until the block is released.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    /// First byte, aligned to 64.
    pub pointer: *mut u8,
    /// Bytes that may be used.
    pub bytes: u64,
}

impl Memory {
    /// Memory for a device, with room for `limit` bytes in use.
    pub fn new(device: DeviceId, limit: u64) -> Memory {
        Memory {
            device,
            pool: Pool::new(),
            entries: Vec::new(),
            vacant: Vec::new(),
            in_use: 0,
            peak: 0,
            limit,
            #[cfg(feature = "testing")]
            guards: None,
        }
    }

    /// The same; bytes that are not in pages of blocks cannot be accessed, and blocks begin at a page, or end
    /// at one but for less than 64 bytes.
    #[cfg(feature = "testing")]
    pub fn with_guards(device: DeviceId, limit: u64) -> Memory {
        let mut memory = Memory::new(device, limit);
        memory.pool.set_accessible(false);
        memory.guards = Some(Guards::default());
        memory
    }

    /// A block of `bytes` bytes, contents undefined.
    pub fn allocate(&mut self, bytes: u64) -> Result<Block, Fault> {
        let (requested, in_use, limit) = (bytes, self.in_use, self.limit);
        let full = Fault::OutOfMemory { requested, in_use, limit };
        if self.in_use.checked_add(bytes).is_none_or(|sum| sum > self.limit) {
            return Err(full);
        }
        let is_much = |pool: &Pool| pool.held().saturating_add(bytes) > most_held(limit);
        if is_much(&self.pool) {
            self.pool.trim();
            // What is in use is spread so that little of its pages is free. Guards are not counted.
            if is_much(&self.pool) && !self.is_guarded() {
                return Err(Fault::OutOfMemory { requested, in_use: self.pool.held(), limit });
            }
        }
        let Some((piece, offset)) = self.take(bytes as usize) else {
            let reserved = self.pool.reserved();
            return Err(Fault::OutOfAddresses { requested, in_use, reserved });
        };
        self.in_use += bytes;
        self.peak = self.peak.max(self.in_use);
        let live = Some(Live { piece, offset, bytes });
        let slot = match self.vacant.pop() {
            Some(slot) => {
                self.entries[slot as usize].live = live;
                slot
            }
            None => {
                self.entries.push(Entry { generation: 0, live });
                self.entries.len() as u32 - 1
            }
        };
        let generation = self.entries[slot as usize].generation;
        Ok(Block { device: self.device, handle: (generation as u64) << 32 | slot as u64, bytes })
    }

    /// Gives a block back to the pool. A block that is not live is ignored.
    pub fn release(&mut self, block: Block) {
        let Some(live) = self.live(block) else { return };
        let slot = block.handle as u32;
        let entry = &mut self.entries[slot as usize];
        entry.live = None;
        if let Some(next) = entry.generation.checked_add(1) {
            entry.generation = next;
            self.vacant.push(slot);
        }
        self.in_use -= live.bytes;
        #[cfg(feature = "testing")]
        if let Some(guards) = &self.guards {
            guards.set_accessible(&mut self.pool, (live.piece, live.offset, live.bytes), false);
        }
        self.pool.give(live.piece);
    }

    /// A piece with room for a block, and where the block begins in it.
    fn take(&mut self, bytes: usize) -> Option<(Piece, usize)> {
        #[cfg(feature = "testing")]
        if let Some(guards) = &mut self.guards {
            return guards.take(&mut self.pool, bytes);
        }
        self.pool.take(bytes).map(|piece| (piece, 0))
    }

    #[cfg(feature = "testing")]
    fn is_guarded(&self) -> bool {
        self.guards.is_some()
    }

    #[cfg(not(feature = "testing"))]
    fn is_guarded(&self) -> bool {
        false
    }

    /// Where a block lies.
    pub fn locate(&self, block: Block) -> Result<Located, Fault> {
        match self.live(block) {
            Some(live) => {
                let pointer = self.pool.pointer(live.piece).wrapping_add(live.offset);
                Ok(Located { pointer, bytes: live.bytes })
            }
            None => Err(Fault::Execution(format!(
                "block {:#x} of device {} is not allocated",
                block.handle, block.device.0
            ))),
        }
    }

    /// Makes every block readable and writable, or neither.
    #[cfg(feature = "testing")]
    pub fn set_accessible(&mut self, accessible: bool) {
        let Some(guards) = &mut self.guards else { return self.pool.set_accessible(accessible) };
        if guards.open(accessible) {
            for live in self.entries.iter().filter_map(|entry| entry.live) {
                let block = (live.piece, live.offset, live.bytes);
                guards.set_accessible(&mut self.pool, block, accessible);
            }
        }
    }

    /// Fills in the byte counters.
    pub fn count(&self, stats: &mut DeviceStats) {
        stats.bytes_in_use = self.in_use;
        stats.bytes_peak = self.peak;
        stats.bytes_pooled = self.pool.held().saturating_sub(self.pool.used());
    }

    fn live(&self, block: Block) -> Option<Live> {
        let entry = self.entries.get(block.handle as u32 as usize)?;
        let same = entry.generation == (block.handle >> 32) as u32 && block.device == self.device;
        if same { entry.live } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(limit: u64) -> Memory {
        Memory::new(DeviceId(3), limit)
    }

    #[test]
    fn blocks_are_aligned_apart_and_writable() {
        let mut memory = memory(1 << 30);
        let sizes = [1u64, 64, 65, 1000, 4096, 100_000, 1 << 20, (1 << 20) + 1, 5 << 20];
        let blocks: Vec<Block> = sizes.iter().map(|&b| memory.allocate(b).unwrap()).collect();
        let mut ranges = Vec::new();
        for block in &blocks {
            let at = memory.locate(*block).unwrap();
            assert_eq!(at.pointer as usize % 64, 0);
            // SAFETY: the block is live and has `at.bytes` bytes.
            unsafe { std::ptr::write_bytes(at.pointer, 0xa5, at.bytes as usize) };
            ranges.push((at.pointer as usize, at.pointer as usize + at.bytes as usize));
        }
        ranges.sort();
        assert!(ranges.windows(2).all(|w| w[0].1 <= w[1].0), "{ranges:x?}");
    }

    #[test]
    fn released_memory_is_used_again_and_handles_are_not() {
        let mut memory = memory(1 << 30);
        for bytes in [1000u64, 3 << 20] {
            let first = memory.allocate(bytes).unwrap();
            let address = memory.locate(first).unwrap().pointer;
            memory.release(first);
            assert!(memory.locate(first).is_err());
            let second = memory.allocate(bytes).unwrap();
            assert_eq!(memory.locate(second).unwrap().pointer, address);
            assert_ne!(first.handle, second.handle);
            memory.release(first);
            assert!(memory.locate(second).is_ok(), "a stale release must not free the new block");
        }
    }

    #[test]
    fn limit_is_kept_and_counters_say_so() {
        let mut memory = memory(10 << 20);
        let a = memory.allocate(6 << 20).unwrap();
        let fault = memory.allocate(5 << 20).unwrap_err();
        let expected = Fault::OutOfMemory { requested: 5 << 20, in_use: 6 << 20, limit: 10 << 20 };
        assert_eq!(fault, expected);
        memory.release(a);
        let b = memory.allocate(9 << 20).unwrap();
        let mut stats = DeviceStats::default();
        memory.count(&mut stats);
        assert_eq!((stats.bytes_in_use, stats.bytes_peak), (9 << 20, 9 << 20));
        memory.release(b);
        memory.count(&mut stats);
        assert_eq!(stats.bytes_in_use, 0);
        assert!(stats.bytes_pooled >= 9 << 20);
    }

    #[test]
    fn steady_state_does_not_grow() {
        let mut memory = memory(1 << 30);
        let mut held = 0;
        for round in 0..100 {
            let blocks: Vec<Block> =
                (1..40u64).map(|k| memory.allocate(k * k * 5000).unwrap()).collect();
            blocks.into_iter().rev().for_each(|b| memory.release(b));
            if round == 9 {
                held = memory.pool.held();
            }
        }
        assert_eq!(memory.pool.held(), held);
    }

    #[test]
    fn what_is_free_serves_any_size() {
        let limit = 150 << 20;
        let mut memory = memory(limit);
        for bytes in (0..34).map(|k| (20_000.0 * 50f64.powf(f64::from(k) / 33.0)) as u64) {
            let blocks: Vec<Block> =
                (0..(100 << 20) / bytes).map(|_| memory.allocate(bytes).unwrap()).collect();
            assert!(memory.pool.held() <= most_held(limit), "{bytes}");
            blocks.into_iter().for_each(|block| memory.release(block));
            assert!(memory.pool.reserved() <= 4 * limit, "{bytes}");
        }
        assert!(memory.allocate(limit).is_ok());
    }

    #[test]
    fn pages_that_are_free_in_part_are_resident() {
        let mut memory = memory(32 << 20);
        let mut blocks: Vec<Block> =
            (0..(30 << 20) / 64).map(|_| memory.allocate(64).unwrap()).collect();
        // One in each page stays.
        blocks.retain(|block| {
            block.handle % 64 == 0 || {
                memory.release(*block);
                false
            }
        });
        let fault = memory.allocate(16 << 20).unwrap_err();
        let Fault::OutOfMemory { in_use, .. } = fault else { panic!("{fault}") };
        assert!((30 << 20..32 << 20).contains(&in_use), "{in_use}: whole pages");
        blocks.into_iter().for_each(|block| memory.release(block));
        assert!(memory.allocate(32 << 20).is_ok());
    }

    #[test]
    #[cfg(unix)]
    fn what_surrounds_a_block_cannot_be_read() {
        let mut memory = Memory::with_guards(DeviceId(3), 1 << 30);
        let mut sides = [0, 0];
        for bytes in [0, 1u64, 64, 100, 4096, 4097, 3 << 20, 100, 4096, (3 << 20) + 64] {
            let block = memory.allocate(bytes).unwrap();
            let at = memory.locate(block).unwrap();
            assert_eq!((at.pointer as usize % 64, at.bytes), (0, bytes));
            let after = at.pointer.wrapping_add(bytes as usize);
            // SAFETY: the block is live and has so many bytes.
            unsafe { std::ptr::write_bytes(at.pointer, 0xa5, bytes as usize) };
            let [before, behind] = [at.pointer.wrapping_sub(1), after.wrapping_add(63)];
            let closed = [!readable(before), !readable(behind)];
            assert!(closed.contains(&true), "{bytes}");
            sides.iter_mut().zip(closed).for_each(|(side, closed)| *side += usize::from(closed));
            // Whatever the side, what is a page away.
            assert!(!readable(at.pointer.wrapping_sub(4096)), "{bytes}");
            assert!(!readable(after.wrapping_add(4096)), "{bytes}");
            memory.set_accessible(false);
            assert!(bytes == 0 || !readable(at.pointer), "{bytes}");
            memory.set_accessible(true);
            memory.set_accessible(true);
            assert!(bytes == 0 || readable(at.pointer) && readable(after.wrapping_sub(1)));
            assert!(!readable(after.wrapping_add(4096)), "{bytes}");
            if bytes % 100 == 0 {
                memory.release(block);
                assert!(!readable(at.pointer), "{bytes} bytes, released");
            }
        }
        assert!(sides[0] >= 4 && sides[1] >= 4, "blocks begin and end at a page: {sides:?}");
    }

    /// Whether the kernel of the system may read an address for us.
    #[cfg(unix)]
    fn readable(address: *const u8) -> bool {
        let mut ends = [0; 2];
        // SAFETY: `pipe` fills the array; `write` fails on memory that it may not read.
        unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            let written = libc::write(ends[1], address.cast(), 1);
            libc::close(ends[0]);
            libc::close(ends[1]);
            written == 1
        }
    }

    #[test]
    #[cfg(unix)]
    fn closed_memory_cannot_be_read() {
        let mut memory = memory(1 << 30);
        let small = memory.allocate(100).unwrap();
        let large = memory.allocate(3 << 20).unwrap();
        let addresses = [small, large].map(|b| memory.locate(b).unwrap().pointer);
        assert!(addresses.iter().all(|&a| readable(a)));
        memory.set_accessible(false);
        assert!(addresses.iter().all(|&a| !readable(a)));
        let later = memory.allocate(100 << 20).unwrap();
        let later = memory.locate(later).unwrap().pointer;
        assert!(!readable(later), "what is committed while closed is closed");
        memory.set_accessible(true);
        assert!(addresses.iter().chain([&later]).all(|&a| readable(a)));
    }
}

//! Memory of the devices: addresses that nobody else has, and the bytes behind them.
//!
//! Addresses of a device are no addresses of this process, so that a host that reaches for them
//! crashes at once. No address is used twice, so that freed memory is known when it is reached.

use crate::ptx::memory::{Denied, Region, Violation, within};
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::collections::{BTreeMap, VecDeque};

/// Most devices; each has its own range of addresses.
pub const MOST_DEVICES: usize = 64;

/// The first address of the first device.
const FIRST: u64 = 0x0100_0000_0000_0000;

/// Addresses of a device.
const RANGE: u64 = 1 << 44;

/// Allocations are aligned to this many bytes.
const ALIGN: u64 = 512;

/// Bytes between allocations, so that an overrun is known.
const GAP: u64 = 4096;

/// New memory up to this many bytes holds bytes that are no zeros.
const POISONED: usize = 64 << 20;

/// Freed allocations that are remembered, to tell their use from other errors.
const REMEMBERED: usize = 4096;

/// What an allocation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// `cuMemAlloc`.
    Plain,
    /// A pool.
    Pool(u64),
    /// Variables of a module.
    Module,
}

/// How far an allocation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It waits in its stream.
    Pending,
    /// It can be used.
    Live,
    /// It has been freed.
    Freed,
}

/// Bytes that are allocated together.
#[derive(Debug)]
pub struct Allocation {
    /// Its first address.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
    /// What it is for.
    pub owner: Owner,
    /// How far it has come.
    pub state: State,
    /// Whether a call that frees it waits in a stream.
    pub free_pending: bool,
    block: Option<Block>,
}

/// Bytes of this process.
#[derive(Debug)]
struct Block {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: the bytes belong to the block alone.
unsafe impl Send for Block {}

impl Block {
    fn new(bytes: u64) -> Option<Block> {
        let layout = Layout::from_size_align(bytes.max(1) as usize, 256).ok()?;
        // SAFETY: the layout is not empty.
        let start =
            unsafe { if layout.size() > POISONED { alloc_zeroed(layout) } else { alloc(layout) } };
        if start.is_null() {
            return None;
        }
        if layout.size() <= POISONED {
            // SAFETY: the block has this many bytes.
            unsafe { start.write_bytes(0xcd, layout.size()) };
        }
        Some(Block { start, layout })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout and freed once.
        unsafe { dealloc(self.start, self.layout) };
    }
}

/// The device that owns an address.
pub fn owner(address: u64) -> Option<usize> {
    let device = address.checked_sub(FIRST)? / RANGE;
    (device < MOST_DEVICES as u64).then_some(device as usize)
}

/// Memory of one device.
#[derive(Debug)]
pub struct Heap {
    next: u64,
    allocations: BTreeMap<u64, Allocation>,
    freed: VecDeque<u64>,
}

impl Heap {
    /// No memory yet.
    pub fn new(device: usize) -> Heap {
        let next = FIRST + device as u64 * RANGE + (1 << 20);
        Heap { next, allocations: BTreeMap::new(), freed: VecDeque::new() }
    }

    /// New memory; none if this process has none.
    pub fn allocate(&mut self, bytes: u64, owner: Owner, state: State) -> Option<u64> {
        let block = Some(Block::new(bytes)?);
        let address = self.next;
        self.next = (address + bytes.max(1)).next_multiple_of(ALIGN) + GAP;
        let free_pending = false;
        let allocation = Allocation { address, bytes, owner, state, free_pending, block };
        self.allocations.insert(address, allocation);
        Some(address)
    }

    /// The allocation that begins at an address and has not been freed.
    pub fn get_mut(&mut self, address: u64) -> Option<&mut Allocation> {
        self.allocations.get_mut(&address).filter(|found| found.state != State::Freed)
    }

    /// The allocation that holds an address and has not been freed.
    pub fn holding(&self, address: u64) -> Option<&Allocation> {
        let (_, found) = self.allocations.range(..=address).next_back()?;
        let inside = address - found.address < found.bytes.max(1);
        (inside && found.state != State::Freed).then_some(found)
    }

    /// Gives the bytes back and remembers the address.
    pub fn free(&mut self, address: u64) {
        if let Some(allocation) = self.get_mut(address) {
            allocation.state = State::Freed;
            allocation.block = None;
            self.freed.push_back(address);
        }
        while self.freed.len() > REMEMBERED {
            if let Some(oldest) = self.freed.pop_front() {
                self.allocations.remove(&oldest);
            }
        }
    }

    /// Frees everything.
    pub fn clear(&mut self) {
        let live: Vec<u64> = self.live().map(|allocation| allocation.address).collect();
        live.into_iter().for_each(|address| self.free(address));
    }

    /// What has not been freed.
    pub fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.allocations.values().filter(|allocation| allocation.state != State::Freed)
    }

    /// The region that holds these bytes, which `denied` says are out of reach.
    pub fn find(
        &self,
        address: u64,
        bytes: u64,
        denied: Option<Denied>,
    ) -> Result<Region, Violation> {
        let before = self.allocations.range(..=address).next_back();
        let region = before.map(|(_, allocation)| Region {
            start: allocation.address,
            bytes: allocation.bytes,
            host: allocation.block.as_ref().map_or(std::ptr::null_mut(), |block| block.start),
            denied: match allocation.state {
                State::Freed => Some(Denied::Freed),
                _ if denied.is_some() => denied,
                State::Pending => Some(Denied::NotYetAllocated),
                State::Live => None,
            },
        });
        within(region, address, bytes)
    }
}

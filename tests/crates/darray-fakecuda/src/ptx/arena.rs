//! Memory for kernels without a driver.

use super::memory::{Memory, Region, Violation, within};
use std::cell::UnsafeCell;

/// Blocks of memory that kernels reach by address, and the program by copies.
///
/// ```
/// use darray_fakecuda::ptx::Arena;
/// let mut arena = Arena::default();
/// let address = arena.allocate(4);
/// arena.write(address, &[1, 2, 3, 4]);
/// assert_eq!(arena.read(address + 1, 2), [2, 3]);
/// ```
#[derive(Default)]
pub struct Arena {
    /// By address.
    blocks: Vec<Block>,
}

struct Block {
    start: u64,
    bytes: u64,
    words: Vec<UnsafeCell<u128>>,
}

/// What addresses of blocks are multiples of.
const ALIGNMENT: u64 = 256;

/// What new memory holds, so that reading it unwritten shows.
const UNWRITTEN: u128 = u128::MAX / 3 * 2;

impl Arena {
    /// The address of a new block, a multiple of 256.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let end = self.blocks.last().map_or(1 << 32, |block| block.start + block.bytes);
        // A gap behind every block, so that one is not mistaken for the next.
        let start = (end + ALIGNMENT).next_multiple_of(ALIGNMENT);
        let words = (0..bytes.div_ceil(16)).map(|_| UnsafeCell::new(UNWRITTEN)).collect();
        self.blocks.push(Block { start, bytes, words });
        start
    }

    /// Copies bytes into a block.
    ///
    /// # Panics
    /// No block holds them all.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        let host = self.host(address, bytes.len());
        // SAFETY: the region holds them, and nothing else can reach it.
        unsafe { host.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Copies bytes out of a block.
    ///
    /// # Panics
    /// No block holds them all.
    pub fn read(&mut self, address: u64, bytes: usize) -> Vec<u8> {
        let host = self.host(address, bytes);
        let mut out = vec![0; bytes];
        // SAFETY: the region holds them, and nothing else can reach it.
        unsafe { host.copy_to_nonoverlapping(out.as_mut_ptr(), bytes) };
        out
    }

    fn host(&mut self, address: u64, bytes: usize) -> *mut u8 {
        if bytes == 0 {
            return std::ptr::dangling_mut();
        }
        let region = self.find(address, bytes as u64).unwrap_or_else(|error| panic!("{error}"));
        region.host.wrapping_add((address - region.start) as usize)
    }
}

// SAFETY: a block's words outlive the borrow, cells may be written through a shared reference, and
// `UnsafeCell` keeps the arena to one thread.
unsafe impl Memory for Arena {
    fn find(&self, address: u64, bytes: u64) -> Result<Region, Violation> {
        let end = self.blocks.partition_point(|block| block.start <= address);
        let before = end.checked_sub(1).map(|at| {
            let Block { start, bytes, ref words } = self.blocks[at];
            Region { start, bytes, host: words.as_ptr().cast_mut().cast(), denied: None }
        });
        within(before, address, bytes)
    }
}

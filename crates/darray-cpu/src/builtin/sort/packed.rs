//! Words of a key and an index.

/// A word that sorts by its key, then by its index.
pub(super) trait Packed: Copy + Ord + Send + Sync {
    /// The key has up to 32 bits for `u64`.
    fn new(key: u64, index: usize) -> Self;

    /// The index.
    fn index(self) -> usize;
}

impl Packed for u64 {
    #[inline(always)]
    fn new(key: u64, index: usize) -> u64 {
        key << 32 | index as u64
    }

    #[inline(always)]
    fn index(self) -> usize {
        self as u32 as usize
    }
}

impl Packed for u128 {
    #[inline(always)]
    fn new(key: u64, index: usize) -> u128 {
        u128::from(key) << 64 | index as u128
    }

    #[inline(always)]
    fn index(self) -> usize {
        self as u64 as usize
    }
}

//! Working memory that builtins leave for each other.

use super::{MemoryBound, Storage};
use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, MutexGuard};

/// Numbers to work with, which hold anything at first. What is gone is kept for the next one, as far as there is
/// [room](Kept::most): fresh pages take about as long as a sort of what they hold.
#[derive(Debug)]
pub(crate) struct Scratch<T> {
    storage: Storage,
    length: usize,
    of: PhantomData<T>,
}

/// Numbers that any bits are, and whose alignment is at most a line.
///
/// # Safety
/// This is so.
pub(crate) unsafe trait Bits: Copy {}

// SAFETY: unsigned integers.
unsafe impl Bits for u8 {}
// SAFETY: as above.
unsafe impl Bits for u16 {}
// SAFETY: as above.
unsafe impl Bits for u32 {}
// SAFETY: as above.
unsafe impl Bits for u64 {}

/// What is kept.
///
/// Rules:
/// - Storages are found by their lengths, among a number of them that is bounded; nothing is counted anew.
/// - None is so small that it would not serve the next work that needs little.
struct Kept {
    free: Mutex<Free>,
    /// Bytes, at most.
    most: usize,
}

#[derive(Default)]
struct Free {
    /// The smallest first.
    storages: Vec<Storage>,
    /// Their bytes.
    bytes: usize,
}

/// Bytes of a storage, at least.
const LEAST: usize = 4096;

/// Storages that are kept at most: more than threads of large machines use at a time.
const MOST: usize = 1024;

/// That of the process: a small part of the memory that it may have.
static KEPT: LazyLock<Kept> = LazyLock::new(|| {
    let part = usize::try_from(MemoryBound::of_process().bytes / 64).unwrap_or(usize::MAX);
    Kept { free: Mutex::default(), most: part.min(1 << 30) }
});

/// How many storages of scratch the process keeps, and their bytes.
#[cfg(feature = "testing")]
pub fn kept_scratch() -> (usize, usize) {
    let free = KEPT.free();
    (free.storages.len(), free.bytes)
}

impl<T> Default for Scratch<T> {
    /// None.
    fn default() -> Scratch<T> {
        Scratch { storage: Storage::default(), length: 0, of: PhantomData }
    }
}

impl<T: Bits> Scratch<T> {
    /// So many numbers, which hold what they did if there were as many.
    pub fn reserve(&mut self, length: usize) -> &mut [T] {
        let bytes = length * size_of::<T>();
        if self.storage.bytes() < bytes {
            KEPT.give_back(std::mem::take(&mut self.storage));
            self.storage = KEPT.take(bytes);
        }
        self.length = length;
        let first = self.storage.reserve(bytes).cast();
        // SAFETY: so many bytes, which are initialised and aligned to a line; any bits are numbers.
        unsafe { std::slice::from_raw_parts_mut(first, length) }
    }

    /// The numbers that were reserved.
    pub fn numbers(&self) -> &[T] {
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.storage.start().cast(), self.length) }
    }
}

impl<T> Drop for Scratch<T> {
    fn drop(&mut self) {
        KEPT.give_back(std::mem::take(&mut self.storage));
    }
}

impl Kept {
    fn free(&self) -> MutexGuard<'_, Free> {
        // Nothing panics while it is locked.
        self.free.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The smallest that has so many bytes, unless most of it would lie idle; else a new one.
    fn take(&self, bytes: usize) -> Storage {
        let bytes = bytes.max(LEAST);
        // Eight lengths per doubling: of work that needs a little more each time, few are kept.
        let bytes = bytes
            .checked_next_power_of_two()
            .map_or(bytes, |next| bytes.next_multiple_of(next / 8));
        let mut free = self.free();
        let at = free.storages.partition_point(|storage| storage.bytes() < bytes);
        let fits = free.storages.get(at).is_some_and(|found| found.bytes() / 4 <= bytes);
        let found = fits.then(|| free.remove(at));
        drop(free);
        found.unwrap_or_else(|| Storage::new(bytes))
    }

    fn give_back(&self, storage: Storage) {
        if !(1..=self.most).contains(&storage.bytes()) {
            return;
        }
        let mut free = self.free();
        let at = free.storages.partition_point(|other| other.bytes() < storage.bytes());
        free.bytes += storage.bytes();
        free.storages.insert(at, storage);
        // The smallest are made again soonest.
        let mut gone = Vec::new();
        while free.bytes > self.most || free.storages.len() > MOST {
            gone.push(free.remove(0));
        }
        // They are freed when others may go on.
        drop(free);
    }
}

impl Free {
    fn remove(&mut self, at: usize) -> Storage {
        let storage = self.storages.remove(at);
        self.bytes -= storage.bytes();
        storage
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, LEAST, MOST, Scratch, Storage};

    #[test]
    fn what_is_gone_is_kept_as_far_as_there_is_room() {
        let kept = Kept { free: Default::default(), most: 64 << 10 };
        let bytes = || kept.free().storages.iter().map(Storage::bytes).collect::<Vec<_>>();
        let first = kept.take(16_000);
        assert_eq!(first.bytes(), 16 << 10);
        let address = first.start();
        kept.give_back(first);
        // One that has enough room, but not one of which most would lie idle.
        let (again, small) = (kept.take(12_000), kept.take(3900));
        assert_eq!((again.start(), small.bytes()), (address, LEAST));
        kept.give_back(again);
        assert_eq!(kept.take(17_000).bytes(), 20 << 10);
        kept.give_back(small);
        assert_eq!(bytes(), [LEAST, 16 << 10]);
        // More than there is room for, and what has none.
        kept.give_back(Storage::new(48_000));
        kept.give_back(Storage::new((64 << 10) + 1));
        kept.give_back(Storage::default());
        assert_eq!(bytes(), [16 << 10, 48_000]);
        assert_eq!(kept.free().bytes, (16 << 10) + 48_000);
    }

    #[test]
    fn what_is_kept_is_used_by_work_of_any_size() {
        let kept = Kept { free: Default::default(), most: 64 << 20 };
        for _ in 0..3 {
            for bytes in 0..5000 {
                kept.give_back(kept.take(bytes));
            }
        }
        assert_eq!(kept.free().storages.len(), 2, "one of the least bytes, one for more");
        for _ in 0..2 * MOST {
            kept.give_back(Storage::new(LEAST));
        }
        assert_eq!(kept.free().storages.len(), MOST);
    }

    #[test]
    fn a_reserve_of_fewer_holds_what_there_was() {
        let mut scratch = Scratch::<u64>::default();
        scratch.reserve(100).fill(3);
        assert_eq!(scratch.reserve(50), [3; 50]);
        assert!(scratch.reserve(0).is_empty());
    }
}

//! Working memory that builtins leave for each other.

use super::{Storage, machine_memory};
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
struct Kept {
    /// The smallest first.
    storages: Mutex<Vec<Storage>>,
    /// Bytes, at most.
    most: usize,
}

/// That of the process: a small part of the machine's memory.
static KEPT: LazyLock<Kept> = LazyLock::new(|| {
    let part = usize::try_from(machine_memory() / 64).unwrap_or(usize::MAX);
    Kept { storages: Mutex::default(), most: part.min(1 << 30) }
});

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
    fn storages(&self) -> MutexGuard<'_, Vec<Storage>> {
        // Nothing panics while it is locked.
        self.storages.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The smallest that has so many bytes, unless most of it would lie idle; else a new one.
    fn take(&self, bytes: usize) -> Storage {
        let mut storages = self.storages();
        let fits = |storage: &Storage| (bytes..=bytes.saturating_mul(4)).contains(&storage.bytes());
        let found = storages.iter().position(fits).map(|number| storages.remove(number));
        drop(storages);
        found.unwrap_or_else(|| Storage::new(bytes))
    }

    fn give_back(&self, storage: Storage) {
        if !(1..=self.most).contains(&storage.bytes()) {
            return;
        }
        let mut storages = self.storages();
        let at = storages.partition_point(|other| other.bytes() < storage.bytes());
        storages.insert(at, storage);
        let mut sum: usize = storages.iter().map(Storage::bytes).sum();
        // The smallest are made again soonest.
        let mut gone = Vec::new();
        while sum > self.most {
            let storage = storages.remove(0);
            sum -= storage.bytes();
            gone.push(storage);
        }
        // They are freed when others may go on.
        drop(storages);
    }
}

#[cfg(test)]
mod tests {
    use super::{Kept, Scratch, Storage};

    #[test]
    fn what_is_gone_is_kept_as_far_as_there_is_room() {
        let kept = Kept { storages: Default::default(), most: 16 << 10 };
        let bytes = || kept.storages().iter().map(Storage::bytes).collect::<Vec<_>>();
        let first = kept.take(4000);
        assert_eq!(first.bytes(), 4032);
        let address = first.start();
        kept.give_back(first);
        // One that has enough room, but not one of which most would lie idle.
        let (again, small) = (kept.take(3000), kept.take(900));
        assert_eq!((again.start(), small.bytes()), (address, 960));
        kept.give_back(again);
        assert!(kept.take(900).bytes() == 960 && kept.take(5000).bytes() == 5056);
        kept.give_back(small);
        assert_eq!(bytes(), [960, 4032]);
        // More than there is room for, and what has none.
        kept.give_back(Storage::new(12 << 10));
        kept.give_back(Storage::new((16 << 10) + 1));
        kept.give_back(Storage::default());
        assert_eq!(bytes(), [4032, 12 << 10]);
    }

    #[test]
    fn a_reserve_of_fewer_holds_what_there_was() {
        let mut scratch = Scratch::<u64>::default();
        scratch.reserve(100).fill(3);
        assert_eq!(scratch.reserve(50), [3; 50]);
        assert!(scratch.reserve(0).is_empty());
    }
}

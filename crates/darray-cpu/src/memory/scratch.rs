//! Working memory that builtins leave for each other.

use super::{Storage, machine_memory};
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// Numbers to work with, which hold anything at first. What is gone is kept for the next one, up to [`most`]: fresh pages take
/// about as long as a sort of what they hold.
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

/// Bytes that are kept, at most: a small part of the machine's memory.
fn most() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| usize::try_from(machine_memory() / 64).unwrap_or(usize::MAX).min(1 << 30))
}

/// What is kept, the smallest first.
static KEPT: Mutex<Vec<Storage>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<Storage>> {
    // Nothing panics while it is locked.
    KEPT.lock().unwrap_or_else(|e| e.into_inner())
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
            give_back(std::mem::take(&mut self.storage));
            self.storage = take(bytes);
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
        give_back(std::mem::take(&mut self.storage));
    }
}

/// The smallest that is kept and has so many bytes, unless most of it would lie idle; else a new one.
fn take(bytes: usize) -> Storage {
    let mut kept = kept();
    let fits = kept
        .iter()
        .position(|storage| (bytes..=bytes.saturating_mul(4)).contains(&storage.bytes()));
    let found = fits.map(|number| kept.remove(number));
    drop(kept);
    found.unwrap_or_else(|| Storage::new(bytes))
}

fn give_back(storage: Storage) {
    if !(1..=most()).contains(&storage.bytes()) {
        return;
    }
    let mut kept = kept();
    let at = kept.partition_point(|other| other.bytes() < storage.bytes());
    kept.insert(at, storage);
    let mut sum: usize = kept.iter().map(Storage::bytes).sum();
    // The smallest are made again soonest.
    let mut gone = Vec::new();
    while sum > most() {
        let storage = kept.remove(0);
        sum -= storage.bytes();
        gone.push(storage);
    }
    // They are freed when others may go on.
    drop(kept);
}

#[cfg(test)]
mod tests {
    use super::{Scratch, kept, most};

    #[test]
    fn what_is_gone_is_kept_as_far_as_there_is_room() {
        let address = |length| {
            let mut scratch = Scratch::<u32>::default();
            let numbers = scratch.reserve(length);
            numbers.fill(7);
            assert_eq!((numbers.len(), numbers.iter().all(|&k| k == 7)), (length, true));
            numbers.as_ptr().addr()
        };
        let first = address(1000);
        // One that has enough room, but not one of which most would lie idle.
        assert_eq!(address(900), first);
        assert_ne!(address(10), first);
        for _ in 0..3 {
            address(most() / 16);
            address(most() / 4);
        }
        let bytes: usize = kept().iter().map(|storage| storage.bytes()).sum();
        assert!(bytes <= most(), "{bytes}");
    }

    #[test]
    fn a_reserve_of_fewer_holds_what_there_was() {
        let mut scratch = Scratch::<u64>::default();
        scratch.reserve(100).fill(3);
        assert_eq!(scratch.reserve(50), [3; 50]);
        assert!(scratch.reserve(0).is_empty());
    }
}

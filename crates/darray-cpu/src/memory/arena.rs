//! A contiguous range of addresses that belongs to one device.

/// Granularity of [`Arena::commit`]; a huge page.
pub(crate) const PAGE: usize = 2 << 20;

/// Fewer bytes are not worth reserving.
const LEAST: usize = 64 << 20;

/// Advises the system to use huge pages for memory that is to be written for the first time, where there is much of it: fresh
/// pages of 4 KiB cost several times as much as what is written to them.
pub(crate) fn advise(memory: *mut u8, bytes: usize) {
    if bytes >= 2 * PAGE {
        system::advise(memory, bytes);
    }
}

/// A range of addresses, reserved at once and made usable from its start as it is needed.
///
/// Rules:
/// - Nothing of it is memory until [`commit`](Arena::commit); pages become resident when touched.
/// - The whole range is advised to use huge pages: fresh 4 KiB pages cost more than most kernels.
/// - [`set_accessible`](Arena::set_accessible) closes all of it, so that a kernel of another device
///   that strays into it faults at once (tests).
#[derive(Debug)]
pub(crate) struct Arena {
    base: *mut u8,
    reserved: usize,
    committed: usize,
    accessible: bool,
    /// What `free` must be told.
    mapped: (*mut u8, usize),
}

// SAFETY: an arena owns its range; the raw pointers are not shared except by the blocks handed out,
// whose users order their accesses through the device's queue.
unsafe impl Send for Arena {}

impl Arena {
    /// Reserves room for `limit` bytes in use, with slack for fragmentation where addresses are
    /// free; less when the system refuses, possibly none.
    ///
    /// Where it refuses the limit, addresses are scarce: as many as are reserved are then left to the
    /// rest of the process, which needs them for its stacks and data, and to other devices.
    pub fn new(limit: u64) -> Arena {
        let limit = (limit as usize).min(1 << 44).next_multiple_of(PAGE) + 16 * PAGE;
        for reserved in [limit * 4, limit * 2, limit] {
            if let Some(arena) = system::reserve(reserved) {
                return arena;
            }
        }
        let mut reserved = limit / 2;
        while reserved >= LEAST.min(limit / 4) {
            reserved = reserved.next_multiple_of(PAGE);
            if system::reserve(2 * reserved).is_some()
                && let Some(arena) = system::reserve(reserved)
            {
                return arena;
            }
            reserved /= 2;
        }
        let none = std::ptr::null_mut();
        Arena { base: none, reserved: 0, committed: 0, accessible: true, mapped: (none, 0) }
    }

    /// Bytes of the range.
    pub fn reserved(&self) -> usize {
        self.reserved
    }

    /// The address `offset` bytes from the start; `offset` is at most what is committed.
    pub fn address(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.committed);
        // SAFETY: inside the reserved range, which is one allocation.
        unsafe { self.base.add(offset) }
    }

    /// Makes the first `bytes` bytes usable; false when they are more than the range or the system
    /// refuses.
    pub fn commit(&mut self, bytes: usize) -> bool {
        if bytes <= self.committed {
            return true;
        }
        let target = bytes.next_multiple_of(PAGE);
        if target > self.reserved {
            return false;
        }
        let done = !self.accessible || self.protect(self.committed, target, true);
        if done {
            self.committed = target;
        }
        done
    }

    /// Gives the pages of a range back to the system; its contents become undefined.
    pub fn discard(&mut self, offset: usize, bytes: usize) {
        let (from, to) = (offset.next_multiple_of(4096), (offset + bytes) / 4096 * 4096);
        if from < to && to <= self.committed {
            system::discard(self, from, to);
        }
    }

    /// Opens or closes everything committed, now and later.
    pub fn set_accessible(&mut self, accessible: bool) {
        if accessible != self.accessible {
            self.accessible = accessible;
            let done = self.protect(0, self.committed, accessible);
            assert!(done, "the system refused to change the protection of an arena");
        }
    }

    /// Opens or closes a committed range of whole pages of 4 KiB; whether the system did.
    pub fn set_range_accessible(&mut self, offset: usize, bytes: usize, accessible: bool) -> bool {
        assert!(offset.is_multiple_of(4096) && offset + bytes <= self.committed);
        self.protect(offset, offset + bytes, accessible)
    }

    fn protect(&self, from: usize, to: usize, accessible: bool) -> bool {
        from == to || system::protect(self, from, to, accessible)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if !self.mapped.0.is_null() {
            system::free(self);
        }
    }
}

#[cfg(unix)]
mod system {
    use super::{Arena, PAGE};

    pub fn reserve(bytes: usize) -> Option<Arena> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let length = bytes.checked_add(PAGE)?;
        // SAFETY: an anonymous mapping at an address of the system's choice.
        let mapped =
            unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return None;
        }
        let mapped = mapped.cast::<u8>();
        let skip = (mapped as usize).next_multiple_of(PAGE) - mapped as usize;
        // SAFETY: `skip` is less than PAGE, by which the mapping is longer than `bytes`.
        let base = unsafe { mapped.add(skip) };
        advise(base, bytes);
        let mapped = (mapped, length);
        Some(Arena { base, reserved: bytes, committed: 0, accessible: true, mapped })
    }

    pub fn advise(memory: *mut u8, bytes: usize) {
        // Whole pages.
        let skip = (memory as usize).next_multiple_of(4096) - memory as usize;
        let bytes = bytes.saturating_sub(skip) / 4096 * 4096;
        #[cfg(target_os = "linux")]
        // SAFETY: advice changes no contents, and where there is no memory it does nothing.
        unsafe {
            libc::madvise(memory.wrapping_add(skip).cast(), bytes, libc::MADV_HUGEPAGE);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (skip, bytes);
    }

    pub fn protect(arena: &Arena, from: usize, to: usize, accessible: bool) -> bool {
        let rights = if accessible { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        // SAFETY: the range lies inside the arena's own mapping.
        unsafe { libc::mprotect(arena.base.add(from).cast(), to - from, rights) == 0 }
    }

    pub fn discard(arena: &Arena, from: usize, to: usize) {
        // SAFETY: the range lies inside the arena's own mapping and holds no live block.
        unsafe {
            libc::madvise(arena.base.add(from).cast(), to - from, libc::MADV_DONTNEED);
        }
    }

    pub fn free(arena: &mut Arena) {
        // SAFETY: exactly what `mmap` returned; nothing uses it after the arena.
        unsafe {
            libc::munmap(arena.mapped.0.cast(), arena.mapped.1);
        }
    }
}

#[cfg(not(unix))]
mod system {
    //! Without reservation: the range is allocated at once, and cannot be closed.

    use super::{Arena, PAGE};
    use std::alloc::{Layout, alloc, dealloc};

    /// More than this is not asked of the allocator, which may commit it.
    const MOST: usize = 8 << 30;

    pub fn reserve(bytes: usize) -> Option<Arena> {
        let bytes = bytes.min(MOST);
        let layout = Layout::from_size_align(bytes, PAGE).ok()?;
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(layout) };
        let mapped = (base, bytes);
        (!base.is_null()).then_some(Arena {
            base,
            reserved: bytes,
            committed: 0,
            accessible: true,
            mapped,
        })
    }

    pub fn advise(_: *mut u8, _: usize) {}

    pub fn protect(_: &Arena, _: usize, _: usize, _: bool) -> bool {
        true
    }

    pub fn discard(_: &Arena, _: usize, _: usize) {}

    pub fn free(arena: &mut Arena) {
        let layout = Layout::from_size_align(arena.mapped.1, PAGE).expect("as allocated");
        // SAFETY: allocated with this layout.
        unsafe { dealloc(arena.mapped.0, layout) };
    }
}

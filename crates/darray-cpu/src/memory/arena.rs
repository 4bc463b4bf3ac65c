//! Ranges of addresses that belong to one device.

/// A huge page.
pub(super) const PAGE: usize = 2 << 20;

/// A page.
pub(super) const SMALL_PAGE: usize = 4096;

/// What is reserved at first, where no more is needed.
const LEAST: usize = 1 << 20;

/// What is reserved later at least, and where more is needed at first: huge pages.
const LATER: usize = 2 * PAGE;

/// Advises the system to use huge pages for memory that is to be written for the first time, where there is much of it: fresh
/// pages of 4 KiB cost several times as much as what is written to them.
pub(crate) fn advise(memory: *mut u8, bytes: usize) {
    if bytes >= 2 * PAGE {
        system::advise(memory, bytes, true);
    }
}

/// Ranges of addresses, reserved as they are needed.
///
/// Rules:
/// - A range is reserved whole, as long as all that there were or as what is asked for, whichever is more, so that there are
///   few of them, and all but the first one of huge pages; no two touch. What is never touched is no memory.
/// - Where addresses are scarce, so that twice as many could not be had, no more than what is asked for is reserved: the rest of
///   the process needs them, for its stacks and data, and so do other devices.
/// - A range of huge pages is advised to use them: fresh 4 KiB pages cost more than most kernels.
/// - With the feature `testing`, `set_accessible` closes all of them, so that a kernel of another device
///   that strays there faults at once.
#[derive(Debug)]
pub(super) struct Arena {
    ranges: Vec<Range>,
    reserved: usize,
    accessible: bool,
}

/// A range.
#[derive(Debug)]
struct Range {
    base: *mut u8,
    bytes: usize,
    /// What `free` must be told.
    mapped: (*mut u8, usize),
}

// SAFETY: a range belongs to its arena; the raw pointers are not shared except by the blocks handed out,
// whose users order their accesses through the device's queue.
unsafe impl Send for Range {}

impl Arena {
    /// No addresses yet.
    pub fn new() -> Arena {
        Arena { ranges: Vec::new(), reserved: 0, accessible: true }
    }

    /// Bytes of the ranges.
    pub fn reserved(&self) -> usize {
        self.reserved
    }

    /// Reserves a range of at least so many bytes: its address and length; none where the system refuses.
    pub fn grow(&mut self, bytes: usize) -> Option<(usize, usize)> {
        let rounded = |bytes: usize| {
            let page = if bytes >= 2 * PAGE { PAGE } else { SMALL_PAGE };
            bytes.checked_next_multiple_of(page)
        };
        let plenty = if self.reserved == 0 && bytes <= LEAST { LEAST } else { LATER };
        let least = rounded(bytes.max(LEAST))?;
        let most = rounded(bytes.max(self.reserved).max(plenty))?;
        let is_plenty = most.checked_mul(2).is_some_and(|twice| {
            let found = system::reserve(twice, false);
            found.map(|mut range| system::free(&mut range)).is_some()
        });
        let wanted = if is_plenty { most } else { least };
        let range = system::reserve(wanted, self.accessible)?;
        let found = (range.base.expose_provenance(), range.bytes);
        self.reserved += range.bytes;
        self.ranges.push(range);
        Some(found)
    }

    /// The pointer for an address in a range.
    pub fn pointer(&self, address: usize) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(address)
    }

    /// Gives the pages within some bytes of a range back to the system; their contents become undefined. What is touched there
    /// later becomes memory by itself, not with what is around it. The bytes that were whole pages.
    pub fn discard(&mut self, address: usize, bytes: usize) -> std::ops::Range<usize> {
        let pages =
            address.next_multiple_of(SMALL_PAGE)..(address + bytes) / SMALL_PAGE * SMALL_PAGE;
        if pages.is_empty() {
            return address..address;
        }
        system::discard(self.pointer(pages.start), pages.len());
        // Huge pages with anything of it: when all of one is discarded, a byte would bring it whole.
        let (start, end) = (pages.start / PAGE * PAGE, pages.end.next_multiple_of(PAGE));
        let is_it = |range: &&Range| {
            (range.base.addr()..range.base.addr() + range.bytes).contains(&address)
        };
        if self.ranges.iter().find(is_it).is_some_and(|range| range.bytes >= 2 * PAGE) {
            system::advise(self.pointer(start), end - start, false);
        }
        pages
    }

    /// Opens or closes everything, now and later.
    #[cfg(feature = "testing")]
    pub fn set_accessible(&mut self, accessible: bool) {
        if accessible != self.accessible {
            self.accessible = accessible;
            let mut ranges = self.ranges.iter();
            let done = ranges.all(|range| system::protect(range.base, range.bytes, accessible));
            assert!(done, "the system refused to change the protection of an arena");
        }
    }

    /// Opens or closes whole pages of 4 KiB of a range; whether the system did.
    #[cfg(feature = "testing")]
    pub fn set_range_accessible(&mut self, address: usize, bytes: usize, accessible: bool) -> bool {
        assert!(address.is_multiple_of(SMALL_PAGE));
        system::protect(self.pointer(address), bytes, accessible)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.ranges.iter_mut().for_each(system::free);
    }
}

#[cfg(unix)]
mod system {
    use super::{PAGE, Range, SMALL_PAGE};

    pub fn reserve(bytes: usize, accessible: bool) -> Option<Range> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let huge = bytes >= 2 * PAGE;
        // What is left over keeps ranges apart.
        let (align, rights) = (if huge { PAGE } else { SMALL_PAGE }, rights(accessible));
        let length = bytes.checked_add(align)?;
        // SAFETY: an anonymous mapping at an address of the system's choice.
        let mapped = unsafe { libc::mmap(std::ptr::null_mut(), length, rights, flags, -1, 0) };
        if mapped == libc::MAP_FAILED {
            return None;
        }
        let mapped = mapped.cast::<u8>();
        let skip = (mapped as usize).next_multiple_of(align) - mapped as usize;
        // SAFETY: `skip` is less than `align`, by which the mapping is longer than `bytes`.
        let base = unsafe { mapped.add(skip) };
        if huge {
            advise(base, bytes, true);
        }
        Some(Range { base, bytes, mapped: (mapped, length) })
    }

    fn rights(accessible: bool) -> libc::c_int {
        if accessible { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE }
    }

    pub fn advise(memory: *mut u8, bytes: usize, huge: bool) {
        // Whole pages.
        let skip = (memory as usize).next_multiple_of(SMALL_PAGE) - memory as usize;
        let bytes = bytes.saturating_sub(skip) / SMALL_PAGE * SMALL_PAGE;
        #[cfg(target_os = "linux")]
        // SAFETY: advice changes no contents, and where there is no memory it does nothing.
        unsafe {
            let advice = if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE };
            libc::madvise(memory.wrapping_add(skip).cast(), bytes, advice);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (skip, bytes, huge);
    }

    #[cfg(feature = "testing")]
    pub fn protect(memory: *mut u8, bytes: usize, accessible: bool) -> bool {
        // SAFETY: the range lies inside the arena's own mapping.
        unsafe { libc::mprotect(memory.cast(), bytes, rights(accessible)) == 0 }
    }

    pub fn discard(memory: *mut u8, bytes: usize) {
        // SAFETY: the range lies inside the arena's own mapping and holds no live block.
        unsafe {
            libc::madvise(memory.cast(), bytes, libc::MADV_DONTNEED);
        }
    }

    pub fn free(range: &mut Range) {
        // SAFETY: exactly what `mmap` returned; nothing uses it after the arena.
        unsafe {
            libc::munmap(range.mapped.0.cast(), range.mapped.1);
        }
    }
}

#[cfg(not(unix))]
mod system {
    //! Without reservation: a range is allocated at once, and cannot be closed.

    use super::{PAGE, Range};
    use std::alloc::{Layout, alloc, dealloc};

    pub fn reserve(bytes: usize, _: bool) -> Option<Range> {
        // What is left over keeps ranges apart.
        let length = bytes.checked_add(super::SMALL_PAGE)?;
        let layout = Layout::from_size_align(length, PAGE).ok()?;
        // SAFETY: the size is not zero.
        let base = unsafe { alloc(layout) };
        (!base.is_null()).then_some(Range { base, bytes, mapped: (base, length) })
    }

    pub fn advise(_: *mut u8, _: usize, _: bool) {}

    #[cfg(feature = "testing")]
    pub fn protect(_: *mut u8, _: usize, _: bool) -> bool {
        true
    }

    pub fn discard(_: *mut u8, _: usize) {}

    pub fn free(range: &mut Range) {
        let layout = Layout::from_size_align(range.mapped.1, PAGE).expect("as allocated");
        // SAFETY: allocated with this layout.
        unsafe { dealloc(range.mapped.0, layout) };
    }
}
